"""Bodies made of one shape, again and again, are each what PyBullet makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unibody.bullet as ub
from tests.bullet.paired import both as plain
from tests.support.duo import both
from tests.support.tolerances import ALGEBRA


def test_mass_frame_and_look_are_those_of_each_call() -> None:
    def script(p: Any) -> Any:
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.2, 0.3))
        first, second = (p.createVisualShape(p.GEOM_SPHERE, radius=r) for r in (0.1, 0.2))
        here, aside = (0.0, 0.0, 0.0), (0.1, 0.0, 0.2)
        calls = [
            (1.0, box, -1, here),
            (1.0, box, -1, here),
            (2.0, box, -1, here),
            (2.0, box, first, here),
            (2.0, box, second, here),
            (2.0, box, second, aside),
            (2.0, box, second, aside),
            (0.0, box, second, aside),
            (1.0, -1, first, here),
            (1.0, -1, second, here),
            (1.0, box, -1, here),
        ]
        rows = []
        for mass, shape, look, frame in calls:
            body = p.createMultiBody(mass, shape, look, baseInertialFramePosition=frame)
            found = p.getDynamicsInfo(body, -1)
            shown = [row[3][0] for row in p.getVisualShapeData(body)]
            count = len(p.getCollisionShapeData(body, -1))
            rows.append((found[0], *found[2], *found[3], *shown, count))
        return np.array(rows)

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ALGEBRA)


def _lever(p: Any, axis: tuple[float, float, float], joint_type: int) -> int:
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1))
    return p.createMultiBody(
        0, box, linkMasses=[1.0], linkCollisionShapeIndices=[box], linkVisualShapeIndices=[-1],
        linkPositions=[(0, 0, 1)], linkOrientations=[(0, 0, 0, 1)],
        linkInertialFramePositions=[(0.3, 0, 0)], linkInertialFrameOrientations=[(0, 0, 0, 1)],
        linkParentIndices=[0], linkJointTypes=[joint_type], linkJointAxis=[axis],
    )  # fmt: skip


@pytest.mark.parametrize("joint_type", [ub.JOINT_REVOLUTE, ub.JOINT_PRISMATIC, ub.JOINT_FIXED])
def test_names_limits_and_axis_of_made_joints_are_pybullets(joint_type: int) -> None:
    def script(p: Any) -> Any:
        body = _lever(p, (0.0, 2.0, 0.0), joint_type)
        return p.getBodyInfo(body), p.getJointInfo(body, 0)

    theirs, ours = plain(script)
    assert ours == theirs


@pytest.mark.parametrize("axis", [(0.0, 1.0, 0.0), (0.0, 2.0, 0.0), (0.0, 1.0, 1.0)])
@pytest.mark.parametrize("joint_type", [ub.JOINT_REVOLUTE, ub.JOINT_PRISMATIC])
def test_a_made_joint_moves_by_the_length_of_its_axis(
    joint_type: int, axis: tuple[float, float, float]
) -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -10)
        body = _lever(p, axis, joint_type)
        p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, force=0)
        for _ in range(20):
            p.stepSimulation()
        return p.getJointState(body, 0)[0]

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, rel=2e-3)  # of one step in 20: damping acts after it


def test_orientations_of_joints_and_inertial_frames_have_bullets_sign() -> None:
    draw = np.random.default_rng(7)
    turns = draw.normal(size=(20, 3, 4))
    turns /= np.linalg.norm(turns, axis=2, keepdims=True)
    places = draw.normal(size=(20, 2, 3))

    def script(p: Any) -> Any:
        rows = []
        for (base, link, frame), (place, center) in zip(turns, places, strict=True):
            body = p.createMultiBody(
                1.0, baseInertialFrameOrientation=base.tolist(), linkMasses=[1.0],
                linkCollisionShapeIndices=[-1], linkVisualShapeIndices=[-1],
                linkPositions=[place.tolist()], linkOrientations=[link.tolist()],
                linkInertialFramePositions=[center.tolist()],
                linkInertialFrameOrientations=[frame.tolist()], linkParentIndices=[0],
                linkJointTypes=[p.JOINT_REVOLUTE], linkJointAxis=[(0, 0, 1)],
            )  # fmt: skip
            rows += [p.getJointInfo(body, 0)[15], p.getDynamicsInfo(body, 0)[4]]
            rows.append(p.getDynamicsInfo(body, -1)[4])
        return rows

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ALGEBRA)
