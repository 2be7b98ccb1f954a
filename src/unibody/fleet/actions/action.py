"""Actions: what agents do one after the other."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unibody.fleet.actions.action_base import (
    DEFAULT_EE_TOLERANCE,
    DEFAULT_JOINT_TOLERANCE,
    DEFAULT_MAX_FORCE,
    DEFAULT_MOVE_SKIP_THRESHOLD,
    Action,
    DropPhase,
    PickPhase,
)
from unibody.fleet.foundation.types import ActionStatus, MovementDirection
from unibody.fleet.objects import tools
from unibody.fleet.spatial.geometry import Path, Pose

if TYPE_CHECKING:
    from unibody.fleet.objects.sim_object import SimObject


@dataclass
class MoveAction(Action):
    """Follow a path.

    Attributes:
        path: The path.
        auto_approach: Begin where the agent is, if that is more than 0.5 m from the first waypoint.
        final_orientation_align: Turn to the last waypoint's orientation at the end.
        direction: Which side of a differential base goes first.
    """

    path: Path
    auto_approach: bool = True
    final_orientation_align: bool = True
    direction: MovementDirection | str = MovementDirection.FORWARD

    def __post_init__(self) -> None:
        super().__init__()
        self.direction = MovementDirection(self.direction)

    def execute(self, agent: Any, dt: float) -> bool:
        """Do one step."""
        if self._begin(agent):
            agent.set_path(
                self.path,
                auto_approach=self.auto_approach,
                final_orientation_align=self.final_orientation_align,
                direction=self.direction,
            )
        if agent.is_moving or agent.path:
            return False
        return self._complete(agent)


@dataclass
class JointAction(Action):
    """Send joints to positions.

    Attributes:
        target_joint_positions: One a joint, or by name [rad or m].
        max_force: Of the motors [Nm or N].
        tolerance: One number, a list, or by name; None takes the agent's.
    """

    target_joint_positions: list[float] | dict[str, float]
    max_force: float = DEFAULT_MAX_FORCE
    tolerance: float | list[float] | dict[str, float] | None = None

    def __post_init__(self) -> None:
        super().__init__()

    def execute(self, agent: Any, dt: float) -> bool:
        """Do one step."""
        if self._begin(agent):
            if self.tolerance is None:
                own = agent.joint_tolerance
                self.tolerance = own.copy() if isinstance(own, (dict, list)) else own
            agent.set_joints_targets(self.target_joint_positions, max_force=self.max_force)
        if not agent.are_joints_at_targets(self.target_joint_positions, tolerance=self.tolerance):
            return False
        return self._complete(agent)


@dataclass
class PoseAction(Action):
    """Bring the end effector to a pose.

    Joints go as near as they can; the action fails at the end if that is not near enough.

    Attributes:
        target_position: World frame [m].
        target_orientation: (x, y, z, w); None: any.
        end_effector_link: The link; None: the last one.
        max_force: Of the motors [Nm or N].
        tolerance: Distance [m].
    """

    target_position: list[float]
    target_orientation: tuple[float, ...] | None = None
    end_effector_link: int | str | None = None
    max_force: float = DEFAULT_MAX_FORCE
    tolerance: float = DEFAULT_EE_TOLERANCE
    _reachable: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        super().__init__()

    def execute(self, agent: Any, dt: float) -> bool:
        """Do one step."""
        if self._begin(agent):
            self._reachable = agent.move_end_effector(
                self.target_position,
                self.target_orientation,
                self.end_effector_link,
                self.max_force,
                self.tolerance,
            )
            if not self._reachable:
                self._log.warning("IK target is not reachable (best-effort movement will proceed)")
        if not agent.are_joints_at_targets():
            return False
        arrived = agent.are_ee_at_target(
            self.target_position,
            target_orientation=self.target_orientation,
            end_effector_link=self.end_effector_link,
            tolerance=self.tolerance,
        )
        if self._reachable and arrived:
            return self._complete(agent)
        return self._fail(agent, "IK target was not reachable")

    def reset(self) -> None:
        """Make it ready to be done again."""
        super().reset()
        self._reachable = False


@dataclass
class WaitAction(Action):
    """Wait.

    Attributes:
        duration: In seconds of simulation.
        action_type: What for, for people ("idle", "charge", ...).
    """

    duration: float
    action_type: str = "idle"
    _elapsed_time: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        super().__init__()

    def execute(self, agent: Any, dt: float) -> bool:
        """Do one step."""
        if self._begin(agent):
            self._elapsed_time = 0.0
        self._elapsed_time += dt
        return self._complete(agent) if self._elapsed_time >= self.duration else False

    def reset(self) -> None:
        """Make it ready to be done again."""
        super().reset()
        self._elapsed_time = 0.0


class _Handling(Action):
    """What picking and dropping have in common: approach, move there, act, retreat."""

    _phases: tuple[Any, ...]
    _noun: str
    use_approach: bool
    approach_pose: Pose | None
    approach_offset: float
    move_skip_threshold: float
    joint_targets: Any
    joint_tolerance: Any
    joint_max_force: float
    ee_target_position: Any
    ee_target_orientation: Any
    ee_end_effector_link: Any
    ee_tolerance: float
    continue_on_ik_failure: bool

    def __post_init__(self) -> None:
        super().__init__()
        self._start_over()
        if self.joint_targets is not None and self.ee_target_position is not None:
            raise ValueError("Cannot specify both joint_targets and ee_target_position")

    @abstractmethod
    def _find(self, agent: Any) -> str | None:
        """Find the object; why that failed, or None."""

    @abstractmethod
    def _place(self) -> Any:
        """Where to act [m]."""

    @abstractmethod
    def _offset(self) -> float:
        """How far in front of that the agent stands [m]."""

    @abstractmethod
    def _act(self, agent: Any) -> str | None:
        """Attach or detach; why that failed, or None."""

    def execute(self, agent: Any, dt: float) -> bool:
        """Do one step."""
        init, approaching, moving, acting, retreating = self._phases
        if self._begin(agent):
            self._phase = init
        if self._phase is init:
            problem = self._find(agent)
            if problem is not None:
                return self._fail(agent, problem)
            self._plan(agent)
        if self._phase is approaching and self._approach_action.execute(agent, dt):  # type: ignore[union-attr]
            self._enter(moving)
        if self._phase is moving and self._arrived(agent, dt):
            self._enter(acting)
        if self._phase is acting:
            reached = self._arm_in_place(agent, dt)
            if reached is not None:
                return reached
            problem = self._act(agent)
            if problem is not None:
                return self._fail(agent, problem)
            if not self.use_approach:
                return self._complete(agent)
            self._retreat_action = MoveAction(
                Path([self.approach_pose]),  # type: ignore[list-item]
                final_orientation_align=False,
                direction=MovementDirection.BACKWARD,
            )
            self._enter(retreating)
        if self._phase is retreating and self._retreat_action.execute(agent, dt):  # type: ignore[union-attr]
            return self._complete(agent)
        return False

    def _enter(self, phase: Any) -> None:
        self._phase = phase
        self._log_phase_transition(phase)

    def _plan(self, agent: Any) -> None:
        here = agent.get_pose().position
        self._stand = tools.calculate_offset_pose(self._place(), here, self._offset())
        if not self.use_approach:
            self._enter(self._phases[2])
            return
        if self.approach_pose is None:
            self.approach_pose = tools.calculate_offset_pose(
                self._place(), here, self.approach_offset
            )
        self._approach_action = MoveAction(Path([self.approach_pose]))
        self._enter(self._phases[1])

    def _arrived(self, agent: Any, dt: float) -> bool:
        if agent.use_fixed_base:
            return True
        if self._forward_action is None:
            x, y, _ = agent.get_pose().position
            gap = ((self._stand.x - x) ** 2 + (self._stand.y - y) ** 2) ** 0.5
            if gap < self.move_skip_threshold:
                return True
            self._forward_action = MoveAction(
                Path([self._stand]),
                final_orientation_align=False,
                direction=MovementDirection.FORWARD,
            )
        return self._forward_action.execute(agent, dt)

    def _arm_in_place(self, agent: Any, dt: float) -> bool | None:
        """Bring the arm there; what `execute` gives while that goes on, None once it is there."""
        if self.ee_target_position is not None:
            if self._pose_action is None:
                self._pose_action = PoseAction(
                    self.ee_target_position,
                    self.ee_target_orientation,
                    self.ee_end_effector_link,
                    self.joint_max_force,
                    self.ee_tolerance,
                )
            if not self._pose_action.execute(agent, dt):
                return False
            if self._pose_action.status is ActionStatus.FAILED:
                if not self.continue_on_ik_failure:
                    reason = f"IK target was not reachable for {self._noun}"
                    return self._fail(agent, reason)
                self._log.warning(
                    f"IK target unreachable but continuing {self._noun} "
                    "(continue_on_ik_failure=True)"
                )
        elif self.joint_targets:
            if self._joint_action is None:
                self._joint_action = JointAction(
                    self.joint_targets, self.joint_max_force, self.joint_tolerance
                )
            if not self._joint_action.execute(agent, dt):
                return False
        return None

    def reset(self) -> None:
        """Make it ready to be done again."""
        super().reset()
        self._start_over()

    def _start_over(self) -> None:
        self._phase: Any = self._phases[0]
        self._target_object: SimObject | None = None
        self._approach_action: MoveAction | None = None
        self._forward_action: MoveAction | None = None
        self._retreat_action: MoveAction | None = None
        self._joint_action: JointAction | None = None
        self._pose_action: PoseAction | None = None


@dataclass
class PickAction(_Handling):
    """Pick an object up.

    Attributes:
        target_object_id: The body number of the object.
        target_position: Where to look for one instead [m].
        search_radius: How far from there [m].
        use_2d_search: Leave heights aside in the search.
        use_approach: Go to ``approach_pose``, from there to the object, and back in the end.
        approach_pose: Where that is; None: ``approach_offset`` in front of the object.
        approach_offset: In m.
        pick_offset: How far in front of the object the agent stands to pick it [m].
        move_skip_threshold: Closer than this the agent stays where it is [m].
        attach_link: The link that carries the object, by number or name; -1 is the base.
        attach_relative_pose: Where it goes, in the frame of that link's centre of mass.
        joint_targets: Bring the joints there first.
        joint_tolerance: See `JointAction`.
        joint_max_force: See `JointAction`.
        ee_target_position: Bring the end effector there first, instead.
        ee_target_orientation: See `PoseAction`.
        ee_end_effector_link: See `PoseAction`.
        ee_tolerance: See `PoseAction`.
        continue_on_ik_failure: Pick even if the end effector cannot get there.
    """

    target_object_id: int | None = None
    target_position: list[float] | None = None
    search_radius: float = 0.5
    use_2d_search: bool = True
    use_approach: bool = True
    approach_pose: Pose | None = None
    approach_offset: float = 1.0
    pick_offset: float = 0.0
    move_skip_threshold: float = DEFAULT_MOVE_SKIP_THRESHOLD
    attach_link: int | str = -1
    attach_relative_pose: Pose = field(default_factory=lambda: Pose.from_xyz(0.0, 0.0, 0.0))
    _attach_link_index: int = field(default=-1, init=False)
    joint_targets: list[float] | dict[str, float] | None = None
    joint_tolerance: float | list[float] | dict[str, float] | None = None
    joint_max_force: float = DEFAULT_MAX_FORCE
    ee_target_position: list[float] | None = None
    ee_target_orientation: tuple[float, ...] | None = None
    ee_end_effector_link: int | str | None = None
    ee_tolerance: float = DEFAULT_EE_TOLERANCE
    continue_on_ik_failure: bool = True

    _phases = tuple(PickPhase)
    _noun = "pick"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._attach_link_index = -1 if isinstance(self.attach_link, str) else self.attach_link

    def _begin(self, agent: Any) -> bool:
        if not super()._begin(agent):
            return False
        if isinstance(self.attach_link, str):
            self._attach_link_index = agent._resolve_link(self.attach_link)
        return True

    def _find(self, agent: Any) -> str | None:
        self._target_object = self._search(agent)
        found = self._target_object is not None
        return None if found else "Target object not found or not pickable"

    def finds_object(self, agent: Any) -> bool:
        """Whether there is something to pick now."""
        return self._search(agent) is not None

    def _search(self, agent: Any) -> SimObject | None:
        if agent.sim_core is None:
            return None
        objects = agent.sim_core.sim_objects
        if self.target_object_id is not None:
            wanted = self.target_object_id
            return next((o for o in objects if o.body_id == wanted and o.pickable), None)
        if self.target_position is None:
            return None
        return tools.find_nearest(
            objects,
            position=self.target_position,
            search_radius=self.search_radius,
            predicate=tools.can_be_picked,
            exclude=agent,
            use_2d=self.use_2d_search,
        )

    def _place(self) -> Any:
        return self._target_object.get_pose().position  # type: ignore[union-attr]

    def _offset(self) -> float:
        return self.pick_offset

    def _act(self, agent: Any) -> str | None:
        attached = agent.attach_object(
            self._target_object,
            parent_link_index=self._attach_link_index,
            relative_pose=self.attach_relative_pose,
        )
        return None if attached else "Failed to attach object"


@dataclass
class DropAction(_Handling):
    """Put an object down.

    Attributes:
        drop_pose: Where.
        use_approach: See `PickAction`.
        approach_pose: See `PickAction`.
        approach_offset: See `PickAction`.
        drop_offset: How far in front of ``drop_pose`` the agent stands [m].
        move_skip_threshold: See `PickAction`.
        place_gently: At ``drop_pose``, else ``drop_height`` above it, falling.
        drop_height: In m.
        target_object_id: The body number of the object; None: the first one attached.
        drop_relative_pose: Put it here relative to where it is, instead of at ``drop_pose``.
        joint_targets: See `PickAction`.
        joint_tolerance: See `PickAction`.
        joint_max_force: See `PickAction`.
        ee_target_position: See `PickAction`.
        ee_target_orientation: See `PickAction`.
        ee_end_effector_link: See `PickAction`.
        ee_tolerance: See `PickAction`.
        continue_on_ik_failure: See `PickAction`.
    """

    drop_pose: Pose
    use_approach: bool = True
    approach_pose: Pose | None = None
    approach_offset: float = 1.0
    drop_offset: float = 0.0
    move_skip_threshold: float = DEFAULT_MOVE_SKIP_THRESHOLD
    place_gently: bool = True
    drop_height: float = 0.1
    target_object_id: int | None = None
    drop_relative_pose: Pose | None = None
    joint_targets: list[float] | dict[str, float] | None = None
    joint_tolerance: float | list[float] | dict[str, float] | None = None
    joint_max_force: float = DEFAULT_MAX_FORCE
    ee_target_position: list[float] | None = None
    ee_target_orientation: tuple[float, ...] | None = None
    ee_end_effector_link: int | str | None = None
    ee_tolerance: float = DEFAULT_EE_TOLERANCE
    continue_on_ik_failure: bool = True
    _phases = tuple(DropPhase)
    _noun = "drop"

    def _find(self, agent: Any) -> str | None:
        wanted = self.target_object_id
        for carried in agent.get_attached_objects():
            if wanted is None or carried.body_id == wanted:
                self._target_object = carried
                return None
        return "No attached object found to drop"

    def _place(self) -> Any:
        return self.drop_pose.position

    def _offset(self) -> float:
        return self.drop_offset

    def _act(self, agent: Any) -> str | None:
        target: Any = self._target_object
        if self.drop_relative_pose is not None:
            dropped = agent.detach_object(target, drop_relative_pose=self.drop_relative_pose)
        else:
            x, y, z = self.drop_pose.position
            above = 0.0 if self.place_gently else self.drop_height
            pose = Pose([x, y, z + above], list(self.drop_pose.orientation))
            dropped = agent.detach_object(target, drop_pose=pose)
        if not dropped:
            return "Failed to detach object"
        if not self.place_gently:
            target._physics_world.set_base_velocity(
                target.body_id, (0.0, 0.0, -0.5), (0.0, 0.0, 0.0)
            )
        return None


__all__ = [
    "DEFAULT_EE_TOLERANCE",
    "DEFAULT_JOINT_TOLERANCE",
    "DEFAULT_MAX_FORCE",
    "DEFAULT_MOVE_SKIP_THRESHOLD",
    "Action",
    "DropAction",
    "DropPhase",
    "JointAction",
    "MoveAction",
    "PickAction",
    "PickPhase",
    "PoseAction",
    "WaitAction",
]
