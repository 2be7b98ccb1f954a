"""Flags of bodies, and aggregates: who falls, who takes part, and who meets whom."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.isaacgym.scenes import DT, GRAVITY, ROBOT
from unibody.errors import NotSupportedError
from unibody.isaacgym import gymapi

EDGE = 0.2  # m
TWO_ARMS = """
<robot name="arms">
  <link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
    ixy="0" ixz="0" iyz="0"/></inertial></link>
  {links}
</robot>
"""
ARM = """
  <link name="{name}"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"
    ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="to_{name}" type="prismatic">
    <parent link="base"/><child link="{name}"/><axis xyz="1 0 0"/><origin xyz="{x} 0 0"/>
    <limit lower="-40" upper="40" effort="100" velocity="1000"/>
  </joint>
"""


def boxes(s: Any, z: float, name: str = "box", edge: float = EDGE) -> list[int]:
    options = gymapi.AssetOptions()
    options.density, options.angular_damping = 125.0, 0.0
    return s.actors(s.gym.create_box(s.sim, edge, edge, edge, options), name, z)


def put_flags(s: Any, env: int, actor: int, flags: int, body: int = 0) -> None:
    props = s.gym.get_actor_rigid_body_properties(s.envs[env], actor)
    props[body].flags = flags
    assert s.gym.set_actor_rigid_body_properties(s.envs[env], actor, props)
    found = s.gym.get_actor_rigid_body_properties(s.envs[env], actor)[body]
    assert found.flags == flags


def fallen(steps: int) -> float:
    """How far a body falls: the sum of g dt^2 k, by the engine's semi-implicit steps."""
    return GRAVITY * DT**2 * steps * (steps + 1) / 2.0


@pytest.mark.parametrize("late", [False, True])
def test_gravity_does_not_act_on_a_flagged_body_until_the_flag_is_taken_back(
    stage: Any, late: bool
) -> None:
    s = stage(2, gravity=GRAVITY)
    actors = boxes(s, 5.0)
    if late:
        s.gym.prepare_sim(s.sim)
    put_flags(s, 1, actors[1], gymapi.RIGID_BODY_DISABLE_GRAVITY)
    s.step(20)
    heights = s.refreshed("actor_root_state")[:, 2]
    np.testing.assert_allclose(heights, [5.0 - fallen(20), 5.0], atol=1e-4)
    put_flags(s, 1, actors[1], gymapi.RIGID_BODY_NONE)
    s.step(20)
    heights = s.refreshed("actor_root_state")[:, 2]
    np.testing.assert_allclose(heights, [5.0 - fallen(40), 5.0 - fallen(20)], atol=2e-4)


@pytest.mark.parametrize("late", [False, True])
def test_gravity_is_switched_off_for_one_link_of_a_robot(stage: Any, late: bool) -> None:
    """The robot falls with the mean of gravity over its mass: 1 of 4.5 kg does not feel it."""
    s = stage(2, gravity=GRAVITY)
    actors = s.actors(s.asset(ROBOT), z=5.0)
    if late:
        s.step()
    put_flags(s, 1, actors[1], gymapi.RIGID_BODY_DISABLE_GRAVITY, body=1)
    bodies = s.gym.get_actor_rigid_body_properties(s.envs[0], actors[0])
    masses = np.array([body.mass for body in bodies])
    before = s.refreshed("rigid_body_state").reshape(2, 3, 13)[..., 9] @ masses
    s.step(5)
    after = s.refreshed("rigid_body_state").reshape(2, 3, 13)[..., 9] @ masses
    gained = (after - before) / (5 * DT)
    weights = GRAVITY * np.array([masses.sum(), masses.sum() - masses[1]])
    np.testing.assert_allclose(gained, -weights, rtol=2e-3)


@pytest.mark.parametrize("late", [False, True])
def test_a_body_that_takes_no_part_stays_in_place_and_touches_nothing(
    stage: Any, late: bool
) -> None:
    s = stage(2, gravity=GRAVITY)
    s.ground()
    actors = boxes(s, 0.3, edge=0.4)
    boxes(s, 1.0, "above")
    if late:
        s.gym.prepare_sim(s.sim)
    put_flags(s, 1, actors[1], gymapi.RIGID_BODY_DISABLE_SIMULATION)
    s.step(90)
    heights = s.refreshed("actor_root_state")[:, 2].reshape(2, 2)
    # the upper box lies on the lower one, or has fallen through it
    np.testing.assert_allclose(heights, [[0.2, 0.5], [0.3, 0.1]], atol=2e-3)
    forces = s.refreshed("net_contact_force").reshape(2, 2, 3)
    np.testing.assert_allclose(forces[1, 0], 0.0, atol=1e-6)
    put_flags(s, 1, actors[1], gymapi.RIGID_BODY_NONE)
    roots = s.refreshed("actor_root_state")
    roots[3, 0] += 1.0  # out of the way
    s.set("actor_root_state", roots)
    s.step(90)
    heights = s.refreshed("actor_root_state")[:, 2].reshape(2, 2)
    np.testing.assert_allclose(heights[1], [0.2, 0.1], atol=2e-3)


def test_a_body_that_takes_no_part_can_be_moved(stage: Any) -> None:
    s = stage(1, gravity=GRAVITY)
    (actor,) = boxes(s, 1.0)
    put_flags(s, 0, actor, gymapi.RIGID_BODY_DISABLE_SIMULATION)
    roots = s.refreshed("actor_root_state")
    roots[0, :3] = 0.3, -0.2, 2.0
    roots[0, 7:] = 1.0
    s.set("actor_root_state", roots)
    s.step(3)
    found = s.refreshed("actor_root_state")[0]
    np.testing.assert_allclose(found[:3], [0.3, -0.2, 2.0], atol=1e-6)
    np.testing.assert_allclose(found[7:], 0.0, atol=1e-6)


def test_a_link_cannot_be_taken_out_of_a_robot(stage: Any) -> None:
    s = stage(1)
    (actor,) = s.actors(s.asset(ROBOT))
    props = s.gym.get_actor_rigid_body_properties(s.envs[0], actor)
    props[1].flags = gymapi.RIGID_BODY_DISABLE_SIMULATION
    with pytest.raises(NotSupportedError, match="RIGID_BODY_DISABLE_SIMULATION"):
        s.gym.set_actor_rigid_body_properties(s.envs[0], actor, props)
    assert s.gym.get_actor_rigid_body_properties(s.envs[0], actor)[1].flags == 0


def test_flags_stay_when_an_actor_is_scaled(stage: Any) -> None:
    s = stage(1, gravity=GRAVITY)
    (actor,) = boxes(s, 5.0)
    put_flags(s, 0, actor, gymapi.RIGID_BODY_DISABLE_GRAVITY)
    s.gym.set_actor_scale(s.envs[0], actor, 1.5)
    s.step(10)
    assert s.refreshed("actor_root_state")[0, 2] == pytest.approx(5.0)


@pytest.mark.parametrize("collide", [False, True])
def test_actors_of_an_aggregate_without_self_collision_go_through_one_another(
    stage: Any, collide: bool
) -> None:
    """The third box is outside of it, and meets both; so do those of another aggregate."""
    s = stage(1, gravity=GRAVITY)
    s.ground()
    (env,) = s.envs
    s.gym.begin_aggregate(env, 2, 2, collide)
    boxes(s, 0.1)
    boxes(s, 0.5, "above")
    s.gym.end_aggregate(env)
    boxes(s, 0.9, "outside")
    s.gym.begin_aggregate(env, 1, 1, collide)
    boxes(s, 1.3, "other")
    s.gym.end_aggregate(env)
    s.step(120)
    heights = s.refreshed("actor_root_state")[:, 2]
    expected = [0.1, 0.3, 0.5, 0.7] if collide else [0.1, 0.1, 0.3, 0.5]
    np.testing.assert_allclose(heights, expected, atol=5e-3)


@pytest.mark.parametrize("collide", [False, True])
def test_links_of_a_robot_in_an_aggregate_without_self_collision_pass(
    stage: Any, collide: bool
) -> None:
    """An aggregate is what PhysX's broad phase finds no pairs inside of."""
    s = stage(1)
    arms = "".join(ARM.format(name=name, x=x) for name, x in (("left", -0.3), ("right", 0.3)))
    s.gym.begin_aggregate(s.envs[0], 3, 2, collide)
    s.actors(s.asset(TWO_ARMS.format(links=arms), fix_base_link=True))
    s.gym.end_aggregate(s.envs[0])
    s.set("dof_state", [[0.0, 2.0], [0.0, 0.0]])
    s.step(30)
    speeds = s.refreshed("dof_state")[:, 1]
    assert bool(speeds[1] > 0.1) == collide
