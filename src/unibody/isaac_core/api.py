"""The front door of the surface: the app, its stage and its timeline."""

from __future__ import annotations

from unibody.isaac_core.kit.app import get_app
from unibody.isaac_core.kit.context import get_context
from unibody.isaac_core.kit.timeline import get_timeline_interface
from unibody.isaac_core.launch import SimulationApp

__all__ = ["SimulationApp", "get_app", "get_context", "get_timeline_interface"]
