"""What scenes and joints say for SolverVBD after 1.0: one process finds all of it, as a dialect is
chosen once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.newton.later import found_later

SCRIPT = """
found = {"told": {}}
VBD = newton.solvers.SolverVBD

def model(bodies=1, rod=False, **scene):
    builder = newton.ModelBuilder()
    VBD.register_custom_attributes(builder)
    for _ in range(bodies):
        body = builder.add_link(mass=1.0)
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
        add = builder.add_joint_rod if rod else builder.add_joint_fixed
        builder.add_articulation([add(-1, body)])
    builder.color()
    made = builder.finalize(device="cpu")
    for name, value in scene.items():
        getattr(made.vbd, name).fill_(value)
    return made

def told(name, call):
    try:
        call()
    except (ValueError, NotImplementedError) as problem:
        found["told"][name] = str(problem)

def pipeline(of, **more):
    return VBD(of, collision_pipeline=newton.CollisionPipeline(of), **more)

found["iterations"] = [VBD(model()).iterations, VBD(model(max_solver_iterations=23)).iterations,
                       VBD(model(max_solver_iterations=23), iterations=10).iterations]
told("iterations", lambda: VBD(model(max_solver_iterations=0)))
authored = model(rigid_joint_linear_ke=120.0, rigid_joint_angular_kd=3.0)
found["scene"] = [VBD(authored).rigid_joint_linear_ke, VBD(authored).rigid_joint_angular_kd,
                  VBD(authored, rigid_joint_linear_ke=7.0).rigid_joint_linear_ke]
found["stiffness"] = float(VBD(authored).joint_material_k.numpy()[0])
told("stiffness", lambda: VBD(model(rigid_joint_linear_ke=-1.0)))
told("stated", lambda: VBD(model(rigid_joint_linear_ke=-1.0), rigid_joint_linear_ke=1.0))
history = dict(rigid_contact_history=True)
found["history"] = [VBD(model(**history)).rigid_contact_history,
                    pipeline(model(0, **history)).rigid_contact_history,
                    pipeline(model(**history), integrate_with_external_rigid_solver=True)
                    .rigid_contact_history]
told("history", lambda: pipeline(model(**history)))
told("stated_history", lambda: pipeline(model(), **history))
told("hard", lambda: VBD(model(joint_is_hard=2)))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    solver = VBD(model(joint_is_hard=0))
found["warned"] = [str(w.message) for w in caught]
own = dict(rod=True, dahl_eps_max=0.5, dahl_tau=0.2)
found["dahl"] = [VBD(model(**own)).enable_dahl_friction,
                 VBD(model(rod=True, dahl_eps_max=0.5)).enable_dahl_friction]

def bent(by):
    solver = VBD(model(**own))
    made = solver.model
    now, after = made.state(), made.state()
    solver.step(now, after, None, None, 0.01)
    torques = []
    for angle in by:
        poses = now.body_q.numpy()
        poses[0, 3:] = wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), angle)
        now.body_q.assign(poses)
        made.body_inv_mass.zero_()  # it stays where it was put
        solver.step(now, after, None, None, 0.01)
        torques.append(solver.joint_sigma_prev.numpy()[0].tolist())
    return torques, float(made.joint_target_ke.numpy()[3]), solver, now, after

torques, stiffness, solver, now, after = bent((0.1, 0.3, 0.2))
found["torques"], found["bending"] = torques, stiffness
solver.reset(now, flags=0)
solver.step(now, after, None, None, 0.01)
found["forgotten"] = solver.joint_sigma_prev.numpy()[0].tolist()
told("no_share", lambda: VBD(model(), dat_conservative_bound_relaxation=1.0))
told("no_pipeline", lambda: VBD(model(), rigid_soft_enable_dat=True))
told("barrier", lambda: VBD(model(), rigid_soft_contact_use_log_barrier=True))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    solver = VBD(model(), particle_conservative_bound_relaxation=0.5, deterministic=None)
found["share"] = [solver.dat_conservative_bound_relaxation, *(str(w.message) for w in caught)]
told("semi", lambda: newton.solvers.SolverSemiImplicit(model(rod=True)))

Slot, When = VBD.CollisionSlot, VBD.CollisionFrequencyType

def on_the_ground(when, steps, **more):
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    for x in (0.0, 1.0):
        pose = wp.transform(wp.vec3(x, 0.0, 0.099), wp.quat_identity())
        builder.add_shape_sphere(builder.add_body(xform=pose), radius=0.1)
    builder.color()
    made = builder.finalize(device="cpu")
    pipeline = newton.CollisionPipeline(made, contact_matching="latest")
    solver = VBD(made, collision_pipeline=pipeline, rigid_contact_history=True, **more,
                 collision_frequency_type={Slot.RIGID: when})
    runs, collide = [0], pipeline.collide

    def counted(*given, **named):
        runs[0] += 1
        collide(*given, **named)

    pipeline.collide = counted
    now, after = made.state(), made.state()
    for _ in range(steps):
        solver.step(now, after, None, None, 1.0 / 240.0)
        now, after = after, now
    return made, solver, now, after, runs

schedule = {"NONE": 0, "PRE_INIT": 2, "PRE_POST_INIT": 4, "ITERATIONS": 12}
found["runs"] = {}
for name in schedule:
    every = {Slot.RIGID: 2}
    *_, runs = on_the_ground(When[name], 2, iterations=10, collision_frequency=every)
    found["runs"][name] = runs[0]
made, solver, now, after, runs = on_the_ground(When.PRE_INIT, 120)
before = wp.clone(now.body_q)
solver.step(now, after, None, None, 1.0 / 240.0)
rows = solver.collect_rigid_contact_forces(after.body_q, before, solver.contacts, 1.0 / 240.0)
count = int(rows[5].numpy()[0])
moved = np.maximum(rows[0].numpy(), rows[1].numpy())[:count]
found["contacts"] = {"bodies": sorted(moved.tolist()),
                     "forces": np.abs(rows[4].numpy()[:count]).tolist(),
                     "weight": float(made.body_mass.numpy()[0]) * 9.81,
                     "heights": rows[2].numpy()[:count, 2].tolist()}
told("frequency", lambda: solver.set_collision_frequency(collision_frequency={Slot.RIGID: 0}))
told("unowned", lambda: VBD(model(), collision_frequency_type={Slot.RIGID: When.PRE_INIT}))

builder = newton.ModelBuilder(gravity=0.0)
parent = builder.add_link(xform=wp.transform(wp.vec3(0.0, 0.0, -1.0), wp.quat_identity()), mass=2.0,
                          com=wp.vec3(0.0, 0.0, -0.5), inertia=wp.mat33(np.eye(3)))
child = builder.add_link(com=wp.vec3(0.0, 0.0, 0.5), mass=2.0, inertia=wp.mat33(np.eye(3)))
builder.add_articulation([builder.add_joint_rod(parent, child, stretch_stiffness=0.0,
                                                bend_stiffness=0.0)])
builder.color()
made = builder.finalize(device="cpu")
now, after, control = made.state(), made.state(), made.control()
control.joint_f.assign([12.0, 0.0, 0.0, 0.0, 6.0, 0.0])
VBD(made).step(now, after, control, None, 1.0 / 60.0)
found["wrench"] = after.body_qd.numpy().tolist()
told("no_rod", lambda: VBD(model(dahl_eps_max=0.5, dahl_tau=1.0)))
"""


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return found_later(SCRIPT)


def test_scenes_state_iterations_where_scripts_do_not(found: dict[str, Any]) -> None:
    assert found["iterations"] == [10, 23, 10]
    assert "newton:maxSolverIterations" in found["told"]["iterations"]


def test_scenes_state_how_joints_hold_where_scripts_do_not(found: dict[str, Any]) -> None:
    assert found["scene"] == [120.0, 3.0, 7.0]
    assert found["stiffness"] == np.float32(120.0)
    assert "newton:vbd:rigid:jointLinearStiffness" in found["told"]["stiffness"]
    assert "stated" not in found["told"]


def test_scenes_give_contacts_a_history_where_bodies_move(found: dict[str, Any]) -> None:
    assert found["history"] == [True, False, False]


def test_histories_need_contacts_that_are_matched(found: dict[str, Any]) -> None:
    assert "newton:vbd:rigid:contactHistory" in found["told"]["history"]
    assert found["told"]["stated_history"].startswith("rigid_contact_history")


def test_joints_are_hard_or_soft(found: dict[str, Any]) -> None:
    assert "joint_is_hard[0]=2" in found["told"]["hard"]
    assert any("legacy AVBD still honors it" in text for text in found["warned"])


def test_rods_bend_with_hysteresis_where_joints_say_so(found: dict[str, Any]) -> None:
    assert found["dahl"] == [True, False]
    most, length, friction, expected = 0.5 * found["bending"], 0.2, 0.0, []
    for way, turn in ((1.0, 0.1), (1.0, 0.2), (-1.0, -0.1)):
        # Dahl's law in closed form, for as long as a rod turns one way
        left = np.exp(-way * turn / length)
        friction = way * most * (1.0 - left) + friction * left
        expected.append([friction, 0.0, 0.0])
    assert np.array(found["torques"]) == pytest.approx(np.array(expected), abs=1e-4 * most)
    assert found["forgotten"] == [0.0, 0.0, 0.0]
    assert "no_rod" not in found["told"]


def test_bounds_of_motion_and_barriers_are_taken_or_refused_by_name(found: dict[str, Any]) -> None:
    assert "(0, 1)" in found["told"]["no_share"]
    assert "collision_pipeline" in found["told"]["no_pipeline"]
    assert "log_barrier" in found["told"]["barrier"]
    assert found["share"][0] == 0.5
    assert "dat_conservative_bound_relaxation" in found["share"][1]
    assert "JointType.ROD" in found["told"]["semi"]


def test_a_pipeline_of_the_solver_looks_for_contacts_when_the_script_says(
    found: dict[str, Any],
) -> None:
    # in two steps of ten iterations; before each second iteration, and before the step
    wanted = {"NONE": 0, "PRE_INIT": 2, "PRE_POST_INIT": 4, "ITERATIONS": 12}
    assert found["runs"] == wanted
    assert ">= 1" in found["told"]["frequency"]
    assert "collision_pipeline" in found["told"]["unowned"]


def test_forces_of_contacts_bear_what_lies_on_the_ground(found: dict[str, Any]) -> None:
    told = found["contacts"]
    assert told["bodies"] == [0, 1]
    for force in told["forces"]:
        # half a second after they were put 1 mm deep into the ground
        assert force == pytest.approx([0.0, 0.0, told["weight"]], rel=0.02, abs=0.05)
    assert told["heights"] == pytest.approx([0.0, 0.0], abs=2e-3)


def test_a_wrench_of_a_rod_acts_at_the_centre_of_mass_and_back_on_the_parent(
    found: dict[str, Any],
) -> None:
    # in 1/60 s on 2 kg and 1 kg m^2; the centres of mass are 2 m apart along z
    parent, child = found["wrench"]
    assert child == pytest.approx([0.1, 0.0, 0.0, 0.0, 0.1, 0.0], abs=1e-5)
    assert parent == pytest.approx([-0.1, 0.0, 0.0, 0.0, -0.5, 0.0], abs=1e-5)
