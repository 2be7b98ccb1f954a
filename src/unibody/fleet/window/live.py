"""The page of a running fleet."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.agents.agent import Agent
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.bodies.object_visuals import ObjectVisuals
from unibody.fleet.convert import euler_from_quat
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.window import page
from unibody.fleet.window.page import FleetPage, plain, triple

_STILL = 0.01  # m/s and rad/s: slower is standing still


class LiveView(FleetPage):
    """Shows a simulation while it is stepped; made by ``core.view()``.

    Every `step_once` looks whether a picture is due, and does nothing more while none is, or no
    page is open. Pictures are made so seldom that they take a quarter of the time at most. Pause
    and Step on the page hold and single-step whoever steps the simulation.

    Args:
        core: The simulation.
        port: First port to try; 0: any.
        rate: Most pictures a second.

    Raises:
        InvalidArgumentError: The rate is not positive.
        NotSupportedError: viser is not installed.
    """

    def __init__(self, core: Any, *, port: int = 8080, rate: float = 20.0) -> None:
        super().__init__(port, rate, "fleet")
        self._core = core
        self._shown: list[SimObject] | None = None
        self._visuals = ObjectVisuals(())
        self._agents = np.zeros(0, dtype=bool)
        if core.params.enable_floor:
            self.show_floor()
        core._physics_world.read()
        self._take_in()
        places = core._tables.bodies.data["pos"][self._visuals.rows]
        self.look_at(places, self._usual_size())

    def follow(self) -> None:
        """Draw if it is time to; hold the caller while the page says pause."""
        if self.due():
            self.draw()
        if self.viewer.controls.paused:
            self.viewer.controls.wait_while_paused(self._hold)

    def _hold(self) -> bool:
        if self.due():
            self.draw()
        return self.viewer.watched

    def draw(self) -> None:
        """Draw now."""
        begin = time.monotonic()
        self._core._physics_world.read()
        self._take_in()
        states = self._states()
        bodies = self._core._tables.bodies.data
        positions, quats = self._visuals.frames(self._core._tables)
        self.place(positions, quats, bodies["user"][self._visuals.rows], states)
        self.say(self._core._elapsed_sim_time, states, self._details())
        self.drawn(begin)

    def _usual_size(self) -> float:
        """The longest edge of the box around the robot in the middle of all sizes [m]."""
        rows = self._visuals.rows[self._agents]
        if not len(rows):
            return math.inf
        bounding_boxes.renew_bounds(self._core._tables, rows)
        bodies = self._core._tables.bodies.data
        return float(np.median((bodies["high"][rows] - bodies["low"][rows]).max(axis=1)))

    # --- shapes --------------------------------------------------------------------------------

    def _take_in(self) -> None:
        """Notice who came and who went."""
        objects = self._core.sim_objects
        if self._shown == objects:
            return
        self._shown = list(objects)
        self._visuals = ObjectVisuals(objects)
        driven = [isinstance(obj, Agent) and not obj.use_fixed_base for obj in objects]
        self._agents = np.array(driven, dtype=bool)
        found = list(self._visuals.visuals())
        self.show([visual for _, visual in found], [place for place, _ in found])

    # --- states --------------------------------------------------------------------------------

    def _states(self) -> NDArray[np.int64]:
        bodies = self._core._tables.bodies.data
        rows, objects = self._visuals.rows, self._core.sim_objects
        fast = np.abs(bodies["vel"][rows]).max(axis=1, initial=0.0) > _STILL
        fast |= np.abs(bodies["spin"][rows]) > _STILL
        busy = bodies["moving"][rows] != 0
        for place in np.flatnonzero(self._agents).tolist():
            agent: Any = objects[place]
            if agent._current_action is not None or agent._action_queue:
                busy[place] = True
            if agent.joint_info and agent._joints_pending():
                fast[place] = True
        states = np.where(fast, page.MOVING, np.where(busy, page.WAITING, page.IDLE))
        keys = self._core._collisions._keys
        hit = np.unique(np.concatenate([keys >> 32, keys & 0xFFFFFFFF]))
        states[np.isin(bodies["user"][rows], hit)] = page.COLLIDING
        states[~self._agents] = page.OWN
        return states.astype(np.int64)

    def _details(self) -> list[tuple[str, str]]:
        """What is said of the object that was clicked."""
        obj = self._core._sim_objects_dict.get(-1 if self.selected is None else self.selected)
        if obj is None:
            return []
        pose = obj.get_pose()
        roll, pitch, yaw = np.degrees(euler_from_quat(pose.orientation)).tolist()
        lines = [
            ("name", plain(obj.name or type(obj).__name__)),
            ("number", str(obj.object_id)),
            ("position [m]", triple(pose.position)),
            ("roll, pitch, yaw [deg]", triple((roll, pitch, yaw))),
        ]
        if not isinstance(obj, Agent):
            return lines
        action, path = obj.get_current_action(), getattr(obj._driver(), "path", None)
        goal = path[-1] if path else obj.goal_pose
        doing = "none"
        if action is not None:
            doing = f"{plain(type(action).__name__)}, {plain(action.status.value)}"
        return [
            *lines,
            ("velocity [m/s]", triple(obj.velocity.tolist())),
            ("turning [rad/s]", f"{obj.angular_velocity:.2f}"),
            ("action", doing),
            ("waiting actions", str(obj.get_action_queue_size())),
            ("goal [m]", "none" if goal is None else triple(goal.position)),
        ]
