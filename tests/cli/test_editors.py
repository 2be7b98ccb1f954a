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
WRONG = """\
import pybullet as p
from isaacgym import gymapi
from pybullet_fleet import Agent

p.loadURDFF("plane.urdf")
p.setGravity(0, 0)
gymapi.acquire_gym().create_symulation()
Agent.from_nothing()
"""


@pytest.fixture(scope="module")
def diagnostics(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """What pyright says of each script, where only the alias is installed."""
    folder = tmp_path_factory.mktemp("editor")
    alias.install(folder / "packages")
    for name, text in {"bullet": BULLET, "gym": GYM, "fleet": FLEET, "wrong": WRONG}.items():
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
    assert report["summary"]["filesAnalyzed"] == 4
    for line in report["generalDiagnostics"]:
        found.setdefault(Path(line["file"]).stem, []).append(line)
    return found


def test_a_script_of_thirty_pybullet_calls_has_no_fault(
    diagnostics: dict[str, list[dict[str, Any]]],
) -> None:
    assert len(set(re.findall(r"\bp\.([a-z]\w+)\(", BULLET))) >= 30
    assert diagnostics.get("bullet", []) == []


@pytest.mark.parametrize("script", ["gym", "fleet"])
def test_a_script_of_another_api_has_no_fault(
    script: str, diagnostics: dict[str, list[dict[str, Any]]]
) -> None:
    assert diagnostics.get(script, []) == []


def test_names_and_arguments_that_do_not_exist_are_found(
    diagnostics: dict[str, list[dict[str, Any]]],
) -> None:
    lines = sorted(line["range"]["start"]["line"] for line in diagnostics["wrong"])
    assert lines == [4, 5, 6, 7]


def test_the_stubs_are_those_of_the_modules(capsys: pytest.CaptureFixture[str]) -> None:
    assert stubs.main(["--check"]) == 0, f"python scripts/stubs.py: {capsys.readouterr().out}"
