"""A scene of many worlds beside `mujoco.batch.Batch` on the very same MjModel."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.isaacgym.scenes import SUBSTEPS, VARIANTS, Robot, Scene

_ENOUGH = 5  # rounds, however long they take
_COUNTED = 16  # worlds whose contacts are counted
HEAD = (
    f"{'robot':10} {'worlds':>6} {'ours':>10} {'Batch':>10} {'ratio':>6} {'cpu':>6} "
    f"{'contacts':>9} {'KiB/world':>9} {'build s':>8}  states"
)


class Result(NamedTuple):
    """What was measured on a scene.

    Attributes:
        robot: Name of the robot.
        worlds: Their number.
        ours: Frames of one world a second through the tensor API.
        raw: The same of the engine alone.
        ratio: Median over the rounds of ours / raw.
        cpu: The same by the processor time of all threads, in which other programs count less.
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
    cpu: float
    contacts: float
    memory: float
    build_time: float
    same: bool

    def line(self) -> str:
        """As a row of the table."""
        return (
            f"{self.robot:10} {self.worlds:6} {self.ours:10.0f} {self.raw:10.0f} "
            f"{self.ratio:6.3f} {self.cpu:6.3f} {self.contacts:9.1f} {self.memory / 1024:9.1f} "
            f"{self.build_time:8.2f}  {'equal' if self.same else 'DIFFERENT'}"
        )


class Raw:
    """`mujoco.batch.Batch` on the model of a scene, with its controls and nothing else."""

    def __init__(self, scene: Scene) -> None:
        from mujoco.batch import Batch

        from unibody.core.engine.records import rule_table
        from unibody.core.engine.worlds.threads import Shares

        worlds = scene.group.worlds
        self.batch = Batch(worlds.model, nsim=scene.count, nthread=Shares(scene.count, 0).threads)
        drives = worlds.drives.shape[1]
        held = self.batch.bind("userdata")[:, : drives * rule_table.DRIVE_SIZE]
        self._targets = held[:, rule_table.D_POSITION :: rule_table.DRIVE_SIZE]
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

        def ours(frames: int) -> Times:
            worlds.restore(state)
            return timed(scene.run, frames)

        def theirs(frames: int) -> Times:
            raw.batch.state[:] = state
            return timed(raw.run, frames)

        our_times, raw_times, frames = alternate(ours, theirs, seconds, rounds)
        clock, cpu = (
            median(r[k] / o[k] for o, r in zip(our_times, raw_times, strict=True)) for k in (0, 1)
        )
        return Result(
            robot.name,
            count,
            count * frames / min(our_times).clock,
            count * frames / min(raw_times).clock,
            clock,
            cpu,
            raw.contacts(),
            worlds.memory() / count,
            scene.build_time,
            np.array_equal(worlds.snapshot(), raw.batch.state),
        )
    finally:
        scene.close()


class Times(NamedTuple):
    """How long something took: by the clock, and of the processor [s]."""

    clock: float
    cpu: float


def timed(run: Callable[[int], Any], frames: int) -> Times:
    """How long ``run(frames)`` takes."""
    start, cpu = time.perf_counter(), time.process_time()
    run(frames)
    return Times(time.perf_counter() - start, time.process_time() - cpu)


def alternate(
    ours: Callable[[int], Times], theirs: Callable[[int], Times], seconds: float, rounds: int
) -> tuple[list[Times], list[Times], int]:
    """Time two sides in turns; which goes first changes with every round.

    Args:
        ours: Runs some frames, and returns the time.
        theirs: The same of the other side.
        seconds: Least time of a round on one side [s].
        rounds: How many; fewer if a frame takes long.

    Returns:
        Times of both sides, and frames of a round.
    """
    ours(1)
    frames = 1
    while theirs(frames).clock < 0.5 * seconds:
        frames *= 2
    frames *= 2
    times: tuple[list[Times], list[Times]] = ([], [])
    start = time.perf_counter()
    for number in range(rounds):
        if number >= _ENOUGH and time.perf_counter() - start > 4.0 * seconds * rounds:
            break  # a frame of thousands of worlds takes longer than a round should
        for side in (0, 1) if number % 2 == 0 else (1, 0):
            times[side].append((ours, theirs)[side](frames))
    return times[0], times[1], frames
