"""What is recorded of a fleet: poses and velocities of its objects, goals of its robots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.cli.readings.base import F64, plain
from unibody.fleet.agents.agent import Agent
from unibody.fleet.bodies.object_visuals import ObjectVisuals
from unibody.fleet.simulation.core import MultiRobotSimulationCore

if TYPE_CHECKING:
    from unibody.core.render.visual_shapes import VisualShape

_STATE = ("x", "y", "z", "qx", "qy", "qz", "qw", "vx", "vy", "vz", "turning")
_GOAL = ("goal_x", "goal_y", "goal_z")


def make(core: MultiRobotSimulationCore) -> FleetReadings:
    """Readings of a simulation."""
    return FleetReadings(core)


class FleetReadings:
    """The objects that a simulation has at the first moment."""

    def __init__(self, core: MultiRobotSimulationCore) -> None:
        self._core = core
        self._objects: list[Any] = list(core.sim_objects)
        self._agents = [each for each in self._objects if isinstance(each, Agent)]
        names = {id(each): plain(each.name or "object", each.object_id) for each in self._objects}
        self.state: list[str] = [
            plain(names[id(each)], word) for each in self._objects for word in _STATE
        ]
        self.action: list[str] = [
            plain(names[id(each)], word) for each in self._agents for word in _GOAL
        ]
        self._visuals = ObjectVisuals(self._objects)
        self.parts: list[VisualShape] = [visual for _, visual in self._visuals.visuals()]
        self._last = np.zeros((len(self._objects), len(_STATE)))
        self._frames: tuple[F64, F64] = np.zeros((0, 3)), np.zeros((0, 4))

    def follow(self, stepped: MultiRobotSimulationCore) -> None:
        """Take over a simulation."""
        self._core = stepped
        stepped._physics_world.read()

    @property
    def _whole(self) -> bool:
        """Whether all objects of the first moment are there."""
        return all(each.object_id in self._core._sim_objects_dict for each in self._objects)

    def read_state(self) -> F64:
        """Poses and velocities; those of objects that are gone stay."""
        if self._whole:
            bodies, rows = self._core._tables.bodies.data, self._visuals.rows
            columns = [bodies[name][rows] for name in ("pos", "quat", "vel")]
            self._last = np.column_stack([*columns, bodies["spin"][rows]])
        return self._last.ravel().astype(np.float64)

    def read_action(self) -> F64:
        """Goals of robots; where they are, if they have none."""
        found = np.zeros((len(self._agents), 3))
        for place, agent in enumerate(self._agents):
            path = getattr(agent._driver(), "path", None)
            goal = path[-1] if path else agent.goal_pose
            found[place] = (goal or agent.get_pose()).position
        return found.ravel()

    def read_poses(self) -> tuple[F64, F64]:
        """Where links are."""
        if self._whole:
            positions, quats = self._visuals.frames(self._core._tables)
            self._frames = positions, quats[:, [3, 0, 1, 2]]
        return self._frames
