"""Bodies of a few modes of deformation: a rigid frame, and shapes that are added to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.deform.state import State
from unibody.errors import InvalidArgumentError

FloatArray = NDArray[np.float64]


class Shape(NamedTuple):
    """What does not change of a modal body.

    Attributes:
        rest: Where its points are in its frame without deformation, (p, 3) [m].
        masses: Of its points, (p,) [kg].
        modes: What each mode moves each point by, (r, 3 p).
        projected: What a force at each point does to each mode beside what it does to the frame,
            (r, 3 p).
        stiffness: Of each mode, whose mass is one, (r,).
        inverse_inertia: In the frame, (3, 3) [1/(kg m^2)].
    """

    rest: FloatArray
    masses: FloatArray
    modes: FloatArray
    projected: FloatArray
    stiffness: FloatArray
    inverse_inertia: FloatArray


class Motion(NamedTuple):
    """Where a modal body is, and how it moves.

    Attributes:
        place: Of the frame, (3,) [m].
        turn: Of the frame, (3, 3).
        linear: Velocity of the frame, (3,) [m/s].
        angular: Of the frame, (3,) [rad/s].
        amounts: Of each mode, (r,).
        rates: How fast they change, (r,) [1/s].
    """

    place: FloatArray
    turn: FloatArray
    linear: FloatArray
    angular: FloatArray
    amounts: FloatArray
    rates: FloatArray


@dataclass(eq=False)
class ModalBody:
    """A body of a few modes of deformation.

    Attributes:
        shape: What does not change.
        motion: Where it is, and how it moves.
        state: Where its points are, and how they move; made from `motion`.
        radius: How far its surface is from what it touches [m].
        friction: Coefficient of its contacts.
        damping: Share of the stiffness that resists the rates [s].
        correction: Share of an overlap that goes in a step.
        softness: Share of the impulse of a contact by which the contact gives way.
    """

    shape: Shape
    motion: Motion
    state: State
    radius: float = 0.02
    friction: float = 0.0
    damping: float = 0.0
    correction: float = 0.2
    softness: float = 0.2

    @property
    def masses(self) -> FloatArray:
        """Of its points, (p,) [kg]."""
        return self.shape.masses

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Smallest and largest corner of the box around its surface [m]."""
        places = self.state.positions
        return places.min(axis=0) - self.radius, places.max(axis=0) + self.radius

    def move(self, turn: FloatArray, before: FloatArray, after: FloatArray) -> None:
        """Turn it about a point, put that point elsewhere, and let it rest.

        Args:
            turn: (3, 3).
            before: The point, (3,) [m].
            after: Where it goes, (3,) [m].
        """
        motion = self.motion
        motion.place[:] = turn @ (motion.place - before) + after
        motion.turn[:] = turn @ motion.turn
        self.set_velocity(np.zeros(3), np.zeros(3))

    def set_velocity(self, linear: FloatArray, angular: FloatArray) -> None:
        """Let it move as if it were rigid [m/s, rad/s]."""
        self.motion.linear[:], self.motion.angular[:] = linear, angular
        self.motion.rates[:] = 0.0
        self.update()

    def update(self) -> None:
        """Make the state from the motion."""
        shape, motion = self.shape, self.motion
        arms = (shape.rest + (motion.amounts @ shape.modes).reshape(-1, 3)) @ motion.turn.T
        self.state.positions[:] = arms + motion.place
        change = (motion.rates @ shape.modes).reshape(-1, 3) @ motion.turn.T
        self.state.velocities[:] = np.cross(motion.angular, arms) + change + motion.linear


def shape_of(points: Any, masses: Any, modes: Any, stiffness: Any, mass: float) -> Shape:
    """The shape of a modal body.

    Args:
        points: (p, 3) [m].
        masses: Their shares, (p,).
        modes: (r, p, 3).
        stiffness: (r,).
        mass: Of all of it [kg].

    Raises:
        InvalidArgumentError: If the mass is not positive, or all points lie on a line.
    """
    if not (np.isfinite(mass) and mass > 0.0):
        raise InvalidArgumentError("mass", mass, "a positive number")
    weights = np.asarray(masses, dtype=np.float64)
    weights = weights * (mass / weights.sum())
    rest = np.asarray(points, dtype=np.float64)
    rest = rest - weights @ rest / mass
    squares: NDArray[np.floating[Any]] = (weights[:, None] * rest).T @ rest
    inertia: NDArray[np.floating[Any]] = np.trace(squares) * np.eye(3) - squares
    if np.linalg.cond(inertia) > 1e12:
        raise InvalidArgumentError("points", len(rest), "points that do not lie on a line")
    inverse = np.asarray(np.linalg.inv(inertia), dtype=np.float64)
    shapes = np.ascontiguousarray(modes, dtype=np.float64)
    return Shape(
        rest, weights, shapes.reshape(len(shapes), -1),
        projected_modes(rest, weights, shapes, inverse).reshape(len(shapes), -1),
        np.array(stiffness, dtype=np.float64), inverse,
    )  # fmt: skip


def projected_modes(rest: Any, masses: Any, modes: Any, inverse: Any) -> FloatArray:
    """Modes without what a force at a point does to the frame, (r, p, 3).

    A force at a point moves the frame; what the modes get of it is the rest (the projection of
    Bullet's reduced bodies).

    Args:
        rest: (p, 3) [m].
        masses: (p,) [kg].
        modes: (r, p, 3).
        inverse: Inverse of the inertia, (3, 3) [1/(kg m^2)].
    """
    straight = (1.0 - masses / masses.sum())[:, None] * modes
    turned = np.cross(rest, np.cross(rest, modes) @ inverse.T)
    return straight + masses[:, None] * turned


def modal_body(shape: Shape, place: Any, turn: Any, **surface: float) -> ModalBody:
    """A body at rest, without deformation.

    Args:
        shape: What does not change of it.
        place: Of its mass centre, (3,) [m].
        turn: (3, 3).
        surface: See `ModalBody`.
    """
    count = len(shape.stiffness)
    motion = Motion(
        np.array(place, dtype=np.float64), np.array(turn, dtype=np.float64), np.zeros(3),
        np.zeros(3), np.zeros(count), np.zeros(count),
    )  # fmt: skip
    body = ModalBody(shape, motion, State.at(np.zeros_like(shape.rest)), **surface)
    body.update()
    return body
