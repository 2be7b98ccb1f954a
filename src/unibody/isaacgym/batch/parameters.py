"""Properties of actors as parameters of worlds: who differs from the first has rows of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.engine.records import rule_table as rules
from unibody.core.engine.records.rule_table import DriveMode
from unibody.errors import NotSupportedError
from unibody.isaacgym.batch import tables
from unibody.isaacgym.batch.actor import Actor
from unibody.isaacgym.types.constants import RIGID_BODY_DISABLE_GRAVITY
from unibody.isaacgym.types.enums import DofDriveMode, SimType

if TYPE_CHECKING:
    from unibody.isaacgym.batch.group import Group

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

UNLIMITED = 1e9  # rad or m
FASTEST = 100.0  # rad/s or m/s: of joints whose velocity is not limited, as in PhysX
COMPONENTS = 3  # of a rotation vector
MOST_FORCE = 1e9  # N or Nm: more is no limit
MOST_EFFORT = 1e7  # N or Nm: of more, single precision leaves nothing of all other forces
FIRST = slice(0, 1)  # world
_POSITION, _VELOCITY = int(DofDriveMode.DOF_MODE_POS), int(DofDriveMode.DOF_MODE_VEL)


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


def _with_row(table: tables.Records) -> npt.NDArray[np.bool_]:
    """Which degrees of freedom have a row in the solver: of a drive, or to hold them at a speed."""
    return driven(table) | (table["velocity"] < FASTEST)


def limits(table: tables.Records) -> tuple[Array, Array]:
    """Lower and upper limits; none is a very large number."""
    limited = table["hasLimits"]
    lower = np.where(limited, table["lower"].astype(float), -UNLIMITED)
    upper = np.where(limited, table["upper"].astype(float), UNLIMITED)
    lower, upper = np.clip(lower, -UNLIMITED, UNLIMITED), np.clip(upper, -UNLIMITED, UNLIMITED)
    return lower, np.maximum(upper, lower + 1e-9)


def dof_changes(group: Group, local: int, actors: Sequence[Actor]) -> list[Change]:
    """Parameters of the joints of one actor of an environment, in some worlds."""
    place = group.places.actors[local]
    if not len(place.dofs):
        return []
    table = tables.stacked([_acting(actor) for actor in actors])
    lower, upper = limits(table)
    velocity = table["velocity"].astype(float)
    velocity = np.where(velocity < UNLIMITED, velocity, FASTEST)
    first = np.flatnonzero(place.components == 0)  # of each ball joint, the others follow
    single = place.components < 0
    friction = table["friction"].astype(float)
    rows = (_with_row(table) | (~single & table["hasLimits"])).astype(float)
    if friction[:, ~single].any():
        raise NotSupportedError("friction of a ball joint", "damping")
    changes = [
        Change("dof_armature", place.qvel, table["armature"].astype(float), structural=True),
        Change("dof_frictionloss", place.qvel, np.where(single, friction, rows)),
        Change("jnt_range", place.joints[single], np.stack([lower, upper], axis=-1)[:, single]),
        Change("tendon_frictionloss", place.drives[single], rows[:, single]),
    ]
    if len(first):
        changes += _ball_changes(group, place.joints[first], lower, upper, first)
        for others in (first + 1, first + 2):  # PhysX has one limit a joint
            velocity[:, first] = np.minimum(velocity[:, first], velocity[:, others])
        velocity[:, first + 1] = velocity[:, first + 2] = velocity[:, first]
    speeds = np.repeat(
        group.worlds_values("body_user", FIRST)[:, place.dof_bodies], len(actors), axis=0
    )
    speeds[..., rules.B_SPEED_LIMIT] = velocity
    changes.append(Change("body_user", place.dof_bodies, speeds))
    return changes


def _ball_changes(
    group: Group, joints: Ints, lower: Array, upper: Array, first: Ints
) -> list[Change]:
    """Bounds of the rotation vectors of ball joints, whose components begin at ``first``."""
    numbers = group.worlds_values("jnt_user", FIRST)[:, joints].repeat(len(lower), axis=0)
    for component in range(COMPONENTS):
        numbers[..., rules.J_LOWER + component] = lower[:, first + component]
        numbers[..., rules.J_UPPER + component] = upper[:, first + component]
    return [Change("jnt_user", joints, numbers)]


def _acting(actor: Actor) -> tables.Records:
    """The properties of an actor's degrees of freedom, with the gains that act."""
    if actor.env.sim.type != SimType.SIM_FLEX:
        return actor.dof_table
    table = actor.dof_table.copy()
    idle = (table["driveMode"] != _POSITION) & (table["driveMode"] != _VELOCITY)
    table["stiffness"][idle] = table["damping"][idle] = 0.0
    return table


def drive_rows(actors: Sequence[Actor]) -> Array:
    """Rules of the drives of an actor in some worlds, (worlds, dofs, DRIVE_SIZE).

    A spring and a damper act whatever the mode (of FleX only in those of positions and velocities),
    which says what kind of control is accepted: the targets of another kind are zero.
    """
    table = tables.stacked([_acting(actor) for actor in actors])
    rows = np.zeros((*table.shape, rules.DRIVE_SIZE))
    rows[..., rules.D_MODE] = np.where(driven(table), float(DriveMode.PD), float(DriveMode.OFF))
    rows[..., rules.D_KP] = table["stiffness"]
    rows[..., rules.D_KD] = table["damping"]
    rows[..., rules.D_LIMIT] = np.minimum(table["effort"].astype(float), MOST_FORCE)
    rows[..., rules.D_SPEED_LIMIT] = np.inf
    rows[..., rules.D_ROW] = -1.0
    position = np.stack([actor.position_targets for actor in actors])
    velocity = np.stack([actor.velocity_targets for actor in actors])
    rows[..., rules.D_POSITION] = np.where(table["driveMode"] == _POSITION, position, 0.0)
    rows[..., rules.D_VELOCITY] = np.where(table["driveMode"] == _VELOCITY, velocity, 0.0)
    return rows


def body_changes(group: Group, local: int, actors: Sequence[Actor]) -> list[Change]:
    """Mass properties of one actor of an environment, in some worlds."""
    place = group.places.actors[local]
    table = tables.stacked([actor.body_table for actor in actors])
    shape = table.shape
    compiled = np.tile(group.compiled_values("body_iquat")[place.bodies], (len(actors), 1))
    moments, quats = tables.principal(table["inertia"].reshape(-1, 3, 3), compiled)
    falls = (table["flags"] & RIGID_BODY_DISABLE_GRAVITY) == 0
    falls &= np.array([not actor.model.options.disable_gravity for actor in actors])[:, None]
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


def scale_changes(group: Group, local: int, actors: Sequence[Actor]) -> list[Change]:
    """Lengths of one actor of an environment, in some worlds: multiples of those compiled."""
    place = group.places.actors[local]
    ratios = np.array([actor.scale / group.scales[local] for actor in actors])
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
            base = group.compiled_values(name)[columns]
            changes.append(Change(name, columns, np.multiply.outer(ratios, base), structural=True))
    return changes


def shape_changes(group: Group, local: int, actors: Sequence[Actor]) -> list[Change]:
    """Surfaces of one actor of an environment, in some worlds."""
    place = group.places.actors[local]
    if not len(place.geoms):
        return []
    table = tables.stacked([actor.shape_table for actor in actors])[:, place.geom_shapes]
    friction = group.worlds_values("geom_friction", FIRST)[:, place.geoms]
    friction = np.repeat(friction, len(actors), axis=0)
    friction[..., 0] = table["friction"]
    numbers = np.repeat(
        group.worlds_values("geom_user", FIRST)[:, place.geoms], len(actors), axis=0
    )
    numbers[..., rules.G_RESTITUTION] = table["restitution"]
    return [
        Change("geom_friction", place.geoms, friction),
        Change("geom_user", place.geoms, numbers),
    ]


def gravity(value: Any) -> list[float]:
    """A vector of the API as numbers."""
    return [value.x, value.y, value.z]
