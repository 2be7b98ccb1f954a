"""A cart that balances a pole: one force on the cart, four numbers to see.

unibody run examples/isaacgym/cartpole.py --num_envs 64 --headless
"""

from isaacgym import gymapi

import torch
from vec_env import VecEnv, run


class Cartpole(VecEnv):
    """A pole on a cart, upright as long as possible."""

    num_obs = 4
    num_actions = 1
    max_force = 200.0  # N
    camera = (0.0, -5.0, 2.8), (0.0, 0.0, 2.2)

    def load(self):
        self.asset = self.load_asset("cartpole.urdf", fix_base_link=True)

    def place(self, env, number):
        pose = gymapi.Transform(p=gymapi.Vec3(0.0, 0.0, 2.0))
        actor = self.gym.create_actor(env, self.asset, pose, "cartpole", number, 1)
        properties = self.gym.get_actor_dof_properties(env, actor)
        properties["driveMode"] = (gymapi.DOF_MODE_EFFORT, gymapi.DOF_MODE_NONE)
        properties["stiffness"] = 0.0
        properties["damping"] = 0.0
        self.gym.set_actor_dof_properties(env, actor, properties)

    def apply(self, actions):
        efforts = torch.zeros_like(self.dof_pos)
        efforts[:, 0] = self.max_force * actions[:, 0]
        self.send_efforts(efforts)

    def observe(self):
        return torch.cat((self.dof_pos, self.dof_vel), dim=1)

    def reward(self):
        cart, pole = self.dof_pos[:, 0], self.dof_pos[:, 1]
        cart_vel, pole_vel = self.dof_vel[:, 0], self.dof_vel[:, 1]
        reward = 1.0 - pole * pole - 0.01 * cart_vel.abs() - 0.005 * pole_vel.abs()
        over = (cart.abs() > 3.0) | (pole.abs() > 1.5)
        return torch.where(over, -2.0, reward), over

    def start(self, ids):
        self.dof_pos[ids] = 0.2 * (torch.rand(len(ids), 2, device=self.device) - 0.5)
        self.dof_vel[ids] = 0.5 * (torch.rand(len(ids), 2, device=self.device) - 0.5)


if __name__ == "__main__":
    run(Cartpole)
