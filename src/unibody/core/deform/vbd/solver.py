"""A step of vertex block descent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.core.deform.contacts import Contacts
from unibody.core.deform.feature_contacts import FeatureContacts
from unibody.core.deform.state import State
from unibody.core.deform.surface_contact.surface import Surface
from unibody.core.deform.tables import Tables
from unibody.core.deform.topology import components
from unibody.core.deform.vbd.advance import Course, Guess, begin, end, search
from unibody.core.deform.vbd.surface_touch import SurfaceTouch, all_bounded, free_ways
from unibody.core.deform.vbd.sweep import (
    Memory,
    Motion,
    Share,
    alone,
    descend_touching,
    measure,
    memory,
    vertex_derivatives,
)
from unibody.core.deform.vbd.threads import fresh_counters, together
from unibody.core.deform.vbd.tiles import pack
from unibody.errors import InvalidArgumentError
from unibody.mechanisms import cores, is_plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SurfaceContact", "VertexBlockDescent"]

_TILES = 8  # of each color that a thread has to have, or it waits for others more than it works
_NEAR = 10.0  # what is left of a step's way, in places rounded as forces are
_ROUNDING = float(np.finfo(np.float32).eps)

Found = tuple[Contacts, FeatureContacts] | None
"""Contacts that take the place of those before; None: those stay."""


@dataclass(frozen=True)
class SurfaceContact:
    """How triangles touch one another.

    Attributes:
        triangles: Corners of those that touch, (n, 3).
        radius: How near two sides push one another, the mean of both; one number or (p,) [m].
        margin: How near they have to be to be looked at [m]; None: as far as they may come in a
            step.
        stiffness: N/m.
        hardness: Further stiffness, in masses of the lightest particle of a pair over the step
            squared.
        damping: N s/m.
        friction: Coefficient of a side; that of a pair is the product of both; one number or (p,).
        slow: Speed below which friction grows with it [m/s].
        rings: What is less than so many edges apart along the surface does not touch.
        bodies: See `surface_contact.surface.Surface`.
        alone: Likewise.
        rest: Likewise.
        exclusion: Likewise.
        share: Of its way to another side that a particle may go until the next search.
        interval: Sweeps between two searches; 0: before and after the first guess of a step; below:
            before it only.
    """

    triangles: Any
    radius: Any
    margin: float | None = None
    stiffness: float = 0.0
    hardness: float = 0.0
    damping: float = 0.0
    friction: Any = 0.0
    slow: float = 1e-2
    rings: int = 2
    bodies: Any = None
    alone: Any = None
    rest: Any = None
    exclusion: float = 0.0
    share: float = 0.85
    interval: int = 0


class VertexBlockDescent:
    """Implicit Euler steps of deformable bodies.

    Args:
        tables: Particles and elements.
        iterations: Times over all particles in a step, at most: what has settled is left alone.
        surface_contact: How triangles touch one another; None: they do not.
        faces: Triangles, (f, 3), inside of which points may touch (see `features` of `step`), if
            elements do not connect all their corners.
        threads: At most, for as many vertices as are worth it, where no triangles touch; None: as
            many as there are cores. Results do not depend on it.

    Attributes:
        threads: How many there are.
        before: Where particles were at the start of the last step, (p, 3) [m].

    Raises:
        InvalidArgumentError: If `iterations` or `threads` is not positive, or a number of the
            contacts is not allowed.
    """

    def __init__(
        self,
        tables: Tables,
        *,
        iterations: int = 10,
        surface_contact: SurfaceContact | None = None,
        faces: NDArray[np.integer[Any]] | None = None,
        threads: int | None = None,
    ) -> None:
        if iterations < 1:
            raise InvalidArgumentError("iterations", iterations, "a positive number")
        if threads is not None and threads < 1:
            raise InvalidArgumentError("threads", threads, "a positive number")
        self.iterations = iterations
        self._masses = np.asarray(tables.masses, dtype=np.float32)
        self.before: NDArray[np.float64]
        self.before, self._goal = np.zeros((2, len(self._masses), 3))
        self._faces = faces
        self.follow(tables)
        most = self._tiles.colors[-1] // (_TILES * max(len(self._tiles.colors) - 1, 1))
        wanted = cores() if is_plain("threads") else threads or cores()
        self.threads: int
        self.threads = parts = max(min(wanted, int(most)), 1)
        counters, moves = fresh_counters(), np.zeros((2, parts), dtype=np.float32)
        self._alone = alone()
        self._shares = [Share(part, parts, counters, moves) for part in range(parts)]
        self._memories = [memory() for _ in range(parts)]
        self._surfaces = (
            None if surface_contact is None else _Surfaces(surface_contact, self._masses)
        )

    def follow(self, tables: Tables) -> None:
        """Take other elements between the same particles, whose masses stay."""
        self._tiles = pack(tables, self._faces)
        self._damped = bool(tables.springs.drag.any()) or any(
            bool(elements.damping.any())
            for elements in (tables.springs, tables.triangles, tables.bends, tables.tetrahedra)
        )
        self._guess = guess_of(tables)
        self._still = _ROUNDING * tables.longest()  # forces are rounded, places are not
        self._near = _NEAR * self._still

    def step(
        self,
        state: State,
        time_step: float,
        *,
        accelerations: Any = 0.0,
        contacts: Contacts | None = None,
        features: FeatureContacts | None = None,
        surfaces: bool = True,
        between: Callable[[], Found] | None = None,
        after: Callable[[], None] | None = None,
    ) -> int:
        """Go on by a time step.

        The search for the new places begins where particles come to with the acceleration of the
        last step, as far as gravity and forces could have caused it (see `Guess`): a body at rest
        stays at rest, and a falling one falls, however few iterations there are.

        Args:
            state: Changed in place.
            time_step: s.
            accelerations: Of gravity and forces, (3,) or (p, 3) [m/s^2].
            contacts: What particles touch.
            features: What points of edges and triangles touch.
            surfaces: Whether triangles may touch one another in this step.
            between: Called before each time over all particles, of which there are all then: moves
                what particles touch, and may write rows of contacts anew, or give others.
            after: Called after each time over all particles, where `between` is: may move them.

        Returns:
            How many times over all particles it took.
        """
        dt = float(time_step)
        count = len(state.positions)
        course = Course(
            state.positions, state.velocities, state.accelerations, self._masses, self.before,
            self._goal,
        )  # fmt: skip
        drive = np.asarray(accelerations, dtype=np.float32)
        if drive.ndim < 2:
            drive = np.broadcast_to(drive, (1, 3))
        begin(course, self._guess, np.ascontiguousarray(drive), dt)
        found = contacts or Contacts.none(count), features or FeatureContacts.none(count)
        if self._surfaces is None or not surfaces:
            took = self._search(course, found, dt, between, after)
        else:
            took = self._touching(course, found, dt, self._surfaces, between, after)
        end(course, dt)
        return took

    @property
    def touches(self) -> bool:
        """Whether triangles may touch one another."""
        return self._surfaces is not None

    @property
    def granted(self) -> Any:
        """Shares of their ways that particles have gone in the last time over all, (p,)."""
        if self._surfaces is None:
            return np.ones(len(self._masses), dtype=np.float32)
        return self._surfaces.granted

    @property
    def interval(self) -> int:
        """See `SurfaceContact`; 0 where no triangles touch."""
        return 0 if self._surfaces is None else self._surfaces.how.interval

    @interval.setter
    def interval(self, value: int) -> None:
        if self._surfaces is not None:
            self._surfaces.how = replace(self._surfaces.how, interval=value)

    def stiffness(self, positions: Any) -> Any:
        """Second derivative of the elements' energy by the place of each particle alone.

        Args:
            positions: Of all particles, (p, 3) [m].

        Returns:
            (p, 3, 3) [N/m]; zero for particles that are held.
        """
        return vertex_derivatives(self._tiles, positions)[1]

    def _search(
        self,
        course: Course,
        contacts: tuple[Contacts, FeatureContacts],
        dt: float,
        between: Callable[[], Found] | None,
        after: Callable[[], None] | None,
    ) -> int:
        """All times over the particles."""

        def part(share: Share, space: Memory, most: int = self.iterations) -> int:
            rows = contacts[0].first, contacts[0].rows
            return search(
                course, rows, contacts[1], *self._tiles, share, space, dt, most, self._near,
                self._still, self._damped,
            )  # fmt: skip

        if between is not None:
            for _ in range(self.iterations):
                contacts = between() or contacts
                part(self._alone, self._memories[0], 1)
                if after is not None:
                    after()
            return self.iterations
        if self.threads > 1:
            took = together(self.threads, lambda k: part(self._shares[k], self._memories[k]))
            if took is not None:
                return took
        return part(self._alone, self._memories[0])

    def _touching(
        self,
        course: Course,
        contacts: tuple[Contacts, FeatureContacts],
        dt: float,
        surfaces: _Surfaces,
        between: Callable[[], Found] | None,
        after: Callable[[], None] | None,
    ) -> int:
        """All times over the particles, with searches for surfaces that touch."""
        rate = np.float32(1.0 / dt)
        motion = Motion(
            course.x.reshape(-1), course.before.reshape(-1), course.goal.reshape(-1),
            self._masses, contacts[0].first, contacts[0].rows, contacts[1],
        )  # fmt: skip
        if self._damped:
            measure(self._tiles, motion.before, self._alone, self._memories[0])
        margin = surfaces.margin(motion)
        touch = surfaces.near(motion.before, motion.goal, margin, rate)
        all_bounded(motion.x, motion.masses, touch)
        interval, done = surfaces.how.interval, 0
        while done < self.iterations:
            if interval >= 0:
                touch = surfaces.near(motion.x, motion.x, margin, rate)
            most = min(interval, self.iterations - done) if interval > 0 else self.iterations
            took = 0
            for rounds in (most,) if between is None else (1,) * most:
                fresh = None if between is None else between()
                if fresh is not None:
                    motion = motion._replace(
                        contact_first=fresh[0].first, contacts=fresh[0].rows, features=fresh[1]
                    )
                took += descend_touching(
                    self._tiles, motion, touch, rate, self._memories[0], rounds,
                    np.float32(self._still),
                )  # fmt: skip
                if after is not None:
                    after()
            done += took
            if took < most:
                break
        return done


def guess_of(tables: Tables) -> Guess:
    """What guesses of a world's particles need."""
    labels: Any = components(len(tables.masses), tables.elements()).astype(np.int64)
    weights = np.asarray(tables.masses, dtype=np.float64)
    held = np.bincount(labels, weights == 0.0) > 0.0
    shares = weights / np.maximum(np.bincount(labels, weights), 1e-300)[labels]
    return Guess(labels, np.where(held[labels], 0.0, shares), np.zeros((len(held), 3)))


class _Surfaces:
    """Surfaces that touch, and how.

    Args:
        how: See `SurfaceContact`.
        masses: Of all particles [kg].

    Attributes:
        granted: See `SurfaceTouch`.
    """

    def __init__(self, how: SurfaceContact, masses: Any) -> None:
        if not 0.0 < how.share <= 1.0:
            raise InvalidArgumentError("share", how.share, "above 0 and at most 1")
        if not len(how.triangles):
            raise InvalidArgumentError("triangles", how.triangles, "one or more")
        count = len(masses)
        self.how = how
        self._surface = Surface(
            count, how.triangles, rings=how.rings, bodies=how.bodies, alone=how.alone,
            rest=how.rest, exclusion=how.exclusion,
        )  # fmt: skip
        self._radii = np.broadcast_to(np.float32(how.radius), (count,))
        self._friction = np.broadcast_to(np.float32(how.friction), (count,))
        self._all_move = bool((masses[self._surface.vertices] > 0.0).all())
        self.granted: NDArray[np.float32] = np.ones(count, dtype=np.float32)
        self._weights = np.where(masses > 0.0, masses, np.float32(np.inf))

    def margin(self, motion: Motion) -> float:
        """How near pairs have to be to be found in a step [m]."""
        if self.how.margin is not None:
            return self.how.margin
        ways = (motion.goal - motion.before).reshape(-1, 3)[self._surface.vertices]
        if self._all_move:
            ways = ways - ways.mean(axis=0)
        longest = float(np.linalg.norm(ways, axis=1).max(initial=0.0))
        return 2.0 * float(self._radii.max(initial=0.0)) + 2.0 * longest / self.how.share

    def near(self, x: Any, ahead: Any, margin: float, rate: Any) -> SurfaceTouch:
        """Pairs that may touch until the next search.

        Args:
            x: Places of all particles, flat [m].
            ahead: Where they would go, flat [m]; as far as all go alike no pair comes nearer.
            margin: How near pairs have to be [m].
            rate: One over the time step [1/s].
        """
        how = self.how
        single: Any = np.float32
        start = x.astype(np.float32)
        if self._all_move:
            start.reshape(-1, 3)[:] += (
                (ahead - x).reshape(-1, 3)[self._surface.vertices].mean(axis=0)
            )
        near = self._surface.search(start, margin)
        one, other = near.pairs[:, 0], near.pairs[:, 3]
        light = self._weights[near.pairs].min(axis=1)
        light[np.isinf(light)] = 0.0  # pairs of held particles
        hard = single(how.hardness) * light * rate * rate
        bound, share = single(0.5 * how.share * margin), single(how.share)
        free = free_ways(start, near.planes, near.first, near.sides, near.triangles, share, bound)
        return SurfaceTouch(
            near.pairs, near.triangles, near.first, near.sides, near.planes, start, free, bound,
            share,
            single(0.5) * (self._radii[one] + self._radii[other]),
            single(how.stiffness) + hard,
            self._friction[one] * self._friction[other],
            single(how.damping), single(how.slow) / rate, self.granted,
        )  # fmt: skip
