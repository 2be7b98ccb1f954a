"""Joints that follow other joints."""

from __future__ import annotations

import math
from typing import Any

from unibody.newton import handles
from unibody.newton.builder.tables import Tables
from unibody.newton.enums import JointType

_KINDS = (JointType.PRISMATIC, JointType.REVOLUTE, JointType.D6)


def set_joint_mimic(
    self: Tables, joint: int, reference_joint: int | None, *, coeffs: Any = (0.0, 1.0)
) -> None:
    """Let each coordinate of a joint be ``coeffs[0] + coeffs[1] * q`` of another joint's.

    Args:
        self: The builder.
        joint: What follows.
        reference_joint: What it follows, which follows nothing itself; None: nothing any more.
        coeffs: Offset [m or rad] and factor.

    Raises:
        ValueError: The two do not fit one another.
    """
    handles.check("joint", joint, self.joint_count, "joints")
    if reference_joint is None:
        self.joint_mimic_joint[joint], self.joint_mimic_coeffs[joint] = -1, (0.0, 1.0)
        return
    handles.check("reference_joint", reference_joint, self.joint_count, "joints")
    _check_pair(self, joint, reference_joint)
    offset, factor = (float(v) for v in coeffs)
    if not (math.isfinite(offset) and math.isfinite(factor)):
        raise ValueError(f"coeffs={coeffs} are not two finite numbers")
    if self.joint_mimic_joint[reference_joint] >= 0:
        raise ValueError(
            f"Reference joint {reference_joint} is already a mimic joint: it follows"
            f" {self.label_of('joint', self.joint_mimic_joint[reference_joint])}, and Mimic chains"
            " are not supported"
        )
    if joint in self.joint_mimic_joint:
        other = self.joint_mimic_joint.index(joint)
        raise ValueError(
            f"Follower joint {joint} is already referenced by"
            f" {self.label_of('joint', other)}, and Mimic chains are not supported"
        )
    self.joint_mimic_joint[joint] = reference_joint
    self.joint_mimic_coeffs[joint] = (offset, factor)


def _check_pair(self: Tables, joint: int, reference: int) -> None:
    if joint == reference:
        raise ValueError(f"{self.label_of('joint', joint)} cannot mimic itself")
    kinds = [JointType(self.joint_type[j]) for j in (joint, reference)]
    if any(kind not in _KINDS for kind in kinds):
        raise ValueError(
            "Mimic followers and references only support PRISMATIC, REVOLUTE and D6 joints:"
            f" Follower joint {joint} has type {kinds[0].name},"
            f" reference joint {reference} has type {kinds[1].name}"
        )
    axes = [sum(self.joint_dof_dim[j]) for j in (joint, reference)]
    if axes[0] != axes[1]:
        raise ValueError(
            "Mimic joints must have matching position and velocity dimensions:"
            f" {self.label_of('joint', joint)} has {axes[0]} axes,"
            f" {self.label_of('joint', reference)} has {axes[1]}"
        )
    worlds = [self.joint_world[j] for j in (joint, reference)]
    if worlds[0] != worlds[1]:
        raise ValueError(
            f"Mimic joints must belong to the same world: {self.label_of('joint', joint)} is of"
            f" world {worlds[0]}, {self.label_of('joint', reference)} of world {worlds[1]}"
        )
    _check_articulations(self, joint, reference)


def _check_articulations(self: Tables, joint: int, reference: int) -> None:
    owners = [self.joint_articulation[j] for j in (joint, reference)]
    if min(owners) >= 0 and owners[0] != owners[1]:
        raise ValueError(
            "Mimic joints must belong to the same articulation:"
            f" {self.label_of('joint', joint)} is of articulation {owners[0]},"
            f" {self.label_of('joint', reference)} of {owners[1]}"
        )


def check_mimics(self: Tables) -> None:
    """Check that joints follow others of their own articulation.

    Raises:
        ValueError: One does not.
    """
    for joint, reference in enumerate(self.joint_mimic_joint):
        if reference >= 0:
            _check_articulations(self, joint, reference)
