"""Particles whose faces touch something between them go to the minimum of all that they share."""

from __future__ import annotations

from typing import Any

from unibody.core.deform.feature_contacts import FeatureContacts
from unibody.core.deform.symplectic.settle import Bench, begin_sums, go
from unibody.core.deform.vbd.advance import Course
from unibody.core.deform.vbd.feature_touch import add_features
from unibody.core.deform.vbd.lanes import float32
from unibody.core.deform.vbd.touch import add_contacts
from unibody.machine_code.jit import inlined_kernel, kernel


@inlined_kernel
def shares_points(p: int, features: FeatureContacts) -> bool:
    """Whether a particle has a share of a point that touches."""
    return features.first[p] < features.first[p + 1]


@kernel
def settle_points(
    course: Course, first: Any, rows: Any, features: FeatureContacts, room: Bench, dt: float,
    still: float, sweeps: int,
) -> None:  # fmt: skip
    """Bring particles to their places, one after the other, from where they are without points.

    Args:
        course: With the goals of this step; its places change.
        first: First contact of each particle, and the number of all.
        rows: Contacts.
        features: What points inside of faces touch.
        room: See `Bench`.
        dt: Time step [s].
        still: What counts as no move [m].
        sweeps: Times over all, at most.
    """
    x, before, goal = course.x.reshape(-1), course.before.reshape(-1), course.goal.reshape(-1)
    rate, count = float32(1.0 / dt), len(course.x)
    for done in range(sweeps):
        most = 0.0
        for n in range(count):
            p = n if done % 2 == 0 else count - 1 - n
            if course.masses[p] <= 0.0 or not shares_points(p, features):
                continue
            begin_sums(x, goal, p, course.masses[p] * rate * rate, room)
            add_contacts(x, before, p, 0, first, rows, rate, room.sums)
            add_features(x, before, p, 0, features, rate, room.sums)
            most = max(most, go(x, p, room))
        if most <= still:
            break
