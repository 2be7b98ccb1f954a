"""Joint positions that bring a link of a robot to a pose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

from unibody.fleet.agents.agent_params import IKParams
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.bodies.tables import Tables
from unibody.fleet.bodies.templates import JOINT_PRISMATIC, JOINT_REVOLUTE, BodyTemplate
from unibody.fleet.convert import pose_inverse, pose_product, quat_product
from unibody.fleet.foundation.loggers import NamedLazyLogger
from unibody.fleet.objects.tools import resolve_joint

ONE_AXIS = (JOINT_REVOLUTE, JOINT_PRISMATIC)
_LOCK = 1e-4  # rad or m: range left to a joint that shall not move


class Arm(Protocol):
    """A robot, as far as this needs it."""

    body_id: int
    joint_info: list[tuple[Any, ...]]
    _row: int
    _tables: Tables
    _template: BodyTemplate

    @property
    def _log(self) -> NamedLazyLogger: ...

    def get_joint_state(self, joint_index: int) -> tuple[float, float]:
        """Position and velocity of a joint."""
        ...

    def _first_joint(self) -> int: ...

    def _link_pose(self, link: int) -> tuple[Any, Any]: ...


def solve(
    arm: Arm,
    params: IKParams,
    position: Sequence[float],
    orientation: Sequence[float] | None,
    link: int,
) -> list[float]:
    """Joint positions that bring a link's centre of mass nearest to a target.

    Args:
        arm: The robot.
        params: How it is searched.
        position: World frame [m].
        orientation: (x, y, z, w); None: any.
        link: The link.

    Returns:
        One position a joint, fixed ones among them.
    """
    present = [arm.get_joint_state(index)[0] for index in range(len(arm.joint_info))]
    movable = [i for i, info in enumerate(arm.joint_info) if info[2] in ONE_AXIS]
    lower, upper = _ranges(arm, params, movable, present)
    ranges = [high - low for low, high in zip(lower, upper, strict=True)]
    start = [present[i] for i in movable]
    found = _search(arm, params, start, (lower, upper, ranges), position, orientation, link)
    for index, value in zip(movable, found, strict=False):
        present[index] = value
    return present


def _ranges(
    arm: Arm, params: IKParams, movable: list[int], present: list[float]
) -> tuple[list[float], list[float]]:
    names = params.ik_joint_names
    free = None
    if names is not None:
        known = {name: resolve_joint(arm._template, arm.body_id, name) for name in names}
        for name, index in known.items():
            if index < 0:
                arm._log.warning(f"ik_joint_names entry '{name}' not found")
        free = set(known.values())
    lower: list[float] = []
    upper: list[float] = []
    for index in movable:
        low, high = arm.joint_info[index][8], arm.joint_info[index][9]
        if (low >= high) if free is None else (index not in free):
            low, high = present[index] - _LOCK, present[index] + _LOCK
        lower.append(low)
        upper.append(high)
    return lower, upper


def _search(
    arm: Arm,
    params: IKParams,
    start: list[float],
    limits: tuple[list[float], list[float], list[float]],
    target: Sequence[float],
    orientation: Sequence[float] | None,
    link: int,
) -> list[float]:
    lower, _, ranges = limits
    seeds = [list(start)]
    for share in params.seed_quartiles:
        seeds.append([low + share * r for low, r in zip(lower, ranges, strict=True)])
    best: list[float] = []
    nearest = math.inf
    state = list(start)
    goal = _in_base(arm, target, orientation)
    for seed in seeds:
        rest = list(seed)
        before: list[float] | None = None
        for _ in range(params.max_outer_iterations):
            state = _solve_once(arm, params, state, limits, rest, goal, link)
            if state == before:
                break
            distance = math.dist(reached_pose(arm, state, link)[0], [float(v) for v in target])
            if distance < nearest:
                nearest, best = distance, state
            if distance < params.convergence_threshold:
                break
            before = rest = state
        if nearest < params.convergence_threshold:
            break
    return best


def _in_base(
    arm: Arm, target: Sequence[float], orientation: Sequence[float] | None
) -> tuple[Any, Any]:
    back = pose_inverse(*arm._link_pose(-1))
    position = pose_product(*back, [float(v) for v in target], (0, 0, 0, 1))[0]
    if orientation is None:
        return position, None
    return position, quat_product(back[1], [float(v) for v in orientation])


def _solve_once(
    arm: Arm,
    params: IKParams,
    state: list[float],
    limits: Any,
    rest: list[float],
    goal: Any,
    link: int,
) -> list[float]:
    position, turn = goal
    com = arm._template.asset.links[link + 1].inertial.pose
    wanted = None
    if turn is not None:
        x, y, z, w = turn
        wanted = ((w, x, y, z), com.quat)
    found = arm._template.chain().inverse_kinematics(
        state,
        [link + 1],
        [position],
        turn=wanted,
        null=[*limits, rest],
        iterations=params.max_inner_iterations,
        threshold=params.residual_threshold,
    )
    return list(found)


def reached_pose(arm: Arm, movable: Sequence[float], link: int) -> tuple[Any, Any]:
    """Pose of a link's centre of mass for other joint positions."""
    first = arm._first_joint()
    block = arm._tables.joints.data[first : first + len(arm.joint_info), 0]
    kept = block.copy()
    numbers = [i for i, info in enumerate(arm.joint_info) if info[2] in ONE_AXIS]
    for index, value in zip(numbers, movable, strict=True):
        block[index] = value
    frame = bounding_boxes.link_frames(arm._tables, arm._row, len(arm.joint_info) + 1)[
        link + 1
    ].tolist()
    block[:] = kept
    return pose_product(frame[:3], frame[3:], *arm._template.link_com(link))


def is_near(
    pose: tuple[Any, Any],
    position: Sequence[float],
    orientation: Sequence[float] | None,
    tolerance: float,
    orientation_tolerance: float,
) -> bool:
    """Whether a pose is at a target; see `JointedObject.are_ee_at_target`."""
    if math.dist(pose[0], [float(v) for v in position]) > tolerance:
        return False
    if orientation is None:
        return True
    wanted = [float(v) for v in orientation]
    length = math.sqrt(sum(v * v for v in wanted)) or 1.0
    cosine = abs(sum(a * b for a, b in zip(pose[1], wanted, strict=True))) / length
    return 1.0 - min(cosine, 1.0) <= orientation_tolerance
