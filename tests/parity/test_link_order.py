"""Links keep the order of the file, also where it lists them before their parents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.support.duo import connected

CAR = "racecar/racecar_differential.urdf"  # its rear wheels stand before what they are fixed to
INERTIA = '<inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0" iyz="0"/>'
# The same sums in another order, over 120 steps without contacts.
ROUNDING = 1e-9


def table(p: Any) -> list[tuple[Any, ...]]:
    body = p.loadURDF(CAR, flags=p.URDF_MAINTAIN_LINK_ORDER)
    infos = [p.getJointInfo(body, joint) for joint in range(p.getNumJoints(body))]
    # number, names, type, coordinates' places and parent of each joint
    return [(*info[:5], info[12], info[16]) for info in infos]


def test_links_that_stand_before_their_parents_are_numbered_as_in_pybullet() -> None:
    with connected(pybullet) as p:
        theirs = table(p)
    with connected(unibody.bullet) as p:
        assert table(p) == theirs


def arm(folder: Path) -> str:
    """An arm of three links whose file lists the last one first, after the base."""
    links = "".join(
        f'<link name="{name}"><inertial><mass value="{mass}"/><origin xyz="0.1 0.02 0"/>{INERTIA}'
        '</inertial><collision><geometry><box size="0.3 0.1 0.1"/></geometry></collision></link>'
        for name, mass in (("base", 3), ("hand", 1), ("upper", 2), ("lower", 1.5))
    )
    joints = "".join(
        f'<joint name="to_{child}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0.3 0 0.1" rpy="0.1 0.2 0.3"/><axis xyz="{axis}"/>'
        '<limit lower="-9" upper="9" effort="90" velocity="90"/></joint>'
        for parent, child, kind, axis in (
            ("lower", "hand", "prismatic", "1 0 0"),
            ("base", "upper", "revolute", "0 1 0"),
            ("upper", "lower", "revolute", "0 0 1"),
        )
    )
    file = folder / "arm.urdf"
    file.write_text(f'<robot name="arm">{links}{joints}</robot>')
    return str(file)


def numbers(p: Any, file: str, flags: int, *, fixed: bool) -> dict[str, Any]:
    """What an arm does, and what is computed of it, by the names of its links."""
    p.setGravity(0, 0, -9.81)
    body = p.loadURDF(file, useFixedBase=fixed, flags=flags)
    count = p.getNumJoints(body)
    names = [p.getJointInfo(body, joint)[12].decode() for joint in range(count)]
    start = {"upper": 0.3, "lower": -0.4, "hand": 0.05}
    for joint, name in enumerate(names):
        p.resetJointState(body, joint, start[name], 0.1)
        p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, force=0)
    q = [start[name] for name in names]
    by_name = sorted(range(count), key=names.__getitem__)
    found: dict[str, Any] = {}
    if fixed:
        zero = [0.0] * count
        forces = p.calculateInverseDynamics(body, q, [0.2] * count, [0.3] * count)
        found["forces"] = np.array(forces)[by_name]
        found["mass"] = np.array(p.calculateMassMatrix(body, q))[np.ix_(by_name, by_name)]
        for name in ("hand", "lower"):
            rows = p.calculateJacobian(body, names.index(name), (0.1, 0, 0), q, zero, zero)
            found[f"jacobian of {name}"] = np.array(rows)[:, :, by_name]
        reached = p.calculateInverseKinematics(body, names.index("hand"), (0.7, 0.2, 0.2))
        found["inverse kinematics"] = np.array(reached)[by_name]
    for _ in range(120):
        p.stepSimulation()
    found["base"] = np.array(sum(p.getBasePositionAndOrientation(body), ()))
    for joint, name in enumerate(names):
        found[f"joint of {name}"] = np.array(p.getJointState(body, joint)[:2])
        found[f"link {name}"] = np.array(sum(p.getLinkState(body, joint)[:2], ()))
    return found


@pytest.mark.parametrize("fixed", [True, False])
def test_an_order_does_not_change_what_a_robot_does(tmp_path: Path, fixed: bool) -> None:
    file = arm(tmp_path)
    with connected(unibody.bullet) as p:
        usual = numbers(p, file, 0, fixed=fixed)
        p.resetSimulation()
        kept = numbers(p, file, p.URDF_MAINTAIN_LINK_ORDER, fixed=fixed)
    assert usual.keys() == kept.keys()
    for name, values in usual.items():
        np.testing.assert_allclose(kept[name], values, rtol=ROUNDING, atol=ROUNDING, err_msg=name)


def test_a_link_does_not_collide_with_its_parent_whichever_comes_first(tmp_path: Path) -> None:
    file = arm(tmp_path)
    with connected(unibody.bullet) as p:
        pairs: list[set[frozenset[str]]] = []
        for order in (0, p.URDF_MAINTAIN_LINK_ORDER):
            flags = order | p.URDF_USE_SELF_COLLISION | p.URDF_USE_SELF_COLLISION_EXCLUDE_PARENT
            body = p.loadURDF(file, useFixedBase=True, flags=flags)
            infos = [p.getJointInfo(body, joint) for joint in range(p.getNumJoints(body))]
            names = {-1: "base"} | {info[0]: info[12].decode() for info in infos}
            for joint, name in names.items():
                if name != "base":
                    p.resetJointState(body, joint, -0.25 if name == "hand" else 2.5)
            p.performCollisionDetection()
            found = p.getContactPoints(body, body)
            pairs.append({frozenset((names[c[3]], names[c[4]])) for c in found})
            p.resetSimulation()
    assert pairs[0] == pairs[1]
    assert pairs[0]
    assert not pairs[0] & {frozenset(pair) for pair in (("lower", "hand"), ("upper", "lower"))}


def test_a_robot_with_links_before_their_parents_is_saved_and_read_again(tmp_path: Path) -> None:
    saved = str(tmp_path / "arm.bullet")
    with connected(unibody.bullet) as p:
        p.loadURDF(arm(tmp_path), flags=p.URDF_MAINTAIN_LINK_ORDER)
        before = [p.getJointInfo(0, joint)[12] for joint in range(3)]
        p.saveBullet(saved)
        p.resetSimulation()
        p.loadBullet(saved)
        assert [p.getJointInfo(0, joint)[12] for joint in range(3)] == before
