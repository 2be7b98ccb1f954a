"""What actuators of MuJoCo act on."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import warp as wp

from unibody.newton import enums
from unibody.newton.builder import custom
from unibody.newton.enums import JointType
from unibody.newton.solvers.mujoco.authoring import rows

_GEARS = {JointType.BALL: 3, JointType.FREE: 6}
"""Joints that need a gear of their own -> how many numbers it has at least."""


@dataclass(frozen=True)
class ActuatorTarget:
    """What an actuator acts on; of the world that is being built, or of all.

    Attributes:
        kind: What it is.
        index: Of the entity.
        secondary_index: Of a second one, or -1.
        dof: Which degree of freedom of a joint; None: its only one.
    """

    class Kind(Enum):
        """What an actuator may act on."""

        JOINT = "joint"
        JOINT_DOF = "joint_dof"
        TENDON = "tendon"
        SITE = "site"
        BODY = "body"
        SLIDER_CRANK = "slider_crank"

    kind: ActuatorTarget.Kind
    index: int
    secondary_index: int = -1
    dof: int | None = None

    @classmethod
    def joint(cls, joint: int, *, dof: int | None = None) -> ActuatorTarget:
        """A joint; of ball and free joints the gear says in which direction."""
        return cls(cls.Kind.JOINT, int(joint), dof=None if dof is None else int(dof))

    @classmethod
    def joint_dof(cls, dof: int) -> ActuatorTarget:
        """A degree of freedom of the builder."""
        return cls(cls.Kind.JOINT_DOF, int(dof))

    @classmethod
    def tendon(cls, tendon: int) -> ActuatorTarget:
        """A tendon."""
        return cls(cls.Kind.TENDON, int(tendon))

    @classmethod
    def site(cls, site: int, *, refsite: int | None = None) -> ActuatorTarget:
        """A site, on its own or relative to another one."""
        return cls(cls.Kind.SITE, int(site), -1 if refsite is None else int(refsite))

    @classmethod
    def body(cls, body: int) -> ActuatorTarget:
        """A body."""
        return cls(cls.Kind.BODY, int(body))

    @classmethod
    def slider_crank(cls, cranksite: int, slidersite: int) -> ActuatorTarget:
        """The crank and the slider of a mechanism, two sites."""
        return cls(cls.Kind.SLIDER_CRANK, int(cranksite), int(slidersite))


class Resolved(NamedTuple):
    """A target as MuJoCo's attributes have it.

    Attributes:
        kind: ``actuator_trntype``.
        numbers: ``actuator_trnid``.
        gear: How many numbers the gear has at least.
    """

    kind: enums.ActuatorTarget
    numbers: Any
    gear: int = 1


def resolve(builder: Any, target: ActuatorTarget) -> Resolved:
    """Check a target and find its numbers.

    Raises:
        TypeError: It is none.
        IndexError: What it names does not exist.
        ValueError: That is of another kind or world.
    """
    if not isinstance(target, ActuatorTarget):
        raise TypeError(f"target={target!r} is not allowed: expected an ActuatorTarget")
    kinds = ActuatorTarget.Kind
    if target.kind in {kinds.JOINT, kinds.JOINT_DOF}:
        return _joint(builder, target)
    if target.kind in {kinds.SITE, kinds.SLIDER_CRANK}:
        return _sites(builder, target)
    index = target.index
    if target.kind == kinds.TENDON:
        count = custom.frequency_counts(builder).get("mujoco:tendon", 0)
        rows.check_index("tendon", index, count)
        world, kind = rows.world_of_row(builder, "mujoco:tendon_world", index), "TENDON"
    else:
        rows.check_index("body", index, builder.body_count)
        world, kind = int(builder.body_world[index]), "BODY"
    rows.check_world(builder, kind.lower(), index, world, "actuator")
    return Resolved(enums.ActuatorTarget[kind], wp.vec2i(index, -1))


def _joint(builder: Any, target: ActuatorTarget) -> Resolved:
    own = target.kind == ActuatorTarget.Kind.JOINT
    if own:
        joint, local = target.index, target.dof
        rows.check_index("joint", joint, builder.joint_count)
    else:
        rows.check_index("joint dof", target.index, builder.joint_dof_count)
        joint = bisect_right(builder.joint_qd_start, target.index) - 1
        local = target.index - builder.joint_qd_start[joint]
    kind = JointType(int(builder.joint_type[joint]))
    rows.check_world(builder, "joint", joint, int(builder.joint_world[joint]), "actuator")
    if kind in _GEARS:
        if target.dof is not None or not own:
            raise ValueError(
                f"a {kind.name} joint is driven by a native gear of MuJoCo: expected"
                " ActuatorTarget.joint(joint) without dof, and gear"
            )
        local = 0
    count = sum(builder.joint_dof_dim[joint])
    if local is None:
        if count != 1:
            raise ValueError(f"joint {joint} has {count} degrees of freedom: state its dof")
        local = 0
    rows.check_index("joint dof", local, count)
    dof = int(builder.joint_qd_start[joint]) + local
    return Resolved(enums.ActuatorTarget.JOINT, wp.vec2i(dof, -1), _GEARS.get(kind, 1))


def _sites(builder: Any, target: ActuatorTarget) -> Resolved:
    crank = target.kind == ActuatorTarget.Kind.SLIDER_CRANK
    names = ("cranksite", "slidersite") if crank else ("site", "refsite")
    for name, site in zip(names, (target.index, target.secondary_index), strict=True):
        if site >= 0 or crank or name == "site":
            rows.check_shape(builder, name, site, "actuator", site=True)
    kind = enums.ActuatorTarget.SLIDERCRANK if crank else enums.ActuatorTarget.SITE
    return Resolved(kind, wp.vec2i(target.index, target.secondary_index))
