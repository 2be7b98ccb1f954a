"""Enumerations of the fleet API."""

from __future__ import annotations

from enum import Enum


class MotionMode(str, Enum):  # noqa: UP042 - a member formats as in the original
    """How a mobile base moves."""

    OMNIDIRECTIONAL = "omnidirectional"  # in any direction, without turning first
    DIFFERENTIAL = "differential"  # turns towards the goal, then drives


class PosePhase(str, Enum):  # noqa: UP042
    """What a base on its way to a pose does at the moment."""

    ROTATE = "rotate"
    FORWARD = "forward"


class MovementDirection(str, Enum):  # noqa: UP042
    """Which side of a differential base goes first."""

    FORWARD = "forward"
    BACKWARD = "backward"
    AUTO = "auto"  # backward where the goal lies more than 90 degrees behind


class ActionStatus(Enum):
    """Where an action stands."""

    NOT_STARTED = "not_started"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class SpatialHashCellSizeMode(Enum):
    """Where the cell size of the collision grid comes from."""

    CONSTANT = "constant"  # given
    AUTO_ADAPTIVE = "auto_adaptive"  # from the objects, anew whenever one comes or goes
    AUTO_INITIAL = "auto_initial"  # from the objects, once


class DoorState(str, Enum):  # noqa: UP042
    """Where a door stands."""

    CLOSED = "closed"
    OPENING = "opening"
    OPEN = "open"
    CLOSING = "closing"


class ControllerMode(str, Enum):  # noqa: UP042
    """What a kinematic controller follows."""

    IDLE = "idle"
    VELOCITY = "velocity"
    POSE = "pose"


class CollisionMode(Enum):
    """How an object takes part in collision checks."""

    NORMAL_3D = "normal_3d"
    NORMAL_2D = "normal_2d"  # for what stays on the ground; finds the same pairs as NORMAL_3D
    STATIC = "static"  # is collided with and never moves
    DISABLED = "disabled"  # is not there for collisions


class CollisionDetectionMethod(Enum):
    """What counts as a collision."""

    CLOSEST_POINTS = "closest_points"  # closer than the margin
    CONTACT_POINTS = "contact_points"  # a contact of the physics engine
    HYBRID = "hybrid"  # contacts where one of the two is simulated, else the distance
