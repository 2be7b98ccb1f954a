"""What environments stand on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.isaacgym.scenes import DEVICES, ROBOT, open_stage
from unibody.core.assets.description import ShapeKind
from unibody.isaacgym import gymapi, terrain_utils
from unibody.isaacgym.batch.ground import triangle_mesh
from unibody.isaacgym.gym.sims import DEVICE_VARIABLE


def test_a_long_mesh_of_steep_terrain_becomes_a_height_field_of_its_spacing() -> None:
    field = np.zeros((2000, 40), np.int16)
    field[100:140, 10:20] = 100
    vertices, triangles = terrain_utils.convert_heightfield_to_trimesh(field, 0.1, 0.005, 0.5)
    params = gymapi.TriangleMeshParams()
    params.nb_vertices, params.nb_triangles = len(vertices), len(triangles)
    ground = triangle_mesh(vertices.ravel(), triangles.ravel(), params)
    (shape,) = ground.asset.links[0].collisions
    assert shape.kind is ShapeKind.HEIGHTFIELD
    assert shape.heightfield is not None
    np.testing.assert_allclose(shape.heightfield.spacing, 0.1, rtol=1e-6)


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_robot_lands_on_rough_triangles_alike_on_all_devices(
    shuffled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a grid of heights, and as triangles in no order."""
    pytest.importorskip("mujoco_warp")
    rng = np.random.default_rng(5)
    field = (rng.uniform(-0.04, 0.04, (40, 40)) / 0.005).astype(np.int16)
    vertices, triangles = terrain_utils.convert_heightfield_to_trimesh(field, 0.1, 0.005)
    if shuffled:
        triangles = rng.permutation(triangles)
    params = gymapi.TriangleMeshParams()
    params.nb_vertices, params.nb_triangles = len(vertices), len(triangles)
    params.transform.p = gymapi.Vec3(-2.0, -2.0, 0.0)
    ends = []
    for device in DEVICES:
        monkeypatch.setenv(DEVICE_VARIABLE, device)
        s = open_stage(tmp_path, 2, gravity=9.81, substeps=2, spacing=1.0)
        s.gym.add_triangle_mesh(s.sim, vertices.ravel(), triangles.ravel(), params)
        actors = s.actors(s.asset(ROBOT), "robot", 0.2)
        s.drive(actors, gymapi.DOF_MODE_POS, 100.0, 5.0)
        s.step(60)
        ends.append(s.refreshed("rigid_body_state"))
        s.gym.destroy_sim(s.sim)
    assert (ends[0][::3, 2] < 0.18).all()
    # it lands on a corner and rolls over, which multiplies float32's rounding by a thousand
    np.testing.assert_allclose(ends[1][:, :7], ends[0][:, :7], atol=1e-3)
