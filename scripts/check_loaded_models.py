"""Load every URDF of pybullet_data with unibody.bullet and with PyBullet, and compare.

Prints a line for each file that differs and a summary; exits 1 if any does.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pybullet
import pybullet_data

sys.path.insert(0, str(Path(__file__).parents[1]))

import unibody.bullet
from tests.support.loaded import differences


def main() -> int:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="files whose path contains this")
    arguments = parser.parse_args()
    folder = pybullet_data.getDataPath()
    files = sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*.urdf"))
    files = [file for file in files if arguments.only in file]
    pybullet.connect(pybullet.DIRECT)
    unibody.bullet.connect(unibody.bullet.DIRECT)
    different = 0
    for file in files:
        found = differences(unibody.bullet, pybullet, file, folder)
        if found:
            different += 1
            print(f"{file}: {'; '.join(found)}")
    print(f"{len(files)} files, {different} differ")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
