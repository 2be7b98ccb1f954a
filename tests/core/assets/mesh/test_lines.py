"""Large .obj files, read by passes over all of their bytes, against the reader that takes all."""

from __future__ import annotations

import random
import warnings

import pytest

from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.mesh import obj as mesh_obj
from unibody.core.assets.mesh.lines import Lines
from unibody.core.assets.mesh.obj import read_obj
from unibody.errors import AssetError

FORMS = ["{0}", "{0}/{0}", "{0}//{0}", "{0}/{0}/{0}"]
PIECES = [
    b"-", b"+", b"/", b"//", b" ", b"\t", b"\r\n", b"\n", b"#", b"f ", b"v ", b"vt ", b"vn ",
    b"g a\n", b"o b\n", b"usemtl m\n", b"nan", b"inf", b"1e400", b"_", b"0", b"1-2", b"1+2",
    b"\xff", b"v\t1 2 3\n", b" v 1 2 3\n", b"f 1 2 3 4\n", b"f -1 -2 -3\n", b"f\t1 2 3\n",
    b"x", b"", b"\x0b", b"\\\n",
]  # fmt: skip


def obj(form: str, polygon: int, rows: int = 12) -> bytes:
    """A strip of points with faces in one form, in two groups."""
    points = [f"v {k * 0.1:.6f} {k * k * 0.013:.17g} {-k}e-2" for k in range(rows)]
    other = [f"vt {k * 0.3:.3f} 0.5\nvn 0 {k} 1" for k in range(rows)]
    faces = [
        "f " + " ".join(form.format(1 + (k + j) % rows) for j in range(polygon))
        for k in range(rows)
    ]
    half = rows // 2
    lines = ["# a strip", *points, *other, "g one", *faces[:half], "usemtl red", "g two"]
    return "\n".join([*lines, *faces[half:], ""]).encode()


def outcome(data: bytes) -> list[tuple[str, str, str]] | str:
    """The meshes of a file, or how it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            meshes = read_obj(data, "file", DEFAULT_LIMITS)
        except AssetError as problem:
            return str(problem)
    return [(mesh.key, mesh.name, mesh.material) for mesh in meshes]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short groups are read in passes, too."""
    monkeypatch.setattr(mesh_obj, "_SHORT", 0)


def slowly(data: bytes) -> list[tuple[str, str, str]] | str:
    """The same by the reader that takes all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Lines, "of", lambda *_: None)
        return outcome(data)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("polygon", [2, 3, 4, 7])
def test_all_forms_of_faces_give_the_same_meshes(form: str, polygon: int) -> None:
    data = obj(form, polygon)
    found = outcome(data)
    assert found == slowly(data)
    assert len(found) == (2 if polygon > 2 else 0)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("seed", range(8))
def test_broken_files_are_read_or_refused_in_the_same_way(seed: int) -> None:
    dice = random.Random(seed)
    refused = 0
    for _ in range(120):
        data = bytearray(obj(dice.choice(FORMS), dice.choice([3, 4]), rows=6))
        for _ in range(dice.randint(1, 3)):
            place = dice.randrange(len(data))
            data[place : place + dice.randint(0, 3)] = dice.choice(PIECES)
        found = outcome(bytes(data))
        assert found == slowly(bytes(data)), bytes(data)
        refused += isinstance(found, str)
    assert 0 < refused < 120


def test_faces_are_read_in_passes_where_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mesh_obj, "_FACE", None)  # of the reader that takes all
    data = obj("{0}/{0}", 3, rows=2000)
    assert [len(mesh) for mesh in outcome(data)] == [3, 3]
