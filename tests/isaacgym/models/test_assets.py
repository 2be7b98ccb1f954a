"""The asset methods of ``Gym``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.isaacgym.asset_files import BOX, joint, link
from unibody.errors import InvalidArgumentError
from unibody.isaacgym import gymapi
from unibody.isaacgym.errors import ArgumentTypeError

GYM: Any = gymapi.acquire_gym()

HAND = """<mujoco model="hand"><worldbody><body name="palm"><geom size="1"/>
<body name="one"><joint name="j1" axis="0 1 0"/><geom size="1"/><geom size="2"/></body>
<body name="two"><joint name="j2" axis="0 1 0" type="slide"/><geom size="1"/></body></body>
</worldbody>
<tendon><fixed name="t"><joint joint="j1" coef="2"/><joint joint="j2" coef="-3"/></fixed></tendon>
<actuator><motor name="m2" joint="j2" gear="5"/><position name="m1" joint="j1" kp="4"/></actuator>
</mujoco>"""


@pytest.fixture(scope="module")
def sim() -> Iterator[Any]:
    """An empty simulation on the CPU."""
    params = gymapi.SimParams()
    params.use_gpu_pipeline = False
    made = GYM.create_sim(0, -1, gymapi.SIM_PHYSX, params)
    yield made
    GYM.destroy_sim(made)


@pytest.fixture
def arm(sim: Any, tmp_path: Path) -> Any:
    """A base and a tip on a slider, and a camera fixed to the base."""
    parts = link("base", BOX), link("tip", BOX + BOX), link("camera")
    joints = joint("slide", "base", "tip", "prismatic"), joint("mount", "base", "camera", "fixed")
    (tmp_path / "arm.urdf").write_text(f'<robot name="arm">{"".join((*parts, *joints))}</robot>')
    return GYM.load_asset(sim, str(tmp_path), "arm.urdf", gymapi.AssetOptions())


@pytest.fixture
def hand(sim: Any, tmp_path: Path) -> Any:
    """Two fingers with actuators and a tendon."""
    (tmp_path / "hand.xml").write_text(HAND)
    return GYM.load_asset(sim, str(tmp_path), "hand.xml")


def test_bodies_have_counts_names_and_indices(arm: Any) -> None:
    assert GYM.get_asset_rigid_body_count(arm) == 3
    assert GYM.get_asset_rigid_body_names(arm) == ["base", "camera", "tip"]
    assert GYM.get_asset_rigid_body_name(arm, 1) == "camera"
    assert GYM.get_asset_rigid_body_dict(arm) == {"base": 0, "camera": 1, "tip": 2}
    assert GYM.find_asset_rigid_body_index(arm, "tip") == 2
    assert GYM.find_asset_rigid_body_index(arm, "nothing") == -1


def test_joints_have_counts_names_kinds_and_indices(arm: Any) -> None:
    assert GYM.get_asset_joint_count(arm) == 2
    assert GYM.get_asset_joint_names(arm) == ["mount", "slide"]
    assert GYM.get_asset_joint_name(arm, 1) == "slide"
    kinds = [GYM.get_asset_joint_type(arm, number) for number in (0, 1)]
    assert kinds == [gymapi.JOINT_FIXED, gymapi.JOINT_PRISMATIC]
    assert GYM.get_asset_joint_dict(arm) == {"mount": 0, "slide": 1}
    assert GYM.find_asset_joint_index(arm, "slide") == 1
    assert GYM.find_asset_joint_index(arm, "nothing") == -1


def test_dofs_have_counts_names_kinds_and_indices(hand: Any) -> None:
    assert GYM.get_asset_dof_count(hand) == 2
    assert GYM.get_asset_dof_names(hand) == ["j1", "j2"]
    assert GYM.get_asset_dof_name(hand, 1) == "j2"
    kinds = [GYM.get_asset_dof_type(hand, number) for number in (0, 1)]
    assert kinds == [gymapi.DOF_ROTATION, gymapi.DOF_TRANSLATION]
    assert GYM.get_asset_dof_dict(hand) == {"j1": 0, "j2": 1}
    assert GYM.find_asset_dof_index(hand, "j2") == 1
    assert GYM.find_asset_dof_index(hand, "nothing") == -1


def test_dof_properties_are_a_copy_in_the_layout_of_the_original(arm: Any) -> None:
    table = GYM.get_asset_dof_properties(arm)
    assert table.dtype.names[:5] == ("hasLimits", "lower", "upper", "driveMode", "velocity")
    table["lower"] = 7.0
    assert GYM.get_asset_dof_properties(arm)["lower"].tolist() == [-1.0]


def test_kinds_have_words(arm: Any) -> None:
    assert GYM.get_dof_type_string(gymapi.DOF_ROTATION) == "Rotation"
    assert GYM.get_joint_type_string(gymapi.JOINT_REVOLUTE) == "Revolute"
    with pytest.raises(ArgumentTypeError, match="DofType"):
        GYM.get_dof_type_string(1)


def test_each_body_has_a_range_of_shapes(arm: Any) -> None:
    assert GYM.get_asset_rigid_shape_count(arm) == 3
    ranges = GYM.get_asset_rigid_body_shape_indices(arm)
    assert [(part.start, part.count) for part in ranges] == [(0, 1), (1, 0), (1, 2)]


def test_shape_properties_are_set_for_new_actors(sim: Any, arm: Any) -> None:
    env = GYM.create_env(sim, gymapi.Vec3(), gymapi.Vec3(), 1)
    before = GYM.create_actor(env, arm, gymapi.Transform(), "before", 0, 0, 0)
    properties = GYM.get_asset_rigid_shape_properties(arm)
    properties[1].friction = 0.25
    assert GYM.get_asset_rigid_shape_properties(arm)[1].friction == 1.0
    assert GYM.set_asset_rigid_shape_properties(arm, properties)
    properties[1].friction = 0.5
    assert GYM.get_asset_rigid_shape_properties(arm)[1].friction == 0.25
    after = GYM.create_actor(env, arm, gymapi.Transform(), "after", 1, 0, 0)
    assert GYM.get_actor_rigid_shape_properties(env, before)[1].friction == 1.0
    assert GYM.get_actor_rigid_shape_properties(env, after)[1].friction == 0.25


def test_shape_properties_of_another_number_are_refused_and_change_nothing(arm: Any) -> None:
    properties = GYM.get_asset_rigid_shape_properties(arm)[:2]
    properties[0].friction = 0.0
    with pytest.raises(InvalidArgumentError, match=r"2 of them.*3"):
        GYM.set_asset_rigid_shape_properties(arm, properties)
    with pytest.raises(ArgumentTypeError, match="RigidShapeProperties"):
        GYM.set_asset_rigid_shape_properties(arm, [1, 2, 3])
    assert GYM.get_asset_rigid_shape_properties(arm)[0].friction == 1.0


def test_actuators_are_in_file_order(hand: Any) -> None:
    assert GYM.get_asset_actuator_count(hand) == 2
    assert [GYM.get_asset_actuator_name(hand, number) for number in (0, 1)] == ["m2", "m1"]
    assert GYM.get_asset_actuator_joint_name(hand, 0) == "j2"
    assert GYM.find_asset_actuator_index(hand, "m1") == 1
    assert GYM.find_asset_actuator_index(hand, "nothing") == -1
    motor, servo = GYM.get_asset_actuator_properties(hand)
    assert motor.motor_effort == 5.0
    assert (servo.kp, servo.type) == (4.0, 1)


def test_tendons_have_names_joints_and_coefficients(hand: Any) -> None:
    assert GYM.get_asset_tendon_count(hand) == 1
    assert GYM.get_asset_tendon_name(hand, 0) == "t"
    assert GYM.find_asset_tendon_index(hand, "t") == 0
    assert GYM.find_asset_tendon_index(hand, "nothing") == -1
    assert GYM.get_asset_fixed_tendon_joint_coefficients(hand, 0) == [2.0, -3.0]
    assert GYM.get_asset_fixed_tendon_joint_name(hand, 0, 1) == "j2"


def test_tendons_can_be_changed(hand: Any) -> None:
    properties = GYM.get_asset_tendon_properties(hand)
    properties[0].damping = 0.5
    assert GYM.set_asset_tendon_properties(hand, properties)
    assert GYM.get_asset_tendon_properties(hand)[0].damping == 0.5
    assert GYM.set_asset_fixed_tendon_joint_coefficients(hand, 0, [1.0, 0.25])
    assert GYM.get_asset_fixed_tendon_joint_coefficients(hand, 0) == [1.0, 0.25]


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0, 3.0], [1.0, float("inf")], ["a", 1.0], 3.0])
def test_coefficients_that_do_not_fit_are_refused_and_change_nothing(
    hand: Any, values: Any
) -> None:
    with pytest.raises(InvalidArgumentError, match="coefficients"):
        GYM.set_asset_fixed_tendon_joint_coefficients(hand, 0, values)
    assert GYM.get_asset_fixed_tendon_joint_coefficients(hand, 0) == [2.0, -3.0]


def test_force_sensors_are_counted_and_copied(sim: Any, arm: Any) -> None:
    pose = gymapi.Transform(gymapi.Vec3(1.0, 2.0, 3.0))
    assert GYM.create_asset_force_sensor(arm, 2, pose) == 0
    pose.p.x = 9.0
    assert GYM.create_asset_force_sensor(arm, 0, pose, gymapi.ForceSensorProperties()) == 1
    assert [(sensor.body, sensor.pose.p.x) for sensor in arm.sensors] == [(2, 1.0), (0, 9.0)]
    env = GYM.create_env(sim, gymapi.Vec3(), gymapi.Vec3(), 1)
    actor = GYM.create_actor(env, arm, gymapi.Transform(), "arm", 0, 0, 0)
    assert GYM.get_actor_force_sensor_count(env, actor) == 2


@pytest.mark.parametrize(
    ("body", "pose", "props"),
    [
        (3, gymapi.Transform(), None),
        (-1, gymapi.Transform(), None),
        (0, None, None),
        (0, gymapi.Transform(), "all"),
    ],
)
def test_a_force_sensor_nowhere_is_refused(arm: Any, body: int, pose: Any, props: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        GYM.create_asset_force_sensor(arm, body, pose, props)
    assert arm.sensors == []


def test_there_are_no_deformable_bodies(arm: Any) -> None:
    assert GYM.get_asset_soft_body_count(arm) == 0
    assert GYM.get_asset_soft_materials(arm) == []


@pytest.mark.parametrize(
    "method",
    ["get_asset_rigid_body_name", "get_asset_joint_name", "get_asset_dof_name",
     "get_asset_dof_type", "get_asset_joint_type", "get_asset_actuator_name",
     "get_asset_tendon_name", "get_asset_actuator_joint_name"],
)  # fmt: skip
@pytest.mark.parametrize("index", [-1, 100])
def test_an_index_outside_is_refused_with_how_many_there_are(
    hand: Any, method: str, index: int
) -> None:
    with pytest.raises(InvalidArgumentError, match=r"there are [0-9]+"):
        getattr(GYM, method)(hand, index)


def test_what_is_no_asset_is_refused(sim: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="Asset"):
        GYM.get_asset_dof_count(sim)
    with pytest.raises(ArgumentTypeError, match="Sim"):
        GYM.create_sphere(None, 1.0)


def test_built_in_shapes_have_one_body_and_one_shape(sim: Any) -> None:
    chosen = gymapi.AssetOptions()
    made = [
        GYM.create_box(sim, 1.0, 2.0, 3.0, chosen),
        GYM.create_sphere(sim, 1.0),
        GYM.create_capsule(sim, 1.0, 2.0, chosen),
    ]
    assert [GYM.get_asset_rigid_body_count(asset) for asset in made] == [1, 1, 1]
    assert [GYM.get_asset_rigid_shape_count(asset) for asset in made] == [1, 1, 1]
    names = [GYM.get_asset_rigid_body_name(asset, 0) for asset in made]
    assert names == ["box", "sphere", "capsule"]


@pytest.mark.parametrize("size", [0.0, -1.0, float("nan"), float("inf"), "wide", None])
def test_a_size_that_is_no_length_is_refused(sim: Any, size: Any) -> None:
    if size != 0.0:
        with pytest.raises(ArgumentTypeError, match="height"):
            GYM.create_box(sim, 1.0, size, 1.0)
    with pytest.raises(ArgumentTypeError, match="radius"):
        GYM.create_sphere(sim, size)


def test_a_box_without_a_thickness_is_a_thin_plate(sim: Any) -> None:
    asset = GYM.create_box(sim, 1.0, 1.0, 0.0)
    assert 0.0 < asset.tree.links[0].collisions[0].size[2] < 1e-3


def test_urdf_and_mjcf_loaders_do_not_look_at_the_suffix(sim: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f'<robot name="r">{link("a")}</robot>')
    (tmp_path / "b.txt").write_text(HAND)
    assert GYM.get_asset_rigid_body_names(GYM.load_urdf(sim, str(tmp_path), "a.txt")) == ["a"]
    assert GYM.get_asset_dof_count(GYM.load_mjcf(sim, str(tmp_path), "b.txt")) == 2


def test_an_asset_can_be_printed(hand: Any, capsys: pytest.CaptureFixture[str]) -> None:
    GYM.debug_print_asset(hand)
    text = capsys.readouterr().out
    for part in ("'palm'", "'j2'", "'m1'", "'t'", "JOINT_PRISMATIC"):
        assert part in text


def test_an_asset_can_be_written_to_a_file(hand: Any, tmp_path: Path) -> None:
    GYM.debug_print_asset(hand, str(tmp_path / "hand.txt"))
    assert "'palm'" in (tmp_path / "hand.txt").read_text()
    with pytest.raises(InvalidArgumentError, match="outpath"):
        GYM.debug_print_asset(hand, str(tmp_path / "no" / "hand.txt"))
