"""Arrays of one framework as those of another."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core import convert


def _to_jax(array: np.ndarray) -> Any:
    import jax.numpy  # pyright: ignore[reportMissingImports] - the user brings it

    return jax.numpy.asarray(array)


def _to_tensorflow(array: np.ndarray) -> Any:
    import tensorflow

    return tensorflow.convert_to_tensor(array)


def _to_torch(array: np.ndarray) -> Any:
    import torch

    return torch.from_numpy(np.require(array, requirements="W"))


def _to_warp(array: np.ndarray) -> Any:
    import warp

    return warp.from_numpy(array)


def _to_numpy(array: np.ndarray) -> Any:
    return array


def jax2numpy(array: Any) -> Any:
    """An array of NumPy of one of JAX."""
    return _to_numpy(convert.plain(array))


def jax2tensorflow(array: Any) -> Any:
    """An array of TensorFlow of one of JAX."""
    return _to_tensorflow(convert.plain(array))


def jax2torch(array: Any) -> Any:
    """An array of PyTorch of one of JAX."""
    return _to_torch(convert.plain(array))


def jax2warp(array: Any) -> Any:
    """An array of Warp of one of JAX."""
    return _to_warp(convert.plain(array))


def numpy2jax(array: Any) -> Any:
    """An array of JAX of one of NumPy."""
    return _to_jax(convert.plain(array))


def numpy2tensorflow(array: Any) -> Any:
    """An array of TensorFlow of one of NumPy."""
    return _to_tensorflow(convert.plain(array))


def numpy2torch(array: Any) -> Any:
    """An array of PyTorch of one of NumPy."""
    return _to_torch(convert.plain(array))


def numpy2warp(array: Any) -> Any:
    """An array of Warp of one of NumPy."""
    return _to_warp(convert.plain(array))


def tensorflow2jax(tensor: Any) -> Any:
    """An array of JAX of one of TensorFlow."""
    return _to_jax(convert.plain(tensor))


def tensorflow2numpy(tensor: Any) -> Any:
    """An array of NumPy of one of TensorFlow."""
    return _to_numpy(convert.plain(tensor))


def tensorflow2torch(tensor: Any) -> Any:
    """An array of PyTorch of one of TensorFlow."""
    return _to_torch(convert.plain(tensor))


def tensorflow2warp(tensor: Any) -> Any:
    """An array of Warp of one of TensorFlow."""
    return _to_warp(convert.plain(tensor))


def torch2jax(tensor: Any) -> Any:
    """An array of JAX of one of PyTorch."""
    return _to_jax(convert.plain(tensor))


def torch2numpy(tensor: Any) -> Any:
    """An array of NumPy of one of PyTorch."""
    return _to_numpy(convert.plain(tensor))


def torch2tensorflow(tensor: Any) -> Any:
    """An array of TensorFlow of one of PyTorch."""
    return _to_tensorflow(convert.plain(tensor))


def torch2warp(tensor: Any) -> Any:
    """An array of Warp of one of PyTorch: the same memory."""
    import warp

    return warp.from_torch(tensor)


def warp2jax(array: Any) -> Any:
    """An array of JAX of one of Warp."""
    return _to_jax(convert.plain(array))


def warp2numpy(array: Any) -> Any:
    """An array of NumPy of one of Warp."""
    return _to_numpy(convert.plain(array))


def warp2tensorflow(array: Any) -> Any:
    """An array of TensorFlow of one of Warp."""
    return _to_tensorflow(convert.plain(array))


def warp2torch(array: Any) -> Any:
    """An array of PyTorch of one of Warp: the same memory."""
    import warp

    return warp.to_torch(array)
