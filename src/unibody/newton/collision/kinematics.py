"""Where contacts are in the world, and how far their surfaces are apart, for a state."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton.dialect import normal_sign


def eval_rigid_contact_kinematics(
    model: Any,
    state: Any,
    contacts: Any,
    *,
    out_distance: wp.array[Any] | None = None,
    out_point0_world: wp.array[Any] | None = None,
    out_point1_world: wp.array[Any] | None = None,
) -> None:
    """Write distances and points of contacts for the poses of a state.

    Normals stay as they were found. Gradients pass to ``state.body_q``. Entries beyond the number
    of contacts are left as they are.

    Args:
        model: The model.
        state: Poses of bodies.
        contacts: Contacts that were found.
        out_distance: Of the surfaces along the normal, below zero where they overlap [m]; one a
            contact that there is room for, as the others.
        out_point0_world: Points of the first shapes, in the world frame [m].
        out_point1_world: Points of the second shapes [m].

    Raises:
        ValueError: There is nothing to write to, or an array is of another length or device.
        TypeError: Something is no array, or of another type.
    """
    from unibody.newton.collision.kinematics_kernels import contact_kinematics

    outputs = {
        "out_distance": (out_distance, wp.float32),
        "out_point0_world": (out_point0_world, wp.vec3),
        "out_point1_world": (out_point1_world, wp.vec3),
    }
    if all(array is None for array, _ in outputs.values()):
        raise ValueError("at least one output must be provided")
    for name, (array, kind) in outputs.items():
        if array is not None:
            _check(name, array, kind, contacts.rigid_contact_max, model.device)
    for name, array in (("contacts", contacts.rigid_contact_point0), ("state", state.body_q)):
        if array is not None and array.device != model.device:
            raise ValueError(f"{name} is on device {array.device}, expected {model.device}")
    if not contacts.rigid_contact_max:
        return
    found = [getattr(contacts, f"rigid_contact_{name}") for name in _FIELDS]
    wp.launch(
        contact_kinematics,
        dim=contacts.rigid_contact_max,
        inputs=[state.body_q, model.shape_body, *found, normal_sign()],
        outputs=[out_distance, out_point0_world, out_point1_world],
        device=model.device,
    )


_FIELDS = ("count", "shape0", "shape1", "point0", "point1", "normal", "margin0", "margin1")


def _check(name: str, array: Any, kind: Any, count: int, device: Any) -> None:
    if not isinstance(array, wp.array):
        raise TypeError(f"{name} must be a warp array, got {type(array).__name__}")
    if array.dtype != kind:
        raise TypeError(f"{name} must be of {kind.__name__}, got {array.dtype.__name__}")
    if array.shape != (count,):
        raise InvalidArgumentError(f"shape of {name}", array.shape, f"shape ({count},)")
    if array.device != device:
        raise ValueError(f"{name} is on device {array.device}, expected {device}")
