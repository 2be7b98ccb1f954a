"""Contact sensors read what pushes their bodies."""

from __future__ import annotations

import numpy as np
import pytest

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.objects import DynamicCuboid
from unibody.isaac_core.sensors import ContactSensor
from unibody.isaac_core.world.world import World


def _resting(count: int = 60, **options: float) -> tuple[World, ContactSensor]:
    """A cube of 2 kg and 1 m that has come to rest on the ground."""
    world = World()
    world.scene.add_default_ground_plane()
    DynamicCuboid("/World/box", "box", position=[0.0, 0.0, 0.5], size=1.0, mass=2.0)
    sensor = world.scene.add(ContactSensor("/World/box/touch", "touch", **options))
    sensor.add_raw_contact_data_to_frame()
    world.reset()
    for _ in range(count):
        world.step(render=False)
    return world, sensor


def test_a_contact_sensor_reads_the_weight_of_a_body_at_rest() -> None:
    _, sensor = _resting()
    frame = sensor.get_current_frame()
    assert frame["in_contact"]
    assert frame["force"] == pytest.approx(2.0 * 9.81, rel=1e-3)
    assert frame["number_of_contacts"] == len(frame["contacts"]) == 4
    one = frame["contacts"][0]
    assert one["body0"] == "/World/box"
    assert one["body1"].startswith("/World/defaultGroundPlane")
    assert one["normal"] == pytest.approx([0.0, 0.0, 1.0], abs=1e-6)
    assert np.abs(one["position"]) == pytest.approx([0.5, 0.5, 0.0], abs=1e-2)
    impulse = sum(contact["impulse"] for contact in frame["contacts"])
    assert impulse == pytest.approx([0.0, 0.0, 2.0 * 9.81 / 60.0], abs=1e-3)
    assert frame["time"] > 0.9
    assert frame["physics_step"] >= 60
    sensor.remove_raw_contact_data_from_frame()
    assert "contacts" not in sensor.get_current_frame()


def test_forces_below_one_threshold_are_not_felt_and_those_above_another_are_cut() -> None:
    world, sensor = _resting(min_threshold=5.0, max_threshold=12.0)
    assert sensor.get_current_frame()["force"] == 12.0
    sensor.set_min_threshold(30.0)
    assert (sensor.get_min_threshold(), sensor.get_max_threshold()) == (30.0, 12.0)
    world.step(render=False)
    frame = sensor.get_current_frame()
    assert (frame["in_contact"], frame["force"], frame["number_of_contacts"]) == (False, 0.0, 0)


def test_only_contacts_within_the_radius_are_felt() -> None:
    world, sensor = _resting(translation=[0.5, 0.0, -0.5], radius=0.6)
    # of the four corners two are 0.5 m away, the others 1.1 m
    assert sensor.get_current_frame()["force"] == pytest.approx(9.81, rel=1e-2)
    sensor.set_radius(0.4)
    world.step(render=False)
    assert not sensor.get_current_frame()["in_contact"]
    sensor.set_radius(-1.0)
    world.step(render=False)
    assert sensor.get_current_frame()["force"] == pytest.approx(2.0 * 9.81, rel=1e-3)


def test_a_sensor_reads_at_its_rate_and_not_while_it_is_paused() -> None:
    world, sensor = _resting(dt=0.1)
    assert sensor.get_frequency() == 10
    times = set()
    for _ in range(60):
        world.step(render=False)
        times.add(sensor.get_current_frame()["time"])
    assert len(times) in {10, 11}
    sensor.pause()
    assert sensor.is_paused()
    last = sensor.get_current_frame()["time"]
    for _ in range(12):
        world.step(render=False)
    assert sensor.get_current_frame()["time"] == last
    sensor.resume()
    world.step(render=False)
    assert sensor.get_current_frame()["time"] > last


def test_a_body_in_the_air_touches_nothing_and_one_on_another_names_it() -> None:
    world = World()
    world.scene.add_default_ground_plane()
    DynamicCuboid("/World/low", "low", position=[0.0, 0.0, 0.5], size=1.0, mass=1.0)
    DynamicCuboid("/World/high", "high", position=[0.0, 0.0, 1.5], size=1.0, mass=3.0)
    DynamicCuboid("/World/loose", "loose", position=[5.0, 0.0, 50.0], size=1.0)
    high, loose = (
        world.scene.add(ContactSensor(f"/World/{one}/touch", one + "_touch"))
        for one in ("high", "loose")
    )
    high.add_raw_contact_data_to_frame()
    world.reset()
    for _ in range(60):
        world.step(render=False)
    assert {one["body1"] for one in high.get_current_frame()["contacts"]} == {"/World/low"}
    assert high.get_current_frame()["force"] == pytest.approx(3.0 * 9.81, rel=1e-2)
    assert loose.get_current_frame()["in_contact"] is False


def test_a_contact_sensor_stands_right_below_a_collider_of_a_body() -> None:
    functions.create_prim("/World/plain")
    with pytest.raises(InvalidArgumentError, match="right below a collider"):
        ContactSensor("/World/plain/touch")
    with pytest.raises(InvalidArgumentError, match="frequency"):
        ContactSensor("/World/plain/touch", frequency=10, dt=0.1)
