"""Scenes: objects by their names."""

from __future__ import annotations

from unibody.isaac_core.scenes.registry import SceneRegistry
from unibody.isaac_core.scenes.scene import Scene

__all__ = ["Scene", "SceneRegistry"]
