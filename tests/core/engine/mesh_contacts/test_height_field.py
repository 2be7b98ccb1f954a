"""Height fields: contacts like those of the same triangles as a mesh, and solid below."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from tests.core.engine.mesh_contacts.surfaces import (
    BODY,
    GROUND,
    SHAPES,
    Mesh,
    asset_of,
    run,
    scene_with,
    sheet,
)
from unibody.core.assets.description import (
    Asset,
    HeightfieldData,
    Joint,
    JointType,
    Link,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.worlds import make_worlds

CELLS, SIZE = 12, 2.4  # of a sheet: cells of 0.2 m
FLOAT32 = 1e-6  # m: heights are kept in single precision


def hills(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return 0.05 * np.sin(7.0 * x) * np.cos(5.0 * y) + 0.2 * (x > 0.5)


def field_of(mesh: Mesh) -> Shape:
    """A sheet as a height field."""
    count = CELLS + 1
    heights = mesh[0][:, 2].reshape(count, count).T.ravel()
    data = HeightfieldData(count, count, tuple(heights.tolist()), (SIZE / CELLS, SIZE / CELLS))
    return Shape(ShapeKind.HEIGHTFIELD, heightfield=data)


def field_scene(mesh: Mesh, shape: Shape, pose: Pose, restitution: float = 0.0) -> Scene:
    """A body of one shape above a height field."""
    scene = Scene(WorldOptions(gravity=(0.0, 0.0, -9.8), contact_reach=0.02))
    fixed = BodyOptions(fixed=True, friction=(1.0, 0.0, 0.0), restitution=restitution)
    scene.add(GROUND, asset_of(field_of(mesh)), fixed)
    scene.add(BODY, asset_of(shape), BodyOptions(pose=pose, restitution=restitution))
    return scene


def contacts_of(scene: Scene, pose: np.ndarray) -> np.ndarray:
    """Distances, positions and normals at a pose, sorted."""
    world = scene.world
    world.data.qpos[:7], world.data.qvel[:6] = pose, 0.0
    mujoco.mj_forward(world.model, world.data)
    found = [(c.dist, *c.pos, *c.frame[:3]) for c in world.data.contact]
    return np.array(sorted(found, key=lambda row: np.round(row, 5).tolist())).reshape(-1, 7)


@pytest.mark.parametrize("kind", sorted(SHAPES))
def test_contacts_are_those_of_the_same_triangles(kind: str) -> None:
    """A mesh is a shell, so only bodies are compared whose middle is above the surface."""
    mesh = sheet(CELLS, SIZE, hills)
    field = field_scene(mesh, SHAPES[kind], Pose((0.0, 0.0, 1.0)))
    shell = scene_with(mesh, SHAPES[kind], Pose((0.0, 0.0, 1.0)))
    rng = np.random.default_rng(3)
    touching = 0
    for _ in range(200):
        turn = rng.normal(size=4)
        x, y = rng.uniform(-0.9, 0.3, 2)
        z = float(hills(np.array(x), np.array(y))) + rng.uniform(0.07, 0.12)
        pose = np.array([x, y, z, *(turn / np.linalg.norm(turn))])
        ours, theirs = contacts_of(field, pose), contacts_of(shell, pose)
        up = theirs[:, 6] > 0.0
        if not up.all():  # pushed through the shell from below
            continue
        assert ours == pytest.approx(theirs, abs=100 * FLOAT32)
        touching += len(ours) > 0
    assert touching > 50


def test_a_ball_bounces_from_a_level_field_as_from_a_plane() -> None:
    """It neither gains height from the edges between cells nor is pushed aside."""
    scene = field_scene(
        sheet(CELLS, SIZE, lambda x, _: 0.0 * x), SHAPES["sphere"], Pose((0.03, 0.02, 1.1)), 1.0
    )
    world, highest = scene.world, 0.0
    for step in range(480):
        world.step()
        if step > 150:
            highest = max(highest, float(world.data.qpos[2]))
    assert highest == pytest.approx(1.1, abs=0.01)
    assert world.data.qpos[:2] == pytest.approx([0.03, 0.02], abs=1e-6)


def test_a_ball_rolls_over_cells_without_a_bump() -> None:
    scene = field_scene(
        sheet(CELLS, SIZE, lambda x, _: 0.0 * x), SHAPES["sphere"], Pose((-1.0, -0.5, 0.1))
    )
    data = scene.world.data
    data.qvel[:6] = 1.0, 0.6, 0.0, -6.0, 10.0, 0.0  # rolls
    for _ in range(240):
        scene.world.step()
        assert abs(float(data.qvel[2])) < 1e-3
    assert data.qvel[:2] == pytest.approx([1.0, 0.6], rel=0.02)


def test_what_is_fast_does_not_get_below() -> None:
    """It comes 17 times its radius a step; contacts are soft, so it sinks in a little."""
    shape = Shape(ShapeKind.SPHERE, (0.01,))
    scene = field_scene(sheet(CELLS, SIZE, lambda x, _: 0.0 * x), shape, Pose((0.07, 0.01, 0.5)))
    scene.world.data.qvel[:3] = 3.0, 0.0, -40.0
    for _ in range(20):
        scene.world.step()
        assert scene.world.data.qpos[2] > 0.007


@pytest.mark.parametrize("kind", sorted(SHAPES))
def test_what_lies_below_the_surface_comes_up(kind: str) -> None:
    scene = field_scene(
        sheet(CELLS, SIZE, lambda x, y: 0.1 * (x + y)), SHAPES[kind], Pose((0.11, 0.07, -0.02))
    )
    x, y, z = run(scene, 10)[:3]
    assert z > 0.1 * (x + y) + 0.05
    assert math.hypot(x - 0.11, y - 0.07) < 0.1


def test_beside_the_field_there_is_nothing() -> None:
    scene = field_scene(
        sheet(CELLS, SIZE, lambda x, _: 0.0 * x), SHAPES["sphere"], Pose((1.35, 0.0, -0.05))
    )
    assert run(scene, 60)[:3] == pytest.approx([1.35, 0.0, -0.05 - 9.8 * 60 * 61 / 2 / 240**2])


def test_many_worlds_on_a_field_move_like_one() -> None:
    mesh = sheet(CELLS, SIZE, hills)
    alone = field_scene(mesh, SHAPES["box"], Pose((0.1, 0.0, 0.3)))
    worlds = make_worlds(field_scene(mesh, SHAPES["box"], Pose((0.1, 0.0, 0.3))), 3)
    for _ in range(100):
        alone.world.step()
    worlds.step(100)
    for qpos in worlds.qpos:
        np.testing.assert_array_equal(qpos, alone.world.data.qpos)


def test_worlds_of_robots_on_a_field_do_not_feel_one_another() -> None:
    """How far ahead contacts are found is a matter of a world's own velocities."""
    body = asset_of(SHAPES["box"]).links[0]
    hip = Joint("hip", JointType.REVOLUTE, Pose((0.1, 0.0, -0.1)), (0.0, 1.0, 0.0))
    foot = Shape(ShapeKind.SPHERE, (0.03,), pose=Pose((0.1, 0.0, -0.1)))
    walker = Asset("walker", [body, Link("leg", 0, hip, body.inertial, [], [foot])])
    ends = []
    for count in (1, 5):
        scene = Scene(WorldOptions(gravity=(0.0, 0.0, -9.8)))
        ground = asset_of(field_of(sheet(CELLS, SIZE, hills)))
        scene.add(GROUND, ground, BodyOptions(fixed=True))
        scene.add(BODY, walker, BodyOptions(Pose((0.0, 0.0, 0.3))))
        worlds = make_worlds(scene, count, threads=1)
        worlds.qvel[0, -1] = 30.0
        for _ in range(100):
            worlds.step()
        ends.append(worlds.qpos[0].copy())
    np.testing.assert_array_equal(ends[0], ends[1])
