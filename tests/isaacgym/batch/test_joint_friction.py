"""Friction of joints: what PhysX's solvers make of its iterations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.isaacgym.scenes import DT, SLIDER
from unibody.isaacgym import gymapi

MASS, EFFORT, SHARE = 2.0, 1.0, 1.5
FREE = DT * EFFORT / MASS
CLOSE = 2e-3  # of a float32 position


def slid(make: Any, *, share: float = SHARE, solver: int = 1, moves: int = 4, last: int = 1) -> Any:
    """Position and speed of a slide after a frame under an effort."""
    s = make(1, physx={
        "solver_type": solver,
        "num_position_iterations": moves,
        "num_velocity_iterations": last,
    })  # fmt: skip
    actors = s.actors(s.asset(SLIDER.format(effort=1e6), fix_base_link=True))
    s.drive(actors, gymapi.DOF_MODE_EFFORT, 0.0, 0.0)
    props = s.gym.get_actor_dof_properties(s.envs[0], actors[0])
    props["friction"] = share
    s.gym.set_actor_dof_properties(s.envs[0], actors[0], props)
    s.set("dof_actuation_force", [EFFORT])
    s.step()
    return s.refreshed("dof_state")[0]


def mean_left(moves: int) -> float:
    """The mean speed after each of the rounds, in which friction takes its part."""
    return FREE * float(np.mean([max(0.0, 1.0 - SHARE * k / moves) for k in range(1, moves + 1)]))


@pytest.mark.parametrize(("moves", "last", "rounds"), [(4, 1, 4), (8, 0, 8), (2, 6, 4)])
def test_a_held_joint_creeps_by_the_position_iterations_of_the_temporal_solver(
    stage: Any, moves: int, last: int, rounds: int
) -> None:
    place, speed = slid(stage, moves=moves, last=last)
    assert speed == pytest.approx(0.0, abs=CLOSE * FREE)
    assert place == pytest.approx(DT * mean_left(rounds), rel=CLOSE)


def test_friction_acts_in_the_velocity_iterations_too(stage: Any) -> None:
    _, speed = slid(stage, share=0.4, moves=4, last=1)
    assert speed == pytest.approx(FREE * (1.0 - 0.4 * 5.0 / 4.0), rel=CLOSE)


def test_the_other_solver_applies_friction_once_and_nothing_creeps(stage: Any) -> None:
    assert slid(stage, solver=0)[0] == pytest.approx(0.0, abs=CLOSE * DT * FREE)
    assert slid(stage, solver=0, share=0.4)[1] == pytest.approx(0.6 * FREE, rel=CLOSE)
