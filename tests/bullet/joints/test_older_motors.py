"""setJointMotorControl, which setJointMotorControl2 has replaced."""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.bullet.paired import SIDES
from tests.support.duo import DATA, both, connected

STEPS = 60
JOINT = 3
# Measured: motors with a velocity gain below 1 differ by 2 % of the way, the others by less.
SOFT = 4e-3  # rad
FORMS = [
    ("POSITION_CONTROL", 0.4),
    ("POSITION_CONTROL", 0.4, 150.0),
    ("POSITION_CONTROL", 0.4, 150.0, 0.05),
    ("POSITION_CONTROL", 0.4, 0.2, 150.0, 0.05, 0.5),
    ("VELOCITY_CONTROL", 0.5),
    ("VELOCITY_CONTROL", 0.5, 150.0),
    ("VELOCITY_CONTROL", 0.5, 150.0, 0.5),
    ("VELOCITY_CONTROL", 0.4, 0.2, 150.0, 0.05, 0.5),
    ("TORQUE_CONTROL", 2.0),
]
WRONG = [
    (0, JOINT, pybullet.POSITION_CONTROL),
    (0, JOINT, pybullet.POSITION_CONTROL, 1.0, 2.0, 3.0, 4.0),
    (0, JOINT, pybullet.TORQUE_CONTROL, 1.0, 2.0),
    (0, JOINT, 99, 1.0),
    (0, 99, pybullet.VELOCITY_CONTROL, 1.0),
    (0, JOINT, 99, 0.4, 0.2, 150.0, 0.05, 0.5),
]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_every_form_moves_the_joint_as_in_pybullet(form: Any) -> None:
    def script(p: Any) -> Any:
        p.setAdditionalSearchPath(DATA)
        arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
        mode, *numbers = form
        if mode == "TORQUE_CONTROL":
            p.setJointMotorControl2(arm, JOINT, p.VELOCITY_CONTROL, force=0)
        rows: list[Any] = []
        for _ in range(STEPS):
            p.setJointMotorControl(arm, JOINT, getattr(p, mode), *numbers)
            p.stepSimulation()
            rows.append(p.getJointState(arm, JOINT)[0])
        return rows

    theirs, ours = both(script, converged=True)
    assert abs(theirs[-1]) > 0.01
    np.testing.assert_allclose(ours, theirs, atol=SOFT)


@pytest.mark.parametrize("arguments", WRONG, ids=str)
def test_what_is_no_form_gets_pybullets_message(arguments: Any) -> None:
    messages: list[str] = []
    for module in SIDES:
        with connected(module) as p:
            p.setAdditionalSearchPath(DATA)
            p.loadURDF("kuka_iiwa/model.urdf")
            with pytest.raises(p.error) as raised:
                p.setJointMotorControl(*arguments)
            messages.append(str(raised.value))
    assert messages[0] == messages[1]


def test_it_takes_no_names() -> None:
    with connected(unibody.bullet) as p, pytest.raises(TypeError, match="keyword"):
        p.setJointMotorControl(bodyUniqueId=0, jointIndex=0, controlMode=0, targetPosition=0)


def test_tetrahedra_of_a_rigid_body_are_refused_as_in_pybullet() -> None:
    for module in SIDES:
        with connected(module) as p:
            p.setAdditionalSearchPath(DATA)
            body = p.loadURDF("cube_small.urdf")
            with pytest.raises(p.error, match=r"^getTetraMeshData failed$"):
                p.getTetraMeshData(body)
