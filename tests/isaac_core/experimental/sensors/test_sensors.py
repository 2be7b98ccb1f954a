"""Sensors of ``isaacsim.sensors.experimental.physics`` read what the physics does."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("warp")

from pxr import UsdPhysics

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.experimental import app, stage
from unibody.isaac_core.experimental.objects import Cube, GroundPlane
from unibody.isaac_core.experimental.prims import Articulation, GeomPrim, RigidPrim
from unibody.isaac_core.experimental.sensors import (
    IMU,
    Contact,
    ContactSensor,
    EffortSensor,
    IMUSensor,
    JointStateSensor,
    Raycast,
    RaycastSensor,
)
from unibody.isaac_core.schemas import sensor_schema
from unibody.isaac_core.schemas.physics_schema_tools import intToSdfPath
from unibody.isaac_core.simulation.simulation_manager import SimulationManager
from unibody.isaac_core.world.world import World

G = 9.81
DT = 1.0 / 60.0
BOX = "/World/box"


def _box(height: float, mass: float = 2.0, ground: bool = True) -> RigidPrim:
    stage.set_stage_units(meters_per_unit=1.0)
    if ground:
        GroundPlane("/World/ground")
    Cube(BOX, sizes=1.0, positions=[0.0, 0.0, height])
    GeomPrim(BOX, apply_collision_apis=True)
    SimulationManager.setup_simulation(dt=DT)
    return RigidPrim(BOX, masses=mass)


def _arm() -> None:
    """A weight of 2 kg, 0.5 m ahead of a hinge about y whose drive holds it."""
    stage.set_stage_units(meters_per_unit=1.0)
    now = handles.current_stage()
    UsdPhysics.ArticulationRootAPI.Apply(stage.define_prim("/World/arm"))
    for name, place in (("base", 0.0), ("link", 0.5)):
        path = f"/World/arm/{name}"
        Cube(path, sizes=0.1, positions=[place, 0.0, 2.0])
        RigidPrim(path, masses=2.0)
    held = UsdPhysics.FixedJoint.Define(now, "/World/arm/held")
    held.CreateBody1Rel().SetTargets(["/World/arm/base"])
    held.CreateLocalPos0Attr((0.0, 0.0, 2.0))
    hinge = UsdPhysics.RevoluteJoint.Define(now, "/World/arm/hinge")
    hinge.CreateBody0Rel().SetTargets(["/World/arm/base"])
    hinge.CreateBody1Rel().SetTargets(["/World/arm/link"])
    hinge.CreateLocalPos1Attr((-0.5, 0.0, 0.0))
    hinge.CreateAxisAttr("Y")
    drive = UsdPhysics.DriveAPI.Apply(hinge.GetPrim(), "angular")
    drive.CreateStiffnessAttr(1e6)
    drive.CreateDampingAttr(1e5)


def _play(steps: int) -> None:
    app.play()
    app.update_app(steps=steps)


def test_an_imu_reads_what_holds_its_body_and_nothing_in_free_fall() -> None:
    _box(0.5)
    sensor = IMUSensor(IMU.create(f"{BOX}/imu"))
    _play(60)
    assert sensor.get_data()["linear_acceleration"] == pytest.approx([0, 0, G], abs=1e-2)
    without = sensor.get_sensor_reading(read_gravity=False)
    assert without.linear_acceleration_z == pytest.approx(0.0, abs=1e-2)
    app.stop()
    RigidPrim(BOX).set_world_poses(positions=[0.0, 0.0, 50.0])
    _play(20)
    assert sensor.get_data()["linear_acceleration"] == pytest.approx([0, 0, 0], abs=1e-2)
    reading = sensor.get_sensor_reading(read_gravity=False)
    assert reading.linear_acceleration_z == pytest.approx(-G, abs=1e-2)


def test_an_imu_averages_over_as_many_steps_as_its_prim_says() -> None:
    box = _box(50.0, ground=False)
    box.set_enabled_gravities(False)
    several = IMUSensor(IMU.create(f"{BOX}/several", angular_velocity_filter_size=4))
    one = IMUSensor(IMU.create(f"{BOX}/one"))
    _play(10)
    box.set_velocities(angular_velocities=[0.0, 0.0, 2.0])
    app.update_app(steps=1)
    assert one.get_sensor_reading().angular_velocity_z == pytest.approx(2.0, rel=1e-2)
    assert several.get_sensor_reading().angular_velocity_z == pytest.approx(0.5, rel=1e-2)


def test_a_contact_sensor_reads_the_weight_of_its_body_and_the_impulses_are_that() -> None:
    _box(0.5)
    sensor = ContactSensor(Contact.create(f"{BOX}/contact"))
    _play(60)
    reading = sensor.get_sensor_reading()
    assert reading.in_contact
    assert reading.value == pytest.approx(2.0 * G, rel=1e-3)
    raw = sensor.get_raw_data()
    assert sum(one["impulse"]["z"] for one in raw) == pytest.approx(2.0 * G * DT, rel=1e-3)
    assert {str(intToSdfPath(one["body0"])) for one in raw} == {BOX}
    sensor.add_raw_contact_data_to_frame()
    assert len(sensor.get_data()["contacts"]) == len(raw)


def test_a_contact_sensor_feels_nothing_beyond_its_radius_or_below_its_threshold() -> None:
    _box(0.5)
    far = ContactSensor(Contact.create(f"{BOX}/far", translations=[[0, 0, 0.5]], radius=0.3))
    dull = ContactSensor(Contact.create(f"{BOX}/dull", min_threshold=2.0 * G + 1.0))
    weak = ContactSensor(Contact.create(f"{BOX}/weak", max_threshold=5.0))
    _play(60)
    for sensor in (far, dull):
        reading = sensor.get_sensor_reading()
        assert (reading.is_valid, reading.in_contact, reading.value) == (True, False, 0.0)
    assert weak.get_sensor_reading().value == 5.0


def test_joints_read_the_effort_that_holds_a_weight() -> None:
    _arm()
    SimulationManager.setup_simulation(dt=DT)
    effort = EffortSensor("/World/arm/hinge")
    joints = JointStateSensor("/World/arm")
    assert not effort.get_sensor_reading().is_valid
    _play(30)
    held = -2.0 * G * 0.5  # about y a weight ahead turns the other way
    assert effort.get_sensor_reading().value == pytest.approx(held, rel=1e-3)
    state = joints.get_data()
    assert (state["dof_names"], state["dof_types"].tolist()) == (["hinge"], [0])
    assert state["efforts"] == pytest.approx([held], rel=1e-3)
    assert state["positions"].dtype == np.float32
    effort.update_dof_name("elbow")
    assert not effort.get_sensor_reading().is_valid
    effort.enabled = joints.enabled = False
    assert not joints.get_sensor_reading().is_valid


def test_rays_measure_in_the_frame_of_the_sensor_or_in_the_world() -> None:
    _box(0.5)
    down = {"ray_origins": [[0, 0, 0], [0, 0, 0]], "ray_directions": [[0, 0, -2], [0, 0, 1]]}
    places = {"positions": [[3.0, 0.0, 2.0]], "max_range": 10.0}
    own = RaycastSensor(Raycast("/World/own", **down, **places))
    world = RaycastSensor(Raycast("/World/all", **down, **places, output_frame="WORLD"))
    _play(2)
    assert own.get_data()["depths"] == pytest.approx([2.0, 10.0], abs=1e-5)
    assert own.get_data()["hit_positions"][0] == pytest.approx([0, 0, -2.0], abs=1e-5)
    assert world.get_data()["hit_positions"][0] == pytest.approx([3.0, 0, 0], abs=1e-5)
    assert world.get_data()["hit_normals"] == pytest.approx(np.array([[0, 0, 1.0], [0, 0, 0]]))


def test_rays_meet_a_ground_on_a_stage_on_which_nothing_moves_and_follow_it() -> None:
    stage.set_stage_units(meters_per_unit=1.0)
    ground = GroundPlane("/World/ground")
    SimulationManager.setup_simulation(dt=DT)
    sensor = RaycastSensor(
        Raycast(
            "/World/rays",
            positions=[[3.0, 0.0, 2.0]],
            max_range=10.0,
            ray_origins=[[0, 0, 0]],
            ray_directions=[[0, 0, -1]],
            report_hit_prim_paths=True,
        )
    )
    _play(2)
    data = sensor.get_data()
    assert data["depths"] == pytest.approx([2.0], abs=1e-5)
    assert data["hit_prim_paths"][0].startswith("/World/ground")
    ground.set_world_poses(positions=[0.0, 0.0, -1.0])
    app.update_app(steps=1)
    assert sensor.get_data()["depths"] == pytest.approx([3.0], abs=1e-5)


def test_rays_of_a_sweep_are_cast_when_their_time_comes() -> None:
    _box(0.5)
    count = 4
    sensor = RaycastSensor(
        Raycast(
            "/World/sweep",
            positions=[[3.0, 0.0, 2.0]],
            ray_origins=[[0, 0, 0]] * count,
            ray_directions=[[0, 0, -1]] * count,
            ray_time_offsets=[(n + 0.5) * DT for n in range(count)],
        )
    )
    _play(1)
    seen = [np.flatnonzero(sensor.get_data()["depths"] < 100.0).tolist()]
    for _ in range(2):
        app.update_app()
        seen.append(np.flatnonzero(sensor.get_data()["depths"] < 100.0).tolist())
    assert seen == [[0], [1], [2]]


def test_sensors_are_refused_where_they_could_not_read() -> None:
    Cube("/World/still", sizes=1.0)
    with pytest.raises(InvalidArgumentError, match="below a body that moves"):
        Contact.create("/World/still/contact")
    with pytest.raises(RuntimeError, match="below a prim"):
        IMU.create("/imu")
    with pytest.raises(InvalidArgumentError, match="IsaacImuSensor"):
        IMUSensor("/World/still")
    with pytest.raises(InvalidArgumentError, match="as many of one as of another"):
        Raycast("/World/rays", ray_origins=[[0, 0, 0]], ray_directions=[])
    with pytest.raises(InvalidArgumentError, match="with ray_directions"):
        Raycast.create("/World/rays")


def test_a_sensor_whose_prim_is_gone_reads_nothing_more() -> None:
    _box(0.5)
    sensor = IMUSensor(IMU.create(f"{BOX}/imu"))
    _play(3)
    assert sensor.get_sensor_reading().is_valid
    stage.delete_prim(f"{BOX}/imu")
    app.update_app()
    assert not sensor.get_sensor_reading().is_valid


def test_prims_of_sensors_have_the_schemas_of_the_original() -> None:
    _box(0.5)
    made = IMU.create(f"{BOX}/imu", orientation_filter_size=7).prims[0]
    assert sensor_schema.IsaacBaseSensor(made).GetEnabledAttr().Get() is True
    assert sensor_schema.IsaacImuSensor(made).GetOrientationFilterWidthAttr().Get() == 7
    assert made.IsA(sensor_schema.IsaacBaseSensor)
    assert IMU.create(f"{BOX}/imu").paths == [f"{BOX}/imu_01"]


def test_steps_that_begin_the_physics_count_for_the_simulation_and_not_for_a_world() -> None:
    world = World()
    world.reset()
    assert SimulationManager.get_num_physics_steps() == 2
    assert SimulationManager.get_simulation_time() == pytest.approx(2.0 * DT)
    assert (world.current_time_step_index, world.current_time) == (0, 0.0)
    world.step()
    assert SimulationManager.get_num_physics_steps() == 3
    assert world.current_time_step_index == 1


def test_joints_that_are_put_somewhere_are_aimed_there() -> None:
    _arm()
    arm = Articulation("/World/arm")
    _play(1)
    arm.set_dof_positions([0.4])
    arm.set_dof_velocities([0.1])
    assert arm.get_dof_position_targets().numpy()[0] == pytest.approx([0.4])
    assert arm.get_dof_velocity_targets().numpy()[0] == pytest.approx([0.1])
