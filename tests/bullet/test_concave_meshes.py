"""Concave meshes that stand still, against PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.core.engine.triangles.surfaces import Mesh, flat, sheet, stairs, torus
from tests.support.duo import both

MESHES = {
    "torus": torus(0.5, 0.15),
    "stairs": stairs(),
    "hills": sheet(12, 2.0, lambda x, y: 0.2 * np.sin(3.0 * x) * np.cos(2.0 * y)),
}
TURN = (0.1, 0.2, 0.3, 0.9273618495495704)
FLOAT32 = 2e-5  # m: PyBullet's rays and vertices are float32
ROUND = 1e-3  # m: margins of 1 mm make the edges of PyBullet's polyhedra and triangles round


def ground(p: Any, mesh: Mesh, **more: Any) -> int:
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
        ground(p, MESHES[name], basePosition=(0.1, 0.0, 0.2), baseOrientation=TURN)
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
    theirs, ours = both(lambda p: p.getAABB(ground(p, mesh, basePosition=(0.1, 0.2, 0.3))))
    np.testing.assert_allclose(ours, theirs, atol=FLOAT32)


@pytest.mark.parametrize("kind", ["sphere", "box", "cylinder", "capsule"])
@pytest.mark.parametrize("name", MESHES)
def test_closest_points_are_pybullets(name: str, kind: str) -> None:
    """The closest of the points that each triangle within reach has there."""

    def play(p: Any) -> Any:
        rows: list[Any] = []
        mesh = ground(p, MESHES[name])
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
        ground(p, {**MESHES, "flat": flat()}[name])
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
        mesh = ground(p, flat())
        first, second, third = (body(p, "box", (x, 0.0, 0.1)) for x in (-0.5, 0.0, 0.5))
        p.setCollisionFilterGroupMask(first, -1, 0, 0)
        p.setCollisionFilterPair(mesh, second, -1, -1, 0)
        for _ in range(120):
            p.stepSimulation()
        return [p.getBasePositionAndOrientation(b)[0][2] < -0.1 for b in (first, second, third)]

    theirs, ours = both(play)
    np.testing.assert_array_equal(theirs, [1, 1, 0])
    np.testing.assert_array_equal(ours, theirs)
