"""Robots move as the original moves them: data/reference.npz, from `make_reference`.

A millimetre and a milliradian a step is what the project promises. The reference is kept as
32-bit numbers, which is a thousandth of that.
"""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
MILLI = 1e-3  # m and rad


def _scenes():
    spec = importlib.util.spec_from_file_location("fleet_scenes", HERE / "reference_scenes.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


scenes = _scenes()


@functools.cache
def reference():
    with np.load(HERE / "data" / "reference.npz") as file:
        return {name: file[name].astype(float) for name in file.files}


@functools.cache
def carried():
    return {name: np.array(poses) for name, poses in scenes.carry("unibody.fleet").items()}


def angles(a, b):
    """Angles between orientations (n, 4) [rad]."""
    a = a / np.linalg.norm(a, axis=1, keepdims=True)
    b = b / np.linalg.norm(b, axis=1, keepdims=True)
    near = np.minimum(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
    return 4.0 * np.arcsin(np.minimum(0.5 * near, 1.0))


@pytest.mark.parametrize("number", range(scenes.PATHS))
@pytest.mark.parametrize("kind", scenes.KINDS)
def test_a_path_is_followed_as_the_original_follows_it(kind, number):
    expected = reference()[f"{kind}_{number}"]
    found = np.array(scenes.follow("unibody.fleet", kind, number))
    assert np.ptp(expected[:, :3], axis=0).max() > 0.2
    assert np.abs(found[:, :3] - expected[:, :3]).max() < MILLI
    assert angles(found[:, 3:], expected[:, 3:]).max() < MILLI


@pytest.mark.parametrize("kind", scenes.TURNING)
def test_a_robot_turns_about_the_way_round_that_the_original_turns(kind):
    expected = reference()[f"turn_{kind}"]
    found = np.array(scenes.turn_about("unibody.fleet", kind))
    for part in (slice(0, 4), slice(4, 8)):
        assert angles(found[:, part], expected[:, part]).max() < MILLI
    turned = angles(expected[:, :4], expected[:, 4:])
    assert (turned > 0.1).sum() > 100


@pytest.mark.parametrize("name", ["robot", "first", "second"])
def test_what_is_picked_up_and_put_down_is_where_the_original_puts_it(name):
    expected, found = reference()[f"carry_{name}"], carried()[name]
    assert np.linalg.norm(expected[-1, :3] - expected[0, :3]) > (0.5 if name != "robot" else -1)
    assert np.abs(found[-1, :3] - expected[-1, :3]).max() < MILLI
    assert angles(found[-1:, 3:], expected[-1:, 3:]).max() < MILLI
    assert np.abs(found[:, :3] - expected[:, :3]).max() < MILLI
