"""The page of trainings: curves, a frame of each task, and a table."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from PIL import Image

from unibody.envs.training import policy_of_checkpoint
from unibody.envs.training_settings import settings_of

_DOCS = Path(__file__).resolve().parents[1] / "docs"
_TAG = "rollout/ep_rew_mean"
_FRAME = (320, 240)  # pixels
_PANEL = (300, 230)  # pixels
_COLUMNS = 3
_AT = 0.7  # of an episode: where its frame is taken
_TEXT = """\
# Results of training

<!-- written by python -m benchmarks.training -->

`python -m benchmarks.training` trains each task over {seeds} seeds with PPO and the settings of
`unibody train` (`src/unibody/envs/training_settings.py`), then writes this page. It goes on where
it was interrupted.

![Mean return of an episode over steps, a line a seed](images/training_curves.png)

The policy of the last checkpoint plays an episode in each of 16 worlds that it has not seen,
without chance in its actions. Where a task has levels of difficulty, these worlds are spread over
all of them. Returns, metres (of the body on the ground, from the first to the
last step) and successes (at the end of the episode) are means of the episodes, a number a seed;
behind them stand those of random actions.

| task | library | seeds: steps | minutes | return | random | metres | random | success | random |
|---|---|---|---|---|---|---|---|---|---|
{rows}

Where fewer steps or seeds were made than planned, the same command goes on. Tasks that were not
trained in its last run keep what they had, maybe from another machine.

{errors}

{machine}

![A frame of each trained policy](images/training_frames.png)

Frames, from left to right and from top to bottom: {tasks}.
"""


class Curve(NamedTuple):
    """A training as TensorBoard knows it.

    Attributes:
        steps: (n,).
        returns: Mean of the last episodes at that step, (n,).
        seconds: That the training took.
    """

    steps: Any
    returns: Any
    seconds: float


def curve_of(folder: Path) -> Curve:
    """What a training logged, also if it was interrupted and went on."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    points: list[tuple[int, float]] = []
    seconds = 0.0
    for file in sorted(folder.rglob("events.out.tfevents*"), key=lambda path: path.stat().st_mtime):
        events = EventAccumulator(str(file), {"scalars": 0}).Reload()
        if _TAG in events.Tags()["scalars"]:
            scalars = events.Scalars(_TAG)
            points += [(each.step, each.value) for each in scalars]
            seconds += scalars[-1].wall_time - events.FirstEventTimestamp()
    steps, returns = np.array(sorted(points), np.float64).reshape(-1, 2).T
    return Curve(steps, returns, seconds)


class Seed(NamedTuple):
    """A training of a task.

    Attributes:
        curve: See ``Curve``.
        result: See ``benchmarks.training.Result``.
        folder: Of the training.
    """

    curve: Curve
    result: dict[str, Any]
    folder: Path


def write_page(folder: Path, tasks: Sequence[str], seeds: int) -> None:
    """Write the page and its pictures; of tasks without a training there, what they had stays."""
    found: dict[str, list[Seed]] = {}
    for task in tasks:
        own = [folder / f"{task}-v0" / f"seed_{seed}" for seed in range(seeds)]
        found[task] = [
            Seed(curve_of(each), json.loads((each / "result.json").read_text()), each)
            for each in own
            if (each / "result.json").exists()
        ]
    page_before = (_DOCS / "training_results.md").read_text(encoding="utf-8")
    rows: list[str] = []
    for task, own in found.items():
        if own:
            noted = json.loads((folder / f"{task}-v0.random.json").read_text())
            rows.append(row_of(task, own, noted, seeds))
        else:
            lines = page_before.splitlines()
            rows += [line for line in lines if line.startswith(f"| `{task}-v0` |")]
    trained = {task: own for task, own in found.items() if own}
    curves = {task: _panel(task, own) for task, own in trained.items()}
    frames = {task: frame_of(task, _best(own).folder) for task, own in trained.items()}
    _montage(tasks, curves, _PANEL, _DOCS / "images" / "training_curves.png")
    _montage(tasks, frames, _FRAME, _DOCS / "images" / "training_frames.png")
    page = _TEXT.format(
        seeds=seeds,
        rows="\n".join(rows),
        errors="\n\n".join(errors_of(folder, task, own) for task, own in trained.items()).strip(),
        machine=_machine(),
        tasks=", ".join(tasks),
    )
    (_DOCS / "training_results.md").write_text(page, encoding="utf-8")


def _best(trained: list[Seed]) -> Seed:
    return max(trained, key=lambda each: each.result["returns"])


def row_of(task: str, trained: list[Seed], chance: dict[str, Any], seeds: int) -> str:
    """A line of the table; it says which steps are missing."""
    planned = settings_of(f"unibody/{task}-v0").steps
    done = [f"{int(each.curve.steps[-1]):,}".replace(",", " ") for each in trained]
    missing = seeds - len(trained)
    said = f"{len(trained)}: {', '.join(done)}" if trained else "none"
    late = [each for each in trained if each.curve.steps[-1] < 0.95 * planned]
    if missing or late:
        said += f"; planned {seeds} x {planned:,}".replace(",", " ")

    def values(name: str, form: str) -> list[str]:
        own = [each.result[name] for each in trained]
        parts = [", ".join(format(value, form) for value in own), format(chance[name], form)]
        return parts if trained else ["", parts[1]]

    minutes = ", ".join(f"{each.curve.seconds / 60.0:.1f}" for each in trained)
    library = settings_of(f"unibody/{task}-v0").library
    cells = [f"`{task}-v0`", library, said, minutes, *values("returns", ".4g")]
    cells += values("metres", ".1f") if _goes(task) else ["", ""]
    cells += values("success", ".0%") if chance["success"] is not None else ["", ""]
    return f"| {' | '.join(cells)} |"


def errors_of(folder: Path, task: str, trained: list[Seed]) -> str:
    """How far a robot is from its commands; "" for tasks without any."""
    if not trained[0].result["off"]:
        return ""
    chance = json.loads((folder / f"{task}-v0.random.json").read_text())["off"]
    speeds, turns = (
        ", ".join(f"{each.result['off'][axis]:.2f}" for each in trained) for axis in range(2)
    )
    return (
        f"`{task}-v0`: the velocity is {speeds} m/s off its command in the mean, and the turn\n"
        f"{turns} rad/s; with random actions {chance[0]:.2f} m/s and {chance[1]:.2f} rad/s."
    )


def _goes(task: str) -> bool:
    """Whether its body is to get somewhere: the picture follows it then."""
    from unibody.envs.registry import TASKS, task_class

    return bool(task_class(TASKS[f"unibody/{task}-v0"].task).view.follow)


def _panel(task: str, trained: list[Seed]) -> Any:
    """The curves of a task, a line a seed, (height, width, 3)."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    width, height = _PANEL
    figure, axis = pyplot.subplots(figsize=(width / 100, height / 100), layout="constrained")
    for each in trained:
        axis.plot(each.curve.steps / 1000.0, each.curve.returns, linewidth=1.0)
    axis.set_title(task, fontsize=9)
    axis.tick_params(labelsize=7)
    axis.grid(alpha=0.3)
    axis.set_xlabel("thousand steps", fontsize=8)
    axis.set_ylabel("mean return", fontsize=8)
    canvas: Any = figure.canvas
    canvas.draw()
    picture = np.array(canvas.buffer_rgba())[:, :, :3]
    pyplot.close(figure)
    return picture


def frame_of(task: str, policy: Path) -> Any:
    """A picture of an episode of a policy or of the last one of a training, (height, width, 3)."""
    act = policy_of_checkpoint(policy)
    env: Any = gymnasium.make_vec(
        f"unibody/{task}-v0", num_envs=1, render_mode="rgb_array", autoreset_mode="Disabled"
    )
    spec = gymnasium.spec(f"unibody/{task}-v0")
    observations, _ = env.reset(seed=5)
    for _ in range(int(_AT * min(spec.max_episode_steps or 100, 200))):
        observations, _, ends, _, _ = env.step(act(observations))
        if ends[0]:
            break
    picture = env.render()[0]
    env.close()
    return picture


def _montage(
    tasks: Sequence[str], pictures: dict[str, Any], size: tuple[int, int], file: Path
) -> None:
    """Pictures of tasks in rows of three; of tasks without one, that of the file stays."""
    width, height = size
    whole = Image.new("RGB", (_COLUMNS * width, -(-len(tasks) // _COLUMNS) * height), "white")
    before = Image.open(file).convert("RGB") if file.exists() else whole
    for number, task in enumerate(tasks):
        x, y = number % _COLUMNS * width, number // _COLUMNS * height
        if task in pictures:
            small = Image.fromarray(pictures[task]).resize(size, Image.Resampling.LANCZOS)
        else:
            small = before.crop((x, y, x + width, y + height))
        whole.paste(small, (x, y))
    whole.quantize(128).save(file, optimize=True)


def _machine() -> str:
    """The hardware, and what it was loaded with."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        pass
    load = f"{os.getloadavg()[0]:.0f}" if hasattr(os, "getloadavg") else "unknown"
    return (
        f"Trained on {os.cpu_count()} cores ({model}), one training at a time, torch in one\n"
        f"thread, no GPU. The load when the page was written was {load}: the minutes are those of\n"
        "a machine that others use as well."
    )
