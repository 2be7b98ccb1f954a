"""A scene of many worlds beside `mujoco.batch.Batch` on the very same MjModel."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.isaacgym.scenes import SUBSTEPS, VARIANTS, Robot, Scene

_COUNTED = 16  # worlds whose contacts are counted
HEAD = (
    f"{'robot':10} {'worlds':>6} {'ours':>10} {'Batch':>10} {'ratio':>6} {'contacts':>9} "
    f"{'KiB/world':>9} {'build s':>8}  states"
)


class Result(NamedTuple):
    """What was measured on a scene.

    Attributes:
        robot: Name of the robot.
        worlds: Their number.
        ours: Frames of one world a second through the tensor API.
        raw: The same of the engine alone.
        ratio: Median over the rounds of ours / raw.
        contacts: In a world, at the end; mean.
        memory: Of one world [bytes].
        build_time: Of all environments and worlds [s].
        same: Whether both sides ended in the same states, bit for bit.
    """

    robot: str
    worlds: int
    ours: float
    raw: float
    ratio: float
    contacts: float
    memory: float
    build_time: float
    same: bool

    def line(self) -> str:
        """As a row of the table."""
        return (
            f"{self.robot:10} {self.worlds:6} {self.ours:10.0f} {self.raw:10.0f} "
            f"{self.ratio:6.3f} {self.contacts:9.1f} {self.memory / 1024:9.1f} "
            f"{self.build_time:8.2f}  {'equal' if self.same else 'DIFFERENT'}"
        )


class Raw:
    """`mujoco.batch.Batch` on the model of a scene, with its controls and nothing else."""

    def __init__(self, scene: Scene) -> None:
        from mujoco.batch import Batch

        from unibody.core.engine.rows import table
        from unibody.core.engine.worlds.threads import Shares

        worlds = scene.group.worlds
        self.batch = Batch(worlds.model, nsim=scene.count, nthread=Shares(scene.count, 0).threads)
        drives = worlds.drives.shape[1]
        held = self.batch.bind("userdata")[:, : drives * table.DRIVE_SIZE]
        self._targets = held[:, table.D_POSITION :: table.DRIVE_SIZE]
        self._values = scene.rows()

    def run(self, frames: int) -> None:
        """Write the targets and step, ``frames`` times."""
        for frame in range(frames):
            self._targets[:] = self._values[frame % VARIANTS]
            self.batch.step(nstep=SUBSTEPS)

    def contacts(self) -> float:
        """Contacts in a world: mean over some."""
        import mujoco

        counts = []
        for world in range(min(_COUNTED, self.batch.nsim)):
            data = self.batch.get_data(world)
            mujoco.mj_forward(self.batch.model, data)
            counts.append(data.ncon)
        return float(np.mean(counts))


def compare(robot: Robot, count: int, seconds: float, rounds: int) -> Result:
    """Run both sides alternately from the same states.

    Args:
        robot: Which.
        count: Number of worlds.
        seconds: Least time of a round on one side [s].
        rounds: How many.
    """
    scene = Scene(robot, count)
    try:
        worlds, raw = scene.group.worlds, Raw(scene)
        state = worlds.snapshot()

        def ours(frames: int) -> float:
            worlds.restore(state)
            return timed(scene.run, frames)

        def theirs(frames: int) -> float:
            raw.batch.state[:] = state
            return timed(raw.run, frames)

        ours_times, raw_times, frames = alternate(ours, theirs, seconds, rounds)
        return Result(
            robot.name,
            count,
            count * frames / min(ours_times),
            count * frames / min(raw_times),
            median(r / o for o, r in zip(ours_times, raw_times, strict=True)),
            raw.contacts(),
            worlds.memory() / count,
            scene.build_time,
            np.array_equal(worlds.snapshot(), raw.batch.state),
        )
    finally:
        scene.close()


def timed(run: Callable[[int], Any], frames: int) -> float:
    """Seconds that ``run(frames)`` takes."""
    start = time.perf_counter()
    run(frames)
    return time.perf_counter() - start


def alternate(
    ours: Callable[[int], float], theirs: Callable[[int], float], seconds: float, rounds: int
) -> tuple[list[float], list[float], int]:
    """Time two sides in turns; which goes first changes with every round.

    Args:
        ours: Runs some frames, and returns the time [s].
        theirs: The same of the other side.
        seconds: Least time of a round on one side [s].
        rounds: How many.

    Returns:
        Times of both sides [s], and frames of a round.
    """
    ours(1)
    frames = 1
    while theirs(frames) < 0.5 * seconds:
        frames *= 2
    frames *= 2
    times: tuple[list[float], list[float]] = ([], [])
    for number in range(rounds):
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            times[side].append((ours, theirs)[side](frames))
    return times[0], times[1], frames
