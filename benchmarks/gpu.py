"""Measure many worlds on a GPU beside `mujoco_warp.step` alone: ``python -m benchmarks.gpu``.

Frames of one world a second: position targets that change in every frame, two substeps, all
tensors refreshed. Beside it the same model and targets on mujoco_warp.step, its launches recorded
in a CUDA graph: with the drives, limits and contacts of this library (``rules``), which is the
same work, and as MuJoCo has the model (``bare``), where nothing drives the joints.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from statistics import median
from typing import Any, NamedTuple

from benchmarks.isaacgym.batch import Times, alternate, timed
from benchmarks.isaacgym.scenes import ROBOTS, SUBSTEPS, VARIANTS, Robot, Scene

COUNTS = (1024, 4096, 8192)
SMOKE_COUNTS = (2, 4)
HEAD = (
    f"{'robot':10} {'worlds':>6} {'ours':>10} {'rules':>10} {'ratio':>6} {'bare':>10} {'ratio':>6} "
    f"{'contacts':>9} {'KiB/world':>9} {'build s':>8}"
)


class Result(NamedTuple):
    """What was measured on a scene.

    Attributes:
        robot: Name of the robot.
        worlds: Their number.
        rates: Frames of one world a second: ours, with our rules, bare.
        ratios: Medians over the rounds of ours / rules and ours / bare.
        contacts: In a world; mean.
        memory: Of one world [bytes].
        build_time: Of all environments and worlds [s].
    """

    robot: str
    worlds: int
    rates: tuple[float, float, float]
    ratios: tuple[float, float]
    contacts: float
    memory: float
    build_time: float

    def line(self) -> str:
        """As a row of the table."""
        ours, rules, bare = self.rates
        return (
            f"{self.robot:10} {self.worlds:6} {ours:10.0f} {rules:10.0f} {self.ratios[0]:6.3f} "
            f"{bare:10.0f} {self.ratios[1]:6.3f} {self.contacts:9.1f} "
            f"{self.memory / 1024:9.1f} {self.build_time:8.2f}"
        )


class Raw:
    """`mujoco_warp.step` on the model of a scene, and nothing else."""

    def __init__(self, scene: Scene, device: str, *, rules: bool) -> None:
        import torch
        import warp as wp

        from unibody.core.engine.records import rule_table
        from unibody.core.engine.worlds import make_worlds

        # Worlds of their own; only their mujoco-warp model and data are used from here on.
        self.worlds: Any = make_worlds(scene.group.scene, scene.count, device=device)
        self._model, self._data = self.worlds._m, self.worlds._d
        self._device = wp.get_device("cpu" if device == "warp-cpu" else device)
        targets = wp.to_torch(self.worlds.drives)[:, :, rule_table.D_POSITION]
        self._targets = targets if rules else None
        if not rules:
            self._model.callback.control = None
        rows = torch.from_numpy(scene.rows()).to(device=targets.device, dtype=torch.float32)
        self._values = rows
        self._graph = self._capture() if self.worlds._records else None

    def _advance(self) -> None:
        import mujoco_warp as mjw

        for _ in range(SUBSTEPS):
            mjw.step(self._model, self._data)

    def _capture(self) -> Any:
        import warp as wp

        with wp.ScopedDevice(self._device):
            self._advance()  # compiles the kernels
            with wp.ScopedCapture() as capture:
                self._advance()
        return capture.graph

    def run(self, frames: int) -> None:
        """Write the targets and step, ``frames`` times."""
        import warp as wp

        with wp.ScopedDevice(self._device):
            for frame in range(frames):
                if self._targets is not None:
                    self._targets.copy_(self._values[frame % VARIANTS])
                if self._graph is None:
                    self._advance()
                else:
                    wp.capture_launch(self._graph)

    def contacts(self) -> float:
        """Contacts in a world: mean."""
        return float(self._data.nacon.numpy()[0]) / self._data.nworld


def compare(robot: Robot, count: int, device: str, seconds: float, rounds: int) -> Result:
    """Run the three alternately from the same states.

    Args:
        robot: Which.
        count: Number of worlds.
        device: "cuda:0", "warp-cpu".
        seconds: Least time of a round on one side [s].
        rounds: How many.
    """
    scene = Scene(robot, count, device)
    try:
        worlds = scene.group.worlds
        state = worlds.snapshot()

        def ours(frames: int) -> Times:
            worlds.restore(state)
            return _finished(scene.run, frames)

        found = []
        for rules in (True, False):
            raw = Raw(scene, device, rules=rules)
            theirs = _other(raw, state)
            our_times, raw_times, frames = alternate(ours, theirs, seconds, rounds)
            ratio = median(r.clock / o.clock for o, r in zip(our_times, raw_times, strict=True))
            work = count * frames
            found.append((work / min(our_times).clock, work / min(raw_times).clock, ratio))
            if rules:
                contacts = raw.contacts()
        (ours_rate, rules_rate, first), (_, bare_rate, second) = found
        return Result(
            robot.name,
            count,
            (ours_rate, rules_rate, bare_rate),
            (first, second),
            contacts,
            worlds.memory() / count,
            scene.build_time,
        )
    finally:
        scene.close()


def _other(raw: Raw, state: Any) -> Callable[[int], Times]:
    def run(frames: int) -> Times:
        raw.worlds.restore(state)
        return _finished(raw.run, frames)

    return run


def _finished(run: Callable[[int], None], frames: int) -> Times:
    """How long it takes until a device is done with ``run(frames)``."""
    import warp as wp

    def complete(frames: int) -> None:
        run(frames)
        wp.synchronize()

    wp.synchronize()
    return timed(complete, frames)


def main(argv: list[str] | None = None) -> int:
    """Measure; the exit status is 2 if there is no such device."""
    options = _options(argv)
    if options.device.startswith("cuda"):
        from unibody.core.engine.library.devices import why_no_gpu

        reason = why_no_gpu()
        if reason:
            print(
                f"benchmarks.gpu: {reason}; --device warp-cpu tries it without one",
                file=sys.stderr,
            )
            return 2
    import warp as wp

    wp.config.log_level = wp.LOG_WARNING  # else a line for each kernel is between the rows
    print(HEAD)
    for robot in ROBOTS:
        if robot.name in options.robots:
            for count in options.worlds:
                found = compare(robot, count, options.device, options.seconds, options.rounds)
                print(found.line(), flush=True)
    return 0


def _options(argv: list[str] | None) -> argparse.Namespace:
    names = [robot.name for robot in ROBOTS]
    parser = argparse.ArgumentParser(
        prog="benchmarks.gpu",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--device", default="cuda:0", help="default cuda:0; warp-cpu to try it")
    parser.add_argument("--robots", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--worlds", nargs="+", type=int, metavar="COUNT")
    parser.add_argument("--seconds", type=float, help="of a round on one side (default 1)")
    parser.add_argument("--rounds", type=int, help="default 5; 1 on the CPU")
    options = parser.parse_args(argv)
    if options.device != "warp-cpu" and not options.device.startswith("cuda:"):
        parser.error(f"--device {options.device}: expected cuda:0, cuda:1, ... or warp-cpu")
    on_gpu = options.device != "warp-cpu"
    if options.worlds is None:
        options.worlds = COUNTS if on_gpu else SMOKE_COUNTS
    if options.seconds is None:
        options.seconds = 1.0 if on_gpu else 0.001
    if options.rounds is None:
        options.rounds = 5 if on_gpu else 1
    for name in ("seconds", "rounds"):
        if not getattr(options, name) > 0:
            parser.error(f"--{name} {getattr(options, name)}: expected more than 0")
    if min(options.worlds) < 1:
        parser.error(f"--worlds {min(options.worlds)}: expected 1 or more")
    return options


if __name__ == "__main__":
    sys.exit(main())
