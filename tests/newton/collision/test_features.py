"""Contacts of edges and triangles of soft bodies with shapes, in the 1.x dialect."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[1]))
from later import found_later

pytestmark = pytest.mark.thorough
_SCRIPT = """
found = {}
SolverVBD = newton.solvers.SolverVBD
DT = 1.0 / 60.0
CORNERS = [(-0.5, -0.4, 0.0), (0.5, -0.4, 0.0), (0.0, 0.6, 0.0)]

def triangle(builder, height=0.0, mass=0.1, edge=True, corners=CORNERS):
    for x, y, z in corners:
        builder.add_particle((x, y, z + height), (0.0, 0.0, 0.0), mass, radius=0.0)
    builder.add_triangle(0, 1, 2)
    if edge:
        builder.add_edge(-1, 2, 0, 1)

def told(model, contacts):
    n = int(contacts.soft_contact_count.numpy()[0])
    rows = {
        name: getattr(contacts, f"soft_contact_{name}").numpy()[:n].tolist()
        for name in (
            *("indices", "barycentric", "particle", "normal", "body_pos", "shape"), "rigid_indices")
    }
    rows["most"] = contacts.soft_contact_max
    return rows

def collided(builder, gap=0.05, full=True, **options):
    builder.color()
    model = builder.finalize(device="cpu")
    pipeline = newton.CollisionPipeline(
        model, soft_contact_gap=gap, enable_rigid_soft_full_surface_contact=full, **options)
    contacts = pipeline.collide(model.state())
    return model, pipeline, contacts

def shape(name, **options):
    builder = newton.ModelBuilder(gravity=wp.vec3(0.0))
    getattr(builder, f"add_shape_{name}")(body=-1, **options)
    return builder

at = wp.transform((0.05, 0.1, -0.2), wp.quat_identity())
tilted = wp.transform((0.0, 0.0, -0.3), wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), 0.7854))
solids = {
    "sphere": shape("sphere", radius=0.18, xform=at),
    "capsule": shape("capsule", radius=0.05, half_height=0.16, xform=at),
    "post": shape("box", hx=0.1, hy=0.05, hz=0.22, xform=at),
    "ridge": shape("box", hx=0.9, hy=0.2, hz=0.2, xform=tilted),
    "cone": shape("cone", radius=0.1, half_height=0.19, xform=at),
    "mesh": shape("mesh", mesh=newton.Mesh.create_box(0.1, 0.05, 0.22), xform=at),
}
for name, builder in solids.items():
    triangle(builder)
    model, _, contacts = collided(builder)
    found[name] = told(model, contacts)

for name, add in (("crossed", "box"), ("crossed_mesh", "mesh")):
    low = wp.transform((0.1, -0.4, -0.2), wp.quat_identity())
    sizes = {"hx": 0.05, "hy": 0.3, "hz": 0.22} if add == "box" else {
        "mesh": newton.Mesh.create_box(0.05, 0.3, 0.22)}
    builder = shape(add, xform=low, **sizes)
    triangle(builder)
    model, _, contacts = collided(builder)
    found[name] = told(model, contacts)

builder = solids["sphere"]
_, _, contacts = collided(builder, full=False)
found["off"] = told(builder, contacts)

# a rectangle: what is far below it does not touch it
for name, depth in (("below", 0.02), ("far_below", 2.0)):
    builder = newton.ModelBuilder()
    builder.add_shape_plane(width=0.2, length=0.2)
    triangle(builder, -depth, edge=False)
    model, _, contacts = collided(builder)
    found[name] = told(model, contacts)

# two worlds: features of one do not touch shapes of the other
one = shape("sphere", radius=0.18, xform=at)
triangle(one)
both = newton.ModelBuilder()
for _ in range(2):
    both.add_world(one)
model, pipeline, contacts = collided(both)
found["worlds"] = told(model, contacts) | {"pairs": pipeline.soft_contact_pair_count}

# a ball of 0.5 kg on a held triangle: it is as deep as its weight over the mean stiffness
builder = newton.ModelBuilder()
triangle(builder, mass=0.0, edge=False)
ball = builder.add_body(xform=wp.transform((0.0, 0.0, 0.095), wp.quat_identity()))
builder.add_shape_sphere(ball, radius=0.1, cfg=newton.ModelBuilder.ShapeConfig(
    density=0.5 / (4.0 / 3.0 * np.pi * 0.001), ke=3e3, kd=30.0))
builder.color()
model = builder.finalize(device="cpu")
model.soft_contact_ke, model.soft_contact_kd = 1e3, 30.0
pipeline = newton.CollisionPipeline(
    model, soft_contact_gap=0.05, enable_rigid_soft_full_surface_contact=True)
contacts = pipeline.contacts()
solver = SolverVBD(model, iterations=20, rigid_compliant_alm=True)
watch = solver.observables({"contact_f"}, contacts=contacts)
states = [model.state(), model.state()]
for _ in range(240):
    pipeline.collide(states[0], contacts)
    solver.step(*states, None, contacts, DT, observables=watch)
    states.reverse()
room = contacts.rigid_contact_max
found["ball"] = {
    "height": float(states[0].body_q.numpy()[0, 2]),
    "force": watch.contact_f.numpy()[room:].sum(axis=0).tolist(),
    "mass": float(model.body_mass.numpy()[0]),
}

# other solvers know contacts of particles alone
found["refused"] = {}
for name in ("SolverXPBD", "SolverSemiImplicit", "SolverFeatherstone"):
    try:
        getattr(newton.solvers, name)(model).step(*states, model.control(), contacts, DT)
        found["refused"][name] = ""
    except NotImplementedError as error:
        found["refused"][name] = str(error)
"""


@functools.cache
def _found() -> Any:
    return found_later(_SCRIPT)


CORNERS = np.array([(-0.5, -0.4, 0.0), (0.5, -0.4, 0.0), (0.0, 0.6, 0.0)])
SOLIDS = ["sphere", "capsule", "post", "ridge", "cone", "mesh"]


def _of_faces(name: str) -> tuple[Any, Any, Any]:
    """The point of the triangle, its direction and the point of the shape, of the one contact."""
    rows = _found()[name]
    faces = [i for i, indices in enumerate(rows["indices"]) if indices == [0, 1, 2]]
    assert len(faces) == 1
    keys = ("barycentric", "normal", "body_pos")
    shares, normal, point = (np.array(rows[key][faces[0]]) for key in keys)
    return shares @ CORNERS, normal, point


@pytest.mark.parametrize("name", ["sphere", "capsule", "post", "cone", "mesh"])
def test_a_triangle_touches_what_comes_up_between_its_corners(name: str) -> None:
    assert -1 not in _found()[name]["shape"]
    x, normal, point = _of_faces(name)
    # All of them are highest at (0.05, 0.1); the box is flat there, and has corners at its rim.
    # Sections leave 2e-4 of 1 m, and a sphere or cone is as high within 1e-3 of its top.
    near = {"post": (0.1, 0.05), "mesh": (0.1, 0.05)}.get(name, (3e-3, 3e-3))
    assert abs(x[0] - 0.05) <= near[0] + 1e-3
    assert abs(x[1] - 0.1) <= near[1] + 1e-3
    top = {"sphere": -0.02, "capsule": 0.01, "cone": -0.01}.get(name, 0.02)
    if name == "mesh":  # at a corner of the box, which a side is as near to as its top
        return
    assert normal == pytest.approx([0.0, 0.0, 1.0], abs=2e-2)
    assert point[2] == pytest.approx(top, abs=1e-4)


def test_the_middle_of_what_is_as_deep_is_taken() -> None:
    x, _, point = _of_faces("post")
    assert x == pytest.approx([0.05, 0.1, 0.0], abs=0.06)
    assert point[:2] == pytest.approx(x[:2], abs=1e-6)


def test_a_triangle_touches_a_ridge_along_its_line() -> None:
    rows = _found()["ridge"]
    faces = [i for i, row in enumerate(rows["indices"]) if row == [0, 1, 2]]
    # the ridge is a line along x at y = 0, at height sqrt(0.08) - 0.3
    shares = np.array(rows["barycentric"][faces[0]])
    assert (shares @ CORNERS)[1] == pytest.approx(0.0, abs=2e-3)
    assert rows["body_pos"][faces[0]][2] == pytest.approx(np.sqrt(0.08) - 0.3, abs=1e-4)


@pytest.mark.parametrize("name", ["crossed", "crossed_mesh"])
def test_an_edge_touches_a_wall_that_crosses_it(name: str) -> None:
    rows = _found()[name]
    edges = [i for i, row in enumerate(rows["indices"]) if row == [0, 1, -1]]
    assert len(edges) == 1
    x = np.array(rows["barycentric"][edges[0]]) @ CORNERS
    # within the wall, whose middle is as deep as its rims
    assert abs(x[0] - 0.1) <= 0.05 + 1e-3
    if name == "crossed":
        assert rows["normal"][edges[0]] == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)
        assert rows["body_pos"][edges[0]][2] == pytest.approx(0.02, abs=1e-6)


def test_contacts_with_meshes_name_the_triangle_that_is_touched() -> None:
    for row in _found()["mesh"]["rigid_indices"]:
        assert row[0] % 3 == 0
        assert row == [row[0], row[0] + 1, row[0] + 2]
        assert row[0] < 36
    assert {tuple(row) for row in _found()["post"]["rigid_indices"]} == {(-1, -1, -1)}


def test_contacts_of_triangles_name_no_particle() -> None:
    for name in SOLIDS:
        assert set(_found()[name]["particle"]) == {-1}


def test_there_is_room_for_a_contact_of_every_feature_and_shape() -> None:
    assert _found()["sphere"]["most"] == 3 + 1 + 1
    assert _found()["worlds"]["most"] == 2 * 5
    assert _found()["worlds"]["pairs"] == 2 * 3


def test_features_are_looked_at_when_that_is_asked_for() -> None:
    assert _found()["off"]["indices"] == []
    assert _found()["off"]["most"] == 3


def test_features_touch_shapes_of_their_world() -> None:
    rows = _found()["worlds"]
    pairs = {
        (min(indices) // 3, shape)
        for indices, shape in zip(
            [[i for i in row if i >= 0] for row in rows["indices"]], rows["shape"], strict=True
        )
    }
    assert pairs == {(0, 0), (1, 1)}


def test_a_rectangle_is_met_from_just_below_and_not_from_far_below() -> None:
    rows = _found()["below"]
    assert rows["normal"] == [pytest.approx([0.0, 0.0, 1.0])]
    x = np.array(rows["barycentric"][0]) @ CORNERS
    assert np.abs(x[:2]).max() <= 0.1 + 1e-3
    assert _found()["far_below"]["indices"] == []


def test_a_ball_rests_on_a_held_triangle_by_the_mean_stiffness() -> None:
    ball = _found()["ball"]
    deep = 0.1 - ball["height"]
    # 20 rounds a step leave a part in a hundred
    assert deep == pytest.approx(ball["mass"] * 9.81 / 2000.0, rel=0.02)
    assert ball["force"][2] == pytest.approx(ball["mass"] * 9.81, rel=0.02)


@pytest.mark.parametrize("name", ["SolverXPBD", "SolverSemiImplicit", "SolverFeatherstone"])
def test_other_solvers_refuse_contacts_of_triangles(name: str) -> None:
    assert "SolverVBD" in _found()["refused"][name]
    assert name in _found()["refused"][name]
