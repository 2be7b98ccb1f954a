"""Contacts that press along a direction in which nothing can move, against PyBullet."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.duo import both


@pytest.mark.parametrize("depth", [0.0, 1e-3, 1e-2])
def test_a_blade_turns_along_a_wall_that_it_touches(depth: float) -> None:
    def script(p: Any) -> list[list[float]]:
        post = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.02, 0.02, 0.02])
        blade = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.01, 0.4, 0.05])
        mill = p.createMultiBody(
            0,
            post,
            linkMasses=[1],
            linkCollisionShapeIndices=[blade],
            linkVisualShapeIndices=[-1],
            linkPositions=[[0.1, 0, 0]],
            linkOrientations=[[0, 0, 0, 1]],
            linkInertialFramePositions=[[0, 0, 0]],
            linkInertialFrameOrientations=[[0, 0, 0, 1]],
            linkParentIndices=[0],
            linkJointTypes=[p.JOINT_REVOLUTE],
            linkJointAxis=[[1, 0, 0]],
        )
        wall = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.05, 1, 1])
        p.createMultiBody(0, wall, basePosition=[0.16 - depth, 0, 0])
        p.setJointMotorControl2(mill, 0, p.VELOCITY_CONTROL, force=0)
        p.resetJointState(mill, 0, 0.1, 5.0)
        rows: list[list[float]] = []
        for _ in range(100):
            p.stepSimulation()
            pushes = [contact[9] for contact in p.getContactPoints(mill)]
            rows.append([*p.getJointState(mill, 0)[:2], max(pushes, default=0.0)])
        return rows

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=1e-6)  # no contact has a force on either
