"""Contacts of pairs of shapes, against closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton

# float32: lengths of about one metre, a few products of rotations.
CLOSE = 5e-5
IDENTITY = (0.0, 0.0, 0.0, 1.0)
Add = Callable[[Any, int], Any]


def _mesh(b: Any, body: int) -> None:
    b.add_shape_mesh(body, mesh=newton.Mesh.create_box(0.5, 0.5, 0.5))


def _hull(b: Any, body: int) -> None:
    mesh = newton.Mesh.create_box(0.5, 0.5, 0.5, duplicate_vertices=False)
    b.add_shape_convex_hull(body, mesh=mesh)


# Shapes whose lowest and highest point are half a metre from their centre, along z.
SHAPES: dict[str, Add] = {
    "sphere": lambda b, body: b.add_shape_sphere(body, radius=0.5),
    "box": lambda b, body: b.add_shape_box(body, hx=0.5, hy=0.5, hz=0.5),
    "capsule": lambda b, body: b.add_shape_capsule(body, radius=0.2, half_height=0.3),
    "cylinder": lambda b, body: b.add_shape_cylinder(body, radius=0.3, half_height=0.5),
    "cone": lambda b, body: b.add_shape_cone(body, radius=0.3, half_height=0.5),
    "ellipsoid": lambda b, body: b.add_shape_ellipsoid(body, a=0.3, b=0.4, c=0.5),
    "mesh": _mesh,
    "hull": _hull,
}


def _contacts(*shapes: tuple[Add, float], ground: bool = False, **options: Any) -> Any:
    """Points on both surfaces, normals from the first shape to the second, in the world frame."""
    builder = newton.ModelBuilder()
    builder.rigid_contact_margin = 0.02
    if ground:
        builder.add_ground_plane()
    for add, height in shapes:
        add(builder, builder.add_body(xform=((0.0, 0.0, height), IDENTITY)))
    model = builder.finalize(device="cpu")
    return _in_world(model, newton.CollisionPipeline(model, **options))


def _in_world(model: Any, pipeline: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    state = model.state()
    contacts = pipeline.contacts()
    pipeline.collide(state, contacts)
    count = int(contacts.rigid_contact_count.numpy()[0])
    pairs = np.stack(
        [getattr(contacts, f"rigid_contact_shape{k}").numpy()[:count] for k in (0, 1)], axis=1
    )
    poses = state.body_q.numpy()
    normal = -contacts.rigid_contact_normal.numpy()[:count]
    points = []
    for k, sign in ((0, 1.0), (1, -1.0)):
        local = getattr(contacts, f"rigid_contact_point{k}").numpy()[:count]
        margin = getattr(contacts, f"rigid_contact_margin{k}").numpy()[:count, None]
        bodies = model.shape_body.numpy()[pairs[:, k]]
        there = np.array(
            [
                p if b < 0 else np.array(wp.transform_point(wp.transform(*poses[b]), wp.vec3(*p)))
                for p, b in zip(local, bodies, strict=True)
            ]
        ).reshape(-1, 3)
        points.append(there + sign * margin * normal)
    return pairs, points[0], points[1], normal


@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape_on_the_ground_touches_it_from_above(kind: str) -> None:
    pairs, below, above, normal = _contacts((SHAPES[kind], 0.49), ground=True)
    assert len(pairs) >= 1
    assert (pairs == (0, 1)).all()
    assert np.allclose(normal, (0.0, 0.0, 1.0), atol=CLOSE)
    depth = ((above - below) * normal).sum(axis=1)
    # Both surfaces are thicker by 0.01 mm than their shapes.
    assert depth.min() == pytest.approx(-0.01 - 2e-5, abs=CLOSE)


@pytest.mark.parametrize("height", [0.99, 1.01])
@pytest.mark.parametrize("upper", SHAPES)
@pytest.mark.parametrize("lower", SHAPES)
def test_a_shape_on_another_touches_it_along_the_vertical(
    lower: str, upper: str, height: float
) -> None:
    pairs, first, second, normal = _contacts((SHAPES[lower], 0.0), (SHAPES[upper], height))
    assert len(pairs) >= 1
    upward = np.where(pairs[:, :1] == 0, normal, -normal)
    depth = ((second - first) * normal).sum(axis=1)
    deepest = int(depth.argmin())
    assert np.allclose(upward[deepest], (0.0, 0.0, 1.0), atol=2e-3)
    assert depth[deepest] == pytest.approx(height - 1.0 - 2e-5, abs=1e-4)


def test_boxes_face_to_face_have_the_corners_of_what_they_share() -> None:
    small: Add = lambda b, body: b.add_shape_box(body, hx=0.2, hy=0.1, hz=0.5)  # noqa: E731
    _, _, points, _ = _contacts((SHAPES["box"], 0.0), (small, 0.995))
    corners = {(round(float(x), 3), round(float(y), 3)) for x, y, _ in points}
    assert corners == {(x, y) for x in (-0.2, 0.2) for y in (-0.1, 0.1)}


def test_crossed_edges_touch_in_one_point_along_both_their_normals() -> None:
    """Two boxes that stand on an edge, one along x, one along y."""
    builder = newton.ModelBuilder()
    builder.rigid_contact_margin = 0.02
    half = math.sqrt(0.5)
    for axis, height in (((1.0, 0.0, 0.0), 0.0), ((0.0, 1.0, 0.0), 2 * half - 0.01)):
        turn = wp.quat_from_axis_angle(wp.vec3(*axis), math.pi / 4.0)
        body = builder.add_body(xform=wp.transform((0.0, 0.0, height), turn))
        builder.add_shape_box(body, hx=0.5, hy=0.5, hz=0.5)
    model = builder.finalize(device="cpu")
    pairs, first, second, normal = _in_world(model, newton.CollisionPipeline(model))
    assert len(pairs) == 1
    assert np.allclose(normal[0], (0.0, 0.0, 1.0), atol=2e-3)
    assert np.allclose(first[0] - second[0], (0.0, 0.0, 0.01 + 2e-5), atol=1e-4)


def test_a_capsule_along_a_capsule_has_two_contacts() -> None:
    lying: Add = lambda b, body: b.add_shape_capsule(  # noqa: E731
        body,
        radius=0.2,
        half_height=0.3,
        xform=wp.transform((0, 0, 0), wp.quat_from_axis_angle(wp.vec3(0, 1, 0), math.pi / 2)),
    )
    _, first, _, _ = _contacts((lying, 0.0), (lying, 0.39))
    assert sorted(first[:, 0].tolist()) == pytest.approx([-0.3, 0.3], abs=CLOSE)


def test_shapes_farther_apart_than_their_margins_have_no_contact() -> None:
    for upper in SHAPES:
        assert len(_contacts((SHAPES["box"], 0.0), (SHAPES[upper], 1.05))[0]) == 0


@pytest.mark.parametrize("mode", ["nxn", "sap"])
def test_all_broad_phases_find_the_same_pairs(mode: str) -> None:
    rng = np.random.default_rng(1)
    builder = newton.ModelBuilder()
    for k, place in enumerate(rng.uniform(-1.0, 1.0, (40, 3))):
        body = builder.add_body(xform=(place, IDENTITY))
        builder.default_shape_cfg.collision_group = (1, 2, -1, -2, 0)[k % 5]
        builder.add_shape_sphere(body, radius=0.3)
    for k in range(0, 38, 2):
        builder.add_shape_collision_filter_pair(k, k + 2)
    model = builder.finalize(device="cpu")
    found = [
        sorted(map(tuple, _in_world(model, newton.CollisionPipeline(model, broad_phase=m))[0]))
        for m in ("explicit", mode)
    ]
    assert len(found[0]) > 20
    assert found[0] == found[1]


def test_an_unknown_broad_phase_is_named_with_those_that_exist() -> None:
    model = newton.ModelBuilder().finalize(device="cpu")
    with pytest.raises(ValueError, match=r"Unsupported broad phase mode.*explicit, nxn, sap"):
        newton.CollisionPipeline(model, broad_phase="grid")


def test_a_pipeline_of_earlier_versions_has_room_for_its_contacts_a_pair() -> None:
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    for _ in range(3):
        builder.add_shape_sphere(builder.add_body(), radius=0.1)
    model = builder.finalize(device="cpu")
    pipeline = newton.CollisionPipelineUnified.from_model(model, rigid_contact_max_per_pair=7)
    assert pipeline.contacts().rigid_contact_max == 7 * 6
    assert pipeline.collide(model, model.state()).rigid_contact_count.numpy()[0] > 0


@pytest.mark.parametrize("kind", SHAPES)
def test_a_particle_touches_a_shape_at_its_nearest_point(kind: str) -> None:
    builder = newton.ModelBuilder()
    body = builder.add_body(xform=((0.0, 0.0, 1.0), IDENTITY))
    SHAPES[kind](builder, body)
    builder.add_particle((0.01, 0.02, 1.55), (0, 0, 0), 1.0, radius=0.05)
    builder.add_particle((0.0, 0.0, 1.7), (0, 0, 0), 1.0, radius=0.05)
    model = builder.finalize(device="cpu")
    contacts = model.collide(model.state())
    assert contacts.soft_contact_count.numpy()[0] == 1
    assert contacts.soft_contact_particle.numpy()[0] == 0
    normal = contacts.soft_contact_normal.numpy()[0].astype(float)
    place = contacts.soft_contact_body_pos.numpy()[0] + (0.0, 0.0, 1.0)
    assert np.linalg.norm(normal) == pytest.approx(1.0, abs=1e-5)
    away = np.array((0.01, 0.02, 1.55)) - place
    assert np.cross(away, normal) == pytest.approx(np.zeros(3), abs=1e-4)
    assert place[2] == pytest.approx(1.5, abs=0.02)


def test_the_normal_of_a_soft_contact_has_the_gradient_of_its_particle() -> None:
    """A particle beside a sphere of radius R: d(normal) / d(place) is (I - n n') / distance."""
    builder = newton.ModelBuilder()
    builder.add_shape_sphere(-1, radius=0.5)
    builder.add_particle((0.3, 0.2, 0.4), (0, 0, 0), 1.0, radius=0.1)
    model = builder.finalize(device="cpu", requires_grad=True)
    state = model.state()
    with wp.Tape() as tape:
        contacts = model.collide(state)
    seed = wp.zeros_like(contacts.soft_contact_normal)
    rows = seed.numpy()
    rows[0] = (1.0, 0.0, 0.0)
    seed.assign(rows)
    tape.backward(grads={contacts.soft_contact_normal: seed})
    place = np.array((0.3, 0.2, 0.4))
    far = float(np.linalg.norm(place))
    n = place / far
    expected = (np.eye(3)[0] - n[0] * n) / far
    assert np.allclose(state.particle_q.grad.numpy()[0], expected, atol=1e-4)


@pytest.mark.gpu
@pytest.mark.skipif(not wp.is_cuda_available(), reason="no CUDA device")
def test_a_gpu_finds_the_contacts_of_the_cpu() -> None:
    rng = np.random.default_rng(5)
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    for k, add in enumerate([*SHAPES.values()] * 5):
        place = (*rng.uniform(-1.0, 1.0, 2), 0.4 + 0.2 * (k % 5))
        add(builder, builder.add_body(xform=(place, IDENTITY)))
    found = []
    for device in ("cpu", "cuda:0"):
        model = builder.finalize(device=device)
        pairs, first, second, _ = _in_world(model, newton.CollisionPipeline(model))
        rows = np.concatenate([pairs, first, second], axis=1)
        found.append(rows[np.lexsort(np.round(rows, 3).T)])
    assert len(found[0]) > 50
    # Directions of what overlaps deeply may differ in the last digits, and points with them.
    assert len(found[0]) == pytest.approx(len(found[1]), rel=0.02)


def test_boxes_touch_one_another_beside_a_sphere_that_is_far_away() -> None:
    counts = []
    for with_sphere in (False, True):
        builder = newton.ModelBuilder()
        for x in (-0.45, 0.45):
            body = builder.add_body(xform=wp.transform(wp.vec3(x, 0.0, 0.0), wp.quat(*IDENTITY)))
            builder.add_shape_box(body, hx=0.5, hy=0.5, hz=0.5)
        if with_sphere:
            body = builder.add_body(xform=wp.transform(wp.vec3(0, 0, 9.0), wp.quat(*IDENTITY)))
            builder.add_shape_sphere(body, radius=0.1)
        model = builder.finalize(device="cpu")
        pipeline = newton.CollisionPipeline(model)
        found = pipeline.collide(model.state(), pipeline.contacts())
        counts.append(int(found.rigid_contact_count.numpy()[0]))
    assert counts[0] == counts[1] == 4
