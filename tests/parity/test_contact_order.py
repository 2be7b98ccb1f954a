"""Which body of a contact is A where a mesh counts as several shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.duo import both, box

CORNERS = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
SIDES = ((1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4))
ROBOT = """
<robot name="mesh"><link name="base">
  <inertial><mass value="1"/>
    <inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><mesh filename="cubes.obj"/></geometry></collision>
</link></robot>
"""


def cubes(folder: Path, count: int) -> None:
    """A mesh of one group for each of some cubes in a row, and a body of that shape."""
    lines: list[str] = []
    for cube in range(count):
        lines.append(f"o cube{cube}")
        lines += [f"v {x + 0.15 * cube} {y} {z}" for x, y, z in CORNERS]
        lines += ["f " + " ".join(str(k + 8 * cube) for k in side) for side in SIDES]
    (folder / "cubes.obj").write_text("\n".join(lines))
    (folder / "cubes.urdf").write_text(ROBOT)


def add(p: Any, kind: str, folder: Path, pos: Any) -> None:
    if kind == "loaded":
        p.loadURDF(str(folder / "cubes.urdf"), pos)
    elif kind == "created":
        shape = p.createCollisionShape(p.GEOM_MESH, fileName=str(folder / "cubes.obj"))
        p.createMultiBody(1, shape, basePosition=pos)
    elif kind == "two boxes":
        shape = p.createCollisionShapeArray(
            shapeTypes=[p.GEOM_BOX] * 2, halfExtents=[[0.1, 0.1, 0.1]] * 2,
            collisionFramePositions=[[0, 0, 0], [0.15, 0, 0]],
        )  # fmt: skip
        p.createMultiBody(1, shape, basePosition=pos)
    else:
        box(p, pos)


@pytest.mark.parametrize("hulls", [1, 2])
@pytest.mark.parametrize("kind", ["loaded", "created"])
@pytest.mark.parametrize("other", ["box", "two boxes"])
def test_a_mesh_of_hulls_is_a_where_it_is_in_pybullet(
    tmp_path: Path, hulls: int, kind: str, other: str
) -> None:
    cubes(tmp_path, hulls)

    def script(p: Any) -> Any:
        found: list[Any] = []
        for first, second in ((other, kind), (kind, other)):
            p.resetSimulation()
            add(p, first, tmp_path, (0, 0, 0))
            add(p, second, tmp_path, (0.02, 0.01, 0.19))
            p.stepSimulation()
            pairs = {(*row[1:3], *np.round(row[7]).tolist()) for row in p.getContactPoints()}
            assert len(pairs) == 1
            found.extend(pairs)
        return found

    theirs, ours = both(script)
    np.testing.assert_array_equal(ours, theirs)
