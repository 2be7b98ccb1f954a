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
        self._bodies: dict[Anchor, int] = {}  # numbers in the compiled model of that time
        self._poses: tuple[FloatArray, FloatArray] = (np.zeros((0, 3)), np.zeros((0, 9)))

    def carry(self, world: World, anchors: Iterable[Anchor]) -> None:
        """Move particles by what their bodies were put elsewhere since `leave` [m]."""
        if not self._bodies:
            return
        world.kinematics()
        held = [anchor for anchor in anchors if anchor in self._bodies]
        for anchor in held:
            left = _place(*self._poses, self._bodies[anchor], anchor.local)
            now = _place(world.data.xpos, world.data.xmat, anchor.body, anchor.local)
            if not np.array_equal(now, left):
                anchor.soft.state.positions[anchor.particle] += now - left
        self._remember(world, held)

    def leave(self, world: World, anchors: Iterable[Anchor]) -> None:
        """Remember where bodies hold particles now."""
        held = list(anchors)
        if held:
            world.kinematics()
        self._remember(world, held)

    def _remember(self, world: World, held: list[Anchor]) -> None:
        """Keep the poses of all bodies, which is less work than to find each place."""
        self._bodies = {anchor: anchor.body for anchor in held}
        if held:
            self._poses = world.data.xpos.copy(), world.data.xmat.copy()


def _place(places: FloatArray, turns: FloatArray, body: int, local: Any) -> FloatArray:
    """Where a body holds a particle, (3,) [m]."""
    return places[body] + turns[body].reshape(3, 3) @ local
