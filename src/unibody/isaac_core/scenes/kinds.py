"""Of which kind an object of a scene is."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core.materials.deformable_material import DeformableMaterial
from unibody.isaac_core.materials.deformable_material_view import DeformableMaterialView
from unibody.isaac_core.materials.particle_material import ParticleMaterial
from unibody.isaac_core.materials.particle_material_view import ParticleMaterialView
from unibody.isaac_core.objects.ground_plane import GroundPlane
from unibody.isaac_core.prims.articulation import Articulation
from unibody.isaac_core.prims.articulation_view import ArticulationView
from unibody.isaac_core.prims.base_sensor import BaseSensor
from unibody.isaac_core.prims.contact_view import RigidContactView
from unibody.isaac_core.prims.geometry import GeometryPrim
from unibody.isaac_core.prims.geometry_view import GeometryPrimView
from unibody.isaac_core.prims.rigid import RigidPrim
from unibody.isaac_core.prims.rigid_view import RigidPrimView
from unibody.isaac_core.prims.robot import Robot, RobotView
from unibody.isaac_core.prims.soft import (
    ClothPrim,
    ClothPrimView,
    DeformablePrim,
    DeformablePrimView,
    ParticleSystem,
    ParticleSystemView,
)
from unibody.isaac_core.prims.xform import XFormPrim
from unibody.isaac_core.prims.xform_view import XFormPrimView

_KINDS: tuple[tuple[type, str], ...] = (  # derived classes stand before what they derive from
    (RobotView, "robot_view"),
    (ArticulationView, "articulated_view"),
    (RigidPrimView, "rigid_prim_view"),
    (RigidContactView, "rigid_contact_view"),
    (GeometryPrimView, "geometry_prim_view"),
    (ClothPrimView, "cloth_view"),
    (DeformablePrimView, "deformable_view"),
    (XFormPrimView, "xform_view"),
    (Robot, "robot"),
    (Articulation, "articulated_system"),
    (RigidPrim, "rigid_object"),
    (BaseSensor, "sensor"),
    (GeometryPrim, "geometry_object"),
    (GroundPlane, "geometry_object"),
    (ClothPrim, "cloth"),
    (DeformablePrim, "deformable"),
    (XFormPrim, "xform"),
    (ParticleSystem, "particle_system"),
    (ParticleSystemView, "particle_system_view"),
    (ParticleMaterialView, "particle_material_view"),
    (DeformableMaterial, "deformable_material"),
    (DeformableMaterialView, "deformable_material_view"),
    (ParticleMaterial, "particle_material"),
)


def of(what: Any) -> str | None:
    """The kind of an object, a key of ``registry.KINDS``; None if scenes have no such."""
    return next((kind for made, kind in _KINDS if isinstance(what, made)), None)
