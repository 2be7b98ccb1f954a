"""Concave meshes, against PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.core.engine.mesh_contacts.surfaces import Mesh, flat, sheet, stairs, torus
from tests.support.duo import both

MESHES = {
    "torus": torus(0.5, 0.15),
    "stairs": stairs(),
    "hills": sheet(12, 2.0, lambda x, y: 0.2 * np.sin(3.0 * x) * np.cos(2.0 * y)),
}
TURN = (0.1, 0.2, 0.3, 0.9273618495495704)
FLOAT32 = 2e-5  # m: PyBullet's rays and vertices are float32
ROUND = 1e-3  # m: margins of 1 mm make the edges of PyBullet's polyhedra and triangles round


def static_mesh(p: Any, mesh: Mesh, **more: Any) -> int:
    shape = p.createCollisionShape(
        p.GEOM_MESH, vertices=mesh[0].tolist(), indices=mesh[1].ravel().tolist()
    )
    return p.createMultiBody(0, shape, **more)


def body(p: Any, kind: str, pos: Any, quat: Any = (0, 0, 0, 1)) -> int:
    sizes: dict[str, Any] = {
        "sphere": {"shapeType": p.GEOM_SPHERE, "radius": 0.05},
        "box": {"shapeType": p.GEOM_BOX, "halfExtents": [0.06, 0.05, 0.04]},
        "cylinder": {"shapeType": p.GEOM_CYLINDER, "radius": 0.05, "height": 0.08},
        "capsule": {"shapeType": p.GEOM_CAPSULE, "radius": 0.03, "height": 0.1},
    }
    shape = p.createCollisionShape(**sizes[kind])
    return p.createMultiBody(0.5, shape, basePosition=pos, baseOrientation=quat)


@pytest.mark.parametrize("name", MESHES)
def test_rays_hit_the_same_triangles(name: str) -> None:
    """From both sides, with the normal on the side they come from."""
    generator = np.random.default_rng(2)
    starts, ends = generator.uniform(-0.9, 0.9, (2, 400, 3))

    def play(p: Any) -> Any:
        static_mesh(p, MESHES[name], basePosition=(0.1, 0.0, 0.2), baseOrientation=TURN)
        hits = p.rayTestBatch(starts.tolist(), ends.tolist())
        return [(hit[0], hit[2], *hit[3], *hit[4]) for hit in hits]

    theirs, ours = both(play)
    np.testing.assert_array_equal(ours[:, 0], theirs[:, 0])
    hit = theirs[:, 0] >= 0
    assert 50 < hit.sum() < 400
    np.testing.assert_allclose(ours[hit, 1:5], theirs[hit, 1:5], atol=FLOAT32)
    np.testing.assert_allclose(ours[hit, 5:], theirs[hit, 5:], atol=1e-4)


@pytest.mark.parametrize("name", MESHES)
def test_the_box_of_a_mesh_is_pybullets(name: str) -> None:
    """It has the margin of meshes that are handed over as arrays."""
    mesh = MESHES[name]
    theirs, ours = both(lambda p: p.getAABB(static_mesh(p, mesh, basePosition=(0.1, 0.2, 0.3))))
    np.testing.assert_allclose(ours, theirs, atol=FLOAT32)


@pytest.mark.parametrize("kind", ["sphere", "box", "cylinder", "capsule"])
@pytest.mark.parametrize("name", MESHES)
def test_closest_points_are_pybullets(name: str, kind: str) -> None:
    """The closest of the points that each triangle within reach has there."""

    def play(p: Any) -> Any:
        rows: list[Any] = []
        mesh = static_mesh(p, MESHES[name])
        for pos in ((0.3, 0.1, 0.75), (0.11, -0.25, 0.85), (-0.25, 0.32, 0.5)):
            other = body(p, kind, pos, TURN)
            for one, two in ((other, mesh), (mesh, other)):
                best = min(p.getClosestPoints(one, two, 1.5), key=lambda point: point[8])
                rows.append([best[8], *best[5], *best[6], *best[7]])
        return rows

    theirs, ours = both(play)
    np.testing.assert_allclose(ours[:, :7], theirs[:, :7], atol=ROUND)
    np.testing.assert_allclose(ours[:, 7:], theirs[:, 7:], atol=0.02)


@pytest.mark.parametrize("kind", ["sphere", "box", "cylinder"])
@pytest.mark.parametrize(
    ("name", "place"), [("stairs", (0.72, 0.1, 0.42)), ("flat", (0.03, 0.02, 0.1))]
)
def test_bodies_come_to_rest_where_they_do_in_pybullet(
    name: str, place: tuple[float, ...], kind: str
) -> None:
    """A ball on a flat mesh is pushed aside there by edges it rolls over, so only its height."""

    def play(p: Any) -> Any:
        p.setGravity(0, 0, -9.8)
        static_mesh(p, {**MESHES, "flat": flat()}[name])
        other = body(p, kind, place)
        for _ in range(240):
            p.stepSimulation()
        return p.getBasePositionAndOrientation(other)[0]

    theirs, ours = both(play)
    assert ours[2] == pytest.approx(theirs[2], abs=ROUND)
    assert ours[:2] == pytest.approx(theirs[:2], abs=0.03 if kind == "sphere" else 0.015)


def test_a_scene_of_a_hundred_thousand_triangles_holds_what_is_put_on_it() -> None:
    """The landscape that drones are flown over."""

    def play(p: Any) -> Any:
        p.setGravity(0, 0, -9.8)
        p.loadURDF("samurai.urdf")
        rows: list[Any] = []
        cubes = [p.loadURDF("cube_small.urdf", (x, -0.3, 0.1)) for x in (0.0, 1.0, 2.0)]
        for _ in range(240):
            p.stepSimulation()
        for cube in cubes:
            rows.append([*p.getBasePositionAndOrientation(cube)[0], *p.getAABB(0)[1]])
        return rows

    theirs, ours = both(play)
    np.testing.assert_allclose(ours, theirs, atol=ROUND)


def test_a_mesh_meets_only_what_its_filter_lets_through() -> None:
    """Groups and masks, and a pair that was switched off."""

    def play(p: Any) -> Any:
        p.setGravity(0, 0, -9.8)
        mesh = static_mesh(p, flat())
        first, second, third = (body(p, "box", (x, 0.0, 0.1)) for x in (-0.5, 0.0, 0.5))
        p.setCollisionFilterGroupMask(first, -1, 0, 0)
        p.setCollisionFilterPair(mesh, second, -1, -1, 0)
        for _ in range(120):
            p.stepSimulation()
        return [p.getBasePositionAndOrientation(b)[0][2] < -0.1 for b in (first, second, third)]

    theirs, ours = both(play)
    np.testing.assert_array_equal(theirs, [1, 1, 0])
    np.testing.assert_array_equal(ours, theirs)


def ring(p: Any, pos: Any, quat: Any = (0, 0, 0, 1), mass: float = 1.0) -> int:
    """A torus that moves."""
    vertices, faces = torus(0.3, 0.1)
    shape = p.createCollisionShape(
        p.GEOM_MESH, vertices=vertices.tolist(), indices=faces.ravel().tolist()
    )
    return p.createMultiBody(mass, shape, -1, pos, quat)


def slab(p: Any) -> int:
    """A box with its upper side at height 0."""
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[5, 5, 0.5])
    return p.createMultiBody(0, shape, -1, (0, 0, -0.5))


def after(p: Any, steps: int, *bodies: int) -> list[Any]:
    p.setGravity(0, 0, -9.8)
    for _ in range(steps):
        p.stepSimulation()
    return [value for b in bodies for pose in p.getBasePositionAndOrientation(b) for value in pose]


def test_a_mesh_that_moves_comes_to_rest_where_it_does_in_pybullet() -> None:
    """On its tube, and tilted on a rim: Bullet gives a mesh of triangles no moments of inertia."""

    def play(p: Any) -> Any:
        slab(p)
        return after(p, 240, ring(p, (0, 0, 0.3)), ring(p, (2, 0, 0.6), (0.1, 0.2, 0, 0.9746794)))

    theirs, ours = both(play)
    # tilted, it turns by 1e-4 rad in that second: a body that no torque turns has moments of
    # inertia here, those of 100 m
    np.testing.assert_allclose(ours, theirs, atol=ROUND)


def test_what_falls_on_a_mesh_that_moves_lies_as_in_pybullet() -> None:
    """A ball in the hole of a torus, and a box across the torus."""

    def play(p: Any) -> Any:
        slab(p)
        bodies = ring(p, (0, 0, 0.101)), ring(p, (2, 0, 0.101))
        return after(p, 240, *bodies, body(p, "sphere", (0, 0, 0.4)), crate(p, (2, 0, 0.5)))

    def crate(p: Any, pos: Any) -> int:
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.45, 0.45, 0.05])
        return p.createMultiBody(0.5, shape, -1, pos)

    theirs, ours = both(play)
    np.testing.assert_allclose(ours, theirs, atol=2 * ROUND)


@pytest.mark.parametrize("ground", ["plane", "mesh", "height field"])
def test_a_mesh_that_moves_meets_convex_shapes_alone(ground: str) -> None:
    """As in Bullet it falls through planes, height fields and other meshes of triangles."""

    def play(p: Any) -> Any:
        if ground == "plane":
            p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
        elif ground == "mesh":
            static_mesh(p, flat())
        else:
            field = p.createCollisionShape(
                p.GEOM_HEIGHTFIELD,
                meshScale=[1, 1, 1],
                heightfieldData=[0.0] * 64,
                numHeightfieldRows=8,
                numHeightfieldColumns=8,
            )
            p.createMultiBody(0, field)
        return after(p, 120, ring(p, (0, 0, 0.3)))

    theirs, ours = both(play)
    assert theirs[2] < -0.5
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_rays_boxes_and_closest_points_of_a_mesh_that_moves_are_pybullets() -> None:
    """Where it is now, and not where it was made."""

    def play(p: Any) -> Any:
        mesh, ball = ring(p, (0, 0, 1)), body(p, "sphere", (1, 0.1, 0.5))
        p.resetBasePositionAndOrientation(mesh, (1, 0, 0.2), TURN)
        p.stepSimulation()
        hits = p.rayTestBatch([(x, 0.1, 2) for x in (0.6, 0.8, 1, 1.3)], [(1, 0.1, -1)] * 4)
        best = min(p.getClosestPoints(ball, mesh, 1.0), key=lambda point: point[8])
        box = [value for corner in p.getAABB(mesh) for value in corner]
        return [*(v for hit in hits for v in (hit[0], hit[2])), *box, best[8], *best[5], *best[6]]

    theirs, ours = both(play)
    np.testing.assert_allclose(ours, theirs, atol=ROUND)


def test_a_mesh_that_moves_is_put_back_with_a_state() -> None:
    """And falls again as it did."""

    def play(p: Any) -> Any:
        slab(p)
        mesh = ring(p, (0, 0, 0.3))
        state = p.saveState()
        fallen = after(p, 120, mesh)
        p.restoreState(state)
        again = after(p, 120, mesh)
        np.testing.assert_array_equal(again, fallen)
        return fallen

    theirs, ours = both(play)
    np.testing.assert_allclose(ours, theirs, atol=ROUND)


def test_a_flat_mesh_of_many_triangles_lies_on_its_corners() -> None:
    """Of all that touches the ground, the points that span it are kept."""

    def play(p: Any) -> Any:
        slab(p)
        vertices, faces = flat(20, 0.4)
        shape = p.createCollisionShape(
            p.GEOM_MESH, vertices=vertices.tolist(), indices=faces.ravel().tolist()
        )
        sheet = p.createMultiBody(1.0, shape, -1, (0, 0, 0.1))
        pose = after(p, 120, sheet)
        points = np.array([point[5][:2] for point in p.getContactPoints(sheet)])
        return [*pose, *np.ptp(points, axis=0)]

    theirs, ours = both(play)
    np.testing.assert_allclose(ours[:7], theirs[:7], atol=ROUND)
    np.testing.assert_allclose(ours[7:], 0.4, atol=1e-3)  # PyBullet's points span a part of it
