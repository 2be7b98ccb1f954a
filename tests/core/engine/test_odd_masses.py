"""Bodies whose inertia no arithmetic can invert are refused by the name of their file."""

from __future__ import annotations

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


def test_a_chain_of_more_links_than_mujoco_takes_is_refused_before_the_compile(
    tmp_path: Path,
) -> None:
    links = "".join(f'<link name="l{k}"/>' for k in range(1502))
    joints = "".join(
        f'<joint name="j{k}" type="continuous"><parent link="l{k - 1}"/>'
        f'<child link="l{k}"/></joint>'
        for k in range(1, 1502)
    )
    file = tmp_path / "chain.urdf"
    file.write_text(f'<robot name="chain">{links}{joints}</robot>')
    p.connect(p.DIRECT)
    try:
        with pytest.raises(p.error, match=r"chain\.urdf: link 'l1001': has more than 1000 links"):
            p.loadURDF(str(file))
    finally:
        p.disconnect()
