"""The reader against PyBullet, on its own files and on odd texts."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pybullet
import pybullet_data
import pytest

from scripts.check_pybullet_data import compare_file
from tests.core.assets.urdf_texts import INERTIAL, LIMIT, RICH, joint, link, read, robot
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import UrdfOptions, load_urdf

ROOT = Path(pybullet_data.getDataPath())
# Files that stand for something: several shapes, odd XML, broken files, unusual joints.
CHOSEN = [
    "TwoJointRobot_w_fixedJoints.urdf",
    "a1/a1.urdf",
    "biped/biped2d_pybullet.urdf",
    "cartpole.urdf",
    "differential/diff_ring.urdf",
    "franka_panda/panda.urdf",
    "humanoid/humanoid.urdf",
    "husky/husky.urdf",
    "kuka_iiwa/model.urdf",
    "kuka_iiwa/model_for_sdf.urdf",
    "laikago/laikago.urdf",
    "plane.urdf",
    "r2d2.urdf",
    "racecar/racecar.urdf",
    "sphere_1cm.urdf",
    "spherical_joint_limit.urdf",
    "torus_deform.urdf",
    "toys/concave_box.urdf",
    "xarm/xarm6_robot.urdf",
]
MERGE = pybullet.URDF_MERGE_FIXED_LINKS
KEEP = pybullet.URDF_MAINTAIN_LINK_ORDER


def _sample() -> list[str]:
    files = sorted(str(file.relative_to(ROOT)) for file in ROOT.rglob("*.urdf"))
    rest = [file for file in files if file not in CHOSEN]
    return [*CHOSEN, *random.Random(7).sample(rest, 24)]


@pytest.fixture(scope="module")
def client() -> Iterator[int]:
    number = pybullet.connect(pybullet.DIRECT)
    yield number
    pybullet.disconnect(number)


@pytest.mark.parametrize("file", _sample())
def test_a_file_of_pybullet_data_gives_the_tables_and_poses_of_pybullet(
    client: int, file: str
) -> None:
    path = str(ROOT / file)
    assert compare_file(path, SearchPath((str(ROOT),)), client=client) == []


@pytest.mark.parametrize("file", ["a1/a1.urdf", "r2d2.urdf", "husky/husky.urdf", "cartpole.urdf"])
def test_merged_links_are_the_ones_of_pybullet(client: int, file: str) -> None:
    path = str(ROOT / file)
    assert compare_file(path, SearchPath((str(ROOT),)), client=client, flags=MERGE) == []


ODD = {
    # The reader gives unit axes, PyBullet reports the length that the file states.
    "rich": RICH.replace('xyz="0 0 2"', 'xyz="0 0 1"'),
    "text before": "hello" + robot(link("a")),
    "late declaration": "\n\n<?xml version='1.0'?>" + robot(link("a")),
    "bare ampersand": robot(link("a & b")),
    "unquoted": "<robot name=r>" + link("a") + "</robot>",
    "double attribute": '<robot name="a" name="b">' + link("a") + "</robot>",
    "truncated": robot(link("a"))[:-4],
    "no inertial": robot(link("a", inertial="")),
    "world": robot(link("world", inertial=""), link("b"), joint("j", "world", "b")),
    "numbers": robot(
        link("a"),
        link("b"),
        joint(
            "j", "a", "b", content='<limit lower="abc" upper="1.5f" effort="1,5" velocity="0x10"/>'
        ),
    ),
    "inverted": robot(link("a"), link("b"), joint("j", "a", "b", content='<limit lower="1"/>')),
    "continuous": robot(link("a"), link("b"), joint("j", "a", "b", "continuous", "")),
    "no limit": robot(link("a"), link("b"), joint("j", "a", "b", content="")),
    "spherical": robot(link("a"), link("b"), joint("j", "a", "b", "spherical")),
    "floating": robot(link("a"), link("b"), joint("j", "a", "b", "floating")),
    "planar": robot(link("a"), link("b"), joint("j", "a", "b", "planar")),
    "massless child": robot(
        link("a"), link("b", inertial=INERTIAL.replace('"2"', '"0"')), joint("j", "a", "b")
    ),
    "no mass": robot(link("a", inertial="<inertial/>")),
    "loop": robot(link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")),
    "orphans": robot(*map(link, "abc"), joint("j", "b", "c"), joint("k", "c", "b")),
    "double link": robot(link("a"), link("a")),
    "unknown parent": robot(link("a"), link("b"), joint("j", "x", "b")),
    "short axis": robot(
        link("a"), link("b"), joint("j", "a", "b", content=LIMIT + '<axis xyz="0 1"/>')
    ),
    "missing mesh": robot(
        link("a", '<visual><geometry><mesh filename="none.obj"/></geometry></visual>')
    ),
    "two colours of one name": robot(
        *(
            link(
                name,
                '<visual><geometry><sphere radius="1"/></geometry>'
                f'<material name="{material}"><color rgba="{colour}"/></material></visual>',
            )
            for name, material, colour in (
                ("a", "m", "1 0 0 1"),
                ("b", "", "0 1 0 1"),
                ("c", "m", "0 0 1 1"),
                ("d", "", "1 1 0 1"),
            )
        ),
        joint("j", "a", "b"),
        joint("k", "b", "c"),
        joint("l", "c", "d"),
    ),
    "short colour": robot(
        link(
            "a",
            '<visual><geometry><sphere radius="1"/></geometry>'
            '<material name="m"><color rgba="1 0 0"/></material></visual>',
        )
    ),
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_an_odd_text_is_read_or_refused_as_pybullet_does(
    client: int, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "odd.urdf"
    file.write_text(text)
    assert compare_file(str(file), SearchPath(), client=client) == []


@pytest.mark.parametrize("flags", [0, KEEP, MERGE, MERGE | KEEP])
def test_branches_come_in_the_order_of_pybullet(client: int, tmp_path: Path, flags: int) -> None:
    edges = ("ae", "ab", "bd", "bc", "ef", "eg")
    joints = [
        joint(edge, edge[0], edge[1], "fixed" if edge in ("ab", "ef") else "revolute")
        for edge in edges
    ]
    file = tmp_path / "branches.urdf"
    file.write_text(robot(*map(link, "abcdefg"), *joints))
    assert compare_file(str(file), SearchPath(), client=client, flags=flags) == []


def test_scaled_bodies_have_the_frames_of_pybullet(client: int) -> None:
    path = str(ROOT / "r2d2.urdf")
    pybullet.resetSimulation(physicsClientId=client)
    body = pybullet.loadURDF(path, globalScaling=3.0, physicsClientId=client)
    asset = load_urdf(path, search_path=SearchPath(), options=UrdfOptions(scale=3.0))
    for index, entry in enumerate(asset.links[1:]):
        info = pybullet.getJointInfo(body, index, physicsClientId=client)
        dynamics = pybullet.getDynamicsInfo(body, index, physicsClientId=client)
        # Float64 on both sides from the same decimal text: rounding only.
        assert info[8:10] == pytest.approx((entry.joint.lower, entry.joint.upper), abs=1e-12)
        assert dynamics[3] == pytest.approx(entry.inertial.pose.pos, abs=1e-12)


def test_principal_moments_of_a_merged_link_are_the_ones_of_pybullet(
    client: int, tmp_path: Path
) -> None:
    inertial = (
        '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><mass value="1.5"/>'
        '<inertia ixx="1" iyy="1.2" izz="1.4" ixy="0.1" ixz="0.2" iyz="0.3"/></inertial>'
    )
    fixed = joint("f", "a", "b", "fixed", '<origin xyz="0.3 -0.2 0.1" rpy="0.3 0.2 0.1"/>')
    text = robot(link("a", inertial=inertial), link("b", inertial=inertial), fixed)
    file = tmp_path / "merged.urdf"
    file.write_text(text)
    flags = MERGE | pybullet.URDF_USE_INERTIA_FROM_FILE
    pybullet.resetSimulation(physicsClientId=client)
    body = pybullet.loadURDF(str(file), flags=flags, physicsClientId=client)
    theirs = pybullet.getDynamicsInfo(body, -1, physicsClientId=client)
    ours = read(text, merge_fixed_links=True).links[0].inertial
    assert ours.mass == pytest.approx(theirs[0], rel=1e-12)
    assert ours.pose.pos == pytest.approx(theirs[3], abs=1e-12)
    # Both stop turning when the largest product of inertia is below 1e-5 of the trace.
    np.testing.assert_allclose(ours.inertia[:3], theirs[2], rtol=1e-9)
