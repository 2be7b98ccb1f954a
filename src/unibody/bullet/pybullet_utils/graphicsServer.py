# ruff: noqa: N999 - the file name is the original's
"""A graphics server: `python -m pybullet_utils.graphicsServer`."""

from __future__ import annotations

import time

from unibody import bullet

if __name__ == "__main__":
    bullet.connect(bullet.GRAPHICS_SERVER)
    while bullet.isConnected():
        time.sleep(1.0 / 240.0)
