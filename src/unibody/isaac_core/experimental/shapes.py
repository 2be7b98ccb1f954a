"""Shapes that are seen: cubes, spheres, cylinders, cones, capsules and planes."""

from __future__ import annotations

from typing import Any

from pxr import Gf, Usd, UsdGeom

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.experimental.arguments import Array, column, one_each, table, warp
from unibody.isaac_core.experimental.colors import rgb
from unibody.isaac_core.experimental.prim import Prim
from unibody.isaac_core.experimental.prim_functions import get_prim_at_path
from unibody.isaac_core.experimental.xform_prim import XformPrim
from unibody.isaac_core.functions import bounds

_AXES = ("X", "Y", "Z")


class Shape(XformPrim):
    """Shapes of one kind: those that are there, or those that are made at free paths.

    Args:
        paths: Of the prims, which are all there or all free.
        colors: (N, 3) red, green, blue from 0 to 1, or names.
        **options: What sets sizes, by the names of the setters, and what `XformPrim` takes.

    Raises:
        InvalidArgumentError: A prim is of another kind.
    """

    _KIND: Any = None
    _SETTERS: tuple[str, ...] = ()

    def __init__(self, paths: str | list[str], *, colors: Any = None, **options: Any) -> None:
        sizes = {name: options.pop(name) for name in self._SETTERS if name in options}
        options.setdefault("reset_xform_op_properties", True)
        found, self._geoms = _geoms(paths, self._KIND)
        super().__init__(found, resolve_paths=False, **options)
        if colors is not None:
            self.set_display_colors(colors)
        for name, values in sizes.items():
            if values is not None:
                getattr(self, f"set_{name}")(values)

    @property
    def geoms(self) -> list[Any]:
        """The shapes of USD."""
        return self._geoms

    @staticmethod
    def update_extents(geoms: list[Any]) -> None:
        """Write how large the shapes are, for those who do not look at their sizes."""
        for geom in geoms:
            bounds.recompute_extents(geom.GetPrim())

    @classmethod
    def are_of_type(cls, paths: str | Usd.Prim | list[str | Usd.Prim]) -> Any:
        """(N,) whether prims are shapes of this kind."""
        several = paths if isinstance(paths, list) else [paths]
        return warp([get_prim_at_path(one).IsA(cls._KIND) for one in several], "bool")

    @staticmethod
    def fetch_instances(paths: str | Usd.Prim | list[str | Usd.Prim]) -> list[Any]:
        """Each prim as a shape of its kind; None for one that is none."""
        several = paths if isinstance(paths, list) else [paths]
        prims = [get_prim_at_path(one) for one in several]
        return [_shape_of(prim) for prim in prims]

    def set_display_colors(self, colors: Any, *, indices: Array | None = None) -> None:
        """Set (N, 3) red, green, blue from 0 to 1, or names of colors."""
        which = self._rows(indices)
        for i, color in zip(which, rgb("colors", colors, len(which)), strict=True):
            self._geoms[i].CreateDisplayColorAttr([Gf.Vec3f(*map(float, color))])

    def _get(self, attribute: str, indices: Any) -> Any:
        found = [self.prims[i].GetAttribute(attribute).Get() for i in self._rows(indices)]
        return column(found)

    def _set(self, attribute: str, name: str, values: Any, indices: Any) -> None:
        which = self._rows(indices)
        rows = table(name, values, (len(which), 1))
        for i, value in zip(which, rows[:, 0], strict=True):
            self.prims[i].GetAttribute(attribute).Set(float(value))
        self.update_extents([self._geoms[i] for i in which])


class Cube(Shape):
    """Cubes.

    Args:
        paths: Of the prims, which are all there or all free.
        sizes: (N, 1) lengths of the edges.
        **options: Colors, and what `XformPrim` takes.
    """

    _KIND, _SETTERS = UsdGeom.Cube, ("sizes",)

    def get_sizes(self, *, indices: Array | None = None) -> Any:
        """(N, 1) lengths of the edges."""
        return self._get("size", indices)

    def set_sizes(self, sizes: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) lengths of the edges."""
        self._set("size", "sizes", sizes, indices)


class Sphere(Shape):
    """Spheres.

    Args:
        paths: Of the prims, which are all there or all free.
        radii: (N, 1).
        **options: Colors, and what `XformPrim` takes.
    """

    _KIND, _SETTERS = UsdGeom.Sphere, ("radii",)

    def get_radii(self, *, indices: Array | None = None) -> Any:
        """(N, 1) radii."""
        return self._get("radius", indices)

    def set_radii(self, radii: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) radii."""
        self._set("radius", "radii", radii, indices)


class _AlongAxis(Shape):
    """What has an axis."""

    def get_axes(self, *, indices: Array | None = None) -> list[str]:
        """The axis of each: "X", "Y" or "Z"."""
        return [str(self.prims[i].GetAttribute("axis").Get()) for i in self._rows(indices)]

    def set_axes(self, axes: str | list[str], *, indices: Array | None = None) -> None:
        """Set the axis of each.

        Raises:
            InvalidArgumentError: There is no such axis.
        """
        which = self._rows(indices)
        for i, axis in zip(which, one_each("axes", axes, len(which)), strict=True):
            if axis not in _AXES:
                raise InvalidArgumentError("axes", axis, "'X', 'Y' or 'Z'")
            self.prims[i].GetAttribute("axis").Set(axis)
        self.update_extents([self._geoms[i] for i in which])


class _Round(_AlongAxis):
    """What has a radius and a height along its axis."""

    _SETTERS = ("radii", "heights", "axes")

    def get_radii(self, *, indices: Array | None = None) -> Any:
        """(N, 1) radii."""
        return self._get("radius", indices)

    def set_radii(self, radii: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) radii."""
        self._set("radius", "radii", radii, indices)

    def get_heights(self, *, indices: Array | None = None) -> Any:
        """(N, 1) heights along the axes."""
        return self._get("height", indices)

    def set_heights(self, heights: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) heights along the axes."""
        self._set("height", "heights", heights, indices)


class Cylinder(_Round):
    """Cylinders; sizes are ``radii``, ``heights`` and ``axes``."""

    _KIND = UsdGeom.Cylinder


class Cone(_Round):
    """Cones; sizes are ``radii``, ``heights`` and ``axes``."""

    _KIND = UsdGeom.Cone


class Capsule(_Round):
    """Capsules; sizes are ``radii``, ``heights`` without the caps, and ``axes``."""

    _KIND = UsdGeom.Capsule


class Plane(_AlongAxis):
    """Planes; sizes are ``widths``, ``lengths``, and ``axes`` that they are square to."""

    _KIND, _SETTERS = UsdGeom.Plane, ("widths", "lengths", "axes")

    def get_widths(self, *, indices: Array | None = None) -> Any:
        """(N, 1) widths."""
        return self._get("width", indices)

    def set_widths(self, widths: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) widths."""
        self._set("width", "widths", widths, indices)

    def get_lengths(self, *, indices: Array | None = None) -> Any:
        """(N, 1) lengths."""
        return self._get("length", indices)

    def set_lengths(self, lengths: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) lengths."""
        self._set("length", "lengths", lengths, indices)


_KINDS: tuple[type[Shape], ...] = (Cube, Sphere, Cylinder, Cone, Capsule, Plane)


def _shape_of(prim: Usd.Prim) -> Shape | None:
    for kind in _KINDS:
        if prim.IsA(kind._KIND):
            return kind(prim.GetPath().pathString, reset_xform_op_properties=False)
    return None


def made_or_found(paths: str | list[str], kind: Any) -> tuple[list[str], list[Any]]:
    """Prims of a kind: those of the paths, or new ones.

    Returns:
        Paths, and the schema of each.

    Raises:
        InvalidArgumentError: A prim is of another kind.
    """
    stage = handles.current_stage()
    there, free = Prim.resolve_paths(paths)
    for path in there:
        if not stage.GetPrimAtPath(path).IsA(kind):
            raise InvalidArgumentError("paths", path, f"a path of a {kind.__name__}")
    if there:
        return there, [kind(stage.GetPrimAtPath(path)) for path in there]
    return free, [kind.Define(stage, path) for path in free]


def _geoms(paths: str | list[str], kind: Any) -> tuple[list[str], list[Any]]:
    found, geoms = made_or_found(paths, kind)
    for geom in geoms:
        if not geom.GetExtentAttr().HasAuthoredValue():
            bounds.recompute_extents(geom.GetPrim())
    return found, geoms
