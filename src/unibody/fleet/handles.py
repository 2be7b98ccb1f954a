"""What scripts hold in their hands: views onto rows of the arrays."""

from unibody.fleet.agents.agent import Agent
from unibody.fleet.objects.sim_object import SimObject

__all__ = ["Agent", "SimObject"]
