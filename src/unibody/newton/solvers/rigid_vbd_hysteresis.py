"""Rods of SolverVBD that bend with hysteresis: what lasts over steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton.enums import JointType


class Hysteresis:
    """Friction in rods, up to ``dahl_eps_max`` times their stiffness, over ``dahl_tau`` [rad].

    Args:
        model: The model.
        joints: The struct of joints that kernels read; it gets the arrays, if a rod has friction.
    """

    def __init__(self, model: Any, joints: Any) -> None:
        self._model, self._joints = model, joints
        own: Any = getattr(model, "vbd", None)
        most, length = getattr(own, "dahl_eps_max", None), getattr(own, "dahl_tau", None)
        self.is_in_use = False
        if most is None or length is None or not model.joint_count:
            return
        rods = model.joint_type.numpy() == JointType.ROD
        self.is_in_use: bool = bool((rods & (most.numpy() > 0.0) & (length.numpy() > 0.0)).any())
        if not self.is_in_use:
            return
        joints.friction_strain, joints.friction_length = most, length
        count, device = model.joint_count, model.device
        for name in ("friction", "bent", "bent_by"):
            setattr(joints, name, wp.zeros(count, dtype=wp.vec3, device=device))
        self.anew: wp.array[Any] = wp.full(count, True, dtype=bool, device=device)
        self.first: wp.array[Any] = wp.zeros(count, dtype=wp.vec3, device=device)

    def begin(self, bodies: Any, axes: Any) -> None:
        """Begin a step where the bodies are."""
        from unibody.newton.solvers import rigid_vbd_hysteresis_kernels as kernels

        if self.is_in_use:
            rows = [bodies, self._joints, axes, self.anew, self.first]
            self._launch(kernels.begin_hysteresis, rows)

    def end(self, bodies: Any, axes: Any) -> None:
        """Note what friction has come to after a step."""
        from unibody.newton.solvers import rigid_vbd_hysteresis_kernels as kernels

        if self.is_in_use:
            self._launch(kernels.end_hysteresis, [bodies, self._joints, axes])

    def forget(self, chosen: Any) -> None:
        """Let friction of some joints begin anew in the next step.

        Args:
            chosen: Which joints, as bools.
        """
        if self.is_in_use:
            self.anew.assign(np.asarray(self.anew.numpy()) | chosen)

    def _launch(self, kernel: Any, inputs: list[Any]) -> None:
        wp.launch(kernel, self._model.joint_count, inputs, device=self._model.device)
