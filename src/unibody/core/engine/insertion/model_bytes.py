"""A model as the bytes of MuJoCo's own binary format, put together without a compile.

MuJoCo reads such a file in the time that it takes to copy it. What the format looks like is
checked once against a file that MuJoCo has written.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import mujoco
import numpy as np
from mujoco.introspect import ast_nodes, structs
from numpy.typing import NDArray

from unibody.core.engine.library.layout import offsets_of, struct_size

_HEADER = 5  # int32: see ``_is_as_expected``
_FILE = "model.mjb"
_ALIGNMENT = 64  # bytes, of every array of a model
_STRUCTS = (("opt", "mjOption"), ("vis", "mjVisual"), ("stat", "mjStatistic"))
_FLAGS = ("flg_gravcomp", "flg_surfacevel", "flg_adhesion")

Rows = Sequence[NDArray[Any]]


class Field(NamedTuple):
    """An array of a model.

    Attributes:
        name: Its name.
        follows: The count that says how many rows it has, or an expression of several.
    """

    name: str
    follows: str


class _Format(NamedTuple):
    """What the format depends on."""

    counts: tuple[str, ...]  # in the order of the file
    fields: tuple[Field, ...]
    header: bytes


def fields() -> tuple[Field, ...]:
    """The arrays of a model, in the order of the file."""
    return _format().fields


def counts_of(model: Any) -> dict[str, int]:
    """All counts of a model."""
    names = _format().counts
    numbers = (ctypes.c_int64 * len(names)).from_address(model._address)
    return dict(zip(names, numbers, strict=True))


def raise_count(model: Any, name: str, least: int) -> None:
    """Raise a count that no array follows to what it has to be at least."""
    number = ctypes.c_int64.from_address(model._address + offsets_of("mjModel")[name])
    number.value = max(number.value, least)


@functools.cache
def is_known() -> bool:
    """Whether the format is the one that this module writes."""
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(pos=(0.1, 0.2, 0.3))
    body.add_freejoint()
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=(0.1, 0.2, 0.3))
    spec.add_numeric(name="some", size=3, data=np.arange(3.0))
    model = spec.compile()
    written = np.zeros(mujoco.mj_sizeModel(model), dtype=np.uint8)
    mujoco.mj_saveModel(model, None, written)
    return written.tobytes() == file_of(model, counts_of(model), {})


@functools.cache
def _format() -> _Format:
    every: Any = structs.STRUCTS["mjModel"].fields
    counts = tuple(
        field.name for field in every
        if isinstance(field.type, ast_nodes.ValueType) and field.type.name == "mjtSize"
    )  # fmt: skip
    arrays = tuple(
        Field(field.name, field.array_extent[0])
        for field in every
        if getattr(field, "array_extent", None)
    )
    model = mujoco.MjSpec().compile()
    written = np.zeros(mujoco.mj_sizeModel(model), dtype=np.uint8)
    mujoco.mj_saveModel(model, None, written)
    return _Format(counts, arrays, written[: 4 * _HEADER].tobytes())


def file_of(model: Any, counts: Mapping[str, int], rows: Mapping[str, Rows]) -> bytes:
    """The file of a model like another one, but for its counts and some arrays.

    Args:
        model: The other one.
        counts: All counts.
        rows: By name, the parts of arrays that are not those of ``model``.
    """
    address, offsets = model._address, offsets_of("mjModel")
    form = _format()
    sizes = np.array([counts[name] for name in form.counts], dtype=np.int64)
    parts: list[Any] = [form.header, sizes]
    for name, struct in _STRUCTS:
        parts.append(ctypes.string_at(address + offsets[name], struct_size(struct)))
    parts += [ctypes.string_at(address + offsets[name], 1) for name in _FLAGS]
    for name, _ in form.fields:
        own = rows.get(name)
        if own is None:
            parts.append(getattr(model, name))
        else:
            parts += own
    return b"".join(parts)


def read(file: bytes) -> Any:
    """The model of a file.

    Raises:
        ValueError: MuJoCo refuses it.
    """
    return mujoco.MjModel.from_binary_path(_FILE, {_FILE: file})


def buffer_size(lengths: Mapping[str, int]) -> int:
    """Bytes of the arrays of a model, by their names, one after the other, each one aligned."""
    sizes = np.array([lengths[field.name] for field in _format().fields], dtype=np.int64)
    aligned = -(-sizes // _ALIGNMENT) * _ALIGNMENT
    return int(aligned.sum() - aligned[-1] + sizes[-1])
