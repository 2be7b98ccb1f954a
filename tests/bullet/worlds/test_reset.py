"""resetSimulation's flags, against PyBullet."""

from typing import Any

import pybullet_data
import pytest

import unibody.bullet
from tests.bullet.paired import add, both
from tests.support.duo import connected
from unibody.core.engine.scene import model_source


@pytest.mark.parametrize("flag", ["RESET_USE_DEFORMABLE_WORLD", "RESET_USE_SIMPLE_BROADPHASE"])
def test_rigid_bodies_fall_in_every_kind_of_world(flag: str) -> None:
    def fallen(p: Any) -> float:
        p.resetSimulation(getattr(p, flag))
        p.setGravity(0, 0, -10)
        ball = add(p, p.GEOM_SPHERE, (0, 0, 5), 1.0, radius=0.5)
        for _ in range(24):
            p.stepSimulation()
        return p.getBasePositionAndOrientation(ball)[0][2]

    theirs, ours = both(fallen)
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_soft_bodies_have_the_stiffness_of_their_numbers_in_the_world_that_is_made_for_them() -> (
    None
):
    def sag(p: Any, flags: int) -> float:
        p.resetSimulation(flags)
        p.setAdditionalSearchPath(pybullet_data.getDataPath())
        p.setGravity(0, 0, -10)
        cloth = p.loadSoftBody(
            "cloth_z_up.obj", scale=0.5, mass=1.0, useMassSpring=1, springElasticStiffness=40
        )
        for corner in (20, 24):
            p.createSoftBodyAnchor(cloth, corner)
        for _ in range(240):
            p.stepSimulation()
        return -p.getBasePositionAndOrientation(cloth)[0][2]

    # A cloth 1 m wide sags by 277 mm, and where the world is not deformable by 72 mm: links of
    # position based dynamics are stiff whatever their numbers say.
    theirs, ours = both(lambda p: (sag(p, p.RESET_USE_DEFORMABLE_WORLD), sag(p, 0)))
    assert ours == pytest.approx(theirs, rel=0.1)


def test_a_file_whose_joints_get_new_names_each_time_is_compiled_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An ant in each episode: its model is the one of before, and moves as that did."""
    compiles: list[int] = []
    monkeypatch.setattr(model_source, "note_compile", lambda: compiles.append(1))

    def play(p: Any) -> Any:
        rows: list[Any] = []
        for _ in range(4):
            p.resetSimulation()
            p.setGravity(0, 0, -9.81)
            ant = p.loadMJCF("mjcf/ant.xml")[-1]
            for _ in range(20):
                p.stepSimulation()
            rows.append(p.getBasePositionAndOrientation(ant))
        return rows

    with connected(unibody.bullet) as p:
        rows = play(p)
    assert all(row == rows[0] for row in rows)
    assert len(compiles) <= 1
