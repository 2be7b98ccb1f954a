"""What particles and rigid bodies exert on one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.deform.contacts import Contacts

if TYPE_CHECKING:
    from unibody.core.engine.world.world import World

FloatArray = NDArray[np.floating[Any]]

HARD = 30.0
"""Stiffness of a contact with what cannot move, in masses of the particle over the step squared."""

SHARE = 0.5
"""The sum of the stiffnesses at a rigid body, in its masses over the step squared."""


class Touching(NamedTuple):
    """Contacts of particles with rigid bodies in one step.

    Attributes:
        contacts: As the particles see them.
        bodies: What each row's particle touches, (n,).
        points: Where, (n, 3) [m].
        particles: Of each row, (n,).
        keys: Of particles and geoms, see `sticking.key_of`, (n,).
    """

    contacts: Contacts
    bodies: NDArray[np.int64]
    points: FloatArray
    particles: NDArray[np.int64]
    keys: NDArray[np.int64]

    def wrenches(self, world: World, push: FloatArray) -> FloatArray:
        """What the contacts exert on each rigid body, (nbody, 6) [N, Nm].

        Args:
            world: Of the rigid bodies.
            push: Forces on the particles, (n, 3) [N].
        """
        result = np.zeros((world.model.nbody, 6))
        arms = self.points - world.data.xipos[self.bodies]
        np.add.at(result[:, :3], self.bodies, -push)
        np.add.at(result[:, 3:], self.bodies, np.cross(arms, -push))
        return result


def velocities(world: World, bodies: Any, points: FloatArray) -> FloatArray:
    """Of points of bodies, (n, 3) [m/s]."""
    model, data = world.model, world.data
    twists = data.cvel[bodies]
    arms = points - data.subtree_com[model.body_rootid[bodies]]
    return twists[:, 3:] + np.cross(twists[:, :3], arms)


def fastest(data: Any) -> float:
    """The largest of all components of rigid bodies' velocities [m/s]."""
    return float(np.abs(data.cvel[:, 3:]).max(initial=0.0))


def mass_of(world: World, body: int) -> float:
    """What a body resists a push with; what cannot move has no bound [kg]."""
    inverse = float(world.model.body_invweight0[body, 0])
    return 1.0 / inverse if inverse > 0.0 else np.inf


def stiffnesses(world: World, bodies: Any, masses: FloatArray, time_step: float) -> FloatArray:
    """Of contacts with bodies, (n,) [N/m].

    Args:
        world: Of the bodies.
        bodies: What is touched, (n,).
        masses: Upper bounds, in masses over the step squared, (n,) [kg].
        time_step: s.
    """
    inverse = np.array(world.model.body_invweight0[bodies, 0], dtype=np.float64)
    counts = np.bincount(bodies, minlength=world.model.nbody)[bodies]
    with np.errstate(divide="ignore"):
        bounds = np.where(inverse > 0.0, SHARE / (inverse * counts), np.inf)
    return np.minimum(masses, bounds) / (time_step * time_step)
