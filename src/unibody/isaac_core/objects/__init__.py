"""Shapes: seen, colliding, and moving."""

from __future__ import annotations

from unibody.isaac_core.objects.capsule import DynamicCapsule, FixedCapsule, VisualCapsule
from unibody.isaac_core.objects.cone import DynamicCone, FixedCone, VisualCone
from unibody.isaac_core.objects.cuboid import DynamicCuboid, FixedCuboid, VisualCuboid
from unibody.isaac_core.objects.cylinder import DynamicCylinder, FixedCylinder, VisualCylinder
from unibody.isaac_core.objects.ground_plane import GroundPlane
from unibody.isaac_core.objects.sphere import DynamicSphere, FixedSphere, VisualSphere

__all__ = [
    "DynamicCapsule", "DynamicCone", "DynamicCuboid", "DynamicCylinder", "DynamicSphere",
    "FixedCapsule", "FixedCone", "FixedCuboid", "FixedCylinder", "FixedSphere", "GroundPlane",
    "VisualCapsule", "VisualCone", "VisualCuboid", "VisualCylinder", "VisualSphere",
]  # fmt: skip
