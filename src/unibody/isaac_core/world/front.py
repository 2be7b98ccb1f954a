"""The names of ``isaacsim.core.api`` and ``omni.isaac.core`` themselves."""

from __future__ import annotations

from unibody.isaac_core.world.context import SimulationContext
from unibody.isaac_core.world.physics_context import PhysicsContext
from unibody.isaac_core.world.world import World

__all__ = ["PhysicsContext", "SimulationContext", "World"]
