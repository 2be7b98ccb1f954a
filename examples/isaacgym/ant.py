"""A four-legged ant that runs along x: eight motors.

unibody run examples/isaacgym/ant.py --num_envs 64 --headless
"""

from isaacgym import gymapi
from isaacgym.torch_utils import quat_rotate, quat_rotate_inverse, to_torch

import torch
from vec_env import VecEnv, run


class Runner(VecEnv):
    """A robot from an MJCF file whose motors are driven by actions, and that has to run along x."""

    max_episode_length = 1000
    file = ""
    height = 0.6  # m, of the first body at the start
    fallen = 0.3  # m
    cost = 0.02  # of an action
    alive = 0.5
    stance = {}  # position of degrees of freedom that do not start at 0

    def load(self):
        self.asset = self.load_asset(self.file, default_dof_drive_mode=gymapi.DOF_MODE_EFFORT)
        motors = self.gym.get_asset_actuator_properties(self.asset)
        joints = [
            self.gym.get_asset_actuator_joint_name(self.asset, number)
            for number in range(len(motors))
        ]
        self.columns = [self.gym.find_asset_dof_index(self.asset, name) for name in joints]
        self.strength = [motor.motor_effort for motor in motors]
        self.names = self.gym.get_asset_dof_names(self.asset)
        limits = self.gym.get_asset_dof_properties(self.asset)
        self.limits = limits["lower"].copy(), limits["upper"].copy()

    def place(self, env, number):
        pose = gymapi.Transform(p=gymapi.Vec3(0.0, 0.0, self.height))
        self.gym.create_actor(env, self.asset, pose, "robot", number, 0)

    def acquire(self):
        super().acquire()
        self.gears = to_torch(self.strength, device=self.device)
        lower, upper = (to_torch(limit, device=self.device) for limit in self.limits)
        self.middle, self.range = 0.5 * (lower + upper), 0.5 * (upper - lower)
        self.still = torch.zeros_like(self.dof_pos[0])
        for name, value in self.stance.items():
            self.still[self.names.index(name)] = value
        self.up = to_torch([0.0, 0.0, 1.0], device=self.device).repeat(self.num_envs, 1)
        self.ahead = to_torch([1.0, 0.0, 0.0], device=self.device).repeat(self.num_envs, 1)

    def apply(self, actions):
        efforts = torch.zeros_like(self.dof_pos)
        efforts[:, self.columns] = self.gears * actions
        self.send_efforts(efforts)

    def observe(self):
        root = self.root_state[:, 0]
        quat = root[:, 3:7]
        return torch.cat(
            (
                root[:, 2:3],
                quat_rotate_inverse(quat, root[:, 7:10]),
                0.25 * quat_rotate_inverse(quat, root[:, 10:13]),
                quat_rotate_inverse(quat, self.up),
                quat_rotate_inverse(quat, self.ahead),
                (self.dof_pos - self.middle) / self.range,
                0.1 * self.dof_vel,
                self.actions,
            ),
            dim=1,
        )

    def reward(self):
        root = self.root_state[:, 0]
        upright = quat_rotate(root[:, 3:7], self.up)[:, 2]
        effort = (self.actions * self.actions).sum(dim=1)
        reward = self.alive + root[:, 7] + 0.1 * (upright > 0.9) - self.cost * effort
        over = root[:, 2] < self.fallen
        return torch.where(over, -1.0, reward), over

    def start(self, ids):
        noise = 0.1 * (2.0 * torch.rand(len(ids), len(self.still), device=self.device) - 1.0)
        low, high = self.middle - self.range, self.middle + self.range
        self.dof_pos[ids] = torch.clamp(self.still + noise, low, high)
        self.dof_vel[ids] = 0.1 * (
            2.0 * torch.rand(len(ids), len(self.still), device=self.device) - 1.0
        )


class Ant(Runner):
    """A round body on four legs of two joints."""

    num_obs = 13 + 3 * 8
    num_actions = 8
    file = "ant.xml"
    fallen = 0.3
    stance = {
        f"{side}_ankle": 1.0 for side in ("front_left", "back_left", "back_right", "front_right")
    }


if __name__ == "__main__":
    run(Ant)
