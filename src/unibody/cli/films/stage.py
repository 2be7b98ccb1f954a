"""What is seen of a stage of Isaac core's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pxr import UsdGeom

from unibody.cli.films.base import Y_UP, Z_UP
from unibody.isaac_core import handles
from unibody.isaac_core.kit.cameras import PERSPECTIVE, is_where_it_was_put
from unibody.isaac_core.kit.pictures import pictures_of
from unibody.isaac_core.simulation import seam

if TYPE_CHECKING:
    from unibody.core.render.camera import Frames
    from unibody.core.render.visual_shapes import Deformed, VisualShape
    from unibody.viewer.items import Vec3


def make(_batch: Any, _most: int) -> StageSource:
    """The source for the stage in use."""
    return StageSource()


class StageSource:
    """The prims that are seen, simulated or not."""

    def __init__(self) -> None:
        stage = handles.current_stage()
        self.up: Vec3 = Y_UP if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y else Z_UP
        self.parts: list[VisualShape] = []

    def read(self, stepped: Any) -> tuple[Frames, Deformed]:
        """Where the prims are; cloth is a mesh that looks otherwise in each frame."""
        del stepped  # the stage has it all
        seam.flush()
        self.parts, frames = pictures_of(handles.current_stage()).look()
        return frames, {}

    def look(self) -> tuple[Vec3, Vec3] | None:
        """Where the script put the camera of the viewport, and what is 1 m ahead of it."""
        stage = handles.current_stage()
        prim = stage.GetPrimAtPath(PERSPECTIVE)
        if not prim or is_where_it_was_put(stage, PERSPECTIVE):
            return None
        matrix = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(prim))
        meters = UsdGeom.GetStageMetersPerUnit(stage)
        eye, back = matrix[3, :3] * meters, matrix[2, :3] / np.linalg.norm(matrix[2, :3])
        ahead = eye - back
        return _point(eye), _point(ahead)


def _point(values: Any) -> Vec3:
    x, y, z = (float(value) for value in values)
    return x, y, z
