"""A model as arrays of NumPy and text, and back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import warp as wp

from unibody.newton.heightfield import Heightfield
from unibody.newton.mesh import Mesh

_PLAIN = (bool, int, float, str, type(None))
_DERIVED = {"device", "shape_source", "shape_source_ptr", "particle_grid"}


def recorded(model: Any) -> dict[str, np.ndarray]:
    """The arrays, numbers, names and meshes of a model.

    Arrays have their type in their name, what is plain is one text.
    """
    found: dict[str, np.ndarray] = {}
    plain: dict[str, Any] = {}
    for name, value in vars(model).items():
        if name.startswith("_") or name in _DERIVED:
            continue
        if isinstance(value, wp.array):
            found[f"{name}:{value.dtype.__name__}"] = value.numpy().copy()
        elif isinstance(value, _PLAIN):
            plain[name] = value
        elif isinstance(value, list | tuple) and all(isinstance(v, _PLAIN) for v in value):
            plain[name] = list(value)
    plain["shape_collision_filter_pairs"] = sorted(model.shape_collision_filter_pairs)
    places: dict[int, int] = {}
    plain["shape_sources"] = [_place(places, source) for source in model.shape_source]
    for source in model.shape_source:
        if source is not None:
            found |= _source(f"source{places[id(source)]}", source)
    found["plain"] = np.array(json.dumps(plain))
    return found


def _place(places: dict[int, int], source: Any) -> int:
    return -1 if source is None else places.setdefault(id(source), len(places))


def _source(name: str, source: Any) -> dict[str, np.ndarray]:
    if isinstance(source, Heightfield):
        size = (source.hx, source.hy, source.min_z, source.max_z)
        return {f"{name}/data": source.data, f"{name}/size": np.array(size)}
    vertices, indices = np.asarray(source.vertices), np.asarray(source.indices)
    return {f"{name}/vertices": vertices, f"{name}/indices": indices}


def restore(data: dict[str, np.ndarray], model: Any) -> None:
    """Write what `recorded` gave into a model, as arrays of its device."""
    plain = json.loads(str(data["plain"]))
    numbers = plain.pop("shape_sources")
    pairs = plain.pop("shape_collision_filter_pairs")
    for name, value in plain.items():
        setattr(model, name, value)
    model._shape_collision_filter_pairs = {(int(a), int(b)) for a, b in pairs}
    with wp.ScopedDevice(model.device):
        for key, array in data.items():
            name, _, kind = key.partition(":")
            if kind:
                setattr(model, name, wp.array(array, dtype=getattr(wp, kind)))
        made = {number: _made(data, f"source{number}") for number in sorted({*numbers} - {-1})}
        ids = {-1: 0} | {number: source.finalize() for number, source in made.items()}
        model.shape_source = [made.get(number) for number in numbers]
        pointers = np.array([ids[number] for number in numbers], dtype=np.uint64)
        model.shape_source_ptr = wp.array(pointers, dtype=wp.uint64)
        model.particle_grid = wp.HashGrid(128, 128, 128) if model.particle_count > 1 else None


def _made(data: dict[str, np.ndarray], name: str) -> Any:
    if f"{name}/data" not in data:
        return Mesh(data[f"{name}/vertices"], data[f"{name}/indices"])
    rows = data[f"{name}/data"]
    hx, hy, low, high = data[f"{name}/size"].tolist()
    return Heightfield(rows, *rows.shape, hx=hx, hy=hy, min_z=low, max_z=high)
