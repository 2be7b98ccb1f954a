"""MJCF files that are loaded more than once, against PyBullet."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import unibody.bullet as unibody_bullet
from tests.bullet.paired import both, connected

FILE = """
<mujoco><worldbody>
  <body name="torso" pos="0 0 1">
    <geom type="sphere" size="0.1"/>
    <joint type="slide" axis="1 0 0"/>
    <joint type="hinge" name="turn" axis="0 1 0"/>
    <body pos="0.2 0 0"><joint type="hinge" axis="0 0 1"/><geom type="sphere" size="{}"/></body>
  </body>
  <body><geom type="sphere" size="0.1"/></body>
</worldbody></mujoco>
"""


def _names(p: Any, file: Path) -> list[list[bytes]]:
    """Names of joints, of each body of a file."""
    bodies = p.loadMJCF(str(file))
    return [[p.getJointInfo(b, j)[1] for j in range(p.getNumJoints(b))] for b in bodies]


def test_joints_without_names_are_numbered_on_from_one_loading_to_the_next(tmp_path: Path) -> None:
    file = tmp_path / "chain.xml"
    file.write_text(FILE.format(0.1))

    def numbered(p: Any) -> list[list[list[str]]]:
        loads = [_names(p, file) for _ in range(3)]
        first = int(re.findall(rb"\d+", b" ".join(loads[0][0]))[0])

        def relative(match: re.Match[str]) -> str:
            return match[1] + str(int(match[2]) - first)

        return [
            [[re.sub(r"^(\D+)(\d+)", relative, name.decode()) for name in body] for body in load]
            for load in loads
        ]

    theirs, ours = both(numbered)
    assert ours == theirs
    assert len({name for load in ours for name in load[0]}) == 3 * len(ours[0][0]) - 2


def test_a_file_that_was_changed_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "chain.xml"

    with connected(unibody_bullet) as p:
        masses: list[float] = []
        for size in (0.1, 0.25):  # PyBullet does not notice
            file.write_text(FILE.format(size))
            body = p.loadMJCF(str(file))[0]
            masses.append(p.getDynamicsInfo(body, p.getNumJoints(body) - 1)[0])
    assert masses[1] == pytest.approx(masses[0] * 2.5**3)
