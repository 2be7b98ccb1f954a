"""An arm with a gripper that has to put one cube onto another: it is told where the hand moves.

unibody run examples/isaacgym/franka_stack.py --num_envs 64 --headless
"""

from isaacgym import gymapi, gymtorch
from isaacgym.torch_utils import quat_conjugate, quat_mul, to_torch

import torch
from vec_env import VecEnv, run

CUBE = 0.05  # m
TABLE = 0.4  # m, height


class FrankaStack(VecEnv):
    """The red cube belongs on the green one.

    Actions move the hand along x, y and z and open or close the fingers; the angles of the arm
    follow by damped least squares on its Jacobian.
    """

    num_obs = 9 + 9 + 7 + 6 + 1
    num_actions = 4
    max_episode_length = 250
    decimation = 2
    reach = 0.03  # m, of one action
    home = (0.0, 0.2, 0.0, -2.2, 0.0, 2.4, 0.785, 0.035, 0.035)
    camera = (1.4, -0.9, 1.2), (0.3, 0.0, 0.5)

    def load(self):
        self.arm = self.load_asset(
            "arm.urdf",
            fix_base_link=True,
            disable_gravity=True,
            collapse_fixed_joints=True,
            default_dof_drive_mode=gymapi.DOF_MODE_POS,
        )
        still = gymapi.AssetOptions()
        still.fix_base_link = True
        self.table = self.gym.create_box(self.sim, 0.7, 1.0, TABLE, still)
        cube = gymapi.AssetOptions()
        cube.density = 400.0
        self.cube = self.gym.create_box(self.sim, CUBE, CUBE, CUBE, cube)

    def place(self, env, number):
        gym = self.gym
        stand = gymapi.Transform(p=gymapi.Vec3(0.0, 0.0, TABLE))
        arm = gym.create_actor(env, self.arm, stand, "arm", number, 1)
        properties = gym.get_actor_dof_properties(env, arm)
        properties["stiffness"][:7], properties["stiffness"][7:] = 600.0, 2000.0
        properties["damping"][:7], properties["damping"][7:] = 60.0, 50.0
        gym.set_actor_dof_properties(env, arm, properties)
        self.grip = gym.find_actor_rigid_body_index(env, arm, "grip", gymapi.DOMAIN_ENV)
        at = gymapi.Transform(p=gymapi.Vec3(0.5, 0.0, 0.5 * TABLE))
        gym.create_actor(env, self.table, at, "table", number, 0)
        for name, color in (("red", (0.8, 0.2, 0.1)), ("green", (0.2, 0.6, 0.2))):
            on = gymapi.Transform(p=gymapi.Vec3(0.5, 0.0, TABLE + 0.5 * CUBE))
            cube = gym.create_actor(env, self.cube, on, name, number, 0)
            gym.set_rigid_body_color(
                env, cube, 0, gymapi.MESH_VISUAL_AND_COLLISION, gymapi.Vec3(*color)
            )

    def acquire(self):
        super().acquire()
        jacobian = gymtorch.wrap_tensor(self.gym.acquire_jacobian_tensor(self.sim, "arm"))
        self.jacobian = jacobian[:, self.grip - 1, :, :7]  # the fixed base has no row
        self.rest = to_torch(self.home, device=self.device)
        self.targets = self.rest.repeat(self.num_envs, 1)
        self.down = to_torch([1.0, 0.0, 0.0, 0.0], device=self.device).repeat(self.num_envs, 1)

    def apply(self, actions):
        self.gym.refresh_jacobian_tensors(self.sim)
        hand = self.body_state[:, self.grip]
        turn = quat_mul(self.down, quat_conjugate(hand[:, 3:7]))
        turn = 2.0 * turn[:, :3] * torch.sign(turn[:, 3:4])
        error = torch.cat((self.reach * actions[:, :3], turn), dim=1)
        across = self.jacobian @ self.jacobian.transpose(1, 2)
        across = across + 0.0025 * torch.eye(6, device=self.device)
        lever = torch.linalg.solve(across, error.unsqueeze(-1))
        step = (self.jacobian.transpose(1, 2) @ lever).squeeze(-1)
        self.targets[:, :7] = self.dof_pos[:, :7] + step
        self.targets[:, 7:] = torch.where(actions[:, 3:4] > 0.0, 0.04, 0.0)
        self.send_targets(self.targets)

    def observe(self):
        hand = self.body_state[:, self.grip, :7]
        red, green = self.root_state[:, 2, :3], self.root_state[:, 3, :3]
        gap = self.dof_pos[:, 7:8] + self.dof_pos[:, 8:9]
        return torch.cat(
            (self.dof_pos, 0.1 * self.dof_vel, hand, red - hand[:, :3], green - red, gap), dim=1
        )

    def reward(self):
        hand = self.body_state[:, self.grip, :3]
        red, green = self.root_state[:, 2, :3], self.root_state[:, 3, :3]
        near = 1.0 - torch.tanh(10.0 * (hand - red).norm(dim=1))
        lifted = (red[:, 2] - TABLE - 0.5 * CUBE).clamp(0.0, 0.1) / 0.1
        goal = green.clone()
        goal[:, 2] += CUBE
        placed = 1.0 - torch.tanh(10.0 * (red - goal).norm(dim=1))
        on_top = (red - goal).norm(dim=1) < 0.015
        reward = 0.2 * near + lifted + 2.0 * placed * (lifted > 0.2) + 5.0 * on_top
        over = (red[:, 2] < TABLE - 0.05) | (green[:, 2] < TABLE - 0.05)
        return reward, over

    def start(self, ids):
        count = len(ids)
        noise = 0.02 * torch.randn(count, 7, device=self.device)
        self.dof_pos[ids] = self.rest
        self.dof_pos[ids, :7] += noise
        self.dof_vel[ids] = 0.0
        self.targets[ids] = self.dof_pos[ids]
        side = torch.rand(count, 2, device=self.device)
        for cube, sign in ((2, -1.0), (3, 1.0)):
            self.root_state[ids, cube, 0] = 0.4 + 0.2 * side[:, cube - 2]
            self.root_state[ids, cube, 1] = sign * (
                0.06 + 0.1 * torch.rand(count, device=self.device)
            )


if __name__ == "__main__":
    run(FrankaStack)
