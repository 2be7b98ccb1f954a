"""Several clients at once, each behind an object of its own."""

from __future__ import annotations

import gc

import pytest

from unibody import bullet
from unibody.bullet.pybullet_utils.bullet_client import BulletClient
from unibody.sample_assets import getDataPath


def falling(gravity: float) -> tuple[BulletClient, int]:
    client = BulletClient(bullet.DIRECT)
    client.setAdditionalSearchPath(getDataPath())
    client.setGravity(0, 0, gravity)
    return client, client.loadURDF("cube_small.urdf", [0, 0, 1])


def test_every_call_on_a_client_reaches_that_client() -> None:
    first, cube_of_first = falling(-10.0)
    second, cube_of_second = falling(+10.0)
    for _ in range(10):
        first.stepSimulation()
        second.stepSimulation()
    second.loadURDF("plane.urdf")
    assert (first.getNumBodies(), second.getNumBodies()) == (1, 2)
    below = first.getBasePositionAndOrientation(cube_of_first)[0][2]
    above = second.getBasePositionAndOrientation(cube_of_second)[0][2]
    assert below < 1.0 < above
    first.disconnect()
    second.disconnect()


def test_constants_and_pure_functions_are_there_too() -> None:
    client = BulletClient(bullet.DIRECT)
    assert client.JOINT_REVOLUTE == bullet.JOINT_REVOLUTE
    assert client.getQuaternionFromEuler([0, 0, 0]) == (0.0, 0.0, 0.0, 1.0)
    with pytest.raises(AttributeError, match="noSuchFunction"):
        client.noSuchFunction()
    client.disconnect()


def test_a_client_that_is_gone_refuses_even_where_another_got_its_number() -> None:
    gone = BulletClient(bullet.DIRECT)
    gone.getNumBodies()
    number = gone._client
    gone.disconnect()
    successor = BulletClient(bullet.DIRECT)
    assert successor._client == number, "no number was reused: this test shows nothing"
    with pytest.raises(bullet.error):
        gone.getNumBodies()
    assert successor.getNumBodies() == 0
    successor.disconnect()


def test_without_a_mode_a_client_falls_back_to_direct() -> None:
    client = BulletClient()
    assert client.isConnected()
    assert client.getConnectionInfo()["connectionMethod"] == bullet.DIRECT
    client.disconnect()


def test_an_object_that_is_forgotten_gives_its_client_back() -> None:
    client = BulletClient(bullet.DIRECT)
    number = client._client
    client.getNumBodies()
    del client
    gc.collect()
    assert not bullet.isConnected(number)
