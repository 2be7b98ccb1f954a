"""What contact sensors feel: the forces that push a body, near the sensor."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.isaac_core.simulation import seam


class Felt(NamedTuple):
    """The contacts of a body after a step.

    Attributes:
        contacts: In the world.
        others: Path of the other body of each; "" for one that has no name.
        pushing: Numbers of those that push.
        force: Length of the sum of the normal forces near the sensor [N].
        near: Whether one of those that push is near.
    """

    contacts: Any
    others: list[str]
    pushing: list[int]
    force: float
    near: bool

    def contact(self, row: int, dt: float) -> dict[str, npt.NDArray[np.float64]]:
        """Position, normal and impulse [N s] of a contact in the world, (3,) each."""
        normal = self.contacts.normals[row]
        return {
            "position": self.contacts.points[row],
            "normal": normal,
            "impulse": normal * self.contacts.forces[row] * dt,
        }


def feel(body: str, place: npt.NDArray[np.float64], radius: float) -> Felt:
    """Feel the contacts of a body.

    Args:
        body: Its path.
        place: Of the sensor, in the world, (3,).
        radius: Of the ball in which contacts are felt; not positive: everywhere.
    """
    found, others = seam.contacts_of(body)
    pushing = found.forces > 0.0
    near = pushing.copy()
    if radius > 0.0:
        near &= np.linalg.norm(found.points - place, axis=-1) < radius
    force = float(np.linalg.norm(found.forces[near] @ found.normals[near]))
    return Felt(found, others, np.flatnonzero(pushing).tolist(), force, bool(near.any()))
