"""Soft bodies beside PyBullet's world of soft bodies, and against closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.bullet.soft.cubes import cube_of_tetrahedra
from tests.support.duo import DATA, connected
from unibody.bullet import error

CLOTH = f"{DATA}/cloth_z_up.obj"
SPRINGS: dict[str, Any] = {
    "scale": 0.5, "mass": 1.0, "useBendingSprings": 1, "useMassSpring": 1,
    "springElasticStiffness": 40, "springDampingStiffness": 0.1,
    "springDampingAllDirections": 1, "frictionCoeff": 0.5, "useFaceContact": 1,
}  # fmt: skip


def _soft_world(p: Any) -> None:
    p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)
    p.setGravity(0, 0, -10)


def _particles(p: Any, body: int) -> Any:
    return np.array(p.getMeshData(body, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1])


def _swinging_cloth(p: Any) -> tuple[list[int], Any]:
    _soft_world(p)
    box = p.loadURDF("cube.urdf", [0, 1, 2], useMaximalCoordinates=True)
    cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 2], **SPRINGS)
    anchors = [p.createSoftBodyAnchor(cloth, n, -1, -1) for n in (24, 20)]
    anchors += [p.createSoftBodyAnchor(cloth, 15, box, -1, [0.5, -0.5, 0])]
    anchors += [p.createSoftBodyAnchor(cloth, 19, box, -1, [-0.5, -0.5, 0])]
    rows: list[Any] = []
    for _ in range(200):
        p.stepSimulation()
        rows.append([*_particles(p, cloth).mean(axis=0), *p.getBasePositionAndOrientation(box)[0]])
    return anchors, np.array(rows)


def test_a_box_that_hangs_from_a_cloth_swings_as_in_pybullet() -> None:
    with connected(pybullet) as p:
        their_anchors, theirs = _swinging_cloth(p)
    with connected(unibody.bullet) as p:
        our_anchors, ours = _swinging_cloth(p)
    assert our_anchors == their_anchors
    # 5 % of the way that cloth and box have moved until then, which is up to 0.9 m and 2.5 m:
    # both integrate with errors of first order in the step.
    way = np.linalg.norm(theirs - theirs[0], axis=1)
    assert (np.linalg.norm(ours - theirs, axis=1) < 0.05 * way + 0.01).all()


def test_a_cloth_comes_to_rest_a_margin_above_the_ground() -> None:
    with connected(unibody.bullet) as p:
        _soft_world(p)
        p.loadURDF("plane.urdf")
        cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.3], collisionMargin=0.04, **SPRINGS)
        for _ in range(240):
            p.stepSimulation()
        places = _particles(p, cloth)
    # A contact gives way by the weight over a fifth of 30 masses over the step squared: 3e-5 m.
    np.testing.assert_allclose(places[:, 2], 0.04, atol=4e-5)
    np.testing.assert_allclose(np.ptp(places[:, :2], axis=0), 1.0, atol=1e-3)


def test_a_solid_bounces_as_in_pybullet(tmp_path: Path) -> None:
    file = cube_of_tetrahedra(tmp_path, 4, 0.4)

    def heights(p: Any) -> Any:
        _soft_world(p)
        p.setTimeStep(1e-3)
        p.loadURDF("plane.urdf")
        cube = p.loadSoftBody(
            file, basePosition=[0, 0, 0.3], mass=4.0, useNeoHookean=1, NeoHookeanMu=800,
            NeoHookeanLambda=1200, NeoHookeanDamping=0.01, frictionCoeff=0.5, collisionMargin=1e-3,
        )  # fmt: skip
        rows: list[Any] = []
        for step in range(600):
            p.stepSimulation()
            if step % 20 == 0:
                places = _particles(p, cube)
                rows.append([places[:, 2].mean(), places[:, 2].max()])
        return np.array(rows)

    with connected(pybullet) as p:
        theirs = heights(p)
    with connected(unibody.bullet) as p:
        ours = heights(p)
    # 5 % of the height that it falls from, 0.5 m to its middle.
    np.testing.assert_allclose(ours, theirs, atol=0.025)


@pytest.mark.parametrize("mass", [0.05, 1.0, 5.0])
def test_a_box_rests_on_a_soft_bed(tmp_path: Path, mass: float) -> None:
    file = cube_of_tetrahedra(tmp_path, 4, 0.8)
    with connected(unibody.bullet) as p:
        _soft_world(p)
        p.loadURDF("plane.urdf")
        bed = p.loadSoftBody(
            file, basePosition=[-0.4, -0.4, 0.0], mass=8.0, useNeoHookean=1, NeoHookeanMu=20000,
            NeoHookeanLambda=30000, NeoHookeanDamping=0.02, frictionCoeff=0.8, collisionMargin=2e-3,
        )  # fmt: skip
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.25, 0.25, 0.1])
        box = p.createMultiBody(mass, shape, basePosition=[0, 0, 0.95])
        for _ in range(720):
            p.stepSimulation()
        top = _particles(p, bed)[:, 2].max()
        (x, y, z), _ = p.getBasePositionAndOrientation(box)
        speed = np.linalg.norm(p.getBaseVelocity(box)[0])
    assert abs(z - 0.1 - top) < 0.03  # on it, and not in it
    assert np.hypot(x, y) < 0.02
    assert speed < 0.02


def test_soft_and_rigid_bodies_keep_their_momentum_together() -> None:
    with connected(unibody.bullet) as p:
        _soft_world(p)
        p.setGravity(0, 0, 0)
        cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0], collisionMargin=0.02, **SPRINGS)
        ball = p.createMultiBody(
            0.5, p.createCollisionShape(p.GEOM_SPHERE, radius=0.2), basePosition=[0, 0, 0.3],
            useMaximalCoordinates=1,
        )  # fmt: skip
        p.changeDynamics(ball, -1, linearDamping=0, angularDamping=0)
        p.resetBaseVelocity(ball, [0, 0, -1.0])
        before = _particles(p, cloth)
        for _ in range(119):
            p.stepSimulation()
        before = _particles(p, cloth)
        p.stepSimulation()
        cloth_momentum = (_particles(p, cloth) - before).mean(axis=0) * 240.0
        ball_momentum = 0.5 * np.array(p.getBaseVelocity(ball)[0])
    assert cloth_momentum[2] < -0.05  # it was hit
    # Places are 32-bit numbers: 1e-7 of a metre over a step is 3e-5 of momentum.
    np.testing.assert_allclose(cloth_momentum + ball_momentum, [0, 0, -0.5], atol=1e-3)


def test_an_anchor_that_is_removed_lets_go() -> None:
    with connected(unibody.bullet) as p:
        _soft_world(p)
        cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 5], **SPRINGS)
        anchors = [p.createSoftBodyAnchor(cloth, n) for n in (20, 24)]
        assert p.getNumConstraints() == 2
        for _ in range(60):
            p.stepSimulation()
        assert _particles(p, cloth)[20, 2] == 5.0
        for anchor in anchors:
            p.removeConstraint(anchor)
        low = _particles(p, cloth)[20, 2]
        for _ in range(60):
            p.stepSimulation()
        assert p.getNumConstraints() == 0
        assert _particles(p, cloth)[20, 2] < low - 0.1


def test_a_soft_body_can_be_moved_removed_and_its_particles_placed() -> None:
    with connected(unibody.bullet) as p:
        _soft_world(p)
        cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 1], **SPRINGS)
        start = _particles(p, cloth)
        p.resetBasePositionAndOrientation(cloth, [1, 2, 3], [0, 0, 1, 0])
        expected = start * np.array([-1, -1, 1]) + np.array([1, 2, 2])
        np.testing.assert_allclose(_particles(p, cloth), expected, atol=1e-6)
        p.resetMeshData(cloth, (start + np.array([0, 0, 4])).tolist())
        np.testing.assert_allclose(_particles(p, cloth), start + np.array([0, 0, 4]), atol=1e-6)
        assert p.getBasePositionAndOrientation(cloth)[0] == pytest.approx((0, 0, 5), abs=1e-6)
        p.removeBody(cloth)
        p.stepSimulation()
        assert p.getNumBodies() == 0
        with pytest.raises(error):
            p.getMeshData(cloth)


def test_the_corners_that_are_drawn_are_as_many_as_in_pybullet() -> None:
    def counts(p: Any) -> list[int]:
        _soft_world(p)
        cloth = p.loadSoftBody(CLOTH, **SPRINGS)
        return [
            p.getMeshData(cloth, -1)[0],
            p.getMeshData(cloth, -1, flags=p.MESH_DATA_SIMULATION_MESH)[0],
        ]

    with connected(pybullet) as p:
        theirs = counts(p)
    with connected(unibody.bullet) as p:
        assert counts(p) == theirs


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"fileName": "nothing.vtk"}, "no such file"),
        ({"fileName": CLOTH, "mass": float("nan")}, "mass"),
        ({"fileName": CLOTH, "useMassSpring": 1, "springElasticStiffness": -1.0}, "stiffness"),
        ({"fileName": f"{DATA}/plane.urdf"}, ".obj and .vtk"),
    ],
)
def test_what_cannot_be_loaded_is_refused_and_leaves_no_body(
    arguments: dict[str, Any], named: str
) -> None:
    with connected(unibody.bullet) as p:
        _soft_world(p)
        with pytest.raises(error, match=named):
            p.loadSoftBody(**arguments)
        assert p.getNumBodies() == 0
        with pytest.raises(error, match="createSoftBodyAnchor"):
            p.createSoftBodyAnchor(0, 0)


def test_a_soft_body_has_a_box_and_velocities_as_a_whole() -> None:
    with connected(unibody.bullet) as p:
        _soft_world(p)
        p.setGravity(0, 0, 0)
        springs = {**SPRINGS, "springDampingStiffness": 0.0}
        cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 1], collisionMargin=0.1, **springs)
        p.resetBasePositionAndOrientation(cloth, [0, 0, 1], [0, 0, 0, 1])
        np.testing.assert_allclose(p.getAABB(cloth), [[-0.6, -0.6, 0.9], [0.6, 0.6, 1.1]])
        p.resetBaseVelocity(cloth, [1, 2, 3], [0, 0, 0.5])
        np.testing.assert_allclose(p.getBaseVelocity(cloth), [[1, 2, 3], [0, 0, 0.5]], atol=1e-6)
        for _ in range(24):
            p.stepSimulation()
        pos, quat = p.getBasePositionAndOrientation(cloth)
        np.testing.assert_allclose(pos, [0.1, 0.2, 1.3], atol=1e-5)
        # Free motion turns it by its speed; springs that are stretched by it slow it by < 2 %.
        assert p.getEulerFromQuaternion(quat)[2] == pytest.approx(0.05, rel=0.02)


def test_a_camera_sees_the_cloth_where_its_particles_are() -> None:
    with connected(unibody.bullet) as p:
        _soft_world(p)
        cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0], **SPRINGS)
        p.changeVisualShape(cloth, -1, rgbaColor=[1, 0, 0, 1], flags=p.VISUAL_SHAPE_DOUBLE_SIDED)
        view = p.computeViewMatrix([0, 0, 3], [0, 0, 0], [0, 1, 0])
        lens = p.computeProjectionMatrixFOV(60, 1.0, 0.1, 10)

        def seen() -> Any:
            labels = p.getCameraImage(64, 64, view, lens, renderer=p.ER_TINY_RENDERER)[4]
            return np.argwhere(np.reshape(labels, (64, 64)) == cloth)

        # A metre at 3 m fills 64 / (2 * 3 * tan 30 deg) = 18.5 pixels.
        assert np.ptp(seen(), axis=0) == pytest.approx([17.5, 17.5], abs=1.0)
        places = _particles(p, cloth)
        p.resetMeshData(cloth, (places * np.array([0.5, 1.0, 1.0])).tolist())
        assert np.ptp(seen(), axis=0) == pytest.approx([17.5, 8.25], abs=1.0)


def test_a_cloth_rests_on_a_box_that_took_the_place_of_another_in_the_running_world() -> None:
    def place_box(height: float, half: float) -> int:
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[1, 1, half])
        return p.createMultiBody(0, shape, basePosition=[0, 0, height])

    with connected(unibody.bullet) as p:
        _soft_world(p)
        cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.3], collisionMargin=0.04, **SPRINGS)
        first = place_box(0.0, 0.1)
        for _ in range(120):
            p.stepSimulation()
        assert _particles(p, cloth)[:, 2].mean() == pytest.approx(0.14, abs=1e-3)
        p.removeBody(first)
        place_box(-0.5, 0.3)
        for _ in range(120):
            p.stepSimulation()
        assert _particles(p, cloth)[:, 2].mean() == pytest.approx(-0.16, abs=1e-3)


@pytest.mark.parametrize("deformable", [False, True])
def test_a_soft_body_answers_questions_of_rigid_ones_as_in_pybullet(deformable: bool) -> None:
    found: list[Any] = []
    for module in (pybullet, unibody.bullet):
        with connected(module) as p:
            if deformable:
                _soft_world(p)
            cloth = p.loadSoftBody(CLOTH, **SPRINGS)
            box = p.createMultiBody(1.0)
            # The other numbers are whatever was in memory in PyBullet.
            kinds = [p.getDynamicsInfo(cloth, link)[10] for link in (-1, 0, 5)]
            kinds.append(p.getDynamicsInfo(box, -1)[10])
            whole = p.createMultiBody(1.0, useMaximalCoordinates=True)
            kinds.append(p.getDynamicsInfo(whole, -1)[10])
            with pytest.raises(p.error, match="getDynamicsInfo failed; invalid linkIndex"):
                p.getDynamicsInfo(cloth, -2)
            ends = (cloth, -1, box, -1, p.JOINT_FIXED, [0, 0, 0], [0, 0, 0], [0, 0, 0])
            with pytest.raises(p.error, match="createConstraint failed"):
                p.createConstraint(*ends)
            found.append(kinds)
    assert found[1] == found[0] == [3, 3, 3, 2, 1]


@pytest.mark.parametrize("share", [0.3, 0.1, 0.03])
def test_a_plank_that_turns_easily_is_not_thrown_off_soft_blocks(
    tmp_path: Path, share: float
) -> None:
    file = cube_of_tetrahedra(tmp_path, 4, 0.1)
    with connected(unibody.bullet) as p:
        _soft_world(p)
        p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
        for x in (-0.5, 0.5):
            p.loadSoftBody(
                file, basePosition=[x - 0.05, -0.05, 0.0], mass=0.5, useNeoHookean=1,
                NeoHookeanMu=20000, NeoHookeanLambda=30000, NeoHookeanDamping=0.1,
                frictionCoeff=0.8, collisionMargin=2e-3,
            )  # fmt: skip
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.6, 0.08, 0.02])
        plank = p.createMultiBody(0.5, shape, basePosition=[0, 0, 0.122])
        inertia = np.array(p.getDynamicsInfo(plank, -1)[2])
        p.changeDynamics(plank, -1, localInertiaDiagonal=(share * inertia).tolist())
        heights: list[float] = []
        for _ in range(480):
            p.stepSimulation()
            heights.append(p.getBasePositionAndOrientation(plank)[0][2])
    # It falls by 2 mm onto them. What it bounces is no higher than that.
    assert max(heights) < 0.124
