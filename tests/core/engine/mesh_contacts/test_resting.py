"""Bodies on triangle meshes: they rest at the surface and slide over its edges."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from tests.core.engine.mesh_contacts.surfaces import (
    BODY,
    SHAPES,
    asset_of,
    flat,
    run,
    scene_with,
    sheet,
    stairs,
    torus,
)
from unibody.core.assets.description import MeshSource, Pose, Shape
from unibody.core.assets.description import ShapeKind as Kind
from unibody.core.engine.contacts.arrays import read_contacts
from unibody.core.engine.records.options import BodyOptions

# A contact's impedance of 0.995 lets a body of 1 kg sink in by less than this.
SUNK = 1e-4  # m
HALF = math.sqrt(0.5)


def hull(half: float) -> Shape:
    """A cube as a convex mesh."""
    corners = np.array(np.meshgrid(*[[-half, half]] * 3)).reshape(3, -1).T
    vertices = tuple((x, y, z) for x, y, z in corners.tolist())
    faces = ((0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7),
             (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3))  # fmt: skip
    return Shape(Kind.MESH, mesh=MeshSource(name="cube", vertices=vertices, faces=faces))


ALL = {**SHAPES, "mesh": hull(0.1)}


@pytest.mark.parametrize("kind", ALL)
def test_every_shape_rests_on_a_flat_mesh_where_it_would_on_a_plane(kind: str) -> None:
    """Not moving, and with normals that point straight up."""
    scene = scene_with(flat(), ALL[kind], Pose((0.03, 0.02, 0.1 + 0.02)))
    pose = run(scene, 240)
    np.testing.assert_allclose(pose[:3], (0.03, 0.02, 0.1), atol=SUNK)
    np.testing.assert_allclose(scene.world.data.qvel, 0.0, atol=1e-3)
    normals = read_contacts(scene.world).numbers[6:9]
    np.testing.assert_allclose(np.abs(normals[2]), 1.0, atol=1e-6)


@pytest.mark.parametrize("kind", ALL)
def test_a_shape_rests_on_the_lower_side_of_a_thin_shell(kind: str) -> None:
    """Which way its triangles are wound says nothing: gravity turned over, it is the same."""
    scene = scene_with(flat(), ALL[kind], Pose((0.03, 0.02, -0.1 - 0.02)))
    scene.world.model.opt.gravity[2] = 9.8
    assert run(scene, 240)[2] == pytest.approx(-0.1, abs=SUNK)


@pytest.mark.parametrize("kind", ["box", "cylinder", "mesh"])
def test_a_flat_side_touches_with_four_points_and_no_more(kind: str) -> None:
    """However many triangles are below it."""
    scene = scene_with(flat(60), ALL[kind], Pose((0.03, 0.02, 0.1)))
    run(scene, 60)
    assert scene.world.data.ncon == 4


@pytest.mark.parametrize("kind", ALL)
def test_a_sliding_shape_does_not_feel_the_edges_of_a_flat_mesh(kind: str) -> None:
    """On a mesh and on a plane it slides, or rolls, to the same place."""
    ends: list[float] = []
    lies = kind == "capsule"  # along x; it would not stand
    height, quat = (0.06, (HALF, 0.0, HALF, 0.0)) if lies else (0.1, (1.0, 0.0, 0.0, 0.0))
    for mesh in (True, False):
        scene = scene_with(flat(24, 8.0), ALL[kind], Pose((-2.0, 0.013, height), quat))
        if not mesh:
            scene.remove(0)
            plane = asset_of(Shape(Kind.PLANE))
            scene.add(0, plane, BodyOptions(fixed=True))
        scene.world.data.qvel[0] = 2.0
        scene.world.changed()
        pose = run(scene, 150)
        assert abs(pose[2] - height) < 5e-4
        ends.append(float(pose[0]))
    # A box that brakes tips by microns between its contacts, which differ in their order.
    assert ends[0] == pytest.approx(ends[1], abs=0.01)


def test_a_ball_balances_on_a_torus() -> None:
    """On the edge between two of its facets the contact points along the edge's own normal."""
    scene = scene_with(torus(0.5, 0.15), SHAPES["sphere"], Pose((0.0, 0.5, 0.251)))
    pose = run(scene, 120)
    np.testing.assert_allclose(pose[:3], (0.0, 0.5, 0.25), atol=SUNK)


def test_a_ball_inside_a_closed_mesh_stays_inside() -> None:
    """A tube of triangles that look outwards holds it from within, as PyBullet's shells do."""
    scene = scene_with(torus(0.5, 0.15), Shape(Kind.SPHERE, (0.05,)), Pose((0.0, 0.5, 0.0)))
    pose = run(scene, 240)
    assert pose[2] == pytest.approx(-0.15 + 0.05, abs=2e-3)


@pytest.mark.parametrize("kind", ["box", "cylinder", "mesh"])
def test_a_shape_hangs_over_the_edge_of_a_step_without_being_pushed(kind: str) -> None:
    """Its middle is on the tread and a part of it beyond: the riser below does not touch it."""
    scene = scene_with(stairs(), ALL[kind], Pose((0.66, 0.1, 0.4001)))
    pose = run(scene, 240)
    np.testing.assert_allclose(pose[:3], (0.66, 0.1, 0.4), atol=2e-4)


def test_a_box_that_hits_a_riser_stops_there() -> None:
    """A wall of two triangles holds it, whose edge is shared with the floor."""
    scene = scene_with(stairs(2, 1.0, 0.5), SHAPES["box"], Pose((0.6, 0.1, 0.6)))
    scene.world.model.opt.gravity[0] = 9.8
    pose = run(scene, 240)
    assert pose[0] == pytest.approx(1.0 - 0.1, abs=1e-3)
    assert pose[2] == pytest.approx(0.6, abs=1e-3)


SMALL = {
    "ball": Shape(Kind.SPHERE, (0.01,)),
    "box": Shape(Kind.BOX, (0.02, 0.02, 0.02)),
    "plate": Shape(Kind.BOX, (0.2, 0.2, 0.002)),
    "rod": Shape(Kind.CAPSULE, (0.004, 0.2)),
    "disc": Shape(Kind.CYLINDER, (0.05, 0.004)),
}


@pytest.mark.parametrize("speed", [2.0, 10.0, 40.0])
@pytest.mark.parametrize("kind", SMALL)
def test_small_and_fast_bodies_do_not_pass_through_a_shell(kind: str, speed: float) -> None:
    """From either side, tumbling, over edges: the next step's way is looked at."""
    generator = np.random.default_rng(5)
    for side in (1.0, -1.0):
        for _ in range(3):
            quat = generator.normal(size=4)
            w, x, y, z = (quat / np.linalg.norm(quat)).tolist()
            pose = Pose((*generator.uniform(-0.5, 0.5, 2).tolist(), 0.3 * side), (w, x, y, z))
            scene = scene_with(flat(4, 4.0), SMALL[kind], pose)
            scene.world.model.opt.gravity[2] = -9.8 * side
            scene.world.data.qvel[2] = -speed * side
            scene.world.data.qvel[3:] = generator.uniform(-10.0, 10.0, 3)
            scene.world.changed()
            assert run(scene, 30 + int(80 / speed))[2] * side > -0.005


def test_what_a_fast_body_will_hit_is_told_of_when_it_hits_it() -> None:
    """A contact ahead that has no force yet is none."""
    scene = scene_with(flat(), SHAPES["sphere"], Pose((0.0, 0.0, 0.2)))
    scene.world.data.qvel[2] = -10.0
    scene.world.changed()
    heights: list[float] = []
    while not read_contacts(scene.world).count:
        heights.append(float(run(scene, 1)[2]))
        assert len(heights) < 10
    assert heights[-2] < 0.2
    assert heights[-1] == pytest.approx(0.1, abs=2e-3)


def test_a_height_field_collides_as_before() -> None:
    """MuJoCo's own function is called for what is not a mesh of triangles."""
    scene_with(flat(), SHAPES["box"], Pose())  # which installs ours
    text = """<mujoco><asset><hfield name="triangles0" nrow="2" ncol="2" size="2 2 1 0.1"/></asset>
      <worldbody><geom type="hfield" hfield="triangles0"/>
      <body pos="0.3 0.2 0.099"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.ncon > 0
    assert data.contact.dist.min() == pytest.approx(-0.001, abs=1e-9)


def test_a_body_of_several_shapes_stands_on_all_of_them() -> None:
    """Each of its shapes has contacts of its own."""
    legs = [
        Shape(Kind.SPHERE, (0.05,), Pose((x, y, -0.1))) for x in (-0.2, 0.2) for y in (-0.2, 0.2)
    ]
    scene = scene_with(sheet(10, 3.0, lambda x, y: 0.1 * x), legs[0], Pose((0.0, 0.0, 3.0)))
    scene.remove(BODY)
    scene.add(BODY, asset_of(*legs), BodyOptions(pose=Pose((0.0, 0.0, 0.17)), friction=(1, 0, 0)))
    for state in (scene.bodies[0].links[0], scene.bodies[BODY].links[0]):
        for geom in state.spec_geoms:
            geom.friction = (1.0, 0.0, 0.0)
    run(scene, 240)
    assert scene.world.data.ncon == 4
    assert np.abs(scene.world.data.qvel).max() < 0.01
    normal = read_contacts(scene.world).numbers[6:9, 0]
    slope = math.hypot(1.0, 0.1)
    np.testing.assert_allclose(np.abs(normal), (0.1 / slope, 0.0, 1.0 / slope), atol=1e-6)


def test_a_mesh_can_be_somewhere_and_turned() -> None:
    """Contacts follow the pose of the body and of the shape in it."""
    upright = Pose((1.0, 2.0, 3.0), (HALF, 0.0, HALF, 0.0))  # its z axis is the world's x
    scene = scene_with(flat(), SHAPES["box"], Pose((1.12, 2.0, 3.0)), ground=upright)
    scene.world.model.opt.gravity[:] = (-9.8, 0.0, 0.0)
    pose = run(scene, 240)
    np.testing.assert_allclose(pose[:3], (1.1, 2.0, 3.0), atol=SUNK)
