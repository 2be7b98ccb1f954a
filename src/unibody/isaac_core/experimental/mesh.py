"""Mesh: points that faces connect."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdGeom, Vt

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert
from unibody.isaac_core.experimental.arguments import Array, one_each, warp
from unibody.isaac_core.experimental.colors import rgb
from unibody.isaac_core.experimental.prim_functions import get_prim_at_path
from unibody.isaac_core.experimental.shapes import made_or_found
from unibody.isaac_core.experimental.xform_prim import XformPrim
from unibody.isaac_core.functions import bounds
from unibody.isaac_core.kit import meshes

_KINDS: dict[str, Any] = {"int32": Vt.IntArray, "float32": Vt.FloatArray}
Rows = list[Any]
"""An array for each mesh, or one for all."""


class Mesh(XformPrim):
    """Meshes: those that are there, or those that are made at free paths.

    Args:
        paths: Of the prims, which are all there or all free.
        primitives: What new ones look like: "Cone", "Cube", "Cylinder", "Disk", "Plane", "Sphere"
            or "Torus", one each or one for all; None: they are empty.
        colors: (N, 3) red, green, blue from 0 to 1, or names.
        **placed: What `XformPrim` takes.

    Raises:
        InvalidArgumentError: A prim is no mesh, or there is no such primitive.
    """

    def __init__(
        self,
        paths: str | list[str],
        *,
        primitives: str | list[str] | None = None,
        colors: Any = None,
        **placed: Any,
    ) -> None:
        for one in [primitives] if isinstance(primitives, str) else primitives or []:
            if one not in meshes.KINDS:
                raise InvalidArgumentError("primitives", one, f"one of {', '.join(meshes.KINDS)}")
        new = not self.resolve_paths(paths)[0]
        found, self._geoms = made_or_found(paths, UsdGeom.Mesh)
        if new and primitives is not None:
            kinds = one_each("primitives", primitives, len(found))
            for mesh, kind in zip(self._geoms, kinds, strict=True):
                meshes.write(mesh, kind, 0.5)
        placed.setdefault("reset_xform_op_properties", True)
        super().__init__(found, resolve_paths=False, **placed)
        if colors is not None:
            self.set_display_colors(colors)

    @property
    def geoms(self) -> list[UsdGeom.Mesh]:
        """The meshes of USD."""
        return self._geoms

    @property
    def num_faces(self) -> list[int]:
        """How many faces each has."""
        return [mesh.GetFaceCount() for mesh in self._geoms]

    @staticmethod
    def update_extents(geoms: list[UsdGeom.Mesh]) -> None:
        """Write how large the meshes are, for those who do not look at their points."""
        for mesh in geoms:
            bounds.recompute_extents(mesh.GetPrim())

    @staticmethod
    def are_of_type(paths: str | Usd.Prim | list[str | Usd.Prim]) -> Any:
        """(N,) whether prims are meshes."""
        several = paths if isinstance(paths, list) else [paths]
        return warp([get_prim_at_path(one).IsA(UsdGeom.Mesh) for one in several], "bool", "cpu")

    @staticmethod
    def fetch_instances(paths: str | Usd.Prim | list[str | Usd.Prim]) -> list[Mesh | None]:
        """Each prim as a mesh; None for one that is none."""
        several = paths if isinstance(paths, list) else [paths]
        prims = [get_prim_at_path(one) for one in several]
        return [
            Mesh(str(prim.GetPath()), reset_xform_op_properties=False)
            if prim.IsA(UsdGeom.Mesh)
            else None
            for prim in prims
        ]

    def set_display_colors(self, colors: Any, *, indices: Array | None = None) -> None:
        """Set (N, 3) red, green, blue from 0 to 1, or names of colors."""
        which = self._rows(indices)
        for i, color in zip(which, rgb("colors", colors, len(which)), strict=True):
            self._geoms[i].CreateDisplayColorAttr([Gf.Vec3f(*map(float, color))])

    def get_points(self, *, indices: Array | None = None) -> list[Any]:
        """(points, 3) of each mesh, in its frame."""
        return self._vectors("points", indices)

    def set_points(self, points: Rows, *, indices: Array | None = None) -> None:
        """Set (points, 3) of each mesh, in its frame."""
        self._set_vectors("points", points, indices)

    def get_normals(self, *, indices: Array | None = None) -> list[Any]:
        """(normals, 3) of each mesh."""
        return self._vectors("normals", indices)

    def set_normals(self, normals: Rows, *, indices: Array | None = None) -> None:
        """Set (normals, 3) of each mesh; one that is subdivided has normals of its own."""
        self._set_vectors("normals", normals, indices)

    def get_face_specs(
        self, *, indices: Array | None = None
    ) -> tuple[list[Any], list[Any], list[str], list[Any]]:
        """Numbers of points face by face, how many each face has, interpolations, and holes."""
        return (
            self._numbers("faceVertexIndices", "int32", indices),
            self._numbers("faceVertexCounts", "int32", indices),
            self._words("faceVaryingLinearInterpolation", indices),
            self._numbers("holeIndices", "int32", indices),
        )

    def set_face_specs(
        self,
        vertex_indices: Rows | None = None,
        vertex_counts: Rows | None = None,
        varying_linear_interpolations: str | list[str] | None = None,
        hole_indices: Rows | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set what faces are; what is None stays.

        Args:
            vertex_indices: Numbers of points face by face, of each mesh.
            vertex_counts: How many points each face has.
            varying_linear_interpolations: "none", "cornersOnly", "cornersPlus1", "cornersPlus2",
                "boundaries" or "all".
            hole_indices: Numbers of faces that are holes.
            indices: Which meshes; None: all.

        Raises:
            InvalidArgumentError: All are None.
        """
        _some(locals(), "vertex_indices", "vertex_counts", "varying_linear_interpolations",
              "hole_indices")  # fmt: skip
        for name, rows in (
            ("faceVertexIndices", vertex_indices),
            ("faceVertexCounts", vertex_counts),
            ("holeIndices", hole_indices),
        ):
            if rows is not None:
                self._set_numbers(name, "int32", rows, indices)
        if varying_linear_interpolations is not None:
            name = "faceVaryingLinearInterpolation"
            self._set_words(name, varying_linear_interpolations, indices)

    def get_crease_specs(
        self, *, indices: Array | None = None
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """Numbers of points crease by crease, how many each crease has, and sharpnesses."""
        return (
            self._numbers("creaseIndices", "int32", indices),
            self._numbers("creaseLengths", "int32", indices),
            self._numbers("creaseSharpnesses", "float32", indices),
        )

    def set_crease_specs(
        self,
        crease_indices: Rows,
        crease_lengths: Rows,
        crease_sharpnesses: Rows,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set which edges stay sharp when a mesh is subdivided.

        Args:
            crease_indices: Numbers of points crease by crease, of each mesh.
            crease_lengths: How many points each crease has.
            crease_sharpnesses: Of each crease, or of each edge.
            indices: Which meshes; None: all.

        Raises:
            InvalidArgumentError: They do not fit together.
        """
        for numbers, lengths, sharp in zip(
            map(_flat, crease_indices), map(_flat, crease_lengths), map(_flat, crease_sharpnesses),
            strict=True,
        ):  # fmt: skip
            if int(lengths.sum()) != len(numbers):
                allowed = f"{int(lengths.sum())} numbers, as crease_lengths say"
                raise InvalidArgumentError("crease_indices", len(numbers), allowed)
            if len(sharp) not in {len(lengths), int((lengths - 1).sum())}:
                allowed = "one a crease, or one an edge"
                raise InvalidArgumentError("crease_sharpnesses", len(sharp), allowed)
        self._set_numbers("creaseIndices", "int32", crease_indices, indices)
        self._set_numbers("creaseLengths", "int32", crease_lengths, indices)
        self._set_numbers("creaseSharpnesses", "float32", crease_sharpnesses, indices)

    def get_corner_specs(self, *, indices: Array | None = None) -> tuple[list[Any], list[Any]]:
        """Numbers of the points that are corners, and their sharpnesses."""
        return (
            self._numbers("cornerIndices", "int32", indices),
            self._numbers("cornerSharpnesses", "float32", indices),
        )

    def set_corner_specs(
        self, corner_indices: Rows, corner_sharpnesses: Rows, *, indices: Array | None = None
    ) -> None:
        """Set which points stay sharp when a mesh is subdivided.

        Raises:
            InvalidArgumentError: There are not as many numbers as sharpnesses.
        """
        pairs = zip(map(_flat, corner_indices), map(_flat, corner_sharpnesses), strict=True)
        for numbers, sharp in pairs:
            if len(numbers) != len(sharp):
                allowed = f"{len(numbers)}, one a corner"
                raise InvalidArgumentError("corner_sharpnesses", len(sharp), allowed)
        self._set_numbers("cornerIndices", "int32", corner_indices, indices)
        self._set_numbers("cornerSharpnesses", "float32", corner_sharpnesses, indices)

    def get_subdivision_specs(
        self, *, indices: Array | None = None
    ) -> tuple[list[str], list[str], list[str]]:
        """Schemes, how boundaries are interpolated, and how triangles are subdivided."""
        scheme, boundary, triangles = (self._words(name, indices) for name in _SUBDIVISION)
        return scheme, boundary, triangles

    def set_subdivision_specs(
        self,
        subdivision_schemes: str | list[str] | None = None,
        interpolate_boundaries: str | list[str] | None = None,
        triangle_subdivision_rules: str | list[str] | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set how meshes are subdivided where they are seen; what is None stays.

        Args:
            subdivision_schemes: "catmullClark", "loop", "bilinear" or "none".
            interpolate_boundaries: "none", "edgeOnly" or "edgeAndCorner".
            triangle_subdivision_rules: "catmullClark" or "smooth".
            indices: Which meshes; None: all.

        Raises:
            InvalidArgumentError: All are None.
        """
        given = (subdivision_schemes, interpolate_boundaries, triangle_subdivision_rules)
        _some(locals(), "subdivision_schemes", "interpolate_boundaries",
              "triangle_subdivision_rules")  # fmt: skip
        for name, words in zip(_SUBDIVISION, given, strict=True):
            if words is not None:
                self._set_words(name, words, indices)

    def _vectors(self, name: str, indices: Any) -> list[Any]:
        found = [self.prims[i].GetAttribute(name).Get() for i in self._rows(indices)]
        return [warp(np.asarray(x if x else [], np.float32).reshape(-1, 3)) for x in found]

    def _set_vectors(self, name: str, rows: Rows, indices: Any) -> None:
        which = self._rows(indices)
        for i, row in zip(which, one_each(name, rows, len(which)), strict=True):
            plain = np.ascontiguousarray(convert.plain(row), np.float32).reshape(-1, 3)
            self.prims[i].GetAttribute(name).Set(Vt.Vec3fArray.FromNumpy(plain))

    def _numbers(self, name: str, kind: str, indices: Any) -> list[Any]:
        found = [self.prims[i].GetAttribute(name).Get() for i in self._rows(indices)]
        return [warp(np.asarray(x if x else [], kind), kind) for x in found]

    def _set_numbers(self, name: str, kind: str, rows: Rows, indices: Any) -> None:
        which = self._rows(indices)
        for i, row in zip(which, one_each(name, rows, len(which)), strict=True):
            plain = np.ascontiguousarray(_flat(row), kind)
            self.prims[i].GetAttribute(name).Set(_KINDS[kind].FromNumpy(plain))

    def _words(self, name: str, indices: Any) -> list[str]:
        return [str(self.prims[i].GetAttribute(name).Get()) for i in self._rows(indices)]

    def _set_words(self, name: str, words: str | list[str], indices: Any) -> None:
        which = self._rows(indices)
        for i, word in zip(which, one_each(name, words, len(which)), strict=True):
            self.prims[i].GetAttribute(name).Set(str(word))


_SUBDIVISION = ("subdivisionScheme", "interpolateBoundary", "triangleSubdivisionRule")


def _flat(values: Any) -> np.ndarray:
    return np.asarray(convert.plain(values)).reshape(-1)


def _some(given: dict[str, Any], *names: str) -> None:
    """Refuse a call in which all of some arguments are None."""
    if all(given[name] is None for name in names):
        raise InvalidArgumentError(names[0], None, f"one of {', '.join(names)}")
