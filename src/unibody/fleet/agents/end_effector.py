"""The end effector of an agent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from unibody.fleet.agents.agent_params import IKParams
from unibody.fleet.agents.joints import JointedObject
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.bodies.templates import JOINT_PRISMATIC, JOINT_REVOLUTE
from unibody.fleet.convert import pose_inverse, pose_product, quat_product
from unibody.fleet.objects.tools import resolve_joint

_ONE_AXIS = (JOINT_REVOLUTE, JOINT_PRISMATIC)
_LOCK = 1e-4  # rad or m: range left to a joint that shall not move


class ArmObject(JointedObject):
    """An object with joints and an end effector."""

    _ik_params: IKParams

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
        present = [self.get_joint_state(index)[0] for index in range(len(self.joint_info))]
        movable = [i for i, info in enumerate(self.joint_info) if info[2] in _ONE_AXIS]
        lower, upper = self._ik_ranges(movable, present)
        ranges = [high - low for low, high in zip(lower, upper, strict=True)]
        found = self._search(
            [present[i] for i in movable], (lower, upper, ranges), target_position,
            target_orientation, link,
        )  # fmt: skip
        for index, value in zip(movable, found, strict=False):
            present[index] = value
        return present

    def _ik_ranges(
        self, movable: list[int], present: list[float]
    ) -> tuple[list[float], list[float]]:
        names = self._ik_params.ik_joint_names
        free = None
        if names is not None:
            known = {name: resolve_joint(self._template, self.body_id, name) for name in names}
            for name, index in known.items():
                if index < 0:
                    self._log.warning(f"ik_joint_names entry '{name}' not found")
            free = set(known.values())
        lower: list[float] = []
        upper: list[float] = []
        for index in movable:
            low, high = self.joint_info[index][8], self.joint_info[index][9]
            if (low >= high) if free is None else (index not in free):
                low, high = present[index] - _LOCK, present[index] + _LOCK
            lower.append(low)
            upper.append(high)
        return lower, upper

    def _search(
        self,
        start: list[float],
        limits: tuple[list[float], list[float], list[float]],
        target: Sequence[float],
        orientation: Sequence[float] | None,
        link: int,
    ) -> list[float]:
        config = self._ik_params
        lower, _, ranges = limits
        seeds = [list(start)]
        for share in config.seed_quartiles:
            seeds.append([low + share * r for low, r in zip(lower, ranges, strict=True)])
        best: list[float] = []
        nearest = math.inf
        state = list(start)
        goal = self._in_base(target, orientation)
        for seed in seeds:
            rest = list(seed)
            before: list[float] | None = None
            for _ in range(config.max_outer_iterations):
                state = self._solve_once(state, limits, rest, goal, link)
                if state == before:
                    break
                distance = math.dist(self._reach(state, link)[0], [float(v) for v in target])
                if distance < nearest:
                    nearest, best = distance, state
                if distance < config.convergence_threshold:
                    break
                before = rest = state
            if nearest < config.convergence_threshold:
                break
        return best

    def _in_base(
        self, target: Sequence[float], orientation: Sequence[float] | None
    ) -> tuple[Any, Any]:
        back = pose_inverse(*self._link_pose(-1))
        position = pose_product(*back, [float(v) for v in target], (0, 0, 0, 1))[0]
        if orientation is None:
            return position, None
        return position, quat_product(back[1], [float(v) for v in orientation])

    def _solve_once(
        self, state: list[float], limits: Any, rest: list[float], goal: Any, link: int
    ) -> list[float]:
        position, turn = goal
        com = self._template.asset.links[link + 1].inertial.pose
        wanted = None
        if turn is not None:
            x, y, z, w = turn
            wanted = ((w, x, y, z), com.quat)
        found = self._template.chain().inverse_kinematics(
            state,
            [link + 1],
            [position],
            turn=wanted,
            null=[*limits, rest],
            iterations=self._ik_params.max_inner_iterations,
            threshold=self._ik_params.residual_threshold,
        )
        return list(found)

    def _reach(self, movable: Sequence[float], link: int) -> tuple[Any, Any]:
        """Pose of a link's centre of mass for other joint positions."""
        first = self._first_joint()
        block = self._tables.joints.data[first : first + len(self.joint_info), 0]
        kept = block.copy()
        numbers = [i for i, info in enumerate(self.joint_info) if info[2] in _ONE_AXIS]
        for index, value in zip(numbers, movable, strict=True):
            block[index] = value
        frame = bounding_boxes.link_frames(self._tables, self._row, len(self.joint_info) + 1)[
            link + 1
        ].tolist()
        block[:] = kept
        return pose_product(frame[:3], frame[3:], *self._template.link_com(link))

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
        return _near(pose, target_position, target_orientation, tolerance, orientation_tolerance)

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
        movable = [value for value, info in infos if info[2] in _ONE_AXIS]
        pose = self._reach(movable, ee_link_index)
        return _near(pose, target_position, target_orientation, tolerance, orientation_tolerance)

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


def _near(
    pose: tuple[Any, Any],
    position: Sequence[float],
    orientation: Sequence[float] | None,
    tolerance: float,
    orientation_tolerance: float,
) -> bool:
    if math.dist(pose[0], [float(v) for v in position]) > tolerance:
        return False
    if orientation is None:
        return True
    wanted = [float(v) for v in orientation]
    length = math.sqrt(sum(v * v for v in wanted)) or 1.0
    cosine = abs(sum(a * b for a, b in zip(pose[1], wanted, strict=True))) / length
    return 1.0 - min(cosine, 1.0) <= orientation_tolerance
