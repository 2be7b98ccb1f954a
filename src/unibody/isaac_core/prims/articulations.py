"""Articulations under the names of ``omni.isaac.core.articulations``."""

from __future__ import annotations

from unibody.isaac_core.prims.articulation import Articulation
from unibody.isaac_core.prims.articulation_view import ArticulationView

__all__ = ["Articulation", "ArticulationView"]
