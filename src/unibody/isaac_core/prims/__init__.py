"""Prims under the names of ``omni.isaac.core``: a prim, and a view of many."""

from __future__ import annotations

from unibody.isaac_core.prims.base_sensor import BaseSensor
from unibody.isaac_core.prims.contact_view import RigidContactView
from unibody.isaac_core.prims.geometry import GeometryPrim
from unibody.isaac_core.prims.geometry_view import GeometryPrimView
from unibody.isaac_core.prims.rigid import RigidPrim
from unibody.isaac_core.prims.rigid_view import RigidPrimView
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

__all__ = [
    "BaseSensor", "ClothPrim", "ClothPrimView", "DeformablePrim", "DeformablePrimView",
    "GeometryPrim", "GeometryPrimView", "ParticleSystem", "ParticleSystemView", "RigidContactView",
    "RigidPrim", "RigidPrimView", "XFormPrim", "XFormPrimView",
]  # fmt: skip
