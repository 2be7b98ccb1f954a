"""Sensors read what mechanics says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions.nucleus import get_assets_root_path
from unibody.isaac_core.functions.stage import add_reference_to_stage
from unibody.isaac_core.objects import DynamicCuboid
from unibody.isaac_core.sensors import EffortSensor, IMUSensor
from unibody.isaac_core.world.world import World


def test_an_effort_sensor_reads_what_a_joint_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("UNIBODY_ISAAC_ASSETS", raising=False)
    file = get_assets_root_path() + "/Isaac/Robots/IsaacSim/Cartpole/cartpole.usd"
    add_reference_to_stage(file, "/World/Cartpole")
    world = World()
    world.reset()
    sensor = EffortSensor("/World/Cartpole/rail/cartJoint")
    assert not sensor.get_sensor_reading().is_valid
    sensor._view.initialize()
    for _ in range(3):
        sensor._view.set_joint_efforts(np.array([[7.0, 0.0]]))
        world.step(render=False)
    reading = sensor.get_sensor_reading()
    assert reading.is_valid
    assert reading.value == pytest.approx(7.0, abs=1e-4)
    assert reading.time > 0.0
    with pytest.raises(InvalidArgumentError, match="joint"):
        EffortSensor("/World/nothing")


def test_an_imu_feels_what_holds_it_and_nothing_in_free_fall() -> None:
    world = World()
    world.scene.add_default_ground_plane()
    DynamicCuboid("/World/resting", "resting", position=[0.0, 0.0, 0.5], size=1.0)
    falling = DynamicCuboid("/World/falling", "falling", position=[5.0, 0.0, 50.0], size=1.0)
    rest = world.scene.add(IMUSensor("/World/resting/imu", "rest"))
    fall = world.scene.add(IMUSensor("/World/falling/imu", "fall", translation=[0.5, 0.0, 0.0]))
    world.reset()
    falling.set_angular_velocity(np.array([0.0, 0.0, 2.0]))
    for _ in range(60):
        world.step(render=False)
    held, loose = rest.get_current_frame(), fall.get_current_frame()
    assert held["lin_acc"] == pytest.approx([0.0, 0.0, 9.81], abs=0.02)
    assert rest.get_current_frame(read_gravity=False)["lin_acc"] == pytest.approx(0.0, abs=0.02)
    # PhysX's angular damping is 0.05 /s; at 0.5 m from the axis it feels a pull inwards. Over a
    # step of 1/60 s the direction turns by 1/30, half of which shows across, as the damping does.
    rate = 2.0 * (1.0 - 0.05 / 60.0) ** 60
    assert loose["ang_vel"] == pytest.approx([0.0, 0.0, rate], abs=1e-3)
    assert loose["lin_acc"] == pytest.approx([-0.5 * rate**2, 0.0, 0.0], abs=0.08)
    with pytest.raises(InvalidArgumentError, match="rigid body"):
        IMUSensor("/World/nothing/imu")
