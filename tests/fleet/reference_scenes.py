"""Scenes that run alike on the original and on ours; what comes out is compared.

Runs in the original's environment too, so it imports nothing but the standard library: the package
to run on is an argument.
"""

from __future__ import annotations

import importlib
import math
import random
from pathlib import Path
from typing import Any

MANIPULATOR = Path(__file__).resolve().parents[2] / "src/unibody/fleet/robots"
PATHS = 20
STEPS = 240
KINDS = ("omnidirectional", "differential")
DT = 0.05  # s
TURNING = (*KINDS, "batch_omni", "batch_differential")
CROWD_MARGINS = (0.0, 0.02)  # m
CROWD_HALF = 0.1  # m: half an edge of a cube
_CROWD_STEPS = 60
_TURNED = 12  # steps, by when those that turn first are in their turn


def core_of(fleet: Any, dt: float) -> Any:
    """An empty simulation without gravity or a window."""
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(
            gui=False, monitor=False, target_rtf=0, timestep=dt, physics=False, log_level="ERROR"
        )
    )
    core.set_collision_check_frequency(0)
    return core


def box_shape(fleet: Any, half: float) -> Any:
    """A cube."""
    shapes = importlib.import_module(f"{fleet.__name__}.sim_object")
    return shapes.ShapeParams(shape_type="box", half_extents=[half] * 3)


def _limits(chance: random.Random) -> dict[str, Any]:
    limits = {
        "max_linear_vel": chance.uniform(0.4, 2.5),
        "max_linear_accel": chance.uniform(0.3, 5.0),
        "max_angular_vel": chance.uniform(0.5, 3.0),
        "max_angular_accel": chance.uniform(0.5, 8.0),
    }
    if chance.random() < 0.25:  # an axis each
        limits["max_linear_vel"] = [chance.uniform(0.4, 2.0) for _ in range(3)]
        limits["max_linear_accel"] = [chance.uniform(0.5, 4.0) for _ in range(3)]
    return limits


def _waypoints(fleet: Any, chance: random.Random, spatial: bool) -> list[Any]:
    return [
        fleet.Pose.from_euler(
            chance.uniform(-3, 3),
            chance.uniform(-3, 3),
            chance.uniform(0.2, 2.0) if spatial else 0.3,
            0.0,
            chance.uniform(-0.6, 0.6) if spatial else 0.0,
            chance.uniform(-math.pi, math.pi),
        )
        for _ in range(chance.randint(1, 4))
    ]


def follow(module: str, kind: str, number: int) -> list[list[float]]:
    """Follow one path; positions and orientations after each step, (steps, 7)."""
    fleet = importlib.import_module(module)
    chance = random.Random(100 * number + len(kind))
    core = core_of(fleet, DT)
    spatial = number % 4 == 3
    agent = fleet.Agent.from_params(
        fleet.AgentSpawnParams(
            visual_shape=box_shape(fleet, 0.2),
            collision_shape=box_shape(fleet, 0.2),
            initial_pose=fleet.Pose.from_yaw(
                chance.uniform(-2, 2), chance.uniform(-2, 2), 0.3, chance.uniform(-3, 3)
            ),
            mass=0.0,
            motion_mode=kind,
            controller=_limits(chance),
        ),
        sim_core=core,
    )
    path = _waypoints(fleet, chance, spatial)
    direction = "forward" if kind == KINDS[0] else ("forward", "backward", "auto")[number % 3]
    if number % 5 == 4:
        agent.set_goal_pose(path[0])
    else:
        agent.set_path(path, final_orientation_align=number % 2 == 0, direction=direction)
    found = []
    for step in range(STEPS):
        if number == 7 and step == 40:  # think again on the way
            agent.set_path(list(reversed(path)))
        core.step_once()
        pose = agent.get_pose()
        found.append([*map(float, pose.position), *map(float, pose.orientation)])
    close(module, core)
    return found


def close(module: str, core: Any) -> None:
    """Close the world of a simulation."""
    engine = "unibody.bullet" if module.startswith("unibody") else "pybullet"
    importlib.import_module(engine).disconnect(core.client)


def turn_about(module: str, kind: str) -> list[list[float]]:
    """Send 240 robots on a grid to what is exactly behind them; orientations on the way, (240, 8).

    Those that can drive in any direction get their own place for a goal, and turn there.
    """
    fleet = importlib.import_module(module)
    core = core_of(fleet, DT)
    batch = kind.startswith("batch")
    mode = KINDS[0] if "omni" in kind else KINDS[1]
    manager = fleet.AgentManager(sim_core=core, fleet_controller={"type": kind}) if batch else None
    agents = []
    for number in range(240):
        x, y, yaw = float(number % 16), float(number // 16), (number % 24 - 12) * math.pi / 12
        agent = fleet.Agent.from_params(
            fleet.AgentSpawnParams(
                visual_shape=box_shape(fleet, 0.2),
                collision_shape=box_shape(fleet, 0.2),
                initial_pose=fleet.Pose.from_yaw(x, y, 0.3, yaw),
                mass=0.0,
                motion_mode=mode,
            ),
            sim_core=core,
        )
        if manager is not None:
            manager.add_object(agent)
        way = 0.0 if mode == KINDS[0] else 3.0
        goal = (x - way * math.cos(yaw), y - way * math.sin(yaw), 0.3)
        turn = (yaw + math.pi, yaw - math.pi, 0.0, yaw)[number // 8 % 4]
        agent.set_path([fleet.Pose.from_yaw(*goal, turn)], auto_approach=number % 2 == 0)
        agents.append(agent)
    found: list[list[float]] = [[] for _ in agents]
    for step in range(2 * _TURNED):
        core.step_once()
        if step % _TURNED == _TURNED - 1:
            for row, agent in zip(found, agents, strict=True):
                row.extend(map(float, agent.get_pose().orientation))
    close(module, core)
    return found


_HOME = {"mount_to_shoulder": math.pi / 2, "shoulder_to_elbow": 0.8, "elbow_to_wrist": 0.8}
_PICK = {"mount_to_shoulder": math.pi / 2, "shoulder_to_elbow": 1.2, "elbow_to_wrist": 1.0}
_CARRY = {"mount_to_shoulder": math.pi / 2, "shoulder_to_elbow": -0.3, "elbow_to_wrist": 0.8}
_PLACE = {"mount_to_shoulder": 0.4, "shoulder_to_elbow": 1.2, "elbow_to_wrist": 1.0}


def _actions(fleet: Any, action: Any, first: Any, second: Any, hand: int) -> list[Any]:
    """Take the first box with the hand, then the second on the base, and put both somewhere."""

    def go(x: float, y: float, *, align: bool = False) -> Any:
        path = fleet.Path.from_positions([[x, y, 0.3]])
        return action.MoveAction(path=path, final_orientation_align=align)

    def joints(targets: dict[str, float]) -> Any:
        return action.JointAction(target_joint_positions={**targets, "wrist_to_end": 0.3})

    return [
        joints(_HOME),
        go(0.9, 0.0),
        action.PickAction(
            target_object_id=first.body_id,
            use_approach=False,
            pick_offset=0.7,
            attach_link=hand,
            attach_relative_pose=fleet.Pose.from_xyz(0, 0, 0.07),
            joint_targets=_PICK,
            joint_tolerance=0.02,
        ),
        joints(_CARRY),
        action.WaitAction(duration=0.3),
        go(0.0, 0.9),
        action.DropAction(
            drop_pose=fleet.Pose.from_xyz(0.07, 1.33, 0.8),
            use_approach=False,
            joint_targets=_PLACE,
            joint_tolerance=0.02,
            drop_relative_pose=fleet.Pose.from_xyz(0.01, 0.02, 0.0),
        ),
        joints(_HOME),
        action.PickAction(
            target_position=[-2.0, 1.0, 0.1],
            search_radius=0.6,
            approach_offset=0.8,
            pick_offset=0.5,
            attach_relative_pose=fleet.Pose.from_euler(0.6, 0.0, 0.1, 0.0, 0.0, 0.4),
        ),
        action.DropAction(
            drop_pose=fleet.Pose.from_yaw(-2.0, -2.0, 0.1, 1.0),
            approach_offset=0.7,
            drop_offset=0.4,
            target_object_id=second.body_id,
        ),
        go(0.0, 0.0, align=True),
    ]


def carry(module: str) -> dict[str, list[list[float]]]:
    """Pick up and put down two boxes with a mobile manipulator; poses after each step."""
    fleet = importlib.import_module(module)
    action = importlib.import_module(f"{module}.action")
    core = core_of(fleet, DT)
    robot = fleet.Agent.from_params(
        fleet.AgentSpawnParams(
            urdf_path=str(MANIPULATOR / "mobile_manipulator.urdf"),
            initial_pose=fleet.Pose.from_xyz(0.0, 0.0, 0.3),
            mass=0.0,
            motion_mode="differential",
            controller={"max_linear_vel": 1.5, "max_linear_accel": 3.0},
        ),
        sim_core=core,
    )
    boxes = [
        importlib.import_module(f"{module}.sim_object").SimObject.from_mesh(
            visual_shape=box_shape(fleet, 0.05),
            collision_shape=box_shape(fleet, 0.05),
            pose=fleet.Pose.from_yaw(*place),
            mass=0.0,
            sim_core=core,
            pickable=True,
        )
        for place in ([1.6, 0.0, 0.8, 0.3], [-2.0, 1.1, 0.1, 0.0])
    ]
    hand = robot.get_num_joints() - 1
    for item in _actions(fleet, action, *boxes, hand):
        robot.add_action(item)
    found: dict[str, list[list[float]]] = {"robot": [], "first": [], "second": []}
    for _ in range(900):
        core.step_once()
        for name, obj in zip(found, (robot, *boxes), strict=True):
            pose = obj.get_pose()
            found[name].append([*map(float, pose.position), *map(float, pose.orientation)])
    close(module, core)
    return found


def crowd(module: str, margin: float) -> tuple[list[list[int]], list[list[float]]]:
    """Drive half of 256 cubes through the others, and look for collisions in every step.

    Returns:
        The pairs that collide: step, number of the first and of the second; and the positions
        after each step.
    """
    fleet = importlib.import_module(module)
    chance = random.Random(3)
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(
            gui=False,
            monitor=False,
            target_rtf=0,
            timestep=DT,
            physics=False,
            collision_margin=margin,
            log_level="ERROR",
        )
    )
    agents = [
        fleet.Agent.from_params(
            fleet.AgentSpawnParams(
                visual_shape=box_shape(fleet, CROWD_HALF),
                collision_shape=box_shape(fleet, CROWD_HALF),
                initial_pose=fleet.Pose.from_xyz(0.5 * (number % 16), 0.5 * (number // 16), 0.3),
                mass=0.0,
                motion_mode=KINDS[0],  # so that the cubes keep their orientation
            ),
            sim_core=core,
        )
        for number in range(256)
    ]
    for agent in agents[::2]:
        agent.set_goal_pose(fleet.Pose.from_xyz(chance.uniform(0, 8), chance.uniform(0, 8), 0.3))
    numbers = {agent.object_id: number for number, agent in enumerate(agents)}
    pairs, places = [], []
    for step in range(_CROWD_STEPS):
        core.step_once()
        found = [sorted(numbers[n] for n in pair) for pair in core.get_active_collision_pairs()]
        pairs += [[step, *pair] for pair in sorted(found)]
        places.append([float(x) for agent in agents for x in agent.get_pose().position])
    close(module, core)
    return pairs, places
