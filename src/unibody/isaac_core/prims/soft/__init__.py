"""Cloth, deformable bodies and systems of particles."""

from __future__ import annotations

from unibody.isaac_core.prims.soft.cloth import ClothPrim
from unibody.isaac_core.prims.soft.cloth_view import ClothPrimView
from unibody.isaac_core.prims.soft.deformable import DeformablePrim
from unibody.isaac_core.prims.soft.deformable_view import DeformablePrimView
from unibody.isaac_core.prims.soft.particle_system import ParticleSystem
from unibody.isaac_core.prims.soft.particle_system_view import ParticleSystemView

__all__ = [
    "ClothPrim", "ClothPrimView", "DeformablePrim", "DeformablePrimView", "ParticleSystem",
    "ParticleSystemView",
]  # fmt: skip
