"""Files that are damaged, or no files at all, are refused by their name."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import unibody.bullet as p
from unibody.core.assets.mesh import hull as mesh_hull

OBJ = "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n"


@pytest.fixture(autouse=True)
def world() -> Iterator[None]:
    p.connect(p.DIRECT)
    yield
    p.disconnect()


def _png(folder: Path, side: int) -> Path:
    file = folder / "field.png"
    Image.fromarray(np.zeros((side, side), np.uint8)).save(file)
    return file


def test_a_picture_of_more_heights_than_the_limit_is_refused_before_it_is_unpacked(
    tmp_path: Path,
) -> None:
    file = _png(tmp_path, 2049)
    with pytest.raises(p.error, match=rf"{file}: 2049 x 2049 heights, the limit is 4194304"):
        p.createCollisionShape(p.GEOM_HEIGHTFIELD, fileName=str(file))


def test_a_picture_without_its_first_chunk_is_refused_by_name(tmp_path: Path) -> None:
    file = _png(tmp_path, 4)
    data = file.read_bytes()
    file.write_bytes(data[:16] + b"\x00\x00\x00\x00" + data[20:])
    with pytest.raises(p.error, match=f"{file}: not a readable image"):
        p.createCollisionShape(p.GEOM_HEIGHTFIELD, fileName=str(file))


def test_a_picture_of_one_row_is_refused_by_name(tmp_path: Path) -> None:
    file = _png(tmp_path, 1)
    with pytest.raises(p.error, match=f"{file}: 1 x 1 pixels; at least 2 x 2 are needed"):
        p.createCollisionShape(p.GEOM_HEIGHTFIELD, fileName=str(file))


@pytest.mark.parametrize("height", ["nan", "inf", "1e11"])
def test_a_height_that_is_not_finite_is_refused_with_its_line(tmp_path: Path, height: str) -> None:
    file = tmp_path / "field.csv"
    file.write_text(f"0,1\n2,{height}\n")
    with pytest.raises(p.error, match=f"{file}: line 2: a height beyond 1e"):
        p.createCollisionShape(p.GEOM_HEIGHTFIELD, fileName=str(file))


def test_a_mesh_without_a_hull_is_refused_by_the_name_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "point.obj"
    file.write_text(OBJ)
    with pytest.raises(p.error, match=f"{file}: all vertices are at"):
        p.createCollisionShape(p.GEOM_MESH, fileName=str(file))


def test_a_mesh_that_has_no_hull_once_it_is_widened_is_refused_by_the_name_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("qhull error")

    file = tmp_path / "corner.obj"
    # The tip is sharp, so that the widened hull is not that of as many vertices.
    file.write_text("v 0 0 0\nv 1 0.01 0\nv 1 -0.01 0\nv 1 0 0.013\nf 1 2 3\n")
    shape = p.createCollisionShape(p.GEOM_MESH, fileName=str(file))
    monkeypatch.setattr(mesh_hull, "_mujoco_hull", refuse)
    with pytest.raises(p.error, match=f"{file}: has no convex hull: qhull error"):
        p.createMultiBody(1, shape)


def test_a_mesh_whose_inertia_is_too_large_is_refused_by_the_name_of_its_file(
    tmp_path: Path,
) -> None:
    file = tmp_path / "large.obj"
    file.write_text("v 0 0 0\nv 1e6 0 0\nv 0 1e6 0\nv 0 0 1e6\nf 1 2 3\n")
    shape = p.createCollisionShape(p.GEOM_MESH, fileName=str(file))
    with pytest.raises(p.error, match=f"{file}: link 'link0': .* at most 1e"):
        p.createMultiBody(1, shape)


def test_a_size_that_is_not_positive_is_refused_by_the_name_of_the_file(tmp_path: Path) -> None:
    model = (
        "<worldbody><body><joint type='free'/><geom type='sphere' size='-1'/></body></worldbody>"
    )
    link = "<link name='a'><collision><geometry><sphere radius='-1'/></geometry></collision></link>"
    for name, text, load in (
        ("ball.xml", f"<mujoco>{model}</mujoco>", p.loadMJCF),
        ("ball.urdf", f"<robot name='ball'>{link}</robot>", p.loadURDF),
    ):
        file = tmp_path / name
        file.write_text(text)
        with pytest.raises(p.error, match=str(file)):
            load(str(file))


def _saved(folder: Path, change: Callable[[str, bytes], tuple[str, bytes]]) -> str:
    """A saved world of a ball whose parts were changed."""
    file = folder / "world.bullet"
    p.createMultiBody(1, p.createCollisionShape(p.GEOM_SPHERE, radius=0.1))
    p.saveBullet(str(file))
    with zipfile.ZipFile(file) as archive:
        parts = [change(item.filename, archive.read(item)) for item in archive.infolist()]
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return str(file)


def _with_nan(name: str, content: bytes) -> tuple[str, bytes]:
    if name != "qpos.npy":
        return name, content
    array = np.load(io.BytesIO(content))
    array[0] = np.nan
    stream = io.BytesIO()
    np.save(stream, array)
    return name, stream.getvalue()


CHANGES = {
    "qpos has a number beyond": _with_nan,
    "not a saved state: the magic string": lambda name, content: (
        name, content if name != "qvel.npy" else b"x" * len(content)
    ),
    r"not a saved state: an array of shape \(99,\)": lambda name, content: (
        name, content.replace(b"(1,)", b"(99,)").replace(b"}  ", b"} ", 1)
        if name == "time.npy" else content
    ),
}  # fmt: skip


@pytest.mark.parametrize("said", CHANGES)
@pytest.mark.parametrize("load", ["loadBullet", "restoreState"])
def test_a_saved_world_with_a_damaged_array_is_refused_by_name(
    tmp_path: Path, said: str, load: str
) -> None:
    file = _saved(tmp_path, CHANGES[said])
    call = p.loadBullet if load == "loadBullet" else p.restoreState
    with pytest.raises(p.error, match=f"{file}: {said}"):
        call(**{"bulletFileName" if load == "loadBullet" else "fileName": file})
    p.stepSimulation()
    assert p.getNumBodies() == 1


def test_a_saved_world_of_bodies_that_are_not_there_is_refused_by_name(tmp_path: Path) -> None:
    file = _saved(tmp_path, lambda name, content: (name, content))
    p.resetSimulation()
    with pytest.raises(p.error, match=f"{file}: body 0 of the saved state is not in the world"):
        p.restoreState(fileName=file)


def test_pipes_are_refused_in_place_of_saved_worlds_and_records(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(p.error, match=r"pipe: .*not a file"):
        p.restoreState(fileName=str(pipe))
    with pytest.raises(p.error, match=r"pipe: .*not a file"):
        p.startStateLogging(p.STATE_REPLAY_ALL_COMMANDS, str(pipe))
