"""Materials: how prims look and how they rub."""

from __future__ import annotations

from unibody.isaac_core.materials.deformable_material import DeformableMaterial
from unibody.isaac_core.materials.deformable_material_view import DeformableMaterialView
from unibody.isaac_core.materials.omni_glass import OmniGlass
from unibody.isaac_core.materials.omni_pbr import OmniPBR
from unibody.isaac_core.materials.particle_material import ParticleMaterial
from unibody.isaac_core.materials.particle_material_view import ParticleMaterialView
from unibody.isaac_core.materials.physics_material import PhysicsMaterial
from unibody.isaac_core.materials.preview_surface import PreviewSurface
from unibody.isaac_core.materials.visual_material import VisualMaterial

__all__ = [
    "DeformableMaterial", "DeformableMaterialView", "OmniGlass", "OmniPBR", "ParticleMaterial",
    "ParticleMaterialView", "PhysicsMaterial", "PreviewSurface", "VisualMaterial",
]  # fmt: skip
