"""Scripts reach the goals of tasks with a gripper."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import unibody.envs  # noqa: E402, F401
from unibody.envs.soft import Cloth, SoftWorlds  # noqa: E402
from unibody.errors import NotSupportedError  # noqa: E402

_N = 4


class Phase(NamedTuple):
    """What a script does up to a step.

    Attributes:
        until: The step.
        wanted: Where the grip is to be, from the grip, the block and the goal, (N, 3) [m].
        closed: Whether the fingers are.
    """

    until: int
    wanted: Callable[[Any, Any, Any], Any]
    closed: bool


def _up(height: float) -> Any:
    return np.array([0.0, 0.0, height])


STACK = (
    Phase(20, lambda grip, block, goal: block + _up(0.1), False),
    Phase(35, lambda grip, block, goal: block, False),
    Phase(42, lambda grip, block, goal: grip, True),
    Phase(52, lambda grip, block, goal: grip + _up(0.02), True),
    Phase(78, lambda grip, block, goal: goal + (grip - block) + _up(0.06), True),
    Phase(92, lambda grip, block, goal: goal + (grip - block) + _up(0.002), True),
    Phase(98, lambda grip, block, goal: grip, False),
    Phase(110, lambda grip, block, goal: grip + _up(0.02), False),
)
PEG = (
    Phase(20, lambda grip, block, goal: block + _up(0.13), False),
    Phase(35, lambda grip, block, goal: block + _up(0.03), False),
    Phase(42, lambda grip, block, goal: grip, True),
    Phase(52, lambda grip, block, goal: grip + _up(0.02), True),
    Phase(80, lambda grip, block, goal: goal + (grip - block) + _up(0.07), True),
    Phase(110, lambda grip, block, goal: goal + (grip - block), True),
    Phase(116, lambda grip, block, goal: grip, False),
)
DRAWER = (
    Phase(25, lambda grip, block, goal: block + _up(0.1), False),
    Phase(42, lambda grip, block, goal: block + _up(0.015), False),
    Phase(50, lambda grip, block, goal: grip, True),
    Phase(85, lambda grip, block, goal: grip - np.array([0.0, 0.02, 0.0]), True),
)


def _play(env: Any, script: tuple[Phase, ...]) -> dict[str, Any]:
    """Run a script in all worlds; the last infos."""
    env.reset(seed=0)
    task, sim, infos, step = env.task, env.sim, {}, 0
    for until, wanted, closed in script:
        for _ in range(step, until):
            grip = task.grip(sim)
            aim = wanted(grip, sim.xpos[:, task.block].copy(), task.aim(sim))
            ahead = aim - grip - (task.target - sim.qpos[:, task.axes.qpos])
            fingers = np.full((env.num_envs, 1), -1.0 if closed else 1.0)
            action = np.concatenate([ahead / 0.02, fingers], axis=1)
            infos = env.step(np.clip(action, -1.0, 1.0).astype(np.float32))[-1]
        step = until
    return infos


def test_a_script_stacks_the_block_and_lets_go() -> None:
    env = gymnasium.make_vec("unibody/Stack-v0", num_envs=_N)
    assert _play(env, STACK)["is_success"].all()
    # it stands there without the gripper
    block = env.sim.xpos[:, env.task.block].copy()
    assert block[:, 2] == pytest.approx(0.06, abs=1e-3)
    still = np.tile(np.array([0.0, 0.0, 0.0, 1.0], np.float32), (_N, 1))
    for _ in range(8):
        env.step(still)
    assert env.sim.xpos[:, env.task.block] == pytest.approx(block, abs=1e-3)


def test_a_block_that_is_held_above_the_other_is_not_stacked() -> None:
    env = gymnasium.make_vec("unibody/Stack-v0", num_envs=_N)
    assert not _play(env, STACK[:6])["is_success"].any()


def test_a_script_puts_the_peg_into_the_hole() -> None:
    env = gymnasium.make_vec("unibody/Peg-v0", num_envs=_N)
    assert _play(env, PEG)["is_success"].all()
    place = env.sim.xpos[:, env.task.block]
    # its lower end is on the floor of the hole, 1 cm up; the hole is 2 mm wider on each side
    assert place[:, 2] == pytest.approx(0.06, abs=1e-3)
    assert np.abs(place - env.task.goal)[:, :2].max() <= 2.5e-3


def test_a_peg_beside_the_hole_does_not_sink_into_the_socket() -> None:
    env = gymnasium.make_vec("unibody/Peg-v0", num_envs=_N)
    beside = np.array([0.02, 0.0, 0.0])
    script = (
        *PEG[:4],
        *(Phase(end, lambda g, b, goal, h=h: goal + beside + (g - b) + _up(h), True)
          for end, h in ((80, 0.07), (105, 0.0))),
    )  # fmt: skip
    assert not _play(env, script)["is_success"].any()
    # the socket is 6 cm high, the peg 10 cm long
    assert env.sim.xpos[:, env.task.block, 2].min() > 0.10


def test_a_script_pulls_the_drawer_open_by_its_handle() -> None:
    env = gymnasium.make_vec("unibody/Drawer-v0", num_envs=_N)
    infos = _play(env, DRAWER)
    assert infos["is_success"].all()
    assert env.sim.qpos[:, env.task.slide.qpos[0]].min() > 0.14


def test_a_drawer_stays_shut_without_a_pull() -> None:
    env = gymnasium.make_vec("unibody/Drawer-v0", num_envs=_N)
    above = Phase(40, lambda grip, block, goal: goal + _up(0.1), False)
    _play(env, (*DRAWER[:1], above))
    assert np.abs(env.sim.qpos[:, env.task.slide.qpos[0]]).max() < 1e-3


def _fold(env: Any) -> dict[str, Any]:
    """Bring the first corner of the cloth onto the third; the last infos."""
    env.reset(seed=0)
    task, sim, infos = env.task, env.sim, {}
    for step in range(84):
        grip, corners = task.grip(sim), task.corners()
        over = 0.5 * (task.start[:, 0] + task.start[:, 2]) + _up(0.09)
        phases = (
            (20, corners[:, 0] + _up(0.06), 1.0),
            (34, corners[:, 0] + _up(0.005), 1.0),
            (40, grip, -1.0),
            (52, over, -1.0),
            (72, corners[:, 2] + _up(0.035), -1.0),
            (76, grip, 1.0),
            (84, grip + _up(0.02), 1.0),
        )
        wanted, fingers = next(phase[1:] for phase in phases if step < phase[0])
        ahead = wanted - grip - (task.target - sim.qpos[:, task.axes.qpos])
        slowly = 0.5 if 40 <= step < 66 else 1.0
        action = np.concatenate([slowly * ahead / 0.02, np.full((len(grip), 1), fingers)], axis=1)
        infos = env.step(np.clip(action, -1.0, 1.0).astype(np.float32))[-1]
    return infos


def test_a_script_folds_the_cloth_corner_onto_corner() -> None:
    env = gymnasium.make_vec("unibody/Cloth-v0", num_envs=1)
    assert _fold(env)["is_success"].all()
    # two layers: half of the cloth lies on the other, which no corner of it has left
    assert not env.task.cloth.holds(0)
    points = env.task.cloth.points
    assert points[:, :, 2].min() > 0.0 and points[:, :, 2].max() < 0.08
    edges = np.linalg.norm(points[:, 1:9] - points[:, :8], axis=2)
    assert edges.max() < 1.1 * 0.025  # stretched by its weight alone


def test_a_cloth_that_nobody_touches_stays_where_it_lies() -> None:
    env = gymnasium.make_vec("unibody/Cloth-v0", num_envs=1)
    env.reset(seed=1)
    before = env.task.cloth.points.copy()
    for _ in range(10):
        env.step(np.tile(np.array([0.0, 0.0, 0.0, 1.0], np.float32), (1, 1)))
    assert env.task.cloth.points == pytest.approx(before, abs=2e-3)


def test_a_cloth_on_another_device_is_refused() -> None:
    with pytest.raises(NotSupportedError, match="cloth on the device cuda:0"):
        SoftWorlds(SimpleNamespace(device="cuda:0"), Cloth(0.2, 5))
