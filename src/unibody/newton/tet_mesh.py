"""Meshes of tetrahedra, with what they are made of."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.enums import AttributeFrequency
from unibody.newton.exceptions import NewtonDeprecationWarning, warn

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FACES = np.array([(0, 2, 1), (1, 2, 3), (0, 1, 3), (0, 3, 2)])  # outward
_MATERIALS = ("k_mu", "k_lambda", "k_damp")
_ROWS = ("__custom_names__", "__custom_freqs__")  # of files, beside the attributes themselves
RESERVED = {"vertices", "tet_indices", "density", *_MATERIALS, *_ROWS}
"""Names that no attribute of a mesh may have."""
_FREQUENCIES = {
    "vertex_count": AttributeFrequency.PARTICLE,
    "tet_count": AttributeFrequency.TETRAHEDRON,
    "tri_count": AttributeFrequency.TRIANGLE,
}


def _taking_positions(function: Callable[..., None]) -> Callable[..., None]:
    """A function that takes by position, as older scripts give it, what now goes by name."""
    parameters = inspect.signature(function).parameters.values()
    named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    first = len(parameters) - len(named)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> None:
        late = dict(zip(named, args[first:], strict=False))
        if len(args) <= first + len(named) and late and not late.keys() & kwargs.keys():
            names = ", ".join(map(repr, late))
            warn(f"Passing {names} positionally is deprecated: say names", NewtonDeprecationWarning)
            args, kwargs = args[:first], kwargs | late
        function(*args, **kwargs)

    return call


class TetMesh:
    """A mesh of tetrahedra; its surface is what belongs to one of them alone.

    Args:
        vertices: Shape (n, 3) [m].
        tet_indices: Four a tetrahedron, flat or in rows.
        k_mu: First elastic Lame parameter, one or one a tetrahedron [Pa].
        k_lambda: Second elastic Lame parameter [Pa].
        k_damp: Damping.
        density: kg/m^3.
        custom_attributes: Name -> array, or array and `Model.AttributeFrequency`.
    """

    @_taking_positions
    def __init__(
        self,
        vertices: Any,
        tet_indices: Any,
        *,
        k_mu: Any = None,
        k_lambda: Any = None,
        k_damp: Any = None,
        density: float | None = None,
        custom_attributes: Mapping[str, Any] | None = None,
    ) -> None:
        self.vertices: NDArray[np.float32] = np.array(vertices, dtype=np.float32).reshape(-1, 3)
        self.tet_indices: NDArray[np.int32] = np.array(tet_indices, dtype=np.int32).reshape(-1)
        self._check_indices()
        self.density = density
        self.k_mu: NDArray[Any] | None = self._each("k_mu", k_mu)
        self.k_lambda: NDArray[Any] | None = self._each("k_lambda", k_lambda)
        self.k_damp: NDArray[Any] | None = self._each("k_damp", k_damp)
        self.surface_tri_indices: NDArray[Any] = self.compute_surface_triangles(self.tet_indices)
        self.custom_attributes: dict[str, tuple[NDArray[Any], Any]] = {
            name: self._attribute(name, value) for name, value in (custom_attributes or {}).items()
        }

    def _check_indices(self) -> None:
        found = self.tet_indices
        if found.size % 4:
            allowed = "a multiple of 4, four a tetrahedron"
            raise InvalidArgumentError("tet_indices", f"{found.size} numbers", allowed)
        wrong = found[(found < 0) | (found >= len(self.vertices))]
        if wrong.size:
            kind = "negative index" if wrong[0] < 0 else "index exceeds vertex count:"
            allowed = f"{kind} 0 to {len(self.vertices) - 1}"
            raise InvalidArgumentError("tet_indices", int(wrong[0]), allowed)

    def _each(self, name: str, value: Any) -> np.ndarray | None:
        if value is None:
            return None
        rows = np.asarray(value, dtype=np.float32).reshape(-1)
        if rows.size == 1:
            return np.full(self.tet_count, rows[0], dtype=np.float32)
        if rows.size != self.tet_count:
            allowed = f"one, or {self.tet_count}, the tet count"
            raise InvalidArgumentError(name, f"{rows.size} numbers", allowed)
        return rows

    def _attribute(self, name: str, value: Any) -> tuple[np.ndarray, Any]:
        if name in RESERVED:
            text = f"another name: reserved are {', '.join(sorted(RESERVED))}"
            raise InvalidArgumentError("custom_attributes", name, text)
        if isinstance(value, tuple):
            return np.asarray(value[0]), value[1]
        rows = np.asarray(value)
        length = len(rows) if rows.ndim else 1
        counts = {key: getattr(self, key) for key in _FREQUENCIES}
        fits = {key: _FREQUENCIES[key] for key, count in counts.items() if count == length > 0}
        if length == 1:
            fits["ONCE (one value)"] = AttributeFrequency.ONCE
        if len(fits) != 1:
            known = f"Cannot infer frequency: it fits {', '.join(fits) or 'none'} of {counts}"
            allowed = f"{known}; a tuple of the array and its frequency says it"
            raise InvalidArgumentError(f"custom_attributes[{name!r}]", f"{length} rows", allowed)
        return rows, next(iter(fits.values()))

    @staticmethod
    def compute_surface_triangles(tet_indices: Any) -> np.ndarray:
        """The faces that belong to one tetrahedron alone, outward: three a triangle, flat."""
        corners = np.asarray(tet_indices, dtype=np.int32).reshape(-1, 4)
        if not len(corners):
            return np.zeros(0, dtype=np.int32)
        faces = corners[:, _FACES].reshape(-1, 3)
        order = np.sort(faces, axis=1)
        _, place, count = np.unique(order, axis=0, return_inverse=True, return_counts=True)
        return faces[count[place.reshape(-1)] == 1].reshape(-1)

    @property
    def vertex_count(self) -> int:
        """How many vertices there are."""
        return len(self.vertices)

    @property
    def tet_count(self) -> int:
        """How many tetrahedra there are."""
        return self.tet_indices.size // 4

    @property
    def tri_count(self) -> int:
        """How many triangles the surface has."""
        return self.surface_tri_indices.size // 3

    def save(self, filename: Any) -> None:
        """Write the mesh as a file of NumPy's (.npz).

        Raises:
            NotSupportedError: Another kind of file is asked for.
        """
        _check_kind(filename)
        known: dict[str, Any] = {"vertices": self.vertices, "tet_indices": self.tet_indices}
        for name in (*_MATERIALS, "density"):
            if getattr(self, name) is not None:
                known[name] = getattr(self, name)
        custom = self.custom_attributes
        names, kinds = _ROWS
        known[names] = np.array(list(custom))
        known[kinds] = np.array([int(kind) for _, kind in custom.values()], np.int32)
        known |= {name: rows for name, (rows, _) in custom.items()}
        np.savez(filename, allow_pickle=False, **known)

    @staticmethod
    def create_from_file(filename: Any) -> TetMesh:
        """Read a mesh that `save` wrote.

        Raises:
            FileNotFoundError: There is none.
            NotSupportedError: It is another kind of file.
        """
        if not Path(filename).exists():
            raise FileNotFoundError(f"a mesh of tetrahedra: there is no file {filename}")
        _check_kind(filename)
        with np.load(filename) as data:
            names = data[_ROWS[0]].tolist() if _ROWS[0] in data else []
            kinds = data[_ROWS[1]].tolist() if names else []
            pairs = zip(names, kinds, strict=True)
            custom = {name: (data[name], AttributeFrequency(kind)) for name, kind in pairs}
            given = {name: data[name] for name in _MATERIALS if name in data}
            density = float(data["density"]) if "density" in data else None
            return TetMesh(
                data["vertices"],
                data["tet_indices"],
                density=density,
                custom_attributes=custom,
                **given,
            )

    @staticmethod
    def create_from_usd(prim: Any, *, compat_namespaces: Sequence[str] | None = None) -> TetMesh:
        """Read a prim of USD. See `newton.usd.get_tetmesh`."""
        from unibody.newton import usd

        return usd.get_tetmesh(prim, compat_namespaces=compat_namespaces)

    def __hash__(self) -> int:
        return hash((self.vertices.tobytes(), self.tet_indices.tobytes()))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TetMesh):
            return NotImplemented
        return np.array_equal(self.vertices, other.vertices) and np.array_equal(
            self.tet_indices, other.tet_indices
        )


def _check_kind(filename: Any) -> None:
    if Path(filename).suffix.lower() != ".npz":
        raise NotSupportedError(f"a mesh of tetrahedra as {Path(filename).name}", "an .npz file")
