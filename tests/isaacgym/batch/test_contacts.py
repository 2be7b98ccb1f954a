"""Contacts of environments, one by one and in sum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.isaacgym.scenes import GRAVITY
from unibody.errors import InvalidArgumentError
from unibody.isaacgym import gymapi

WEIGHT = GRAVITY  # N, of 1 kg


@pytest.fixture
def resting(stage: Any) -> Any:
    """Three boxes of 1 kg on the ground, one an environment, at rest."""
    s = stage(3, gravity=GRAVITY, substeps=2)
    s.ground()
    options = gymapi.AssetOptions()
    options.density = 125.0
    s.actors(s.gym.create_box(s.sim, 0.2, 0.2, 0.2, options), "box", 0.1)
    s.gym.get_rigid_contact_forces(s.sim)
    s.step(60)
    return s


def test_forces_of_all_contacts_of_a_body_carry_its_weight(resting: Any) -> None:
    s = resting
    every = s.gym.get_rigid_contact_forces(s.sim)
    assert every["z"].tolist() == pytest.approx([WEIGHT] * 3, rel=0.01)
    one = s.gym.get_env_rigid_contact_forces(s.envs[1])
    assert one.shape == (1,)
    two = s.gym.get_vec_env_rigid_contact_forces(s.envs[1:])
    assert two["z"].tolist() == pytest.approx([WEIGHT] * 2, rel=0.01)


def test_single_contacts_say_who_touches_whom_where_and_how_hard(resting: Any) -> None:
    s = resting
    found = s.gym.get_env_rigid_contacts(s.envs[1])
    assert found.dtype == gymapi.RigidContact.dtype
    assert len(found) == 4
    assert sorted({*found["body0"].tolist(), *found["body1"].tolist()}) == [-1, 0]
    assert sorted({*found["env0"].tolist(), *found["env1"].tolist()}) == [-1, 1]
    assert found["lambda"].sum() == pytest.approx(WEIGHT, rel=0.01)
    assert np.allclose(np.abs(found["normal"]["z"]), 1.0)
    corners = np.abs(found["localPos1"]["x"]), np.abs(found["localPos1"]["y"])
    np.testing.assert_allclose(corners, 0.1, atol=1e-3)
    assert len(s.gym.get_rigid_contacts(s.sim)) == 12


def test_the_body_with_the_larger_index_comes_first_and_the_ground_last(stage: Any) -> None:
    s = stage(1, gravity=GRAVITY, substeps=2)
    s.ground()
    box = s.gym.create_box(s.sim, 0.2, 0.2, 0.2, gymapi.AssetOptions())
    s.actors(box, "lower", 0.1)
    s.actors(box, "upper", 0.3)
    s.step(30)
    found = s.gym.get_env_rigid_contacts(s.envs[0])
    pairs = list(zip(found["body0"].tolist(), found["body1"].tolist(), strict=True))
    assert sorted(set(pairs)) == [(0, -1), (1, 0)]
    np.testing.assert_allclose(found["normal"]["z"], -1.0, atol=1e-5)
    upper = found[found["body0"] == 1]
    np.testing.assert_allclose(upper["localPos0"]["z"], -0.1, atol=2e-3)
    np.testing.assert_allclose(upper["localPos1"]["z"], 0.1, atol=2e-3)


def test_there_are_no_soft_bodies(resting: Any) -> None:
    s = resting
    assert s.gym.get_actor_soft_body_count(s.envs[0], 0) == 0
    assert s.gym.get_actor_soft_materials(s.envs[0], 0) == []
    assert s.gym.get_sim_tetrahedra_count(s.sim) == s.gym.get_sim_triangle_count(s.sim) == 0
    assert len(s.gym.get_soft_contacts(s.sim)) == 0


def test_what_falls_without_restitution_stays_down_whenever_in_a_step_it_arrives(
    stage: Any,
) -> None:
    """At 2 m/s it covers 33 mm in a step, less than two contact offsets."""
    s = stage(5, gravity=GRAVITY)
    s.ground()
    radius = 0.1
    ball = s.gym.create_sphere(s.sim, radius, gymapi.AssetOptions())
    s.actors(ball, "ball", 0.5)
    states = s.refreshed("actor_root_state")
    states[:, 2] = radius + np.linspace(0.17, 0.2, 5)
    s.set("actor_root_state", states)
    heights = []
    for _ in range(30):
        s.step()
        heights.append(s.refreshed("actor_root_state")[:, 2] - radius)
    np.testing.assert_allclose(heights[-15:], 0.0, atol=1e-3)
    assert np.min(heights) > -1e-3


@pytest.mark.parametrize("most", [0.25, 1.0])
def test_what_starts_inside_of_the_ground_comes_out_no_faster_than_it_may(
    stage: Any, most: float
) -> None:
    """Half of a box is below; the fifth of it that a step undoes would be 2.4 m/s."""
    s = stage(2)
    params = s.gym.get_sim_params(s.sim)
    params.physx.max_depenetration_velocity = most
    s.gym.set_sim_params(s.sim, params)
    s.ground()
    s.actors(s.gym.create_box(s.sim, 0.2, 0.2, 0.4, gymapi.AssetOptions()), "box", 0.0)
    speeds = []
    for _ in range(5):
        s.step()
        speeds.append(s.refreshed("actor_root_state")[:, 9])
    np.testing.assert_allclose(speeds, most, rtol=0.01)  # contacts are soft by 0.5 % (solimp)


def test_the_speed_of_coming_out_of_something_is_not_negative(stage: Any) -> None:
    s = stage(1)
    params = s.gym.get_sim_params(s.sim)
    params.physx.max_depenetration_velocity = -1.0
    with pytest.raises(InvalidArgumentError, match="max_depenetration_velocity"):
        s.gym.set_sim_params(s.sim, params)


def test_compliance_and_rolling_friction_have_no_effect(stage: Any) -> None:
    s = stage(2, gravity=GRAVITY, substeps=2)
    s.ground()
    options = gymapi.AssetOptions()
    options.angular_damping = 0.0
    asset = s.gym.create_sphere(s.sim, 0.4, options)
    (surface,) = s.gym.get_asset_rigid_shape_properties(asset)
    surface.compliance = surface.rolling_friction = surface.torsion_friction = 0.5
    s.gym.set_asset_rigid_shape_properties(asset, [surface])
    s.actors(asset, "ball", 0.4)
    roots = s.refreshed("actor_root_state")
    roots[:, 7], roots[:, 11] = 1.0, 1.0 / 0.4
    s.set("actor_root_state", roots)
    s.step(60)
    found = s.refreshed("actor_root_state")
    assert found[:, 2].tolist() == pytest.approx([0.4] * 2, abs=1e-3)
    assert found[:, 7].tolist() == pytest.approx([1.0] * 2, abs=1e-3)


def test_forces_of_the_last_step_are_there_when_their_tensors_are_first_asked_for(
    stage: Any,
) -> None:
    """At rest a contact carries the weight."""
    s = stage(2, gravity=GRAVITY, substeps=2)
    s.ground()
    boxes = gymapi.AssetOptions()
    boxes.density = 125.0
    s.actors(s.gym.create_box(s.sim, 0.2, 0.2, 0.2, boxes), "box", 0.1)
    s.step(60)
    before = s.refreshed("actor_root_state")
    forces = s.refreshed("net_contact_force")
    np.testing.assert_allclose(forces, [[0.0, 0.0, GRAVITY]] * 2, rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(s.refreshed("actor_root_state"), before)
    s.step()
    forces = s.refreshed("net_contact_force")
    np.testing.assert_allclose(forces, [[0.0, 0.0, GRAVITY]] * 2, rtol=1e-3, atol=1e-3)
