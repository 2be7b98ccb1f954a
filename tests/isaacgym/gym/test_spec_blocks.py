"""What the guide "Physics Simulation" of Isaac Gym says, block by block."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unibody.errors import InvalidArgumentError
from unibody.isaacgym import gymapi

pytest.importorskip("unibody.isaacgym.gym.api", reason="class Gym is not there")

DT = 1.0 / 60.0
MASS = 2.0

# The state is float32 and the drives are rows of a solver whose relative error is 1e-5.
CLOSE = 1e-4

SLIDER = f"""
<robot name="slider">
  <link name="rail"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
    ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="cart">
    <inertial><mass value="{MASS}"/><inertia ixx="0.1" iyy="0.1" izz="0.1"
      ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
  </link>
  <joint name="slide" type="prismatic">
    <parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/><origin xyz="0.5 0 0"/>
    <limit lower="-4" upper="4" effort="10000" velocity="1000"/>
  </joint>
</robot>
"""
CARTPOLE = SLIDER.replace(
    "</robot>",
    """
  <link name="pole">
    <inertial><origin xyz="0 0 0.5"/><mass value="0.5"/><inertia ixx="0.05" iyy="0.05" izz="0.01"
      ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="cart"/><child link="pole"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="2" effort="10000" velocity="1000"/>
  </joint>
</robot>""",
)


@dataclass
class Scene:
    """Some environments with one robot each, fixed to the world, without gravity."""

    gym: Any
    sim: Any
    asset: Any
    envs: list[Any]
    actors: list[int]

    @property
    def first(self) -> tuple[Any, int]:
        return self.envs[0], self.actors[0]

    def drive(self, mode: Any, stiffness: float = 0.0, damping: float = 0.0) -> None:
        """Set the drives of all DOFs of all actors."""
        for env, actor in zip(self.envs, self.actors, strict=True):
            props = self.gym.get_actor_dof_properties(env, actor)
            props["driveMode"].fill(mode)
            props["stiffness"].fill(stiffness)
            props["damping"].fill(damping)
            self.gym.set_actor_dof_properties(env, actor, props)

    def step(self, count: int = 1) -> None:
        for _ in range(count):
            self.gym.simulate(self.sim)
            self.gym.fetch_results(self.sim, True)

    def dofs(self, index: int = 0) -> np.ndarray[Any, Any]:
        """Return a copy of the DOF states of an actor."""
        env, actor = self.envs[index], self.actors[index]
        return self.gym.get_actor_dof_states(env, actor, gymapi.STATE_ALL).copy()


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Any]:
    gym = gymapi.acquire_gym()
    sims: list[Any] = []

    def make(urdf: str = CARTPOLE, count: int = 1, *, gravity: float = 0.0) -> Scene:
        params = gymapi.SimParams()
        params.dt = DT
        params.substeps = 1
        params.up_axis = gymapi.UP_AXIS_Z
        params.gravity = gymapi.Vec3(0.0, 0.0, gravity)
        sim = gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
        sims.append(sim)
        (tmp_path / "robot.urdf").write_text(urdf)
        options = gymapi.AssetOptions()
        options.fix_base_link = True
        options.angular_damping = 0.0
        asset = gym.load_asset(sim, str(tmp_path), "robot.urdf", options)
        envs = []
        actors = []
        lower, upper = gymapi.Vec3(-2.0, -2.0, 0.0), gymapi.Vec3(2.0, 2.0, 2.0)
        for i in range(count):
            env = gym.create_env(sim, lower, upper, 2)
            envs.append(env)
            actors.append(gym.create_actor(env, asset, gymapi.Transform(), "robot", i, 1))
        gym.prepare_sim(sim)
        return Scene(gym, sim, asset, envs, actors)

    yield make
    for sim in sims:
        gym.destroy_sim(sim)


def floats(*values: float) -> np.ndarray[Any, Any]:
    return np.array(values, np.float32)


# Creating actors


def test_an_actor_belongs_to_its_environment(build: Any) -> None:
    scene = build(count=3)
    assert [scene.gym.get_actor_count(env) for env in scene.envs] == [1, 1, 1]
    for env, actor in zip(scene.envs, scene.actors, strict=True):
        assert scene.gym.get_actor_name(env, actor) == "robot"


def test_actors_are_created_between_the_ends_of_an_aggregate(build: Any) -> None:
    scene = build()
    gym, env = scene.gym, scene.gym.create_env(scene.sim, gymapi.Vec3(), gymapi.Vec3(), 1)
    bodies = 2 * gym.get_asset_rigid_body_count(scene.asset)
    shapes = 2 * gym.get_asset_rigid_shape_count(scene.asset)
    gym.begin_aggregate(env, bodies, shapes, True)
    for name in ("left", "right"):
        gym.create_actor(env, scene.asset, gymapi.Transform(), name)
    gym.end_aggregate(env)
    assert gym.get_actor_count(env) == 2
    assert gym.get_env_rigid_body_count(env) == bodies


def test_an_actor_has_the_bodies_joints_and_dofs_of_its_asset(build: Any) -> None:
    scene = build()
    gym, actor = scene.gym, scene.first
    assert gym.get_actor_rigid_body_count(*actor) == 3
    assert gym.get_actor_joint_count(*actor) == 2
    assert gym.get_actor_dof_count(*actor) == 2


def test_a_scaled_actor_has_scaled_joints_masses_and_prismatic_limits(build: Any) -> None:
    scene = build(count=2)
    gym, actor = scene.gym, scene.first
    mass = gym.get_actor_rigid_body_properties(*actor)[1].mass
    assert gym.set_actor_scale(*actor, 2.0)
    scene.step()
    places = [
        float(gym.get_actor_rigid_body_states(env, actor, gymapi.STATE_POS)["pose"]["p"]["x"][1])
        for env, actor in zip(scene.envs, scene.actors, strict=True)
    ]
    assert places == pytest.approx([1.0, 0.5], abs=CLOSE)
    props = gym.get_actor_dof_properties(*actor)
    assert props["upper"].tolist() == pytest.approx([8.0, 2.0])
    assert gym.get_actor_rigid_body_properties(*actor)[1].mass > mass


# DOF properties and drive modes


def test_dof_properties_are_an_array_with_these_fields(build: Any) -> None:
    scene = build()
    for props in (
        scene.gym.get_asset_dof_properties(scene.asset),
        scene.gym.get_actor_dof_properties(*scene.first),
    ):
        assert props["hasLimits"].tolist() == [True, True]
        assert props["lower"].tolist() == [-4.0, -3.0]
        assert props["upper"].tolist() == [4.0, 2.0]
        assert props["velocity"].tolist() == [1000.0, 1000.0]
        assert props["effort"].tolist() == [10000.0, 10000.0]
        for name in ("driveMode", "stiffness", "damping", "friction", "armature"):
            assert props[name].shape == (2,)
        assert props["hasLimits"].dtype == np.bool_
        assert props["lower"].dtype == np.float32


def test_without_a_drive_a_dof_moves_freely(build: Any) -> None:
    scene = build(CARTPOLE.replace("0 0 0.5", "0.5 0 0"), gravity=-9.81)
    scene.drive(gymapi.DOF_MODE_NONE)
    scene.gym.set_actor_dof_position_targets(*scene.first, floats(1.0, 1.0))
    scene.step(10)
    hinge = scene.dofs()["pos"][1]
    # A bar held level at its end falls.
    assert hinge > 0.1


def test_efforts_add_up_within_a_frame_and_end_with_it(build: Any) -> None:
    scene = build(SLIDER)
    scene.drive(gymapi.DOF_MODE_EFFORT)
    for _ in range(2):
        scene.gym.apply_actor_dof_efforts(*scene.first, floats(100.0))
    scene.step()
    speed = 200.0 * DT / MASS
    assert scene.dofs()["vel"][0] == pytest.approx(speed, rel=CLOSE)
    scene.step(3)
    assert scene.dofs()["vel"][0] == pytest.approx(speed, rel=CLOSE)
    scene.gym.apply_actor_dof_efforts(*scene.first, floats(-100.0))
    scene.step()
    assert scene.dofs()["vel"][0] == pytest.approx(0.5 * speed, rel=CLOSE)


def test_a_position_drive_is_a_spring_and_a_damper_to_its_target(build: Any) -> None:
    scene = build(SLIDER)
    stiffness, damping, target = 1000.0, 200.0, 0.3
    scene.drive(gymapi.DOF_MODE_POS, stiffness, damping)
    scene.gym.set_actor_dof_position_targets(*scene.first, floats(target))
    position = speed = 0.0
    for _ in range(20):
        scene.step()
        # The force is that of the end of the step.
        force = stiffness * (target - position)
        speed = (MASS * speed + DT * force) / (MASS + DT * damping + DT**2 * stiffness)
        position += DT * speed
        found = scene.dofs()
        assert found["vel"][0] == pytest.approx(speed, abs=CLOSE)
        assert found["pos"][0] == pytest.approx(position, abs=CLOSE)


def test_position_targets_stay_until_they_are_changed(build: Any) -> None:
    scene = build()
    scene.drive(gymapi.DOF_MODE_POS, 1000.0, 200.0)
    props = scene.gym.get_actor_dof_properties(*scene.first)
    lower, upper = props["lower"], props["upper"]
    share = np.random.default_rng(0).random(2).astype("f")
    targets = lower + (upper - lower) * share
    scene.gym.set_actor_dof_position_targets(*scene.first, targets)
    scene.step(300)
    np.testing.assert_allclose(scene.dofs()["pos"], targets, atol=1e-3)
    scene.gym.set_actor_dof_position_targets(*scene.first, np.zeros(2).astype("f"))
    scene.step(300)
    np.testing.assert_allclose(scene.dofs()["pos"], 0.0, atol=1e-3)


def test_a_velocity_drive_pulls_with_its_damping(build: Any) -> None:
    scene = build(SLIDER)
    damping, target = 600.0, 1.5
    scene.drive(gymapi.DOF_MODE_VEL, 0.0, damping)
    scene.gym.set_actor_dof_velocity_targets(*scene.first, floats(target))
    speed = 0.0
    for _ in range(10):
        scene.step()
        speed = (MASS * speed + DT * damping * target) / (MASS + DT * damping)
        assert scene.dofs()["vel"][0] == pytest.approx(speed, abs=CLOSE)


def test_a_control_of_another_mode_is_ignored(build: Any) -> None:
    scene = build(SLIDER)
    scene.drive(gymapi.DOF_MODE_EFFORT)
    scene.gym.set_actor_dof_position_targets(*scene.first, floats(1.0))
    scene.gym.set_actor_dof_velocity_targets(*scene.first, floats(1.0))
    scene.step(5)
    assert scene.dofs()["pos"][0] == pytest.approx(0.0, abs=CLOSE)
    scene.drive(gymapi.DOF_MODE_POS, 1000.0, 200.0)
    scene.gym.set_actor_dof_position_targets(*scene.first, floats(0.0))
    scene.gym.apply_actor_dof_efforts(*scene.first, floats(500.0))
    scene.step(5)
    assert scene.dofs()["pos"][0] == pytest.approx(0.0, abs=CLOSE)


@pytest.mark.parametrize(
    "method",
    [
        "apply_actor_dof_efforts",
        "set_actor_dof_position_targets",
        "set_actor_dof_velocity_targets",
    ],
)
def test_controls_are_arrays_with_all_dofs(build: Any, method: str) -> None:
    scene = build()
    with pytest.raises(InvalidArgumentError):
        getattr(scene.gym, method)(*scene.first, floats(1.0))


# Physics state


def test_body_states_come_for_an_actor_an_environment_and_the_simulation(build: Any) -> None:
    scene = build(count=3)
    gym = scene.gym
    of_actor = gym.get_actor_rigid_body_states(scene.envs[1], scene.actors[1], gymapi.STATE_ALL)
    of_env = gym.get_env_rigid_body_states(scene.envs[1], gymapi.STATE_ALL)
    of_sim = gym.get_sim_rigid_body_states(scene.sim, gymapi.STATE_ALL)
    assert [len(states) for states in (of_actor, of_env, of_sim)] == [3, 3, 9]
    for states in (of_actor, of_env, of_sim):
        assert states.dtype == gymapi.RigidBodyState.dtype
    np.testing.assert_array_equal(of_actor, of_env)
    assert np.shares_memory(of_actor, of_sim)


def test_the_parts_of_a_body_state_are_named(build: Any) -> None:
    scene = build()
    states = scene.gym.get_actor_rigid_body_states(*scene.first, gymapi.STATE_ALL)
    assert states["pose"]["p"]["x"].tolist() == pytest.approx([0.0, 0.5, 0.5], abs=CLOSE)
    assert states["pose"]["r"]["w"].tolist() == pytest.approx([1.0] * 3)
    for part in ("linear", "angular"):
        assert states["vel"][part].dtype == gymapi.Vec3.dtype


@pytest.mark.parametrize("flags", ["STATE_POS", "STATE_VEL", "STATE_ALL", "STATE_NONE"])
def test_the_structure_is_the_same_whatever_is_asked_for(build: Any, flags: str) -> None:
    scene = build()
    states = scene.gym.get_actor_rigid_body_states(*scene.first, getattr(gymapi, flags))
    assert states.shape == (3,)
    assert states.dtype == gymapi.RigidBodyState.dtype


@pytest.mark.parametrize("level", ["actor", "env", "sim"])
def test_saved_states_are_restored(build: Any, level: str) -> None:
    scene = build(count=2)
    place = {"actor": scene.first, "env": (scene.envs[0],), "sim": (scene.sim,)}[level]
    get = getattr(scene.gym, f"get_{level}_rigid_body_states")
    set_ = getattr(scene.gym, f"set_{level}_rigid_body_states")
    scene.drive(gymapi.DOF_MODE_VEL, 0.0, 600.0)
    scene.gym.set_actor_dof_velocity_targets(*scene.first, floats(1.0, 0.5))
    scene.step(5)
    saved = np.copy(get(*place, gymapi.STATE_ALL))
    scene.step(10)
    moved = np.copy(get(*place, gymapi.STATE_ALL))
    assert moved["pose"]["p"]["x"][1] > saved["pose"]["p"]["x"][1] + 0.05
    set_(*place, saved, gymapi.STATE_ALL)
    restored = get(*place, gymapi.STATE_ALL)
    for part in ("p", "r"):
        for axis in saved["pose"][part].dtype.names:
            np.testing.assert_allclose(
                restored["pose"][part][axis], saved["pose"][part][axis], atol=CLOSE
            )
    for part in ("linear", "angular"):
        for axis in "xyz":
            np.testing.assert_allclose(
                restored["vel"][part][axis], saved["vel"][part][axis], atol=CLOSE
            )


def test_a_body_has_an_index_in_each_domain(build: Any) -> None:
    scene = build(count=3)
    gym, env, actor = scene.gym, scene.envs[2], scene.actors[2]
    domains = (gymapi.DOMAIN_ACTOR, gymapi.DOMAIN_ENV, gymapi.DOMAIN_SIM)
    found = [gym.find_actor_rigid_body_index(env, actor, "pole", domain) for domain in domains]
    assert found == [2, 2, 8]


def test_dof_states_are_positions_and_velocities_that_can_be_set(build: Any) -> None:
    scene = build(count=2)
    env, actor = scene.first
    states = scene.gym.get_actor_dof_states(env, actor, gymapi.STATE_ALL)
    assert states.dtype == gymapi.DofState.dtype
    states["pos"] = [0.7, 0.25]
    states["vel"] = [0.1, -0.2]
    scene.gym.set_actor_dof_states(env, actor, states, gymapi.STATE_ALL)
    found = scene.dofs()
    np.testing.assert_allclose(found["pos"], [0.7, 0.25], atol=CLOSE)
    np.testing.assert_allclose(found["vel"], [0.1, -0.2], atol=CLOSE)
    assert not scene.dofs(1)["pos"].any()
    bodies = scene.gym.get_actor_rigid_body_states(env, actor, gymapi.STATE_ALL)
    assert bodies["pose"]["p"]["x"][1] == pytest.approx(1.2, abs=CLOSE)
    # The hinge turns the pole about y.
    assert bodies["pose"]["r"]["y"][2] == pytest.approx(math.sin(0.125), abs=CLOSE)


def test_a_dof_is_found_by_its_name(build: Any) -> None:
    scene = build(count=2)
    gym, env, actor = scene.gym, scene.envs[1], scene.actors[1]
    domains = (gymapi.DOMAIN_ACTOR, gymapi.DOMAIN_ENV, gymapi.DOMAIN_SIM)
    found = [gym.find_actor_dof_index(env, actor, "hinge", domain) for domain in domains]
    assert found == [1, 1, 3]
