"""A symplectic step."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.deform.contacts import Contacts
from unibody.core.deform.feature_contacts import FeatureContacts
from unibody.core.deform.state import State
from unibody.core.deform.surface_contact.surface import Surface
from unibody.core.deform.symplectic.advance import (
    DONE,
    NEAR,
    Grouped,
    advance,
    advance_touching,
)
from unibody.core.deform.symplectic.forces import Elements, stiffness_at_rest
from unibody.core.deform.symplectic.pairs import Pairs, Touching
from unibody.core.deform.symplectic.settle import bench
from unibody.core.deform.tables import Tables
from unibody.core.deform.vbd.advance import Course
from unibody.core.deform.vbd.solver import SurfaceContact, guess_of

__all__ = ["SymplecticEuler"]

_SWEEPS = 300  # fewer leave impulses of a hard meeting to one side alone
_ROOM = 1024  # pairs, at first
_SETTLED = 2e-3  # of the way that gravity moves a particle in a step
_ROUNDING = float(np.finfo(np.float32).eps)


class SymplecticEuler:
    """Symplectic Euler steps of deformable bodies.

    Args:
        tables: Particles and elements, springs and tetrahedra alone.
        starts: The first particle of each body, and the number of all, (b + 1,).
        radii: How far the surface of each particle is from what it touches, (p,) [m].
        itself: Whether a body touches itself, (b,).
        surface_contact: How triangles touch one another; None: they do not.

    Attributes:
        before: Where particles were at the start of the last step, (p, 3) [m].
        took: Sweeps of the last step with surfaces that might touch.
    """

    def __init__(
        self,
        tables: Tables,
        *,
        starts: Any,
        radii: Any,
        itself: Any,
        surface_contact: SurfaceContact | None = None,
    ) -> None:
        count = len(tables.masses)
        self.before: NDArray[np.float64] = np.zeros((count, 3))
        self.took = 0
        self._masses = np.asarray(tables.masses, dtype=np.float32)
        self._goal = np.zeros((count, 3))
        self._sums = np.zeros((count, 8))
        self._elements = Elements.of(tables)
        self._calm = stiffness_at_rest(self._elements, self._masses)
        bodies = len(starts) - 1
        self._bodies = Grouped(
            np.array(starts, dtype=np.int64), np.array(radii, dtype=np.float64),
            np.array(itself, dtype=np.bool_), np.zeros((bodies, 6)),
            np.zeros(bodies, dtype=np.int64), np.zeros(count, dtype=np.int64),
        )  # fmt: skip
        self._guess = guess_of(tables)
        self._no_features = FeatureContacts.none(count)
        self._still = _ROUNDING * tables.longest()
        self._bench = bench()
        self._drive: tuple[Any, float] = (None, 0.0)
        self._surface: Surface | None = None
        self._pairs = Pairs.room(count, _ROOM if surface_contact is not None else 0)
        self._how = self._touching(surface_contact)

    def _touching(self, how: SurfaceContact | None) -> Touching:
        """How surfaces touch, as compiled code has it."""
        count = len(self._masses)
        if how is None:
            nobody = np.zeros(0, dtype=np.int64)
            return Touching(
                nobody, nobody, np.zeros(0), np.zeros(0), np.zeros(0), 0.0, 0.0, 0.0, False
            )
        self._surface = Surface(
            count, how.triangles, rings=how.rings, bodies=how.bodies, alone=how.alone,
            rest=how.rest, exclusion=how.exclusion,
        )  # fmt: skip
        vertices = self._surface.vertices
        return Touching(
            vertices,
            np.bincount(np.asarray(how.triangles).reshape(-1), minlength=count),
            np.array(np.broadcast_to(how.radius, (count,)), dtype=np.float64),
            np.array(np.broadcast_to(how.friction, (count,)), dtype=np.float64),
            np.where(self._masses > 0.0, self._masses, np.inf).astype(np.float64),
            float(how.hardness), float(how.share), float(how.slow),
            bool((self._masses[vertices] > 0.0).all()),
        )  # fmt: skip

    def step(
        self,
        state: State,
        time_step: float,
        *,
        accelerations: Any,
        contacts: Contacts,
        features: FeatureContacts | None = None,
    ) -> bool:
        """Go on by a time step; False, and nothing is done, where elements are too stiff for it.

        Args:
            state: Changed in place.
            time_step: s.
            accelerations: Of gravity and forces, (1, 3) or (p, 3), single precision [m/s^2].
            contacts: What particles touch.
            features: What points inside of faces touch.
        """
        dt = float(time_step)
        course = Course(
            state.positions, state.velocities, state.accelerations, self._masses, self.before,
            self._goal,
        )  # fmt: skip
        given = contacts.first, contacts.rows
        points = features or self._no_features
        settled = max(self._still, self._settled(accelerations, dt))
        told = advance(
            course, self._elements, self._bodies, self._how, self._pairs, self._sums,
            accelerations, given, points, self._bench, self._calm, dt, self._still, settled,
            _SWEEPS,
        )  # fmt: skip
        if told != NEAR:
            return told == DONE
        assert self._surface is not None
        start = self._pairs.start.astype(np.float32).reshape(-1)
        listed = self._surface.listed(start, float(self._pairs.numbers[0]))
        most = len(listed[0]) + len(listed[1])
        if most > len(self._pairs.members):
            now, room = self._pairs, Pairs.room(len(self._masses), 2 * most)
            self._pairs = room._replace(start=now.start, numbers=now.numbers)
        self.took: int = advance_touching(
            course, self._guess, accelerations, given, points, listed, self._bodies.groups,
            self._how, self._pairs, self._bench, dt, settled, _SWEEPS,
        )  # fmt: skip
        return True

    def _settled(self, accelerations: Any, dt: float) -> float:
        """What counts as no move among surfaces that touch: a small part of a fall [m]."""
        if self._drive[0] is not accelerations:
            fastest = float(np.linalg.norm(accelerations, axis=1).max(initial=0.0))
            self._drive = accelerations, fastest
        return _SETTLED * self._drive[1] * dt * dt
