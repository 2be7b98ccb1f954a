"""Files of tetrahedra, a line for each vertex and tetrahedron."""

from __future__ import annotations

from pathlib import Path

import pytest

from unibody.core.assets.mesh.tet import load_tet
from unibody.errors import AssetError

_CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1.5e0\n"


def test_vertices_and_tetrahedra_are_read_and_comments_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "one.tet"
    file.write_text(f"# 4 vertices\n{_CORNERS}\n# 1 tetrahedron\nt 0 1 2 3\n")
    mesh = load_tet(file)
    assert mesh.points[3].tolist() == [0.0, 0.0, 1.5]
    assert mesh.corners.tolist() == [[0, 1, 2, 3]]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (_CORNERS, "0 tetrahedra"),
        ("t 0 1 2 3\n", "0 vertices"),
        (_CORNERS + "t 0 1 2 4\n", "names vertex 4 of 4"),
        (_CORNERS + "t 0 1 2 -1\n", "names vertex -1 of 4"),
        (_CORNERS + "t 0 1 2\n", "line 5.*expected 'v' and 3"),
        (_CORNERS + "f 0 1 2\n", "line 5"),
        (_CORNERS + "t 0 1 2 x\n", "not a number"),
        (_CORNERS.replace("1.5e0", "nan") + "t 0 1 2 3\n", "not finite"),
    ],
)
def test_a_file_that_is_wrong_is_refused_by_its_line(
    tmp_path: Path, text: str, problem: str
) -> None:
    file = tmp_path / "wrong.tet"
    file.write_text(text)
    with pytest.raises(AssetError, match=problem):
        load_tet(file)
