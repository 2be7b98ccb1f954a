"""What is left of a simulation that nobody holds any more: nothing."""

from __future__ import annotations

import gc
import tracemalloc
import weakref

import pytest

from unibody import bullet, fleet
from unibody.core.engine.scene.sessions import find_session

WARM, CYCLES = 20, 100
# A hundredth of a process of 150 MB, spread over 10 000 cycles, is 150 bytes a cycle. Measured are
# 30 to 60, most of them from the tables of the interpreter, which grow and shrink in steps.
MOST = 150.0


def made():
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, timestep=0.1, physics=False)
    )
    box = fleet.ShapeParams(shape_type="box", half_extents=[0.2, 0.2, 0.2])
    for number in range(3):
        params = fleet.AgentSpawnParams(
            visual_shape=box,
            collision_shape=box,
            initial_pose=fleet.Pose.from_xyz(float(number), 0.0, 0.0),
            mass=0.0,
        )
        agent = fleet.Agent.from_params(params, sim_core=core)
        agent.set_path([fleet.Pose.from_xyz(float(number), y, 0.0) for y in (1.0, 2.0, 3.0)])
    arm = fleet.AgentSpawnParams(urdf_path="arm_robot", mass=0.0, use_fixed_base=True)
    fleet.Agent.from_params(arm, sim_core=core).set_joint_target(0, 0.5)
    for _ in range(2):
        core.step_once()
    return core


def collect():
    """First what nobody holds, then what its end held."""
    gc.collect()
    gc.collect()


@pytest.mark.parametrize("closed", [False, True])
def test_a_simulation_that_is_dropped_leaves_nothing(closed):
    core = made()
    client = core.client
    parts = [weakref.ref(part) for part in (core, core._physics_world, core._physics_world.session)]
    if closed:
        bullet.disconnect(client)
    del core
    collect()
    assert find_session(client) is None
    assert [part() for part in parts] == [None, None, None]


def grown():
    """Bytes that each of so many simulations leaves behind."""
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(CYCLES):
        made()
    collect()
    return (tracemalloc.get_traced_memory()[0] - before) / CYCLES


def test_simulations_that_are_made_and_dropped_take_no_memory():
    for _ in range(WARM):
        made()
    collect()
    tracemalloc.start()
    try:
        for _ in range(WARM):
            made()
        collect()
        # A table of the interpreter that grows a step does so once; what leaks does in each round.
        assert min(grown() for _ in range(3)) < MOST
    finally:
        tracemalloc.stop()
