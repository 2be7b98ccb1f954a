"""SimulationManager tells which functions of the original do not exist."""

from __future__ import annotations

import pytest

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.kit import context, timeline
from unibody.isaac_core.simulation.simulation_manager import (
    IsaacEvents,
    PhysicsScene,
    PhysxScene,
    SimulationEvent,
    SimulationManager,
)


def test_functions_that_do_not_exist_name_the_nearest_that_do() -> None:
    with pytest.raises(NotSupportedError, match=r"set_solver_type.*get_physics_context"):
        SimulationManager.set_solver_type("TGS")


def test_names_that_the_original_does_not_have_are_no_attributes() -> None:
    assert not hasattr(SimulationManager, "setup_simulations")


def test_the_simulation_is_set_up_steps_and_tells_by_the_names_of_isaac_sim_6() -> None:
    SimulationManager.setup_simulation(dt=0.005, device="cpu")
    (scene,) = SimulationManager.get_physics_scenes()
    assert scene.get_dt() == pytest.approx(0.005)
    SimulationManager.set_physics_dt(0.01)
    assert SimulationManager.get_physics_dt() == pytest.approx(0.01)
    heard: list[object] = []
    events = SimulationEvent
    SimulationManager.register_callback(
        lambda dt, context: heard.append((dt, context is not None)), events.PHYSICS_POST_STEP
    )
    one = IsaacEvents.PRE_PHYSICS_STEP
    SimulationManager.register_callback(heard.append, one)  # as before Isaac Sim 6
    timeline.get_timeline_interface().play()
    assert SimulationManager.is_simulating()
    counted: list[tuple[int, int]] = []
    SimulationManager.step(steps=5, callback=lambda n, of: counted.append((n, of)) or n < 2)
    assert counted == [(1, 5), (2, 5)]
    assert heard == [0.01, (0.01, True)] * 2
    SimulationManager.deregister_all_callbacks()
    SimulationManager.step()
    assert len(heard) == 4
    with pytest.raises(NotSupportedError, match="PRIM_DELETED"):
        SimulationManager.register_callback(print, events.PRIM_DELETED)


def test_a_physics_scene_has_its_gravity_and_settings() -> None:
    scene = PhysxScene("/scene")
    assert tuple(scene.get_gravity()) == pytest.approx((0.0, 0.0, -9.81))
    scene.set_gravity((0.0, 3.0, 4.0))
    assert tuple(scene.get_gravity()) == pytest.approx((0.0, 3.0, 4.0))
    scene.set_solver_type("PGS")
    assert scene.get_solver_type() == "PGS"
    with pytest.raises(InvalidArgumentError, match="TGS, PGS"):
        scene.set_solver_type("newton")
    with pytest.raises(InvalidArgumentError, match="from 0 to 1 s"):
        scene.set_dt(2.0)
    assert PhysicsScene.get_physics_scene_paths() == ["/scene"]


def test_calls_of_scripts_end_with_their_stage_and_the_timeline_goes_on() -> None:
    heard: list[object] = []
    SimulationManager.register_callback(heard.append, IsaacEvents.POST_PHYSICS_STEP)
    clock = timeline.get_timeline_interface()
    clock.play()
    SimulationManager.step()
    assert len(heard) == 1
    context.get_context().new_stage()
    assert clock.is_playing()
    assert not SimulationManager.is_simulating()
    SimulationManager.initialize_physics()
    SimulationManager.step()
    assert len(heard) == 1
