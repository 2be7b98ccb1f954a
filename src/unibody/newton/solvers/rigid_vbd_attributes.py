"""What scripts of 1.x read of SolverVBD's rigid bodies."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from unibody.newton.enums import JointType

_SHOWN = {
    "joint_constraint_start": "slots.start",
    "joint_constraint_dim": "slots.dim",
    "joint_material_k": "slots.material",
    "joint_penalty_k": "slots.present",
    "joint_penalty_k_min": "slots.least",
    "joint_penalty_kd": "slots.damping",
    "joint_is_hard": "slots.hard",
    "joint_drive_lambda": "drive_hold",
    "joint_limit_lambda": "limit_hold",
    "joint_drive_limit_support": "drive_metric",
    "joint_rod_rest_kb_local": "slots.rest_bend",
    "joint_rod_rest_twist": "slots.rest_twist",
    "body_structural_k": "slots.structure",
    "body_q_prev": "bodies.before",
    "rigid_adjacency": "adjacency",
    "joint_sigma_prev": "joints.friction",
    "joint_kappa_prev": "joints.bent",
    "joint_dkappa_prev": "joints.bent_by",
    "joint_sigma_start": "hysteresis.first",
    "body_body_contact_lambda": "held_contacts.multipliers",
}
"""Attributes of the solver -> where its rigid bodies have them."""

_OPTIONS = (
    *("rigid_joint_linear_ke", "rigid_joint_angular_ke"),
    *("rigid_joint_linear_kd", "rigid_joint_angular_kd"),
    *("rigid_compliant_alm", "rigid_avbd_gamma", "rigid_contact_history"),
)


def _of_bodies(name: str, path: str) -> property:
    get = operator.attrgetter(path)

    def read(self: Any) -> Any:
        if self._bodies is None:
            raise AttributeError(f"SolverVBD has no {name}: it does not move rigid bodies")
        return get(self._bodies)

    return property(read, doc=f"The ``{name}`` of 1.x.")


def _of_options(name: str) -> property:
    def read(self: Any) -> Any:
        return getattr(self._options, name)

    return property(read, doc=f"The option ``{name}``.")


class RigidAttributes:
    """Attributes of SolverVBD that are options, or arrays of its rigid bodies."""

    _bodies: Any

    @property
    def enable_dahl_friction(self) -> bool:
        """Whether a rod has friction inside."""
        return self._bodies is not None and self._bodies.hysteresis.is_in_use


for _name, _path in _SHOWN.items():
    setattr(RigidAttributes, _name, _of_bodies(_name, _path))
for _name in _OPTIONS:
    setattr(RigidAttributes, _name, _of_options(_name))


def rest_of_rods(kinds: Any, turns: Any) -> tuple[np.ndarray, np.ndarray]:
    """Bending and twist of rods at rest, in the frames of their parents.

    Args:
        kinds: Kinds of joints.
        turns: Their turns at rest, as quaternions.

    Returns:
        Twice the tangent of half the angle, about the axis of bending; and angles of twist [rad].
    """
    bends, twists = np.zeros((len(kinds), 3), np.float32), np.zeros(len(kinds), np.float32)
    for j in np.flatnonzero(kinds == JointType.ROD):
        x, y, z, w = (float(value) for value in turns[j])
        tangent = np.array((2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)))
        bends[j] = 2.0 * np.cross((0.0, 0.0, 1.0), tangent) / max(1.0 + tangent[2], 1e-9)
        twists[j] = 2.0 * np.arctan2(z, w)
    return bends, twists
