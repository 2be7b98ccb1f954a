"""Lets OmniIsaacGymEnvs' own trainer learn its cartpole on unibody, without a window, on the CPU.

    python tests/clients/omni_gym_training.py [--source FOLDER] [--least N] [argument=value ...]

FOLDER is a checkout of isaac-sim/OmniIsaacGymEnvs; without it it is cloned. rl_games, hydra-core
and gym have to be installed, in versions of its time. Its script is run as it is; stood in for are
its windows, and the choice of a CUDA device where there is none. The reward of the best checkpoint
has to be at least N (of 500); with the 512 environments and 100 epochs of its settings it was 487.
"""

from __future__ import annotations

import argparse
import importlib
import os
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

from checkouts import checkout

REPOSITORY = "https://github.com/isaac-sim/OmniIsaacGymEnvs"
SCRIPT = "omniisaacgymenvs/scripts/rlgames_train.py"
SETTINGS = ["task=Cartpole", "headless=True", "pipeline=cpu", "sim_device=cpu", "rl_device=cpu"]
REWARD = re.compile(r"rew_+(-?[\d.]+\d)_*\.pth")


def stand_in() -> None:
    """Put windows among the modules, and let the trainer choose a device that is not there."""
    import torch

    if not torch.cuda.is_available():
        torch.cuda.set_device = lambda device: None
    windows = ModuleType("omni.ui")
    workspace = SimpleNamespace(get_window=lambda name: None)
    windows.__dict__.update(Workspace=workspace, DockPosition=SimpleNamespace(BOTTOM=None))
    sys.modules[windows.__name__] = windows
    importlib.import_module("omni").ui = windows  # type: ignore[attr-defined]


def main() -> None:
    """Run what the command line says."""
    from unibody.cli import aliases

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, help="a checkout of isaac-sim/OmniIsaacGymEnvs")
    parser.add_argument("--least", type=float, default=400.0, help="fail if the reward is smaller")
    parser.add_argument("settings", nargs="*", help="of the trainer: name=value")
    options = parser.parse_args()
    aliases.install()
    stand_in()
    with checkout(REPOSITORY, ["omniisaacgymenvs"], options.source) as source:
        sys.path.insert(0, str(source.resolve()))
        os.chdir(source)
        sys.argv = [SCRIPT, *SETTINGS, *options.settings]
        runpy.run_path(SCRIPT, run_name="__main__")
        saved = (source.resolve() / "omniisaacgymenvs/runs/Cartpole/nn").glob("*.pth")
        rewards = [float(found[1]) for file in saved if (found := REWARD.search(file.name))]
    best = max(rewards, default=0.0)
    print(f"the best checkpoint has a reward of {best:.1f}")
    sys.exit(best < options.least)


if __name__ == "__main__":
    main()
