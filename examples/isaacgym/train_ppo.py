"""Train one of the tasks with PPO of rsl-rl, go on with a training, or film its result.

unibody run examples/isaacgym/train_ppo.py cartpole --num_envs 64 --iterations 100
unibody run examples/isaacgym/train_ppo.py cartpole --resume runs/cartpole/model_99.pt
unibody run examples/isaacgym/train_ppo.py cartpole --play runs/cartpole/model_99.pt

Ctrl-C ends a training with a checkpoint. Curves are in the folder of the run:
tensorboard --logdir runs
"""

import argparse
from pathlib import Path

import isaacgym  # noqa: F401 - before torch, as Isaac Gym wants it

import torch
from rsl_rl.runners import OnPolicyRunner
from tensordict import TensorDict
from tqdm import tqdm

from ant import Ant
from cartpole import Cartpole
from franka_stack import FrankaStack
from humanoid import Humanoid
from quadruped_terrain import QuadrupedTerrain

TASKS = {
    "cartpole": (Cartpole, [32, 32], 24),
    "ant": (Ant, [128, 64, 32], 24),
    "humanoid": (Humanoid, [256, 128, 64], 32),
    "franka_stack": (FrankaStack, [256, 128, 64], 32),
    "quadruped_terrain": (QuadrupedTerrain, [256, 128, 64], 24),
}


class Wrapped:
    """A task as rsl-rl wants it: observations by name, and the progress of its steps."""

    def __init__(self, task):
        self.task = task
        self.num_envs, self.num_actions = task.num_envs, task.num_actions
        self.max_episode_length = task.max_episode_length
        self.device = task.device
        self.cfg = {"task": type(task).__name__, "num_envs": task.num_envs}
        self.bar = None

    @property
    def episode_length_buf(self):
        return self.task.episode_length_buf

    @episode_length_buf.setter
    def episode_length_buf(self, value):
        self.task.episode_length_buf = value

    def _named(self, obs):
        return TensorDict({"policy": obs}, batch_size=[self.num_envs], device=self.device)

    def get_observations(self):
        return self._named(self.task.obs)

    def step(self, actions):
        obs, rewards, done, extras = self.task.step(actions)
        if self.bar is not None:
            self.bar.update(self.num_envs)
        return self._named(obs), rewards, done.long(), extras


def config(hidden, steps, seed):
    network = {
        "class_name": "MLPModel",
        "hidden_dims": hidden,
        "activation": "elu",
        "obs_normalization": True,
    }
    spread = {"class_name": "GaussianDistribution", "init_std": 0.6, "std_type": "scalar"}
    return {
        "seed": seed,
        "num_steps_per_env": steps,
        "save_interval": 50,
        "logger": "tensorboard",
        "obs_groups": {"actor": ["policy"], "critic": ["policy"]},
        "actor": network | {"distribution_cfg": spread},
        "critic": dict(network),
        "algorithm": {
            "class_name": "PPO",
            "learning_rate": 1e-3,
            "schedule": "adaptive",
            "desired_kl": 0.01,
            "num_learning_epochs": 5,
            "num_mini_batches": 4,
            "gamma": 0.99,
            "lam": 0.95,
            "clip_param": 0.2,
            "entropy_coef": 0.002,
            "value_loss_coef": 1.0,
            "use_clipped_value_loss": True,
            "max_grad_norm": 1.0,
            "rnd_cfg": None,
            "symmetry_cfg": None,
        },
    }


def train(env, runner, iterations, steps, folder):
    runner.logger.log = quietly(runner.logger.log, env)
    try:
        with tqdm(total=iterations * steps * env.num_envs, unit="step", unit_scale=True) as env.bar:
            runner.learn(iterations, init_at_random_ep_len=True)
    except KeyboardInterrupt:
        checkpoint = folder / f"model_{runner.current_learning_iteration}.pt"
        runner.save(str(checkpoint))
        print(f"interrupted: {checkpoint} goes on with --resume {checkpoint}")


def quietly(log, env):
    """The reward beside the bar in place of a page for each iteration; curves as they are."""
    import contextlib
    import io

    def write(*arguments, **values):
        with contextlib.redirect_stdout(io.StringIO()):
            log(*arguments, **values)
        rewards = log.__self__.rewbuffer
        if rewards:
            env.bar.set_postfix(reward=f"{sum(rewards) / len(rewards):.2f}", refresh=False)

    return write


def play(env, runner, file, steps):
    """Film the first environment."""
    import av

    policy = runner.get_inference_policy(env.device)
    rate = round(1.0 / (env.task.dt * env.task.decimation))
    with av.open(str(file), "w") as video, torch.inference_mode():
        stream = None
        for _ in tqdm(range(steps), unit="frame"):
            env.step(policy(env.get_observations()))
            frame = av.VideoFrame.from_ndarray(env.task.image()[..., :3].copy(), format="rgb24")
            if stream is None:
                stream = video.add_stream("libx264", rate=rate)
                stream.width, stream.height = frame.width, frame.height
                stream.pix_fmt = "yuv420p"
            video.mux(stream.encode(frame))
        video.mux(stream.encode())
    print(f"wrote {file}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--num_envs", type=int, default=64)
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--device", default="cpu", help="cpu, cuda:0, ...")
    parser.add_argument("--folder", type=Path, help="where the run goes; runs/TASK")
    parser.add_argument("--resume", type=Path, help="a checkpoint to go on from")
    parser.add_argument("--play", type=Path, help="a checkpoint to film, not to train")
    parser.add_argument("--video", type=Path, help="the film; beside the checkpoint")
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    kind, hidden, steps = TASKS[arguments.task]
    count = 1 if arguments.play else arguments.num_envs
    env = Wrapped(kind(count, arguments.device, headless=True, seed=arguments.seed))
    folder = arguments.folder or Path("runs") / arguments.task
    settings = config(hidden, steps, arguments.seed)
    log = None if arguments.play else str(folder)
    runner = OnPolicyRunner(env, settings, log_dir=log, device=str(env.device))
    checkpoint = arguments.play or arguments.resume
    if checkpoint:
        runner.load(str(checkpoint), map_location=str(env.device))
    if arguments.play:
        play(env, runner, arguments.video or checkpoint.with_suffix(".mp4"), arguments.frames)
    else:
        train(env, runner, arguments.iterations, steps, folder)
    env.task.close()


if __name__ == "__main__":
    main()
