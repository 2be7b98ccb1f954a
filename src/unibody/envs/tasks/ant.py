"""Ant: four legs with eight joints learn to go."""

from __future__ import annotations

import math
from typing import ClassVar

from unibody.envs.task import View
from unibody.envs.tasks.walking import Walker, Walking

_KNEE = math.radians(60.0)


class Ant(Walking):
    """Go along x."""

    timestep: ClassVar[float] = 0.01
    substeps: ClassVar[int] = 5
    view: ClassVar[View] = View(eye=(-2.0, -3.2, 1.8), target=(0.3, 0.0, 0.3), follow="trunk")
    walker: ClassVar[Walker] = Walker(
        file="ant.xml",
        base="trunk",
        torques=(12.0,) * 8,
        pose=(0.0, _KNEE) * 4,
        heights=(0.22, 1.2),
        upright=0.0,
        alive=0.5,
        effort=0.05,
        jitter=0.1,
    )
