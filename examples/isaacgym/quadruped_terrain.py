"""A quadruped that walks as told over slopes, steps and rubble.

unibody run examples/isaacgym/quadruped_terrain.py --num_envs 64 --headless
"""

from isaacgym import gymapi, terrain_utils
from isaacgym.torch_utils import quat_apply, quat_rotate_inverse, to_torch

import numpy as np
import torch
from vec_env import VecEnv, run

CELL = 0.1  # m
UNIT = 0.005  # m
TILE = 80  # cells
BORDER = 20  # cells


class QuadrupedTerrain(VecEnv):
    """Twelve position drives, a commanded velocity, and the heights around the body."""

    num_obs = 3 + 3 + 3 + 3 + 3 * 12 + 77
    num_actions = 12
    max_episode_length = 1000
    dt = 0.005
    substeps = 1
    decimation = 4
    stance = (0.0, 0.8, -1.5)
    reach = 0.4  # rad, of an action
    height = 0.36  # m

    @property
    def camera(self):
        x, y, z = self.root_state[0, 0, :3].tolist()
        return (x + 1.6, y + 1.6, z + 0.9), (x, y, z)

    def ground(self):
        """Five tiles of one kind each, from flat to rubble."""
        field = np.zeros((TILE + 2 * BORDER, 5 * TILE + 2 * BORDER), np.int16)
        makers = (
            lambda tile: None,
            lambda tile: terrain_utils.random_uniform_terrain(tile, -0.04, 0.04, 0.005, 0.2),
            lambda tile: terrain_utils.pyramid_sloped_terrain(tile, 0.25, 2.0),
            lambda tile: terrain_utils.pyramid_stairs_terrain(tile, 0.4, 0.06, 2.0),
            lambda tile: terrain_utils.discrete_obstacles_terrain(tile, 0.06, 0.4, 1.2, 40, 2.0),
        )
        for place, maker in enumerate(makers):
            tile = terrain_utils.SubTerrain("tile", TILE, TILE, UNIT, CELL)
            maker(tile)
            start = BORDER + place * TILE
            field[BORDER : BORDER + TILE, start : start + TILE] = tile.height_field_raw
        vertices, triangles = terrain_utils.convert_heightfield_to_trimesh(field, CELL, UNIT, 1.5)
        params = gymapi.TriangleMeshParams()
        params.nb_vertices, params.nb_triangles = len(vertices), len(triangles)
        params.transform.p = gymapi.Vec3(-BORDER * CELL, -BORDER * CELL, 0.0)
        self.gym.add_triangle_mesh(self.sim, vertices.flatten(), triangles.flatten(), params)
        self.field = field * UNIT

    def load(self):
        self.asset = self.load_asset(
            "quadruped.urdf",
            collapse_fixed_joints=True,
            default_dof_drive_mode=gymapi.DOF_MODE_POS,
        )
        self.feet = [
            self.gym.find_asset_rigid_body_index(self.asset, f"{leg}_foot")
            for leg in ("FL", "FR", "RL", "RR")
        ]

    def place(self, env, number):
        middle = 0.5 * TILE * CELL
        x, y = middle, middle + (number % 5) * TILE * CELL
        z = self.field[BORDER + int(x / CELL), BORDER + int(y / CELL)]
        origin = self.gym.get_env_origin(env)
        pose = gymapi.Transform()
        pose.p = gymapi.Vec3(x - origin.x, y - origin.y, z + self.height - origin.z)
        actor = self.gym.create_actor(env, self.asset, pose, "robot", number, 0)
        properties = self.gym.get_actor_dof_properties(env, actor)
        properties["stiffness"] = 40.0
        properties["damping"] = 1.0
        self.gym.set_actor_dof_properties(env, actor, properties)

    def acquire(self):
        super().acquire()
        device = self.device
        self.heights = to_torch(self.field, device=device)
        self.rest = to_torch(self.stance * 4, device=device)
        self.commands = torch.zeros(self.num_envs, 3, device=device)
        self.gravity = to_torch([0.0, 0.0, -1.0], device=device).repeat(self.num_envs, 1)
        self.origins = to_torch(
            [[o.x, o.y, o.z] for o in map(self.gym.get_env_origin, self.envs)], device=device
        )
        x, y = torch.linspace(-0.5, 0.5, 11), torch.linspace(-0.3, 0.3, 7)
        grid = torch.stack(torch.meshgrid(x, y, indexing="ij"), dim=-1).reshape(-1, 2)
        self.scan = torch.cat((grid, torch.zeros(len(grid), 1)), dim=1).to(device)

    def apply(self, actions):
        self.send_targets(self.rest + self.reach * actions)

    def ground_below(self, points):
        """Heights of the terrain at points (..., 2) of the simulation [m]."""
        cells = (points / CELL).round().long() + BORDER
        rows = cells[..., 0].clamp(0, self.heights.shape[0] - 1)
        columns = cells[..., 1].clamp(0, self.heights.shape[1] - 1)
        return self.heights[rows, columns]

    def clearance(self):
        """Heights of the body above the terrain, at points around it."""
        root = self.root_state[:, 0]
        yaw = root[:, 3:7] * to_torch([0.0, 0.0, 1.0, 1.0], device=self.device)
        yaw = (yaw / yaw.norm(dim=1, keepdim=True).clamp(min=1e-6)).repeat_interleave(
            len(self.scan), dim=0
        )
        around = quat_apply(yaw, self.scan.repeat(self.num_envs, 1)).view(self.num_envs, -1, 3)
        place = root[:, :3] + self.origins
        below = self.ground_below((place[:, None] + around)[..., :2])
        return place[:, 2:3] - below

    def observe(self):
        root = self.root_state[:, 0]
        return torch.cat(
            (
                quat_rotate_inverse(root[:, 3:7], root[:, 7:10]),
                0.25 * quat_rotate_inverse(root[:, 3:7], root[:, 10:13]),
                quat_rotate_inverse(root[:, 3:7], self.gravity),
                self.commands,
                self.dof_pos - self.rest,
                0.05 * self.dof_vel,
                self.actions,
                (self.clearance() - self.height).clamp(-1.0, 1.0),
            ),
            dim=1,
        )

    def reward(self):
        root = self.root_state[:, 0]
        linear = quat_rotate_inverse(root[:, 3:7], root[:, 7:10])
        angular = quat_rotate_inverse(root[:, 3:7], root[:, 10:13])
        down = quat_rotate_inverse(root[:, 3:7], self.gravity)
        off = (self.commands[:, :2] - linear[:, :2]).square().sum(dim=1)
        off_turn = (self.commands[:, 2] - angular[:, 2]).square()
        reward = torch.exp(-4.0 * off) + 0.5 * torch.exp(-4.0 * off_turn)
        reward = reward - 2.0 * linear[:, 2].square() - 0.05 * angular[:, :2].square().sum(dim=1)
        reward = reward - 0.01 * self.actions.square().sum(dim=1)
        over = (down[:, 2] > -0.3) | (self.contact_force[:, 0].norm(dim=1) > 1.0)
        return self.dt * self.decimation * reward, over

    def start(self, ids):
        self.dof_pos[ids] = self.rest
        self.dof_vel[ids] = 0.0
        spread = to_torch([0.8, 0.3, 0.6], device=self.device)
        self.commands[ids] = spread * (2.0 * torch.rand(len(ids), 3, device=self.device) - 1.0)


if __name__ == "__main__":
    run(QuadrupedTerrain)
