"""Robots by name, such as "panda": models of `pybullet_data`, and of `robot_descriptions`."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from unibody import sample_assets
from unibody.errors import AssetError
from unibody.sample_assets import originals

ROBOTS = {
    "a1": "a1/a1.urdf",
    "aliengo": "aliengo/aliengo.urdf",
    "cartpole": "cartpole.urdf",
    "cube": "cube.urdf",
    "husky": "husky/husky.urdf",
    "kuka_iiwa": "kuka_iiwa/model.urdf",
    "laikago": "laikago/laikago.urdf",
    "mini_cheetah": "mini_cheetah/mini_cheetah.urdf",
    "minitaur": "quadruped/minitaur.urdf",
    "panda": "franka_panda/panda.urdf",
    "plane": "plane.urdf",
    "r2d2": "r2d2.urdf",
    "racecar": "racecar/racecar.urdf",
    "table": "table/table.urdf",
    "xarm6": "xarm/xarm6_with_gripper.urdf",
}
"""Where they are in the folder of `pybullet_data`."""

_DESCRIPTIONS = "robot_descriptions"


def is_name(text: str) -> bool:
    """Whether a text is no path: it has neither a suffix nor a folder, and no file is called so."""
    return Path(text).name == text and not Path(text).suffix and not Path(text).exists()


def file_of(name: str) -> str:
    """The file of a robot.

    Args:
        name: A name of `ROBOTS`, or of a robot of `robot_descriptions`, which fetches it once.

    Returns:
        A path; a name that is none is returned as it is.

    Raises:
        AssetError: Nothing is called so, or it cannot be had; the message says how to get it.
    """
    if not is_name(name):
        return name
    found = _in_folders(name) or _in_descriptions(name)
    if found:
        return found
    raise AssetError(name, "", _why_not(name))


def described() -> list[str]:
    """The names of the robots of `robot_descriptions`, where it is installed."""
    return sorted({stem.removesuffix("_mj").removesuffix("_mjcf") for stem in _stems()})


def _in_folders(name: str) -> str | None:
    path = ROBOTS.get(name)
    if path is None:
        return None
    folders = [folder for folder in (originals.folder(),) if folder is not None]
    for folder in (*folders, Path(sample_assets.stand_ins())):
        if (folder / path).is_file():
            return str(folder / path)
    return None


def _stems() -> Iterator[str]:
    spec = importlib.util.find_spec(_DESCRIPTIONS)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        for path in Path(folder).glob("[!_]*_description.py"):
            yield path.stem.removesuffix("_description")


def _in_descriptions(name: str) -> str | None:
    """The file that `robot_descriptions` gives: URDF if it has it, else MJCF."""
    stems = set(_stems())
    for stem in (name, f"{name}_mj"):
        if stem not in stems:
            continue
        try:
            module = importlib.import_module(f"{_DESCRIPTIONS}.{stem}_description")
        except Exception as problem:  # these modules clone repositories when they are imported
            said = str(problem).strip().splitlines()
            reason = said[-1].strip() if said else type(problem).__name__
            raise AssetError(name, "", f"robot_descriptions cannot fetch it: {reason}") from problem
        path = getattr(module, "URDF_PATH", None) or getattr(module, "MJCF_PATH", None)
        if path and Path(path).is_file():
            return str(path)
    return None


def _why_not(name: str) -> str:
    if name in ROBOTS:
        return (
            f"not on this machine: {originals.GET}, or pip install robot_descriptions, which "
            "fetches robots by name"
        )
    known = list(dict.fromkeys([*ROBOTS, *described()]))
    near = difflib.get_close_matches(name, known, 3)
    if near:
        return f"no robot of that name; did you mean {' or '.join(near)}?"
    more = "" if described() else "; pip install robot_descriptions knows many more"
    return f"no file and no robot of that name; names are {', '.join(ROBOTS)}{more}"
