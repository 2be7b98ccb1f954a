"""resetSimulation's flags, against PyBullet."""

from typing import Any

import pytest

from tests.bullet.paired import add, both


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


def test_a_world_for_soft_bodies_is_said_to_take_rigid_ones_only(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def reset(p: Any) -> None:
        p.resetSimulation(p.RESET_USE_DEFORMABLE_WORLD)

    both(reset)
    assert "no soft ones" in capsys.readouterr().err
