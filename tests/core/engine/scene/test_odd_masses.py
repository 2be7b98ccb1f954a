"""Bodies whose inertia no arithmetic can invert are refused by the name of their file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import unibody.bullet as p

ROBOT = """<robot name="far"><link name="base"><inertial><mass value="{mass}"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><origin xyz="{far} 0 0"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
</joint></robot>"""


@pytest.mark.parametrize(("far", "mass", "read"), [(2147483647, 1, False), (1, 1e6, True)])
def test_a_mass_centre_beyond_all_digits_is_refused_and_a_heavy_body_is_not(
    tmp_path: Path, far: float, mass: float, read: bool
) -> None:
    file = tmp_path / "far.urdf"
    file.write_text(ROBOT.format(far=far, mass=mass))
    p.connect(p.DIRECT)
    try:
        if read:
            p.loadURDF(str(file))
        else:
            with pytest.raises(p.error, match=r"far\.urdf: .* inertia matrix is singular"):
                p.loadURDF(str(file))
        p.stepSimulation()
        assert p.getNumBodies() == int(read)
    finally:
        p.disconnect()


@pytest.mark.parametrize(
    ("count", "parent", "said"),
    [
        (1502, lambda link: link - 1, "link 'l1001': has more than 1000 links"),
        (5002, lambda link: 0, "5002 links, at most 5000 are compiled"),
    ],
    ids=["chain", "star"],
)
def test_more_links_than_mujoco_takes_are_refused_before_the_compile(
    tmp_path: Path, count: int, parent: Callable[[int], int], said: str
) -> None:
    links = "".join(f'<link name="l{k}"/>' for k in range(count))
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="l{parent(k)}"/>'
        f'<child link="l{k}"/></joint>'
        for k in range(1, count)
    )
    file = tmp_path / "many.urdf"
    file.write_text(f'<robot name="many">{links}{joints}</robot>')
    p.connect(p.DIRECT)
    try:
        with pytest.raises(p.error, match=rf"many\.urdf: {said}"):
            p.loadURDF(str(file))
    finally:
        p.disconnect()
