"""saveBullet and loadBullet: worlds in files."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import DATA, GRAVITY, connected

STEPS = 20
# The bodies are described anew: inertias are diagonalised again, and no solver is bit for bit.
SAME = 1e-5  # m


@pytest.fixture
def p() -> Iterator[Any]:
    with connected(unibody.bullet) as module:
        module.setAdditionalSearchPath(DATA)
        module.setGravity(0, 0, -GRAVITY)
        yield module


def fill(p: Any) -> None:
    """Files, made shapes, a scaled base, changed dynamics, motors and constraints."""
    p.loadURDF("plane.urdf")
    arm = p.loadURDF("kuka_iiwa/model.urdf", (3, 0, 0), useFixedBase=True)
    box = p.loadURDF("cube_small.urdf", (1, 0, 1))
    p.changeDynamics(box, -1, mass=2.0, lateralFriction=0.3, linearDamping=0.1, restitution=0.4)
    p.unsupportedChangeScaling(box, (2, 2, 1.5))
    hung = p.createMultiBody(
        0.5, p.createCollisionShape(p.GEOM_CAPSULE, radius=0.05, height=0.2), -1, (1, 0, 1.4),
        baseInertialFramePosition=(0, 0, 0.02),
    )  # fmt: skip
    p.createConstraint(box, -1, hung, -1, p.JOINT_POINT2POINT, (0, 0, 0), (0, 0, 0.2), (0, 0, -0.2))
    held = p.createConstraint(
        box, -1, -1, -1, p.JOINT_POINT2POINT, (0, 0, 0), (0.02, 0, 0), (1, 0, 1.1)
    )
    p.changeConstraint(held, maxForce=15)
    person = p.loadURDF("humanoid/humanoid.urdf", (5, 5, 1), globalScaling=0.25)
    p.resetJointStateMultiDof(person, 1, [0.3, 0, 0, 1])
    p.changeDynamics(arm, 2, jointLowerLimit=-0.2, jointUpperLimit=0.2)
    p.setJointMotorControlArray(arm, range(7), p.POSITION_CONTROL, [0.1, 0.2, 0.3, 0.4, 0, 0, 0])


def state(p: Any) -> list[Any]:
    numbers: list[Any] = []
    for i in range(p.getNumBodies()):
        body = p.getBodyUniqueId(i)
        numbers += [p.getBasePositionAndOrientation(body), p.getBaseVelocity(body), p.getAABB(body)]
        numbers += [p.getDynamicsInfo(body, -1), p.getBodyInfo(body)]
        numbers += [
            (p.getJointStateMultiDof(body, joint)[:2], p.getJointInfo(body, joint))
            for joint in range(p.getNumJoints(body))
        ]
    numbers += [p.getConstraintInfo(p.getConstraintUniqueId(i)) for i in range(2)]
    return numbers


def run(p: Any) -> Any:
    for _ in range(STEPS):
        p.stepSimulation()
    return np.array([p.getBasePositionAndOrientation(body)[0] for body in range(p.getNumBodies())])


def test_a_world_comes_back_from_a_file_and_goes_on_as_it_would_have(
    p: Any, tmp_path: Path
) -> None:
    file = str(tmp_path / "world.bullet")
    fill(p)
    run(p)
    p.saveBullet(file)
    before = state(p)
    after = run(p)
    p.resetSimulation()
    p.setGravity(0, 0, -GRAVITY)
    assert p.loadBullet(file) == (0, 1, 2, 3, 4)
    assert state(p) == before
    np.testing.assert_allclose(run(p), after, atol=SAME)


def test_bodies_of_a_file_join_those_that_are_there(p: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "box.bullet")
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1] * 3)
    p.createMultiBody(1, shape, -1, (0, 0, 1))
    p.resetBaseVelocity(0, (1, 2, 3))
    p.saveBullet(file)
    p.resetBasePositionAndOrientation(0, (5, 5, 5), (0, 0, 0, 1))
    assert p.loadBullet(file) == (1,)
    assert p.getBasePositionAndOrientation(0)[0] == (5, 5, 5)
    assert p.getBasePositionAndOrientation(1)[0] == (0, 0, 1)
    assert p.getBaseVelocity(1)[0] == (1, 2, 3)


def damaged(file: Path, kind: str) -> None:
    """Replace a file by one that ``saveBullet`` does not write."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    saved = json.loads(parts["bodies.json"])
    body = saved["bodies"][-1]
    match kind:
        case "no bodies":
            del parts["bodies.json"]
        case "no json":
            parts["bodies.json"] = b"{"
        case "deep":
            parts["bodies.json"] = b"[" * 200_000
        case "other field":
            body["asset"]["links"][0]["__class__"] = "os.system"
        case "parent":
            body["asset"]["links"][-1]["parent"] = 99
        case "links":
            body["links"].pop()
        case "type":
            body["asset"]["name"] = ["a"]
        case "mass":
            body["asset"]["links"][-1]["inertial"]["mass"] = float("nan")
        case "id":
            body["id"] = 77
        case _:
            saved["constraints"][0]["child"] = 55
    if kind not in ("no bodies", "no json", "deep"):
        parts["bodies.json"] = json.dumps(saved).encode()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    "kind",
    ["no bodies", "no json", "deep", "other field", "parent", "links", "type", "mass", "id",
     "constraint"],
)  # fmt: skip
def test_a_damaged_file_is_refused_and_nothing_changes(p: Any, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "world.bullet"
    fill(p)
    p.saveBullet(str(file))
    damaged(file, kind)
    before = state(p)
    with pytest.raises(p.error, match=r"Couldn't load \.bullet file"):
        p.loadBullet(str(file))
    assert state(p) == before
    assert (p.getNumBodies(), p.getNumConstraints()) == (5, 2)


def test_a_file_that_is_not_there_is_an_error(p: Any, tmp_path: Path) -> None:
    with pytest.raises(p.error, match="there is no file"):
        p.loadBullet(str(tmp_path / "nothing.bullet"))


def test_a_file_of_bullet_is_an_error(p: Any, tmp_path: Path) -> None:
    file = tmp_path / "bullet.bullet"
    file.write_bytes(b"BULLETd_v325" + bytes(200))
    with pytest.raises(p.error, match="Couldn't load"):
        p.loadBullet(str(file))
