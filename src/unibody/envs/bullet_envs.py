"""The environments of ``pybullet_envs`` under Gymnasium, with the physics of unibody.

Observations and rewards are the original's own code: ``pybullet_envs`` of the user's wheel is
loaded once more, with ``pybullet`` and ``gym`` meaning what is here. Who imports ``pybullet_envs``
elsewhere gets the original.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium
import numpy as np

from unibody.errors import InvalidArgumentError, NotSupportedError

if TYPE_CHECKING:
    from gymnasium.spaces import Space


class OldName(NamedTuple):
    """An environment of the original.

    Attributes:
        module: Of ``pybullet_envs``.
        name: Of the class.
        steps: Of an episode at most.
    """

    module: str
    name: str
    steps: int


def _family(module: str, steps: int, *names: str) -> dict[str, OldName]:
    return {f"{name}-v0": OldName(module, name, steps) for name in names}


OLD_NAMES: dict[str, OldName] = {
    **_family(
        "gym_pendulum_envs",
        1000,
        "InvertedPendulumBulletEnv",
        "InvertedDoublePendulumBulletEnv",
        "InvertedPendulumSwingupBulletEnv",
    ),
    **_family(
        "gym_locomotion_envs",
        1000,
        "HopperBulletEnv",
        "Walker2DBulletEnv",
        "HalfCheetahBulletEnv",
        "AntBulletEnv",
        "HumanoidBulletEnv",
    ),
    **_family("gym_manipulator_envs", 150, "ReacherBulletEnv", "PusherBulletEnv"),
    **_family("gym_manipulator_envs", 100, "ThrowerBulletEnv"),
}
"""By the id that scripts know."""

_PACKAGE = "pybullet_envs"
_BESIDE = ("robot_bases", "robot_locomotors", "robot_manipulators", "robot_pendula", "scene_")


class OldBulletEnv(gymnasium.Env[Any, Any]):
    """An environment of the original, in Gymnasium's interface.

    Attributes:
        original: The original's object.
    """

    def __init__(self, original: str, render_mode: str | None = None) -> None:
        """Make one.

        Args:
            original: One of ``OLD_NAMES``.
            render_mode: "rgb_array" or None.

        Raises:
            InvalidArgumentError: There is no such environment or render mode.
            NotSupportedError: ``pybullet_envs`` is not installed.
        """
        if original not in OLD_NAMES:
            raise InvalidArgumentError("original", original, f"one of {sorted(OLD_NAMES)}")
        if render_mode not in (None, "rgb_array"):
            raise InvalidArgumentError("render_mode", render_mode, "'rgb_array' or None")
        self.render_mode = render_mode
        self.metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 60}
        entry = OLD_NAMES[original]
        self.original: Any = getattr(_module(entry.module), entry.name)()
        self.observation_space: Space[Any] = self.original.observation_space
        self.action_space: Space[Any] = self.original.action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        super().reset(seed=seed)
        if seed is not None:
            self.original.np_random = self.original.robot.np_random = self.np_random
        return self._observed(self.original.reset()), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Step the world; terms of the reward are in the infos where the original tells them."""
        observation, reward, done, _ = self.original.step(np.asarray(action))
        terms = [float(term) for term in getattr(self.original, "rewards", [])]
        infos = {f"reward_{number}": term for number, term in enumerate(terms)}
        return self._observed(observation), float(reward), bool(done), False, infos

    def _observed(self, observation: Any) -> Any:
        return np.array(observation, np.float32)

    def render(self) -> Any:
        """A picture, (height, width, 3) of uint8."""
        if self.render_mode is None:
            return None
        return np.ascontiguousarray(self.original.render("rgb_array")[..., :3])

    def close(self) -> None:
        """End the world."""
        self.original.close()


@functools.cache
def _module(name: str) -> Any:
    """A module of ``pybullet_envs``, on unibody.

    Raises:
        NotSupportedError: It is not installed.
    """
    found = importlib.util.find_spec(_PACKAGE) if _PACKAGE not in sys.modules else True
    if found is None:
        what = "the environments of pybullet_envs without it"
        raise NotSupportedError(what, "pip install pybullet, whose wheel has it")
    bullet = importlib.import_module("unibody.bullet")
    client = importlib.import_module("unibody.bullet.pybullet_utils.bullet_client")
    with originals_on(bullet, client):
        return importlib.import_module(f"{_PACKAGE}.{name}")


@contextmanager
def originals_on(bullet: ModuleType, client: ModuleType) -> Iterator[None]:
    """Let modules of the original that are imported meanwhile get these.

    Args:
        bullet: In place of ``pybullet``.
        client: In place of ``pybullet_utils.bullet_client``.
    """
    ours = {
        "pybullet": bullet,
        "pybullet_utils": _named("pybullet_utils", bullet_client=client),
        "pybullet_utils.bullet_client": client,
        "pkg_resources": _named("pkg_resources", parse_version=str),
        **_gym(),
    }
    mine = [name for name in sys.modules if _is_theirs(name)]
    before = {name: sys.modules.pop(name) for name in mine}
    before |= {name: sys.modules[name] for name in ours if name in sys.modules}
    path, sys.path[:0] = list(sys.path), [str(_folder())]
    sys.modules.update(ours)
    try:
        yield
    finally:
        sys.path[:] = path
        for name in [*ours, *(n for n in sys.modules if _is_theirs(n))]:
            del sys.modules[name]
        sys.modules.update(before)


def _folder() -> Path:
    spec = importlib.util.find_spec(_PACKAGE)
    places = spec.submodule_search_locations if spec is not None else None
    return Path((places or ["."])[0])


def _is_theirs(name: str) -> bool:
    return name == _PACKAGE or name.startswith((f"{_PACKAGE}.", *_BESIDE))


def _named(module: str, **names: Any) -> ModuleType:
    made = ModuleType(module)
    vars(made).update(names)
    return made


class _Env:
    """What the original's classes stand on."""


def _gym() -> dict[str, ModuleType]:
    """As much of ``gym`` as the original needs, from Gymnasium."""

    def ignored(*_args: Any, **_options: Any) -> None:
        """Environments are registered here."""

    specs = SimpleNamespace(env_specs={})
    registration = _named(
        "gym.envs.registration", register=ignored, registry=specs, make=ignored, spec=ignored
    )
    seeding = importlib.import_module("gymnasium.utils.seeding")
    spaces = importlib.import_module("gymnasium.spaces")
    utils = _named("gym.utils", seeding=seeding)
    envs = _named("gym.envs", registration=registration)
    gym = _named("gym", __version__="0.9.0", Env=_Env, spaces=spaces, utils=utils, envs=envs)
    found = (gym, utils, envs, registration)
    return {
        **{module.__name__: module for module in found},
        "gym.spaces": spaces,
        "gym.utils.seeding": seeding,
    }


def register_all() -> None:
    """Let Gymnasium know the old names that it does not know yet."""
    for name, entry in OLD_NAMES.items():
        if name not in gymnasium.registry:
            gymnasium.register(
                id=name,
                entry_point="unibody.envs.bullet_envs:OldBulletEnv",
                max_episode_steps=entry.steps,
                kwargs={"original": name},
            )
