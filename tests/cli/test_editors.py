"""Editors know the names of the originals that `unibody alias install` puts in their place."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts import stubs
from tests.support.process import ROOT
from unibody.cli import alias

pytest.importorskip("pyright")

BULLET = """\
import math
import time

import pybullet as p
import pybullet_data
from pybullet_utils import bullet_client

client = p.connect(p.DIRECT)
p.setAdditionalSearchPath(pybullet_data.getDataPath())
p.resetSimulation()
p.setGravity(0, 0, -9.81)
p.setTimeStep(1 / 240, physicsClientId=client)
p.setPhysicsEngineParameter(numSolverIterations=50)
plane = p.loadURDF("plane.urdf")
flags = p.URDF_USE_SELF_COLLISION
arm = p.loadURDF("kuka_iiwa/model.urdf", [0, 0, 0], useFixedBase=True, flags=flags)
shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1])
visual = p.createVisualShape(p.GEOM_SPHERE, radius=0.1, rgbaColor=[1, 0, 0, 1])
box = p.createMultiBody(1.0, shape, visual, [0, 0, 1], p.getQuaternionFromEuler([0, 0, math.pi]))
joints = [p.getJointInfo(arm, j)[1].decode() for j in range(p.getNumJoints(arm))]
p.changeDynamics(box, -1, lateralFriction=0.5, restitution=0.1)
p.changeVisualShape(box, -1, rgbaColor=(0, 1, 0, 1))
constraint = p.createConstraint(arm, 6, box, -1, p.JOINT_FIXED, [0, 0, 0], [0, 0, 0.1], [0, 0, 0])
p.changeConstraint(constraint, maxForce=50)
debug = p.addUserDebugParameter("speed", 0, 1, 0.5)
p.addUserDebugLine([0, 0, 0], [1, 0, 0], [1, 0, 0], 2.0)
view = p.computeViewMatrix([1, 1, 1], [0, 0, 0], [0, 0, 1])
projection = p.computeProjectionMatrixFOV(60, 1.0, 0.1, 10)
for step in range(100):
    angles = p.calculateInverseKinematics(arm, 6, [0.5, 0, 0.5])
    for joint, angle in enumerate(angles):
        p.setJointMotorControl2(arm, joint, p.POSITION_CONTROL, targetPosition=angle, force=100)
    p.setJointMotorControlArray(arm, list(range(7)), p.VELOCITY_CONTROL, targetVelocities=[0.0] * 7)
    p.applyExternalForce(box, -1, [0, 0, 1], [0, 0, 0], p.WORLD_FRAME)
    p.stepSimulation()
    position, orientation = p.getBasePositionAndOrientation(box)
    linear, angular = p.getBaseVelocity(box)
    angle = p.getJointState(arm, 0)[0]
    hand = p.getLinkState(arm, 6, computeForwardKinematics=True)[4]
    contacts = p.getContactPoints(bodyA=box, bodyB=plane)
    hit = p.rayTest([0, 0, 2], [0, 0, -1])[0]
    print(position[2], hand[0], len(contacts), hit[0], p.getEulerFromQuaternion(orientation)[2])
width, height, rgb, depth, seg = p.getCameraImage(64, 64, view, projection)
state = p.saveState()
p.restoreState(state)
p.resetBasePositionAndOrientation(box, [0, 0, 1], [0, 0, 0, 1])
p.resetJointState(arm, 0, 0.5)
p.removeConstraint(constraint)
p.removeBody(box)
time.sleep(0.01)
other = bullet_client.BulletClient(connection_mode=p.DIRECT)
p.disconnect(client)
"""
GYM = """\
from isaacgym import gymapi, gymtorch, gymutil
from isaacgym.torch_utils import quat_mul, to_torch

gym = gymapi.acquire_gym()
args = gymutil.parse_arguments(description="x")
params = gymapi.SimParams()
params.dt = 1 / 60
params.up_axis = gymapi.UP_AXIS_Z
params.gravity = gymapi.Vec3(0, 0, -9.81)
params.physx.num_position_iterations = 4
sim = gym.create_sim(0, 0, gymapi.SIM_PHYSX, params)
plane = gymapi.PlaneParams()
plane.normal = gymapi.Vec3(0, 0, 1)
gym.add_ground(sim, plane)
options = gymapi.AssetOptions()
options.fix_base_link = True
asset = gym.load_asset(sim, ".", "cartpole.urdf", options)
env = gym.create_env(sim, gymapi.Vec3(-1, -1, 0), gymapi.Vec3(1, 1, 1), 4)
pose = gymapi.Transform()
pose.p = gymapi.Vec3(0, 0, 2)
pose.r = gymapi.Quat(0, 0, 0, 1)
actor = gym.create_actor(env, asset, pose, "cartpole", 0, 1)
props = gym.get_actor_dof_properties(env, actor)
props["driveMode"][0] = gymapi.DOF_MODE_EFFORT
gym.set_actor_dof_properties(env, actor, props)
gym.prepare_sim(sim)
states = gymtorch.wrap_tensor(gym.acquire_dof_state_tensor(sim))
for _ in range(10):
    gym.simulate(sim)
    gym.fetch_results(sim, True)
    gym.refresh_dof_state_tensor(sim)
    gym.set_dof_actuation_force_tensor(sim, gymtorch.unwrap_tensor(to_torch([0.0, 0.0])))
viewer = gym.create_viewer(sim, gymapi.CameraProperties())
gym.subscribe_viewer_keyboard_event(viewer, gymapi.KEY_ESCAPE, "quit")
gym.viewer_camera_look_at(viewer, None, gymapi.Vec3(1, 1, 1), gymapi.Vec3(0, 0, 0))
gym.destroy_sim(sim)
quat_mul(to_torch([0, 0, 0, 1.0]), to_torch([0, 0, 0, 1.0]))
"""
FLEET = """\
from pybullet_fleet import (
    Agent, AgentManager, GridSpawnParams, MultiRobotSimulationCore, SimulationParams,
)
from pybullet_fleet.agent import AgentSpawnParams
from pybullet_fleet.geometry import Path, Pose
from pybullet_fleet.types import MotionMode

core = MultiRobotSimulationCore(SimulationParams(gui=False, timestep=0.1, duration=10))
params = AgentSpawnParams(
    urdf_path="robots/mobile_robot.urdf", initial_pose=Pose.from_xyz(0, 0, 0.05),
    motion_mode=MotionMode.DIFFERENTIAL,
)
agent = Agent.from_params(params, sim_core=core)
agent.set_goal_pose(Pose.from_xyz(1.0, 2.0, 0.05))
agent.set_path(Path.from_positions([[0, 0, 0.05], [1, 0, 0.05]]).waypoints)
manager = AgentManager(sim_core=core)
manager.add_object(agent)
core.initialize_simulation()
for _ in range(10):
    core.step_once()
pose = agent.get_pose()
print(pose.position, agent.is_moving)
core.register_callback(lambda sim, dt: None, frequency=10.0)
GridSpawnParams(x_min=0, x_max=3, y_min=0, y_max=3, spacing=[1, 1, 0], offset=[0, 0, 0])
"""
ISAAC = """\
import numpy as np
from isaacsim import SimulationApp

app = SimulationApp({"headless": True})

import omni.timeline
import omni.usd
from isaacsim.core.api import World
from isaacsim.core.api.objects import DynamicCuboid, VisualSphere
from isaacsim.core.prims import Articulation, RigidPrim, SingleArticulation
from isaacsim.core.utils.rotations import euler_angles_to_quat
from isaacsim.core.utils.stage import add_reference_to_stage, get_current_stage
from isaacsim.core.utils.types import ArticulationAction
from omni.isaac.core.utils.prims import create_prim, get_prim_at_path

world = World(stage_units_in_meters=1.0, physics_dt=1 / 60)
world.scene.add_default_ground_plane()
cube = world.scene.add(
    DynamicCuboid("/World/cube", "cube", position=np.array([0, 0, 1.0]), size=0.1, mass=0.2)
)
VisualSphere("/World/ball", radius=0.1)
add_reference_to_stage("arm.usd", "/World/arm")
arm = world.scene.add(SingleArticulation("/World/arm", name="arm"))
create_prim("/World/frame", "Xform", position=np.zeros(3))
world.reset()
print(arm.num_dof, arm.dof_names, get_prim_at_path("/World/arm"), get_current_stage())
arm.set_joint_positions(np.zeros(arm.num_dof))
arms = Articulation("/World/arm", name="arms")
cubes = RigidPrim("/World/cube", name="cubes")
controller = arm.get_articulation_controller()
controller.set_gains(kps=np.full(7, 100.0), kds=np.full(7, 10.0))
for _ in range(10):
    controller.apply_action(ArticulationAction(joint_positions=np.zeros(7)))
    world.step(render=False)
    position, orientation = cube.get_world_pose()
    print(position, orientation, cube.get_linear_velocity(), arm.get_joint_velocities())
    print(cubes.get_world_poses()[0], arms.get_joint_positions())
cube.set_world_pose(np.zeros(3), euler_angles_to_quat(np.zeros(3)))
cube.set_linear_velocity(np.zeros(3))
omni.timeline.get_timeline_interface().stop()
omni.usd.get_context().get_stage()
world.clear()
app.close()
"""
NEWTON = """\
import newton
import warp as wp
from newton import ModelBuilder
from newton.solvers import SolverMuJoCo, SolverVBD, SolverXPBD

builder = ModelBuilder(up_axis=newton.Axis.Z, gravity=-9.81)
builder.default_shape_cfg.mu = 0.5
builder.add_ground_plane()
body = builder.add_body(xform=wp.transform((0, 0, 1), wp.quat_identity()))
builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
builder.add_shape_sphere(body, radius=0.1)
link = builder.add_link()
joint = builder.add_joint_revolute(parent=-1, child=link, axis=newton.Axis.Y)
builder.add_articulation([joint])
builder.add_cloth_grid(
    pos=wp.vec3(0, 0, 2), rot=wp.quat_identity(), vel=wp.vec3(0, 0, 0), dim_x=4, dim_y=4,
    cell_x=0.1, cell_y=0.1, mass=0.01,
)
other = ModelBuilder()
other.add_urdf("arm.urdf", floating=False)
other.add_mjcf("arm.xml")
builder.add_builder(other)
builder.replicate(other, 4, spacing=(1.0, 1.0, 0.0))
builder.color()
model = builder.finalize(device="cpu")
solver = SolverXPBD(model, iterations=4)
print(SolverMuJoCo, SolverVBD, model.body_count, model.joint_q)
state, after = model.state(), model.state()
control = model.control()
newton.eval_fk(model, model.joint_q, model.joint_qd, state)
contacts = model.collide(state)
for _ in range(10):
    state.clear_forces()
    contacts = model.collide(state)
    solver.step(state, after, control, contacts, 1 / 60)
    state, after = after, state
print(state.body_q, state.particle_q, contacts.rigid_contact_count)
viewer = newton.viewer.ViewerNull()
viewer.set_model(model)
viewer.begin_frame(0.0)
viewer.log_state(state)
viewer.end_frame()
"""
WRONG = """\
import pybullet as p
from isaacgym import gymapi
from isaacsim.core.api import World
from newton import ModelBuilder
from pybullet_fleet import Agent

p.loadURDFF("plane.urdf")
p.setGravity(0, 0)
gymapi.acquire_gym().create_symulation()
Agent.from_nothing()
World().scene.add_default_plane()
ModelBuilder().add_shape_box(hy=1)
"""
SCRIPTS = {
    "bullet": BULLET,
    "gym": GYM,
    "fleet": FLEET,
    "isaac": ISAAC,
    "newton_script": NEWTON,
    "wrong": WRONG,
}


@pytest.fixture(scope="module")
def diagnostics(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """What pyright says of each script, where only the alias is installed."""
    folder = tmp_path_factory.mktemp("editor")
    alias.install(folder / "packages")
    for name, text in SCRIPTS.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    settings = {
        "extraPaths": [str(folder / "packages"), str(ROOT / "src")],
        "pythonVersion": "3.11",
        "include": ["*.py"],
    }
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [
        *(sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable),
        *("--project", str(folder)),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    found: dict[str, list[dict[str, Any]]] = {}
    report = json.loads(ran.stdout)
    assert report["summary"]["filesAnalyzed"] == len(SCRIPTS)
    for line in report["generalDiagnostics"]:
        found.setdefault(Path(line["file"]).stem, []).append(line)
    return found


@pytest.mark.thorough
def test_a_script_of_thirty_pybullet_calls_has_no_fault(
    diagnostics: dict[str, list[dict[str, Any]]],
) -> None:
    assert len(set(re.findall(r"\bp\.([a-z]\w+)\(", BULLET))) >= 30
    assert diagnostics.get("bullet", []) == []


@pytest.mark.parametrize("script", ["gym", "fleet", "isaac", "newton_script"])
@pytest.mark.thorough
def test_a_script_of_another_api_has_no_fault(
    script: str, diagnostics: dict[str, list[dict[str, Any]]]
) -> None:
    found = diagnostics.get(script, [])
    if script == "isaac":  # stubs alone: an editor says that it has no source of the modules
        found = [line for line in found if line.get("rule") != "reportMissingModuleSource"]
    assert found == []


@pytest.mark.thorough
def test_names_and_arguments_that_do_not_exist_are_found(
    diagnostics: dict[str, list[dict[str, Any]]],
) -> None:
    lines = sorted(
        line["range"]["start"]["line"]
        for line in diagnostics["wrong"]
        if line["severity"] == "error"
    )
    assert lines == [6, 7, 8, 9, 10, 11]


def test_the_stubs_are_those_of_the_modules(capsys: pytest.CaptureFixture[str]) -> None:
    assert stubs.main(["--check"]) == 0, f"python scripts/stubs.py: {capsys.readouterr().out}"
