"""States of bodies that are set: joints follow, and what is read is what was set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.isaacgym.scenes import ROBOT, open_stage
from unibody.isaacgym import gymapi

START = np.array([[0.4, 0.3], [-0.2, -0.1], [0.1, 0.2], [-0.3, 0.5]])  # of two robots: q, v
FLOAT32 = 1e-4  # rounding, once through the joints and back


@pytest.mark.parametrize("scope", ["actor", "env", "sim"])
def test_states_of_bodies_that_were_read_can_be_set_again(tmp_path: Path, scope: str) -> None:
    s = open_stage(tmp_path, 2)
    (actor, _) = s.actors(s.asset(ROBOT))
    s.set("dof_state", START)
    env, gym = s.envs[1], s.gym
    owner: Any = {"actor": (env, actor), "env": (env,), "sim": (s.sim,)}[scope]
    states = getattr(gym, f"get_{scope}_rigid_body_states")(*owner, gymapi.STATE_ALL).copy()
    bodies = s.refreshed("rigid_body_state")
    s.set("dof_state", np.zeros((4, 2)))
    s.step(5)
    assert getattr(gym, f"set_{scope}_rigid_body_states")(*owner, states, gymapi.STATE_ALL)
    changed = slice(0, 6) if scope == "sim" else slice(3, 6)
    assert s.refreshed("rigid_body_state")[changed] == pytest.approx(bodies[changed], abs=FLOAT32)
    dofs = slice(0, 4) if scope == "sim" else slice(2, 4)
    assert s.refreshed("dof_state")[dofs] == pytest.approx(START[dofs], abs=FLOAT32)
    s.gym.destroy_sim(s.sim)


def test_an_attractor_that_is_made_stiffer_later_pulls_more(tmp_path: Path) -> None:
    """A constant force moves it by force / stiffness."""
    s = open_stage(tmp_path, 1)
    gym, env = s.gym, s.envs[0]
    options = gymapi.AssetOptions()
    options.angular_damping = 0.0
    gym.create_actor(env, gym.create_box(s.sim, 0.2, 0.2, 0.2, options), gymapi.Transform(), "b")
    props = gymapi.AttractorProperties()
    props.stiffness, props.damping, props.rigid_handle = 100.0, 300.0, 0
    props.axes = gymapi.AXIS_TRANSLATION
    handle = gym.create_rigid_body_attractor(env, props)
    for stiffness in (100.0, 400.0):
        own = gym.get_attractor_properties(env, handle)
        own.stiffness = stiffness
        gym.set_attractor_properties(env, handle, own)
        assert gym.get_attractor_properties(env, handle).stiffness == stiffness
        for _ in range(1500):
            gym.apply_body_forces(env, 0, gymapi.Vec3(10.0, 0.0, 0.0), gymapi.Vec3())
            s.step()
        moved = s.refreshed("rigid_body_state")[0, 0]
        assert moved == pytest.approx(10.0 / stiffness, rel=0.01)
    gym.destroy_sim(s.sim)


def test_actuators_of_an_actor_are_those_of_its_file(tmp_path: Path) -> None:
    joint = '<body name="arm"><joint name="j" type="hinge"/><geom size="0.1"/></body>'
    (tmp_path / "arm.xml").write_text(
        f'<mujoco><worldbody><body name="base"><geom size="0.1"/>{joint}</body></worldbody>'
        '<actuator><motor name="m" joint="j" gear="15" ctrlrange="-2 2" ctrllimited="true"/>'
        "</actuator></mujoco>"
    )
    s = open_stage(tmp_path, 1)
    gym, env = s.gym, s.envs[0]
    asset = gym.load_asset(s.sim, str(tmp_path), "arm.xml", gymapi.AssetOptions())
    (actor,) = s.actors(asset)
    assert gym.get_actor_actuator_count(env, actor) == 1
    assert gym.get_actor_actuator_name(env, actor, 0) == "m"
    assert gym.get_actor_actuator_joint_name(env, actor, 0) == "j"
    assert gym.find_actor_actuator_index(env, actor, "m") == 0
    assert gym.find_actor_actuator_index(env, actor, "n") == -1
    (own,) = gym.get_actor_actuator_properties(env, actor)
    assert own.motor_effort == pytest.approx(30.0)
    gym.destroy_sim(s.sim)


def test_a_number_for_each_dof_is_its_position_and_its_velocity_as_numpy_converts_it(
    tmp_path: Path,
) -> None:
    s = open_stage(tmp_path, 1)
    (actor,) = s.actors(s.asset(ROBOT))
    assert s.gym.set_actor_dof_states(s.envs[0], actor, [0.4, -0.1], gymapi.STATE_ALL)
    expected = np.array([[0.4, 0.4], [-0.1, -0.1]])
    assert s.refreshed("dof_state") == pytest.approx(expected, abs=FLOAT32)
    s.gym.destroy_sim(s.sim)
