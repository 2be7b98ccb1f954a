"""The joints of an agent, and its end effector."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.fleet.agents import inverse_kinematics
from unibody.fleet.agents.agent_params import IKParams
from unibody.fleet.bodies.templates import JOINT_FIXED, JOINT_PRISMATIC
from unibody.fleet.motion.motion_kernels import move_joints
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.objects.tools import resolve_joint

Tolerance = float | Sequence[float] | Mapping[str, float]
_POSITION, _TARGET, _SPEED, _WANTED = range(4)


class JointPositions(MutableMapping[int, float]):
    """Positions of a kinematic robot's joints by number: a view onto the arrays.

    Args:
        agent: The robot; one whose joints the engine moves has none here.
    """

    def __init__(self, agent: JointedObject) -> None:
        self._agent = agent

    def _row(self, joint: int) -> Any:
        if not 0 <= joint < len(self):
            raise KeyError(joint)
        return self._agent._tables.joints.data[self._agent._first_joint() + joint]

    def __getitem__(self, key: int) -> float:
        return float(self._row(key)[_POSITION])

    def __setitem__(self, key: int, value: float) -> None:
        self._row(key)[_POSITION] = value
        body = self._agent._tables.bodies.data[self._agent._row]
        body["pending"] = body["stale"] = body["moved"] = 1

    def __delitem__(self, key: int) -> None:
        raise TypeError(f"joint {key} cannot be taken off")

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self)))

    def __len__(self) -> int:
        return len(self._agent.joint_info) if self._agent._use_kinematic_joints else 0


class JointedObject(SimObject):
    """An object with joints, and a link that is brought to poses.

    The joints of an object the engine does not move go to their targets at their speed limits; the
    others have motors.
    """

    _KINEMATIC_JOINT_FALLBACK_VELOCITY: float = 2.0  # rad/s
    _KINEMATIC_PRISMATIC_FALLBACK_VELOCITY: float = 0.5  # m/s
    _DEFAULT_JOINT_TOLERANCE: float = 0.01  # rad or m
    _kinematic_joints_physics_off_logged: bool = False

    urdf_path: str | None
    joint_info: list[tuple[Any, ...]]
    _ik_params: IKParams
    _joint_tolerance: Tolerance | None = None
    _joint_count: Any = np.zeros(1, dtype=np.int64)  # of those without joints
    _joint_flags: Any = np.zeros((2, 1), dtype=np.uint8)

    def _init_joints(self, joint_tolerance: Tolerance | None) -> None:
        if joint_tolerance is not None:
            self._joint_tolerance = joint_tolerance
        self.joint_info = self._template.joint_infos if self.urdf_path is not None else []
        self._last_joint_targets: dict[int, float] = {}
        self._use_kinematic_joints = self._compute_use_kinematic_joints()
        if not self.joint_info:
            return
        self._joint_count = np.array([len(self.joint_info)])
        self._joint_flags = np.zeros((2, 1), dtype=np.uint8)
        first = self._first_joint()
        for number, info in enumerate(self.joint_info):
            speed = info[11]
            if speed <= 0:
                prismatic = info[2] == JOINT_PRISMATIC
                speed = (
                    self._KINEMATIC_PRISMATIC_FALLBACK_VELOCITY
                    if prismatic
                    else self._KINEMATIC_JOINT_FALLBACK_VELOCITY
                )
            self._tables.joints.data[first + number, _SPEED] = speed
        if self._use_kinematic_joints:
            self._physics_world.hold_joints(self.body_id)

    def _compute_use_kinematic_joints(self) -> bool:
        if self.is_kinematic:
            return True
        if self.sim_core is None:
            return False
        params = getattr(self.sim_core, "_params", None)
        if params is None:
            self._log.warning(
                "sim_core has no '_params' attribute; assuming physics=True (joints will use "
                "motor control)"
            )
            return False
        if params.physics:
            return False
        if not JointedObject._kinematic_joints_physics_off_logged:
            JointedObject._kinematic_joints_physics_off_logged = True
            self._log.info(
                "sim_core has physics=False; URDF joints will use kinematic interpolation instead "
                "of motor control"
            )
        return True

    @property
    def _kinematic_joint_positions(self) -> JointPositions:
        return JointPositions(self)

    def _first_joint(self) -> int:
        return int(self._tables.bodies.data["joint"][self._row])

    def is_urdf_robot(self) -> bool:
        """Whether it was loaded from a URDF file."""
        return self.urdf_path is not None

    def get_num_joints(self) -> int:
        """Number of joints, fixed ones among them."""
        return len(self.joint_info)

    # --- states --------------------------------------------------------------------------------

    def _only_urdf(self, what: str) -> bool:
        if self.urdf_path is None:
            self._log.warning(f"{what}() only works for URDF robots")
            return False
        return True

    def get_joint_state(self, joint_index: int) -> tuple[float, float]:
        """Position and velocity of a joint [rad, rad/s or m, m/s].

        Raises:
            IndexError: There is no such joint.
        """
        if not self._only_urdf("get_joint_state"):
            return 0.0, 0.0
        if not 0 <= joint_index < len(self.joint_info):
            count = len(self.joint_info)
            raise IndexError(f"joint_index={joint_index} is not allowed: 0 to {count - 1}")
        if self._simulated:
            self._physics_world.read()
        position = float(self._tables.joints.data[self._first_joint() + joint_index, _POSITION])
        if self._use_kinematic_joints:
            return position, 0.0
        return position, self._physics_world.joint_velocity(self.body_id, joint_index)

    def _joint_by_name(self, name: str) -> int:
        index = resolve_joint(self._template, self.body_id, name)
        if index == -1:
            self._log.warning(f"Joint name '{name}' not found.")
        return index

    def get_joint_state_by_name(self, joint_name: str) -> tuple[float, float]:
        """Position and velocity of a joint; zeros for an unknown one."""
        index = self._joint_by_name(joint_name)
        return (0.0, 0.0) if index == -1 else self.get_joint_state(index)

    def get_all_joints_state(self) -> list[tuple[float, float]]:
        """Position and velocity of all joints."""
        if not self._only_urdf("get_all_joints_state"):
            return []
        return [self.get_joint_state(index) for index in range(len(self.joint_info))]

    def get_all_joints_state_by_name(self) -> dict[str, tuple[float, float]]:
        """Position and velocity of all joints by name."""
        if not self._only_urdf("get_all_joints_state_by_name"):
            return {}
        names = [info[1].decode() for info in self.joint_info]
        return dict(zip(names, self.get_all_joints_state(), strict=True))

    def get_joints_state_by_name(self, joint_names: list[str]) -> dict[str, tuple[float, float]]:
        """Position and velocity of some joints by name; unknown ones are left out."""
        found = ((name, self._joint_by_name(name)) for name in joint_names)
        return {name: self.get_joint_state(index) for name, index in found if index != -1}

    @property
    def last_joint_targets(self) -> dict[int, float]:
        """The last target of each joint that had one."""
        return dict(self._last_joint_targets)

    # --- targets -------------------------------------------------------------------------------

    def set_joint_target(
        self, joint_index: int, target_position: float, max_force: float = 500.0
    ) -> None:
        """Send a joint to a position.

        Args:
            joint_index: Its number; an unknown one is passed over with a warning.
            target_position: In rad or m.
            max_force: Of its motor, if it has one [Nm or N].

        Raises:
            InvalidArgumentError: The position is not finite.
        """
        if not self._only_urdf("set_joint_target"):
            return
        if not 0 <= joint_index < len(self.joint_info):
            last = len(self.joint_info) - 1
            self._log.warning(f"joint_index {joint_index} out of range (max: {last})")
            return
        if self.joint_info[joint_index][2] == JOINT_FIXED:
            return
        target = float(target_position)
        if not math.isfinite(target):
            raise InvalidArgumentError("target_position", target, "a finite number [rad or m]")
        self._last_joint_targets[joint_index] = target
        if self._use_kinematic_joints:
            row = self._tables.joints.data[self._first_joint() + joint_index]
            row[_TARGET], row[_WANTED] = target, 1.0
            self._changed()
        else:
            self._physics_world.drive_joint(self.body_id, joint_index, target, max_force)

    def set_joint_target_by_name(
        self, joint_name: str, target_position: float, max_force: float = 500.0
    ) -> None:
        """Send a joint to a position by name."""
        index = self._joint_by_name(joint_name)
        if index != -1:
            self.set_joint_target(index, target_position, max_force)

    def set_all_joints_targets(
        self, target_positions: Sequence[float], max_force: float = 500.0
    ) -> None:
        """Send all joints to positions, one for each joint, fixed ones among them."""
        if not self._only_urdf("set_all_joints_targets"):
            return
        if len(target_positions) != len(self.joint_info):
            self._log.warning(
                f"Expected {len(self.joint_info)} targets, got {len(target_positions)}"
            )
            return
        for index, target in enumerate(target_positions):
            self.set_joint_target(index, target, max_force)

    def set_joints_targets_by_name(
        self, joint_targets: Mapping[str, float], max_force: float = 500.0
    ) -> None:
        """Send some joints to positions by name; unknown ones are left out."""
        for name, target in joint_targets.items():
            self.set_joint_target_by_name(name, target, max_force)

    def set_joints_targets(
        self, targets: Sequence[float] | Mapping[str, float], max_force: float = 500.0
    ) -> None:
        """Send all joints (a list) or some (by name) to positions."""
        if isinstance(targets, Mapping):
            self.set_joints_targets_by_name(targets, max_force)
        else:
            self.set_all_joints_targets(targets, max_force)

    def _joints_pending(self) -> bool:
        """Whether a joint that follows the arrays has yet to arrive."""
        if not self._last_joint_targets or not self._use_kinematic_joints:
            return False
        first = self._first_joint()
        block = self._tables.joints.data[first : first + len(self.joint_info)]
        left = np.abs(block[:, _TARGET] - block[:, _POSITION]) >= 1e-7
        return bool(np.any(left & (block[:, _WANTED] != 0.0)))

    def _update_kinematic_joints(self, dt: float) -> bool:
        if not self._last_joint_targets:
            return False
        moved, busy = self._joint_flags
        move_joints(
            np.array([self._row]), self._joint_count, self._tables.bodies.data,
            self._tables.joints.data, dt, moved, busy,
        )  # fmt: skip
        return bool(moved[0])

    # --- arrival -------------------------------------------------------------------------------

    @property
    def joint_tolerance(self) -> Any:
        """How far a joint may be from its target: one number, a list, or by name [rad or m]."""
        return (
            self._DEFAULT_JOINT_TOLERANCE
            if self._joint_tolerance is None
            else (self._joint_tolerance)
        )

    @joint_tolerance.setter
    def joint_tolerance(self, value: Tolerance | None) -> None:
        self._joint_tolerance = value

    def _resolve_joint_tolerance(self, tolerance: Tolerance | None, joint_index: int) -> float:
        given: Any = self.joint_tolerance if tolerance is None else tolerance
        if isinstance(given, Mapping):
            name = self.joint_info[joint_index][1].decode()
            return given.get(name, self._DEFAULT_JOINT_TOLERANCE)
        if np.ndim(given) > 0:
            inside = joint_index < len(given)
            return given[joint_index] if inside else self._DEFAULT_JOINT_TOLERANCE
        return float(given)

    def is_joint_at_target(
        self, joint_index: int, target: float, tolerance: Tolerance | None = None
    ) -> bool:
        """Whether a joint is at a position."""
        if not self._only_urdf("is_joint_at_target"):
            return False
        if not 0 <= joint_index < len(self.joint_info):
            last = len(self.joint_info) - 1
            self._log.warning(f"joint_index {joint_index} out of range (max: {last})")
            return False
        allowed = self._resolve_joint_tolerance(tolerance, joint_index)
        return abs(self.get_joint_state(joint_index)[0] - target) <= allowed

    def is_joint_at_target_by_name(
        self, joint_name: str, target: float, tolerance: Tolerance | None = None
    ) -> bool:
        """Whether a joint is at a position, by name."""
        index = resolve_joint(self._template, self.body_id, joint_name)
        return index != -1 and self.is_joint_at_target(index, target, tolerance)

    def are_all_joints_at_targets(
        self,
        target_positions: Sequence[float] | None = None,
        tolerance: Tolerance | None = None,
    ) -> bool:
        """Whether all joints are at positions; None: at their last targets."""
        if not self._only_urdf("are_all_joints_at_targets"):
            return False
        if target_positions is None:
            targets = self._last_joint_targets
            if not targets:
                self._log.warning("are_all_joints_at_targets() called but no targets have been set")
        else:
            targets = dict(enumerate(target_positions))
        return all(
            self.is_joint_at_target(index, target, tolerance) for index, target in targets.items()
        )

    def are_joints_at_targets_by_name(
        self, joint_targets: Mapping[str, float], tolerance: Tolerance | None = None
    ) -> bool:
        """Whether some joints are at positions, by name."""
        return all(
            self.is_joint_at_target_by_name(name, target, tolerance)
            for name, target in joint_targets.items()
        )

    def are_joints_at_targets(
        self,
        targets: Sequence[float] | Mapping[str, float] | None = None,
        tolerance: Tolerance | None = None,
    ) -> bool:
        """Whether all joints (a list, or None for their last targets) or some are there."""
        if isinstance(targets, Mapping):
            return self.are_joints_at_targets_by_name(targets, tolerance)
        return self.are_all_joints_at_targets(targets, tolerance)

    # --- end effector --------------------------------------------------------------------------

    @property
    def ik_params(self) -> IKParams:
        """How inverse kinematics is solved."""
        return self._ik_params

    def _get_end_effector_link_index(self, end_effector_link: int | str | None = None) -> int:
        """Number of a link; None: the last one; -1 where there is none."""
        if end_effector_link is not None:
            return self._resolve_link(end_effector_link)
        if not self.joint_info:
            self._log.warning("_get_end_effector_link_index: robot has no joints")
        return len(self.joint_info) - 1

    def _solve_ik(
        self,
        target_position: Sequence[float],
        target_orientation: Sequence[float] | None = None,
        ee_link_index: int | None = None,
    ) -> list[float]:
        """Joint positions that bring a link's centre of mass nearest to a target.

        Args:
            target_position: World frame [m].
            target_orientation: (x, y, z, w); None: any.
            ee_link_index: The link; None: the last one.

        Returns:
            One position a joint, fixed ones among them; none if there are no joints.
        """
        if not self.joint_info:
            self._log.warning("_solve_ik: only works for URDF robots with joints")
            return []
        link = self._get_end_effector_link_index() if ee_link_index is None else ee_link_index
        if link < 0:
            self._log.warning("_solve_ik: invalid end-effector link index")
            return []
        return inverse_kinematics.solve(
            self, self._ik_params, target_position, target_orientation, link
        )

    def _check_ee_pose(
        self,
        ee_link_index: int,
        target_position: Sequence[float],
        target_orientation: Sequence[float] | None = None,
        tolerance: float = 0.02,
        orientation_tolerance: float = 0.15,
    ) -> bool:
        if ee_link_index < 0:
            return False
        pose = self._link_pose(ee_link_index)
        return inverse_kinematics.is_near(
            pose, target_position, target_orientation, tolerance, orientation_tolerance
        )

    def _check_ik_reachability(
        self,
        joint_angles: Sequence[float],
        target_position: Sequence[float],
        ee_link_index: int,
        tolerance: float = 0.02,
        target_orientation: Sequence[float] | None = None,
        orientation_tolerance: float = 0.15,
    ) -> bool:
        if ee_link_index < 0:
            return False
        infos = zip(joint_angles, self.joint_info, strict=True)
        movable = [value for value, info in infos if info[2] in inverse_kinematics.ONE_AXIS]
        pose = inverse_kinematics.reached_pose(self, movable, ee_link_index)
        return inverse_kinematics.is_near(
            pose, target_position, target_orientation, tolerance, orientation_tolerance
        )

    def move_end_effector(
        self,
        target_position: Sequence[float],
        target_orientation: Sequence[float] | None = None,
        end_effector_link: int | str | None = None,
        max_force: float = 500.0,
        tolerance: float | None = None,
    ) -> bool:
        """Send the joints where they bring a link nearest to a target.

        Args:
            target_position: Of the link's centre of mass, world frame [m].
            target_orientation: (x, y, z, w); None: any.
            end_effector_link: The link; None: the last one.
            max_force: Of the motors [Nm or N].
            tolerance: Distance up to which the target counts as reached [m].

        Returns:
            Whether it can be reached. The joints are sent as near as they can get in any case.
        """
        if not self._only_urdf("move_end_effector"):
            return False
        link = self._get_end_effector_link_index(end_effector_link)
        found = self._solve_ik(target_position, target_orientation, link)
        if not found:
            return False
        allowed = self._ik_params.reachability_tolerance if tolerance is None else tolerance
        reachable = self._check_ik_reachability(
            found, target_position, link, allowed, target_orientation
        )
        self.set_all_joints_targets(found, max_force=max_force)
        return reachable

    def are_ee_at_target(
        self,
        target_position: Sequence[float],
        target_orientation: Sequence[float] | None = None,
        end_effector_link: int | str | None = None,
        tolerance: float = 0.02,
        orientation_tolerance: float = 0.15,
    ) -> bool:
        """Whether a link's centre of mass is at a target.

        Args:
            target_position: World frame [m].
            target_orientation: (x, y, z, w); None: any.
            end_effector_link: The link; None: the last one.
            tolerance: Distance [m].
            orientation_tolerance: ``1 - |cosine|`` of half the angle between the orientations.
        """
        if not self._only_urdf("are_ee_at_target"):
            return False
        return self._check_ee_pose(
            self._get_end_effector_link_index(end_effector_link),
            target_position,
            target_orientation,
            tolerance,
            orientation_tolerance,
        )

    def update_attached_objects_kinematics(self) -> None:
        """Let what is attached to it follow."""
        self._carry_along()
