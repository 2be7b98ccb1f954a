"""NumPy's view of the structures: structured dtypes, and arrays of records as plain numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.types.fields import Struct

FloatArray = npt.NDArray[np.floating[Any]]


def floats(*names: str) -> np.dtype[np.void]:
    """Return the dtype of a record of single-precision numbers."""
    return np.dtype([(name, "<f4") for name in names])


VEC2 = floats("x", "y")
VEC3 = floats("x", "y", "z")
QUAT = floats("x", "y", "z", "w")
INT2 = np.dtype([("x", "<i4"), ("y", "<i4")])
INT3 = np.dtype([("x", "<i4"), ("y", "<i4"), ("z", "<i4")])
TRANSFORM = np.dtype([("p", VEC3), ("r", QUAT)])
VELOCITY = np.dtype([("linear", VEC3), ("angular", VEC3)])
RIGID_BODY_STATE = np.dtype([("pose", TRANSFORM), ("vel", VELOCITY)])
DOF_STATE = floats("pos", "vel")
DOF_FRAME = np.dtype([("origin", VEC3), ("axis", VEC3)])
PARTICLE_STATE = np.dtype([("position", QUAT), ("velocity", VEC3), ("normal", QUAT)])
SPATIAL_FORCE = np.dtype([("force", VEC3), ("torque", VEC3)])
DOF_PROPERTIES = np.dtype(
    {
        "names": [
            "hasLimits",
            "lower",
            "upper",
            "driveMode",
            "velocity",
            "effort",
            "stiffness",
            "damping",
            "friction",
            "armature",
        ],
        "formats": ["?", "<f4", "<f4", "<i4", "<f4", "<f4", "<f4", "<f4", "<f4", "<f4"],
        # The flag is padded to four bytes.
        "offsets": [0, 4, 8, 12, 16, 20, 24, 28, 32, 36],
        "itemsize": 40,
    }
)
RIGID_CONTACT = np.dtype(
    [
        ("env0", "<i4"),
        ("env1", "<i4"),
        ("body0", "<i4"),
        ("body1", "<i4"),
        ("localPos0", VEC3),
        ("localPos1", VEC3),
        ("minDist", "<f4"),
        ("initialOverlap", "<f4"),
        ("normal", VEC3),
        ("offset0", VEC3),
        ("offset1", VEC3),
        ("lambda", "<f4"),
        ("lambdaFriction", VEC2),
        ("friction", "<f4"),
        ("torsionFriction", "<f4"),
        ("rollingFriction", "<f4"),
    ]
)
SOFT_CONTACT = np.dtype(
    [
        # Public clients read fields by their numbers: particles 2, body 4, normal 6, force 7.
        ("env0", "<i4"),
        ("env1", "<i4"),
        ("particleIndices", INT3),
        ("particleBarys", VEC3),
        ("bodyIndex", "<i4"),
        ("bodyOffset", VEC3),
        ("normal", VEC3),
        ("lambda", "<f4"),
    ]
)


def to_array(name: str, value: Any, wanted: str) -> npt.NDArray[Any]:
    """Give nested sequences, or an array of any library, as an array.

    Raises:
        ArgumentTypeError: NumPy cannot make one of it.
    """
    try:
        return np.asarray(value)
    except (TypeError, ValueError, RuntimeError):
        raise ArgumentTypeError(name, value, wanted) from None


def from_buffer(kind: type[Struct], dtype: np.dtype[np.void], buffer: Any) -> Any:
    """Read structures from memory.

    Args:
        kind: What to read.
        dtype: Its layout.
        buffer: A record or array of records, or any object with memory of that layout.

    Returns:
        A structure, or a list of them where the memory holds several. They are copies.

    Raises:
        ArgumentTypeError: It has no memory, or not a whole number of records.
    """
    if isinstance(buffer, (np.void, np.ndarray)) and buffer.dtype == dtype:
        records = np.atleast_1d(buffer).ravel()
    else:
        memory = np.ascontiguousarray(buffer) if isinstance(buffer, np.generic) else buffer
        try:
            records = np.frombuffer(memory, dtype)
        except (TypeError, ValueError):
            wanted = f"memory that holds {kind.__name__} ({dtype.itemsize} bytes each)"
            raise ArgumentTypeError("buffer", buffer, wanted) from None
    found: list[Any] = []
    for record in records:
        one = Struct.__new__(kind)
        one.assign("buffer", record)
        found.append(one)
    return found[0] if len(found) == 1 else found


def numbers(name: str, value: Any, dtype: np.dtype[np.void]) -> tuple[FloatArray, bool]:
    """Give an array of records as an array of numbers.

    Args:
        name: The argument, for the message.
        value: Records of ``dtype`` of any shape, numbers of shape (..., width), or one structure.
        dtype: A dtype of single-precision numbers only.

    Returns:
        float64 (..., width), and whether the value was records.

    Raises:
        ArgumentTypeError: It is none of these.
    """
    width = dtype.itemsize // 4
    if isinstance(value, Struct):
        return np.array(_flat(value.__getstate__()), np.float64), False
    wanted = f"an array of {dtype}, or numbers of shape (..., {width})"
    array = to_array(name, value, wanted)
    if array.dtype == dtype:
        packed = np.ascontiguousarray(array).view(np.float32)
        return packed.reshape(*array.shape, width).astype(np.float64), True
    if array.dtype.kind in "fiu" and array.ndim and array.shape[-1] == width:
        return array.astype(np.float64), False
    raise ArgumentTypeError(name, value, wanted)


def records(values: FloatArray, dtype: np.dtype[np.void]) -> npt.NDArray[np.void]:
    """Give numbers of shape (..., width) as records."""
    packed = np.ascontiguousarray(values, np.float32)
    return packed.view(dtype).reshape(values.shape[:-1])


def _flat(state: tuple[Any, ...]) -> list[float]:
    found: list[float] = []
    for value in state:
        found += _flat(value.__getstate__()) if isinstance(value, Struct) else [value]
    return found
