"""Prims under the names of ``isaacsim.core.prims``: views have the short names there."""

from __future__ import annotations

from unibody.isaac_core.prims.articulation import Articulation as SingleArticulation
from unibody.isaac_core.prims.articulation_view import ArticulationView as Articulation
from unibody.isaac_core.prims.geometry import GeometryPrim as SingleGeometryPrim
from unibody.isaac_core.prims.geometry_view import GeometryPrimView as GeometryPrim
from unibody.isaac_core.prims.rigid import RigidPrim as SingleRigidPrim
from unibody.isaac_core.prims.rigid_view import RigidPrimView as RigidPrim
from unibody.isaac_core.prims.soft import ClothPrim as SingleClothPrim
from unibody.isaac_core.prims.soft import ClothPrimView as ClothPrim
from unibody.isaac_core.prims.soft import DeformablePrim as SingleDeformablePrim
from unibody.isaac_core.prims.soft import DeformablePrimView as DeformablePrim
from unibody.isaac_core.prims.soft import ParticleSystem as SingleParticleSystem
from unibody.isaac_core.prims.soft import ParticleSystemView as ParticleSystem
from unibody.isaac_core.prims.xform import XFormPrim as SingleXFormPrim
from unibody.isaac_core.prims.xform_view import XFormPrimView as XFormPrim

__all__ = [
    "Articulation", "ClothPrim", "DeformablePrim", "GeometryPrim", "ParticleSystem", "RigidPrim",
    "SingleArticulation", "SingleClothPrim", "SingleDeformablePrim", "SingleGeometryPrim",
    "SingleParticleSystem", "SingleRigidPrim", "SingleXFormPrim", "XFormPrim",
]  # fmt: skip
