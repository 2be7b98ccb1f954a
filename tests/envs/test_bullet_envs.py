"""The old names of ``pybullet_envs``, against the original on PyBullet."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
pybullet = pytest.importorskip("pybullet")
pytest.importorskip("pybullet_data")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from unibody.envs import bullet_envs  # noqa: E402
from unibody.errors import InvalidArgumentError, NotSupportedError  # noqa: E402

ALL = pytest.mark.parametrize("name", bullet_envs.OLD_NAMES)


def _original(name: str) -> Any:
    """The original's environment on PyBullet."""
    from pybullet_utils import bullet_client

    entry = bullet_envs.OLD_NAMES[name]
    with bullet_envs.originals_on(pybullet, bullet_client):
        module = importlib.import_module(f"pybullet_envs.{entry.module}")
        return getattr(module, entry.name)()


@ALL
def test_an_old_name_begins_as_the_original_and_sees_and_pays_the_same(name: str) -> None:
    ours = gymnasium.make(name).unwrapped
    theirs = _original(name)
    mine, _ = ours.reset(seed=1)
    theirs.np_random = theirs.robot.np_random = gymnasium.utils.seeding.np_random(1)[0]
    other = theirs.reset()
    assert ours.observation_space == theirs.observation_space
    # the same numbers in, the same formulas: what differs is the float32 of poses that Bullet keeps
    assert mine == pytest.approx(np.asarray(other), abs=2e-4)
    still = np.zeros(ours.action_space.shape)
    for _ in range(2):
        _, reward, end, _, _ = ours.step(still)
        _, wanted, done, _ = theirs.step(still)
        assert end == bool(done)
        # rewards are differences of places over 16 ms: a tenth of a millimetre is 0.006
        assert reward == pytest.approx(float(wanted), abs=0.05)
    ours.close()
    theirs.close()


@pytest.mark.parametrize("name", ["InvertedPendulumBulletEnv-v0", "HopperBulletEnv-v0"])
def test_an_old_name_passes_the_check_of_gymnasium(name: str) -> None:
    env = gymnasium.make(name).unwrapped
    check_env(env, skip_render_check=True)
    env.close()


@pytest.mark.parametrize("family", ["InvertedDoublePendulum", "Hopper"])
def test_the_shipped_agent_scores_what_it_scores_on_pybullet(family: str) -> None:
    name = f"{family}BulletEnv-v0"
    policy = _policy(f"enjoy_TF_{family}BulletEnv_v0_2017may.py")
    ours = gymnasium.make(name)
    theirs = _original(name)
    pi = policy(ours.observation_space, ours.action_space)
    theirs.np_random = theirs.robot.np_random = gymnasium.utils.seeding.np_random(0)[0]
    seen, other = ours.reset(seed=0)[0], theirs.reset()
    score = wanted = 0.0
    for _ in range(300):
        seen, reward, *_ = ours.step(pi.act(seen))
        other, pay, *_ = theirs.step(pi.act(other))
        score, wanted = score + reward, wanted + float(pay)
    assert score == pytest.approx(wanted, rel=0.1)
    assert wanted > 300.0  # the agent does what it was trained for


def _policy(file: str) -> Any:
    """The class of a policy in one of the original's examples, without what the example runs."""
    folder = Path(importlib.util.find_spec("pybullet_envs").origin).parent / "examples"
    text = (folder / file).read_text()
    text = re.sub(r"^(import (gym|pybullet_envs)|os\.sys\.path\.insert.*)$", "", text, flags=re.M)
    names: dict[str, Any] = {"__name__": "example", "__file__": str(folder / file)}
    exec(compile(text, file, "exec"), names)
    return names["SmallReactivePolicy"]


def test_the_originals_own_modules_stay_what_they_are() -> None:
    before = sys.modules.get("pybullet")
    gymnasium.make("InvertedPendulumBulletEnv-v0").close()
    assert sys.modules.get("pybullet") is before
    left = [name for name in sys.modules if name.split(".")[0] in {"gym", "robot_bases"}]
    assert left == []


def test_a_name_that_is_not_there_and_a_missing_wheel_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(InvalidArgumentError, match="AntBulletEnv-v0"):
        bullet_envs.OldBulletEnv("AntBullet-v0")
    bullet_envs._module.cache_clear()
    monkeypatch.setattr(bullet_envs.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NotSupportedError, match="pip install pybullet"):
        bullet_envs.OldBulletEnv("AntBulletEnv-v0")
    bullet_envs._module.cache_clear()
