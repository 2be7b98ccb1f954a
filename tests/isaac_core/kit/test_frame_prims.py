"""The command FramePrims."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import UsdGeom

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.functions import commands  # noqa: F401 - registers the commands
from unibody.isaac_core.kit.commands import execute
from unibody.isaac_core.objects.cuboid import VisualCuboid

CAMERA = "/OmniverseKit_Persp"


def test_framing_moves_the_camera_until_prims_fill_a_part_of_its_picture() -> None:
    VisualCuboid("/World/box", "box", position=np.array([2.0, 1.0, 0.5]), size=2.0)
    execute("FramePrimsCommand", prim_to_move=CAMERA, prims_to_frame=["/World/box"], zoom=0.5)
    prim = handles.current_stage().GetPrimAtPath(CAMERA)
    matrix = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(prim))
    ahead, way = -matrix[2, :3], np.array([2.0, 1.0, 0.5]) - matrix[3, :3]
    distance = float(np.linalg.norm(way))
    assert way / distance == pytest.approx(ahead, abs=1e-6)
    camera = UsdGeom.Camera(prim)
    half = camera.GetHorizontalApertureAttr().Get() / camera.GetFocalLengthAttr().Get() / 2.0
    # the sphere around a cube of 2 has the radius sqrt(3); it fills half of the picture
    assert np.sqrt(3.0) / distance / half == pytest.approx(0.5, rel=1e-5)
    with pytest.raises(InvalidArgumentError, match="prim_to_move"):
        execute("FramePrims", prim_to_move="/World/box")
