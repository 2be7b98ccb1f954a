"""Forces of contacts on points inside of edges and triangles.

The law is that of a particle (see `touch`), at a point that is a mean of particles: each of them
bears its weight's share of the force, and of the second derivative the square of that share.
"""

from __future__ import annotations

from typing import Any

from unibody.core.deform.contacts import MOTION
from unibody.core.deform.feature_contacts import CORNERS, FeatureContacts
from unibody.core.deform.vbd.lanes import float32
from unibody.core.deform.vbd.touch import add_reaction, point_force, write_reaction
from unibody.machine_code import numba

_ZERO = float32(0.0)

_compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")


@_compiled
def feature_force(x: Any, before: Any, c: int, touched: FeatureContacts, rate: float) -> Any:
    """Force on the point of a contact, and the parts of its second derivative.

    Args:
        x: Places of all particles, flat [m].
        before: The same at the start of the step.
        c: The contact.
        touched: All of them.
        rate: One over the time step [1/s].

    Returns:
        As `touch.contact_force`.
    """
    row = touched.rows[c]
    px, py, pz = 0.0, 0.0, 0.0
    bx, by, bz = 0.0, 0.0, 0.0
    for k in range(CORNERS):
        v, w = 3 * touched.corners[c, k], touched.weights[c, k]
        px, py, pz = px + w * x[v], py + w * x[v + 1], pz + w * x[v + 2]
        bx, by, bz = bx + w * before[v], by + w * before[v + 1], bz + w * before[v + 2]
    ux, uy, uz = px - bx - row[MOTION], py - by - row[MOTION + 1], pz - bz - row[MOTION + 2]
    return point_force(px, py, pz, ux, uy, uz, row, rate)


@_compiled
def add_features(
    x: Any, before: Any, v: int, lane: int, touched: FeatureContacts, rate: float, sums: Any
) -> None:
    """Add gradient and second derivative of the contacts that a particle has a share of.

    Args:
        x: Places of all particles, flat [m].
        before: The same at the start of the step.
        v: The particle.
        lane: Where it is in its tile.
        touched: All contacts.
        rate: One over the time step [1/s].
        sums: What is added to, 9 rows.
    """
    for entry in range(touched.first[v], touched.first[v + 1]):
        c = touched.of[entry]
        share = _ZERO
        for k in range(CORNERS):
            if touched.corners[c, k] == v:
                share += touched.weights[c, k]
        found = feature_force(x, before, c, touched, rate)
        add_reaction(found, touched.rows[c], share, sums, lane)


@_compiled
def write_feature_reactions(
    x: Any, before: Any, touched: FeatureContacts, rate: float, forces: Any, stiffness: Any
) -> None:
    """Write what contacts do to their points.

    Args:
        x: Places of all particles, flat [m].
        before: The same at the start of the step.
        touched: All contacts.
        rate: One over the time step [1/s].
        forces: Gets the force on each point, (n, 3) [N].
        stiffness: Gets that along the normal and that across it, (n, 2) [N/m].
    """
    for c in range(len(touched.rows)):
        write_reaction(feature_force(x, before, c, touched, rate), c, forces, stiffness)
