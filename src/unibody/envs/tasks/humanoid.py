"""Humanoid: a person with 17 joints learns to go, and not to fall."""

from __future__ import annotations

from typing import ClassVar

from unibody.envs.task import View
from unibody.envs.tasks.walking import Walker, Walking

_WAIST = (60.0, 80.0, 60.0)
_ARM = (25.0, 25.0, 25.0)
_LEG = (60.0, 60.0, 120.0, 90.0)


class Humanoid(Walking):
    """Go along x without falling."""

    timestep: ClassVar[float] = 0.005
    substeps: ClassVar[int] = 4
    view: ClassVar[View] = View(eye=(-1.5, -3.4, 1.6), target=(0.2, 0.0, 0.9), follow="pelvis")
    walker: ClassVar[Walker] = Walker(
        file="humanoid.xml",
        base="pelvis",
        torques=(*_WAIST, *_ARM, *_ARM, *_LEG, *_LEG),
        heights=(0.7, 1.4),
        upright=0.5,
        forward=1.25,
        alive=2.0,
        effort=0.1,
        jitter=0.02,
    )
