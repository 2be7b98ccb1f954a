"""Distances of points from shapes, against sampled surfaces and MuJoCo's own."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

from unibody.core.engine.soft.contact_rows import find
from unibody.core.engine.soft.contact_tables import Held, Meets, Particles, Rigid, Rows, Slid
from unibody.core.engine.soft.shapes import shapes_of

_XML = """
<mujoco>
  <asset>
    <mesh name="hull" vertex="-.2 -.1 -.1  .3 -.1 -.1  0 .2 -.1  0 0 .25"/>
    <hfield name="ground" nrow="3" ncol="4" size="1 1 .5 .1"
      elevation="0 .1 .4 1 .2 0 .3 .6 1 .5 .2 0"/>
  </asset>
  <worldbody>
    <body pos=".1 .2 .3" euler="20 30 40"><freejoint/>{shape}</body>
    <body name="probe"><freejoint/>
      <geom type="sphere" size="1e-6"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
  </worldbody>
</mujoco>
"""
_SHAPES = {
    "box": '<geom type="box" size=".1 .2 .3"/>',
    "ball": '<geom type="sphere" size=".2"/>',
    "capsule": '<geom type="capsule" size=".1 .2"/>',
    "cylinder": '<geom type="cylinder" size=".15 .2"/>',
}


def near(points: Any, ways: Any, model: Any, data: Any) -> Any:
    """Particles that are near geom 0, outward normals, and how far they are from its surface."""
    count = len(points)
    particles = Particles(
        np.array(points), np.float32(np.multiply.outer(ways, [1.0, 0.0, 0.0])), np.ones(count),
        np.zeros(count), np.ones(count),
    )  # fmt: skip
    nothing = np.zeros(0, dtype=np.int64)
    held = Held(nothing, nothing, np.zeros((0, 3)), np.zeros(0))
    rows = Rows.room(count, count, model.nbody)
    meets = Meets.all([len(points)], model.nbody)
    number = find(
        particles, Rigid.of(model, data), shapes_of(model), np.array([0]), meets, held,
        Slid.none(), rows, 1.0,
    )  # fmt: skip
    found = rows.keys[:number] >> 32
    normals = rows.rows[:number, :3].astype(np.float64)  # in single precision
    arms = points[found] - rows.points[:number]
    gaps = np.copysign(np.linalg.norm(arms, axis=1), (arms * normals).sum(axis=1))
    apart = np.abs(gaps) > 1e-6
    normals[apart] = arms[apart] / gaps[apart, None]
    return found, normals, gaps


@pytest.mark.parametrize("shape", _SHAPES)
def test_distances_are_mujocos(shape: str) -> None:
    model: Any = mujoco.MjModel.from_xml_string(_XML.format(shape=_SHAPES[shape]))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(3)
    points = rng.uniform(-0.4, 0.6, (60, 3))
    mujoco.mj_kinematics(model, data)
    count = len(points)
    found = near(points, np.full(count, 2.0), model, data)
    assert sorted(found[0].tolist()) == list(range(count))
    ends = np.zeros(6)
    for particle, normal, gap in zip(*found, strict=True):
        data.qpos[7:10] = points[particle]
        mujoco.mj_kinematics(model, data)
        if gap > 1e-3:  # inside MuJoCo's is that of two solids
            theirs = mujoco.mj_geomDistance(model, data, 0, 1, 5.0, ends) + 1e-6
            assert gap == pytest.approx(theirs, abs=2e-6)  # the tolerance of MuJoCo's GJK
        surface = points[particle] - gap * normal
        again = near(surface[None], np.ones(1), model, data)
        assert again[2][0] == pytest.approx(0.0, abs=1e-9)  # which is on the surface


@pytest.mark.parametrize("outside", [False, True])
def test_the_faces_of_a_hull_are_where_its_triangles_are(outside: bool) -> None:
    shape = '<geom type="mesh" mesh="hull"/>'
    model: Any = mujoco.MjModel.from_xml_string(_XML.format(shape=shape))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    turn, pos = data.geom_xmat[0].reshape(3, 3), data.geom_xpos[0]
    vertices = np.array(model.mesh_vert)[np.array(model.mesh_face)] @ turn.T + pos
    way = 0.01 if outside else -0.01
    for corners in vertices:
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        normal /= np.linalg.norm(normal)
        point = corners.mean(axis=0) + way * normal
        found = near(point[None], np.ones(1), model, data)
        assert found[2][0] == pytest.approx(way, abs=1e-7)  # vertices are 32-bit numbers
        np.testing.assert_allclose(found[1][0], normal, atol=1e-6)


def test_a_height_field_has_the_heights_of_its_grid_at_the_grid() -> None:
    shape = '<geom type="hfield" hfield="ground"/>'
    text = (
        _XML.format(shape="")
        .replace('<body name="probe">', f'{shape}<body name="probe">')
        .replace('<body pos=".1 .2 .3" euler="20 30 40"><freejoint/></body>', "")
    )
    model: Any = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    heights = np.array(model.hfield_data).reshape(3, 4)
    x, y = np.meshgrid(np.linspace(-1, 1, 4), np.linspace(-1, 1, 3))
    points = np.stack([x.ravel(), y.ravel(), 0.5 * heights.ravel()], axis=1)
    found = near(points, np.ones(12), model, data)
    assert len(found[0]) == 12
    np.testing.assert_allclose(found[2], 0.0, atol=1e-7)
