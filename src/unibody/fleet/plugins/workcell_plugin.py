"""Work cells: places where robots get things, and places where they leave them."""

from __future__ import annotations

import dataclasses
import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from unibody.fleet.actions.action import DropAction, PickAction
from unibody.fleet.foundation.types import ActionStatus
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.objects.tools import can_be_picked
from unibody.fleet.parameters.spawn_params import ShapeParams, SimObjectSpawnParams, with_mesh_found
from unibody.fleet.plugins.sim_plugin import SimPlugin
from unibody.fleet.spatial.geometry import Pose

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import AgentInterface as Agent

logger: logging.Logger = logging.getLogger("pybullet_fleet.plugins.workcell_plugin")
_ITEM_MASS = 0.5  # kg
_RETURN_DELAY = 5.0  # s
_ITEM = {"shape_type": "box", "half_extents": [0.15, 0.15, 0.1], "rgba_color": [0.8, 0.5, 0.2, 1.0]}
_OPEN = (ActionStatus.NOT_STARTED, ActionStatus.IN_PROGRESS)


class WorkcellKind(Enum):
    """What a work cell is for."""

    DISPENSER = "dispenser"
    INGESTOR = "ingestor"


@dataclass
class PendingAction:
    """An action that has not ended yet."""

    action: Any
    cargo: SimObject | None
    kind: WorkcellKind
    robot: Agent
    workcell_name: str
    on_complete: Callable[..., Any] | None = None


@dataclass
class WorkcellConfig:
    """One work cell.

    Attributes:
        position: Where it is [m].
        search_radius: How far around it things are looked for [m].
        spawn_fallback: Spawn a thing where there is none.
        spawn_offset: Where, from its position: x, y, z, roll, pitch, yaw.
        item_visual: What such a thing looks like.
        item_mass: What it weighs [kg].
    """

    position: tuple[float, float, float] | None = None
    search_radius: float = 1.0
    spawn_fallback: bool = True
    spawn_offset: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.3, 0.0, 0.0, 0.0])
    item_visual: ShapeParams | None = None
    item_mass: float = _ITEM_MASS


@dataclass
class _Return:
    body_id: int
    position: list[float]
    orientation: list[float]
    time: float


class WorkcellPlugin(SimPlugin):
    """Lets robots pick things up at dispensers and drop them at ingestors.

    Args:
        sim_core: The simulation.
        item_shape: What a spawned thing looks like, as a mapping of `ShapeParams`.
        item_mass: What it weighs [kg].
        item_search_radius: How far around a work cell things are looked for [m].
        attach_offset: Where a robot carries it: x, y, z, roll, pitch, yaw.
        spawn_fallback: Spawn a thing where there is none.
        spawn_offset: Where, from the work cell.
        return_home_delay: Seconds after which what was dropped goes back where it came from.
        return_home: Whether it does.
        overrides: Work cells by name: ``position``, and any of the above for this one.
    """

    _registry_name = "workcell"

    def __init__(
        self,
        sim_core: Any,
        item_shape: dict[str, Any] | None = None,
        item_mass: float = _ITEM_MASS,
        item_search_radius: float = 1.0,
        attach_offset: list[float] | None = None,
        spawn_fallback: bool = True,
        spawn_offset: list[float] | None = None,
        return_home_delay: float = _RETURN_DELAY,
        return_home: bool = True,
        overrides: dict[str, dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(sim_core)
        self._default_item_visual = _item_shape(item_shape)
        self._default_item_mass = item_mass
        self._item_search_radius = item_search_radius
        self._attach_offset = attach_offset or [0.0, 0.0, 0.15, 0.0, 0.0, 0.0]
        self._spawn_fallback = spawn_fallback
        self._spawn_offset = spawn_offset or [0.0, 0.0, 0.3, 0.0, 0.0, 0.0]
        self._return_home_delay = return_home_delay
        self._return_home = return_home and return_home_delay > 0
        self._workcells = {name: self._read(config) for name, config in (overrides or {}).items()}
        self._pending_actions: dict[str, PendingAction] = {}
        self._item_initial_poses: dict[int, tuple[Any, Any]] = {}
        self._return_home_queue: list[_Return] = []
        self._next_key = 0

    def _read(self, config: dict[str, Any]) -> WorkcellConfig:
        position = None
        if "position" in config:
            x, y, z = ([float(value) for value in config["position"]] + [0.0])[:3]
            position = (x, y, z)
        shape = config.get("item_shape")
        return WorkcellConfig(
            position=position,
            search_radius=float(config.get("item_search_radius", self._item_search_radius)),
            spawn_fallback=bool(config.get("spawn_fallback", self._spawn_fallback)),
            spawn_offset=list(config.get("spawn_offset", self._spawn_offset)),
            item_visual=_item_shape(shape) if shape else None,
            item_mass=float(config.get("item_mass", self._default_item_mass)),
        )

    # --- what robots do ------------------------------------------------------------------------

    def dispense(
        self,
        workcell_name: str,
        robot: Agent,
        key: str | None = None,
        on_complete: Callable[..., Any] | None = None,
    ) -> tuple[SimObject | None, Any]:
        """Let a robot pick up what is nearest to a work cell.

        Args:
            workcell_name: The work cell.
            robot: The robot; picks from where it is, within the radius.
            key: To find the action by.
            on_complete: Called in the end with (success, `PendingAction`).

        Returns:
            None, and the action; it is None too if there is nothing to pick up.
        """
        position = self.get_workcell_position(workcell_name)
        if position is None:
            logger.error(
                "Dispense '%s': workcell position unknown — add it to overrides", workcell_name
            )
            return None, None
        cell = self._workcells[workcell_name]
        if not self._has_pickable_near(workcell_name, cell.search_radius):
            if not cell.spawn_fallback:
                logger.warning(
                    "Dispense '%s': no pickable item near workcell (spawn_fallback disabled)",
                    workcell_name,
                )
                return None, None
            if self._spawn_item(robot, cell) is None:
                return None, None
        for obj in self._pickable_near(position, cell.search_radius):
            pose = obj.get_pose()
            known = (list(pose.position), list(pose.orientation))
            self._item_initial_poses.setdefault(obj.body_id, known)
        action = PickAction(
            target_position=list(position),
            search_radius=cell.search_radius,
            use_2d_search=False,
            use_approach=False,
            move_skip_threshold=cell.search_radius,
            attach_relative_pose=Pose.from_euler(*self._attach_offset),
        )
        self._begin(action, WorkcellKind.DISPENSER, robot, workcell_name, key, on_complete)
        return None, action

    def ingest(
        self,
        workcell_name: str,
        robot: Agent,
        key: str | None = None,
        on_complete: Callable[..., Any] | None = None,
    ) -> Any:
        """Let a robot drop what it carries at a work cell; see `dispense`.

        Returns:
            The action; None if the work cell is unknown.
        """
        position = self.get_workcell_position(workcell_name)
        if position is None:
            logger.error(
                "Ingest '%s': workcell position unknown — add it to overrides", workcell_name
            )
            return None
        gap = math.dist(robot.get_pose().position[:2], position[:2])
        action = DropAction(
            drop_pose=Pose.from_xyz(*position),
            use_approach=False,
            move_skip_threshold=max(gap + 0.1, 1.0),
        )
        self._begin(action, WorkcellKind.INGESTOR, robot, workcell_name, key, on_complete)
        return action

    def _begin(
        self,
        action: Any,
        kind: WorkcellKind,
        robot: Agent,
        workcell_name: str,
        key: str | None,
        on_complete: Callable[..., Any] | None,
    ) -> None:
        robot.add_action(action)
        if key is None:
            key = str(self._next_key)
            self._next_key += 1
        self._pending_actions[key] = PendingAction(
            action, None, kind, robot, workcell_name, on_complete
        )

    def find_nearest_robot(self, workcell_name: str, candidates: list[Agent]) -> Agent | None:
        """The robot nearest to a work cell; None without one, or if the cell is unknown."""
        position = self.get_workcell_position(workcell_name)
        if not candidates:
            return None
        if position is None:
            logger.warning(
                "Workcell '%s' position unknown — cannot determine nearest robot. Configure "
                "position in overrides to fix.",
                workcell_name,
            )
            return None
        return min(candidates, key=lambda robot: math.dist(robot.get_pose().position, position))

    def find_nearest_carrier(self, workcell_name: str, candidates: list[Agent]) -> Agent | None:
        """The same among robots that carry something, if there are any."""
        carriers = [robot for robot in candidates if robot.get_attached_objects()]
        return self.find_nearest_robot(workcell_name, carriers or candidates)

    def get_workcell_position(self, name: str) -> tuple[float, float, float] | None:
        """Where a work cell is [m]; None if it is unknown."""
        cell = self._workcells.get(name)
        return None if cell is None else cell.position

    @property
    def pending_actions(self) -> dict[str, PendingAction]:
        """Actions that have not ended yet."""
        return dict(self._pending_actions)

    # --- things --------------------------------------------------------------------------------

    def _pickable_near(self, position: Any, radius: float) -> list[SimObject]:
        return [
            obj
            for obj in self.sim_core.sim_objects
            if can_be_picked(obj) and math.dist(obj.get_pose().position[:2], position[:2]) < radius
        ]

    def _has_pickable_near(self, workcell_name: str, search_radius: float | None = None) -> bool:
        position = self.get_workcell_position(workcell_name)
        if position is None:
            return False
        radius = self._item_search_radius if search_radius is None else search_radius
        found = self._pickable_near(position, radius)
        return any(obj.name != workcell_name for obj in found)

    def _spawn_item(self, robot: Agent, cell: WorkcellConfig) -> SimObject | None:
        dx, dy, dz, *turn = cell.spawn_offset
        x, y, z = robot.get_pose().position if cell.position is None else cell.position
        visual = cell.item_visual or self._default_item_visual
        params = SimObjectSpawnParams(
            visual_shape=visual,
            collision_shape=dataclasses.replace(visual, rgba_color=None),
            initial_pose=Pose.from_euler(x + dx, y + dy, z + dz, *turn),
            mass=cell.item_mass,
            name=f"{robot.name}_cargo",
        )
        try:
            return SimObject.from_params(params, self.sim_core)
        except (ValueError, OSError) as problem:
            logger.error("Failed to spawn fallback cargo: %s", problem)
            return None

    # --- steps ---------------------------------------------------------------------------------

    def on_step(self, dt: float) -> None:
        """Look after actions that ended, and bring things back."""
        ended = [k for k, p in self._pending_actions.items() if p.action.status not in _OPEN]
        for key in ended:
            self._end(self._pending_actions.pop(key))
        self._process_return_home()

    def _end(self, pending: PendingAction) -> None:
        success = pending.action.status is ActionStatus.COMPLETED
        target = getattr(pending.action, "_target_object", None)
        if success and target is not None:
            if pending.kind is WorkcellKind.DISPENSER:
                pending.cargo = target
            elif self._return_home and target.body_id in self._item_initial_poses:
                home = self._item_initial_poses[target.body_id]
                due = self.sim_core.sim_time + self._return_home_delay
                self._return_home_queue.append(_Return(target.body_id, *home, due))
        if pending.on_complete is not None:
            try:
                pending.on_complete(success, pending)
            except Exception:  # a faulty listener must not end a simulation
                logger.exception("on_complete callback failed at %s", pending.workcell_name)

    def _process_return_home(self) -> None:
        waiting: list[_Return] = []
        by_body = {}
        if self._return_home_queue:
            by_body = {obj.body_id: obj for obj in self.sim_core.sim_objects}
        for entry in self._return_home_queue:
            obj = by_body.get(entry.body_id)
            if obj is None:
                logger.warning("Item %d no longer exists — cannot return home", entry.body_id)
            elif self.sim_core.sim_time < entry.time or obj.is_attached():
                waiting.append(entry)
            else:
                obj.set_pose_raw(entry.position, entry.orientation)
        self._return_home_queue = waiting

    def on_reset(self) -> None:
        """Forget everything that goes on."""
        self._pending_actions.clear()
        self._return_home_queue.clear()
        self._item_initial_poses.clear()


def _item_shape(stated: dict[str, Any] | None) -> ShapeParams:
    shape = dict(_ITEM) if stated is None else dict(with_mesh_found(stated))
    shape.setdefault("shape_type", "mesh" if "mesh_path" in shape else "box")
    return ShapeParams.from_dict(shape)
