"""Sensors: forces of contacts, poses in the frames of sites, and inertial readings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import NotSupportedError
from unibody.newton import sensors, solvers

IDENTITY = (0.0, 0.0, 0.0, 1.0)
TURN = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), math.pi / 2.0)


def _stack() -> tuple[Any, dict[str, float]]:
    builder = newton.ModelBuilder()
    builder.default_shape_cfg.ke, builder.default_shape_cfg.kd = 5e4, 2e3
    builder.add_ground_plane()
    for k, name in enumerate(("lower", "upper")):
        body = builder.add_body(xform=((0.0, 0.0, 0.2 + 0.4 * k), IDENTITY), key=name)
        builder.add_shape_box(body, hx=0.2, hy=0.2, hz=0.2, key=f"{name}_box")
    model = builder.finalize(device="cpu")
    return model, dict(zip(("lower", "upper"), model.body_mass.numpy() * 9.81, strict=True))


def _settled(model: Any) -> Any:
    solver = solvers.SolverSemiImplicit(model)
    now, after = model.state(), model.state()
    contacts = model.contacts()
    for _ in range(2000):
        now.clear_forces()
        model.collide(now, contacts)
        solver.step(now, after, None, contacts, 5e-4)
        now, after = after, now
    return contacts


def test_a_stack_presses_with_the_weight_above() -> None:
    model, weight = _stack()
    sensor = sensors.SensorContact(
        model, sensing_obj_bodies="*", counterpart_shapes=["upper_box", "ground*"]
    )
    sensor.update(_settled(model))
    up = sensor.get_total_force().numpy()[..., 2]
    # Columns: the total, then counterparts in the order of their labels: ground, upper box.
    lower = dict(zip(sensor.reading_indices[0], up[0].tolist(), strict=True))
    assert lower[0] == pytest.approx(weight["lower"], rel=0.05)
    assert lower[1] == pytest.approx(weight["lower"] + weight["upper"], rel=0.05)
    assert lower[2] == pytest.approx(-weight["upper"], rel=0.05)
    assert up[1][0] == pytest.approx(weight["upper"], rel=0.05)


def test_totals_and_counterparts_have_arrays_of_their_own() -> None:
    model, weight = _stack()
    sensor = sensors.SensorContact(
        model, sensing_bodies="*", counterpart_shapes=["upper_box", "ground*"]
    )
    alone = sensors.SensorContact(
        model, sensing_bodies="*", counterpart_shapes="upper_box", measure_total=False
    )
    contacts = _settled(model)
    sensor.update(contacts)
    alone.update(contacts)
    assert (sensor.sensing_type, sensor.counterpart_type) == ("body", "shape")
    assert sensor.sensing_indices == [0, 1]
    assert sensor.total_force is not None and sensor.force_matrix is not None
    totals, apart = sensor.total_force.numpy()[:, 2], sensor.force_matrix.numpy()[..., 2]
    assert totals == pytest.approx([weight["lower"], weight["upper"]], rel=0.05)
    upper = model.shape_label.index("upper_box")
    column = sensor.counterpart_indices[0].index(upper)
    assert apart[0, column] == pytest.approx(-weight["upper"], rel=0.05)
    assert alone.total_force is None and alone.force_matrix is not None
    assert alone.force_matrix.numpy()[0, 0, 2] == pytest.approx(-weight["upper"], rel=0.05)
    with pytest.raises(NotSupportedError, match="friction"):
        sensor.total_force_friction  # noqa: B018
    with pytest.raises(ValueError, match="measure_total"):
        sensors.SensorContact(model, sensing_bodies="*", measure_total=False)


def test_counterparts_that_cannot_touch_have_no_reading_where_they_are_pruned() -> None:
    model, _ = _stack()
    model.shape_contact_pairs = wp.array([(0, 1)], dtype=wp.vec2i, device="cpu")
    sensor = sensors.SensorContact(
        model,
        sensing_obj_shapes=[1, 2],
        counterpart_bodies="*",
        include_total=False,
        prune_noncolliding=True,
    )
    assert sensor.reading_indices == [[], []]
    whole = sensors.SensorContact(model, sensing_obj_shapes=[1, 2], counterpart_bodies="*")
    assert whole.shape == (2, 2)
    assert whole.reading_indices == [[0, 2], [0, 1]]


def test_what_a_sensor_of_contacts_cannot_do_is_said() -> None:
    model, _ = _stack()
    early = model.contacts()
    with pytest.raises(ValueError, match="Exactly one"):
        sensors.SensorContact(model)
    with pytest.raises(IndexError, match="index 9"):
        sensors.SensorContact(model, sensing_obj_bodies=[9])
    with pytest.raises(ValueError, match="before"):
        sensors.SensorContact(model, sensing_obj_bodies=[0]).update(early)
    with pytest.raises(NotSupportedError, match="SensorRaycast"):
        sensors.SensorRaycast  # noqa: B018


def _with_site() -> Any:
    builder = newton.ModelBuilder()
    body = builder.add_body(xform=wp.transform((1.0, 2.0, 3.0), TURN), mass=1.0, inertia=np.eye(3))
    builder.add_site(body, xform=wp.transform((0.5, 0.0, 0.0), TURN), key="site")
    builder.add_shape_box(body, xform=((0.0, 0.0, 1.0), IDENTITY), key="box")
    builder.add_site(-1, xform=((0.0, 0.0, 1.0), IDENTITY), key="base")
    return builder.finalize(device="cpu")


def test_poses_are_those_in_the_frame_of_a_site() -> None:
    model = _with_site()
    state = model.state()
    sensor = sensors.SensorFrameTransform(model, "box", "base")
    sensor.update(state)
    assert sensor.transforms.numpy()[0, :3] == pytest.approx((1.0, 2.0, 3.0), abs=1e-5)
    own = sensors.SensorFrameTransform(model, ["box", "base"], ["site"])
    own.update(state)
    # The box is half a metre behind the site's place and one above; the site turns by 90 degrees.
    assert own.transforms.numpy()[0, :3] == pytest.approx((0.0, 0.5, 1.0), abs=1e-5)
    with pytest.raises(ValueError, match="not a site"):
        sensors.SensorFrameTransform(model, "site", "box")
    with pytest.raises(ValueError, match="nothing"):
        sensors.SensorFrameTransform(model, "nothing", "site")


def test_an_inertial_sensor_feels_gravity_and_turning() -> None:
    model = _with_site()
    sensor = sensors.SensorIMU(model, ["site", "base"])
    state = model.state()
    state.body_qd.assign([(0.0, 0.0, 0.0, 0.0, 0.0, 2.0)])
    state.body_qdd.assign([(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)])
    sensor.update(state)
    # The site looks along -x: it lies half a metre along y of the world, 4 rad^2/s^2 * 0.5 m.
    centripetal = -0.5 * 4.0
    expected = [(-1.0, -centripetal, 9.81), (0.0, 0.0, 9.81)]
    assert sensor.accelerometer.numpy() == pytest.approx(np.array(expected), abs=1e-4)
    assert sensor.gyroscope.numpy()[0] == pytest.approx((0.0, 0.0, 2.0), abs=1e-5)
