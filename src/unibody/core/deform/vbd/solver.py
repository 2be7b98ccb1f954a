"""A step of vertex block descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.deform.contacts import Contacts
from unibody.core.deform.state import State
from unibody.core.deform.tables import Tables
from unibody.core.deform.vbd.sweep import Motion, descend, measure, memory
from unibody.core.deform.vbd.tiles import pack
from unibody.errors import InvalidArgumentError

__all__ = ["VertexBlockDescent"]

_TINY = np.float32(1e-20)


class VertexBlockDescent:
    """Implicit Euler steps of deformable bodies.

    Args:
        tables: Particles and elements.
        iterations: Times over all particles in a step, at most: what has settled is left alone.

    Raises:
        InvalidArgumentError: If `iterations` is not positive.
    """

    def __init__(self, tables: Tables, *, iterations: int = 10) -> None:
        if iterations < 1:
            raise InvalidArgumentError("iterations", iterations, "a positive number")
        self.iterations = iterations
        self._tiles = pack(tables)
        self._masses = np.asarray(tables.masses, dtype=np.float32)
        self._moving = (self._masses > 0.0)[:, None]
        self._damped = tables.springs.drag.any() or any(
            elements.damping.any()
            for elements in (tables.springs, tables.triangles, tables.bends, tables.tetrahedra)
        )
        self._memory = memory()

    def step(
        self,
        state: State,
        time_step: float,
        *,
        accelerations: Any = 0.0,
        contacts: Contacts | None = None,
    ) -> int:
        """Go on by a time step.

        The search for the new places begins where particles come to with the acceleration of the
        last step, as far as gravity and forces could have caused it: a body at rest stays at rest,
        and a falling one falls, however few iterations there are.

        Args:
            state: Changed in place.
            time_step: s.
            accelerations: Of gravity and forces, (3,) or (p, 3) [m/s^2].
            contacts: What particles touch.

        Returns:
            How many times over all particles it took.
        """
        dt = np.float32(time_step)
        rate = np.float32(1.0) / dt
        x, v, last = state.positions, state.velocities, state.accelerations
        drive = np.where(self._moving, np.float32(accelerations), np.float32(0.0))
        size = np.linalg.norm(drive, axis=1, keepdims=True)
        norm = np.linalg.norm(last, axis=1, keepdims=True)
        guess = last * np.minimum(size / np.maximum(norm, _TINY), 1.0)
        before, old = x.copy(), v.copy()
        ahead = np.where(self._moving, before + dt * v, before)
        goal = np.ascontiguousarray(ahead + dt * dt * drive, dtype=np.float32)
        x[:] = ahead + dt * dt * guess
        contacts = contacts or Contacts.none(len(x))
        motion = Motion(
            x.reshape(-1),
            before.reshape(-1),
            goal.reshape(-1),
            self._masses,
            contacts.first,
            contacts.rows,
        )
        if self._damped:
            measure(self._tiles, motion.before, self._memory)
        took = descend(self._tiles, motion, rate, self._memory, self.iterations)
        v[:] = np.where(self._moving, (x - before) * rate, 0.0)
        last[:] = np.where(self._moving, (v - old) * rate, 0.0)
        return took
