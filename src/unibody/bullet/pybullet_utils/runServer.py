# ruff: noqa: N999 - the file name is the original's
"""A server with a window: `python -m pybullet_utils.runServer`."""

from __future__ import annotations

import time

from unibody import bullet

if __name__ == "__main__":
    bullet.connect(bullet.GUI_SERVER)
    while bullet.isConnected():
        time.sleep(0.01)
