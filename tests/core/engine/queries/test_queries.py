"""Distances, directions and rays below the surfaces, against closed forms."""

from __future__ import annotations

import gc
import weakref

import mujoco
import numpy as np
import pytest
from scipy.optimize import minimize

from unibody.core.assets.description import (
    Asset,
    Inertial,
    Joint,
    JointType,
    Link,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.engine.contacts.arrays import detect_contacts, read_contacts
from unibody.core.engine.contacts.read_kernel import plane_directions
from unibody.core.engine.queries.distances import ShapeSpace, geom_distance
from unibody.core.engine.queries.rays import ray_caster
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene

BALL = Shape(ShapeKind.SPHERE, (0.1,))


def single(shape: Shape) -> Asset:
    """A floating body of one shape."""
    inertial = Inertial(1.0, Pose(), (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
    joint = Joint(type=JointType.FLOATING)
    return Asset("thing", [Link("base", -1, joint, inertial, [], [shape])])


def scene_of(*shapes: Shape, spacing: float = 0.15) -> Scene:
    """Shapes in a row along x."""
    scene = Scene(WorldOptions())
    for number, shape in enumerate(shapes):
        scene.add(number, single(shape), BodyOptions(pose=Pose((spacing * number, 0.0, 0.0))))
    return scene


@pytest.mark.parametrize("seed", range(20))
def test_a_capsule_through_a_box_is_as_deep_as_the_shortest_way_out(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = np.array([0.15, 0.1, 0.05])
    radius, half = 0.1, 0.25
    spec = mujoco.MjSpec()
    for kind, numbers in (
        (mujoco.mjtGeom.mjGEOM_BOX, size),
        (mujoco.mjtGeom.mjGEOM_CAPSULE, (radius, half, 0.0)),
    ):
        body = spec.worldbody.add_body(pos=rng.uniform(-0.05, 0.05, 3), quat=rng.normal(size=4))
        body.add_geom(type=kind, size=numbers)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    box, rod = (data.geom_xmat[geom].reshape(3, 3) for geom in (0, 1))
    offset = data.geom_xpos[1] - data.geom_xpos[0]

    def way_out(direction: np.ndarray) -> float:
        n = direction / np.linalg.norm(direction)
        return np.abs(n @ box) @ size + radius + half * abs(n @ rod[:, 2]) - n @ offset

    starts = sorted(rng.normal(size=(300, 3)), key=way_out)[:8]
    options = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000}
    depth = min(minimize(way_out, n, method="Nelder-Mead", options=options).fun for n in starts)
    for first, second in ((0, 1), (1, 0)):
        found = geom_distance(model, data, first, second, 1.0)
        assert found is not None
        # what the search over directions leaves
        assert -found.distance == pytest.approx(depth, abs=1e-6)
        span = np.dot(np.subtract(found.point_a, found.point_b), found.normal)
        assert span == pytest.approx(found.distance, abs=1e-9)


@pytest.mark.parametrize(
    ("shape", "width"),
    [
        (Shape(ShapeKind.BOX, (0.3, 0.2, 0.1)), 0.1),
        (Shape(ShapeKind.SPHERE, (0.3,)), 0.6),
        (Shape(ShapeKind.CYLINDER, (0.3, 0.2)), 0.2),
        (Shape(ShapeKind.CAPSULE, (0.3, 0.2)), 0.6),
        (Shape(ShapeKind.ELLIPSOID, (0.3, 0.2, 0.1)), 0.2),
    ],
)
def test_a_shape_overlaps_itself_by_its_smallest_width(shape: Shape, width: float) -> None:
    world = scene_of(shape).world
    world.kinematics()
    found = geom_distance(world.model, world.data, 0, 0, 0.0)
    assert found is not None
    assert found.distance == pytest.approx(-width)
    assert geom_distance(world.model, world.data, 0, 0, -2.0 * width) is None


def test_planes_have_no_distance_to_each_other() -> None:
    plane = Shape(ShapeKind.PLANE)
    space = ShapeSpace([[plane], [plane, BALL]])
    space.place(1, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0))
    (found,) = space.distances(0, 1, 5.0)
    assert found.distance == pytest.approx(0.9)
    assert found.normal == pytest.approx((0.0, 0.0, -1.0))


@pytest.mark.parametrize("seed", range(5))
def test_friction_directions_span_the_plane_of_the_normal(seed: int) -> None:
    normal = np.random.default_rng(seed).normal(size=3)
    normal /= np.linalg.norm(normal)
    spans = np.array(plane_directions(*normal)).reshape(2, 3)
    frame = np.vstack([normal, spans])
    assert frame @ frame.T == pytest.approx(np.eye(3))
    assert np.linalg.det(frame) == pytest.approx(1.0)


def test_contacts_are_shared_until_the_state_moves_on() -> None:
    world = scene_of(BALL, BALL).world
    assert read_contacts(world).count == 0
    world.step()
    first = read_contacts(world)
    assert first.count == 1
    assert read_contacts(world) is first
    found = detect_contacts(world)
    assert read_contacts(world) is found
    world.step()
    assert read_contacts(world) is not found


def test_contacts_found_between_steps_do_not_touch_the_step() -> None:
    runs = []
    for look in (False, True):
        world = scene_of(BALL, BALL, BALL).world
        for _ in range(20):
            world.step()
            if look:
                detect_contacts(world)
        runs.append(world.data.qpos.tobytes())
    assert runs[0] == runs[1]


def test_what_is_kept_for_queries_does_not_keep_a_world_alive() -> None:
    scene = scene_of(BALL, BALL)
    world = scene.world
    world.step()
    detect_contacts(world)
    ray_caster(scene).cast_one(world, (0.0, 0.0, 1.0), (0.0, 0.0, -1.0))
    gone = weakref.ref(world)
    del world
    scene.clear()
    gc.collect()
    assert gone() is None
