"""The one place where the surface reaches the physics behind ``omni.physics.tensors``."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pxr import Usd, UsdUtils

from unibody.errors import NotSupportedError

_PHYSICS = "unibody.isaac_core.physics"


def is_here() -> bool:
    """Whether stages can be simulated."""
    return importlib.util.find_spec(_PHYSICS) is not None


def _physics() -> Any:
    if not is_here():
        raise NotSupportedError("omni.physics.tensors", "stages are not simulated yet")
    return importlib.import_module(_PHYSICS)


def begin(stage: Usd.Stage, device: str) -> None:
    """Read a stage."""
    _physics().attach(stage, device=device)


def create_view(frontend: str, stage_id: int) -> Any:
    """A simulation view of the stage, whose arrays are those of a library.

    Args:
        frontend: "numpy", "torch" or "warp".
        stage_id: Number of the stage in USD's cache of stages.
    """
    tensors = importlib.import_module(f"{_PHYSICS}.tensors")
    return tensors.create_simulation_view(frontend, stage_id)


@contextmanager
def glimpse(stage: Usd.Stage) -> Iterator[Any]:
    """A view of a stage that is not simulated, for as long as the block lasts. Nothing moves.

    Args:
        stage: The stage, which is left as it was.
    """
    begin(stage, "cpu")
    try:
        cache = UsdUtils.StageCache.Get()
        yield create_view("numpy", cache.GetId(stage).ToLongInt())
    finally:
        end(restore=True)


def simulate(dt: float) -> None:
    """Move the bodies of the stage by a time [s]."""
    scene = _physics().current()
    if scene is not None:
        scene.step(dt)


def contacts_of(path: str) -> tuple[Any, list[str]]:
    """Contacts of a body, and the path of the other body of each; "" for one that has no name.

    Returns:
        `PairContacts` in the world; none while nothing is simulated.
    """
    return _physics().current().contacts_of(path)


def flush(prims: Iterable[Usd.Prim] | None = None) -> None:
    """Write where the bodies are to the stage, if they are simulated.

    Args:
        prims: That are looked at then; None: all. Nothing is written if no body moves them.
    """
    scene = _physics().current() if is_here() else None
    if scene is not None:
        paths = None if prims is None else (str(prim.GetPath()) for prim in prims)
        scene.flush_to_stage(paths)


def soft_of(path: str) -> Any:
    """What simulates the mesh of a path as soft; None if nothing does."""
    scene = _physics().current() if is_here() else None
    if scene is None:
        return None
    scene.listener.apply()
    return scene.soft.by_path.get(path)


def springs_of(prim: Usd.Prim) -> Any:
    """The springs that a mesh of the stage would have as cloth."""
    reading = importlib.import_module(f"{_PHYSICS}.soft.reading")
    return reading.read(prim).soft.tables.springs


def end(*, restore: bool) -> None:
    """Let go of the stage.

    Args:
        restore: Whether the stage gets back what it had before it was simulated.
    """
    scene = _physics().current() if is_here() else None
    if scene is not None:
        if restore:
            scene.restore_stage()
        _physics().detach()


def declare_environments(stage: Usd.Stage, paths: list[str]) -> None:
    """Say which prims are environments, which do not touch one another."""
    if is_here():
        _physics().declare_environments(stage, paths)


def environments(stage: Usd.Stage) -> list[str]:
    """Paths of the environments of a stage; none where stages are not simulated."""
    if not is_here():
        return []
    found: list[str] = importlib.import_module(f"{_PHYSICS}.environments").environment_roots(stage)
    return found
