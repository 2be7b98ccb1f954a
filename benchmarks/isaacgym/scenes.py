"""Simulations of many equal robots, and a frame of each as a script of Isaac Gym runs it."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

VARIANTS = 8  # sets of targets that take turns
_SETTLING = 30  # frames before anything is measured: what falls has landed by then


class Robot(NamedTuple):
    """A robot and how it is driven.

    Attributes:
        name: As in the table.
        file: In pybullet_data.
        height: Of the first body at the start [m].
        fixed: It stays there.
        stiffness, damping: Of every drive [Nm/rad, Nms/rad].
        pose: Angles at the start by a part of the joint's name; others are zero [rad].
        spread: The targets lie this far about the pose [rad].
        dt: Of a frame of two substeps [s].
    """

    name: str
    file: str
    height: float
    fixed: bool
    stiffness: float
    damping: float
    pose: tuple[tuple[str, float], ...] = ()
    spread: float = 0.15
    dt: float = 1.0 / 60.0


_ARM = (("joint2", -0.6), ("joint4", -2.2), ("joint6", 1.8), ("joint7", 0.8))
_LEGS = (("upper", 0.8), ("lower", -1.6))
ROBOTS = (
    Robot("cartpole", "cartpole.urdf", 2.0, True, 50.0, 2.0),
    Robot("ant", "mjcf/ant.xml", 0.75, False, 50.0, 2.0),
    Robot("humanoid", "mjcf/humanoid.xml", 1.4, False, 50.0, 2.0),
    Robot("franka", "franka_panda/panda.urdf", 0.0, True, 400.0, 40.0, _ARM),
    Robot("quadruped", "a1/a1.urdf", 0.35, False, 30.0, 0.7, _LEGS, dt=0.01),
)
SUBSTEPS = 2


def assets() -> Path:
    """The folder of the robots' files.

    Raises:
        ModuleNotFoundError: The package that holds them is not installed.
    """
    import pybullet_data

    return Path(pybullet_data.getDataPath())


class Scene:
    """Environments of one robot each, driven to targets that change in every frame.

    Attributes:
        robot: Which.
        count: Number of environments, N.
        gym: The API.
        sim: The simulation.
        group: Its worlds and where things are in them.
        build_time: For making all environments and their worlds [s].
        targets: Position targets that take turns, torch (N * dofs,) each, on the device.
        values: The same as (N, dofs) of float64 in host memory.
    """

    def __init__(self, robot: Robot, count: int, device: str = "cpu") -> None:
        import torch

        from unibody.isaacgym import gymapi, gymtorch

        self.robot, self.count = robot, count
        self.gym: Any = gymapi.acquire_gym()
        self._unwrap = gymtorch.unwrap_tensor
        start = time.perf_counter()
        self.sim: Any = make_simulation(self.gym, robot.dt, SUBSTEPS, device)
        asset = make_asset(self.gym, self.sim, assets(), robot.file, fixed=robot.fixed)
        names = self.gym.get_asset_dof_names(asset)
        self._rest = np.array([_angle(robot, name) for name in names])
        self._populate(asset)
        self.acquired = acquire(self.gym, self.sim)
        self.build_time = time.perf_counter() - start
        (self.group,) = self.sim.groups
        random = np.random.default_rng(0)
        noise = random.uniform(-robot.spread, robot.spread, (VARIANTS, count, len(names)))
        # What the tensors hold is float32; both sides are to get the same.
        self.values = (self._rest + noise).astype(np.float32).astype(np.float64)
        root = self.acquired[0]
        self.targets = [
            torch.from_numpy(part.astype(np.float32).ravel()).to(root.device)
            for part in self.values
        ]
        self.run(_SETTLING)

    def _populate(self, asset: Any) -> None:
        from unibody.isaacgym import gymapi

        gym, robot = self.gym, self.robot
        pose = gymapi.Transform()
        pose.p.z = robot.height
        corner = gymapi.Vec3(1.0, 1.0, 1.0)
        states = np.zeros(len(self._rest), gymapi.DofState.dtype)
        states["pos"] = self._rest
        for number in range(self.count):
            env = gym.create_env(self.sim, gymapi.Vec3(-1.0, -1.0, 0.0), corner, 64)
            actor = gym.create_actor(env, asset, pose, robot.name, number, 1)
            drives = gym.get_actor_dof_properties(env, actor)
            drives["driveMode"][:] = int(gymapi.DOF_MODE_POS)
            drives["stiffness"][:] = robot.stiffness
            drives["damping"][:] = robot.damping
            gym.set_actor_dof_properties(env, actor, drives)
            gym.set_actor_dof_states(env, actor, states, gymapi.STATE_ALL)
        gym.prepare_sim(self.sim)

    def run(self, frames: int) -> None:
        """Set targets, simulate and refresh everything, ``frames`` times."""
        gym, sim = self.gym, self.sim
        for frame in range(frames):
            targets = self._unwrap(self.targets[frame % VARIANTS])
            gym.set_dof_position_target_tensor(sim, targets)
            gym.simulate(sim)
            gym.refresh_actor_root_state_tensor(sim)
            gym.refresh_dof_state_tensor(sim)
            gym.refresh_rigid_body_state_tensor(sim)
            gym.refresh_net_contact_force_tensor(sim)

    def rows(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The targets in the order of the drives' rules, (variants, N, drives)."""
        drives = self.group.places.drives
        ordered = np.zeros((VARIANTS, self.count, self.group.worlds.drives.shape[1]))
        ordered[:, :, drives] = self.values
        return ordered

    def close(self) -> None:
        """Let go of the worlds."""
        self.gym.destroy_sim(self.sim)


def acquire(gym: Any, sim: Any) -> tuple[Any, Any, Any, Any]:
    """Root, degree of freedom, rigid body and contact force tensors, as torch tensors."""
    from unibody.isaacgym.gymtorch import wrap_tensor

    gym.acquire_net_contact_force_tensor(sim)  # worlds that report forces are built anew
    return (
        wrap_tensor(gym.acquire_actor_root_state_tensor(sim)),
        wrap_tensor(gym.acquire_dof_state_tensor(sim)),
        wrap_tensor(gym.acquire_rigid_body_state_tensor(sim)),
        wrap_tensor(gym.acquire_net_contact_force_tensor(sim)),
    )


def _angle(robot: Robot, joint: str) -> float:
    return next((angle for part, angle in robot.pose if part in joint), 0.0)


def make_simulation(gym: Any, dt: float, substeps: int, device: str) -> Any:
    """A simulation on level ground, on a device of the engine."""
    from unibody.isaacgym import gymapi

    params = gymapi.SimParams()
    params.dt, params.substeps = dt, substeps
    params.up_axis = gymapi.UP_AXIS_Z
    params.gravity = gymapi.Vec3(0.0, 0.0, -9.81)
    with _on(device):
        sim = gym.create_sim(0, -1, gymapi.SIM_PHYSX, params)
    plane = gymapi.PlaneParams()
    plane.normal = gymapi.Vec3(0.0, 0.0, 1.0)
    gym.add_ground(sim, plane)
    return sim


@contextlib.contextmanager
def _on(device: str) -> Iterator[None]:
    """Simulations made meanwhile are on a device of the engine."""
    from unibody.isaacgym.gym.sims import DEVICE_VARIABLE

    before = os.environ.get(DEVICE_VARIABLE)
    os.environ[DEVICE_VARIABLE] = device
    try:
        yield
    finally:
        if before is None:
            del os.environ[DEVICE_VARIABLE]
        else:
            os.environ[DEVICE_VARIABLE] = before


def make_asset(gym: Any, sim: Any, folder: Path, file: str, *, fixed: bool) -> Any:
    """A robot of a file."""
    from unibody.isaacgym import gymapi

    options = gymapi.AssetOptions()
    options.fix_base_link = fixed
    options.collapse_fixed_joints = True
    return gym.load_asset(sim, str(folder), file, options)
