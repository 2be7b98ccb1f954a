"""Arguments of the surface: none is accepted and then does nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pxr import Usd, UsdGeom

import unibody.isaac_core
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.cloners import GridCloner
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions import viewports
from unibody.isaac_core.kit import viewports as records
from unibody.isaac_core.objects import DynamicCuboid
from unibody.isaac_core.simulation.manager import simulation
from unibody.isaac_core.simulation.simulation_manager import SimulationManager
from unibody.isaac_core.world.physics_context import PhysicsContext
from unibody.isaac_core.world.world import World

ROOT = Path(unibody.isaac_core.__file__).parent

EXEMPT = {
    "cloners/cloner.py:clone:unregister_physics_replication": "nothing is registered",
    "cloners/cloner.py:clone:enable_env_ids": "clones do not touch one another in any case",
    "experimental/app.py:play:commit": "changes of the timeline are told at once",
    "experimental/app.py:pause:commit": "changes of the timeline are told at once",
    "experimental/app.py:stop:commit": "changes of the timeline are told at once",
    "experimental/ground_plane.py:__init__:templates": "grounds are seen in their color",
    "experimental/motion/trajectories.py": "one interface of controllers",
    "experimental/sensors/imus.py:read:dt": "velocities are divided by times of the simulation",
    "experimental/sensors/joints.py:read:dt": "one interface of sensors",
    "experimental/wheeled/stanley.py:stanley_control:p": "without effect in the original, too",
    "experimental/wheeled/stanley.py:stanley_control:i": "without effect in the original, too",
    "experimental/wheeled/stanley.py:stanley_control:d": "without effect in the original, too",
    "simulation/simulation_manager.py:step:update_fabric": "what Fabric would have is on the stage",
    "functions/numpy/": "arrays of NumPy are on the CPU, and none is indexed",
    "functions/torch/tensor.py:convert:indexed": "tensors are not indexed arrays",
    "functions/torch/tensor.py:tensor_cat:device": "it is that of the tensors",
    "functions/torch/transformations.py:get_pose:device": "it is that of the tensors",
    "functions/warp/tensor.py:convert:indexed": "the result is never an indexed array",
    "functions/stage.py:get_current_stage:fabric": "what Fabric would have is on the stage",
    "functions/stage.py:set_livesync_stage:usd_path": "for what is refused",
    "kit/context.py:set_selected_prim_paths:expand_in_stage": "there is no window with a tree",
    "launch.py:close:wait_for_replicator": "no replicator runs",
    "motion/policies.py:__init__:rmpflow_config_path": "the settings of a policy that is not here",
    "motion/policies.py:__init__:maximum_substep_size": "a frame is one step, of any length",
    "motion/policies.py:compute_joint_targets:active_joint_velocities": "one interface of policies",
    "motion/policies.py:compute_joint_targets:watched_joint": "no joints are watched",
    "materials/deformable_material_view.py:get_": "the result is a copy in any case",
    "materials/particle_material_view.py:get_": "the result is a copy in any case",
    "prims/soft/cloth_view.py:get_": "the result is a copy in any case",
    "prims/soft/deformable_view.py:get_": "the result is a copy in any case",
    "prims/soft/particle_system_view.py:get_": "the result is a copy in any case",
    "prims/articulation_bodies.py:get_body_coms:clone": "the result is a copy in any case",
    "prims/physics_poses.py:get_world_poses:clone": "the result is a copy in any case",
    "prims/rigid_view.py:get_linear_velocities:clone": "the result is a copy in any case",
    "prims/rigid_view.py:get_angular_velocities:clone": "the result is a copy in any case",
    "prims/xform_view.py": "the stage is written before it is read, so both ways are one",
    "schemas/classes.py:GetSchemaAttributeNames:includeInherited": "none are inherited",
    "schemas/classes.py:CanApply:name": "each schema can have instances of any name",
    "tasks/follow_target.py:pre_step": "one interface of tasks, each of which needs a part of it",
    "world/context.py:__new__": "__init__ reads them",
    "world/world.py:reset_async_set_up_scene:soft": "the other half of a reset reads it",
    "world/world.py:step_async:step_size": "the app makes the step",
}
"""File, function and parameter, or the beginning of that -> why it is not read."""


def _unread(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
    inside = [node for part in function.body for node in ast.walk(part)]
    names = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return [a.arg for a in every if a.arg not in names and a.arg not in {"self", "cls"}]


def _does_something(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether there is more than a docstring and one error."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return bool(body) and not isinstance(body[0], ast.Raise)


def _found() -> Iterator[str]:
    for file in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            public = not node.name.startswith("_") or node.name in {"__init__", "__new__"}
            if public and _does_something(node):
                where = f"{file.relative_to(ROOT).as_posix()}:{node.name}"
                yield from (f"{where}:{name}" for name in _unread(node) if name[0] != "_")


def test_every_parameter_of_a_public_function_is_read() -> None:
    left = [one for one in _found() if not any(one.startswith(exempt) for exempt in EXEMPT)]
    assert left == []


def test_every_exemption_still_has_a_parameter() -> None:
    found = list(_found())
    assert [key for key in EXEMPT if not any(one.startswith(key) for one in found)] == []


def test_clones_beside_the_stage_are_refused() -> None:
    functions.create_prim("/World/envs/env_0")
    with pytest.raises(NotSupportedError, match="clone_in_fabric=False"):
        GridCloner(1.0).clone("/World/envs/env_0", ["/World/envs/env_0"], clone_in_fabric=True)


def test_physics_is_replicated_between_paths_that_are_known() -> None:
    functions.create_prim("/World/envs/env_0")
    paths = ["/World/envs/env_0", "/World/envs/env_1"]
    with pytest.raises(InvalidArgumentError, match="base_env_path"):
        GridCloner(1.0).clone(paths[0], paths, replicate_physics=True)
    with pytest.raises(InvalidArgumentError, match="root_path"):
        GridCloner(1.0).clone(paths[0], paths, replicate_physics=True, base_env_path="/World/envs")
    cloner = GridCloner(1.0)
    cloner.define_base_env("/World/envs")
    cloner.clone(paths[0], cloner.generate_paths("/World/envs/env", 2), replicate_physics=True)
    assert functions.is_prim_path_valid(paths[1])


def test_an_attribute_of_a_moving_prim_is_what_the_physics_says_where_fabric_is_asked_for() -> None:
    world = World()
    DynamicCuboid("/World/box", "box", position=[0.0, 0.0, 5.0])
    world.reset()
    for _ in range(30):
        simulation.step()
    before = functions.get_prim_attribute_value("/World/box", "xformOp:translate")
    after = functions.get_prim_attribute_value("/World/box", "xformOp:translate", fabric=True)
    assert before[2] == pytest.approx(5.0, abs=1e-2)
    # 32 steps of 1/60 s with two of the reset: a fall of about 1.4 m
    assert after[2] < 4.0


def test_a_camera_is_looked_for_on_the_stage_of_the_viewport() -> None:
    class Viewport:
        stage = Usd.Stage.CreateInMemory()

    camera = UsdGeom.Camera.Define(Viewport.stage, "/only_there")
    camera.AddTranslateOp()
    viewports.set_camera_view(np.ones(3), np.zeros(3), "/only_there", Viewport())
    assert camera.GetPrim().GetAttribute("xformOp:translate").Get() == (1.0, 1.0, 1.0)
    with pytest.raises(InvalidArgumentError, match="camera_prim_path"):
        viewports.set_camera_view(np.ones(3), np.zeros(3), "/nothing", Viewport())


def test_another_context_than_the_one_there_is_is_refused() -> None:
    for ask in (viewports.get_viewport_names, records.get_num_viewports):
        assert ask("")
        with pytest.raises(InvalidArgumentError, match="the one context"):
            ask("second")
    with pytest.raises(InvalidArgumentError, match="the one context"):
        viewports.get_window_from_id(0, "second")
    with pytest.raises(InvalidArgumentError, match="the one context"):
        viewports.destroy_all_viewports("second")


def test_the_manager_says_the_time_of_the_one_scene_and_draws_nothing() -> None:
    world = World(physics_dt=0.01)
    path = world.get_physics_context().prim_path
    assert SimulationManager.get_physics_dt(path) == pytest.approx(0.01)
    with pytest.raises(NotSupportedError, match="one scene is simulated"):
        SimulationManager.get_physics_dt("/second")
    with pytest.raises(NotSupportedError, match=r"World\.step"):
        SimulationManager.step(render=True)


def test_a_physics_context_chooses_the_library_of_arrays() -> None:
    try:
        PhysicsContext(backend="torch")
        assert simulation.backend == "torch"
        with pytest.raises(InvalidArgumentError, match="backend"):
            PhysicsContext(backend="lists")
    finally:
        simulation.set_backend("numpy")
