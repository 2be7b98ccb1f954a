"""Names of optimizers, of samplers, and of ways to Jacobians."""

from __future__ import annotations

from enum import Enum


class IKJacobianType(Enum):
    """How Jacobians of objectives are worked out.

    Objectives with closed forms use them in all modes; of others differences are taken.
    """

    AUTODIFF = "autodiff"
    ANALYTIC = "analytic"
    MIXED = "mixed"


class IKOptimizer(str, Enum):  # noqa: UP042
    """Which optimizer a solver uses."""

    LM = "lm"
    LBFGS = "lbfgs"


class IKSampler(str, Enum):  # noqa: UP042
    """Where the seeds of a problem are."""

    NONE = "none"
    GAUSS = "gauss"
    UNIFORM = "uniform"
    ROBERTS = "roberts"
