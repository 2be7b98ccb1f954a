"""IKOptimizerLM and IKOptimizerLBFGS: many least-squares problems at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from unibody.newton.ik.modes import IKJacobianType
from unibody.newton.ik.objectives import IKObjective
from unibody.newton.ik.problems import Problems


class _Optimizer:
    """What both have: the problems and the costs of their last coordinates."""

    def __init__(
        self,
        model: Any,
        n_batch: int,
        objectives: Sequence[IKObjective],
        jacobian_mode: IKJacobianType,
        problem_idx: wp.array[Any] | None,
    ) -> None:
        self.model: Any = model
        self.device: Any = model.device
        self.n_batch: int = n_batch
        self.objectives = objectives
        self.jacobian_mode: IKJacobianType = IKJacobianType(jacobian_mode)
        self.problems: Problems = Problems(
            model, n_batch, objectives, self.jacobian_mode, problem_idx
        )
        self.n_dofs: int = self.problems.n_dofs
        self.n_coords: int = self.problems.n_coords
        self.n_residuals: int = self.problems.n_residuals
        self.costs: wp.array[Any] = wp.zeros(n_batch, dtype=float, device=model.device)

    def compute_costs(self, joint_q: wp.array[Any]) -> wp.array[Any]:
        """Sums of the squares of residuals, one a row."""
        residuals = self.problems.residuals(joint_q)
        self.costs.assign((residuals**2).sum(axis=1).astype(np.float32))
        return self.costs

    def _chosen(
        self, joint_q: wp.array[Any], other: wp.array[Any], better: np.ndarray
    ) -> wp.array[Any]:
        """Rows of the other coordinates where they are better."""
        rows = np.where(better[:, None], other.numpy(), joint_q.numpy())
        return wp.array(rows, dtype=float, device=self.device)


class IKOptimizerLM(_Optimizer):
    """Levenberg and Marquardt's method, with a damping of its own for each row.

    Args:
        model: The model.
        n_batch: Rows.
        objectives: What residuals there are.
        lambda_initial: The damping that rows begin with.
        jacobian_mode: Handed on to the objectives.
        lambda_factor: What the damping is divided by after a good step, and grows by after others.
        lambda_min: Least damping.
        lambda_max: Most damping.
        rho_min: Share of the predicted reduction that makes a step a good one.
        problem_idx: The problem of each row.
    """

    def __init__(
        self,
        model: Any,
        n_batch: int,
        objectives: Sequence[IKObjective],
        lambda_initial: float = 0.1,
        jacobian_mode: IKJacobianType = IKJacobianType.AUTODIFF,
        lambda_factor: float = 2.0,
        lambda_min: float = 1e-5,
        lambda_max: float = 1e10,
        rho_min: float = 1e-3,
        *,
        problem_idx: wp.array[Any] | None = None,
    ) -> None:
        super().__init__(model, n_batch, objectives, jacobian_mode, problem_idx)
        self.lambda_initial: float = lambda_initial
        self.lambda_factor: float = lambda_factor
        self.lambda_min: float = lambda_min
        self.lambda_max: float = lambda_max
        self.rho_min: float = rho_min
        self.reset()

    def reset(self) -> None:
        """Begin with the first damping again."""
        self._damping = np.full(self.n_batch, self.lambda_initial)

    def step(
        self,
        joint_q_in: wp.array[Any],
        joint_q_out: wp.array[Any],
        iterations: int = 10,
        step_size: float = 1.0,
    ) -> None:
        """Improve coordinates.

        Args:
            joint_q_in: Shape (rows, coordinates).
            joint_q_out: What is written; may be the same.
            iterations: How many steps.
            step_size: Share of each step that is taken.
        """
        problems = self.problems
        q = wp.clone(joint_q_in, requires_grad=False)
        residuals = problems.residuals(q)
        for _ in range(iterations):
            J = problems.jacobian(q)
            normal = np.einsum("nri,nrj->nij", J, J)
            slope = np.einsum("nri,nr->ni", J, residuals)
            damped = normal + self._damping[:, None, None] * np.eye(self.n_dofs)
            move = -np.linalg.solve(damped, slope[..., None])[..., 0] * step_size
            trial = problems.moved(q, move)
            after = problems.residuals(trial)
            change = (residuals**2).sum(axis=1) - (after**2).sum(axis=1)
            predicted = -2.0 * np.einsum("ni,ni->n", slope, move) - np.einsum(
                "ni,nij,nj->n", move, normal, move
            )
            good = change >= self.rho_min * np.maximum(predicted, 1e-20)
            q = self._chosen(q, trial, good)
            residuals = np.where(good[:, None], after, residuals)
            self._damping = np.clip(
                self._damping * np.where(good, 1.0 / self.lambda_factor, self.lambda_factor),
                self.lambda_min,
                self.lambda_max,
            )
            if not good.all():
                problems.residuals(q)  # motions of joints belong to what was kept
        wp.copy(joint_q_out, q)
        self.costs.assign((residuals**2).sum(axis=1).astype(np.float32))


class IKOptimizerLBFGS(_Optimizer):
    """The L-BFGS method, with a search along a few lengths of each step.

    Args:
        model: The model.
        n_batch: Rows.
        objectives: What residuals there are.
        jacobian_mode: Handed on to the objectives.
        history_len: Steps that the curvature is taken from.
        h0_scale: Scale of the first step.
        line_search_alphas: Lengths that are tried; None: eight from 0.1 to 3.
        wolfe_c1: Share of the slope's reduction that a length must bring.
        wolfe_c2: Share of the slope that may be left.
        problem_idx: The problem of each row.
    """

    def __init__(
        self,
        model: Any,
        n_batch: int,
        objectives: Sequence[IKObjective],
        jacobian_mode: IKJacobianType = IKJacobianType.AUTODIFF,
        history_len: int = 10,
        h0_scale: float = 1.0,
        line_search_alphas: Any = None,
        wolfe_c1: float = 1e-4,
        wolfe_c2: float = 0.9,
        *,
        problem_idx: wp.array[Any] | None = None,
    ) -> None:
        super().__init__(model, n_batch, objectives, jacobian_mode, problem_idx)
        self.history_len: int = history_len
        self.h0_scale: float = h0_scale
        default = [0.1, 0.2, 0.5, 0.8, 1.0, 1.5, 2.0, 3.0]
        self.line_search_alphas: list[float] = list(line_search_alphas or default)
        self.wolfe_c1: float = wolfe_c1
        self.wolfe_c2: float = wolfe_c2
        self.reset()

    def reset(self) -> None:
        """Forget the curvature."""
        self._pairs: list[tuple[np.ndarray, np.ndarray]] = []

    def step(
        self, joint_q_in: wp.array[Any], joint_q_out: wp.array[Any], iterations: int = 50
    ) -> None:
        """Improve coordinates.

        Args:
            joint_q_in: Shape (rows, coordinates).
            joint_q_out: What is written; may be the same.
            iterations: How many steps.
        """
        q = wp.clone(joint_q_in, requires_grad=False)
        cost, slope = self._cost_and_slope(q)
        for _ in range(iterations):
            direction = self._direction(slope)
            uphill = (direction * slope).sum(axis=1) >= 0.0
            direction[uphill] = -slope[uphill]
            q_next, cost_next, slope_next, move = self._search(q, cost, slope, direction)
            stuck = ~move.any(axis=1)
            for s, y in self._pairs:  # a row that found no way forgets its curvature
                s[stuck] = y[stuck] = 0.0
            self._pairs.append((move, slope_next - slope))
            del self._pairs[: -self.history_len]
            q, cost, slope = q_next, cost_next, slope_next
        wp.copy(joint_q_out, q)
        self.costs.assign(cost.astype(np.float32))

    def _cost_and_slope(self, q: wp.array[Any]) -> tuple[np.ndarray, np.ndarray]:
        residuals = self.problems.residuals(q)
        J = self.problems.jacobian(q)
        return (residuals**2).sum(axis=1), np.einsum("nri,nr->ni", J, residuals)

    def _direction(self, slope: np.ndarray) -> np.ndarray:
        """Minus the slope, by the inverse curvature of the kept steps (two loops)."""
        left = slope.copy()
        shares = []
        for s, y in reversed(self._pairs):
            inner = (s * y).sum(axis=1)
            rho = np.where(inner > 1e-12, 1.0 / np.maximum(inner, 1e-12), 0.0)
            share = rho * (s * left).sum(axis=1)
            left -= share[:, None] * y
            shares.append((rho, share))
        scale = np.full(len(slope), self.h0_scale)
        for s, y in self._pairs:
            inner, square = (s * y).sum(axis=1), (y * y).sum(axis=1)
            scale = np.where(inner > 1e-12, inner / np.maximum(square, 1e-12), scale)
        left *= scale[:, None]
        for (s, y), (rho, share) in zip(self._pairs, reversed(shares), strict=True):
            left += s * (share - rho * (y * left).sum(axis=1))[:, None]
        return -left

    def _search(
        self,
        q: wp.array[Any],
        cost: np.ndarray,
        slope: np.ndarray,
        direction: np.ndarray,
    ) -> tuple[wp.array[Any], np.ndarray, np.ndarray, np.ndarray]:
        """The best length that both of Wolfe's conditions hold for, else the best of all."""
        start = 2.0 * (slope * direction).sum(axis=1)
        best = np.full(self.n_batch, np.inf)
        length = np.zeros(self.n_batch)
        for alpha in self.line_search_alphas:
            trial = self.problems.moved(q, alpha * direction)
            found, there = self._cost_and_slope(trial)
            end = 2.0 * (there * direction).sum(axis=1)
            holds = (found <= cost + self.wolfe_c1 * alpha * start) & (
                np.abs(end) <= self.wolfe_c2 * np.abs(start)
            )
            rank = np.where(holds, found - 1e30, found)
            rank = np.where(found < cost, rank, np.inf)
            length = np.where(rank < best, alpha, length)
            best = np.minimum(best, rank)
        length = np.where(length > 0.0, length, self._shortest(q, cost, direction))
        move = length[:, None] * direction
        after = self.problems.moved(q, move)
        return (after, *self._cost_and_slope(after), move)

    def _shortest(self, q: wp.array[Any], cost: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """A length below all that are tried, where it brings anything; else none."""
        length = np.zeros(self.n_batch)
        for power in (1, 2, 3):
            alpha = min(self.line_search_alphas) * 0.1**power
            trial = self.problems.moved(q, alpha * direction)
            lower = (self.problems.residuals(trial) ** 2).sum(axis=1) < cost
            length = np.where(lower & (length == 0.0), alpha, length)
        return length
