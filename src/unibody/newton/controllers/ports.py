"""Ports of controllers: arrays of scripts, or views of larger ones, that steps read and write."""

from __future__ import annotations

from typing import Any

import warp as wp


def check_port(
    name: str, array: Any, shape: tuple[int, ...], device: Any, *, views: bool = True
) -> None:
    """Refuse what a step cannot read or write.

    Args:
        name: Of the port, for messages.
        array: What the script gave.
        shape: Its shape.
        device: The controller's.
        views: Whether views of other arrays are allowed.

    Raises:
        ValueError: The array is missing, on another device or of another shape.
        TypeError: It is no array of float32.
    """
    if array is None:
        raise ValueError(f"{name} is None: it must be a wp.array of float32 of shape {shape}")
    kinds = (wp.array, wp.indexedarray) if views else (wp.array,)
    if not isinstance(array, kinds):
        allowed = " or ".join(f"wp.{kind.__name__}" for kind in kinds)
        raise TypeError(f"{name} is a {type(array).__name__}: it must be a {allowed}")
    if array.dtype != wp.float32:
        raise TypeError(f"{name} has dtype {array.dtype.__name__}: it must have float32")
    if array.device != device:
        raise ValueError(f"{name} is on device {array.device}: it must be on {device}")
    if tuple(array.shape) != shape:
        view = "; sim_array[controller.qd_start] is a view of the controlled joints"
        raise ValueError(
            f"{name} has shape {tuple(array.shape)}: it must have {shape}{view if views else ''}"
        )


def refuse_unread(inputs: Any, switches: dict[str, tuple[bool, str]]) -> None:
    """Refuse inputs that no term of the control law reads.

    Args:
        inputs: Of a step.
        switches: Names of fields -> whether they are read, and what makes them so.

    Raises:
        ValueError: A field has a value and is not read.
    """
    for name, (is_read, switch) in switches.items():
        if not is_read and getattr(inputs, name, None) is not None:
            raise ValueError(f"inputs.{name} is set: it is read only by a controller with {switch}")


def gains(
    name: str, value: Any, size: int, device: Any, requires_grad: bool
) -> wp.array[Any] | None:
    """Gains that do not change, as an array of the controller's own; None: inputs have them.

    Args:
        name: Of the argument, for messages.
        value: One number for all controlled joints, one each, or None.
        size: How many joints are controlled.
        device: The controller's.
        requires_grad: Whether gradients go through them.
    """
    if value is None:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return wp.full(size, float(value), dtype=float, device=device, requires_grad=requires_grad)
    check_port(name, value, (size,), device, views=False)
    return wp.clone(value, requires_grad=requires_grad)


def readable(port: Any) -> wp.array[Any]:
    """What kernels read of a port: the array itself, or the values of a view."""
    return port.contiguous() if isinstance(port, wp.indexedarray) else port
