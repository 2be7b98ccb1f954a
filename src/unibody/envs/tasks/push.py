"""Push: bring a block to a point on the ground with closed fingers."""

from __future__ import annotations

from unibody.envs.tasks.handling import Handling


class Push(Handling):
    """Push the block."""

    closed = True
