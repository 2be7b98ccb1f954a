"""What views have in common: rows of a batch as arrays of a frontend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.batch.layout import Space
from unibody.core.batch.selection import Selection
from unibody.errors import InvalidArgumentError, UnibodyError
from unibody.isaac_core.physics.scene import PhysicsScene
from unibody.isaac_core.physics.tensors.frontends import Frontend
from unibody.notices import tell_once

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int64]
LARGEST = float(np.finfo(np.float32).max)  # stands for what is not limited
_KEPT = 16  # selections of some rows


class Shared:
    """What the views of one simulation view have in common.

    Attributes:
        scene: The scene.
        frontend: Of the arrays.
        valid: The simulation view was not invalidated.
        warns: What is taken otherwise than by PhysX is told.
        origins: Of subspaces by the path of their root: position [m].
    """

    def __init__(self, scene: PhysicsScene, frontend: Frontend) -> None:
        self.scene: PhysicsScene = scene
        self.frontend: Frontend = frontend
        self.valid = True
        self.warns = True
        self.origins: dict[str, Array] = {}

    def warn(self, text: str) -> None:
        """Tell something once, unless warnings are turned off."""
        if self.warns:
            tell_once(text)

    def origin_of(self, path: str) -> Array:
        """The origin of the subspace that a prim is in; zero where it is in none."""
        parts = path.split("/")
        for count in range(len(parts), 1, -1):
            found = self.origins.get("/".join(parts[:count]))
            if found is not None:
                return found
        return np.zeros(3, np.float32)


class View:
    """Rows of a batch.

    Args:
        shared: Of the simulation view.
        paths: Of the prims along the first axis.
    """

    def __init__(self, shared: Shared, paths: Sequence[str]) -> None:
        self._shared = shared
        self._scene = shared.scene
        self._batch = shared.scene.batch
        self._paths = list(paths)
        self._origins = np.array([shared.origin_of(path) for path in paths], np.float32)
        self._origins = self._origins.reshape(-1, 3)
        self._parts: dict[tuple[int, bytes], Selection] = {}

    @property
    def count(self) -> int:
        """Number of objects."""
        return len(self._paths)

    @property
    def prim_paths(self) -> list[str]:
        """Paths of the objects."""
        return list(self._paths)

    def check(self) -> bool:
        """Whether the objects are there."""
        return self._shared.valid and self._scene.valid

    def _usable(self) -> None:
        if not self.check():
            raise InvalidViewError("the simulation view is not valid any more: make a new one")

    # --- in and out ----------------------------------------------------------------------------

    def _read(self, selection: Selection, name: str) -> Array:
        self._usable()
        found = selection.read(name)
        array = found if isinstance(found, np.ndarray) else found.numpy()
        return array

    def _give(self, array: Array, dtype: Any = np.float32) -> Any:
        return self._shared.frontend.give(np.ascontiguousarray(array, dtype))

    def _rows(self, indices: Any) -> Ints:
        """Numbers of objects.

        Raises:
            InvalidArgumentError: One is out of range.
        """
        self._usable()
        if indices is None:
            return np.arange(self.count)
        rows = self._shared.frontend.take(indices).astype(np.int64).reshape(-1)
        if rows.size and not 0 <= rows.min() <= rows.max() < self.count:
            allowed = f"numbers from 0 to {self.count - 1}"
            raise InvalidArgumentError("indices", rows.tolist()[:8], allowed)
        return rows

    def _take(self, data: Any, shape: tuple[int, ...], rows: Ints, name: str = "data") -> Array:
        """Values of the objects ``rows``, of an array that has those of all objects.

        Raises:
            InvalidArgumentError: The array has another number of values.
        """
        array = self._shared.frontend.take(data)
        whole = (self.count, *shape)
        if array.size != int(np.prod(whole)):
            raise InvalidArgumentError(f"{name}.shape", array.shape, f"{whole}")
        return array.reshape(whole)[rows].astype(np.float32, copy=False)

    def _some(self, selection: Selection, rows: Ints) -> Selection:
        if len(rows) == self.count and np.array_equal(rows, np.arange(self.count)):
            return selection
        key = (id(selection), rows.tobytes())
        if key not in self._parts:
            if len(self._parts) >= _KEPT:
                self._parts.clear()
            self._parts[key] = selection.part(rows)
        return self._parts[key]

    def _write(self, selection: Selection, name: str, values: Array, rows: Ints) -> None:
        if len(rows) and values.size:
            self._some(selection, rows).write(name, self._to_device(values))

    def _to_device(self, values: Array) -> Any:
        if self._batch.device == "cpu":
            return values
        import warp as wp

        device = "cpu" if self._batch.device == "warp-cpu" else self._batch.device
        return wp.array(np.ascontiguousarray(values), device=device)

    def _push(
        self,
        bodies: Selection,
        rows: Ints,
        forces: Array | None,
        torques: Array | None,
        points: Array | None,
        *,
        is_global: bool,
    ) -> None:
        """Add forces and torques to bodies, for one step."""
        if not len(rows) or (forces is None and torques is None):
            return
        given = [None if v is None else self._to_device(v) for v in (forces, torques, points)]
        space = Space.WORLD if is_global else Space.LOCAL
        self._some(bodies, rows).add_wrenches(given[0], given[1], given[2], space)


class InvalidViewError(UnibodyError, RuntimeError):
    """A view is used that does not fit the stage any more."""


def poses_out(poses: Array, origins: Array) -> Array:
    """Poses (count, ..., 7) in the frames of subspaces with origins (count, 3)."""
    found = poses.copy()
    found[..., :3] -= origins.reshape(len(origins), *[1] * (poses.ndim - 2), 3)
    return found
