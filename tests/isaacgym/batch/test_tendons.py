"""Fixed tendons pull at all of their joints, as springs with the force of the end of the step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.isaacgym.scenes import DT, Stage, open_stage
from unibody.isaacgym import gymapi
from unibody.isaacgym.gym.sims import DEVICE_VARIABLE

MASSES = np.array([1.0, 2.0, 4.0])
WEIGHTS = np.array([1.0, -2.0, 0.5])
STIFFNESS, DAMPING = 50.0, 3.0
START = np.array([0.1, 0.2, -0.3])
FLOAT32 = 1e-5  # rounding of some hundred steps of single precision


def sliders(folder: Path, coefficients: tuple[float, ...], **tendon: Any) -> str:
    """An MJCF file with a slider for each mass, and a tendon over the first of them."""
    bodies = "".join(
        f'<body name="b{k}" pos="0 {k} 0"><joint name="j{k}" type="slide" axis="1 0 0"/>'
        f'<inertial pos="0 0 0" mass="{mass}" diaginertia="1 1 1"/></body>'
        for k, mass in enumerate(MASSES)
    )
    joints = "".join(
        f'<joint joint="j{k}" coef="{value}"/>' for k, value in enumerate(coefficients)
    )
    more = " ".join(f'{key}="{value}"' for key, value in tendon.items())
    (folder / "sliders.xml").write_text(
        f'<mujoco><worldbody><body name="base">{bodies}</body></worldbody>'
        f'<tendon><fixed name="t" {more}>{joints}</fixed></tendon></mujoco>'
    )
    return "sliders.xml"


def actors_of(s: Stage, file: str) -> list[int]:
    options = gymapi.AssetOptions()
    options.fix_base_link = True
    asset = s.gym.load_asset(s.sim, str(s.folder), file, options)
    return s.actors(asset)


def lengths(coefficients: tuple[float, ...], steps: int, slack: float = 0.0) -> list[float]:
    """The tendon's length under ``-k (L+ -/+ slack) - b L'+``, semi-implicit Euler."""
    weights = np.array(coefficients)
    share = float((weights**2 / MASSES[: len(weights)]).sum())
    length, rate, found = float(weights @ START[: len(weights)]), 0.0, []
    for _ in range(steps):
        near = min(max(length, -slack), slack)
        stiffness = STIFFNESS if length != near or not slack else 0.0
        force = -(stiffness * (length - near + DT * rate) + DAMPING * rate)
        rate += DT * share * force / (1.0 + DT * share * (DAMPING + DT * stiffness))
        length += DT * rate
        found.append(length)
    return found


@pytest.mark.parametrize("device", ["cpu", "warp-cpu"])
@pytest.mark.parametrize("coefficients", [(1.0, -2.0, 0.5), (1.0, -2.0), (2.0,), (0.0, 1.0)])
def test_a_tendon_is_an_implicit_spring_of_the_sum_of_its_joints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str, coefficients: tuple[float, ...]
) -> None:
    monkeypatch.setenv(DEVICE_VARIABLE, device)
    s = open_stage(tmp_path, 1)
    actors_of(s, sliders(tmp_path, coefficients, stiffness=STIFFNESS, damping=DAMPING))
    s.set("dof_state", [(q, 0.0) for q in START])
    weights = np.array(coefficients)
    for wanted in lengths(coefficients, 60):
        s.step()
        state = s.refreshed("dof_state")
        assert weights @ state[: len(weights), 0] == pytest.approx(wanted, abs=FLOAT32)
    pulled = np.resize(np.append(weights, [0.0, 0.0]), 3) != 0.0
    assert np.all((np.abs(state[:, 0] - START) > 1e-3) == pulled)
    s.gym.destroy_sim(s.sim)


def test_between_its_limits_a_tendon_over_three_joints_is_slack(tmp_path: Path) -> None:
    s = open_stage(tmp_path, 1)
    file = sliders(tmp_path, (1.0, -2.0, 0.5), limited="true", range="-0.25 0.25")
    (actor,) = actors_of(s, file)
    (own,) = s.gym.get_actor_tendon_properties(s.envs[0], actor)
    own.limit_stiffness, own.damping = STIFFNESS, DAMPING
    s.gym.set_actor_tendon_properties(s.envs[0], actor, [own])
    s.set("dof_state", [(q, 0.0) for q in START])
    for wanted in lengths((1.0, -2.0, 0.5), 200, slack=0.25):
        s.step()
        assert WEIGHTS @ s.refreshed("dof_state")[:, 0] == pytest.approx(wanted, abs=FLOAT32)
    s.gym.destroy_sim(s.sim)


def test_gains_of_a_tendon_over_three_joints_are_those_of_its_environment(tmp_path: Path) -> None:
    s = open_stage(tmp_path, 2)
    file = sliders(tmp_path, (1.0, -2.0, 0.5), stiffness=STIFFNESS, damping=DAMPING)
    actors = actors_of(s, file)
    s.gym.prepare_sim(s.sim)
    (own,) = s.gym.get_actor_tendon_properties(s.envs[1], actors[1])
    own.stiffness = own.damping = 0.0
    s.gym.set_actor_tendon_properties(s.envs[1], actors[1], [own])
    s.set("dof_state", [(q, 0.0) for q in START] * 2)
    s.step(60)
    state = s.refreshed("dof_state").reshape(2, 3, 2)
    assert WEIGHTS @ state[0, :, 0] == pytest.approx(lengths(tuple(WEIGHTS), 60)[-1], abs=FLOAT32)
    assert state[1, :, 0] == pytest.approx(START)
    s.gym.destroy_sim(s.sim)


@pytest.mark.parametrize("changed", [(0.5, 1.0, 1.0), (0.0, 1.0, 0.0)])
def test_coefficients_that_are_changed_later_count(
    tmp_path: Path, changed: tuple[float, ...]
) -> None:
    s = open_stage(tmp_path, 2)
    file = sliders(tmp_path, (1.0, -2.0, 0.5), stiffness=STIFFNESS, damping=DAMPING)
    actors = actors_of(s, file)
    s.gym.prepare_sim(s.sim)
    env, actor = s.envs[1], actors[1]
    s.gym.set_actor_fixed_tendon_joint_coefficients(env, actor, 0, list(changed))
    assert s.gym.get_actor_fixed_tendon_joint_coefficients(env, actor, 0) == list(changed)
    s.set("dof_state", [(q, 0.0) for q in START] * 2)
    s.step(60)
    state = s.refreshed("dof_state").reshape(2, 3, 2)
    for world, weights in enumerate([tuple(WEIGHTS), changed]):
        wanted = lengths(weights, 60)[-1]
        assert np.array(weights) @ state[world, :, 0] == pytest.approx(wanted, abs=FLOAT32)
    s.gym.destroy_sim(s.sim)


def test_tendons_of_an_actor_have_names_joints_and_an_offset(tmp_path: Path) -> None:
    """The offset adds to the length: the tendon rests where the rest is its negative."""
    s = open_stage(tmp_path, 1)
    file = sliders(tmp_path, (1.0, -2.0, 0.5), stiffness=STIFFNESS, damping=50.0)
    (actor,) = actors_of(s, file)
    gym, env = s.gym, s.envs[0]
    assert (gym.get_actor_tendon_count(env, actor), gym.get_actor_tendon_name(env, actor, 0)) == (
        1,
        "t",
    )
    assert gym.find_actor_tendon_index(env, actor, "t") == 0
    assert gym.find_actor_tendon_index(env, actor, "u") == -1
    assert gym.get_actor_fixed_tendon_joint_name(env, actor, 0, 1) == "j1"
    assert gym.find_actor_fixed_tendon_joint_index(env, actor, 0, "j2") == 2
    s.gym.prepare_sim(s.sim)
    assert gym.set_actor_tendon_offset(env, actor, 0, 0.3)
    assert gym.get_actor_tendon_offset(env, actor, 0) == pytest.approx(0.3)
    s.step(500)
    assert WEIGHTS @ s.refreshed("dof_state")[:, 0] == pytest.approx(-0.3, abs=1e-3)
    s.gym.destroy_sim(s.sim)
