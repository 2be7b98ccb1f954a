"""What all tasks here share: a simulation, its tensors, and resets of those that are over."""

from pathlib import Path

from isaacgym import gymapi, gymtorch, gymutil

import torch

ASSETS = Path(__file__).parent / "assets"


class VecEnv:
    """`num_envs` copies of one task, stepped together.

    A task sets the class attributes, and says what is in an environment (`load`, `place`), what
    actions do (`apply`), and what follows from the state (`observe`, `reward`, `start`).
    """

    num_obs = 0
    num_actions = 0
    max_episode_length = 500
    dt = 1.0 / 60.0
    substeps = 2
    decimation = 1  # simulation steps for an action
    spacing = 4.0
    camera = (2.5, 2.5, 1.5), (0.0, 0.0, 0.5)  # where a camera of the first environment is, looks

    def __init__(self, num_envs=64, sim_device="cpu", headless=True, seed=0):
        torch.manual_seed(seed)
        kind, ordinal = gymutil.parse_device_str(sim_device)
        self.num_envs = num_envs
        self.gym = gymapi.acquire_gym()
        params = gymapi.SimParams()
        params.dt = self.dt
        params.substeps = self.substeps
        params.up_axis = gymapi.UP_AXIS_Z
        params.gravity = gymapi.Vec3(0.0, 0.0, -9.81)
        params.use_gpu_pipeline = kind == "cuda"
        self.sim = self.gym.create_sim(ordinal, ordinal, gymapi.SIM_PHYSX, params)
        self.ground()
        self.load()
        half = 0.5 * self.spacing
        low, high = gymapi.Vec3(-half, -half, 0.0), gymapi.Vec3(half, half, self.spacing)
        self.envs = []
        for number in range(num_envs):
            env = self.gym.create_env(self.sim, low, high, int(num_envs**0.5))
            self.envs.append(env)
            self.place(env, number)
        self.eye = self.gym.create_camera_sensor(self.envs[0], gymapi.CameraProperties())
        self.gym.prepare_sim(self.sim)
        self.acquire()
        self.viewer = None
        if not headless:
            self.viewer = self.gym.create_viewer(self.sim, gymapi.CameraProperties())
            at, to = (gymapi.Vec3(*point) for point in self.camera)
            self.gym.viewer_camera_look_at(self.viewer, None, at, to)
        self.actions = torch.zeros(num_envs, self.num_actions, device=self.device)
        self.episode_length_buf = torch.zeros(num_envs, dtype=torch.long, device=self.device)
        self.reset()

    def acquire(self):
        """Tensors of all actors' first bodies (envs, actors, 13), DOFs (envs, dofs, 2), bodies."""
        gym, sim = self.gym, self.sim
        self.roots = gymtorch.wrap_tensor(gym.acquire_actor_root_state_tensor(sim))
        self.dofs = gymtorch.wrap_tensor(gym.acquire_dof_state_tensor(sim))
        self.bodies = gymtorch.wrap_tensor(gym.acquire_rigid_body_state_tensor(sim))
        self.contacts = gymtorch.wrap_tensor(gym.acquire_net_contact_force_tensor(sim))
        self.device = self.dofs.device
        self.refresh()
        self.first_roots = self.roots.clone()
        self.root_state = self.roots.view(self.num_envs, -1, 13)
        dofs = self.dofs.view(self.num_envs, -1, 2)
        self.dof_pos, self.dof_vel = dofs[..., 0], dofs[..., 1]
        self.body_state = self.bodies.view(self.num_envs, -1, 13)
        self.contact_force = self.contacts.view(self.num_envs, -1, 3)
        actors = self.root_state.shape[1]
        numbers = torch.arange(self.num_envs * actors, dtype=torch.int32, device=self.device)
        self.actors = numbers.view(self.num_envs, actors)

    def refresh(self):
        self.gym.refresh_actor_root_state_tensor(self.sim)
        self.gym.refresh_dof_state_tensor(self.sim)
        self.gym.refresh_rigid_body_state_tensor(self.sim)
        self.gym.refresh_net_contact_force_tensor(self.sim)

    def ground(self):
        plane = gymapi.PlaneParams()
        plane.normal = gymapi.Vec3(0.0, 0.0, 1.0)
        self.gym.add_ground(self.sim, plane)

    def load(self):
        raise NotImplementedError

    def place(self, env, number):
        raise NotImplementedError

    def apply(self, actions):
        raise NotImplementedError

    def observe(self):
        raise NotImplementedError

    def reward(self):
        """Rewards and which environments are over, both (num_envs,)."""
        raise NotImplementedError

    def start(self, ids):
        """Write the first states of environments into the tensors."""
        raise NotImplementedError

    def reset(self):
        self.reset_idx(torch.arange(self.num_envs, device=self.device))
        self.obs = self.observe()
        return self.obs

    def reset_idx(self, ids):
        actors = self.actors[ids]
        self.roots[actors.flatten().long()] = self.first_roots[actors.flatten().long()]
        self.start(ids)
        movers = actors[:, 0].contiguous()
        everyone = actors.flatten().contiguous()
        self.gym.set_actor_root_state_tensor_indexed(
            self.sim,
            gymtorch.unwrap_tensor(self.roots),
            gymtorch.unwrap_tensor(everyone),
            len(everyone),
        )
        self.gym.set_dof_state_tensor_indexed(
            self.sim,
            gymtorch.unwrap_tensor(self.dofs),
            gymtorch.unwrap_tensor(movers),
            len(movers),
        )
        self.refresh()
        self.actions[ids] = 0.0
        self.episode_length_buf[ids] = 0

    def step(self, actions):
        self.actions = actions.to(self.device).clamp(-1.0, 1.0)
        for _ in range(self.decimation):
            self.apply(self.actions)
            self.gym.simulate(self.sim)
            self.gym.fetch_results(self.sim, True)
            if self.decimation > 1:
                self.gym.refresh_dof_state_tensor(self.sim)
        self.refresh()
        self.episode_length_buf += 1
        rewards, over = self.reward()
        time_outs = self.episode_length_buf >= self.max_episode_length
        done = over | time_outs
        if done.any():
            self.reset_idx(done.nonzero(as_tuple=True)[0])
        self.obs = self.observe()
        self.draw()
        return self.obs, rewards, done, {"time_outs": time_outs & ~over}

    def draw(self):
        if self.viewer is not None:
            self.gym.step_graphics(self.sim)
            self.gym.draw_viewer(self.viewer, self.sim, True)
            self.gym.sync_frame_time(self.sim)

    def image(self):
        """What the camera of the first environment sees, (height, width, 4) uint8."""
        at, to = (gymapi.Vec3(*point) for point in self.camera)
        self.gym.set_camera_location(self.eye, self.envs[0], at, to)
        self.gym.step_graphics(self.sim)
        self.gym.render_all_camera_sensors(self.sim)
        pixels = self.gym.get_camera_image(self.sim, self.envs[0], self.eye, gymapi.IMAGE_COLOR)
        return pixels.reshape(pixels.shape[0], -1, 4)

    def close(self):
        self.gym.destroy_sim(self.sim)

    # --- what several tasks use ------------------------------------------------------------------

    def load_asset(self, name, **values):
        options = gymapi.AssetOptions()
        for option, value in values.items():
            setattr(options, option, value)
        return self.gym.load_asset(self.sim, str(ASSETS), name, options)

    def send_efforts(self, efforts):
        self.gym.set_dof_actuation_force_tensor(
            self.sim, gymtorch.unwrap_tensor(efforts.contiguous())
        )

    def send_targets(self, targets):
        self.gym.set_dof_position_target_tensor(
            self.sim, gymtorch.unwrap_tensor(targets.contiguous())
        )


def run(task):
    """Step a task with random actions: what its file does when it is run."""
    arguments = gymutil.parse_arguments(
        description=task.__doc__,
        headless=True,
        custom_parameters=[
            {"name": "--num_envs", "type": int, "default": 16},
            {"name": "--steps", "type": int, "default": 500},
        ],
    )
    env = task(arguments.num_envs, arguments.sim_device, arguments.headless)
    total = 0.0
    for _ in range(arguments.steps):
        actions = 2.0 * torch.rand(env.num_envs, env.num_actions, device=env.device) - 1.0
        _, rewards, _, _ = env.step(actions)
        total += rewards.mean().item()
    print(f"{task.__name__}: mean reward {total / arguments.steps:.3f} under random actions")
    env.close()
