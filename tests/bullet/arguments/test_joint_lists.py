"""Which lists of joints calls take: what PyBullet takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet_data
import pytest

from tests.bullet.paired import both


def _views(joints: list[int]) -> list[Any]:
    return [dict(enumerate(joints)).values(), dict.fromkeys(joints).keys(), set(joints)]


@pytest.mark.parametrize("kind", range(3))
def test_joints_can_be_views_of_a_dict_or_a_set_as_in_pybullet(kind: int) -> None:
    def script(p: Any) -> Any:
        p.setAdditionalSearchPath(pybullet_data.getDataPath())
        body = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
        joints, targets = _views([0, 1, 2])[kind], [0.1, 0.2, 0.3]
        for _ in range(2):  # the second time its motors are only told new targets
            p.setJointMotorControlArray(body, joints, p.POSITION_CONTROL, targetPositions=targets)
            p.setJointMotorControlMultiDofArray(
                body, joints, p.POSITION_CONTROL, targetPositions=[[x] for x in targets]
            )
            p.stepSimulation()
        states = p.getJointStates(body, joints), p.getJointStatesMultiDof(body, joints)
        links = p.getLinkStates(body, joints)
        return [state[0] for state in states[0]], [state[0] for state in states[1]], links[2][0]

    theirs, ours = both(script)
    for one, other in zip(theirs, ours, strict=True):
        np.testing.assert_allclose(np.array(other), np.array(one), rtol=0, atol=1e-5)


def test_a_dict_is_no_list_of_joints_as_in_pybullet() -> None:
    def script(p: Any) -> bool:
        p.setAdditionalSearchPath(pybullet_data.getDataPath())
        body = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
        try:
            p.setJointMotorControlArray(
                body, {0: 0, 1: 1}, p.POSITION_CONTROL, targetPositions=[0.1, 0.2]
            )
        except p.error:
            return True
        return False

    assert both(script) == (True, True)
