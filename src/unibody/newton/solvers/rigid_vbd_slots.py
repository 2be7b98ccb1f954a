"""Rows of SolverVBD's joints as scripts of 1.x read them: slots with stiffness and damping.

A joint has a slot for places and one for turns, and one for each free axis behind them; ball
joints have one for places alone, rods one each for stretch, shear, bend and twist.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton.enums import JointType
from unibody.newton.solvers.rigid_vbd_attributes import rest_of_rods


class JointSlots:
    """Stiffness, damping and layout of the rows of joints.

    Args:
        model: The model.
        rows: Stiffness and damping of joints (along, about).

    Raises:
        ValueError: A rod is not as stiff in both directions across it.
    """

    def __init__(self, model: Any, rows: Any) -> None:
        self._model, self._rows = model, rows
        kinds = model.joint_type.numpy() if model.joint_count else np.zeros(0, np.int32)
        dims = model.joint_dof_dim.numpy() if model.joint_count else np.zeros((0, 2), np.int32)
        self._kinds = kinds
        counts = [
            _slots_of(int(kind), int(sum(dim))) for kind, dim in zip(kinds, dims, strict=True)
        ]
        self._starts = np.cumsum([0, *counts]).astype(np.int32)
        device = model.device
        self.start: wp.array[Any] = wp.array(self._starts[:-1], dtype=wp.int32, device=device)
        self.dim: wp.array[Any] = wp.array(
            np.array(counts, np.int32), dtype=wp.int32, device=device
        )
        total = int(self._starts[-1])
        for name in ("material", "present", "least", "damping"):
            setattr(self, name, wp.zeros(total, dtype=float, device=device))
        self.structure: wp.array[Any] = wp.zeros(model.body_count, dtype=float, device=device)
        hard = np.zeros(total, np.int32)
        for j, own in enumerate(rows["hard"]):
            wide = 0 if not own else min(counts[j], 2)
            hard[self._starts[j] : self._starts[j] + wide] = 1
        self.refresh()
        hard[self.material.numpy() == 0.0] = 0  # type: ignore[attr-defined]
        self.hard: wp.array[Any] = wp.array(hard, dtype=wp.int32, device=device)
        bends, twists = rest_of_rods(kinds, rows["rest"])
        self.rest_bend: wp.array[Any] = wp.array(bends, dtype=wp.vec3, device=device)
        self.rest_twist: wp.array[Any] = wp.array(twists, dtype=float, device=device)
        self.refresh_structure()

    def refresh_rest(self, turns: Any) -> None:
        """Take over the turns of rods at rest.

        Args:
            turns: Quaternions, one a joint.
        """
        bends, twists = rest_of_rods(self._kinds, turns)
        self.rest_bend.assign(bends)
        self.rest_twist.assign(twists)

    def refresh(self) -> None:
        """Take over stiffness and damping of axes from the model.

        Raises:
            ValueError: A rod is not as stiff in both directions across it.
        """
        model: Any = self._model
        if not model.joint_count:
            return
        ke, kd, limit = (
            getattr(model, f"joint_{name}").numpy()
            for name in ("target_ke", "target_kd", "limit_ke")
        )
        dims, begins = model.joint_dof_dim.numpy(), model.joint_qd_start.numpy()
        stiffness, damping = np.zeros(self._starts[-1]), np.zeros(self._starts[-1])
        for j, kind in enumerate(self._kinds):
            slot, dof = self._starts[j], begins[j]
            count = self._starts[j + 1] - slot
            if kind == JointType.ROD:
                _check_rod(j, ke[dof : dof + 6], kd[dof : dof + 6])
                axes = dof + np.array((2, 0, 3, 5))  # stretch, shear, bend, twist
                stiffness[slot : slot + 4], damping[slot : slot + 4] = ke[axes], kd[axes]
                continue
            for n in range(min(count, 2)):
                if dims[j, n] < 3 or kind in (JointType.BALL, JointType.CABLE):
                    stiffness[slot + n] = self._rows["most"][j, n]
                    damping[slot + n] = self._rows["damping"][j, n]
            for n in range(2, count):
                stiffness[slot + n] = max(ke[dof + n - 2], limit[dof + n - 2])
        for array, values in (
            *((array, stiffness) for array in (self.material, self.present, self.least)),  # type: ignore[attr-defined]
            (self.damping, damping),  # type: ignore[attr-defined]
        ):
            array.assign(values.astype(np.float32))

    def refresh_structure(self) -> None:
        """Note for each body the stiffest enabled joint that holds its place [N/m]."""
        model: Any = self._model
        found = np.zeros(model.body_count, np.float32)
        if model.joint_count:
            enabled = model.joint_enabled.numpy()
            material = self.material.numpy()  # type: ignore[attr-defined]
            ends = zip(model.joint_parent.numpy(), model.joint_child.numpy(), strict=True)
            for j, pair in enumerate(ends):
                slot, count = self._starts[j], self._starts[j + 1] - self._starts[j]
                if not enabled[j] or not count:
                    continue
                wide = 2 if self._kinds[j] == JointType.ROD else 1
                for body in pair:
                    if body >= 0:
                        found[body] = max(found[body], material[slot : slot + wide].max())
        self.structure.assign(found)


def _slots_of(kind: int, axes: int) -> int:
    """How many rows a joint has."""
    fixed = {JointType.FREE: 0, JointType.BALL: 1, JointType.ROD: 4, JointType.CABLE: 2}
    return fixed.get(JointType(kind), 2 + axes)


def _check_rod(joint: int, stiffness: Any, damping: Any) -> None:
    for values in (stiffness, damping):
        if values[0] != values[1] or values[3] != values[4]:
            raise ValueError(
                f"SolverVBD requires isotropic ROD shear and bend, about the axis Z: joint {joint} "
                f"has stiffness {stiffness.tolist()} and damping {damping.tolist()}"
            )
