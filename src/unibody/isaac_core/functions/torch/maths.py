"""Products of tensors, seeds and scales."""

from __future__ import annotations

import math
import os
import random
from typing import Any

import numpy as np
import torch

__all__ = [
    "copysign", "cos", "inverse", "matmul", "normalize", "scale", "scale_transform", "set_seed",
    "sin", "tensor_clamp", "torch_rand_float", "torch_random_dir_2", "transpose_2d", "unscale",
    "unscale_np", "unscale_transform",
]  # fmt: skip


def copysign(a: float, b: torch.Tensor) -> torch.Tensor:
    """The size of a number with the signs of others."""
    return torch.full_like(b, abs(a)) * torch.sign(b)


def torch_random_dir_2(shape: tuple[int, int], device: str) -> torch.Tensor:
    """Random directions in the plane: (N, 2) for a shape (N, 1)."""
    angle = torch_rand_float(-math.pi, math.pi, shape, device).squeeze(-1)
    return torch.stack([torch.cos(angle), torch.sin(angle)], dim=-1)


def matmul(matrix_a: Any, matrix_b: Any) -> torch.Tensor:
    """Product of matrices."""
    return torch.matmul(matrix_a, matrix_b)


def sin(data: Any) -> torch.Tensor:
    """Sine of angles [rad]."""
    return torch.sin(data)


def cos(data: Any) -> torch.Tensor:
    """Cosine of angles [rad]."""
    return torch.cos(data)


def transpose_2d(data: Any) -> torch.Tensor:
    """Transpose of matrices."""
    return torch.transpose(data, -1, -2)


def inverse(data: Any) -> torch.Tensor:
    """Inverse of matrices."""
    return torch.linalg.inv(data)


def normalize(x: torch.Tensor, eps: float = 1e-9) -> torch.Tensor:
    """Vectors at unit length."""
    return x / x.norm(p=2, dim=-1).clamp(min=eps).unsqueeze(-1)


def scale_transform(x: torch.Tensor, lower: torch.Tensor, upper: torch.Tensor) -> torch.Tensor:
    """Numbers in [lower, upper] as those in [-1, 1]."""
    return 2 * (x - (lower + upper) * 0.5) / (upper - lower)


def unscale_transform(x: torch.Tensor, lower: torch.Tensor, upper: torch.Tensor) -> torch.Tensor:
    """Numbers in [-1, 1] as those in [lower, upper]."""
    return x * (upper - lower) * 0.5 + (lower + upper) * 0.5


def scale(x: torch.Tensor, lower: torch.Tensor, upper: torch.Tensor) -> torch.Tensor:
    """Numbers in [-1, 1] as those in [lower, upper]."""
    return unscale_transform(x, lower, upper)


def unscale(x: torch.Tensor, lower: torch.Tensor, upper: torch.Tensor) -> torch.Tensor:
    """Numbers in [lower, upper] as those in [-1, 1]."""
    return scale_transform(x, lower, upper)


def unscale_np(x: Any, lower: Any, upper: Any) -> Any:
    """The same for arrays of NumPy."""
    return (2.0 * x - upper - lower) / (upper - lower)


def tensor_clamp(t: torch.Tensor, min_t: torch.Tensor, max_t: torch.Tensor) -> torch.Tensor:
    """Numbers within lower and upper ends."""
    return torch.max(torch.min(t, max_t), min_t)


def torch_rand_float(
    lower: float, upper: float, shape: tuple[int, int], device: str
) -> torch.Tensor:
    """Numbers drawn between two ends."""
    return (upper - lower) * torch.rand(*shape, device=device) + lower


def set_seed(seed: int, torch_deterministic: bool = False) -> int:
    """Seed the generators of Python, NumPy and PyTorch.

    Args:
        seed: The seed; -1: 42 where results are to repeat, else one drawn.
        torch_deterministic: Whether PyTorch uses algorithms that repeat alone.

    Returns:
        The seed.
    """
    if seed == -1:
        seed = 42 if torch_deterministic else int(np.random.randint(0, 10000))  # noqa: NPY002
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002
    torch.manual_seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)
    if torch_deterministic:
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    torch.backends.cudnn.benchmark = not torch_deterministic
    torch.backends.cudnn.deterministic = torch_deterministic
    torch.use_deterministic_algorithms(torch_deterministic)
    return seed
