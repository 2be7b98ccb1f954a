"""Steps tasks of OmniIsaacGymEnvs on unibody with random actions; observations must stay finite.

    python tests/clients/omni_gym_envs.py [--source FOLDER] [--steps N] [--envs N] [task ...]

FOLDER is a checkout of isaac-sim/OmniIsaacGymEnvs; without it the tasks are cloned. Its windows
are stood in for here. Robots come from the folder UNIBODY_ISAAC_ASSETS, or are made as in any other
script. A task that moves nothing fails, too.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch
import yaml
from checkouts import checkout

REPOSITORY = "https://github.com/isaac-sim/OmniIsaacGymEnvs"
FOLDERS = ["omniisaacgymenvs"]
TASKS = {
    "Cartpole": ("cartpole", "CartpoleTask"),
    "Ant": ("ant", "AntLocomotionTask"),
    "Humanoid": ("humanoid", "HumanoidLocomotionTask"),
}
SEED = 42


class Environment:
    """A world with one task, stepped from outside."""

    render_enabled = False

    def __init__(self) -> None:
        self.world: Any = None
        self.task: Any = None

    def set_task(self, task: Any, settings: dict[str, Any]) -> None:
        """Make the world of a task."""
        from isaacsim.core.api import World  # type: ignore[import-not-found]

        self.task = task
        self.world = World(
            stage_units_in_meters=1.0,
            physics_dt=settings["dt"],
            rendering_dt=settings["dt"],
            backend="torch",
            sim_params=settings,
            device="cpu",
        )
        self.world.add_task(task)
        self.world.reset()

    def step(self, actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Apply actions for one step of control.

        Returns:
            Observations and rewards.
        """
        self.task.pre_physics_step(torch.clamp(actions, -1.0, 1.0))
        for _ in range(self.task.control_frequency_inv):
            self.world.step(render=False)
        observations, rewards, _, _ = self.task.post_physics_step()
        return observations, rewards


def stand_in() -> None:
    """Put what the tasks import of gym and of windows among the modules."""
    import gymnasium

    workspace = SimpleNamespace(get_window=lambda name: None)
    modules: dict[str, dict[str, Any]] = {
        "gym": {"spaces": gymnasium.spaces},
        "omni.ui": {"Workspace": workspace, "DockPosition": SimpleNamespace(BOTTOM=None)},
    }
    for name, contents in modules.items():
        module = ModuleType(name)
        module.__dict__.update(contents)
        sys.modules[name] = module
    importlib.import_module("omni").ui = sys.modules["omni.ui"]  # type: ignore[attr-defined]
    setattr(np, "Inf", np.inf)  # noqa: B010 - the tasks are of NumPy 1's time


def settings(source: Path, name: str, environments: int) -> dict[str, Any]:
    """What the command line of the original would set: the CPU, without windows."""
    file = source / "omniisaacgymenvs/cfg/task" / f"{name}.yaml"
    task = yaml.safe_load(file.read_text(encoding="utf-8"))
    task["physics_engine"] = "physx"
    task["env"]["numEnvs"] = environments
    task["sim"]["use_gpu_pipeline"] = False
    task["sim"]["physx"].update(worker_thread_count=1, solver_type=1, use_gpu=False)
    return {
        "task_name": name,
        "task": task,
        "seed": SEED,
        "test": False,
        "headless": True,
        "enable_livestream": False,
        "warp": False,
        "sim_device": "cpu",
        "rl_device": "cpu",
        "device_id": 0,
    }


def run(source: Path, name: str, steps: int, environments: int) -> bool:
    """Step a task in a stage of its own.

    Returns:
        Whether all observations and rewards were finite, and the robots moved.
    """
    from isaacsim.core.api import World  # type: ignore[import-not-found]
    from isaacsim.core.utils.stage import create_new_stage  # type: ignore[import-not-found]

    config = importlib.import_module("omniisaacgymenvs.utils.config_utils.sim_config")
    file, kind = TASKS[name]
    module = importlib.import_module(f"omniisaacgymenvs.tasks.{file}")
    World.clear_instance()
    create_new_stage()
    torch.manual_seed(SEED)
    chosen = config.SimConfig(settings(source, name, environments))
    environment = Environment()
    task = getattr(module, kind)(name=name, sim_config=chosen, env=environment)
    environment.set_task(task, chosen.get_physics_params())
    task.reset()
    first, _ = environment.step(torch.zeros(environments, task.num_actions))
    first = first.clone()
    finite, moved, total = True, False, 0.0
    for _ in range(steps):
        actions = 2.0 * torch.rand(environments, task.num_actions) - 1.0
        observations, rewards = environment.step(actions)
        finite &= bool(torch.isfinite(observations).all() and torch.isfinite(rewards).all())
        moved |= bool((observations - first).abs().max() > 1e-2)
        total += float(rewards.mean())
    well = finite and moved
    print(
        f"{name}: {'passed' if well else 'FAILED'}: {steps} steps of {environments} environments, "
        f"observations of {tuple(first.shape)}, finite: {finite}, moved: {moved}, "
        f"mean reward {total / steps:.3f}",
        flush=True,
    )
    return well


def main() -> None:
    """Run what the command line says."""
    from unibody.cli import aliases

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, help="a checkout of isaac-sim/OmniIsaacGymEnvs")
    parser.add_argument("--steps", type=int, default=200, help="steps of control")
    parser.add_argument("--envs", type=int, default=16, help="environments")
    parser.add_argument("tasks", nargs="*", help=f"of {', '.join(TASKS)}; default: all")
    options = parser.parse_args()
    for name in options.tasks:
        if name not in TASKS:
            parser.error(f"there is no task {name!r}; there are {', '.join(TASKS)}")
    aliases.install()
    from isaacsim import SimulationApp  # type: ignore[import-not-found]

    SimulationApp({"headless": True})
    stand_in()
    with checkout(REPOSITORY, FOLDERS, options.source) as source:
        sys.path.insert(0, str(source))
        tasks = options.tasks or list(TASKS)
        passed = [run(source, name, options.steps, options.envs) for name in tasks]
    print(f"{sum(passed)} of {len(passed)} pass")
    sys.exit(not all(passed))


if __name__ == "__main__":
    main()
