"""Meshes that are kept on the disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unibody.core.assets.description import MeshSource
from unibody.core.assets.mesh import hull as mesh_hull
from unibody.core.assets.mesh import load as meshes
from unibody.core.assets.mesh import store as mesh_store
from unibody.core.assets.mesh.store import store_meshes, stored_meshes
from unibody.core.assets.mesh.types import TriMesh

OBJ = """
o first
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 0 1
f 1/1 3/3 2/2
f 1/1 2/2 4/3
o second
usemtl red
f 2 3 4
f 1 4 3
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "unibody"


def example() -> list[TriMesh]:
    numbers = np.random.default_rng(3)
    faces = numbers.integers(0, 7, (5, 3)).astype(np.int32)
    full = TriMesh(
        numbers.normal(size=(7, 3)), faces, numbers.random((7, 2)), numbers.normal(size=(7, 3)),
        "näme", "material",
    )  # fmt: skip
    return [full, TriMesh(numbers.normal(size=(4, 3)), np.zeros((0, 3), np.int32))]


def same(first: TriMesh, second: TriMesh) -> bool:
    named = (first.name, first.material) == (second.name, second.material)
    return named and first.key == second.key


def test_meshes_come_back_bit_for_bit() -> None:
    store_meshes("some", "key", example())
    found = stored_meshes("some", "key")
    assert found is not None
    assert all(map(same, found, example()))
    assert len(found) == 2
    assert found[0].vertices.flags.writeable  # compiled functions tell such arrays from others


def test_what_was_not_stored_is_not_found() -> None:
    store_meshes("some", "key", example())
    assert stored_meshes("some", "other") is None
    assert stored_meshes("other", "key") is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(data=st.data())
def test_a_damaged_file_counts_as_none(folder: Path, data: st.DataObject) -> None:
    store_meshes("some", "key", example())
    (file,) = (folder / "some").iterdir()
    content = bytearray(file.read_bytes())
    if data.draw(st.booleans()):
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    else:
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    file.write_bytes(content)
    assert stored_meshes("some", "key") is None


def test_a_mesh_that_is_too_large_is_not_stored(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mesh_store, "_MOST_BYTES", 100)
    store_meshes("some", "key", example())
    assert not folder.exists()


def read_again(file: Path) -> list[TriMesh]:
    meshes._cache.clear()
    meshes._scaled.clear()
    return meshes.load_mesh(MeshSource(str(file)))


def test_a_file_is_read_as_it_was_before_until_its_content_changes(tmp_path: Path) -> None:
    file = tmp_path / "mesh.obj"
    file.write_text(OBJ)
    fresh = read_again(file)
    stored = read_again(file)
    assert all(map(same, fresh, stored))
    assert [mesh.name for mesh in stored] == ["first", "second"]
    file.write_text(OBJ.replace("v 0 0 1", "v 0 0 2"))
    assert read_again(file)[0].vertices.max() == 2.0


def test_hulls_with_a_margin_are_the_same_from_memory_and_from_the_disk(tmp_path: Path) -> None:
    file = tmp_path / "mesh.obj"
    file.write_text(OBJ)
    parts = read_again(file)
    made = [mesh_hull.widened(mesh_hull.convex_hull(part), 0.001) for part in parts]
    for _ in range(2):
        mesh_hull._parts.clear()
        found = mesh_hull.widened_hulls(parts, 0.001)
        assert all(map(same, found, made))
    assert mesh_hull.widened_hulls(parts, 0.001) is found
    assert mesh_hull.widened_hulls(parts, 0.002)[0].key != made[0].key
