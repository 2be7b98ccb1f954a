"""`unibody doctor`: what is installed, what works, and what to install for the rest."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import NamedTuple

import unibody
from unibody import mechanisms
from unibody.command_parser import Parser
from unibody.errors import UnibodyError
from unibody.extras import install_command
from unibody.machine_code.folders import folder_beside


class Part(NamedTuple):
    """A package the library uses.

    Attributes:
        distribution: Name on the package index.
        module: Name to import.
        extra: Extra of unibody that installs it; "" if unibody always does.
        purpose: What it is for.
    """

    distribution: str
    module: str
    extra: str
    purpose: str


PARTS = (
    Part("mujoco", "mujoco", "", "the engine"),
    Part("numpy", "numpy", "", "arrays"),
    Part("numba", "numba", "", "drive and contact rules on the CPU"),
    Part("trimesh", "trimesh", "", "mesh files in .ply and .gltf"),
    Part("vhacdx", "vhacdx", "", "convex decomposition of meshes"),
    Part("mujoco-warp", "mujoco_warp", "gpu", "many worlds on the GPU"),
    Part("warp-lang", "warp", "gpu", "kernels on the GPU"),
    Part("torch", "torch", "isaacgym", "tensors of the isaacgym surface"),
    Part("usd-core", "pxr", "isaac-core", "USD files"),
    Part("viser", "viser", "viewer", "the browser viewer"),
    Part("av", "av", "viewer", "videos"),
    Part("pyzmq", "zmq", "serve", "physics servers"),
    Part("msgpack", "msgpack", "serve", "physics servers"),
    Part("ray", "ray", "scale", "`unibody sweep`"),
    Part("pyarrow", "pyarrow", "data", "`unibody run --dataset`, logs of fleets as Parquet"),
    Part("mcap", "mcap", "data", "data sets for Foxglove"),
    Part("gymnasium", "gymnasium", "envs", "tasks for reinforcement learning"),
    Part("stable-baselines3", "stable_baselines3", "train", "`unibody train`"),
    Part("rsl-rl-lib", "rsl_rl", "train", "`unibody train`"),
    Part("pybullet", "pybullet_data", "test", "comparison tests; `unibody data` has its robots"),
)

NEEDED = {
    "isaacgym": ("isaacgym", {"torch": "torch"}),
    "isaac_core": ("isaac-core", {"pxr": "usd-core", "warp": "warp-lang"}),
    "newton": (
        "newton",
        {"warp": "warp-lang", "mujoco_warp": "mujoco-warp", "pxr": "usd-core"},
    ),
}
"""By surface: the extra, and the packages of it without which scripts end, by module."""


def main(argv: Sequence[str] = ()) -> int:
    """Print the report.

    Args:
        argv: The arguments behind `doctor`.

    Returns:
        0 if what is always needed is there and the engine does what the library relies on; else 1.
    """
    Parser(
        prog="unibody doctor",
        description="Say what is installed and what is missing, with the lines that install it, "
        "whether the engine does what is relied on, and which mechanisms are on. The exit status "
        "is 0 if what is always needed is there and works.",
    ).parse_args(argv)
    missing = [part for part in PARTS if not _is_installed(part)]
    healthy, verdict = _engine_check()
    for line in _report(missing, verdict):
        print(line)
    return 0 if healthy and not any(part.extra == "" for part in missing) else 1


def _report(missing: list[Part], verdict: str) -> Iterator[str]:
    yield f"unibody           {unibody.__version__}"
    yield f"python            {platform.python_version()} ({sys.executable})"
    yield f"machine           {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    for part in PARTS:
        if part not in missing:
            yield f"{part.distribution:<17} {_version(part.distribution)}"
    yield ""
    yield f"engine            {verdict}"
    yield f"GPU               {_gpu()}"
    yield ""
    yield "mechanisms"
    for name, state in _mechanisms().items():
        yield f"  {name:<13} {state}"
    yield ""
    yield "surfaces"
    for surface in unibody.SURFACES:
        yield f"  unibody.{surface:<11} {_surface(surface)}"
    yield ""
    if not missing:
        yield "nothing is missing"
        return
    yield "not installed"
    for part in missing:
        line = install_command(part.extra) if part.extra else f'pip install "{part.distribution}"'
        yield f"  {part.distribution:<17} {part.purpose}: {line}"


def _surface(name: str) -> str:
    if not unibody.available(name):
        return "not part of this version"
    extra, modules = NEEDED.get(name, ("", {}))
    missing = [package for module, package in modules.items() if find_spec(module) is None]
    return f"needs {', '.join(missing)}: {install_command(extra)}" if missing else "available"


def _is_installed(part: Part) -> bool:
    return find_spec(part.module) is not None


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "installed, version unknown"


def _engine_check() -> tuple[bool, str]:
    if find_spec("mujoco") is None:
        return False, "cannot be checked without mujoco"
    from unibody.core.engine.library import layout

    try:
        return True, layout.compare_offsets()
    except UnibodyError as error:
        return False, f"FAULT: {error}"


def _mechanisms() -> dict[str, str]:
    """What is on of the mechanisms that the library can do without, and why the rest is not."""
    try:
        plain = mechanisms.plain()
    except UnibodyError as error:
        return {"FAULT": str(error)}
    reasons: dict[str, Callable[[], str]] = {"threads": _threads}
    if find_spec("ray") is not None:
        reasons["shared-memory"] = _shared_memory
    if find_spec("numba") is not None:
        reasons |= {"calls": _calls, "machine-code": _machine_code, "shipped": _shipped}
    if find_spec("mujoco") is not None:
        reasons |= {"slots": _slots, "solver": lambda: "on, from 60 degrees of freedom"}
    states: dict[str, str] = {}
    for name in mechanisms.MECHANISMS:
        reason = reasons.get(name, lambda: "off: a package it needs is not installed")
        off = f"off: {mechanisms.VARIABLE} names it"
        states[name] = off if name in plain else reason()
    return states


def _threads() -> str:
    count = mechanisms.cores()
    return f"on, {count} threads" if count > 1 else "off: this process may use one core"


def _shared_memory() -> str:
    from unibody.scale.shared_meeting import problem

    found = problem()
    return f"off: {found}" if found else "on"


def _shipped() -> str:
    from unibody.machine_code import shipped

    if not shipped.FOLDER.is_dir():
        return "off: this installation carries no machine code"
    return "on" if shipped.folder() else "off: the processor, or numba's settings, are others"


def _calls() -> str:
    from unibody.machine_code.calls.functions import layout_is_known

    return "on" if layout_is_known() else "off: this Python keeps its objects in another way"


def _machine_code() -> str:
    from unibody.machine_code import linking

    problem = linking.problem()
    if problem:
        return f"off: {problem}"
    folder = folder_beside(linking.__file__)
    return f"on, kept in {folder}" if folder else "off: no folder is this user's alone"


def _slots() -> str:
    from unibody.core.engine.insertion.known_fields import difference

    found = difference()
    return f"off: {found}, which bodies that enter a model know nothing of" if found else "on"


def _gpu() -> str:
    command = shutil.which("nvidia-smi")
    if command is None:
        return "no NVIDIA GPU found; everything runs on the CPU"
    query = [command, "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        result = subprocess.run(query, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"nvidia-smi does not answer: {error}"
    names = "; ".join(result.stdout.strip().splitlines())
    return names if result.returncode == 0 and names else "no NVIDIA GPU found (nvidia-smi fails)"
