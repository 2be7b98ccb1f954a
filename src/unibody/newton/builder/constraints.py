"""Equality constraints, mimic constraints and muscles."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton import convert, handles
from unibody.newton.builder import custom
from unibody.newton.builder.tables import Tables
from unibody.newton.dialect import in_use, is_after_first_of_1, with_later_names
from unibody.newton.enums import AttributeFrequency, EqType
from unibody.newton.exceptions import NewtonDeprecationWarning, warn


@with_later_names
def add_equality_constraint(
    self: Tables,
    constraint_type: Any,
    body1: int = -1,
    body2: int = -1,
    anchor: Any = None,
    torquescale: float | None = None,
    relpose: Any = None,
    joint1: int = -1,
    joint2: int = -1,
    polycoef: list[float] | None = None,
    key: str | None = None,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add an equality constraint of any kind.

    Args:
        self: The builder.
        constraint_type: An `EqType`.
        body1: Body, or -1 for the world.
        body2: Body, or -1 for the world.
        anchor: Point: in body 1 for a connection, in body 2 for a weld.
        torquescale: Weight of the rotation in a weld; None: 1, in 1.x 0 for other kinds.
        relpose: Pose of body 2 in body 1, for a weld.
        joint1: For a coupling: what follows.
        joint2: For a coupling: what it follows, or -1 for a constant.
        polycoef: Five coefficients of the coupling.
        key: Name.
        enabled: Whether it acts.
        custom_attributes: Key -> value, of frequency EQUALITY_CONSTRAINT.

    Returns:
        The index of the constraint.
    """
    kind = EqType(constraint_type)
    for name, body in (("body1", body1), ("body2", body2)):
        handles.check(name, body, self.body_count, "bodies", world=True)
    for name, joint in (("joint1", joint1), ("joint2", joint2)):
        handles.check(name, joint, self.joint_count, "joints", world=True)
    try:
        coefficients = [0.0] * 5 if polycoef is None else [float(v) for v in polycoef]
    except (TypeError, ValueError):
        coefficients = []
    if len(coefficients) != 5:
        raise InvalidArgumentError("polycoef", polycoef, "five coefficients")
    number = self.count("equality_constraint")
    point = wp.vec3() if anchor is None else convert.vec3("anchor", anchor)
    self.equality_constraint_type.append(kind)
    self.equality_constraint_body1.append(body1)
    self.equality_constraint_body2.append(body2)
    self.equality_constraint_anchor.append(point)
    if torquescale is None:
        torquescale = float(kind == EqType.WELD or in_use() == "0.2")
    self.equality_constraint_torquescale.append(torquescale)
    self.equality_constraint_relpose.append(convert.transform("relpose", relpose))
    self.equality_constraint_joint1.append(joint1)
    self.equality_constraint_joint2.append(joint2)
    self.equality_constraint_polycoef.append(coefficients)
    self.equality_constraint_key.append(key)
    self.equality_constraint_enabled.append(enabled)
    self.equality_constraint_world.append(self.current_world)
    custom.set_values(self, number, custom_attributes, AttributeFrequency.EQUALITY_CONSTRAINT)
    return number


@with_later_names
def add_equality_constraint_connect(
    self: Tables,
    body1: int = -1,
    body2: int = -1,
    anchor: Any = None,
    key: str | None = None,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Connect two bodies at a point of the first. See `add_equality_constraint`."""
    return add_equality_constraint(
        self,
        EqType.CONNECT,
        body1,
        body2,
        anchor=anchor,
        key=key,
        enabled=enabled,
        custom_attributes=custom_attributes,
    )


@with_later_names
def add_equality_constraint_joint(
    self: Tables,
    joint1: int = -1,
    joint2: int = -1,
    polycoef: list[float] | None = None,
    key: str | None = None,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Let one joint follow a polynomial of another. See `add_equality_constraint`."""
    return add_equality_constraint(
        self,
        EqType.JOINT,
        joint1=joint1,
        joint2=joint2,
        polycoef=polycoef,
        key=key,
        enabled=enabled,
        custom_attributes=custom_attributes,
    )


@with_later_names
def add_equality_constraint_weld(
    self: Tables,
    body1: int = -1,
    body2: int = -1,
    anchor: Any = None,
    torquescale: float | None = None,
    relpose: Any = None,
    key: str | None = None,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Hold two bodies together. See `add_equality_constraint`."""
    return add_equality_constraint(
        self,
        EqType.WELD,
        body1,
        body2,
        anchor=anchor,
        torquescale=torquescale,
        relpose=relpose,
        key=key,
        enabled=enabled,
        custom_attributes=custom_attributes,
    )


@with_later_names
def add_constraint_mimic(
    self: Tables,
    joint0: int,
    joint1: int,
    coef0: float = 0.0,
    coef1: float = 1.0,
    enabled: bool = True,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Let a joint be ``coef0 + coef1 * joint1``.

    Args:
        self: The builder.
        joint0: What follows.
        joint1: What it follows.
        coef0: m or rad.
        coef1: Factor.
        enabled: Whether it acts.
        key: Name.
        custom_attributes: Key -> value, of frequency CONSTRAINT_MIMIC.

    Returns:
        The index of the constraint.
    """
    if is_after_first_of_1():
        told = "add_constraint_mimic is deprecated: set_joint_mimic lets one joint follow another"
        warn(told, NewtonDeprecationWarning)
    for name, joint, part in (("joint0", joint0, "follower"), ("joint1", joint1, "leader")):
        if not 0 <= joint < self.joint_count:
            raise InvalidArgumentError(
                name, joint, f"0..{self.joint_count - 1}: Invalid {part} joint index"
            )
        if self.joint_world[joint] != self.current_world:
            raise ValueError(
                f"Mimic constraint joints must belong to the current world {self.current_world}:"
                f" {name}, {self.label_of('joint', joint)}, is of world {self.joint_world[joint]}"
            )
    number = self.count("constraint_mimic")
    self.constraint_mimic_joint0.append(joint0)
    self.constraint_mimic_joint1.append(joint1)
    self.constraint_mimic_coef0.append(coef0)
    self.constraint_mimic_coef1.append(coef1)
    self.constraint_mimic_enabled.append(enabled)
    self.constraint_mimic_key.append(key)
    self.constraint_mimic_world.append(self.current_world)
    custom.set_values(self, number, custom_attributes, AttributeFrequency.CONSTRAINT_MIMIC)
    return number


def add_muscle(
    self: Tables,
    bodies: list[int],
    positions: list[Any],
    f0: float,
    lm: float,
    lt: float,
    lmax: float,
    pen: float,
) -> int:
    """Add a muscle that goes through points of bodies.

    Args:
        self: The builder.
        bodies: One for each point.
        positions: Points in the frames of the bodies [m].
        f0: Scale of the force.
        lm: Length of the muscle.
        lt: Length of the tendon.
        lmax: Longest efficient length.
        pen: Penalty.

    Returns:
        The index of the muscle.
    """
    if len(bodies) != len(positions):
        raise InvalidArgumentError("positions", f"{len(positions)} points", f"{len(bodies)} points")
    for body in bodies:
        handles.check("bodies", body, self.body_count, "bodies", world=True)
    self.muscle_start.append(len(self.muscle_bodies))
    self.muscle_params.append((f0, lm, lt, lmax, pen))
    self.muscle_activations.append(0.0)
    self.muscle_bodies.extend(bodies)
    self.muscle_points.extend(positions)
    return self.muscle_count - 1
