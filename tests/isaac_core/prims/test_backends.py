"""Views and prims give the same numbers in all libraries, on the CPU and on Warp's CPU device."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.isaac_core.physics.stages import (
    add_cartpole,
    add_cube,
    add_environments,
    add_ground,
    metric_stage,
)
from unibody.errors import InvalidArgumentError
from unibody.isaac_core.kit import context
from unibody.isaac_core.prims.articulation import Articulation
from unibody.isaac_core.prims.articulation_view import ArticulationView
from unibody.isaac_core.prims.rigid import RigidPrim
from unibody.isaac_core.prims.rigid_view import RigidPrimView
from unibody.isaac_core.world.world import World

# Of one engine in float64, rounded to float32; and of another in float32, as far as it is asked.
SAME, OTHER_ENGINE = 1e-6, 1e-4
STEPS = 20
MODES = "set_effort_modes"  # takes the one word that all joints have, and reads one for each


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "detach") or hasattr(value, "numpy"):
        return np.array(value.detach().numpy() if hasattr(value, "detach") else value.numpy())
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value).__module__.startswith("unibody") and hasattr(value, "__dict__"):
        shown = {key: one for key, one in vars(value).items() if not key.startswith("_")}
        return {key: _plain(one) for key, one in shown.items()}
    return value


def _assert_same(found: Any, expected: Any, tolerance: float, where: str) -> None:
    assert type(found) is type(expected), where
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key in expected:
            _assert_same(found[key], expected[key], tolerance, f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for one, other in zip(found, expected, strict=True):
            _assert_same(one, other, tolerance, where)
    elif isinstance(expected, float) or getattr(expected, "dtype", np.dtype(object)).kind in "fiub":
        kept = np.asarray(expected, float)
        size = np.maximum(1.0, np.abs(kept))  # absolute below 1, relative above
        there = np.asarray(found, float)
        assert there.shape == kept.shape, where
        np.testing.assert_allclose(there / size, kept / size, atol=tolerance, err_msg=where)
    elif isinstance(expected, str | int | type(None)):
        assert found == expected, where


def _called(target: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name in dir(target):
        if name.startswith(prefix) and callable(getattr(target, name)):
            method = getattr(target, name)
            kinds = inspect.signature(method).parameters.values()
            needs = any(p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD for p in kinds)
            if prefix == "set_" or not needs:
                yield name, method


def _answers(backend: str, device: str) -> dict[str, Any]:
    """What all getters give after some steps; then setters give back what was read."""
    World.clear_instance()
    context.get_context().new_stage()
    world = World(backend=backend, device=device)
    stage = metric_stage()
    add_environments(stage, 2)
    add_cartpole(stage, "/World/envs/env_0/Robot")
    add_cube(stage, "/World/envs/env_0/Cube", (0.0, 3.0, 0.6))
    add_ground(stage)
    robots = ArticulationView("/World/envs/.*/Robot", "robots")
    cubes = RigidPrimView(
        "/World/envs/.*/Cube", "cubes", contact_filter_prim_paths_expr=["/World/ground"],
        max_contact_count=16,
    )  # fmt: skip
    seen = {
        "robots": robots,
        "cubes": cubes,
        "robot": Articulation("/World/envs/env_0/Robot", "robot"),
        "cube": RigidPrim("/World/envs/env_0/Cube", "cube"),
    }
    for one in seen.values():
        world.scene.add(one)
    world.reset()
    convert = world.backend_utils.convert
    robots.set_joint_positions(convert([[0.1, 0.2], [-0.1, 0.3]], device=world.device))
    robots.set_joint_velocity_targets(convert([[0.5, 0.0], [0.2, 0.0]], device=world.device))
    for _ in range(STEPS):
        world.step(render=False)
    found = {
        f"{key}.{name}": _plain(method())
        for key, one in seen.items()
        for prefix in ("get_", "is_")
        for name, method in _called(one, prefix)
    }
    for key, one in seen.items():
        for name, method in _called(one, "set_"):
            read = found.get(f"{key}.g{name[1:]}")
            if read is None or name == MODES or isinstance(read, dict):
                continue
            value = getattr(one, f"g{name[1:]}")()
            method(*value) if isinstance(value, tuple) else method(value)
            again = _plain(getattr(one, f"g{name[1:]}")())
            _assert_same(again, _plain(value), 1e-5, f"{backend} on {device}: {key}.{name}")
    World.clear_instance()
    return found


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    found = _answers("numpy", "cpu")
    assert len(found) > 100
    return found


@pytest.mark.parametrize("backend", ["torch", "warp"])
def test_all_getters_give_the_numbers_of_numpy_and_setters_take_what_they_give(
    backend: str, expected: dict[str, Any]
) -> None:
    pytest.importorskip(backend)
    found = _answers(backend, "cpu")
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        _assert_same(found[name], value, SAME, name)


@pytest.mark.parametrize("backend", ["numpy", "torch"])
def test_all_getters_give_the_same_numbers_on_a_warp_device(
    backend: str, expected: dict[str, Any]
) -> None:
    for package in ("mujoco_warp", backend):
        pytest.importorskip(package)
    found = _answers(backend, "warp-cpu")
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        _assert_same(found[name], value, OTHER_ENGINE, name)


@pytest.mark.parametrize("backend", ["numpy", "torch", "warp"])
def test_an_array_of_another_shape_is_refused_with_the_shape_that_is_wanted(backend: str) -> None:
    pytest.importorskip(backend)
    World.clear_instance()
    world = World(backend=backend)
    add_cartpole(metric_stage(), "/World/Robot")
    robots = ArticulationView("/World/Robot", "robots")
    world.scene.add(robots)
    world.reset()
    convert = world.backend_utils.convert
    try:
        with pytest.raises(InvalidArgumentError, match=r"\(1, 2\)"):
            robots.set_joint_positions(convert([[0.0, 0.0, 0.0]], device="cpu"))
        with pytest.raises(InvalidArgumentError, match=r"\(1, 3\)"):
            robots.set_linear_velocities(convert([[0.0, 0.0]], device="cpu"))
    finally:
        World.clear_instance()
