"""Bodies and colliders that come to a stage, or leave it, while it is in motion."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unibody.isaac_core import handles
from unibody.isaac_core.functions.collisions import ray_cast
from unibody.isaac_core.objects import DynamicCuboid, FixedCuboid
from unibody.isaac_core.world.world import World

DOWN = np.array([math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0])  # the x axis looks down
G = 9.81


def _play(world: World, steps: int) -> None:
    for _ in range(steps):
        world.step(render=False)


def _box(name: str, height: float, x: float = 0.0) -> DynamicCuboid:
    return DynamicCuboid(f"/World/{name}", name, np.array([x, 0.0, height]), size=0.2, mass=1.0)


def test_a_box_that_comes_while_others_fall_falls_too_and_these_go_on_as_they_were() -> None:
    places = []
    for comes in (False, True):
        world = World()
        world.scene.add_default_ground_plane()
        old = _box("old", 3.0)
        world.reset()
        _play(world, 10)
        new = _box("new", 5.0, x=2.0) if comes else None
        _play(world, 20)
        places.append((old.get_world_pose()[0], old.get_linear_velocity()))
        if new is not None:
            new.initialize()
            steps, dt = 20, world.get_physics_dt()
            assert new.get_linear_velocity()[2] == pytest.approx(-G * steps * dt, rel=1e-4)
            _play(world, 120)
            assert new.get_world_pose()[0] == pytest.approx([2.0, 0.0, 0.1], abs=1e-3)
        world.clear_instance()
        world.stop()
        from unibody.isaac_core.kit import context

        context.get_context().new_stage()
    for one, other in zip(*places, strict=True):
        assert other == pytest.approx(one, abs=1e-6)


def test_the_first_body_of_a_stage_in_motion_lands_on_what_is_there() -> None:
    world = World()
    world.scene.add_default_ground_plane()
    world.reset()
    _play(world, 3)
    box = _box("box", 1.0)
    _play(world, 120)
    box.initialize()
    assert box.get_world_pose()[0][2] == pytest.approx(0.1, abs=1e-3)


def test_a_shelf_that_comes_holds_a_box_until_it_is_deleted() -> None:
    world = World()
    world.scene.add_default_ground_plane()
    box = _box("box", 2.0)
    world.reset()
    shelf = FixedCuboid(
        "/World/shelf", "shelf", np.array([0.0, 0.0, 1.0]),
        size=1.0, scale=np.array([1.0, 1.0, 0.2]),
    )  # fmt: skip
    _play(world, 120)
    assert box.get_world_pose()[0][2] == pytest.approx(1.2, abs=1e-3)
    assert ray_cast(np.array([0.4, 0.0, 5.0]), DOWN, np.zeros(3))[0] == "/World/shelf"
    handles.current_stage().RemovePrim(shelf.prim_path)
    _play(world, 120)
    assert box.get_world_pose()[0][2] == pytest.approx(0.1, abs=1e-3)
