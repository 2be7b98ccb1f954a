"""Bounds of motion of SolverVBD: particles and bodies do not pass one another (1.x)."""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1]))
from later import found_later

pytestmark = pytest.mark.thorough
_SCRIPT = """
from unibody.newton.solvers.particle_rows import touched_shapes
from unibody.newton.solvers.vbd_bounds import MotionBounds
found = {}
SolverVBD = newton.solvers.SolverVBD
Frequency = newton.solvers.SolverBase.CollisionFrequencyType
Slot = newton.solvers.SolverBase.CollisionSlot
UNIT = wp.mat33(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
DT = 1.0 / 60.0

def free_body(builder, mass=1.0, at=(0.0, 0.0, 0.0)):
    pose = wp.transform(wp.vec3(*at), wp.quat_identity())
    return builder.add_body(xform=pose, mass=mass, inertia=UNIT, lock_inertia=True)

def light(**more):
    return newton.ModelBuilder.ShapeConfig(density=0.0, **more)

def stepped(builder, velocity, steps, gap, dat=True, start=None, stiff=None, **options):
    builder.color()
    model = builder.finalize(device="cpu")
    if stiff is not None:
        model.soft_contact_ke = stiff
        model.shape_material_ke.fill_(stiff)
    pipeline = newton.CollisionPipeline(
        model, soft_contact_gap=gap, contact_matching="latest",
        enable_rigid_soft_full_surface_contact=options.pop("full", False))
    solver = SolverVBD(
        model, rigid_compliant_alm=True, rigid_soft_enable_dat=dat, collision_pipeline=pipeline,
        **options)
    states = [model.state(), model.state()]
    if velocity is not None:
        states[0].body_qd.assign(np.array([velocity], dtype=np.float32))
    if start is not None:
        start(states[0])
    rows = []
    for _ in range(steps):
        solver.step(*states, None, None, DT)
        states.reverse()
        q = None if states[0].body_q is None else states[0].body_q.numpy().copy()
        rows.append((states[0].particle_q.numpy().copy(), q))
    return solver, rows

# a particle and a box, a unit apart: both come nearer by 0.8 and 0.4
builder = newton.ModelBuilder(gravity=wp.vec3(0.0))
builder.add_particle((0.0, 0.0, 1.0), (0.0, 0.0, 0.0), 1.0, radius=0.0)
box = free_body(builder)
pose = wp.transform((0.0, 0.0, -0.5), wp.quat_identity())
builder.add_shape_box(box, xform=pose, hx=1.0, hy=1.0, hz=0.5, cfg=light())
builder.color()
model = builder.finalize(device="cpu")
pipeline = newton.CollisionPipeline(model, soft_contact_gap=5.0)
contacts = pipeline.collide(model.state())
touched = touched_shapes(model, contacts, 0.01, DT)
bounds = MotionBounds(model, 5.0, 0.85)
x, q = model.particle_q.numpy().astype(float), model.body_q.numpy().astype(float)
bounds.begin(x, q, touched)
near_x, near_q = x - [0.0, 0.0, 0.8], q.copy()
near_q[0, 2] += 0.4
bounds.hold(near_x, near_q)
found["shared"] = [near_x[0, 2], near_q[0, 2], bounds.of_particles.numpy().tolist(),
                   bounds.of_bodies.numpy().tolist()]
away_x, away_q = x + [0.3, 0.0, 0.8], q.copy()
away_q[0, 2] -= 0.4
bounds.hold(away_x, away_q)
found["away"] = [away_x[0].tolist(), away_q[0, :3].tolist()]
found["budget"] = bounds.budget

# a heavy ball shot at a cloth that is held at its rim
def ball_on_cloth(dat, speed=8.0, iterations=12):
    builder = newton.ModelBuilder()
    builder.add_cloth_grid(
        pos=wp.vec3(-0.5, -0.5, 0.0), rot=wp.quat_identity(), vel=wp.vec3(0.0), dim_x=10, dim_y=10,
        cell_x=0.1, cell_y=0.1, mass=0.05, fix_left=True, fix_right=True, fix_top=True,
        fix_bottom=True, tri_ke=1e3, tri_ka=1e3, tri_kd=0.1, edge_ke=0.01, particle_radius=0.005)
    ball = free_body(builder, 20.0, (0.0, 0.0, 0.4))
    builder.add_shape_sphere(ball, radius=0.25, cfg=light())
    _, rows = stepped(
        builder, (0.0, 0.0, -speed, 0.0, 0.0, 0.0), 30, 0.1, dat, stiff=1e4,
        iterations=iterations)
    deep = [0.25 - np.linalg.norm(x - q[0, :3], axis=1).min() for x, q in rows]
    return [float(max(deep)), float(rows[-1][1][0, 2]), [float(q[0, 2]) for _, q in rows]]

found["paths"] = [
    ball_on_cloth(True, speed, number)[2] for speed, number in ((8.0, 4), (0.5, 12), (0.5, 20))]
found["ball"] = {str(dat): ball_on_cloth(dat) for dat in (True, False)}

# a particle shot at a thin plate that does not move
def shot(dat):
    builder = newton.ModelBuilder(gravity=wp.vec3(0.0))
    builder.add_shape_box(-1, hx=1.0, hy=1.0, hz=0.01)
    builder.add_particle((0.0, 0.0, 0.3), (0.0, 0.0, -60.0), 1.0, radius=0.01)
    solver, rows = stepped(builder, None, 4, 0.2, dat, iterations=4)
    return [float(x[0, 2]) for x, _ in rows]

found["shot"] = {str(dat): shot(dat) for dat in (True, False)}

# a long box turns about its middle towards a held particle; nothing pushes
def turning(dat, mesh=False):
    builder = newton.ModelBuilder(gravity=wp.vec3(0.0))
    builder.add_particle((0.7, 0.3, 0.0), (0.0, 0.0, 0.0), 0.0, radius=0.0)
    bar = free_body(builder)
    if mesh:
        builder.add_shape_mesh(bar, mesh=newton.Mesh.create_box(1.0, 0.05, 0.05), cfg=light())
    else:
        builder.add_shape_box(bar, hx=1.0, hy=0.05, hz=0.05, cfg=light())
    _, rows = stepped(
        builder, (0.0, 0.0, 0.0, 0.0, 0.0, 30.0), 1, 0.5, dat, stiff=0.0, full=mesh, iterations=2)
    q = rows[0][1][0]
    angle = 2.0 * np.arctan2(q[5], q[6])
    return [float(angle), float(0.3 * np.cos(angle) - 0.7 * np.sin(angle))]

found["turning"] = {str(dat): turning(dat) for dat in (True, False)}
found["turning"]["mesh"] = turning(True, mesh=True)

# a ball far from all goes on as far as searches let it
def flight(kind, number=1):
    builder = newton.ModelBuilder(gravity=wp.vec3(0.0))
    builder.add_particle((100.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, radius=0.0)
    ball = free_body(builder, 5.0)
    builder.add_shape_sphere(ball, radius=0.2, cfg=light())
    _, rows = stepped(
        builder, (6.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1, 0.05, iterations=10,
        collision_frequency={Slot.RIGID: number}, collision_frequency_type={Slot.RIGID: kind})
    return float(rows[0][1][0, 0])

found["flight"] = {
    "PRE_INIT": flight(Frequency.PRE_INIT), "PRE_POST_INIT": flight(Frequency.PRE_POST_INIT),
    "every": flight(Frequency.ITERATIONS), "fourth": flight(Frequency.ITERATIONS, 4)}

# two runs, and one that is recorded as a graph
def drape():
    builder = newton.ModelBuilder()
    builder.add_cloth_grid(
        pos=wp.vec3(-0.4, -0.4, 0.12), rot=wp.quat_identity(), vel=wp.vec3(0.0), dim_x=4, dim_y=4,
        cell_x=0.2, cell_y=0.2, mass=0.05, particle_radius=0.01)
    ball = free_body(builder, 20.0)
    builder.add_shape_sphere(ball, radius=0.1, cfg=light())
    builder.add_ground_plane()
    return stepped(builder, (0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 20, 0.05, iterations=4, full=True)[1]

one, other = drape(), drape()
found["same"] = bool((one[-1][0] == other[-1][0]).all() and (one[-1][1] == other[-1][1]).all())

def told(action):
    try:
        action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def cloth(**options):
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    builder.add_cloth_grid(
        pos=wp.vec3(0.0, 0.0, 0.5), rot=wp.quat_identity(), vel=wp.vec3(0.0), dim_x=1, dim_y=1,
        cell_x=0.2, cell_y=0.2, mass=0.05)
    return stepped(builder, None, 1, 0.05, **options)

never = {Slot.RIGID: Frequency.NONE, Slot.SOFT_SELF_CONTACT: Frequency.NONE}
found["errors"] = {
    "rigid": told(lambda: cloth(collision_frequency_type=never)),
    "self": told(lambda: cloth(
        dat=False, particle_enable_self_contact=True, collision_frequency_type=never)),
    "unequal": told(lambda: cloth(particle_enable_self_contact=True, collision_frequency_type={
        Slot.RIGID: Frequency.PRE_INIT, Slot.SOFT_SELF_CONTACT: Frequency.PRE_POST_INIT})),
    "external": told(lambda: cloth(integrate_with_external_rigid_solver=True)),
}
"""


@functools.cache
def _found() -> Any:
    return found_later(_SCRIPT)


CLEAR = 1e-5  # what stays free on both sides of a plane, with rounding


def test_a_plane_divides_the_gap_by_how_much_both_come_nearer() -> None:
    particle, box, of_particles, of_bodies = _found()["shared"]
    # of a gap of 1 the particle, which would come 0.8 nearer, has 0.8 / 1.2, the box 0.4 / 1.2;
    # either goes 0.85 of its way up to the plane, as in the original
    part = 0.85 * 2.0 / 3.0 / 0.8
    assert particle == pytest.approx(1.0 - 0.8 * part, abs=CLEAR)
    assert box == pytest.approx(0.4 * part, abs=CLEAR)
    assert particle > 1.0 / 3.0 > box
    assert of_particles == pytest.approx([part], abs=CLEAR)
    assert of_bodies == pytest.approx([part], abs=CLEAR)


def test_what_moves_away_is_not_held() -> None:
    assert _found()["away"][0] == pytest.approx([0.3, 0.0, 1.8])
    assert _found()["away"][1] == pytest.approx([0.0, 0.0, -0.4])


def test_nothing_goes_farther_than_half_of_what_contacts_are_found_from() -> None:
    assert _found()["budget"] == pytest.approx(0.5 * 0.85 * 5.0)
    # no more than 0.425 of 0.05 m between two searches
    part, flight = 0.5 * 0.85 * 0.05, _found()["flight"]
    assert flight["PRE_INIT"] == pytest.approx(part, rel=1e-3)
    assert flight["PRE_POST_INIT"] == pytest.approx(2.0 * part, rel=1e-3)
    assert flight["fourth"] == pytest.approx(3.0 * part, rel=1e-3)  # before iterations 4 and 8
    assert flight["every"] == pytest.approx(0.1, rel=1e-3)  # all its way


def test_a_fast_ball_is_caught_by_a_cloth_that_it_else_falls_through() -> None:
    deep, height, _ = _found()["ball"]["True"]
    assert deep <= 1e-5
    assert height > -0.5
    deep, height, _ = _found()["ball"]["False"]
    assert deep > 1e-3 or height < -1.0


PATHS = [
    [0.311, 0.141, -0.006, -0.053, -0.070],  # 8 m/s, 4 iterations
    [0.389, 0.265, 0.085, 0.015, -0.034],  # 0.5 m/s, 12
    [0.389, 0.265, 0.106, 0.033, -0.029],  # 0.5 m/s, 20
]
"""Height of the ball in Newton 1.8.0 after 1, 7, 13, 19 and 25 steps [m], of the scene above."""


@pytest.mark.parametrize("case", range(3))
def test_a_ball_on_a_bounded_cloth_moves_as_in_the_original(case: int) -> None:
    # colours of particles have another order, so that few iterations end a little otherwise
    assert _found()["paths"][case][::6] == pytest.approx(PATHS[case], abs=0.012)


def test_a_fast_particle_stays_above_a_plate_that_it_else_passes() -> None:
    assert min(_found()["shot"]["True"]) >= 0.01
    assert min(_found()["shot"]["False"]) < -0.01


@pytest.mark.parametrize("kind", ["True", "mesh"])
def test_a_bar_that_turns_stops_before_a_particle(kind: str) -> None:
    angle, side = _found()["turning"][kind]
    assert angle > 0.05
    assert side >= 0.05
    assert _found()["turning"]["False"][1] < 0.05


def test_two_runs_give_the_same_bits() -> None:
    assert _found()["same"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rigid", "active rigid collision schedule"),
        ("self", "active soft self-collision schedule"),
        ("unequal", "equivalent schedules"),
        ("external", "integrate_with_external_rigid_solver=False"),
    ],
)
def test_bounds_without_their_searches_are_refused(name: str, message: str) -> None:
    assert message in _found()["errors"][name]
    assert _found()["errors"][name].startswith("ValueError")
