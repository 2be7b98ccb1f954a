"""Inverse kinematics: joint coordinates whose links are where objectives want them."""

from __future__ import annotations

from unibody.newton.ik.modes import IKJacobianType, IKOptimizer, IKSampler
from unibody.newton.ik.objectives import (
    IKObjective,
    IKObjectiveJointLimit,
    IKObjectivePosition,
    IKObjectiveRotation,
)
from unibody.newton.ik.optimizers import IKOptimizerLBFGS, IKOptimizerLM
from unibody.newton.ik.solver import IKSolver

__all__ = [
    "IKJacobianType",
    "IKObjective",
    "IKObjectiveJointLimit",
    "IKObjectivePosition",
    "IKObjectiveRotation",
    "IKOptimizer",
    "IKOptimizerLBFGS",
    "IKOptimizerLM",
    "IKSampler",
    "IKSolver",
]
