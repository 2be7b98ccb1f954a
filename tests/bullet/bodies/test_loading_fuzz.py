"""Damaged robot files either load and step, or are refused with the world as it was."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unibody.bullet as p
from tests.core.assets.mjcf.test_reader import MESH, NATIVE, OBJ, ODD, mutated
from tests.core.assets.test_urdf_fuzz import damaged

STEPS = 3
QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.fixture(scope="module", autouse=True)
def world() -> Iterator[None]:
    """One world for all files: a load that breaks it is found by the next one."""
    p.connect(p.DIRECT)
    yield
    p.disconnect()


def check(text: str, file: Path, load: Callable[[str], object] = p.loadURDF) -> None:
    """Load a file into a world with a falling ball, and see that the ball falls on."""
    p.resetSimulation()
    p.setGravity(0, 0, -10)
    ball = p.createMultiBody(
        1, p.createCollisionShape(p.GEOM_SPHERE, radius=0.1), basePosition=(50, 70, 100)
    )
    p.stepSimulation()
    file.write_text(text)
    try:
        load(str(file))
    except p.error:
        assert p.getNumBodies() == 1
    for _ in range(STEPS):
        p.stepSimulation()
    drop = 100 - p.getBasePositionAndOrientation(ball)[0][2]
    assert math.isfinite(drop)
    if p.getContactPoints(ball):  # a plane of the file reaches it, as it does in PyBullet
        return
    # semi-implicit Euler: n (n + 1) / 2 steps of g dt^2, less drag
    expected = 10 * (STEPS + 1) * (STEPS + 2) / 2 / 240**2
    assert math.isclose(drop, expected, rel_tol=1e-2)


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(max_examples=100, deadline=None, suppress_health_check=QUIET)
@given(text=damaged())
def test_a_damaged_robot_loads_or_leaves_the_world_as_it_was(text: str, tmp_path: Path) -> None:
    check(text, tmp_path / "damaged.urdf")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(max_examples=500, deadline=None, suppress_health_check=QUIET)
@given(text=damaged())
def test_many_damaged_robots_load_or_leave_the_world_as_it_was(text: str, tmp_path: Path) -> None:
    check(text, tmp_path / "damaged.urdf")


def check_mjcf(data: st.DataObject, folder: Path) -> None:
    """The same for an MJCF file, with the files it refers to beside it."""
    original = data.draw(st.sampled_from([ODD.format(angle="radian"), NATIVE]))
    (folder / "part.obj").write_text(OBJ)
    (folder / "mesh.xml").write_text(MESH)
    text = data.draw(mutated(original.replace("{include}", "mesh.xml")))
    check(text, folder / "damaged.xml", p.loadMJCF)


@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(max_examples=100, deadline=None, suppress_health_check=QUIET)
@given(data=st.data())
def test_a_damaged_mjcf_file_loads_or_leaves_the_world_as_it_was(
    data: st.DataObject, tmp_path: Path
) -> None:
    check_mjcf(data, tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@settings(max_examples=500, deadline=None, suppress_health_check=QUIET)
@given(data=st.data())
def test_many_damaged_mjcf_files_load_or_leave_the_world_as_it_was(
    data: st.DataObject, tmp_path: Path
) -> None:
    check_mjcf(data, tmp_path)
