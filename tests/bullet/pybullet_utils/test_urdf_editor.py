"""Robots described, saved, joined and made again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pybullet_data
import pytest

import unibody.bullet as p
from unibody.bullet.pybullet_utils.bullet_client import BulletClient
from unibody.bullet.pybullet_utils.urdfEditor import UrdfEditor, UrdfLink


@pytest.fixture
def client() -> Iterator[BulletClient]:
    found = BulletClient(p.DIRECT)
    found.setAdditionalSearchPath(pybullet_data.getDataPath())
    yield found
    found.disconnect()


def edited(client: BulletClient, body: int) -> UrdfEditor:
    editor = UrdfEditor()
    editor.initializeFromBulletBody(body, client._client)
    return editor


def posture(client: BulletClient, body: int, names: set[bytes]) -> dict[bytes, Any]:
    """Link frames and masses by link name, with every joint at an angle of its own."""
    for joint in range(client.getNumJoints(body)):
        client.resetJointState(body, joint, 0.1 + 0.05 * joint)
    return {
        client.getJointInfo(body, joint)[12]: (
            *client.getLinkState(body, joint)[4],
            *client.getMatrixFromQuaternion(client.getLinkState(body, joint)[5]),
            *client.getLinkState(body, joint)[0],
            client.getDynamicsInfo(body, joint)[0],
        )
        for joint in range(client.getNumJoints(body))
        if client.getJointInfo(body, joint)[12] in names or not names
    }


HULLS_ARE_NO_FILES = p.URDF_USE_IMPLICIT_CYLINDER
ROBOTS = ["kuka_iiwa/model.urdf", "r2d2.urdf", "husky/husky.urdf", "franka_panda/panda.urdf"]


@pytest.mark.parametrize("file", ROBOTS)
def test_a_saved_robot_is_the_robot(client: BulletClient, tmp_path: Path, file: str) -> None:
    body = client.loadURDF(file, flags=HULLS_ARE_NO_FILES)
    path = str(tmp_path / "saved.urdf")
    edited(client, body).saveUrdf(path)
    again = client.loadURDF(path, flags=HULLS_ARE_NO_FILES)
    assert client.getNumJoints(again) == client.getNumJoints(body)
    wanted, found = posture(client, body, set()), posture(client, again, set())
    assert list(found) == list(wanted)
    # nine digits in the file, angles of up to pi, arms of a few metres
    np.testing.assert_allclose(list(found.values()), list(wanted.values()), atol=1e-6)
    for joint in range(-1, client.getNumJoints(body)):
        np.testing.assert_allclose(
            client.getDynamicsInfo(again, joint)[2], client.getDynamicsInfo(body, joint)[2],
            rtol=1e-6, atol=1e-12,
        )  # fmt: skip
        assert [r[2] for r in client.getCollisionShapeData(again, joint)] == [
            r[2] for r in client.getCollisionShapeData(body, joint)
        ]


@pytest.mark.parametrize("file", ROBOTS[:2])
def test_a_robot_that_is_made_again_is_the_robot(client: BulletClient, file: str) -> None:
    body = client.loadURDF(file, flags=HULLS_ARE_NO_FILES)
    again = edited(client, body).createMultiBody(physicsClientId=client._client)
    wanted, found = posture(client, body, set()), posture(client, again, set())
    # links have other names, and fixed joints no limits, but they stand where they stood
    np.testing.assert_allclose(list(found.values()), list(wanted.values()), atol=1e-6)


def test_a_robot_joined_to_another_moves_with_it(client: BulletClient, tmp_path: Path) -> None:
    base = edited(client, client.loadURDF("husky/husky.urdf", flags=HULLS_ARE_NO_FILES))
    arm = edited(client, client.loadURDF("kuka_iiwa/model.urdf"))
    names = {link.link_name.encode() for link in arm.urdfLinks}
    joint = base.joinUrdf(arm, 0, [0, 0, 0.5], [0, 0, 0.3], [0.1, 0, 0], [0, 0.2, 0])
    joint.joint_type = p.JOINT_FIXED
    path = str(tmp_path / "joined.urdf")
    base.saveUrdf(path)
    body = client.loadURDF(path, flags=HULLS_ARE_NO_FILES)
    infos = [client.getJointInfo(body, i) for i in range(client.getNumJoints(body))]
    (between,) = [i for i, info in enumerate(infos) if info[1] == b"joint_dummy1"]
    # the base frame of the arm is put where its pivot meets that of the parent
    pivot = p.multiplyTransforms(
        [0, 0, 0.5], p.getQuaternionFromEuler([0, 0, 0.3]), [0, 0, 0], [0, 0, 0, 1]
    )
    here = client.getBasePositionAndOrientation(body)
    com = client.getDynamicsInfo(body, -1)
    frame = p.multiplyTransforms(*here, *p.invertTransform(com[3], com[4]))
    wanted = p.multiplyTransforms(*frame, *pivot)
    np.testing.assert_allclose(client.getLinkState(body, between)[4], wanted[0], atol=1e-6)
    alone = client.loadURDF("kuka_iiwa/model.urdf")
    assert len(posture(client, body, names)) == len(names)
    first, second = (
        posture(client, number, {b"lbr_iiwa_link_7"})[b"lbr_iiwa_link_7"][-1]
        for number in (body, alone)
    )
    assert first == second  # its mass


def test_robots_with_links_of_one_name_are_not_joined(client: BulletClient) -> None:
    arm = client.loadURDF("kuka_iiwa/model.urdf")
    with pytest.raises(p.error, match=r"both robots have links called \['lbr_iiwa_link_0'"):
        edited(client, arm).joinUrdf(edited(client, arm))
    with pytest.raises(p.error, match="no links"):
        edited(client, arm).joinUrdf(UrdfEditor())


def test_names_are_written_as_xml(client: BulletClient, tmp_path: Path) -> None:
    editor = UrdfEditor()
    editor.robotName = 'a "robot" <&>'
    editor.urdfLinks.append(UrdfLink(link_name="<link>"))
    path = str(tmp_path / "odd.urdf")
    editor.saveUrdf(path)
    body = client.loadURDF(path, flags=HULLS_ARE_NO_FILES)
    assert client.getBodyInfo(body) == (b"<link>", b'a "robot" <&>')


def test_nothing_makes_no_body() -> None:
    assert UrdfEditor().createMultiBody() == -1
