"""Articulations, cables, cloths and soft bodies of many worlds as arrays."""

from unibody.newton.selection.objects import (
    DeformableCurveView,
    DeformableSurfaceView,
    DeformableVolumeView,
)
from unibody.newton.selection.view import ArticulationView

__all__ = [
    "ArticulationView",
    "DeformableCurveView",
    "DeformableSurfaceView",
    "DeformableVolumeView",
]
