"""Views of prims whose values are attributes of the stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from pxr import Gf, Usd

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import arrays, convert
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.simulation.manager import simulation

Array = Any
"""An array of NumPy, PyTorch or Warp."""

_AXES = 3


def vector(values: Any) -> Gf.Vec3f:
    """Three numbers as USD takes them."""
    return Gf.Vec3f(*map(float, values))


class AttributeView:
    """Prims whose paths match a pattern, and attributes of theirs.

    Args:
        prim_paths_expr: A pattern, level by level.
        name: By which a scene finds the view.

    Raises:
        InvalidArgumentError: No prim matches.
    """

    _prefix = ""

    def __init__(self, prim_paths_expr: str, name: str) -> None:
        paths = functions.find_matching_prim_paths(prim_paths_expr)
        if not paths:
            raise InvalidArgumentError("prim_paths_expr", prim_paths_expr, "paths of prims")
        self._prims: list[Usd.Prim] = [functions.get_prim_at_path(path) for path in paths]
        self._name = name

    @property
    def count(self) -> int:
        """How many prims there are."""
        return len(self._prims)

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Nothing begins: values are those of the stage."""

    def is_valid(self, indices: Array = None) -> bool:
        """Whether the prims are still on the stage."""
        return all(self._prims[i].IsValid() for i in arrays.rows(indices, self.count))

    def is_physics_handle_valid(self) -> bool:
        """Whether there is a physics."""
        return simulation.view is not None

    def post_reset(self) -> None:
        """Nothing to go back to: what is on the stage stays."""

    def _get(self, name: str, indices: Array, dtype: str = "float32") -> Array:
        return get(self._prims, self._prefix + name, indices, dtype)

    def _set(
        self,
        name: str,
        values: Array,
        indices: Array,
        kind: Callable[[Any], Any] = float,
    ) -> None:
        put(self._prims, self._prefix + name, values, indices, kind)


def get(prims: list[Usd.Prim], name: str, indices: Array, dtype: str = "float32") -> Array:
    """Values of an attribute of prims, (M,) or (M, 3), in the backend."""
    values = [prims[i].GetAttribute(name).Get() for i in arrays.rows(indices, len(prims))]
    return arrays.out(np.array(values), dtype)


def put(
    prims: list[Usd.Prim],
    name: str,
    values: Array,
    indices: Array,
    kind: Callable[[Any], Any] = float,
) -> None:
    """Set an attribute of prims, from one value or one for each; None sets nothing."""
    if values is None:
        return
    which = arrays.rows(indices, len(prims))
    if kind is vector:
        each: Any = arrays.table(values, _AXES, len(which))
    else:
        each = np.broadcast_to(np.asarray(convert.plain(values)).reshape(-1), len(which))
    for i, value in zip(which, each, strict=True):
        prims[i].GetAttribute(name).Set(kind(value))
