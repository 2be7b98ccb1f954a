"""Tasks on Warp devices: what they do there is what they do on the processor, in float32."""

from __future__ import annotations

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("mujoco_warp")

from tests.core.engine.worlds.devices import DEVICES  # noqa: E402
from unibody.envs.registry import full_name  # noqa: E402
from unibody.errors import InvalidArgumentError  # noqa: E402


def played(name: str, device: str, worlds: int, steps: int) -> np.ndarray:
    """Observations of some worlds, a row a step."""
    space = gymnasium.make_vec(full_name(name), num_envs=5).action_space
    space.seed(1)
    env = gymnasium.make_vec(full_name(name), num_envs=worlds, device=device)
    rows = [env.reset(seed=5)[0]]
    rows += [env.step(space.sample()[:worlds])[0] for _ in range(steps)]
    return np.array(rows)


@pytest.mark.parametrize("device", DEVICES[1:])
@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("CartPole", 1e-5),
        # impacts amplify what float32 rounds; the hard contacts of its foot are softer there
        ("Hopper", 0.02),
    ],
)
def test_a_device_plays_what_the_processor_plays(name: str, allowed: float, device: str) -> None:
    ours, theirs = played(name, "cpu", 5, 12), played(name, device, 5, 12)
    np.testing.assert_allclose(theirs, ours, atol=allowed)


def test_a_world_on_a_device_has_the_bits_that_it_has_alone() -> None:
    many, alone = (played("CartPole", "warp-cpu", n, 12) for n in (5, 1))
    np.testing.assert_array_equal(many[:, :1], alone)


def test_a_device_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(InvalidArgumentError, match=r"device='tpu' .* 'warp-cpu'"):
        gymnasium.make_vec(full_name("CartPole"), num_envs=1, device="tpu")
