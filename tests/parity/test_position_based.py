"""Soft bodies where the world is not deformable: the same script on PyBullet and here.

PyBullet goes over links and contacts in a shuffled order of its own, twenty times a step, which
leaves a rest that depends on the order. So paths agree until what differs has grown; the bound is
5 % of the way gone, or of the size where that is more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.support.duo import DATA, both

Tell = Callable[[], Any]
CLOTH = f"{DATA}/cloth_z_up.obj"


def _particles(p: Any, body: int) -> Any:
    return np.array(p.getMeshData(body, -1, flags=p.MESH_DATA_SIMULATION_MESH)[1])


def _shape(p: Any, body: int) -> Any:
    """Mean place of the particles, and the size of the box around them."""
    places = _particles(p, body)
    return np.concatenate([places.mean(axis=0), np.ptp(places, axis=0)])


def _place(p: Any, body: int) -> Any:
    return np.array(p.getBasePositionAndOrientation(body)[0])


def _bunny(p: Any) -> Tell:
    p.loadURDF(f"{DATA}/plane.urdf")
    bunny = p.loadSoftBody(f"{DATA}/bunny.obj", basePosition=[0, 0, 1.3])
    return lambda: _shape(p, bunny)


def _cloth_on_ground(p: Any) -> Tell:
    p.loadURDF(f"{DATA}/plane.urdf")
    cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.2], scale=0.5, collisionMargin=0.05)
    return lambda: _shape(p, cloth)


def _cloth_on(p: Any, shape: int, cell: float = -1.0) -> Tell:
    p.setPhysicsEngineParameter(sparseSdfVoxelSize=cell)
    collision = p.createCollisionShape(shape, radius=0.5, halfExtents=[0.25, 0.25, 0.25])
    p.createMultiBody(0, collision, basePosition=[0.01, 0.02, 0])
    cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.6])
    return lambda: _shape(p, cloth)


def _cloth_on_box(p: Any) -> Tell:
    return _cloth_on(p, p.GEOM_BOX)


def _cloth_on_ball(p: Any) -> Tell:
    return _cloth_on(p, p.GEOM_SPHERE)


def _cloth_on_finely_sampled_ball(p: Any) -> Tell:
    return _cloth_on(p, p.GEOM_SPHERE, 0.03)


def _held(p: Any, *particles: int) -> int:
    cloth = p.loadSoftBody(CLOTH, basePosition=[0, 0, 1], scale=0.5)
    for particle in particles:
        p.createSoftBodyAnchor(cloth, particle, -1, -1)
    return int(cloth)


def _cloth_swings(p: Any) -> Tell:
    cloth = _held(p, 24, 20)
    return lambda: _shape(p, cloth)


def _box_hangs(p: Any) -> Tell:
    cloth = _held(p, 24, 20)
    box = p.loadURDF(f"{DATA}/cube.urdf", [0, 1, 1], useMaximalCoordinates=True)
    p.createSoftBodyAnchor(cloth, 15, box, -1, [0.5, -0.5, 0])
    p.createSoftBodyAnchor(cloth, 19, box, -1, [-0.5, -0.5, 0])
    return lambda: np.concatenate([_shape(p, cloth), _place(p, box)])


def _box_falls_on_cloth(p: Any, maximal: bool) -> Tell:
    cloth = _held(p, 0, 4, 20, 24)
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.3, 0.3, 0.1])
    box = p.createMultiBody(
        0.5, shape, basePosition=[0.02, 0.01, 1.3], useMaximalCoordinates=maximal
    )
    return lambda: np.concatenate([_shape(p, cloth), _place(p, box)])


def _multibody_falls_on_cloth(p: Any) -> Tell:
    return _box_falls_on_cloth(p, False)


def _maximal_body_falls_on_cloth(p: Any) -> Tell:
    return _box_falls_on_cloth(p, True)


def _arm_touches_cloth(p: Any) -> Tell:
    cloth = _held(p, 0, 4, 20, 24)
    ball = p.createCollisionShape(p.GEOM_SPHERE, radius=0.2)
    arm = p.createMultiBody(
        0.0, -1, basePosition=[0, 0, 1.6], linkMasses=[0.3], linkCollisionShapeIndices=[ball],
        linkVisualShapeIndices=[-1], linkPositions=[[0, 0, 0]], linkOrientations=[[0, 0, 0, 1]],
        linkInertialFramePositions=[[0, 0, 0]], linkInertialFrameOrientations=[[0, 0, 0, 1]],
        linkParentIndices=[0], linkJointTypes=[p.JOINT_PRISMATIC], linkJointAxis=[[0, 0, 1]],
    )  # fmt: skip
    p.setJointMotorControl2(arm, 0, p.VELOCITY_CONTROL, force=0)
    return lambda: np.concatenate([_shape(p, cloth), [p.getJointState(arm, 0)[0]]])


def _cloth_on_cloth(p: Any) -> Tell:
    p.loadURDF(f"{DATA}/plane.urdf")
    low = p.loadSoftBody(CLOTH, basePosition=[0, 0, 0.1], scale=0.5)
    high = p.loadSoftBody(CLOTH, basePosition=[0.1, 0.05, 0.4], scale=0.5)
    return lambda: np.concatenate([_shape(p, low), _shape(p, high)])


def _bunny_on_bunny(p: Any) -> Tell:
    low = p.loadSoftBody(f"{DATA}/bunny.obj", basePosition=[0, 0, 1])
    high = p.loadSoftBody(f"{DATA}/bunny.obj", basePosition=[0.1, 0.05, 3.2])
    p.resetBaseVelocity(high, [0, 0, -3])
    return lambda: np.concatenate([_shape(p, low), _shape(p, high)])


# Steps until orders of links make more of a difference than the bound, or 240.
_SCENES: dict[Callable[[Any], Tell], int] = {
    _bunny: 240,
    _cloth_on_ground: 240,
    _cloth_on_box: 240,
    _cloth_on_ball: 200,
    _cloth_on_finely_sampled_ball: 200,
    _cloth_swings: 180,
    _box_hangs: 240,
    _multibody_falls_on_cloth: 120,
    _maximal_body_falls_on_cloth: 120,
    _arm_touches_cloth: 120,
    _cloth_on_cloth: 240,
    _bunny_on_bunny: 90,
}


@pytest.mark.parametrize("scene", _SCENES, ids=lambda scene: scene.__name__.strip("_"))
def test_soft_bodies_move_as_in_pybullet(scene: Callable[[Any], Tell]) -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -10)
        tell = scene(p)
        rows = [tell()]
        for _ in range(_SCENES[scene]):
            p.stepSimulation()
            rows.append(tell())
        return rows

    theirs, ours = both(script)
    ways = np.maximum.accumulate(np.abs(theirs - theirs[0])).max(axis=1)
    size = theirs[0, 3:6].max()
    worst = (np.abs(ours - theirs).max(axis=1) / np.maximum(ways, size)).max()
    assert worst < 0.05
