"""Runs Newton's own example scripts on unibody, with their own checks, and prints a table.

    python tests/clients/newton_examples.py FOLDER --api 1 [--frames 100] [--jobs 2] [--least 30]

FOLDER is ``newton/examples`` of an installed Newton, which is not imported. Left out are the
folders of deformable bodies and of other subsystems. Robots that examples would download are taken
from the folders that UNIBODY_NEWTON_ASSETS names, if it does.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

LEFT_OUT = {"assets", "cloth", "diffsim", "kamino", "mpm", "multiphysics", "softbody"} | {
    "steel",
    "surface_gripper",
    "vbd",
}
"""Folders of deformable bodies, and of subsystems that are no rigid bodies."""

FRAMES = {
    **dict.fromkeys(("basic/basic_urdf", "sensors/sensor_imu"), 200),
    "basic/basic_shapes": 150,
    "sensors/sensor_contact": 160,
    "basic/basic_dzhanibekov": 230,
    "robot/robot_omniwheel": 500,
    **dict.fromkeys(("robot/robot_humanoid", "robot/robot_g1", "robot/robot_h1"), 500),
}
"""Examples whose bodies have to come to rest -> frames, as many as in the original's own suite."""

LIMIT = 240
"""Seconds that an example may take."""


def scripts(folder: Path) -> list[Path]:
    """The examples without deformable bodies."""
    found = sorted(folder.glob("*/example_*.py"))
    return [script for script in found if script.parent.name not in LEFT_OUT]


def run(script: Path, api: str, frames: int) -> tuple[str, bool, float, str]:
    """Run an example.

    Returns:
        Its name, whether it ended well, the seconds it took, and the last line of its errors.
    """
    environment = dict(os.environ)
    folders = [str(script.parents[1] / "assets"), environment.get("UNIBODY_NEWTON_ASSETS", "")]
    environment["UNIBODY_NEWTON_ASSETS"] = os.pathsep.join(filter(None, folders))
    environment["UNIBODY_NEWTON_EXAMPLES"] = str(script.parents[1])  # modules beside the examples
    command = [sys.executable, "-m", "unibody", "run", "--newton-api", api, str(script)]
    name, begin = f"{script.parent.name}/{script.stem.removeprefix('example_')}", time.monotonic()
    command += ["--viewer", "null", "--num-frames", str(max(frames, FRAMES.get(name, 0))), "--test"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        return name, False, float(LIMIT), f"took more than {LIMIT} s"
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    reason = lines[-1][:150] if done.returncode and lines else ""
    return name, done.returncode == 0, time.monotonic() - begin, reason


def main() -> int:
    """Run the examples of a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--api", default="1", choices=("0.2", "1"))
    parser.add_argument("--frames", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="part of the names of examples")
    parser.add_argument("--least", type=int, default=0, help="end with 1 where fewer pass")
    options = parser.parse_args()
    chosen = [script for script in scripts(options.folder) if options.only in str(script)]
    with ThreadPoolExecutor(options.jobs) as pool:
        rows = []
        for row in pool.map(lambda script: run(script, options.api, options.frames), chosen):
            rows.append(row)
            name, passed, seconds, reason = row
            end = "passed" if passed else "failed"
            print(f"{name:45} {end} {seconds:6.1f} s  {reason}", flush=True)
    count = sum(passed for _, passed, _, _ in rows)
    print(f"{count} of {len(rows)} examples without deformables passed")
    return int(count < options.least)


if __name__ == "__main__":
    sys.exit(main())
