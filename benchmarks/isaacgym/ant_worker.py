"""Measure Ant-v5 on another library; runs on any interpreter that has the library.

``python ant_worker.py LIBRARY COUNT WORKERS SECONDS`` prints frames of one ant a second.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PREFIX = "rate: "


def _gymnasium(workers: int, *, euler: bool) -> Any:
    """One environment a process: more processes than cores only slow it down."""
    import gymnasium
    from gymnasium.envs.mujoco import ant_v5
    from gymnasium.vector import AsyncVectorEnv

    arguments = {}
    if euler:
        text = Path(ant_v5.__file__).with_name("assets").joinpath("ant.xml").read_text("utf-8")
        file = Path(tempfile.mkdtemp()) / "ant.xml"
        file.write_text(text.replace('integrator="RK4"', 'integrator="Euler"'), "utf-8")
        arguments["xml_file"] = str(file)
    return AsyncVectorEnv([lambda: gymnasium.make("Ant-v5", **arguments)] * workers)


def _envpool(count: int, workers: int) -> Any:
    import envpool

    return envpool.make(
        "Ant-v5", env_type="gymnasium", num_envs=count, batch_size=count, num_threads=workers
    )


def main(library: str, count: int, workers: int, seconds: float) -> None:
    """Measure, and print the result."""
    import numpy as np

    if library == "envpool":
        env = _envpool(count, workers)
    else:
        env, count = _gymnasium(workers, euler=library == "gymnasium-euler"), workers
    env.reset()
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (16, count, 8))
    for frame in range(10):
        env.step(actions[frame])
    frames, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        env.step(actions[frames % len(actions)])
        frames += 1
    rate = count * frames / (time.perf_counter() - start)
    print(PREFIX + json.dumps(rate), flush=True)
    env.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
