"""The tasks by name, and how Gymnasium makes environments of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import gymnasium

from unibody.command_parser import meant
from unibody.envs.task import Task
from unibody.errors import InvalidArgumentError


class Entry(NamedTuple):
    """A task.

    Attributes:
        task: Its class, as ``module:name``.
        steps: Of an episode at most.
        options: Arguments of the class.
        solved: The return from which it counts as solved; None: nobody said.
    """

    task: str
    steps: int
    options: dict[str, Any] | None = None
    solved: float | None = None


_TASKS = "unibody.envs.tasks"

TASKS: dict[str, Entry] = {
    "unibody/CartPole-v0": Entry(f"{_TASKS}.cartpole:CartPole", 500, solved=475.0),
    "unibody/Pendulum-v0": Entry(f"{_TASKS}.pendulum:Pendulum", 200),
    "unibody/Acrobot-v0": Entry(f"{_TASKS}.acrobot:Acrobot", 500, solved=-100.0),
    "unibody/Hopper-v0": Entry(f"{_TASKS}.hopper:Hopper", 1000),
    "unibody/Ant-v0": Entry(f"{_TASKS}.ant:Ant", 1000),
    "unibody/Humanoid-v0": Entry(f"{_TASKS}.humanoid:Humanoid", 1000),
    "unibody/Reach-v0": Entry(f"{_TASKS}.reach:Reach", 75),
    "unibody/QuadrupedFlat-v0": Entry(f"{_TASKS}.quadruped:QuadrupedFlat", 500),
    "unibody/QuadrupedRough-v0": Entry(f"{_TASKS}.quadruped_rough:QuadrupedRough", 500),
    "unibody/Push-v0": Entry(f"{_TASKS}.push:Push", 100),
    "unibody/PickAndPlace-v0": Entry(f"{_TASKS}.pick_and_place:PickAndPlace", 100),
    "unibody/Stack-v0": Entry(f"{_TASKS}.stack:Stack", 120),
    "unibody/Drawer-v0": Entry(f"{_TASKS}.drawer:Drawer", 100),
    "unibody/Peg-v0": Entry(f"{_TASKS}.peg:Peg", 120),
    "unibody/Cloth-v0": Entry(f"{_TASKS}.cloth:ClothFold", 100),
    "unibody/Navigation-v0": Entry(f"{_TASKS}.navigation:Navigation", 200),
}
"""By the id under which Gymnasium knows them."""


def full_name(name: str) -> str:
    """The id of a task of ours that is named in short: "Ant" is "unibody/Ant-v0".

    Raises:
        InvalidArgumentError: Gymnasium knows no such task.
    """
    for form in (name, f"unibody/{name}", f"unibody/{name}-v0"):
        if form in gymnasium.registry:
            return form
    known = [
        each for each, spec in gymnasium.registry.items() if "unibody." in str(spec.entry_point)
    ]
    short = [each.rpartition("/")[2].removesuffix("-v0") for each in known]
    hint = meant(name, [*known, *short])
    raise InvalidArgumentError("task", name, f"one of {sorted(known)}{hint}")


def task_class(path: str) -> type[Task]:
    """The class of a task.

    Args:
        path: As ``module:name``.

    Raises:
        InvalidArgumentError: It is not the name of a task.
    """
    module, _, name = path.partition(":")
    found = getattr(import_module(module), name, None) if module and name else None
    if not (isinstance(found, type) and issubclass(found, Task)):
        raise InvalidArgumentError("task", path, "module:name of a subclass of Task")
    return found


def make_single(task: str, **options: Any) -> gymnasium.Env[Any, Any]:
    """What ``gymnasium.make`` calls; see ``TaskEnv``."""
    from unibody.envs.single import TaskEnv

    return TaskEnv(*_made(task, options), **options)


def make_vector(task: str, num_envs: int = 1, **options: Any) -> Any:
    """What ``gymnasium.make_vec`` calls; see ``TaskVectorEnv``."""
    from unibody.envs.vector import TaskVectorEnv

    return TaskVectorEnv(*_made(task, options), num_envs, **options)


def _made(task: str, options: dict[str, Any]) -> tuple[Task]:
    """The task, made with those of the options that are its own (``task_options``)."""
    return (task_class(task)(**(options.pop("task_options", None) or {})),)


def register(name: str, task: str, steps: int, **options: Any) -> None:
    """Let Gymnasium know a task.

    Args:
        name: Its id, such as "mine/Reach-v0".
        task: Its class, as ``module:name``.
        steps: Of an episode at most.
        options: Arguments of the class.
    """
    _register(name, Entry(task, steps, options))


def _register(name: str, entry: Entry) -> None:
    own: dict[str, Any] = {"task": entry.task}
    if entry.options:
        own["task_options"] = entry.options
    gymnasium.register(
        id=name,
        entry_point="unibody.envs.registry:make_single",
        vector_entry_point="unibody.envs.registry:make_vector",
        max_episode_steps=entry.steps,
        reward_threshold=entry.solved,
        kwargs=own,
    )


def register_all() -> None:
    """Let Gymnasium know all tasks that it does not know yet."""
    for name, entry in TASKS.items():
        if name not in gymnasium.registry:
            _register(name, entry)
