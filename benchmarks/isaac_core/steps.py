"""Steps of the surface, of the engine alone, and of plain MuJoCo."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from benchmarks.isaac_core.scenes import VARIANTS, Robot, Scene
from benchmarks.isaacgym.batch import Times, alternate, timed

HEAD = (
    f"{'robot':>9} {'worlds':>7} {'begun':>8} {'ours':>10} {'Batch':>10} {'plain':>10} "
    f"{'to Batch':>9} {'cpu':>6} {'to plain':>9}  contacts: ours, plain; same states"
)
_COUNTED = 16  # worlds whose contacts are counted


class Result(NamedTuple):
    """What was measured.

    Attributes:
        robot: Its name.
        count: Of worlds.
        begun: From an empty stage to the first step [s of the processor].
        rates: Steps of one world a second: ours, our model in a Batch, plain MuJoCo.
        to_batch: Median over the rounds of ours / our model in a Batch, by the clock.
        cpu: The same by the processor time of all threads.
        to_plain: Ours / plain MuJoCo by the processor time of all threads.
        contacts: In a world at the end of a round: ours, plain MuJoCo's.
        same: The engine alone ended in the same states.
    """

    robot: str
    count: int
    begun: float
    rates: tuple[float, float, float]
    to_batch: float
    cpu: float
    to_plain: float
    contacts: tuple[float, float]
    same: bool

    def line(self) -> str:
        """As a row of the table."""
        rates = " ".join(f"{rate:10.0f}" for rate in self.rates)
        return (
            f"{self.robot:>9} {self.count:7} {self.begun:7.2f}s {rates} "
            f"{self.to_batch:9.3f} {self.cpu:6.3f} {self.to_plain:9.3f}  "
            f"{self.contacts[0]:.1f}, {self.contacts[1]:.1f}; {'yes' if self.same else 'NO'}"
        )


class Raw:
    """The engine's model in a ``mujoco.batch.Batch``, with the same targets."""

    def __init__(self, scene: Scene) -> None:
        from mujoco.batch import Batch

        from unibody.core.engine.records import rule_table
        from unibody.core.engine.worlds.threads import Shares

        worlds = scene.group.worlds
        threads = Shares(scene.count, 0).threads
        self.batch = Batch(worlds.model, nsim=scene.count, nthread=threads)
        drives = worlds.drives.shape[1]
        held = self.batch.bind("userdata")[:, : drives * rule_table.DRIVE_SIZE]
        self._targets = held[:, rule_table.D_POSITION :: rule_table.DRIVE_SIZE]
        self._values = scene.rows()

    def run(self, frames: int) -> None:
        """Write the targets and step, ``frames`` times."""
        for frame in range(frames):
            self._targets[:] = self._values[frame % VARIANTS]
            self.batch.step()


class Plain:
    """The robot's tree as an MJCF file says it, in MuJoCo as it comes, with servos."""

    def __init__(self, scene: Scene, threads: int) -> None:
        from mujoco.batch import Batch

        model = plain_model(scene)
        self.batch = Batch(model, nsim=scene.count, nthread=threads)
        self.batch.state[:] = self.batch.state[0]
        self._controls = self.batch.bind("ctrl")
        width = min(model.nu, scene.targets.shape[-1])
        self._values = scene.targets[:, :, :width].astype(float)
        self._width = width

    def run(self, frames: int) -> None:
        """Write the targets and step, ``frames`` times."""
        for frame in range(frames):
            self._controls[:, : self._width] = self._values[frame % VARIANTS]
            self.batch.step()


def plain_model(scene: Scene) -> Any:
    """What MuJoCo's compiler makes of the robot and a plane, with the surface's time step."""
    import mujoco

    from unibody.core.assets.writers.folder import OutputFolder
    from unibody.core.assets.writers.mjcf_writer import write_mjcf

    kind = scene.batch.actors[0].kind
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "robot.xml"
        write_mjcf([kind.tree], OutputFolder(str(file)))
        spec = mujoco.MjSpec.from_file(str(file))
        body = spec.worldbody.first_body()
        if not kind.fixed and not body.joints:
            body.add_freejoint()
        body.pos = scene.view.get_world_poses()[0][0] * (0.0, 0.0, 1.0)
        plane = mujoco.mjtGeom.mjGEOM_PLANE
        spec.worldbody.add_geom(type=plane, size=[0.0, 0.0, 1.0])
        if not len(spec.actuators):
            _add_servos(spec)
        spec.option.timestep = scene.batch.options.world.timestep
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        return spec.compile()  # while the meshes are there


def _add_servos(spec: Any) -> None:
    import mujoco

    for joint in spec.joints:
        if joint.type in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            servo = spec.add_actuator(target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            servo.set_to_position(kp=50.0, kv=5.0)


def contacts(batch: Any) -> float:
    """Contacts in a world of a Batch: mean over some."""
    import mujoco

    counts: list[int] = []
    for world in range(min(_COUNTED, batch.nsim)):
        data = batch.get_data(world)
        mujoco.mj_forward(batch.model, data)
        counts.append(data.ncon)
    return float(np.mean(counts))


def compare(robot: Robot, count: int, seconds: float, rounds: int) -> Result:
    """Run the sides alternately.

    Args:
        robot: Which.
        count: Number of worlds.
        seconds: Least time of a round on one side [s].
        rounds: How many.
    """
    scene = Scene(robot, count)
    try:
        worlds, raw = scene.group.worlds, Raw(scene)
        plain = Plain(scene, raw.batch.nthread)
        state, plain_state = worlds.snapshot(), plain.batch.state.copy()

        def ours(frames: int) -> Times:
            worlds.restore(state)
            return timed(scene.run, frames)

        def engine(frames: int) -> Times:
            raw.batch.state[:] = state
            return timed(raw.run, frames)

        def bare(frames: int) -> Times:
            plain.batch.state[:] = plain_state
            return timed(plain.run, frames)

        our_times, raw_times, frames = alternate(ours, engine, seconds, rounds)
        same = np.array_equal(worlds.snapshot(), raw.batch.state)
        plain_times = [bare(frames) for _ in range(len(our_times))]
        clock, cpu = (
            median(r[k] / o[k] for o, r in zip(our_times, raw_times, strict=True)) for k in (0, 1)
        )
        to_plain = median(p[1] / o[1] for o, p in zip(our_times, plain_times, strict=True))
        sides = (our_times, raw_times, plain_times)
        best = [count * frames / min(times).clock for times in sides]
        return Result(
            robot.name,
            count,
            scene.begun,
            (best[0], best[1], best[2]),
            clock,
            cpu,
            to_plain,
            (contacts(raw.batch), contacts(plain.batch)),
            same,
        )
    finally:
        scene.close()
