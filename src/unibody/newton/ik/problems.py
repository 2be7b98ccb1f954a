"""Residuals and Jacobians of many problems, on a device; steps are solved for on the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from unibody.newton.articulations import joints_of
from unibody.newton.ik.objectives import IKObjective

_DIFFERENCE = 1e-3  # rad or m: float32 leaves 1e-7 / 1e-3 of a residual of about one


class Problems:
    """The problems of a batch.

    Args:
        model: The model, of which each row is one.
        n_batch: Rows.
        objectives: What their residuals are.
        jacobian_mode: Handed on to the objectives.
        problem_idx: The problem of each row; None: its own.
    """

    def __init__(
        self,
        model: Any,
        n_batch: int,
        objectives: Sequence[IKObjective],
        jacobian_mode: Any,
        problem_idx: wp.array[Any] | None,
    ) -> None:
        self.model: Any = model
        self.n_batch: int = n_batch
        self.objectives: list[IKObjective] = list(objectives)
        self.offsets: list[int] = np.cumsum(
            [0, *(o.residual_dim() for o in self.objectives)]
        ).tolist()
        self.n_residuals: int = int(self.offsets[-1])
        self.n_dofs: int = model.joint_dof_count
        self.n_coords: int = model.joint_coord_count
        for objective, offset in zip(self.objectives, self.offsets, strict=False):
            objective.set_batch_layout(self.n_residuals, offset, n_batch)
            objective.bind_device(model.device)
            objective.init_buffers(model, jacobian_mode)
        with wp.ScopedDevice(model.device):
            if problem_idx is None:
                problem_idx = wp.array(np.arange(n_batch, dtype=np.int32), dtype=wp.int32)
            self.problem_idx = problem_idx
            self.body_q: wp.array[Any] = wp.zeros((n_batch, model.body_count), dtype=wp.transform)
            self.S: wp.array[Any] = wp.zeros((n_batch, self.n_dofs), dtype=wp.spatial_vector)
            self._residuals = wp.zeros((n_batch, self.n_residuals), dtype=float)
            self._jacobian = wp.zeros((n_batch, self.n_residuals, self.n_dofs), dtype=float)
            self._step = wp.zeros((n_batch, self.n_dofs), dtype=float)

    def residuals(self, joint_q: wp.array[Any]) -> np.ndarray:
        """Residuals of all rows, shape (rows, residuals)."""
        from unibody.newton.ik.ik_kernels import poses

        model = self.model
        wp.launch(
            poses,
            dim=(self.n_batch, model.articulation_count),
            inputs=[joints_of(model), joint_q, model.body_com],
            outputs=[self.body_q, self.S],
            device=model.device,
        )
        self._residuals.zero_()
        for objective, offset in zip(self.objectives, self.offsets, strict=False):
            objective.compute_residuals(
                self.body_q, joint_q, model, self._residuals, offset, self.problem_idx
            )
        return self._residuals.numpy().astype(np.float64)

    def jacobian(self, joint_q: wp.array[Any]) -> np.ndarray:
        """The Jacobian at the coordinates of the last residuals: (rows, residuals, dofs)."""
        self._jacobian.zero_()
        by_differences = []
        for number, objective in enumerate(self.objectives):
            if objective.supports_analytic():
                objective.compute_jacobian_analytic(
                    self.body_q,
                    joint_q,
                    self.model,
                    self._jacobian,
                    self.S,
                    self.offsets[number],
                )
            else:
                by_differences.append(number)
        found = self._jacobian.numpy().astype(np.float64)
        if by_differences:
            rows = np.concatenate(
                [np.arange(self.offsets[k], self.offsets[k + 1]) for k in by_differences]
            )
            for dof in range(self.n_dofs):
                step = np.zeros((self.n_batch, self.n_dofs))
                step[:, dof] = _DIFFERENCE
                ends = [self.residuals(self.moved(joint_q, sign * step)) for sign in (1.0, -1.0)]
                found[:, rows, dof] = (ends[0] - ends[1])[:, rows] / (2.0 * _DIFFERENCE)
        return found

    def moved(self, joint_q: wp.array[Any], step: np.ndarray) -> wp.array[Any]:
        """Coordinates after a step of the degrees of freedom."""
        from unibody.newton.ik.ik_kernels import moved_coordinates

        model = self.model
        self._step.assign(step.astype(np.float32))
        after = wp.empty_like(joint_q, requires_grad=False)
        wp.launch(
            moved_coordinates,
            dim=(self.n_batch, model.joint_count),
            inputs=[joints_of(model), model.body_com, joint_q, self._step],
            outputs=[after],
            device=model.device,
        )
        return after
