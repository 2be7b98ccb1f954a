"""IKSolver: problems with several seeds each, of which the best is kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton.ik.modes import IKJacobianType, IKOptimizer, IKSampler
from unibody.newton.ik.objectives import IKObjective, coordinates_of
from unibody.newton.ik.optimizers import IKOptimizerLBFGS, IKOptimizerLM

_NO_LIMIT = 9.9e5


class IKSolver:
    """Finds joint coordinates at which residuals of objectives are least.

    Args:
        model: The model; a problem is one of its poses.
        n_problems: How many problems there are.
        objectives: What residuals there are.
        optimizer: "lm" or "lbfgs".
        jacobian_mode: Handed on to the objectives.
        sampler: Where seeds are: "none", "gauss", "uniform" or "roberts".
        n_seeds: Seeds a problem.
        noise_std: Of "gauss" [rad or m].
        rng_seed: Of the seeds.
        lambda_initial: See `IKOptimizerLM`.
        lambda_factor: See `IKOptimizerLM`.
        lambda_min: See `IKOptimizerLM`.
        lambda_max: See `IKOptimizerLM`.
        rho_min: See `IKOptimizerLM`.
        history_len: See `IKOptimizerLBFGS`.
        h0_scale: See `IKOptimizerLBFGS`.
        line_search_alphas: See `IKOptimizerLBFGS`.
        wolfe_c1: See `IKOptimizerLBFGS`.
        wolfe_c2: See `IKOptimizerLBFGS`.
    """

    def __init__(
        self,
        model: Any,
        n_problems: int,
        objectives: Sequence[IKObjective],
        *,
        optimizer: IKOptimizer | str = IKOptimizer.LM,
        jacobian_mode: IKJacobianType | str = IKJacobianType.AUTODIFF,
        sampler: IKSampler | str = IKSampler.NONE,
        n_seeds: int = 1,
        noise_std: float = 0.1,
        rng_seed: int = 12345,
        lambda_initial: float = 0.1,
        lambda_factor: float = 2.0,
        lambda_min: float = 1e-5,
        lambda_max: float = 1e10,
        rho_min: float = 1e-3,
        history_len: int = 10,
        h0_scale: float = 1.0,
        line_search_alphas: Any = None,
        wolfe_c1: float = 1e-4,
        wolfe_c2: float = 0.9,
    ) -> None:
        self.optimizer_type: IKOptimizer = IKOptimizer(optimizer)
        self.sampler: IKSampler = IKSampler(sampler)
        if n_seeds < 1:
            raise ValueError("n_seeds must be >= 1")
        if self.sampler is IKSampler.NONE and n_seeds != 1:
            raise ValueError("sampler 'none' requires n_seeds == 1")
        self.model: Any = model
        self.device: Any = model.device
        self.objectives: Sequence[IKObjective] = objectives
        self.n_problems: int = n_problems
        self.n_seeds: int = n_seeds
        self.noise_std: float = noise_std
        self.n_coords: int = model.joint_coord_count
        self.n_dofs: int = model.joint_dof_count
        self._rng_seed = rng_seed
        self._rng = np.random.default_rng(rng_seed)
        rows = n_problems * n_seeds
        numbers = np.repeat(np.arange(n_problems, dtype=np.int32), n_seeds)
        options: dict[str, Any] = {
            "jacobian_mode": IKJacobianType(jacobian_mode),
            "problem_idx": wp.array(numbers, dtype=wp.int32, device=model.device),
        }
        self._impl: Any
        if self.optimizer_type is IKOptimizer.LM:
            options |= {"lambda_initial": lambda_initial, "lambda_factor": lambda_factor}
            options |= {"lambda_min": lambda_min, "lambda_max": lambda_max, "rho_min": rho_min}
            self._impl = IKOptimizerLM(model, rows, objectives, **options)
        else:
            options |= {"history_len": history_len, "h0_scale": h0_scale}
            options |= {"line_search_alphas": line_search_alphas}
            options |= {"wolfe_c1": wolfe_c1, "wolfe_c2": wolfe_c2}
            self._impl = IKOptimizerLBFGS(model, rows, objectives, **options)
        with wp.ScopedDevice(model.device):
            self.joint_q_expanded: wp.array[Any] = wp.zeros((rows, self.n_coords), dtype=float)
            self.best_indices: wp.array[Any] = wp.zeros(n_problems, dtype=wp.int32)

    @property
    def joint_q(self) -> wp.array[Any]:
        """Coordinates of all seeds."""
        return self.joint_q_expanded

    @property
    def costs(self) -> wp.array[Any]:
        """Costs of all seeds."""
        return self._impl.costs

    def __getattr__(self, name: str) -> Any:
        if name == "_impl":
            raise AttributeError(name)
        return getattr(self._impl, name)

    def reset(self) -> None:
        """Begin again, with the same seeds."""
        self._impl.reset()
        self.best_indices.zero_()
        self._rng = np.random.default_rng(self._rng_seed)

    def step(
        self,
        joint_q_in: wp.array[Any],
        joint_q_out: wp.array[Any],
        iterations: int = 50,
        step_size: float = 1.0,
    ) -> None:
        """Solve all problems.

        Args:
            joint_q_in: Where they begin, shape (problems, coordinates).
            joint_q_out: The best of their seeds, written; may be the same.
            iterations: Steps of the optimizer.
            step_size: Share of each step that is taken, with "lm".
        """
        allowed = (self.n_problems, self.n_coords)
        for name, array in (("joint_q_in", joint_q_in), ("joint_q_out", joint_q_out)):
            if array.shape != allowed:
                raise InvalidArgumentError(name, f"shape {array.shape}", f"shape {allowed}")
        rows = self.joint_q_expanded
        rows.assign(self._seeds(joint_q_in.numpy()).astype(np.float32))
        self._impl.reset()
        if self.optimizer_type is IKOptimizer.LM:
            self._impl.step(rows, rows, iterations=iterations, step_size=step_size)
        else:
            self._impl.step(rows, rows, iterations=iterations)
        costs = self._impl.compute_costs(rows).numpy().reshape(self.n_problems, self.n_seeds)
        best = np.nan_to_num(costs, nan=np.inf).argmin(axis=1)
        self.best_indices.assign(best.astype(np.int32))
        all_rows = rows.numpy().reshape(self.n_problems, self.n_seeds, self.n_coords)
        joint_q_out.assign(np.ascontiguousarray(all_rows[np.arange(self.n_problems), best]))

    def _seeds(self, start: np.ndarray) -> np.ndarray:
        rows = np.repeat(start, self.n_seeds, axis=0)
        if self.sampler is IKSampler.NONE:
            return rows
        lower, upper, bounded = self._bounds()
        number = np.tile(np.arange(self.n_seeds), self.n_problems)[:, None]
        if self.sampler is IKSampler.GAUSS:
            noisy = rows + self._rng.normal(0.0, self.noise_std, rows.shape)
            noisy = np.where(bounded, np.clip(noisy, lower, upper), noisy)
            return np.where(number == 0, rows, noisy)
        if self.sampler is IKSampler.UNIFORM:
            share = self._rng.uniform(0.0, 1.0, rows.shape)
        else:
            share = np.mod(number * _roberts(self.n_coords), 1.0)
        return np.where(bounded, lower + share * (upper - lower), self._middle())

    def _middle(self) -> np.ndarray:
        """Zeros, but rotations that turn nothing."""
        middle = np.zeros(self.n_coords)
        q, qd = self.model.joint_q_start.numpy(), self.model.joint_qd_start.numpy()
        for joint in range(self.model.joint_count):
            if q[joint + 1] - q[joint] > qd[joint + 1] - qd[joint]:
                middle[q[joint + 1] - 1] = 1.0
        return middle

    def _bounds(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Limits of coordinates, and which have them."""
        lower, upper = np.zeros(self.n_coords), np.zeros(self.n_coords)
        bounded = np.zeros(self.n_coords, dtype=bool)
        low, high = self.model.joint_limit_lower.numpy(), self.model.joint_limit_upper.numpy()
        for dof, coordinate in enumerate(coordinates_of(self.model)):
            if coordinate >= 0 and high[dof] - low[dof] < _NO_LIMIT:
                lower[coordinate], upper[coordinate] = low[dof], high[dof]
                bounded[coordinate] = True
        return lower, upper, bounded


def _roberts(count: int) -> np.ndarray:
    """Steps of Roberts' sequence: powers of the inverse root of x^(n+1) = x + 1."""
    root = 2.0
    for _ in range(64):
        root = (1.0 + root) ** (1.0 / (count + 1))
    return (1.0 / root) ** np.arange(1, count + 1)
