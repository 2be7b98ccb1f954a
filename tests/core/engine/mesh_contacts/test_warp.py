"""The narrow phase of terrain on a Warp device finds what the one on the CPU finds."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from tests.core.engine.mesh_contacts.surfaces import SHAPES, asset_of, scene_with, shape_of, sheet
from tests.core.engine.mesh_contacts.test_height_field import CELLS, SIZE, field_scene, hills
from tests.core.engine.worlds.devices import numbers, put
from unibody.core.assets.description import MeshSource, Pose, Shape, ShapeKind
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.worlds import make_worlds
from unibody.errors import NotSupportedError

pytest.importorskip("mujoco_warp")

COUNT = 150
CORNERS = 0.1 * np.random.default_rng(1).normal(size=(30, 3))
HULL = MeshSource(name="hull", vertices=tuple(map(tuple, CORNERS.tolist())), faces=((0, 1, 2),))
KINDS = {**SHAPES, "hull": Shape(ShapeKind.MESH, mesh=HULL)}
# Positions in float32 are off by 1e-7 m; which points of an edge or of a round side are nearest
# magnifies that, and which side of a geom is under a triangle may turn on it.
NEAR = 1e-3  # m, or in normals


def poses() -> np.ndarray:
    """Places just above, in and just below the hills."""
    rng = np.random.default_rng(3)
    turns = rng.normal(size=(COUNT, 4))
    places = rng.uniform(-1.0, 1.0, (COUNT, 2))
    heights = hills(places[:, 0], places[:, 1]) + rng.uniform(-0.02, 0.12, COUNT)
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    return np.concatenate([places, heights[:, None], turns], axis=1)


def contacts_on_cpu(model, data, pose, velocity) -> np.ndarray:
    data.qpos[:7], data.qvel[:6] = pose, velocity
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)
    mujoco.mj_collision(model, data)
    rows = [(c.dist, *c.pos, *c.frame[:3]) for c in data.contact]
    return np.array(rows).reshape(-1, 7)


def contacts_on_warp(worlds) -> list[np.ndarray]:
    import mujoco_warp as mjw

    mjw.fwd_position(worlds._m, worlds._d)
    contact, count = worlds._d.contact, int(worlds._d.nacon.numpy()[0])
    world = contact.worldid.numpy()[:count]
    frame = contact.frame.numpy()[:count, 0]
    dist, place = contact.dist.numpy()[:count, None], contact.pos.numpy()[:count]
    rows = np.concatenate([dist, place, frame], axis=1)
    return [rows[world == w] for w in range(COUNT)]


def apart(ones: np.ndarray, others: np.ndarray) -> float:
    """How far the worst of some contacts is from the nearest of some others."""
    if not len(ones):
        return 0.0
    if not len(others):
        return np.inf
    return float(np.abs(ones[:, None] - others).max(axis=2).min(axis=1).max())


@pytest.mark.parametrize("surface", ["field", "mesh"])
@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("speed", [0.0, 3.0])
def test_contacts_are_those_on_the_cpu(surface, kind, speed):
    make = field_scene if surface == "field" else scene_with
    scene = make(sheet(CELLS, SIZE, hills), KINDS[kind], Pose((0.0, 0.0, 1.0)))
    worlds = make_worlds(scene, COUNT, device="warp-cpu")
    moving = speed * np.random.default_rng(5).normal(size=(COUNT, 6))
    put(worlds.qpos, poses())
    put(worlds.qvel, moving)
    found = contacts_on_warp(worlds)
    places, moving = numbers(worlds.qpos), numbers(worlds.qvel)
    model, data = scene.world.model, scene.world.data
    alike = touching = 0
    for world, ours in enumerate(found):
        theirs = contacts_on_cpu(model, data, places[world], moving[world])
        touching += len(theirs) > 0
        alike += max(apart(theirs, ours), apart(ours, theirs)) < NEAR
    assert touching > 0.5 * COUNT
    assert alike >= 0.97 * COUNT


@pytest.mark.parametrize("make", [field_scene, scene_with])
def test_a_recorded_step_finds_the_contacts_of_its_own_time(make):
    ends = []
    for recorded in (False, True):
        scene = make(sheet(CELLS, SIZE, hills), SHAPES["box"], Pose((0.0, 0.0, 0.3)))
        worlds = make_worlds(scene, 2, device="warp-cpu")
        worlds._records = recorded
        for _ in range(60):
            worlds.step(2)
        ends.append(numbers(worlds.qpos))
    np.testing.assert_array_equal(ends[1], ends[0])
    assert ends[0][0, 2] < 0.25


@pytest.mark.parametrize("make", [field_scene, scene_with])
def test_what_falls_on_hills_comes_to_rest_where_it_does_on_the_cpu(make):
    ends = []
    for device in ("cpu", "warp-cpu"):
        scene = make(sheet(CELLS, SIZE, hills), SHAPES["box"], Pose((0.1, 0.05, 0.3)))
        worlds = make_worlds(scene, 2, device=device)
        worlds.step(240)
        ends.append(numbers(worlds.qpos))
    # it tumbles for half a second, which multiplies what rounding began
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-3)


def test_triangles_that_move_are_refused():
    scene = Scene(WorldOptions())
    scene.add(0, asset_of(shape_of(sheet(4, 1.0, hills))), BodyOptions(moving_triangles=True))
    with pytest.raises(NotSupportedError, match="triangles that move"):
        make_worlds(scene, 2, device="warp-cpu")
