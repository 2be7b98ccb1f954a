"""Measure the Isaac core surface beside the engine alone, and beside plain MuJoCo.

Steps of one world a second: position targets that change in every step, a step, joint positions and
velocities and root poses read through ArticulationView; the same states and targets on
mujoco.batch.Batch with the same MjModel; and what MuJoCo's own compiler makes of the robot's tree,
with servos. Then what the most used functions cost. `begun` is the processor time from an empty
stage to the first step; that of the first row has the loading of kept machine code in it.
"""

from __future__ import annotations

import argparse

from benchmarks.isaac_core import calls, steps
from benchmarks.isaac_core.scenes import ROBOTS, Scene

COUNTS = (64, 1024)


def main(argv: list[str]) -> int:
    """Measure; the exit status is 1 if both sides did not end in the same states."""
    options = _options(argv)
    rounds = 1 if options.quick else 20
    different = False
    print(steps.HEAD)
    for robot in ROBOTS:
        for count in options.worlds if robot.name in options.robots else ():
            result = steps.compare(robot, count, options.seconds, rounds)
            print(result.line(), flush=True)
            different = different or not result.same
    for robot in ROBOTS:
        if options.calls and robot.name in options.robots:
            scene = Scene(robot, options.worlds[-1])
            print(f"\n{robot.name}, {scene.count} worlds\n{calls.HEAD}")
            for line in calls.lines(scene, 0.1 * options.seconds):
                print(line, flush=True)
            scene.close()
    return 1 if different else 0


def _options(argv: list[str]) -> argparse.Namespace:
    names = [robot.name for robot in ROBOTS]
    parser = argparse.ArgumentParser(
        prog="unibody bench isaac-core",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="64 worlds, once")
    parser.add_argument("--robots", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--worlds", nargs="+", type=int, metavar="COUNT")
    parser.add_argument("--seconds", type=float, default=0.1, help="of a round on one side")
    parser.add_argument(
        "--calls", action=argparse.BooleanOptionalAction, default=True, help="measure calls, too"
    )
    options = parser.parse_args(argv)
    if options.worlds is None:
        options.worlds = COUNTS[:1] if options.quick else COUNTS
    if min(options.worlds) < 1:
        parser.error(f"--worlds {min(options.worlds)}: expected 1 or more")
    if not options.seconds > 0.0:
        parser.error(f"--seconds {options.seconds}: expected more than 0")
    return options
