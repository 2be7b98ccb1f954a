"""Modal bodies of one world, which rigid bodies feel.

A step is staggered like that of other soft bodies: impulses of contacts are found with rigid bodies
that nothing else pushes, and are given to these as forces of the coming step. Modal bodies and
other soft bodies do not touch one another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.core.deform.modal import ModalBody
from unibody.core.engine.soft.contact_tables import Particles, Rigid
from unibody.core.engine.soft.modal_contacts import Surface, advance
from unibody.core.engine.soft.shapes import Shapes, shapes_of

if TYPE_CHECKING:
    from unibody.core.engine.world.world import World


class ModalWorld:
    """The modal bodies of one world.

    Attributes:
        bodies: All of them.
        apart: See `SoftWorld.apart`.
    """

    def __init__(self) -> None:
        self.bodies: list[ModalBody] = []
        self.apart: Mapping[Any, Sequence[int]] = {}
        self._starts: dict[ModalBody, Any] = {}  # where points were at the start of the last step
        self._seen: tuple[Any, ...] = ()  # the world, its generation and its data
        self._applied: tuple[Any, Any] | None = None

    def before_step(self, world: World, gravity: Any, geoms: Any) -> None:
        """Move all bodies by a time step, and push the rigid bodies they touch.

        Args:
            world: Of the rigid bodies.
            gravity: (3,) [m/s^2].
            geoms: Which geoms they may touch, in ascending order, (g,).
        """
        if not self.bodies:
            return
        world.velocities()  # and poses
        seen = world, world.generation, world.data
        if self._seen != seen:
            self._seen = seen
            self._shapes: Shapes = shapes_of(world.model)
            self._rigid = Rigid.of(world.model, world.data)
        dt = float(world.model.opt.timestep)
        fall = np.array(gravity, dtype=np.float64)
        self._applied = world.data, world.data.xfrc_applied.copy()
        for body in self.bodies:
            state, count = body.state, len(body.masses)
            self._starts[body] = state.positions.copy()
            touched = geoms
            if body in self.apart:
                touched = geoms[~np.isin(self._rigid.geom_bodyid[geoms], self.apart[body])]
            surface = (body.radius, body.friction, body.damping, body.correction, body.softness)
            particles = Particles(
                state.positions, state.velocities, body.masses, np.full(count, body.radius),
                np.full(count, body.friction),
            )  # fmt: skip
            advance(
                body.shape, body.motion, state.positions, state.velocities, particles, self._rigid,
                self._shapes, touched, fall, Surface(*map(float, surface)), dt,
            )  # fmt: skip

    def remove(self, body: ModalBody) -> None:
        """Let a body go."""
        self.bodies.remove(body)
        self._starts.pop(body, None)

    def step_bounds(self, body: ModalBody) -> tuple[Any, Any]:
        """The box around a body's surface at the start of the last step, smallest corner first."""
        places = self._starts.get(body)
        if places is None:
            return body.bounds()
        return places.min(axis=0) - body.radius, places.max(axis=0) + body.radius

    def after_step(self, world: World) -> None:
        """Take the forces of `before_step` away again."""
        if self._applied is not None:
            (data, applied), self._applied = self._applied, None
            if data is world.data:
                world.data.xfrc_applied[:] = applied
