"""Measure the tensor API of Isaac Gym beside the engine alone, and beside other libraries.

Frames of one world a second: position targets that change in every frame, two substeps, all
tensors refreshed; and the same states and targets on mujoco.batch.Batch with the same MjModel.
Ants with efforts are compared with plain MuJoCo, too: with what its compiler makes of their file.
"""

from __future__ import annotations

import argparse

from benchmarks.isaacgym import ant, plain
from benchmarks.isaacgym.batch import HEAD, compare
from benchmarks.isaacgym.scenes import ROBOTS

COUNTS = (64, 1024, 4096)
_ANTS = 64


def main(argv: list[str]) -> int:
    """Measure; the exit status is 1 if both sides did not end in the same states."""
    options = _options(argv)
    seconds = options.seconds or 0.1
    rounds, ant_seconds = (1, 0.2) if options.quick else (40, 2.0)
    print(HEAD)
    different = False
    for robot in ROBOTS:
        if robot.name not in options.robots:
            continue
        for count in options.worlds:
            result = compare(robot, count, seconds, rounds)
            print(result.line(), flush=True)
            different = different or not result.same
    if "ant" in options.robots:
        print("\n".join(("", plain.HEAD)))
        for count in options.worlds:
            for effort in plain.EFFORTS:
                found = plain.compare(count, effort, seconds, min(rounds, 10))
                print(found.line(), flush=True)
    if options.ant:
        print("\n".join(("", *ant.lines(_ANTS, ant_seconds, min(rounds, 5)))), flush=True)
    return 1 if different else 0


def _options(argv: list[str]) -> argparse.Namespace:
    names = [robot.name for robot in ROBOTS]
    parser = argparse.ArgumentParser(
        prog="unibody bench isaacgym",
        description=__doc__,
        epilog=ant.__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="64 worlds, once, shorter")
    parser.add_argument("--robots", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--worlds", nargs="+", type=int, metavar="COUNT")
    parser.add_argument("--seconds", type=float, help="of a round on one side (default 0.1)")
    parser.add_argument(
        "--ant", action=argparse.BooleanOptionalAction, default=True,
        help="compare with Gymnasium and envpool",
    )  # fmt: skip
    options = parser.parse_args(argv)
    if options.worlds is None:
        options.worlds = COUNTS[:1] if options.quick else COUNTS
    if min(options.worlds) < 1:
        parser.error(f"--worlds {min(options.worlds)}: expected 1 or more")
    if options.seconds is not None and not options.seconds > 0.0:
        parser.error(f"--seconds {options.seconds}: expected more than 0")
    return options
