"""Particles of anchors go along when their rigid body is put elsewhere between two steps.

In PyBullet's deformable world a step begins with the particles of anchors where their bodies hold
them. What a script that puts a body elsewhere moves them by is no speed of theirs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unibody.core.engine.soft.bodies import Anchor
    from unibody.core.engine.world.world import World

FloatArray = NDArray[np.float64]


class CarriedParticles:
    """Where rigid bodies held particles when the last step ended."""

    def __init__(self) -> None:
        self._left: dict[Anchor, FloatArray] = {}

    def carry(self, world: World, anchors: Iterable[Anchor]) -> None:
        """Move particles by what their bodies were put elsewhere since `leave` [m]."""
        if not self._left:
            return
        world.kinematics()
        for anchor in anchors:
            left = self._left.get(anchor)
            if left is None:
                continue
            now = _place(world.data, anchor)
            if not np.array_equal(now, left):
                anchor.soft.state.positions[anchor.particle] += now - left
                self._left[anchor] = now

    def leave(self, world: World, anchors: Iterable[Anchor]) -> None:
        """Remember where bodies hold particles now."""
        held = list(anchors)
        if held:
            world.kinematics()
        self._left = {anchor: _place(world.data, anchor) for anchor in held}


def _place(data: Any, anchor: Anchor) -> FloatArray:
    """Where a body holds a particle, (3,) [m]."""
    turn = data.xmat[anchor.body].reshape(3, 3)
    return data.xpos[anchor.body] + turn @ anchor.local
