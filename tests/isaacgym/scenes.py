"""Environments that several tests share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from unibody.isaacgym import gymapi, gymtorch

DT = 1.0 / 60.0
GRAVITY = 9.81
DEVICES = ["cpu", "warp-cpu"]

SLIDER = """
<robot name="slider">
  <link name="rail"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
    ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="cart"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"
    ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic">
    <parent link="rail"/><child link="cart"/><axis xyz="1 0 0"/>
    <limit lower="-40" upper="40" effort="{effort}" velocity="1000"/>
  </joint>
</robot>
"""

# A base with its mass centre off the frame, and two arms with frames that are turned.
ROBOT = """
<robot name="robot">
  <link name="base">
    <inertial><origin xyz="0.1 0.05 -0.02"/><mass value="3"/>
      <inertia ixx="0.1" iyy="0.2" izz="0.15" ixy="0.01" ixz="0" iyz="0.02"/></inertial>
    <collision><geometry><box size="0.3 0.2 0.1"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.2" rpy="0.3 0.1 0"/><mass value="1"/>
      <inertia ixx="0.02" iyy="0.03" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="lower">
    <inertial><origin xyz="0.1 0 0.1"/><mass value="0.5"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.005" ixy="0" ixz="0.001" iyz="0"/></inertial>
  </link>
  <joint name="a_shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 0.6 0.8"/>
    <origin xyz="0.1 0 0.05" rpy="0.2 0.4 -0.3"/>
    <limit lower="-2" upper="2" effort="100" velocity="100"/>
  </joint>
  <joint name="b_elbow" type="prismatic">
    <parent link="upper"/><child link="lower"/><axis xyz="1 0 0"/>
    <origin xyz="0 0 0.4" rpy="0 -0.5 0.2"/>
    <limit lower="-1" upper="1" effort="100" velocity="100"/>
  </joint>
</robot>
"""


@dataclass
class Stage:
    """A simulation with some environments."""

    gym: Any
    sim: Any
    envs: list[Any]
    folder: Path

    def asset(self, urdf: str, **options: Any) -> Any:
        """Load a robot."""
        file = self.folder / f"robot{abs(hash(urdf))}.urdf"
        file.write_text(urdf)
        chosen = gymapi.AssetOptions()
        chosen.angular_damping = 0.0
        for name, value in options.items():
            setattr(chosen, name, value)
        return self.gym.load_asset(self.sim, str(self.folder), file.name, chosen)

    def actors(self, asset: Any, name: str = "robot", z: float = 0.0, **more: Any) -> list[int]:
        """Put one actor into each environment."""
        pose = gymapi.Transform()
        pose.p.z = z
        return [
            self.gym.create_actor(env, asset, pose, name, number, **more)
            for number, env in enumerate(self.envs)
        ]

    def ground(self, friction: float = 1.0) -> None:
        """Add the plane z = 0."""
        plane = gymapi.PlaneParams()
        plane.normal = gymapi.Vec3(0.0, 0.0, 1.0)
        plane.static_friction = plane.dynamic_friction = friction
        self.gym.add_ground(self.sim, plane)

    def step(self, count: int = 1) -> None:
        """Simulate."""
        for _ in range(count):
            self.gym.simulate(self.sim)
            self.gym.fetch_results(self.sim, True)

    def tensor(self, name: str, *more: Any) -> torch.Tensor:
        """Acquire a tensor."""
        return gymtorch.wrap_tensor(getattr(self.gym, f"acquire_{name}_tensor")(self.sim, *more))

    def refreshed(self, name: str) -> np.ndarray[Any, Any]:
        """Return a copy of a tensor, brought up to date."""
        found = self.tensor(name)
        getattr(self.gym, f"refresh_{name}_tensor")(self.sim)
        return found.numpy().copy()

    def set(self, name: str, values: Any, actors: Any = None) -> None:
        """Set a tensor of all, or of some actors."""
        tensor = gymtorch.unwrap_tensor(torch.as_tensor(np.asarray(values, np.float32)))
        if actors is None:
            getattr(self.gym, f"set_{name}_tensor")(self.sim, tensor)
            return
        indices = torch.as_tensor(np.asarray(actors, np.int32))
        wrapped = gymtorch.unwrap_tensor(indices)
        getattr(self.gym, f"set_{name}_tensor_indexed")(self.sim, tensor, wrapped, len(indices))

    def drive(self, actors: list[int], mode: Any, stiffness: float, damping: float) -> None:
        """Set the drives of an actor of each environment."""
        for env, actor in zip(self.envs, actors, strict=True):
            props = self.gym.get_actor_dof_properties(env, actor)
            props["driveMode"].fill(mode)
            props["stiffness"].fill(stiffness)
            props["damping"].fill(damping)
            self.gym.set_actor_dof_properties(env, actor, props)


def open_stage(
    folder: Path,
    count: int,
    *,
    gravity: float = 0.0,
    substeps: int = 1,
    spacing: float = 2.0,
    engine: Any = gymapi.SIM_PHYSX,
    physx: dict[str, int] | None = None,
) -> Stage:
    """Make a simulation with empty environments; ``gravity`` points down."""
    gym = gymapi.acquire_gym()
    params = gymapi.SimParams()
    params.dt, params.substeps = DT, substeps
    params.up_axis = gymapi.UP_AXIS_Z
    params.gravity = gymapi.Vec3(0.0, 0.0, -gravity)
    for name, value in (physx or {}).items():
        setattr(params.physx, name, value)
    sim = gym.create_sim(0, -1, engine, params)
    half = 0.5 * spacing
    lower, upper = gymapi.Vec3(-half, -half, 0.0), gymapi.Vec3(half, half, half)
    envs = [gym.create_env(sim, lower, upper, 3) for _ in range(count)]
    return Stage(gym, sim, envs, folder)
