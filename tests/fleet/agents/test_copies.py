"""Robots that are copied from the first of many are those that are made one by one."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from unibody import fleet
from unibody.fleet.actions.action import WaitAction
from unibody.fleet.agents import copies
from unibody.fleet.bodies.physics_world import close_physics_world

GRID = fleet.GridSpawnParams(0, 4, 0, 3, [1.0, 1.5, 0.0], [0.5, -2.0, 0.1])
TURNED = fleet.Pose.from_yaw(0.0, 0.0, 0.0, 0.7)
BOX = fleet.ShapeParams(shape_type="box", half_extents=[0.3, 0.2, 0.1], frame_pose=TURNED)
FLEET = {"type": "batch_differential", "max_linear_vel": 0.7}


def crowd(make: Callable[[], tuple[Any, Any]], fleet_controller: Any, **params: Any) -> Any:
    """A core with robots in a grid, on their way."""
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, timestep=0.1, log_level="ERROR", **params)
    )
    manager_class, spawned = make()
    manager = manager_class(core, fleet_controller)
    random.seed(5)
    made = manager.spawn_objects_grid(12, GRID, spawned)
    made += manager.spawn_grid_mixed(5, GRID, [(spawned, 0.8)], name_prefix="robot")
    for number, obj in enumerate(made):
        if isinstance(obj, fleet.Agent) and number % 3 == 0 and not obj.use_fixed_base:
            obj.set_goal_pose(fleet.Pose.from_xyz(number, 2.0, 0.1))
        if isinstance(obj, fleet.Agent) and obj.get_num_joints() and number % 2:
            obj.set_all_joints_targets([0.3] * obj.get_num_joints())
    return core, manager


def agents_of(core: Any, controller: Any) -> fleet.AgentManager:
    return fleet.AgentManager(sim_core=core, fleet_controller=controller)


def things_of(core: Any, _: Any) -> Any:
    return fleet.SimObjectManager(sim_core=core)


def boxes() -> tuple[Any, Any]:
    return agents_of, fleet.AgentSpawnParams(
        visual_shape=BOX, collision_shape=BOX, initial_pose=TURNED, mass=0.0,
        controller={"type": "omni", "max_angular_vel": 1.1}, user_data={"load": []},
    )  # fmt: skip


def arms() -> tuple[Any, Any]:
    return agents_of, fleet.AgentSpawnParams(
        urdf_path="arm_robot", use_fixed_base=True, initial_pose=TURNED
    )


def racks() -> tuple[Any, Any]:
    return things_of, fleet.SimObjectSpawnParams(
        collision_shape=BOX, mass=0.0, collision_mode=fleet.CollisionMode.STATIC
    )


def seen(core: Any, manager: Any) -> list[Any]:
    """All there is to know about the objects of a simulation."""
    objects, tables = core.sim_objects, core._tables
    assert list(core._sim_objects_dict.values()) == objects == manager.objects
    assert list(manager.body_ids) == [obj.body_id for obj in objects]
    assert list(manager.object_ids) == [obj.object_id for obj in objects]
    found: list[Any] = [[(obj.object_id, obj.body_id, obj.name, obj.mass) for obj in objects]]
    rows = [obj._row for obj in objects]
    found += [tables.bodies.data[name][rows].tobytes() for name in tables.bodies.data.dtype.names]
    for obj in objects:
        count = obj._template.joint_count
        first = int(tables.bodies.data["joint"][obj._row])
        found.append(tables.joints.data[first : first + count].tolist())
        if isinstance(obj, fleet.Agent):
            batch = obj._batch_controller
            drivers = [*obj._controllers, *([] if batch is None else [batch.member(obj)])]
            found += [tables.motions.data[driver._m].tobytes() for driver in drivers]
            assert all(driver.params is obj.controller_params for driver in drivers)
            bound = [(tables, driver._m) for driver in drivers]
            assert obj.controller_params._rows == bound  # type: ignore[attr-defined]
    return found


@pytest.mark.parametrize("physics", [False, True])
@pytest.mark.parametrize(
    ("make", "controller"),
    [(boxes, None), (boxes, FLEET), (arms, None), (racks, None)],
    ids=["boxes", "batch", "arms", "racks"],
)
def test_copies_are_and_move_as_what_is_made_one_by_one(
    make: Callable[[], tuple[Any, Any]], controller: Any, physics: bool, monkeypatch: Any
) -> None:
    copied, copied_by = crowd(make, controller, physics=physics)
    with monkeypatch.context() as patch:
        patch.setattr(copies, "can_be_copied", lambda *_: False)
        plain, plain_by = crowd(make, controller, physics=physics)
    for _ in range(5):
        for one, other in zip(seen(copied, copied_by), seen(plain, plain_by), strict=True):
            assert one == other
        for core in (copied, plain):
            core.step_once()
    for core in (copied, plain):
        close_physics_world(core._physics_world)


def test_copies_share_nothing_that_changes() -> None:
    core, _ = crowd(boxes, None)
    first, second = core.agents[:2]
    second.user_data["mine"] = 1
    second.add_action(WaitAction(duration=1.0))
    second.controller_params.max_linear_vel = 9.0
    assert "mine" not in first.user_data and first.is_action_queue_empty()
    data = core._tables.motions.data
    assert data["vel"][second._controllers[0]._m].tolist() == [9.0] * 3
    assert data["vel"][first._controllers[0]._m].tolist() != [9.0] * 3
    close_physics_world(core._physics_world)


def test_who_listens_hears_of_every_copy() -> None:
    core = fleet.MultiRobotSimulationCore(fleet.SimulationParams(gui=False, monitor=False))
    heard: list[Any] = []
    core.events.on("object_spawned", lambda obj, **_: heard.append(obj))
    made = agents_of(core, None).spawn_objects_grid(4, GRID, boxes()[1])
    assert heard == made
    close_physics_world(core._physics_world)


def test_a_robot_that_was_copied_leaves_like_any_other() -> None:
    core, manager = crowd(boxes, FLEET)
    gone = core.agents[3]
    core.remove_object(gone)
    core.step_once()
    assert gone not in manager.objects and len(core.agents) == len(manager.objects) > 12
    assert not np.isin(gone._row, core._collisions.all_rows_now())
    close_physics_world(core._physics_world)
