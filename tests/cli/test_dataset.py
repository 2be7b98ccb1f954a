"""`unibody run --dataset`: what scripts simulate, and commands that lack a package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.process import run_python
from unibody.cli.dataset import DatasetRun, picture_size
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import load_urdf
from unibody.errors import InvalidArgumentError
from unibody.extras import install_command

pytest.importorskip("pyarrow")

ARM = """<robot name="arm"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="elbow" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
</robot>"""


def rows(folder: Path, episode: int = 0) -> dict[str, Any]:
    from pyarrow.parquet import read_table

    names = json.loads((folder / "meta" / "info.json").read_text())["features"]
    table = read_table(folder / "data" / "chunk-000" / f"file-{episode:03d}.parquet")
    found: dict[str, Any] = {"episode_index": table["episode_index"].to_pylist()}
    for column in {"observation.state", "action"} & set(table.column_names):
        values = np.array(table[column].to_pylist()).T
        found |= dict(zip(names[column]["names"], np.atleast_2d(values), strict=True))
    return found


def test_a_frame_has_the_state_before_a_step_and_the_action_of_that_step(tmp_path: Path) -> None:
    import unibody.bullet as p

    (tmp_path / "arm.urdf").write_text(ARM)
    client = p.connect(p.DIRECT)
    recording = DatasetRun(str(tmp_path / "out"), 240, None, "turn")
    recording.start()
    try:
        arm = p.loadURDF(str(tmp_path / "arm.urdf"), useFixedBase=True, physicsClientId=client)
        p.setJointMotorControl2(arm, 0, p.VELOCITY_CONTROL, force=0, physicsClientId=client)
        seen = []
        for step in range(4):
            p.setJointMotorControl2(arm, 0, p.TORQUE_CONTROL, force=step, physicsClientId=client)
            p.stepSimulation(physicsClientId=client)
            seen.append(p.getJointState(arm, 0, physicsClientId=client)[:2])
    finally:
        recording.stop()
        p.disconnect(client)
    found = rows(tmp_path / "out")
    # the last step leads to a state from which nothing acted any more
    np.testing.assert_allclose(found["arm_0_elbow_position"], np.float32([s[0] for s in seen]))
    np.testing.assert_allclose(found["arm_0_elbow_velocity"], np.float32([s[1] for s in seen]))
    np.testing.assert_array_equal(found["arm_0_elbow_effort"][:3], [1, 2, 3])


def test_environments_and_fleets_are_recorded(tmp_path: Path) -> None:
    from unibody.bullet import disconnect
    from unibody.core.batch.batch import Batch
    from unibody.core.batch.kind import kind_of
    from unibody.fleet.api import (
        Agent,
        AgentSpawnParams,
        MultiRobotSimulationCore,
        Pose,
        SimulationParams,
    )

    (tmp_path / "arm.urdf").write_text(ARM)
    batch = Batch()
    tree = load_urdf(str(tmp_path / "arm.urdf"), search_path=SearchPath())
    batch.add_actor(batch.add_environment(), kind_of(tree, fixed=True), name="arm")
    core = MultiRobotSimulationCore(SimulationParams(gui=False, timestep=0.1))
    robot = Agent.from_params(
        AgentSpawnParams(urdf_path="robots/mobile_robot.urdf", initial_pose=Pose.from_xyz(0, 0, 0)),
        sim_core=core,
    )
    robot.set_goal_pose(Pose.from_xyz(5.0, 0.0, 0.0))
    for name, step, fps in (("batch", batch.step, 100), ("fleet", core.step_once, 10)):
        recording = DatasetRun(str(tmp_path / name), fps, None, name)
        recording.start()
        for _ in range(10):
            step()
        recording.stop()
    assert any(name.endswith("elbow_position") for name in rows(tmp_path / "batch"))
    found = rows(tmp_path / "fleet")
    (x,) = (values for name, values in found.items() if name.endswith("_x") and "goal" not in name)
    (goal,) = (values for name, values in found.items() if name.endswith("goal_x"))
    assert len(x) == 10 and x[-1] == pytest.approx(robot.get_pose().position[0], rel=1e-6)
    assert set(goal) == {5.0}
    disconnect(core.client)


def recorded_looks(folder: Path) -> tuple[list[Any], Any]:
    """The parts of a recording, and the poses of its frames."""
    from unibody.datasets import replay

    found = replay.read(folder)
    return found.parts, found.poses


def test_a_recording_of_isaac_gym_has_the_colours_that_a_script_gave(tmp_path: Path) -> None:
    from unibody.isaacgym import gymapi

    gym = gymapi.acquire_gym()
    params = gymapi.SimParams()
    params.up_axis, params.use_gpu_pipeline = gymapi.UP_AXIS_Z, False
    params.gravity = gymapi.Vec3(0.0, 0.0, -10.0)
    sim = gym.create_sim(0, 0, gymapi.SIM_PHYSX, params)
    asset = gym.create_box(sim, 0.5, 0.5, 0.5, gymapi.AssetOptions())
    for number in range(2):
        env = gym.create_env(sim, gymapi.Vec3(-1, -1, 0), gymapi.Vec3(1, 1, 2), 2)
        place = gymapi.Transform(gymapi.Vec3(0, 0, 3.0))
        box = gym.create_actor(env, asset, place, "box", number, 0)
        color = gymapi.Vec3(0.9, 0.2, 0.1) if number == 0 else gymapi.Vec3(0.0, 0.0, 1.0)
        gym.set_rigid_body_color(env, box, 0, gymapi.MESH_VISUAL, color)
    gym.prepare_sim(sim)
    recording = DatasetRun(str(tmp_path / "gym"), 60, None, "fall")
    recording.start()
    for _ in range(6):
        gym.simulate(sim)
        gym.fetch_results(sim, True)
    recording.stop()
    gym.destroy_sim(sim)
    parts, poses = recorded_looks(tmp_path / "gym")
    (box,) = parts  # of the first environment alone
    assert box.rgba == pytest.approx((0.9, 0.2, 0.1, 1.0))
    heights = poses[:, box.frame, 2]
    assert heights[0] == pytest.approx(3.0, abs=0.01)
    assert (np.diff(heights) < 0.0).all()


def test_a_recording_of_isaac_core_has_the_colours_of_the_stage_and_its_first_environment(
    tmp_path: Path,
) -> None:
    pytest.importorskip("pxr")
    from pxr import UsdGeom

    from unibody.isaac_core import handles
    from unibody.isaac_core.kit import context, timeline
    from unibody.isaac_core.objects import DynamicCuboid, VisualCuboid
    from unibody.isaac_core.world.world import World

    World.clear_instance()
    context.get_context().new_stage()
    world = World()
    for number in range(2):
        root = f"/World/envs/env_{number}"
        UsdGeom.Xform.Define(handles.current_stage(), root)
        color = np.array([0.9, 0.2, 0.1]) if number == 0 else np.array([0.0, 0.0, 1.0])
        place = [0.0, 4.0 * number, 3.0]
        DynamicCuboid(f"{root}/cube", position=place, size=0.5, color=color)
    mark = VisualCuboid("/World/mark", position=[2.0, 0.0, 0.5], color=np.array([0.1, 0.8, 0.3]))
    world.reset()
    recording = DatasetRun(str(tmp_path / "core"), 60, None, "fall")
    recording.start()
    for step in range(6):
        if step == 3:  # its frame goes, and those after it move up
            handles.current_stage().RemovePrim(mark.prim_path)
        world.step(render=False)
    recording.stop()
    World.clear_instance()
    timeline.get_timeline_interface().stop()
    context.get_context().new_stage()
    parts, poses = recorded_looks(tmp_path / "core")
    by_color = {tuple(np.round(part.rgba[:3], 3)): part.frame for part in parts}
    assert set(by_color) == {(0.9, 0.2, 0.1), (0.1, 0.8, 0.3)}
    heights = poses[:, by_color[0.9, 0.2, 0.1], 2]
    assert 2.9 < heights[0] < 3.0
    assert (np.diff(heights) < 0.0).all()
    np.testing.assert_allclose(poses[:, by_color[0.1, 0.8, 0.3], :3], np.float32([[2, 0, 0.5]] * 6))


def test_a_recording_of_newton_has_where_particles_are_and_how_fast(tmp_path: Path) -> None:
    wp = pytest.importorskip("warp")
    from unibody import newton

    builder = newton.ModelBuilder()
    builder.add_particle(pos=wp.vec3(0.0, 0.0, 1.0), vel=wp.vec3(2.0, 0.0, 0.0), mass=1.0)
    builder.add_particle(pos=wp.vec3(0.0, 3.0, 1.0), vel=wp.vec3(0.0, 0.0, 0.0), mass=1.0)
    model = builder.finalize(device="cpu")
    one, other = model.state(), model.state()
    solver = newton.solvers.SolverXPBD(model)
    recording = DatasetRun(str(tmp_path / "newton"), 100, None, "fly")
    recording.start()
    seen = []
    for _ in range(4):
        solver.step(one, other, model.control(), None, 0.01)
        one, other = other, one
        seen.append((one.particle_q.numpy().copy(), one.particle_qd.numpy().copy()))
    recording.stop()
    found = rows(tmp_path / "newton")
    for k in range(6):
        places = [q.ravel()[k] for q, _ in seen]
        speeds = [qd.ravel()[k] for _, qd in seen]
        np.testing.assert_array_equal(found[f"particle_q_{k}"], places)
        np.testing.assert_array_equal(found[f"particle_qd_{k}"], speeds)
    assert found["particle_q_0"] == pytest.approx([0.02, 0.04, 0.06, 0.08])


def test_pictures_have_a_size_or_there_are_none() -> None:
    assert (picture_size("0"), picture_size("64x48")) == (None, (64, 48))
    for wrong in ("64", "63x48", "x", "8x8"):
        with pytest.raises(InvalidArgumentError, match="--pictures"):
            picture_size(wrong)


@pytest.mark.parametrize(
    ("missing", "words", "extra"),
    [
        ("mcap", ["run", "--dataset", "a.mcap", "a.py"], "data"),
        ("pyarrow", ["run", "--dataset", "a", "a.py"], "fleet"),
    ],
)
def test_a_command_without_its_package_says_in_a_line_what_to_install(
    tmp_path: Path, missing: str, words: list[str], extra: str
) -> None:
    (tmp_path / "a.py").write_text("")
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        f"from unibody.cli import main; sys.exit(main({words!r}))"
    )
    ran = run_python(["-c", code], cwd=tmp_path)
    told = f"unibody run: {missing} is not installed: {install_command(extra)}\n"
    assert (ran.returncode, ran.stderr) == (2, told)
