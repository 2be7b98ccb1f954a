"""Vectors, rotations, poses and parameter structures behave like the original's bindings."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.transform import Rotation

from tests.isaacgym import stubs
from unibody.errors import InvalidArgumentError
from unibody.isaacgym import gymapi
from unibody.isaacgym.types import records
from unibody.isaacgym.types.fields import Struct

# Everything is stored in single precision: a few roundings of 6e-8 on numbers of order ten.
SINGLE = 1e-5

coordinates = st.floats(-10.0, 10.0, width=32)
angles = st.floats(-3.0, 3.0, width=32)
vectors = hnp.arrays(np.float64, 3, elements=coordinates)
rotations = hnp.arrays(np.float64, 4, elements=coordinates).filter(
    lambda q: bool(np.linalg.norm(q) > 0.1)
)
STRUCTS = [
    kind
    for kind in vars(gymapi).values()
    if isinstance(kind, type) and issubclass(kind, Struct) and kind is not Struct
]


def vec(values: Any) -> gymapi.Vec3:
    return gymapi.Vec3(*values)


def quat(values: Any) -> gymapi.Quat:
    return gymapi.Quat(*values).normalize()


def plain(value: Any) -> np.ndarray[Any, Any]:
    return np.array(value.__getstate__())


def scipy_rotation(q: gymapi.Quat) -> Rotation:
    return Rotation.from_quat(plain(q))


@given(vectors, vectors, coordinates)
def test_vector_operators_and_products_are_those_of_numpy(a: Any, b: Any, factor: float) -> None:
    u, v = vec(a), vec(b)
    np.testing.assert_allclose(plain(u + v), a + b, atol=SINGLE)
    np.testing.assert_allclose(plain(u - v), a - b, atol=SINGLE)
    np.testing.assert_allclose(plain(-u), -a)
    np.testing.assert_allclose(plain(u * factor), a * factor, atol=SINGLE)
    np.testing.assert_allclose(plain(u.cross(v)), np.cross(a, b), atol=2 * SINGLE)
    assert u.dot(v) == pytest.approx(a @ b, abs=1e-9)
    assert u.length_sq() == pytest.approx(a @ a)
    assert u.length() == pytest.approx(np.linalg.norm(a))


def test_division_by_zero_gives_infinities_and_normalising_nothing_gives_nothing() -> None:
    quotient = gymapi.Vec3(1.0, -1.0, 0.0) / 0.0
    assert (quotient.x, quotient.y) == (math.inf, -math.inf)
    assert math.isnan(quotient.z)
    assert gymapi.Vec3().normalize().length() == 0.0
    assert plain(gymapi.Quat(0, 0, 0, 0).normalize()).tolist() == [0, 0, 0, 1]


def test_operators_refuse_what_they_have_no_meaning_for() -> None:
    for wrong in (
        lambda: gymapi.Vec3() * gymapi.Vec3(),
        lambda: gymapi.Vec3() + 1.0,
        lambda: gymapi.Quat() * gymapi.Vec3(),
        lambda: gymapi.Transform() * gymapi.Quat(),
        lambda: gymapi.Vec3("1", 0, 0),
        lambda: gymapi.Vec3(None, 0, 0),
    ):
        with pytest.raises(TypeError):
            wrong()


@given(vectors, st.floats(-6.0, 6.0, width=32))
def test_from_axis_angle_is_the_rotation_about_the_axis_of_any_length(a: Any, angle: float) -> None:
    length = np.linalg.norm(a)
    found = gymapi.Quat.from_axis_angle(vec(a), angle)
    axis = a / length if length > 1e-6 else np.zeros(3)
    if length > 1e-6:
        expected = Rotation.from_rotvec(axis * angle)
        assert (scipy_rotation(found) * expected.inv()).magnitude() < SINGLE


@given(angles, st.floats(-1.5, 1.5, width=32), angles)
def test_euler_angles_are_rolls_pitches_and_yaws(roll: float, pitch: float, yaw: float) -> None:
    found = gymapi.Quat.from_euler_zyx(roll, pitch, yaw)
    expected = Rotation.from_euler("ZYX", [yaw, pitch, roll])
    assert (scipy_rotation(found) * expected.inv()).magnitude() < SINGLE
    # Near the pole a rounding of 1e-7 of the quaternion is one of 1e-7 / cos(1.5) of an angle.
    np.testing.assert_allclose(found.to_euler_zyx(), (roll, pitch, yaw), atol=1e-4)


@given(rotations, rotations, vectors)
def test_quaternions_rotate_multiply_and_invert_as_in_scipy(a: Any, b: Any, v: Any) -> None:
    p, q = quat(a), quat(b)
    rp, rq = scipy_rotation(p), scipy_rotation(q)
    assert (scipy_rotation(p * q) * (rp * rq).inv()).magnitude() < SINGLE
    assert (scipy_rotation(p.inverse()) * rp).magnitude() < SINGLE
    np.testing.assert_allclose(plain(p.rotate(vec(v))), rp.apply(v), atol=5 * SINGLE)


@given(rotations, vectors, rotations, vectors, vectors)
def test_poses_compose_and_invert(a: Any, s: Any, b: Any, t: Any, v: Any) -> None:
    first = gymapi.Transform(vec(s), quat(a))
    second = gymapi.Transform(vec(t), quat(b))
    through = first.transform_point(second.transform_point(vec(v)))
    at_once = (first * second).transform_point(vec(v))
    np.testing.assert_allclose(plain(at_once), plain(through), atol=1e-4)
    back = first.inverse().transform_point(first.transform_point(vec(v)))
    np.testing.assert_allclose(plain(back), v, atol=1e-4)
    turned = first.transform_vector(vec(v))
    np.testing.assert_allclose(plain(turned), plain(first.r.rotate(vec(v))))


def test_transform_points_takes_records_of_any_shape_and_keeps_it() -> None:
    pose = gymapi.Transform(gymapi.Vec3(1, 2, 3), gymapi.Quat.from_euler_zyx(0, 0, math.pi / 2))
    points = np.zeros((4, 2), gymapi.Vec3.dtype)
    points["x"] = 1.0
    moved = pose.transform_points(points)
    assert moved.dtype == gymapi.Vec3.dtype
    assert moved.shape == (4, 2)
    np.testing.assert_allclose(moved["x"], 1.0, atol=SINGLE)
    np.testing.assert_allclose(moved["y"], 3.0, atol=SINGLE)
    np.testing.assert_allclose(moved["z"], 3.0, atol=SINGLE)
    plain_points = np.array([[1.0, 0.0, 0.0]])
    np.testing.assert_allclose(pose.transform_points(plain_points), [[1, 3, 3]], atol=SINGLE)
    np.testing.assert_allclose(pose.transform_vectors(plain_points), [[0, 1, 0]], atol=SINGLE)
    with pytest.raises(TypeError):
        pose.transform_points(np.zeros((3, 2)))


@given(rotations, vectors, vectors)
def test_functions_of_the_module_agree_with_the_methods(q: Any, t: Any, v: Any) -> None:
    pose = gymapi.Transform(vec(t), quat(q))
    point = vec(v)
    same = [
        (gymapi.rotate(pose.r, point), pose.r.rotate(point)),
        (gymapi.rotate_inverse(pose.r, point), pose.r.inverse().rotate(point)),
        (gymapi.transform(pose, point), pose.transform_point(point)),
        (gymapi.transform_inverse(pose, point), pose.inverse().transform_point(point)),
        (gymapi.cross(pose.p, point), pose.p.cross(point)),
    ]
    for found, expected in same:
        assert isinstance(found, gymapi.Vec3)
        np.testing.assert_allclose(plain(found), plain(expected), atol=1e-4)
    assert gymapi.dot(pose.p, point) == pytest.approx(pose.p.dot(point), abs=1e-9)
    eulers = gymapi.quats_to_eulers_zyx(pose.r)
    np.testing.assert_allclose(plain(eulers), pose.r.to_euler_zyx(), atol=SINGLE)


def test_functions_of_the_module_work_on_arrays_of_records() -> None:
    angles = np.zeros(3, gymapi.Vec3.dtype)
    angles["z"] = [0.0, 0.5, 1.0]
    quats = gymapi.eulers_to_quats_zyx(angles)
    assert quats.dtype == gymapi.Quat.dtype
    back = gymapi.quats_to_eulers_zyx(quats)
    np.testing.assert_allclose(back["z"], angles["z"], atol=SINGLE)
    turned = gymapi.rotate(quats, np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(turned["x"], np.cos(angles["z"]), atol=SINGLE)
    products = gymapi.dot(quats, quats)
    np.testing.assert_allclose(products, 1.0, atol=SINGLE)
    assert products.dtype == np.float32


def test_arrays_that_do_not_fit_one_another_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="broadcast"):
        gymapi.rotate(np.ones((3, 4)), np.ones((2, 3)))
    with pytest.raises(TypeError, match="arg1"):
        gymapi.rotate(gymapi.Quat(), np.ones(4))


@pytest.mark.parametrize("kind", ["Vec3", "Quat", "Transform", "Velocity", "DofFrame"])
def test_a_dtype_is_the_one_the_stubs_show(kind: str) -> None:
    ours = getattr(gymapi, kind).dtype
    vec3 = [(axis, "<f4") for axis in "xyz"]
    shapes = {
        "Vec3": vec3,
        "Quat": [*vec3, ("w", "<f4")],
        "Transform": [("p", vec3), ("r", [*vec3, ("w", "<f4")])],
        "Velocity": [("linear", vec3), ("angular", vec3)],
        "DofFrame": [("origin", vec3), ("axis", vec3)],
    }
    assert ours == np.dtype(shapes[kind])


def test_state_dtypes_are_packed_and_dof_properties_have_the_originals_layout() -> None:
    assert gymapi.RigidBodyState.dtype.itemsize == 13 * 4
    assert gymapi.DofState.dtype.names == ("pos", "vel")
    names = "hasLimits lower upper driveMode velocity effort stiffness damping friction armature"
    assert records.DOF_PROPERTIES.names == tuple(names.split())
    assert records.DOF_PROPERTIES.itemsize == 40
    assert records.DOF_PROPERTIES["hasLimits"] == np.bool_
    assert records.DOF_PROPERTIES["driveMode"] == np.int32


def test_from_buffer_reads_a_record_of_a_state_array() -> None:
    states = np.zeros(3, gymapi.RigidBodyState.dtype)
    states["pose"]["p"]["y"] = [1.0, 2.0, 3.0]
    states["pose"]["r"]["w"] = 1.0
    pose = gymapi.Transform.from_buffer(states["pose"][1])
    assert pose.p.y == 2.0
    assert pose.r.w == 1.0
    pose.p.y = 9.0
    assert states["pose"]["p"]["y"][1] == 2.0
    several = gymapi.Vec3.from_buffer(np.arange(6, dtype=np.float32))
    assert [v.z for v in several] == [2.0, 5.0]
    with pytest.raises(TypeError):
        gymapi.Transform.from_buffer(b"short")
    with pytest.raises(TypeError):
        gymapi.Transform.from_buffer(3)


def test_a_pose_can_be_set_from_a_record() -> None:
    states = np.zeros(2, gymapi.RigidBodyState.dtype)
    states["pose"]["p"]["x"] = 4.0
    attractor = gymapi.AttractorProperties()
    attractor.target = states["pose"][:][1]
    assert attractor.target.p.x == 4.0


@pytest.mark.parametrize("kind", STRUCTS)
def test_an_unknown_attribute_cannot_be_set(kind: Any) -> None:
    with pytest.raises(AttributeError):
        kind().no_such_attribute = 1


@pytest.mark.parametrize("kind", STRUCTS)
def test_copies_and_pickles_are_equal_and_independent(kind: Any) -> None:
    original = kind()
    for twin in (
        copy.copy(original),
        copy.deepcopy(original),
        pickle.loads(pickle.dumps(original)),
    ):
        assert repr(twin) == repr(original)
        for name in original.fields:
            inner = getattr(original, name)
            if isinstance(inner, Struct):
                assert getattr(twin, name) is not inner


def test_a_nested_structure_is_copied_into_the_one_that_is_there() -> None:
    params = gymapi.SimParams()
    gravity = params.gravity
    down = gymapi.Vec3(0.0, 0.0, -9.81)
    params.gravity = down
    down.z = 5.0
    assert gravity.z == pytest.approx(-9.81)
    assert params.gravity is gravity
    params.gravity.x = 1.0
    assert gravity.x == 1.0


def test_numbers_are_kept_in_single_precision() -> None:
    params = gymapi.SimParams()
    params.dt = 1.0 / 60.0
    assert params.dt == float(np.float32(1.0 / 60.0))
    params.dt = np.array([0.01])
    assert params.dt == float(np.float32(0.01))
    params.dt = 1e300
    assert params.dt == math.inf


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dt", "fast"),
        ("dt", np.zeros(2)),
        ("substeps", 2.0),
        ("substeps", -1),
        ("substeps", 2**32),
        ("up_axis", 1),
        ("use_gpu_pipeline", "yes"),
        ("use_gpu_pipeline", np.zeros(2)),
        ("gravity", (0, 0, -9.8)),
        ("physx", gymapi.FlexParams()),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_and_named(name: str, value: Any) -> None:
    params = gymapi.SimParams()
    before = repr(params)
    with pytest.raises(TypeError, match=rf"SimParams\.{name}") as raised:
        setattr(params, name, value)
    assert isinstance(raised.value, InvalidArgumentError)
    assert repr(params) == before


def test_defaults_are_the_documented_ones() -> None:
    options = gymapi.AssetOptions()
    assert (options.density, options.angular_damping, options.linear_damping) == (1000.0, 0.5, 0.0)
    assert (options.max_angular_velocity, options.max_linear_velocity) == (64.0, 1000.0)
    assert options.armature == 0.0
    assert options.thickness == pytest.approx(0.02)
    assert options.enable_gyroscopic_forces
    vhacd = options.vhacd_params
    assert (vhacd.resolution, vhacd.max_convex_hulls, vhacd.convex_hull_downsampling) == (
        100_000,
        64,
        4,
    )
    params = gymapi.SimParams()
    assert params.dt == pytest.approx(1.0 / 60.0)
    assert params.substeps == 2
    assert params.up_axis == gymapi.UP_AXIS_Y
    assert params.gravity.y == pytest.approx(-9.8)
    physx = params.physx
    assert (physx.solver_type, physx.num_position_iterations, physx.num_velocity_iterations) == (
        1,
        4,
        1,
    )
    assert physx.contact_offset == pytest.approx(0.02)
    assert physx.contact_collection == gymapi.CC_ALL_SUBSTEPS
    sensor = gymapi.ForceSensorProperties()
    assert sensor.enable_forward_dynamics_forces
    assert sensor.enable_constraint_solver_forces
    assert not sensor.use_world_frame
    camera = gymapi.CameraProperties()
    assert (camera.width, camera.height, camera.horizontal_fov) == (1600, 900, 90.0)


def test_a_drive_mode_can_be_given_as_an_enum_or_a_number() -> None:
    options = gymapi.AssetOptions()
    options.default_dof_drive_mode = gymapi.DOF_MODE_EFFORT
    assert options.default_dof_drive_mode == 3
    options.default_dof_drive_mode = 1
    assert gymapi.DofDriveMode(options.default_dof_drive_mode) == gymapi.DOF_MODE_POS


@pytest.mark.parametrize("kind", [kind for kind in stubs.classes() if stubs.is_enum(kind)])
def test_an_enum_is_made_from_numbers_and_prints_with_its_class(kind: str) -> None:
    ours = getattr(gymapi, kind)
    for name, member in ours.__members__.items():
        assert ours(int(member)) is member
        assert str(member) == f"{kind}.{name}"
        assert f"{member}" == f"{kind}.{name}"
        assert repr(member) == f"<{kind}.{name}: {int(member)}>"
        assert getattr(gymapi, name) is member
        assert pickle.loads(pickle.dumps(member)) is member


def test_flags_combine_as_bits() -> None:
    assert gymapi.STATE_POS | gymapi.STATE_VEL == gymapi.STATE_ALL
    assert gymapi.AXIS_TRANSLATION | gymapi.AXIS_ROTATION == gymapi.AXIS_ALL
    both = gymapi.MESH_COLLISION | gymapi.MESH_VISUAL
    assert both == gymapi.MESH_VISUAL_AND_COLLISION


def test_things_that_a_gym_makes_cannot_be_made_by_hand() -> None:
    for kind in (gymapi.Sim, gymapi.Env, gymapi.Asset, gymapi.Viewer, gymapi.UsdExporter):
        with pytest.raises(TypeError, match="made by a method of Gym"):
            kind()


def test_what_is_reported_cannot_be_written() -> None:
    contact = gymapi.RigidContact()
    with pytest.raises(AttributeError):
        contact.body0 = 1
    with pytest.raises(AttributeError):
        gymapi.ActionEvent().action = "quit"
    assert getattr(contact, "lambda") == 0.0


def test_a_force_sensor_of_nothing_measures_nothing() -> None:
    sensor = gymapi.ForceSensor()
    assert sensor.get_global_index() == -1
    assert sensor.get_forces().force.length() == 0.0


def test_a_password_is_not_printed() -> None:
    params = gymapi.OmniConnectionParams()
    params.password = "secret"
    assert "secret" not in repr(params)
