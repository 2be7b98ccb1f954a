"""How often a humanoid's contact forces are absurd, here and in plain MuJoCo on the same file.

Episodes are those of IsaacGymEnvs' Humanoid: joints begin within 0.2 rad and 0.1 rad/s of the
middle, efforts are random, who has fallen below 0.8 m begins again. Each env-step counts in which
the sum of contact forces on a body is larger than 10 kN, a humanoid's weight 25 times over.

    python -m benchmarks.isaacgym.contact_forces nv_humanoid.xml --worlds 256 --frames 200
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import torch

from unibody.isaacgym import gymapi, gymtorch

DT, SUBSTEPS = 0.0166, 2
NOISE, SPEED = 0.2, 0.1  # rad, rad/s
HEIGHT, FALLEN = 1.34, 0.8  # m
ABSURD = 10e3  # N


def main() -> None:
    """Print a line for each of the two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="an MJCF file of a humanoid with motors")
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--frames", type=int, default=200)
    parser.add_argument("--gravity", type=float, default=9.81, help="m/s^2")
    parser.add_argument("--passive", action="store_true", help="no efforts")
    chosen = parser.parse_args()
    for name, run in (("unibody.isaacgym", unibody_forces), ("MuJoCo", mujoco_forces)):
        forces = np.array(list(run(chosen)))
        absurd = forces > ABSURD
        print(
            f"{name:>16}: {100.0 * absurd.mean():.3f} % of {forces.size} env-steps above 10 kN, "
            f"largest {1e-3 * forces.max():.1f} kN, mean {forces.mean():.0f} N, "
            f"last frame {int(absurd[-1].sum())} of {chosen.worlds}"
        )


def unibody_forces(chosen: Any) -> Iterator[Any]:
    """The largest contact force on a body of each world [N], frame by frame."""
    gym, sim, efforts = _simulation(chosen)
    tensors = {
        name: gymtorch.wrap_tensor(getattr(gym, f"acquire_{name}_tensor")(sim))
        for name in ("actor_root_state", "dof_state", "net_contact_force")
    }
    count = len(efforts)
    roots, dofs = tensors["actor_root_state"], tensors["dof_state"].view(chosen.worlds, count, 2)
    home = roots.clone()
    rng = np.random.default_rng(0)
    fallen = np.arange(chosen.worlds)
    for _ in range(chosen.frames):
        if len(fallen):
            dofs[fallen] = torch.as_tensor(_start(rng, len(fallen), count), dtype=torch.float32)
            who = gymtorch.unwrap_tensor(torch.as_tensor(fallen.astype(np.int32)))
            states = gymtorch.unwrap_tensor(home)
            gym.set_actor_root_state_tensor_indexed(sim, states, who, len(fallen))
            states = gymtorch.unwrap_tensor(tensors["dof_state"])
            gym.set_dof_state_tensor_indexed(sim, states, who, len(fallen))
        forces = _efforts(rng, chosen, efforts)
        applied = torch.as_tensor(forces, dtype=torch.float32).contiguous()
        gym.set_dof_actuation_force_tensor(sim, gymtorch.unwrap_tensor(applied))
        gym.simulate(sim)
        for name in tensors:
            getattr(gym, f"refresh_{name}_tensor")(sim)
        net = tensors["net_contact_force"].view(chosen.worlds, -1, 3)
        yield net.norm(dim=-1).amax(dim=-1).numpy()
        fallen = np.flatnonzero(roots[:, 2].numpy() < FALLEN)


def _simulation(chosen: Any) -> tuple[Any, Any, Any]:
    gym = gymapi.acquire_gym()
    params = gymapi.SimParams()
    params.dt, params.substeps, params.up_axis = DT, SUBSTEPS, gymapi.UP_AXIS_Z
    params.gravity = gymapi.Vec3(0.0, 0.0, -chosen.gravity)
    params.physx.num_position_iterations, params.physx.num_velocity_iterations = 4, 0
    params.physx.contact_offset, params.physx.rest_offset = 0.02, 0.0
    params.physx.bounce_threshold_velocity = 0.2
    params.physx.max_depenetration_velocity = 10.0
    sim = gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
    plane = gymapi.PlaneParams()
    plane.normal = gymapi.Vec3(0.0, 0.0, 1.0)
    gym.add_ground(sim, plane)
    options = gymapi.AssetOptions()
    options.angular_damping, options.max_angular_velocity = 0.01, 100.0
    options.default_dof_drive_mode = gymapi.DOF_MODE_NONE
    asset = gym.load_asset(sim, str(chosen.file.parent), chosen.file.name, options)
    pose = gymapi.Transform()
    pose.p.z = HEIGHT
    corner = gymapi.Vec3(5.0, 5.0, 5.0)
    for number in range(chosen.worlds):
        env = gym.create_env(sim, gymapi.Vec3(-5.0, -5.0, 0.0), corner, 64)
        gym.create_actor(env, asset, pose, "humanoid", number, 0, 0)
    largest = _gears(_plain_model(chosen.file))
    return gym, sim, np.array([largest.get(name, 0.0) for name in gym.get_asset_dof_names(asset)])


def mujoco_forces(chosen: Any) -> Iterator[Any]:
    """The same in plain MuJoCo, with the file's own constraint parameters."""
    model = _plain_model(chosen.file)
    model.opt.timestep = DT / SUBSTEPS
    model.opt.gravity = 0.0, 0.0, -chosen.gravity
    joints = [number for number in range(model.njnt) if model.jnt_type[number] != 0]
    dofs = model.jnt_dofadr[joints]
    largest = _gears(model)
    efforts = np.array([largest.get(model.joint(number).name, 0.0) for number in joints])
    worlds = [mujoco.MjData(model) for _ in range(chosen.worlds)]
    rng = np.random.default_rng(0)
    fallen = np.arange(chosen.worlds)
    for _ in range(chosen.frames):
        for number, start in zip(fallen, _start(rng, len(fallen), len(joints)), strict=True):
            data = worlds[number]
            mujoco.mj_resetData(model, data)
            data.qpos[2] = HEIGHT
            data.qpos[model.jnt_qposadr[joints]] = start[:, 0]
            data.qvel[dofs] = start[:, 1]
        forces = _efforts(rng, chosen, efforts)
        largest = []
        for data, effort in zip(worlds, forces, strict=True):
            data.qfrc_applied[dofs] = effort
            for _ in range(SUBSTEPS):
                mujoco.mj_step(model, data)
            largest.append(np.linalg.norm(_body_forces(model, data), axis=-1).max())
        yield np.array(largest)
        fallen = np.array([n for n, data in enumerate(worlds) if data.qpos[2] < FALLEN], int)


def _plain_model(file: Path) -> Any:
    """The file's model without its materials, which MuJoCo misses where the file does not say."""
    return mujoco.MjModel.from_xml_string(re.sub(r' material="[^"]*"', "", file.read_text()))


def _gears(model: Any) -> dict[str, float]:
    """The torque of each joint's motor at its largest control [Nm]."""
    motors = zip(model.actuator_trnid[:, 0], model.actuator_gear[:, 0], strict=True)
    return {model.joint(joint).name: float(gear) for joint, gear in motors}


def _body_forces(model: Any, data: Any) -> Any:
    total, wrench = np.zeros((model.nbody, 3)), np.zeros(6)
    for number in range(data.ncon):
        contact = data.contact[number]
        mujoco.mj_contactForce(model, data, number, wrench)
        force = contact.frame.reshape(3, 3).T @ wrench[:3]
        total[model.geom_bodyid[contact.geom1]] -= force
        total[model.geom_bodyid[contact.geom2]] += force
    return total[1:]


def _start(rng: Any, count: int, dofs: int) -> Any:
    return np.stack([rng.uniform(-most, most, (count, dofs)) for most in (NOISE, SPEED)], axis=-1)


def _efforts(rng: Any, chosen: Any, largest: Any) -> Any:
    drawn = rng.uniform(-1.0, 1.0, (chosen.worlds, len(largest))) * largest
    return np.zeros_like(drawn) if chosen.passive else drawn


if __name__ == "__main__":
    main()
