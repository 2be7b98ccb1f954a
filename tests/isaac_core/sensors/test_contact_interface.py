"""Contacts of bodies without a sensor."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core import names
from unibody.isaac_core.objects import DynamicCuboid, FixedCuboid
from unibody.isaac_core.world.world import World

_NAME = "isaacsim.sensors.physics._sensor"


def test_rows_of_contacts_name_both_bodies_and_carry_the_weight() -> None:
    World.clear_instance()
    world = World(physics_dt=1.0 / 60.0, rendering_dt=1.0 / 60.0)
    world.scene.add(FixedCuboid("/World/ground", position=np.array([0.0, 0.0, -0.5]), size=1.0))
    lower = DynamicCuboid("/World/lower", position=np.array([0.0, 0.0, 0.1]), size=0.2, mass=2.0)
    upper = DynamicCuboid(
        "/World/upper", name="upper", position=np.array([0.0, 0.0, 0.3]), size=0.2, mass=1.0
    )
    world.scene.add(lower)
    world.scene.add(upper)
    found = importlib.import_module(names.meant(_NAME) or "")
    contacts = found.acquire_contact_sensor_interface()
    assert len(contacts.get_rigid_body_raw_data("/World/upper")) == 0
    world.reset()
    for _ in range(30):
        world.step(render=False)
    rows = contacts.get_rigid_body_raw_data("/World/upper")
    paths = {contacts.decode_body_name(number) for row in rows for number in [*row][2:4]}
    assert paths == {"/World/upper", "/World/lower"}
    # At rest the contacts carry m g, up to what is left of the fall after half a second.
    assert rows["impulse"].sum(axis=0)[2] * 60.0 == pytest.approx(9.81, rel=1e-2)
    with pytest.raises(InvalidArgumentError, match="body0 or body1"):
        contacts.decode_body_name(99)
    with pytest.raises(NotSupportedError, match="get_sensor_reading"):
        contacts.get_sensor_reading("/World/upper")
