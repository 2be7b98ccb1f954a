"""Objectives of inverse kinematics: residuals that are to be zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError


class IKObjective:
    """A part of the residuals of all problems. Scripts may write objectives of their own.

    An objective without `compute_jacobian_analytic` gets its Jacobian by differences.
    """

    def __init__(self) -> None:
        self.total_residuals: int | None = None
        self.residual_offset: int | None = None
        self.n_batch: int | None = None
        self.device: Any = None

    def set_batch_layout(self, total_residuals: int, residual_offset: int, n_batch: int) -> None:
        """Say where its residuals are among all, and how many rows are evaluated at once."""
        self.total_residuals = total_residuals
        self.residual_offset = residual_offset
        self.n_batch = n_batch

    def bind_device(self, device: Any) -> None:
        """Say where its arrays are to be."""
        self.device = device

    def init_buffers(self, model: Any, jacobian_mode: Any) -> None:
        """Make the arrays that its Jacobian needs."""

    def residual_dim(self) -> int:
        """How many residuals it has."""
        raise NotImplementedError(f"{type(self).__name__} does not define residual_dim")

    def compute_residuals(
        self,
        body_q: wp.array[Any],
        joint_q: wp.array[Any],
        model: Any,
        residuals: wp.array[Any],
        start_idx: int,
        problem_idx: wp.array[Any],
    ) -> None:
        """Write residuals, from column `start_idx` on; `problem_idx` is the problem of a row."""
        raise NotImplementedError(f"{type(self).__name__} does not define compute_residuals")

    def compute_jacobian_autodiff(
        self, tape: Any, model: Any, jacobian: wp.array[Any], start_idx: int, dq_dof: wp.array[Any]
    ) -> None:
        """Not called here: differences are taken instead."""
        raise NotImplementedError(
            f"{type(self).__name__} does not define compute_jacobian_autodiff"
        )

    def supports_analytic(self) -> bool:
        """Whether it has `compute_jacobian_analytic`."""
        return False

    def compute_jacobian_analytic(
        self,
        body_q: wp.array[Any],
        joint_q: wp.array[Any],
        model: Any,
        jacobian: wp.array[Any],
        joint_S_s: wp.array[Any],
        start_idx: int,
    ) -> None:
        """Write rows of the Jacobian; `joint_S_s` are motions of joints at the world's origin."""


def _affects(model: Any, link: int) -> wp.array[Any]:
    """Which degrees of freedom move a link."""
    if not 0 <= link < model.body_count:
        raise InvalidArgumentError("link_index", link, f"0 to {model.body_count - 1}")
    flags = np.zeros(model.joint_dof_count, np.int32)
    child, qd = model.joint_child.numpy(), model.joint_qd_start.numpy()
    parent = model.joint_parent.numpy()
    joint_of = {int(body): joint for joint, body in enumerate(child)}
    while link in joint_of:
        joint = joint_of[link]
        flags[qd[joint] : qd[joint + 1]] = 1
        link = int(parent[joint])
    return wp.array(flags, dtype=wp.int32, device=model.device)


def _with_row(array: wp.array[Any], row: int, value: Any) -> None:
    rows = array.numpy()
    if not 0 <= row < len(rows):
        raise InvalidArgumentError("problem_idx", row, f"0 to {len(rows) - 1}")
    rows[row] = tuple(value)
    array.assign(rows)


class _LinkObjective(IKObjective):
    """A part of the residuals that is about a link: three numbers.

    Args:
        link_index: The body.
        weight: Of the residuals.
    """

    def __init__(self, link_index: int, weight: float) -> None:
        super().__init__()
        self.link_index = link_index
        self.weight = weight
        self._affects: wp.array[Any] | None = None

    def init_buffers(self, model: Any, jacobian_mode: Any) -> None:
        """Find out which degrees of freedom move the link."""
        self._affects = _affects(model, self.link_index)

    def supports_analytic(self) -> bool:
        """Whether it has `compute_jacobian_analytic`: yes."""
        return True

    def residual_dim(self) -> int:
        """How many residuals it has: three."""
        return 3


class IKObjectivePosition(_LinkObjective):
    """A point of a link is at a target.

    Args:
        link_index: The body.
        link_offset: The point, in its frame.
        target_positions: One a problem, in the world frame.
        weight: Of the residuals.
    """

    def __init__(
        self,
        link_index: int,
        link_offset: Any,
        target_positions: wp.array[Any],
        weight: float = 1.0,
    ) -> None:
        super().__init__(link_index, weight)
        self.link_offset = link_offset
        self.target_positions = target_positions

    def set_target_position(self, problem_idx: int, new_position: Any) -> None:
        """Set the target of one problem."""
        _with_row(self.target_positions, problem_idx, new_position)

    def set_target_positions(self, new_positions: wp.array[Any]) -> None:
        """Set the targets of all problems."""
        wp.copy(self.target_positions, new_positions)

    def compute_residuals(
        self,
        body_q: Any,
        joint_q: Any,
        model: Any,
        residuals: Any,
        start_idx: int,
        problem_idx: Any,
    ) -> None:
        """Write target less place."""
        from unibody.newton.ik.ik_kernels import position_residuals

        wp.launch(
            position_residuals,
            dim=body_q.shape[0],
            inputs=[
                body_q,
                self.target_positions,
                self.link_index,
                wp.vec3(*self.link_offset),
                self.weight,
                start_idx,
                problem_idx,
            ],
            outputs=[residuals],
            device=body_q.device,
        )

    def compute_jacobian_analytic(
        self, body_q: Any, joint_q: Any, model: Any, jacobian: Any, joint_S_s: Any, start_idx: int
    ) -> None:
        """Write three rows."""
        from unibody.newton.ik.ik_kernels import position_jacobian

        wp.launch(
            position_jacobian,
            dim=joint_S_s.shape,
            inputs=[
                body_q,
                joint_S_s,
                self._affects,
                self.link_index,
                wp.vec3(*self.link_offset),
                self.weight,
                start_idx,
            ],
            outputs=[jacobian],
            device=body_q.device,
        )


class IKObjectiveRotation(_LinkObjective):
    """A link is turned as a target.

    Args:
        link_index: The body.
        link_offset_rotation: What turns in its frame.
        target_rotations: One a problem, as (x, y, z, w).
        canonicalize_quat_err: Whether the error is the short way round.
        weight: Of the residuals.
    """

    def __init__(
        self,
        link_index: int,
        link_offset_rotation: Any,
        target_rotations: wp.array[Any],
        canonicalize_quat_err: bool = True,
        weight: float = 1.0,
    ) -> None:
        super().__init__(link_index, weight)
        self.link_offset_rotation = link_offset_rotation
        self.target_rotations = target_rotations
        self.canonicalize_quat_err = canonicalize_quat_err

    def set_target_rotation(self, problem_idx: int, new_rotation: Any) -> None:
        """Set the target of one problem."""
        _with_row(self.target_rotations, problem_idx, new_rotation)

    def set_target_rotations(self, new_rotations: wp.array[Any]) -> None:
        """Set the targets of all problems."""
        wp.copy(self.target_rotations, new_rotations)

    def compute_residuals(
        self,
        body_q: Any,
        joint_q: Any,
        model: Any,
        residuals: Any,
        start_idx: int,
        problem_idx: Any,
    ) -> None:
        """Write the rotation vector from the target."""
        from unibody.newton.ik.ik_kernels import rotation_residuals

        wp.launch(
            rotation_residuals,
            dim=body_q.shape[0],
            inputs=[
                body_q,
                self.target_rotations,
                self.link_index,
                wp.quat(*self.link_offset_rotation),
                self.canonicalize_quat_err,
                self.weight,
                start_idx,
                problem_idx,
            ],
            outputs=[residuals],
            device=body_q.device,
        )

    def compute_jacobian_analytic(
        self, body_q: Any, joint_q: Any, model: Any, jacobian: Any, joint_S_s: Any, start_idx: int
    ) -> None:
        """Write three rows."""
        from unibody.newton.ik.ik_kernels import rotation_jacobian

        wp.launch(
            rotation_jacobian,
            dim=joint_S_s.shape,
            inputs=[joint_S_s, self._affects, self.weight, start_idx],
            outputs=[jacobian],
            device=body_q.device,
        )


class IKObjectiveJointLimit(IKObjective):
    """Joints are within their limits.

    Args:
        joint_limit_lower: One a degree of freedom.
        joint_limit_upper: One a degree of freedom.
        weight: Of the residuals.
    """

    def __init__(
        self,
        joint_limit_lower: wp.array[Any],
        joint_limit_upper: wp.array[Any],
        weight: float = 0.1,
    ) -> None:
        super().__init__()
        self.joint_limit_lower = joint_limit_lower
        self.joint_limit_upper = joint_limit_upper
        self.weight = weight
        self.n_dofs: int = len(joint_limit_lower)
        self._coordinate: wp.array[Any] | None = None

    def init_buffers(self, model: Any, jacobian_mode: Any) -> None:
        """Find the coordinate of each degree of freedom."""
        found = np.full(self.n_dofs, -1, np.int32)  # limits of other robots may follow
        coordinates = coordinates_of(model)[: self.n_dofs]
        found[: len(coordinates)] = coordinates
        self._coordinate = wp.array(found, dtype=wp.int32, device=model.device)

    def supports_analytic(self) -> bool:
        """Whether it has `compute_jacobian_analytic`: yes."""
        return True

    def residual_dim(self) -> int:
        """How many residuals it has: one a degree of freedom."""
        return self.n_dofs

    def compute_residuals(
        self,
        body_q: Any,
        joint_q: Any,
        model: Any,
        residuals: Any,
        start_idx: int,
        problem_idx: Any,
    ) -> None:
        """Write how far joints are outside."""
        from unibody.newton.ik.ik_kernels import limit_residuals

        self._launch(limit_residuals, joint_q, start_idx, residuals)

    def compute_jacobian_analytic(
        self, body_q: Any, joint_q: Any, model: Any, jacobian: Any, joint_S_s: Any, start_idx: int
    ) -> None:
        """Write the diagonal."""
        from unibody.newton.ik.ik_kernels import limit_jacobian

        self._launch(limit_jacobian, joint_q, start_idx, jacobian)

    def _launch(self, kernel: Any, joint_q: wp.array[Any], start: int, out: wp.array[Any]) -> None:
        wp.launch(
            kernel,
            dim=(joint_q.shape[0], self.n_dofs),
            inputs=[
                joint_q,
                self.joint_limit_lower,
                self.joint_limit_upper,
                self._coordinate,
                self.weight,
                start,
            ],
            outputs=[out],
            device=joint_q.device,
        )


def coordinates_of(model: Any) -> np.ndarray:
    """The coordinate of each degree of freedom; -1: it is part of a rotation."""
    q, qd = model.joint_q_start.numpy(), model.joint_qd_start.numpy()
    found = np.full(model.joint_dof_count, -1, np.int32)
    for joint in range(model.joint_count):
        count = qd[joint + 1] - qd[joint]
        if q[joint + 1] - q[joint] == count:
            found[qd[joint] : qd[joint + 1]] = np.arange(q[joint], q[joint + 1])
        elif count == 6:
            found[qd[joint] : qd[joint] + 3] = np.arange(q[joint], q[joint] + 3)
    return found
