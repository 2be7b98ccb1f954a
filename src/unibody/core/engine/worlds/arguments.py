"""What the kernels of many worlds are told: where numbers lie in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Field(NamedTuple):
    """Memory of float64 numbers, contiguous within a world."""

    address: int
    stride: int  # bytes from one world to the next; 0: all worlds share the numbers


class Tree(NamedTuple):
    """Addresses of int32 arrays: who hangs on whom; the same in all worlds."""

    bodies: int  # number of bodies
    parent: int
    mocap: int
    joint_count: int
    joint_first: int
    joint_type: int
    joint_qpos: int
    joint_dof: int


class Frames(NamedTuple):
    """Where things are fixed."""

    body_pos: Field
    body_quat: Field
    body_ipos: Field
    joint_axis: Field
    joint_pos: Field
    qpos0: Field


class State(NamedTuple):
    """Coordinates."""

    qpos: Field
    qvel: Field
    mocap_pos: Field
    mocap_quat: Field


class Poses(NamedTuple):
    """Results: body frames, mass centres, joint axes and anchors, velocities."""

    xpos: Field
    xquat: Field
    xipos: Field
    xaxis: Field
    xanchor: Field
    linear: Field
    angular: Field


class Masses(NamedTuple):
    """What composite bodies are made of."""

    mass: Field
    inertia: Field
    iquat: Field
    armature: Field


def field(array: NDArray[np.float64]) -> Field:
    """The memory of an array (N, ...). The caller keeps the array alive."""
    return Field(array.ctypes.data, array.strides[0])


def packed(*parts: NamedTuple) -> NDArray[np.int64]:
    """The numbers of several tuples in one array: numba takes that apart faster than tuples."""
    numbers: list[int] = []
    for part in parts:
        for value in part:
            numbers.extend(value if isinstance(value, Field) else [value])
    return np.array(numbers, np.int64)
