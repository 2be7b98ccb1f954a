"""Points inside of faces that touch shapes, against dense samples of the faces."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest

from tests.core.engine.soft.test_shape_distance import near
from unibody.core.deform.contacts import HEIGHT
from unibody.core.engine.soft.contact_tables import Held, Meets, Particles, Rigid, Rows, Slid
from unibody.core.engine.soft.face_rows import find_with_faces
from unibody.core.engine.soft.face_tables import FaceRows, Faces, feature_room
from unibody.core.engine.soft.shapes import shapes_of

REACH = 0.05  # m
ROOM = 256
_XML = """
<mujoco>
  <asset><mesh name="hull" vertex="-.2 -.1 -.1  .3 -.1 -.1  0 .2 -.1  0 0 .25"/></asset>
  <worldbody><body pos=".1 .2 .3" euler="20 30 40"><freejoint/>{shape}</body></worldbody>
</mujoco>
"""
_SHAPES = {
    "box": '<geom type="box" size=".1 .2 .3"/>',
    "ball": '<geom type="sphere" size=".2"/>',
    "capsule": '<geom type="capsule" size=".1 .2"/>',
    "cylinder": '<geom type="cylinder" size=".15 .2"/>',
    "hull": '<geom type="mesh" mesh="hull"/>',
}


def _model(shape: str) -> tuple[Any, Any]:
    model: Any = mujoco.MjModel.from_xml_string(_XML.format(shape=_SHAPES[shape]))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    return model, data


def _found(corners: Any, faces: Any, model: Any, data: Any, masses: Any = None) -> Any:
    """What faces touch that are as near as `REACH`; corners (p, 3), faces (f, 3)."""
    count = len(corners)
    particles = Particles(
        np.array(corners), np.zeros((count, 3), dtype=np.float32),
        np.ones(count) if masses is None else masses, np.full(count, REACH), np.ones(count),
    )  # fmt: skip
    nothing = np.zeros(0, dtype=np.int64)
    held = Held(nothing, nothing, np.zeros((0, 3)), np.zeros(0))
    features, points = feature_room(count, ROOM), FaceRows.room(ROOM)
    find_with_faces(
        particles, Faces.of(faces), Rigid.of(model, data), shapes_of(model), np.array([0]),
        Meets.all([count], model.nbody), held, Slid.none(), Rows.room(count, count, model.nbody),
        features, points, 1e-3,
    )  # fmt: skip
    return features, points


def _gaps(points: Any, model: Any, data: Any) -> Any:
    """How far points are from geom 0 [m]."""
    found, _, gaps = near(points, np.full(len(points), 10.0), model, data)
    assert len(found) == len(points)
    return gaps


@pytest.mark.parametrize("shape", _SHAPES)
def test_the_point_of_a_face_that_touches_is_its_nearest(shape: str) -> None:
    model, data = _model(shape)
    rng = np.random.default_rng(5)
    share = np.array([(i, j, 60 - i - j) for i in range(61) for j in range(61 - i)]) / 60
    inside = outside = 0
    near_enough: list[bool] = []
    for _ in range(150):
        centre = data.geom_xpos[0] + rng.normal(size=3) * 0.2
        corners = centre + rng.normal(size=(3, 3)) * 0.25
        samples = _gaps(share @ corners, model, data)
        at_corners = _gaps(corners, model, data).min()
        features, points = _found(corners, [[0, 1, 2]], model, data)
        if points.number[0]:
            inside += 1
            weights = features.weights[0].astype(np.float64)
            assert weights.sum() == pytest.approx(1.0, abs=1e-6)
            assert weights.max() < 1.0
            gap = points.gaps[0] + REACH
            assert gap < at_corners
            # Of what has edges, points that are as near but for a tenth of the reach count alike.
            tie = 0.0 if shape in {"ball", "capsule"} else 0.1 * REACH
            near_enough.append(gap <= samples.min() + tie + 5e-4)
            normal = features.rows[0, :3].astype(np.float64)
            sides = corners[weights > 1e-3] - corners[weights > 1e-3][0]
            assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-6)
            np.testing.assert_allclose(sides @ normal, 0.0, atol=1e-4)  # across side or face
        elif samples.min() < REACH:  # then a corner is about as near
            outside += 1
            near_enough.append(at_corners < samples.min() + 0.12 * REACH)
    # Projections on a box end early along its edges, now and then.
    assert np.mean(near_enough) >= (0.8 if shape == "box" else 1.0)
    assert inside > 10
    assert outside > 0


def test_a_side_that_two_faces_have_touches_once() -> None:
    model, data = _model("ball")
    place = data.geom_xpos[0] + [0.0, 0.0, 0.23]
    corners = place + 0.4 * np.array([[-1.0, 0, 0], [1, 0, 0], [0, 1, 0.3], [0, -1, 0.3]])
    features, points = _found(corners, [[0, 1, 2], [1, 0, 3]], model, data)
    assert points.number[0] == 1
    np.testing.assert_allclose(features.weights[0], [0.5, 0.5, 0.0], atol=1e-6)
    assert points.gaps[0] == pytest.approx(0.03 - REACH, abs=1e-9)
    assert points.masses[0] == pytest.approx(2.0)  # 1 / (1/4 + 1/4), of particles of 1 kg
    np.testing.assert_allclose(features.rows[0, :3], [0, 0, 1], atol=1e-6)
    # a fifth of what is lacking goes in the step
    surface = data.geom_xpos[0][2] + 0.2
    assert features.rows[0, HEIGHT] == pytest.approx(surface + 0.03 + 0.2 * 0.02, abs=1e-6)


def test_corners_that_are_held_share_no_mass() -> None:
    model, data = _model("ball")
    corners = (
        data.geom_xpos[0] + [0, 0, 0.22] + 0.4 * np.array([[-1.0, 0, 0], [1, 1, 0], [1, -1, 0]])
    )
    for masses, resists in (([1.0, 1.0, 1.0], 8 / 3), ([1.0, 0.0, 0.0], 4.0)):
        features, points = _found(corners, [[0, 1, 2]], model, data, np.array(masses))
        np.testing.assert_allclose(features.weights[0], [0.5, 0.25, 0.25], atol=1e-4)
        assert points.masses[0] == pytest.approx(resists, rel=1e-3)
    assert _found(corners, [[0, 1, 2]], model, data, np.zeros(3))[1].number[0] == 0


def test_a_face_that_lies_flat_on_a_box_touches_with_its_corners_alone() -> None:
    model, data = _model("box")
    turn = data.geom_xmat[0].reshape(3, 3)
    flat = np.array([[-0.05, -0.1, 0.31], [0.05, -0.1, 0.31], [0.0, 0.15, 0.31]])
    corners = data.geom_xpos[0] + flat @ turn.T
    assert _found(corners, [[0, 1, 2]], model, data)[1].number[0] == 0
