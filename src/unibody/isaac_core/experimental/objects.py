"""Names of ``isaacsim.core.experimental.objects``."""

from __future__ import annotations

from unibody.isaac_core.experimental.camera import Camera
from unibody.isaac_core.experimental.ground_plane import GroundPlane
from unibody.isaac_core.experimental.lights import (
    CylinderLight,
    DiskLight,
    DistantLight,
    DomeLight,
    Light,
    RectLight,
    SphereLight,
)
from unibody.isaac_core.experimental.mesh import Mesh
from unibody.isaac_core.experimental.shapes import (
    Capsule,
    Cone,
    Cube,
    Cylinder,
    Plane,
    Shape,
    Sphere,
)

__all__ = [
    "Camera", "Capsule", "Cone", "Cube", "Cylinder", "CylinderLight", "DiskLight", "DistantLight",
    "DomeLight", "GroundPlane", "Light", "Mesh", "Plane", "RectLight", "Shape", "Sphere",
    "SphereLight",
]  # fmt: skip
