"""Three hinges of one MJCF body are a ball joint, whose positions are a rotation vector's parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.isaacgym.scenes import DEVICES, DT, Stage, open_stage
from unibody.errors import NotSupportedError
from unibody.isaacgym import gymapi
from unibody.isaacgym.gym.sims import DEVICE_VARIABLE

FLOAT32 = 1e-5
INERTIA = 0.2  # kg m^2, about every axis through the joint
VECTORS = np.array([[0.9, -0.7, 1.2], [-1.4, 0.3, -0.8]], np.float32)  # one an environment
AXES = ("1 0 0", "0 1 0", "0 0 1")
BODY = (
    '<mujoco><compiler angle="radian"/><worldbody><body name="base">'
    '<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/>'
    '<body name="arm" pos="0.1 0.2 0.4" quat="0.8 0 0.6 0">{joints}'
    f'<inertial pos="0 0 0" mass="1" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>'
    "</body></body></worldbody></mujoco>"
)
ORIGIN = Rotation.from_quat([0.0, 0.6, 0.0, 0.8])


def hinges(axes: tuple[str, ...] = AXES, more: str = "") -> str:
    return "".join(
        f'<joint name="arm_{number}" axis="{axis}" {more} />' for number, axis in enumerate(axes)
    )


def stage(folder: Path, joints: str, count: int = 2) -> tuple[Stage, list[int]]:
    (folder / "arm.xml").write_text(BODY.format(joints=joints))
    s = open_stage(folder, count)
    options = gymapi.AssetOptions()
    options.fix_base_link, options.angular_damping = True, 0.0
    options.disable_gravity = True
    return s, s.actors(s.gym.load_asset(s.sim, str(folder), "arm.xml", options))


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(DEVICE_VARIABLE, request.param)
    return str(request.param)


def arm_of(s: Stage) -> np.ndarray:
    return s.refreshed("rigid_body_state").reshape(len(s.envs), 2, 13)[:, 1]


@pytest.mark.usefixtures("device")
def test_positions_of_three_hinges_are_the_rotation_vector(tmp_path: Path) -> None:
    s, _ = stage(tmp_path, hinges())
    s.set("dof_state", np.stack([VECTORS.ravel(), np.zeros(6)], axis=-1))
    assert s.refreshed("dof_state")[:, 0] == pytest.approx(VECTORS.ravel(), abs=FLOAT32)
    for state, vector in zip(arm_of(s), VECTORS.astype(float), strict=True):
        wanted = ORIGIN * Rotation.from_rotvec(vector)
        assert (Rotation.from_quat(state[3:7]) * wanted.inv()).magnitude() < FLOAT32
        assert state[:3] == pytest.approx([0.1, 0.2, 0.4], abs=FLOAT32)
    s.gym.destroy_sim(s.sim)


@pytest.mark.usefixtures("device")
def test_velocities_of_three_hinges_are_angular_velocities_in_the_axes_of_the_body(
    tmp_path: Path,
) -> None:
    s, _ = stage(tmp_path, hinges())
    speeds = np.array([[1.0, 2.0, -0.5], [0.3, -0.1, 0.7]])
    s.set("dof_state", np.stack([VECTORS.ravel(), speeds.ravel()], axis=-1))
    assert s.refreshed("dof_state")[:, 1] == pytest.approx(speeds.ravel())
    for state, speed in zip(arm_of(s), speeds, strict=True):
        turn = Rotation.from_quat(state[3:7])
        assert state[10:13] == pytest.approx(turn.apply(speed), abs=FLOAT32)
    s.gym.destroy_sim(s.sim)


def test_states_that_are_no_place_leave_the_joints_where_they_are(tmp_path: Path) -> None:
    s, _ = stage(tmp_path, hinges())
    s.set("dof_state", np.stack([VECTORS.ravel(), np.zeros(6)], axis=-1))
    states = s.refreshed("rigid_body_state").copy()
    states[:, :3] = np.inf
    s.set("rigid_body_state", states)
    assert s.refreshed("dof_state")[:, 0] == pytest.approx(VECTORS.ravel(), abs=FLOAT32)
    s.gym.destroy_sim(s.sim)


def test_states_of_bodies_give_the_rotation_vector(tmp_path: Path) -> None:
    s, actors = stage(tmp_path, hinges())
    env, actor = s.envs[0], actors[0]
    states = s.gym.get_actor_rigid_body_states(env, actor, gymapi.STATE_ALL)
    turn = ORIGIN * Rotation.from_rotvec(VECTORS[1])
    for name, value in zip("xyzw", turn.as_quat(), strict=True):
        states["pose"]["r"][name][1] = value
    for name, value in zip("xyz", turn.apply([0.4, 0.5, -0.6]), strict=True):
        states["vel"]["angular"][name][1] = value
    s.gym.set_actor_rigid_body_states(env, actor, states, gymapi.STATE_ALL)
    found = s.gym.get_actor_dof_states(env, actor, gymapi.STATE_ALL)
    assert found["pos"] == pytest.approx(VECTORS[1], abs=FLOAT32)
    assert found["vel"] == pytest.approx([0.4, 0.5, -0.6], abs=FLOAT32)
    s.gym.destroy_sim(s.sim)


def test_names_limits_and_number_of_three_hinges_are_those_of_the_file(tmp_path: Path) -> None:
    joints = "".join(
        f'<joint name="{name}" axis="{axis}" range="{low} {high}" armature="{armature}"/>'
        for name, axis, low, high, armature in zip(
            "abc", AXES, (-1.0, -2.0, -0.1), (0.5, 0.2, 3.0), (0.01, 0.02, 0.03), strict=True
        )
    )
    s, actors = stage(tmp_path, joints)
    env, actor = s.envs[0], actors[0]
    assert s.gym.get_actor_dof_names(env, actor) == ["a", "b", "c"]
    assert s.gym.get_actor_rigid_body_names(env, actor) == ["base", "arm"]
    found = s.gym.get_actor_dof_properties(env, actor)
    assert found["lower"] == pytest.approx([-1.0, -2.0, -0.1])
    assert found["upper"] == pytest.approx([0.5, 0.2, 3.0])
    assert found["armature"] == pytest.approx([0.01, 0.02, 0.03])
    s.gym.destroy_sim(s.sim)


@pytest.mark.usefixtures("device")
def test_one_step_of_a_drive_is_implicit_in_each_part_of_the_vector(tmp_path: Path) -> None:
    """The speed is dt K e / (I + dt B + dt^2 K) about each axis, as the inertia is a ball's."""
    s, actors = stage(tmp_path, hinges())
    stiffness, damping = np.array([10.0, 30.0, 5.0]), np.array([1.0, 0.5, 2.0])
    for env, actor in zip(s.envs, actors, strict=True):
        properties = s.gym.get_actor_dof_properties(env, actor)
        properties["driveMode"] = gymapi.DOF_MODE_POS
        properties["stiffness"], properties["damping"] = stiffness, damping
        s.gym.set_actor_dof_properties(env, actor, properties)
    target = np.array([[0.5, 0.1, 0.9], [-1.0, 0.2, 0.3]])
    s.set("dof_state", np.stack([VECTORS.ravel(), np.zeros(6)], axis=-1))
    s.set("dof_position_target", target.ravel())
    s.step()
    dt = DT / s.gym.get_sim_params(s.sim).substeps
    turn = np.zeros(3)
    speeds = s.refreshed("dof_state")[:, 1].reshape(2, 3)
    for found, start, wanted in zip(speeds, VECTORS.astype(float), target, strict=True):
        place, speed = Rotation.from_rotvec(start), np.zeros(3)
        for _ in range(s.gym.get_sim_params(s.sim).substeps):
            pull = stiffness * (wanted - place.as_rotvec()) - damping * 0.0
            speed = (INERTIA * speed + dt * pull) / (INERTIA + dt * damping + dt**2 * stiffness)
            turn = dt * speed
            place = place * Rotation.from_rotvec(turn)
        assert found == pytest.approx(speed, rel=1e-4, abs=1e-4)
    s.gym.destroy_sim(s.sim)


@pytest.mark.usefixtures("device")
def test_a_drive_turns_three_hinges_to_their_targets(tmp_path: Path) -> None:
    s, actors = stage(tmp_path, hinges())
    s.drive(actors, gymapi.DOF_MODE_POS, 100.0, 20.0)
    s.set("dof_position_target", VECTORS.ravel())
    s.step(200)
    assert s.refreshed("dof_state")[:, 0] == pytest.approx(VECTORS.ravel(), abs=1e-4)
    s.gym.destroy_sim(s.sim)


@pytest.mark.usefixtures("device")
def test_a_torque_turns_the_body_about_its_own_axis(tmp_path: Path) -> None:
    """A torque along one axis of a turned body: t tau / I about that axis, nothing else."""
    s, actors = stage(tmp_path, hinges())
    s.drive(actors, gymapi.DOF_MODE_EFFORT, 0.0, 0.0)
    s.set("dof_state", np.stack([VECTORS.ravel(), np.zeros(6)], axis=-1))
    for _ in range(10):
        s.set("dof_actuation_force", [0.0, 0.3, 0.0, 0.0, 0.0, -0.2])
        s.step()
    speeds = s.refreshed("dof_state")[:, 1]
    wanted = np.array([0.0, 0.3, 0.0, 0.0, 0.0, -0.2]) * 10 * DT / INERTIA
    assert speeds == pytest.approx(wanted, abs=FLOAT32)
    s.gym.destroy_sim(s.sim)


@pytest.mark.usefixtures("device")
def test_each_part_of_the_vector_stays_within_its_limits(tmp_path: Path) -> None:
    """Drives press two parts against their limits, and torques do, without drives."""
    s, actors = stage(tmp_path, hinges(more='range="-0.5 0.8"'))
    for env, actor, mode, gain in zip(
        s.envs, actors, (gymapi.DOF_MODE_POS, gymapi.DOF_MODE_EFFORT), (50.0, 0.0), strict=True
    ):
        properties = s.gym.get_actor_dof_properties(env, actor)
        properties["driveMode"] = mode
        properties["stiffness"], properties["damping"] = gain, 0.2 * gain
        s.gym.set_actor_dof_properties(env, actor, properties)
    s.set("dof_position_target", [2.0, -2.0, 0.3, 0.0, 0.0, 0.0])
    highest, lowest = np.zeros(6), np.zeros(6)
    for _ in range(120):
        s.set("dof_actuation_force", [0.0, 0.0, 0.0, 0.4, 0.0, -0.2])
        s.step()
        positions = s.refreshed("dof_state")[:, 0]
        highest, lowest = np.maximum(highest, positions), np.minimum(lowest, positions)
    # The limit stops the speed about its axis. While the others turn, the part still changes by
    # half of the cross product of vector and turn: here 0.5 * 0.8 rad times 5 rad/s in 1/120 s.
    assert highest.max() < 0.8 + 0.017
    assert lowest.min() > -0.5 - 0.017
    assert positions[:3] == pytest.approx([0.8, -0.5, 0.3], abs=1e-3)
    assert positions[[3, 5]] == pytest.approx([0.8, -0.5], abs=1e-3)
    s.gym.destroy_sim(s.sim)


@pytest.mark.usefixtures("device")
def test_a_part_of_the_vector_outside_its_limits_comes_back_and_has_no_speed_of_it(
    tmp_path: Path,
) -> None:
    """A fifth of the error goes in each step, as with any joint, about one axis or about two."""
    s, actors = stage(tmp_path, hinges(more='range="-0.5 0.8"'))
    s.drive(actors, gymapi.DOF_MODE_EFFORT, 0.0, 0.0)
    start = np.array([[1.3, 0.0, 0.0], [0.0, 0.0, -0.9]])
    s.set("dof_state", np.stack([start.ravel(), np.zeros(6)], axis=-1))
    steps = 6
    s.step(steps)
    found = s.refreshed("dof_state").reshape(2, 3, 2)
    left = 0.8 ** (steps * s.gym.get_sim_params(s.sim).substeps)
    # a row is soft by 1e-5 of its inverse mass (impedance.HARD)
    assert found[..., 0] == pytest.approx(
        np.array([[0.8 + 0.5 * left, 0.0, 0.0], [0.0, 0.0, -0.5 - 0.4 * left]]), abs=1e-4
    )
    assert np.abs(found[..., 1]).max() < 1e-4
    s.gym.destroy_sim(s.sim)


@pytest.mark.parametrize(
    "joints",
    [
        hinges(AXES[:2]),
        hinges(("1 0 0", "0 0 1", "0 1 0")),
        hinges(("1 0 0", "0 1 0", "0 0.6 0.8")),
        hinges() + '<joint name="slide" type="slide" axis="1 0 0"/>',
    ],
    ids=["two", "another order", "not at right angles", "with a slide"],
)
def test_other_hinges_turn_one_after_another(tmp_path: Path, joints: str) -> None:
    s, actors = stage(tmp_path, joints, 1)
    names = s.gym.get_actor_dof_names(s.envs[0], actors[0])
    angles = np.array([0.4, -0.3, 0.6, 0.0])[: len(names)]
    s.set("dof_state", np.stack([angles, np.zeros(len(names))], axis=-1))
    turn = ORIGIN
    for place, angle in enumerate(angles[:3]):
        axis = np.array(joints.split('axis="')[place + 1].split('"', maxsplit=1)[0].split(), float)
        turn = turn * Rotation.from_rotvec(angle * axis)
    assert (Rotation.from_quat(arm_of(s)[0, 3:7]) * turn.inv()).magnitude() < FLOAT32
    s.gym.destroy_sim(s.sim)


def test_friction_of_a_ball_joint_is_refused(tmp_path: Path) -> None:
    s, actors = stage(tmp_path, hinges(), 1)
    s.step()
    properties = s.gym.get_actor_dof_properties(s.envs[0], actors[0])
    properties["friction"] = 0.1
    with pytest.raises(NotSupportedError, match="friction of a ball joint"):
        s.gym.set_actor_dof_properties(s.envs[0], actors[0], properties)
    s.gym.destroy_sim(s.sim)
