"""Models of pybullet_data load into the same tables, poses and masses as in PyBullet."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pybullet
import pybullet_data
import pytest

import unibody.bullet
from tests.support.loaded import differences

FOLDER = pybullet_data.getDataPath()
FILES = sorted(str(path.relative_to(FOLDER)) for path in Path(FOLDER).rglob("*.urdf"))
ALWAYS = ("kuka_iiwa/model.urdf", "r2d2.urdf", "franka_panda/panda.urdf", "pr2_gripper.urdf")
SAMPLE = sorted({*random.Random(3).sample(FILES, 30), *ALWAYS})


@pytest.fixture(scope="module", autouse=True)
def worlds() -> Iterator[None]:
    """One world of each module for all files."""
    pybullet.connect(pybullet.DIRECT)
    unibody.bullet.connect(unibody.bullet.DIRECT)
    yield
    pybullet.disconnect()
    unibody.bullet.disconnect()


@pytest.mark.parametrize("file", SAMPLE)
def test_a_model_loads_as_in_pybullet(file: str) -> None:
    assert differences(unibody.bullet, pybullet, file, FOLDER) == []


@pytest.mark.parametrize("turn", [(), (0, 0, 1.0, 0), (0, 0, 1, 0), (0.0, 0.0, 1.0, 0.0)])
def test_a_pose_of_three_or_seven_numbers_is_taken_as_in_pybullet(turn: tuple[float, ...]) -> None:
    poses = []
    for module in (pybullet, unibody.bullet):
        body = module.loadURDF(f"{FOLDER}/cube_small.urdf", 1, 2, 3, *turn)
        poses.append(module.getBasePositionAndOrientation(body))
        module.removeBody(body)
    assert poses[0] == poses[1] == ((1.0, 2.0, 3.0), turn or (0.0, 0.0, 0.0, 1.0))


@pytest.mark.parametrize("held", [False, True])
def test_links_merged_into_a_base_count_unless_it_is_held(held: bool) -> None:
    def base(p: Any) -> Any:
        path = f"{FOLDER}/husky/husky.urdf"
        body = p.loadURDF(path, useFixedBase=held, flags=p.URDF_MERGE_FIXED_LINKS)
        found = (*p.getDynamicsInfo(body, -1)[2:4], *p.getBasePositionAndOrientation(body))
        p.removeBody(body)
        return found

    for ours, theirs in zip(base(unibody.bullet), base(pybullet), strict=True):
        # the principal axes of what is merged are found by iteration
        assert ours == pytest.approx(theirs, abs=1e-5)
