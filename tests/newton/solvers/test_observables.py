"""Observables: what steps tell beside the state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton import sensors, solvers

IDENTITY = (0.0, 0.0, 0.0, 1.0)
DT = 0.002


def _ball() -> newton.Model:
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(xform=((0.0, 0.0, 0.2), IDENTITY))
    builder.add_shape_sphere(body, radius=0.2)
    builder.add_site(body, key="imu")
    return builder.finalize(device="cpu")


def _rest(solver: Any, model: newton.Model, contacts: Any, observables: Any) -> newton.State:
    now, after = model.state(), model.state()
    for _ in range(500):
        given = None if contacts is None else model.collide(now, contacts)
        solver.step(now, after, None, given, DT, observables=observables)
        now, after = after, now
    return now


@pytest.mark.parametrize("kind", [solvers.SolverMuJoCo, solvers.SolverXPBD])
def test_forces_of_contacts_that_a_step_tells_carry_the_weight(kind: Any) -> None:
    model = _ball()
    solver = kind(model)
    contacts = model.contacts()
    sensor = sensors.SensorContact(model, sensing_obj_shapes=[1], request_contact_attributes=False)
    observables = solver.observables(sensor.solver_observable_kinds, contacts=contacts)
    state = _rest(solver, model, contacts, observables)
    sensor.update(state, contacts, observables=observables)
    weight = 9.81 * float(model.body_mass.numpy()[0])
    # at rest within 2 %: 1 s of steps, in which the contact's damping has done its work
    assert sensor.net_force.numpy()[0, 0, 2] == pytest.approx(weight, rel=0.02)
    with pytest.raises(ValueError, match="other contacts"):
        sensor.update(state, model.contacts(), observables=observables)


def test_accelerations_that_a_step_tells_are_those_of_states_that_have_them() -> None:
    model = _ball()
    sensor = sensors.SensorIMU(model, "imu", request_state_attributes=False)
    solver: Any = solvers.SolverMuJoCo(model, disable_contacts=True)
    state, after = model.state(), model.state()
    state.joint_qd.assign([0.0, 0.0, 0.0, 1.0, 2.0, 3.0])
    observables = solver.observables({"body_qdd", "body_parent_f"})
    solver.step(state, after, None, None, DT, observables=observables)
    model.request_state_attributes("body_qdd")
    rich, rich_after = model.state(), model.state()
    rich.joint_qd.assign([0.0, 0.0, 0.0, 1.0, 2.0, 3.0])
    solvers.SolverMuJoCo(model, disable_contacts=True).step(rich, rich_after, None, None, DT)
    np.testing.assert_array_equal(observables.body_qdd.numpy(), rich_after.body_qdd.numpy())
    assert observables.body_qdd.numpy()[0, 2] == pytest.approx(-9.81, rel=1e-6)
    sensor.update(after, observables=observables)
    assert np.abs(sensor.accelerometer.numpy()).max() < 1e-4  # free fall, in float32


def test_steps_write_only_what_is_selected() -> None:
    model = _ball()
    solver: Any = solvers.SolverMuJoCo(model)
    observables = solver.observables(solver.supported_observables, contacts=model.contacts())
    named = {"body_qdd", "body_parent_f", "contact_f", "qfrc_actuator", "qfrc_bias"}
    assert set(observables.kinds) == named | {"qfrc_constraint", "qfrc_frictionloss"}
    some = observables.select({solver.ObservableKind.BODY_QDD})
    assert some.body_qdd is observables.body_qdd
    assert some.contact_f is None
    assert some.is_requested("body_qdd")
    assert not some.is_requested("contact_f")
    solver.step(model.state(), model.state(), None, None, DT, observables=some)
    assert observables.body_qdd.numpy().any()
    assert not observables.contact_f.numpy().any()
    with pytest.raises(ValueError, match="requested are"):
        some.select({"contact_f"})


def test_what_a_solver_cannot_tell_is_refused_by_name() -> None:
    model = _ball()
    solver = solvers.SolverMuJoCo(model)
    with pytest.raises(ValueError, match=r"SolverMuJoCo.*body_heat.*body_qdd"):
        solver.observables({"body_heat"})
    with pytest.raises(TypeError, match="body_qdd"):
        solver.observables("body_qdd")
    with pytest.raises(ValueError, match="contacts=None"):
        solver.observables({"contact_f"})
    with pytest.raises(ValueError, match=r"SolverSemiImplicit.*contact_f"):
        solvers.SolverSemiImplicit(model).observables({"contact_f"}, contacts=model.contacts())
    others = solvers.SolverMuJoCo(model).observables({"body_qdd"})
    with pytest.raises(ValueError, match="another solver"):
        solver.step(model.state(), model.state(), None, None, DT, observables=others)


def test_recorded_steps_tell_what_eager_ones_do() -> None:
    model = _ball()
    solver: Any = solvers.SolverMuJoCo(model)
    contacts = model.contacts()
    kinds = {"body_qdd", "contact_f"}
    observables = solver.observables(kinds, contacts=contacts)
    state = model.state()
    with wp.ScopedCapture(device="cpu") as capture:
        solver.step(state, state, None, contacts, DT, observables=observables)
    for _ in range(500):
        wp.capture_launch(capture.graph)
    weight = 9.81 * float(model.body_mass.numpy()[0])
    assert abs(observables.contact_f.numpy()[0, 2]) == pytest.approx(weight, rel=0.02)
    assert np.abs(observables.body_qdd.numpy()).max() < 1e-2


def test_xpbd_tells_what_joints_hold_and_what_controls_exert() -> None:
    builder: Any = newton.ModelBuilder(gravity=-9.81)
    builder.request_state_attributes("body_parent_f")
    more = {"mass": 2.0, "inertia": np.eye(3)}
    links = [builder.add_link(((0.0, 0.0, -z), IDENTITY), **more) for z in (1.0, 2.0)]
    ends = {"child_xform": ((0.0, 0.0, 1.0), IDENTITY), "axis": "y"}
    joints = [
        builder.add_joint_revolute(-1, links[0], **ends),
        builder.add_joint_revolute(links[0], links[1], **ends),
    ]
    builder.add_articulation(joints)
    turned = builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.add_articulation([builder.add_joint_revolute(-1, turned, axis="z")])
    free = builder.add_body(mass=1.0, inertia=np.eye(3))
    model = builder.finalize(device="cpu")
    solver = solvers.SolverXPBD(model, iterations=20)
    observables = solver.observables({"body_parent_f"})
    control = model.control()
    control.joint_f.assign([0.0, 0.0, 0.5, *[0.0] * 6])
    now, after = model.state(), model.state()
    newton.eval_fk(model, now.joint_q, now.joint_qd, now)
    found = []
    for step in range(300):
        solver.step(now, after, control, None, DT, observables=observables)
        now, after = after, now
        if step >= 200:
            found.append(observables.body_parent_f.numpy())
    assert np.array_equal(now.body_parent_f.numpy(), observables.body_parent_f.numpy())
    held = np.mean(found, axis=0)
    # each joint carries what hangs on it; corrections swing about it by a few per cent
    assert held[links, 2] == pytest.approx([4.0 * 9.81, 2.0 * 9.81], rel=0.05)
    assert held[turned, 5] == pytest.approx(0.5, rel=0.01)
    assert np.array_equal(held[free], np.zeros(6))
