"""Ants with efforts beside plain MuJoCo: what MuJoCo itself makes of the same MJCF file.

Three sides, from the same pose and twenty frames later on, with the same efforts in every frame and
the same time step: the tensor API with all tensors refreshed; `mujoco.batch.Batch` on the model
that the API made; and `mujoco.batch.Batch` on what MuJoCo's own compiler makes of the file, with a
plane added. The last one has MuJoCo's contacts and limits, ours those of the API, so that their
ants part after a while: contacts in an ant at the end of a round are printed for both.
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.isaacgym.ant import AntTask
from benchmarks.isaacgym.batch import Times, timed
from benchmarks.isaacgym.scenes import assets

EFFORTS = (15.0, 150.0)  # Nm: ants that walk about, and ants that are thrown about
HEAD = (
    f"{'ants':>6} {'Nm':>5} {'ours':>10} {'Batch':>10} {'plain':>10} {'to Batch':>9} "
    f"{'to plain':>9} {'cpu':>6}  contacts: ours, plain"
)
_DT, _SUBSTEPS = 0.05, 5  # as the task has them
_FILE = "mjcf/ant.xml"
_HEIGHT = 0.75  # m
_SETTLING = 20  # frames, in which ants fall to the ground
_COUNTED = 16  # ants whose contacts are counted
_BASE = 6  # degrees of freedom of the torso


class Result(NamedTuple):
    """What was measured.

    Attributes:
        ants: Their number.
        effort: The largest one [Nm].
        rates: Frames of one ant a second: ours, our model in a Batch, plain MuJoCo.
        to_batch: Median over the rounds of ours / our model in a Batch, by the clock.
        to_plain: The same to plain MuJoCo.
        cpu: The same to plain MuJoCo by the processor time of all threads.
        contacts: In an ant at the end of a round: ours, plain MuJoCo's.
    """

    ants: int
    effort: float
    rates: tuple[float, float, float]
    to_batch: float
    to_plain: float
    cpu: float
    contacts: tuple[float, float]

    def line(self) -> str:
        """As a row of the table."""
        ours, batch, plain = self.rates
        return (
            f"{self.ants:6} {self.effort:5.0f} {ours:10.0f} {batch:10.0f} {plain:10.0f} "
            f"{self.to_batch:9.3f} {self.to_plain:9.3f} {self.cpu:6.3f}  "
            f"{self.contacts[0]:.1f}, {self.contacts[1]:.1f}"
        )


class _Side:
    """A Batch of one model, whose joints get efforts."""

    def __init__(self, model: Any, count: int, efforts: Any) -> None:
        from mujoco.batch import Batch

        from unibody.core.engine.worlds.threads import Shares

        self.batch = Batch(model, nsim=count, nthread=Shares(count, 0).threads)
        self._applied = self.batch.bind("qfrc_applied")
        self._efforts = efforts
        self.start = self.batch.state.copy()

    def begin(self) -> None:
        """Go back to the start."""
        self.batch.state[:] = self.start

    def run(self, frames: int) -> None:
        """Write the efforts and step, ``frames`` times."""
        for frame in range(frames):
            self._applied[:, _BASE:] = self._efforts[frame % len(self._efforts)]
            self.batch.step(nstep=_SUBSTEPS)

    def contacts(self) -> float:
        """Contacts in an ant: mean over some."""
        import mujoco

        counts = []
        for world in range(min(_COUNTED, self.batch.nsim)):
            data = self.batch.get_data(world)
            mujoco.mj_forward(self.batch.model, data)
            counts.append(data.ncon)
        return float(np.mean(counts))


class _Ours:
    """The tensor API."""

    def __init__(self, task: AntTask, efforts: Any) -> None:
        import torch

        self._task = task
        self._values = [torch.from_numpy(part.astype(np.float32)) for part in efforts]
        (group,) = task.sim.groups
        self.worlds = group.worlds
        self.run(_SETTLING)
        self.start = self.worlds.snapshot()

    def begin(self) -> None:
        """Go back to the start."""
        self.worlds.restore(self.start)

    def run(self, frames: int) -> None:
        """Set efforts, simulate and refresh everything, ``frames`` times."""
        for frame in range(frames):
            self._task.move(self._values[frame % len(self._values)])


def plain_model() -> Any:
    """What MuJoCo makes of the file, on a plane, with the time step of the task."""
    import mujoco

    spec = mujoco.MjSpec.from_file(str(assets() / _FILE))
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    if not any(geom.type == plane for geom in spec.worldbody.geoms):
        spec.worldbody.add_geom(
            type=plane, size=[0.0, 0.0, 1.0], contype=1, conaffinity=1, condim=3
        )
    torso = spec.worldbody.first_body()
    if not any(joint.type == mujoco.mjtJoint.mjJNT_FREE for joint in torso.joints):
        torso.add_freejoint()
    spec.option.timestep = _DT / _SUBSTEPS
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    return spec.compile()


def compare(count: int, effort: float, seconds: float, rounds: int) -> Result:
    """Run the three sides in turns, each from where its ants have landed.

    Args:
        count: Number of ants.
        effort: Efforts are at random from minus to plus this [Nm].
        seconds: Least time of a round on one side [s].
        rounds: How many.
    """
    task = AntTask(count)
    try:
        model = plain_model()
        shape = (8, count, model.nv - _BASE)
        efforts = np.random.default_rng(0).uniform(-effort, effort, shape)
        ours, plain = _Ours(task, efforts), _Side(model, count, efforts)
        own = _Side(ours.worlds.model, count, efforts)
        own.start[:] = ours.start
        plain.batch.bind("qpos")[:, 2] = _HEIGHT
        plain.run(_SETTLING)
        plain.start[:] = plain.batch.state
        times, frames = _in_turns((ours, own, plain), seconds, rounds)
        ours_rate, batch_rate, plain_rate = (count * frames / min(side).clock for side in times)
        first = times[0]
        return Result(
            count, effort, (ours_rate, batch_rate, plain_rate),
            median(b.clock / o.clock for o, b in zip(first, times[1], strict=True)),
            median(p.clock / o.clock for o, p in zip(first, times[2], strict=True)),
            median(p.cpu / o.cpu for o, p in zip(first, times[2], strict=True)),
            (own.contacts(), plain.contacts()),
        )  # fmt: skip
    finally:
        task.close()


def _in_turns(sides: Any, seconds: float, rounds: int) -> tuple[list[list[Times]], int]:
    """Time all sides; which goes first changes with every round. Frames of a round come last."""
    for side in sides:
        side.begin()
        side.run(2)
    frames, taken = 2, 0.0
    while taken < seconds:
        frames *= 2
        sides[-1].begin()
        begun = time.perf_counter()
        sides[-1].run(frames)
        taken = time.perf_counter() - begun
    times: list[list[Times]] = [[] for _ in sides]
    for number in range(rounds):
        for turn in range(len(sides)):
            place = (number + turn) % len(sides)
            sides[place].begin()
            times[place].append(timed(sides[place].run, frames))
    return times, frames
