"""States in files, worlds as scripts, and the vertices of hulls."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.bullet.paired import both
from tests.support.duo import DATA, GRAVITY, connected
from unibody.core.engine.records import rule_table as t

STEPS = 30


@pytest.fixture
def p() -> Iterator[Any]:
    with connected(unibody.bullet) as module:
        yield module


def world(p: Any) -> list[int]:
    """An arm, something that falls, something hung to it, a humanoid and a made box."""
    p.setAdditionalSearchPath(DATA)
    p.setGravity(0, 0, -GRAVITY)
    p.loadURDF("plane.urdf")
    arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    falling = p.loadURDF("cube_small.urdf", (2, 0, 1), globalScaling=2.0)
    hung = p.loadURDF("cube_small.urdf", (2, 0, 1.2))
    p.createConstraint(
        falling, -1, hung, -1, p.JOINT_POINT2POINT, (0, 0, 0), (0, 0, 0.1), (0, 0, -0.1)
    )
    person = p.loadURDF("humanoid/humanoid.urdf", (5, 5, 1), globalScaling=0.25)
    p.resetJointState(arm, 3, 0.4)
    p.resetJointStateMultiDof(person, 1, [0.3, 0, 0, 1])
    made = p.createMultiBody(1, p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1] * 3))
    p.resetBasePositionAndOrientation(made, (9, 0, 1), (0, 0, 0, 1))
    return [arm, falling, hung, person]


def state(p: Any, bodies: list[int]) -> list[Any]:
    numbers: list[Any] = []
    for body in bodies:
        numbers += [*p.getBasePositionAndOrientation(body), *p.getBaseVelocity(body)]
        for joint in range(p.getNumJoints(body)):
            numbers += p.getJointStateMultiDof(body, joint)[:2]
    return numbers


def run(p: Any, bodies: list[int]) -> list[Any]:
    for _ in range(STEPS):
        p.stepSimulation()
    return state(p, bodies)


def test_a_state_goes_through_a_file_with_a_numpy_that_takes_every_keyword_for_an_array(
    p: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def older(file: Any, **arrays: Any) -> None:
        with zipfile.ZipFile(file, "w") as archive:
            for name, array in arrays.items():
                with archive.open(f"{name}.npy", "w") as entry:
                    np.save(entry, np.asarray(array))

    monkeypatch.setattr(np, "savez_compressed", older)
    ball = p.createMultiBody(1, p.createCollisionShape(p.GEOM_SPHERE, radius=0.1))
    p.resetBasePositionAndOrientation(ball, (1, 2, 3), (0, 0, 0, 1))
    p.saveBullet(str(tmp_path / "ball.bullet"))
    p.resetBasePositionAndOrientation(ball, (0, 0, 0), (0, 0, 0, 1))
    p.restoreState(fileName=str(tmp_path / "ball.bullet"))
    assert p.getBasePositionAndOrientation(ball)[0] == (1, 2, 3)


def test_a_state_in_a_file_is_put_back_bit_for_bit(p: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "state.bullet")
    bodies = world(p)
    run(p, bodies)
    assert p.saveBullet(file) is None
    before = run(p, bodies)
    run(p, bodies)
    assert p.restoreState(fileName=file) is None
    assert run(p, bodies) == before


def test_a_state_in_a_file_is_put_back_in_another_world(p: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "state.bullet")
    bodies = world(p)
    run(p, bodies)
    p.saveBullet(file)
    before = state(p, bodies)
    p.resetSimulation()
    world(p)
    p.restoreState(fileName=file)
    assert state(p, bodies) == before


def test_a_state_of_other_bodies_is_refused_and_nothing_changes(p: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "state.bullet")
    bodies = world(p)
    p.saveBullet(file)
    run(p, bodies)
    p.removeBody(bodies[0])
    before = state(p, bodies[1:])
    with pytest.raises(p.error, match="Couldn't restore state"):
        p.restoreState(fileName=file)
    assert state(p, bodies[1:]) == before


def damaged(kind: str, good: bytes) -> bytes:
    """A file that ``saveBullet`` did not write."""
    with np.load(io.BytesIO(good)) as archive:
        values = {name: archive[name] for name in archive.files if name != "bodies.json"}
    match kind:
        case "text":
            return b"not an archive"
        case "cut":
            return good[: len(good) // 2]
        case "missing":
            del values["qpos"]
        case "short":
            values["qpos"] = values["qpos"][:3]
        case "objects":
            values["qpos"] = np.array([{}], dtype=object)
        case "outside":
            values["places"] = values["places"] + 1000
        case "negative":
            values["places"] = -values["places"]
        case "version":
            values["version"] = np.array([99])
        case "gain":
            values["userdata"][t.D_KP] = np.inf
        case "limit":
            values["userdata"][t.D_LIMIT] = -1e300
        case "target":
            values["userdata"][-t.BALL_SIZE + t.S_TARGET] = -1e300
        case _:
            values["xfrc_applied"] = values["xfrc_applied"].ravel()
    out = io.BytesIO()
    np.savez(out, **values)
    return out.getvalue()


@pytest.mark.parametrize(
    "kind",
    ["text", "cut", "missing", "short", "objects", "outside", "negative", "version", "gain",
     "limit", "target", "shape"],
)  # fmt: skip
def test_a_damaged_file_is_refused_and_nothing_changes(p: Any, tmp_path: Path, kind: str) -> None:
    file = tmp_path / "state.bullet"
    bodies = world(p)
    p.saveBullet(str(file))
    run(p, bodies)
    before = state(p, bodies)
    file.write_bytes(damaged(kind, file.read_bytes()))
    with pytest.raises(p.error, match="Couldn't restore state"):
        p.restoreState(fileName=str(file))
    assert state(p, bodies) == before


def test_a_bomb_is_not_unpacked(p: Any, tmp_path: Path) -> None:
    file = tmp_path / "state.bullet"
    world(p)
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("qpos.npy", "w", force_zip64=True) as entry,
    ):
        for _ in range(65):
            entry.write(bytes(1 << 24))
    with pytest.raises(p.error, match="larger than"):
        p.restoreState(fileName=str(file))


def test_a_saved_world_is_a_script_that_makes_it_again(
    p: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "world.py"
    bodies = world(p)
    run(p, bodies)
    before = [(*p.getBasePositionAndOrientation(body), p.getNumJoints(body)) for body in bodies]
    pose = p.getJointStateMultiDof(bodies[3], 1)[0]
    assert p.saveWorld(str(file)) is None
    assert "made of shapes" in capsys.readouterr().err
    p.resetSimulation()
    text = file.read_text()
    assert text.startswith("import pybullet as p\n")
    body = text.partition("bodies = {}")[2].rpartition("p.stepSimulation()")[0]
    names: dict[str, Any] = {"p": p, "bodies": {}}
    exec(body, names)
    found = [names["bodies"][number] for number in bodies]
    after = [(*p.getBasePositionAndOrientation(body), p.getNumJoints(body)) for body in found]
    for theirs, ours in zip(before, after, strict=True):
        assert ours[2] == theirs[2]
        np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(ours[1], theirs[1], rtol=0, atol=1e-9)
    assert p.getJointStateMultiDof(found[3], 1)[0] == pytest.approx(pose)
    assert p.getJointState(found[0], 3)[0] == pytest.approx(0.4, abs=0.05)
    assert p.getNumConstraints() == 1


@pytest.mark.parametrize("call", ["saveWorld", "saveBullet"])
def test_a_file_that_cannot_be_written_is_an_error(p: Any, tmp_path: Path, call: str) -> None:
    with pytest.raises(p.error):
        getattr(p, call)(str(tmp_path / "none" / "file"))


SHAPES: dict[str, Any] = {
    "a sphere": lambda p: p.createMultiBody(1, p.createCollisionShape(p.GEOM_SPHERE)),
    "a mesh": lambda p: p.createMultiBody(
        1, p.createCollisionShape(p.GEOM_MESH, fileName="duck_vhacd.obj", meshScale=[2, 2, 2])
    ),
    "a concave mesh": lambda p: p.createMultiBody(
        0,
        p.createCollisionShape(
            p.GEOM_MESH, fileName="duck.obj", flags=p.GEOM_FORCE_CONCAVE_TRIMESH
        ),
    ),
    "points": lambda p: p.createMultiBody(
        1,
        p.createCollisionShape(
            p.GEOM_MESH, vertices=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]]
        ),
    ),
    "a cylinder of a file": lambda p: p.loadURDF("r2d2.urdf"),
    "an arm": lambda p: p.loadURDF("kuka_iiwa/model.urdf"),
}


@pytest.mark.parametrize("make", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("link", [-1, 3])
def test_the_vertices_of_a_hull_are_where_pybullets_are(make: Any, link: int) -> None:
    def play(p: Any) -> Any:
        p.setAdditionalSearchPath(DATA)
        body = make(p)
        if link >= p.getNumJoints(body):
            return None
        count, vertices = p.getMeshData(body, link)
        assert count == len(vertices)
        return np.array(vertices).reshape(-1, 3)

    theirs, ours = both(play)
    if theirs is None:
        return
    assert (len(ours) == 0) == (len(theirs) == 0)
    if len(theirs):
        # Bullet writes them in single precision, and approximates hulls of many vertices
        np.testing.assert_allclose(ours.min(axis=0), theirs.min(axis=0), rtol=0, atol=2e-3)
        np.testing.assert_allclose(ours.max(axis=0), theirs.max(axis=0), rtol=0, atol=2e-3)


def test_what_has_no_mesh_is_refused(p: Any) -> None:
    body = p.createMultiBody(1, p.createCollisionShape(p.GEOM_SPHERE))
    with pytest.raises(p.error, match=r"^getMeshData failed$"):
        p.getMeshData(99)
    with pytest.raises(p.error, match=r"^resetMeshData failed$"):
        p.resetMeshData(body, [(0, 0, 0)])


def test_a_saved_state_with_an_array_whose_head_does_not_end_is_refused(tmp_path: Path) -> None:
    p = unibody.bullet
    client = p.connect(p.DIRECT)
    file = tmp_path / "state.bullet"
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': ((1L,\n"  # NumPy splits it in words
    array = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("qpos.npy", array)
    try:
        with pytest.raises(p.error, match="not a saved state"):
            p.restoreState(fileName=str(file), physicsClientId=client)
    finally:
        p.disconnect(client)
