"""Parameters of the engine's model from the properties of actors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.batch import tables
from unibody.core.batch.layout import Control
from unibody.core.batch.places import ActorPlaces
from unibody.core.engine.records import rule_table as rules
from unibody.core.engine.records.rule_table import DriveMode
from unibody.errors import NotSupportedError

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Present = Callable[[str], Array]  # a field of MjModel by name, as it is in the first world

UNLIMITED = 1e9  # rad or m
FASTEST = 100.0  # rad/s or m/s: of joints whose velocity is not limited, as in PhysX
COMPONENTS = 3  # of a rotation vector
MOST_FORCE = 1e9  # N or Nm: more is no limit
MOST_EFFORT = 1e7  # N or Nm: of more, single precision leaves nothing of all other forces
FIRST = slice(0, 1)  # world


class Change(NamedTuple):
    """Values of a parameter of some worlds.

    Attributes:
        name: The field of MjModel.
        columns: Which elements of it.
        values: (worlds, columns, ...).
        structural: Constants of the model follow from it.
    """

    name: str
    columns: Ints
    values: Array
    structural: bool = False


def driven(table: tables.Records) -> npt.NDArray[np.bool_]:
    """Which degrees of freedom have a spring or a damper."""
    return (table["stiffness"] != 0.0) | (table["damping"] != 0.0)


def limits(table: tables.Records) -> tuple[Array, Array]:
    """Lower and upper limits; none is a very large number."""
    limited = table["limited"]
    lower = np.where(limited, table["lower"], -UNLIMITED)
    upper = np.where(limited, table["upper"], UNLIMITED)
    lower, upper = np.clip(lower, -UNLIMITED, UNLIMITED), np.clip(upper, -UNLIMITED, UNLIMITED)
    return lower, np.maximum(upper, lower + 1e-9)


def dof_changes(
    place: ActorPlaces, table: tables.Records, present: Present, *, held_at_speed: bool
) -> list[Change]:
    """Parameters of the joints of one actor of an environment, in some worlds.

    Args:
        place: Of the actor.
        table: Properties of its degrees of freedom, (worlds, dofs).
        present: Gives what others have written into the same fields.
        held_at_speed: Joints have a row in the solver that holds them at their largest speed.
    """
    if not len(place.dofs):
        return []
    lower, upper = limits(table)
    speed = np.where(table["speed"] < UNLIMITED, table["speed"], FASTEST)
    first = np.flatnonzero(place.components == 0)  # of each ball joint, the others follow
    single = place.components < 0
    friction = table["friction"]
    rows = driven(table) | (~single & table["limited"])
    if held_at_speed:
        rows |= table["speed"] < FASTEST
    rows = rows.astype(float)
    if friction[:, ~single].any():
        raise NotSupportedError("friction of a ball joint", "damping")
    changes = [
        Change("dof_armature", place.qvel, table["armature"], structural=True),
        Change("dof_frictionloss", place.qvel, np.where(single, friction, rows)),
        Change("jnt_range", place.joints[single], np.stack([lower, upper], axis=-1)[:, single]),
        Change("tendon_frictionloss", place.drives[single], rows[:, single]),
    ]
    if len(first):
        changes += _ball_changes(place.joints[first], lower, upper, first, present)
        for others in (first + 1, first + 2):  # PhysX has one limit a joint
            speed[:, first] = np.minimum(speed[:, first], speed[:, others])
        speed[:, first + 1] = speed[:, first + 2] = speed[:, first]
    numbers = np.repeat(present("body_user")[None, place.dof_bodies], len(table), axis=0)
    numbers[..., rules.B_SPEED_LIMIT] = speed
    changes.append(Change("body_user", place.dof_bodies, numbers))
    return changes


def _ball_changes(
    joints: Ints, lower: Array, upper: Array, first: Ints, present: Present
) -> list[Change]:
    """Bounds of the rotation vectors of ball joints, whose components begin at ``first``."""
    numbers = np.repeat(present("jnt_user")[None, joints], len(lower), axis=0)
    for component in range(COMPONENTS):
        numbers[..., rules.J_LOWER + component] = lower[:, first + component]
        numbers[..., rules.J_UPPER + component] = upper[:, first + component]
    return [Change("jnt_user", joints, numbers)]


def drive_rows(table: tables.Records, positions: Any, velocities: Any) -> Array:
    """Rules of the drives of an actor in some worlds, (worlds, dofs, DRIVE_SIZE).

    A spring and a damper act whatever controls are listened to; the targets of others are zero.

    Args:
        table: Properties of the degrees of freedom, (worlds, dofs).
        positions: Position targets, (worlds, dofs).
        velocities: Velocity targets, (worlds, dofs).
    """
    rows = np.zeros((*table.shape, rules.DRIVE_SIZE))
    accelerates = table["acceleration"] != 0
    modes = np.where(accelerates, float(DriveMode.ACCELERATION), float(DriveMode.PD))
    rows[..., rules.D_MODE] = np.where(driven(table), modes, float(DriveMode.OFF))
    rows[..., rules.D_KP] = table["stiffness"]
    rows[..., rules.D_KD] = table["damping"]
    rows[..., rules.D_LIMIT] = np.minimum(table["effort"], MOST_FORCE)
    rows[..., rules.D_SPEED_LIMIT] = np.where(accelerates, 1.0, np.inf)  # or D_INERTIA
    rows[..., rules.D_ROW] = -1.0
    controls = table["controls"]
    rows[..., rules.D_POSITION] = np.where(controls & Control.POSITION, positions, 0.0)
    rows[..., rules.D_VELOCITY] = np.where(controls & Control.VELOCITY, velocities, 0.0)
    return rows


def body_changes(
    place: ActorPlaces, table: tables.Records, compiled: Present, *, gravity: bool
) -> list[Change]:
    """Mass properties of one actor of an environment, in some worlds.

    Args:
        place: Of the actor.
        table: Properties of its bodies, (worlds, bodies).
        compiled: Gives fields as they were compiled.
        gravity: Whether gravity acts on the actor at all.
    """
    shape = table.shape
    axes = np.tile(compiled("body_iquat")[place.bodies], (len(table), 1))
    moments, quats = tables.principal(table["inertia"].reshape(-1, 3, 3), axes)
    falls = ((table["flags"] & tables.BodyFlag.WEIGHTLESS) == 0) & gravity
    return [
        Change("body_mass", place.bodies, np.maximum(table["mass"], 1e-6), structural=True),
        Change("body_ipos", place.bodies, table["com"], structural=True),
        Change(
            "body_inertia",
            place.bodies,
            np.maximum(moments, 1e-9).reshape(*shape, 3),
            structural=True,
        ),
        Change("body_iquat", place.bodies, quats.reshape(*shape, 4), structural=True),
        Change("body_gravcomp", place.bodies, 1.0 - falls.astype(float)),
    ]


def scale_changes(place: ActorPlaces, ratios: Array, compiled: Present) -> list[Change]:
    """Lengths of one actor of an environment, in some worlds: multiples of those compiled."""
    changes: list[Change] = []
    for name, columns in (
        ("body_pos", place.moved_bodies),
        ("jnt_pos", place.joints),
        ("geom_pos", place.geoms),
        ("geom_size", place.geoms),
        ("geom_rbound", place.geoms),
        ("geom_aabb", place.geoms),
    ):
        if len(columns):
            values = np.multiply.outer(ratios, compiled(name)[columns])
            changes.append(Change(name, columns, values, structural=True))
    return changes


def surface_changes(place: ActorPlaces, table: tables.Records, present: Present) -> list[Change]:
    """Surfaces of one actor of an environment, in some worlds.

    Args:
        place: Of the actor.
        table: Surfaces of its shapes, (worlds, shapes).
        present: Gives what others have written into the same fields.
    """
    if not len(place.geoms):
        return []
    own = table[:, place.geom_shapes]
    friction = np.repeat(present("geom_friction")[None, place.geoms], len(table), axis=0)
    friction[..., 0] = own["friction"]
    numbers = np.repeat(present("geom_user")[None, place.geoms], len(table), axis=0)
    numbers[..., rules.G_RESTITUTION] = own["restitution"]
    return [
        Change("geom_friction", place.geoms, friction),
        Change("geom_user", place.geoms, numbers),
    ]
