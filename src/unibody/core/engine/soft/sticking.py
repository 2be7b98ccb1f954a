"""How far particles have slid on what they touch, which friction remembers from step to step.

Friction grows with the way slid up to its bound (see `core.deform.vbd.touch`). Were that the way of
one step, what friction holds would creep: a way in each step. So a contact goes on with the way of
the step before, but with no more of it than friction grows over: what is beyond is slid for good
(the bristle of Dahl 1968).
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from unibody.core.deform.contacts import FRICTION, GROWTH, MOTION, NORMAL, Contacts

FloatArray = NDArray[np.floating[Any]]
IntArray = NDArray[np.int64]


class Slid(NamedTuple):
    """Ways slid, by particle and geom. No way is long: that of another geom does no harm.

    Attributes:
        keys: Of particle and geom, in ascending order, (n,); see `key_of`.
        ways: (n, 3) [m].
    """

    keys: IntArray
    ways: FloatArray

    @classmethod
    def none(cls) -> Self:
        """Nothing touches."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros((0, 3)))

    def of(self, keys: IntArray) -> FloatArray:
        """Ways of contacts, zero for new ones, (n, 3) [m].

        Args:
            keys: Of the contacts; see `key_of`.
        """
        found = np.zeros((len(keys), 3))
        if len(self.keys):
            at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            known = self.keys[at] == keys
            found[known] = self.ways[at[known]]
        return found


def key_of(particles: Any, geoms: Any) -> IntArray:
    """One number for a particle and a geom, in ascending order by particles.

    Args:
        particles: (n,).
        geoms: (n,).
    """
    return (np.asarray(particles, dtype=np.int64) << 32) + np.asarray(geoms, dtype=np.int64)


def across(vectors: FloatArray, normals: FloatArray) -> FloatArray:
    """What of vectors is across normals, (n, 3)."""
    return vectors - np.einsum("ni,ni->n", vectors, normals)[:, None] * normals


def slid(contacts: Contacts, keys: IntArray, ways: FloatArray, forces: FloatArray) -> Slid:
    """What contacts remember after a step.

    Args:
        contacts: Of the step; what is touched moved, less the ways of the step before.
        keys: Of the contacts.
        ways: How far their particles went in the step, (n, 3) [m].
        forces: Of the contacts; those that do not push forget, (n, 3) [N].
    """
    rows = contacts.rows
    holds = (rows[:, FRICTION] > 0.0) & forces.any(axis=1)
    rows, keys = rows[holds], keys[holds]
    normals = rows[:, NORMAL : NORMAL + 3].astype(np.float64)
    found = across(ways[holds] - rows[:, MOTION : MOTION + 3], normals)
    lengths = np.maximum(np.linalg.norm(found, axis=1), np.finfo(np.float64).tiny)
    found *= np.minimum(rows[:, GROWTH] / lengths, 1.0)[:, None]
    order = np.argsort(keys, kind="stable")
    return Slid(keys[order], found[order])
