"""Cylinders: seen, colliding, and moving."""

from __future__ import annotations

from pxr import UsdGeom

from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.materials.physics_material import PhysicsMaterial
from unibody.isaac_core.materials.visual_material import VisualMaterial
from unibody.isaac_core.objects.bodies import Body
from unibody.isaac_core.objects.round_shape import RoundShape


class VisualCylinder(RoundShape):
    """A cylinder that is only seen.

    Args:
        prim_path: Where it is; a cylinder that is there is taken as it is.
        name: By which a scene finds it.
        position: In the world.
        translation: To the parent, instead of a position.
        orientation: w, x, y, z.
        scale: To the parent.
        visible: Whether it is seen.
        color: Red, green, blue from 0 to 1; None: gray.
        radius: Its radius.
        height: Its height.
        visual_material: Its material, instead of a color.
    """

    _schema = UsdGeom.Cylinder

    def __init__(
        self,
        prim_path: str,
        name: str = "visual_cylinder",
        position: Vector | None = None,
        translation: Vector | None = None,
        orientation: Vector | None = None,
        scale: Vector | None = None,
        visible: bool | None = None,
        color: Vector | None = None,
        radius: float | None = None,
        height: float | None = None,
        visual_material: VisualMaterial | None = None,
    ) -> None:
        self._build(
            prim_path, name, position, translation, orientation, scale, visible,
            color, {"radius": radius, "height": height}, visual_material,
        )  # fmt: skip


class FixedCylinder(VisualCylinder):
    """A cylinder that collides and stays; the arguments are those of `VisualCylinder`, and one.

    Args:
        physics_material: Its friction and restitution; None: that of new shapes.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "fixed_cylinder",
        position: Vector | None = None,
        translation: Vector | None = None,
        orientation: Vector | None = None,
        scale: Vector | None = None,
        visible: bool | None = None,
        color: Vector | None = None,
        radius: float | None = None,
        height: float | None = None,
        visual_material: VisualMaterial | None = None,
        physics_material: PhysicsMaterial | None = None,
    ) -> None:
        VisualCylinder.__init__(
            self, prim_path, name, position, translation, orientation, scale, visible, color,
            radius, height, visual_material,
        )  # fmt: skip
        self._collide(physics_material)


class DynamicCylinder(Body, FixedCylinder):  # pyright: ignore[reportIncompatibleMethodOverride] - so is the original's
    """A cylinder that moves; the arguments are those of `FixedCylinder`, and four.

    Args:
        mass: [kg].
        density: [kg/m^3].
        linear_velocity: [m/s].
        angular_velocity: [rad/s].
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "dynamic_cylinder",
        position: Vector | None = None,
        translation: Vector | None = None,
        orientation: Vector | None = None,
        scale: Vector | None = None,
        visible: bool | None = None,
        color: Vector | None = None,
        radius: float | None = None,
        height: float | None = None,
        visual_material: VisualMaterial | None = None,
        physics_material: PhysicsMaterial | None = None,
        mass: float | None = None,
        density: float | None = None,
        linear_velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
    ) -> None:
        FixedCylinder.__init__(
            self, prim_path, name, position, translation, orientation, scale, visible, color,
            radius, height, visual_material, physics_material,
        )  # fmt: skip
        self._move(mass, density, linear_velocity, angular_velocity)
