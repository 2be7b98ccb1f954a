"""Joints whose axis is stated longer than one move as in PyBullet, which does not shorten it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.duo import base_state, both

MJCF = """<mujoco><worldbody><body name="a" pos="0 0 1"><geom type="sphere" size=".2"/>
<body name="b"><joint name="j" type="{}" axis="{}"/>
<geom type="sphere" size=".3" pos="0.3 0 0"/></body></body></worldbody></mujoco>"""
INERTIA = """<inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"""
URDF = f"""<robot name="r"><link name="a">{INERTIA}</link><link name="b">{INERTIA}</link>
<joint name="j" type="{{}}"><parent link="a"/><child link="b"/><axis xyz="{{}}"/>
<limit lower="-10" upper="10" effort="100" velocity="10"/></joint></robot>"""
# Two ways to solve the same linear equations in double precision, 20 steps.
ROUNDING = 1e-8


def _pushed(path: Path) -> Any:
    def script(p: Any) -> np.ndarray:
        file = str(path)
        mjcf = file.endswith(".xml")
        body = p.loadMJCF(file)[0] if mjcf else p.loadURDF(file, useFixedBase=True)
        joint = p.getNumJoints(body) - 1
        p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, force=0)
        p.setTimeStep(0.01)
        for _ in range(20):
            p.setJointMotorControl2(body, joint, p.TORQUE_CONTROL, force=0.5)
            p.stepSimulation()
        link = p.getLinkState(body, joint, computeLinkVelocity=1)
        state = p.getJointState(body, joint)[:2]
        axis = p.getJointInfo(body, joint)[13]
        return np.array([*axis, *state, *link[6], *link[7], *base_state(p, body)])

    return script


@pytest.mark.parametrize("axis", ["0 0 2", "-1 1 0", "0 0.25 0"])
@pytest.mark.parametrize(
    ("text", "kind", "suffix"),
    [
        (MJCF, "hinge", "xml"),
        (MJCF, "slide", "xml"),
        (URDF, "continuous", "urdf"),
        (URDF, "prismatic", "urdf"),
    ],
)
def test_a_push_moves_a_joint_with_a_long_axis_as_in_pybullet(
    tmp_path: Path, text: str, kind: str, suffix: str, axis: str
) -> None:
    path = tmp_path / f"model.{suffix}"
    path.write_text(text.format(kind, axis))
    theirs, ours = both(_pushed(path))
    assert ours == pytest.approx(theirs, abs=ROUNDING, rel=ROUNDING)


def test_an_ant_under_torques_flies_as_in_pybullet() -> None:
    def script(p: Any) -> list[list[float]]:
        ant = p.loadMJCF("mjcf/ant.xml")[0]
        p.resetBasePositionAndOrientation(ant, (0, 0, 5), (0, 0, 0, 1))
        joints = [j for j in range(p.getNumJoints(ant)) if p.getJointInfo(ant, j)[2] == 0]
        for joint in joints:
            p.setJointMotorControl2(ant, joint, p.VELOCITY_CONTROL, force=0)
        rows: list[list[float]] = []
        for step in range(60):
            for number, joint in enumerate(joints):
                torque = 20.0 * np.sin(0.3 * step + number)
                p.setJointMotorControl2(ant, joint, p.TORQUE_CONTROL, force=torque)
            p.stepSimulation()
            rows.append([s[0] for s in p.getJointStates(ant, joints)] + base_state(p, ant))
        return rows

    theirs, ours = both(script, converged=True)
    # Its ankles start outside of their limits, which both hold softly.
    assert np.array(ours) == pytest.approx(np.array(theirs), abs=2e-3)
