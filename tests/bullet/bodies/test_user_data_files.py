"""Notes that come with URDF files, against PyBullet."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.bullet.paired import both

ROBOT = """<robot name="noted">
  <bullet><user-data key="robot">of the robot</user-data></bullet>
  <link name="base">
    <bullet><user-data key="one"> 1 </user-data><user-data key="two"/></bullet>
    <bullet><user-data key="three">3</user-data></bullet>
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
    <visual>
      <bullet><user-data key="shape">of the second shape</user-data></bullet>
      <geometry><box size="1 1 1"/></geometry>
    </visual>
  </link>
  <link name="child">
    <bullet><user-data key="child">of the child</user-data></bullet>
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="fixed"><parent link="base"/><child link="child"/></joint>
</robot>"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "noted.urdf"
    path.write_text(ROBOT, encoding="utf-8")
    return str(path)


def notes(p: Any, body: int) -> list[tuple[Any, ...]]:
    """All notes of a body as they are told."""
    infos = [p.getUserDataInfo(body, i) for i in range(p.getNumUserData(body))]
    return [(*info, p.getUserData(info[0])) for info in infos]


@pytest.mark.parametrize(
    "between",
    [
        lambda p, body: None,
        lambda p, body: p.syncUserData(),
        lambda p, body: p.syncUserData(body),
        lambda p, body: p.syncUserData([body]),
        lambda p, body: (p.syncUserData(body), p.addUserData(body, "more", "text")),
        lambda p, body: (p.syncUserData(body), p.removeUserData(1)),
        lambda p, body: (p.syncUserData(body), p.addUserData(body, "one", "another")),
    ],
    ids=["unasked", "all", "body", "bodies", "added", "removed", "replaced"],
)
def test_notes_of_a_file_are_seen_once_they_are_asked_for(
    file: str, between: Callable[[Any, int], object]
) -> None:
    def loaded(p: Any) -> list[tuple[Any, ...]]:
        body = p.loadURDF(file)
        between(p, body)
        return notes(p, body)

    theirs, ours = both(loaded)
    assert ours == theirs


def test_notes_of_a_removed_body_make_place_for_others(file: str) -> None:
    def reloaded(p: Any) -> list[tuple[Any, ...]]:
        p.removeBody(p.loadURDF(file))
        body = p.loadURDF(file)
        p.syncUserData()
        return sorted(row[1:] for row in notes(p, body))  # numbers are taken again in any order

    theirs, ours = both(reloaded)
    assert ours == theirs
