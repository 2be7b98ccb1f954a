"""GroundPlane: where all lands."""

from __future__ import annotations

from typing import Any

from pxr import UsdGeom

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.experimental import prim_functions as functions
from unibody.isaac_core.experimental.arguments import Array, table
from unibody.isaac_core.experimental.geom_prim import GeomPrim
from unibody.isaac_core.experimental.prim import Prim
from unibody.isaac_core.experimental.shapes import Plane
from unibody.isaac_core.experimental.xform_prim import XformPrim
from unibody.isaac_core.objects.ground_plane import make_plane


class GroundPlane(XformPrim):
    """Planes that collide on both sides of their edges, and are seen between them.

    Args:
        paths: Of the prims, which are all there or all free.
        sizes: (N, 1) lengths of the edges of new ones.
        colors: (N, 3) red, green, blue from 0 to 1, or names; None: grey.
        templates: How they are seen; all look the same here, in the color.
        **placed: What `XformPrim` takes.

    Raises:
        InvalidArgumentError: At a path is something without a plane.
    """

    def __init__(
        self,
        paths: str | list[str],
        *,
        sizes: Array = 100.0,
        colors: Any = None,
        templates: str | list[str] | None = "wireframe-blue",
        **placed: Any,
    ) -> None:
        placed.setdefault("reset_xform_op_properties", True)
        there, free = Prim.resolve_paths(paths)
        found = there or free
        edges = table("sizes", sizes, (len(found), 1))[:, 0]
        planes = [
            _found(path) if there else str(make_plane(path, size, "CollisionPlane"))
            for path, size in zip(found, edges, strict=True)
        ]
        super().__init__(found, resolve_paths=False, **placed)
        self._planes = Plane(planes, colors=colors)
        self._geometry = GeomPrim(planes, apply_collision_apis=not there)

    @property
    def planes(self) -> Plane:
        """The planes below the prims."""
        return self._planes

    def get_offsets(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 1) distances at which contacts begin, and rest; -inf: the simulation chooses."""
        return self._geometry.get_offsets(indices=indices)

    def set_offsets(
        self,
        contact_offsets: Array | None = None,
        rest_offsets: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 1) distances at which contacts begin, and rest; what is None stays."""
        self._geometry.set_offsets(contact_offsets, rest_offsets, indices=indices)

    def get_enabled_collisions(self, *, indices: Array | None = None) -> Any:
        """(N, 1) whether they collide."""
        return self._geometry.get_enabled_collisions(indices=indices)

    def set_enabled_collisions(self, enabled: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) whether they collide."""
        self._geometry.set_enabled_collisions(enabled, indices=indices)

    def apply_physics_materials(
        self,
        materials: Any,
        *,
        weaker_than_descendants: Array | None = None,
        indices: Array | None = None,
    ) -> None:
        """Give the planes a material of the physics, or each its own."""
        self._geometry.apply_physics_materials(
            materials, weaker_than_descendants=weaker_than_descendants, indices=indices
        )

    def get_applied_physics_materials(self, *, indices: Array | None = None) -> list[Any]:
        """The materials of the physics; None where there is none."""
        return self._geometry.get_applied_physics_materials(indices=indices)


def _found(path: str) -> str:
    plane = functions.get_first_matching_child_prim(
        path, predicate=lambda prim, _: prim.IsA(UsdGeom.Plane)
    )
    if plane is None:
        raise InvalidArgumentError("paths", path, "a free path, or one above a plane")
    return plane.GetPath().pathString
