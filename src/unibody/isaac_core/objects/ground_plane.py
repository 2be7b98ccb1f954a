"""GroundPlane: where all lands."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Usd, UsdGeom

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.functions import bounds
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions import stage as stages
from unibody.isaac_core.functions.types import Vector, XFormPrimState
from unibody.isaac_core.materials.physics_material import PhysicsMaterial
from unibody.isaac_core.materials.preview_surface import PreviewSurface
from unibody.isaac_core.materials.visual_material import VisualMaterial
from unibody.isaac_core.prims.geometry import GeometryPrim
from unibody.isaac_core.prims.xform import XFormPrim

EDGE = 100.0
"""Length of the edges of a plane that says none [m]."""


class GroundPlane:
    """A plane that collides on both sides of its edges, and is seen between them.

    Args:
        prim_path: Where it is; a plane below it is taken as it is.
        name: By which a scene finds it.
        size: Length of its edges.
        z_position: How high it lies.
        scale: To the parent.
        visible: Whether it is seen.
        color: Red, green, blue from 0 to 1; None: gray.
        physics_material: Its friction and restitution; None: 0.5, 0.5, 0.8.
        visual_material: Its material, instead of a color.

    Raises:
        InvalidArgumentError: At the path is something without a plane.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "ground_plane",
        size: float | None = None,
        z_position: float | None = None,
        scale: Vector | None = None,
        visible: bool | None = None,
        color: Vector | None = None,
        physics_material: PhysicsMaterial | None = None,
        visual_material: VisualMaterial | None = None,
    ) -> None:
        is_new = not functions.is_prim_path_valid(prim_path)
        plane = make_plane(prim_path, size) if is_new else _found(prim_path)
        position = None if z_position is None else [0.0, 0.0, z_position]
        self._xform_prim = XFormPrim(prim_path, name, position, scale=scale, visible=visible)
        self._collision_geometry_prim = GeometryPrim(str(plane), f"{name}_geometry", collision=True)
        if is_new and visual_material is None:
            path = stages.get_next_free_path("/World/Looks/visual_material")
            visual_material = PreviewSurface(
                path, color=np.full(3, 0.5) if color is None else color
            )
        if is_new and physics_material is None:
            path = stages.get_next_free_path("/World/Physics_Materials/physics_material")
            physics_material = PhysicsMaterial(path, "physics_material", 0.5, 0.5, 0.8)
        if visual_material is not None:
            self._xform_prim.apply_visual_material(visual_material)
        if physics_material is not None:
            self.apply_physics_material(physics_material)

    @property
    def prim_path(self) -> str:
        """Where it is."""
        return self._xform_prim.prim_path

    @property
    def prim(self) -> Usd.Prim:
        """The prim."""
        return self._xform_prim.prim

    @property
    def name(self) -> str | None:
        """The name given."""
        return self._xform_prim.name

    @property
    def xform_prim(self) -> XFormPrim:
        """The prim that places it."""
        return self._xform_prim

    @property
    def collision_geometry_prim(self) -> GeometryPrim:
        """The plane that collides."""
        return self._collision_geometry_prim

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Take hold of the physics."""
        self._xform_prim.initialize(physics_sim_view)
        self._collision_geometry_prim.initialize(physics_sim_view)

    def is_valid(self) -> bool:
        """Whether the prim is still on the stage."""
        return self._xform_prim.is_valid()

    def post_reset(self) -> None:
        """Go back to the default state."""
        self._xform_prim.post_reset()

    def apply_physics_material(
        self, physics_material: PhysicsMaterial, weaker_than_descendants: bool = False
    ) -> None:
        """Give it friction and restitution.

        Args:
            physics_material: The material.
            weaker_than_descendants: Whether materials of prims below count instead.
        """
        self._collision_geometry_prim.apply_physics_material(
            physics_material, weaker_than_descendants
        )

    def get_applied_physics_material(self) -> PhysicsMaterial:
        """Its friction and restitution; None without a material."""
        return self._collision_geometry_prim.get_applied_physics_material()

    def get_world_pose(self) -> tuple[np.ndarray, np.ndarray]:
        """Position and orientation w, x, y, z in the world."""
        return self._xform_prim.get_world_pose()

    def set_world_pose(
        self, position: Vector | None = None, orientation: Vector | None = None
    ) -> None:
        """Set position and orientation in the world; what is None stays."""
        self._xform_prim.set_world_pose(position, orientation)

    def get_default_state(self) -> XFormPrimState:
        """Pose by default."""
        return self._xform_prim.get_default_state()

    def set_default_state(
        self, position: Vector | None = None, orientation: Vector | None = None
    ) -> None:
        """Set the pose by default; what is None stays."""
        self._xform_prim.set_default_state(position, orientation)


def make_plane(
    prim_path: str,
    size: float | None,
    below: str = "geom",
    color: tuple[float, float, float] = (0.5, 0.5, 0.5),
) -> Any:
    """Make the prims of a plane.

    Args:
        prim_path: Of the one that places it.
        size: Length of its edges; None: 100 m.
        below: Path of the plane itself below that.
        color: Red, green, blue from 0 to 1, where it has no material.

    Returns:
        The path of the plane.
    """
    stage = handles.current_stage()
    UsdGeom.Xform.Define(stage, prim_path)
    edge = EDGE / stages.get_stage_units() if size is None else float(size)
    plane = UsdGeom.Plane.Define(stage, f"{prim_path}/{below}")
    plane.CreateAxisAttr(UsdGeom.GetStageUpAxis(stage))
    plane.CreateDisplayColorAttr([color])
    plane.CreateWidthAttr(edge)
    plane.CreateLengthAttr(edge)
    bounds.recompute_extents(plane.GetPrim())
    return plane.GetPath()


def _found(prim_path: str) -> Any:
    plane = functions.get_first_matching_child_prim(
        prim_path, lambda path: functions.get_prim_type_name(path) == "Plane"
    )
    if not plane:
        raise InvalidArgumentError("prim_path", prim_path, "a free path, or one above a plane")
    return plane.GetPath()
