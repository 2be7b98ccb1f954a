"""ClothPrim: a mesh that is cloth of particles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pxr import UsdGeom

from unibody.isaac_core.functions.types import DynamicState
from unibody.isaac_core.materials.particle_material import ParticleMaterial
from unibody.isaac_core.prims.soft.cloth_view import ClothPrimView
from unibody.isaac_core.prims.soft.particle_system import ParticleSystem
from unibody.isaac_core.prims.xform import XFormPrim, first, row, rows_of


class ClothPrim(XFormPrim):
    """A mesh of the stage, simulated as cloth.

    Args:
        prim_path: Where the mesh is.
        particle_system: What says how near it rests to others.
        particle_material: How it rubs, and is damped.
        name: By which a scene finds it.
        position: In the world.
        orientation: w, x, y, z.
        scale: To the parent.
        visible: Whether it is seen.
        particle_mass: Of a particle.
        pressure: In a closed cloth: on the stage, without effect.
        particle_group: On the stage, without effect.
        self_collision: Whether it touches itself.
        self_collision_filter: Whether what is near at rest does not: it never does.
        stretch_stiffness: Of springs along edges.
        bend_stiffness: Of springs two edges long.
        shear_stiffness: Of springs across edges.
        spring_damping: Of all springs.
    """

    _kind = "Mesh"

    def __init__(
        self,
        prim_path: str,
        particle_system: ParticleSystem,
        particle_material: ParticleMaterial | None = None,
        name: str | None = "cloth",
        position: Sequence[float] | None = None,
        orientation: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        visible: bool | None = None,
        particle_mass: float | None = 0.01,
        pressure: float | None = None,
        particle_group: int | None = 0,
        self_collision: bool | None = True,
        self_collision_filter: bool | None = True,
        stretch_stiffness: float | None = None,
        bend_stiffness: float | None = None,
        shear_stiffness: float | None = None,
        spring_damping: float | None = None,
    ) -> None:
        self._define(prim_path)
        self._cloth_view = ClothPrimView(
            prim_path,
            particle_system,
            particle_material,
            f"{name}_view",
            **rows_of(
                positions=position,
                orientations=orientation,
                scales=scale,
                visibilities=visible,
                particle_masses=particle_mass,
                pressures=pressure,
                particle_groups=particle_group,
                self_collisions=self_collision,
                self_collision_filters=self_collision_filter,
                stretch_stiffnesses=stretch_stiffness,
                bend_stiffnesses=bend_stiffness,
                shear_stiffnesses=shear_stiffness,
                spring_dampings=spring_damping,
            ),
        )
        self._view_of(self._cloth_view, name or "")

    @property
    def mesh(self) -> UsdGeom.Mesh:
        """The mesh."""
        return UsdGeom.Mesh(self._prim)

    def get_current_dynamic_state(self) -> DynamicState:
        """Pose of the prim; cloth has no velocity as a whole."""
        position, orientation = self.get_world_pose()
        unknown: Any = None
        return DynamicState(position, orientation, unknown, unknown)

    def get_stretch_stiffness(self) -> Any:
        """The stiffness of each of its springs, (springs,)."""
        return first(self._cloth_view.get_stretch_stiffnesses())

    def set_stretch_stiffness(self, stiffness: Any) -> None:
        """Set the stiffness of each of its springs, (springs,)."""
        self._cloth_view.set_stretch_stiffnesses(row(stiffness))

    def get_spring_damping(self) -> Any:
        """The damping of each of its springs, (springs,)."""
        return first(self._cloth_view.get_spring_dampings())

    def set_spring_damping(self, damping: Any) -> None:
        """Set the damping of each of its springs, (springs,)."""
        self._cloth_view.set_spring_dampings(row(damping))

    def get_cloth_stretch_stiffness(self) -> float:
        """The stiffness of springs along edges, as the stage states it."""
        return first(self._cloth_view.get_cloths_stretch_stiffnesses())

    def set_cloth_stretch_stiffness(self, stiffness: float) -> None:
        """Set the stiffness of springs along edges."""
        self._cloth_view.set_cloths_stretch_stiffnesses([stiffness])

    def get_cloth_bend_stiffness(self) -> float:
        """The stiffness of springs two edges long, as the stage states it."""
        return first(self._cloth_view.get_cloths_bend_stiffnesses())

    def set_cloth_bend_stiffness(self, stiffness: float) -> None:
        """Set the stiffness of springs two edges long."""
        self._cloth_view.set_cloths_bend_stiffnesses([stiffness])

    def get_cloth_shear_stiffness(self) -> float:
        """The stiffness of springs across edges, as the stage states it."""
        return first(self._cloth_view.get_cloths_shear_stiffnesses())

    def set_cloth_shear_stiffness(self, stiffness: float) -> None:
        """Set the stiffness of springs across edges."""
        self._cloth_view.set_cloths_shear_stiffnesses([stiffness])

    def get_cloth_damping(self) -> float:
        """The damping of all springs, as the stage states it."""
        return first(self._cloth_view.get_cloths_dampings())

    def set_cloth_damping(self, damping: float) -> None:
        """Set the damping of all springs."""
        self._cloth_view.set_cloths_dampings([damping])

    def get_pressure(self) -> float:
        """The pressure in it: without effect."""
        return float(first(self._cloth_view.get_pressures()))

    def set_pressure(self, pressure: float) -> None:
        """Set the pressure in it: without effect."""
        self._cloth_view.set_pressures([pressure])

    def get_particle_group(self) -> int:
        """The group of its particles: without effect."""
        return int(first(self._cloth_view.get_particle_groups()))

    def set_particle_group(self, particle_group: int) -> None:
        """Set the group of its particles: without effect."""
        self._cloth_view.set_particle_groups([particle_group])

    def get_self_collision(self) -> bool:
        """Whether it touches itself."""
        return bool(first(self._cloth_view.get_self_collisions()))

    def set_self_collision(self, self_collision: bool) -> None:
        """Set whether it touches itself."""
        self._cloth_view.set_self_collisions([self_collision])

    def get_self_collision_filter(self) -> bool:
        """Whether what is near at rest does not touch."""
        return bool(first(self._cloth_view.get_self_collision_filters()))

    def set_self_collision_filter(self, self_collision_filter: bool) -> None:
        """Set whether what is near at rest does not touch."""
        self._cloth_view.set_self_collision_filters([self_collision_filter])
