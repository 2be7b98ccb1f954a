"""The beginning: a simulation view of a stage."""

from __future__ import annotations

from typing import cast

from pxr import Usd, UsdUtils

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.physics import scene as scenes
from unibody.isaac_core.physics.tensors.frontends import frontend
from unibody.isaac_core.physics.tensors.simulation import SimulationView


def create_simulation_view(frontend_name: str, stage_id: int = -1) -> SimulationView:
    """A view of the simulation of a stage, which is read now unless it runs already.

    Args:
        frontend_name: "numpy", "torch" or "warp".
        stage_id: Number of the stage in USD's cache; -1: that of the running simulation, else the
            app's.

    Raises:
        InvalidArgumentError: There is no such frontend or stage.
    """
    running = scenes.current()
    if stage_id != -1:
        identity = Usd.StageCache.Id.FromLongInt(int(stage_id))
        stage = cast("Usd.Stage | None", UsdUtils.StageCache.Get().Find(identity))
        if not stage:
            raise InvalidArgumentError("stage_id", stage_id, "the number of a stage, or -1")
    else:
        stage = running.stage if running is not None else handles.current_stage()
    own = running if running is not None and running.stage == stage else scenes.attach(stage)
    return SimulationView(own, frontend(frontend_name, own.batch.device))


def reset() -> None:
    """Make all views of the running simulation unusable."""
    scene = scenes.current()
    if scene is not None:
        scenes.detach()
