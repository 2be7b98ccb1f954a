"""What the original reads of MJCF files and MuJoCo refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unibody import newton
from unibody.newton.solvers import SolverMuJoCo


def read(inner: str, **options: object) -> newton.ModelBuilder:
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(f"<mujoco>{inner}</mujoco>", **options)
    return builder


def test_names_of_bodies_and_joints_have_no_hyphens() -> None:
    builder = read(
        '<worldbody><body name="left-arm"><joint name="the-hinge"/><geom size="1"/></body>'
        '<body name="b"><geom size="1"/></body></worldbody>'
        '<contact><exclude body1="left-arm" body2="b"/></contact>'
        '<actuator><position joint="the-hinge" kp="3"/></actuator>'
    )
    assert builder.body_key[0] == "worldbody/left_arm"
    assert builder.joint_key[0] == "worldbody/left_arm/the_hinge"
    assert builder.joint_target_ke == [3.0]
    assert (0, 1) in builder.shape_collision_filter_pairs


def test_exclusions_that_name_no_two_bodies_are_left_out_with_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (
        '<worldbody><body name="a"><geom size="1"/></body></worldbody>'
        '<contact><exclude body1="a"/><exclude/></contact>'
    )
    assert not read(text).shape_collision_filter_pairs
    assert capsys.readouterr().out == ""
    read(text, verbose=True)
    assert capsys.readouterr().out.count("Warning: <exclude>") == 2


def test_ranges_that_are_not_switched_on_do_not_act_without_autolimits() -> None:
    builder = read(
        '<compiler autolimits="false"/><worldbody><body><joint type="slide" range="-1 1"'
        ' actuatorfrcrange="-5 5"/><geom size="1"/></body></worldbody>'
    )
    default = builder.default_joint_cfg
    assert builder.joint_limit_upper == [default.limit_upper]
    assert builder.joint_effort_limit == [default.effort_limit]


def test_a_whole_inertia_in_a_frame_of_its_own_is_turned() -> None:
    builder = read(
        '<worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" fullinertia="2 3 4 .1 .2 .3"'
        ' quat="0.7071067811865476 0 0 0.7071067811865476"/></body></worldbody>'
    )
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    own = np.array([[2.0, 0.1, 0.2], [0.1, 3.0, 0.3], [0.2, 0.3, 4.0]])
    found = np.array(builder.body_inertia[0]).reshape(3, 3)
    np.testing.assert_allclose(found, turn @ own @ turn.T, atol=1e-5)  # float32


def test_defaults_of_bodies_and_classes_that_no_file_defines_are_read() -> None:
    builder = read(
        '<default><body gravcomp="0.5"/><default class="light"><body gravcomp="1"/></default>'
        '</default><worldbody><body name="a"><geom size="1"/></body>'
        '<body name="b" class="light"><geom size="1"/></body>'
        '<body name="c" childclass="nowhere"><geom size="1"/></body></worldbody>'
    )
    values = builder.custom_attributes["mujoco:gravcomp"].values
    assert [values[i] for i in range(3)] == [0.5, 1.0, 0.5]


def test_friction_that_equals_mujocos_own_counts_as_stated() -> None:
    builder = read(
        '<worldbody><body><geom size="1" friction="1"/><geom size="1"/></body></worldbody>'
    )
    default = builder.default_shape_cfg
    assert builder.shape_material_mu == [1.0, default.mu]
    assert builder.shape_material_torsional_friction == [default.torsional_friction] * 2


def test_options_that_equal_mujocos_own_count_as_stated() -> None:
    builder = read('<option integrator="Euler"/><worldbody/>')
    assert builder.custom_attributes["mujoco:integrator"].values[0] == 0


def test_an_include_without_a_file_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "main.xml"
    file.write_text(
        '<mujoco><include/><worldbody><body><geom size="1"/></body></worldbody></mujoco>'
    )
    builder = newton.ModelBuilder()
    builder.add_mjcf(str(file))
    assert builder.body_count == 1


def test_a_body_without_mass_is_read_and_three_hinges_may_be_a_ball_joint() -> None:
    joints = "".join(f'<joint axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    builder = read(
        f'<worldbody><body name="a">{joints}</body></worldbody>',
        convert_3d_hinge_to_ball_joints=True,
        ensure_nonstatic_links=False,
    )
    assert [int(kind) for kind in builder.joint_type] == [int(newton.JointType.BALL)]
    assert builder.body_mass == [0.0]


def test_unnamed_free_joints_are_called_after_their_bodies() -> None:
    builder = read('<worldbody><body name="a"><freejoint/><geom size="1"/></body></worldbody>')
    assert builder.joint_key == ["worldbody/a/a_freejoint"]


def test_a_height_field_has_the_elevations_of_its_text_or_its_file(tmp_path: Path) -> None:
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    field = tmp_path / "hills.bin"
    field.write_bytes(np.array([2, 3], np.int32).tobytes() + rows.tobytes())
    text = " ".join(map(str, rows.ravel()))
    for stated in (f'elevation="{text}"', f'file="{field}"'):
        builder = read(
            f'<asset><hfield name="h" nrow="2" ncol="3" size="3 2 1 0" {stated}/></asset>'
            '<worldbody><geom type="hfield" hfield="h"/></worldbody>'
        )
        source = builder.shape_source[0]
        assert (source.hx, source.hy, source.min_z, source.max_z) == (3.0, 2.0, 0.0, 1.0)
        np.testing.assert_allclose(source.data, rows / 5.0, atol=1e-6)


def test_pairs_of_geoms_reach_mujoco_with_their_numbers() -> None:
    builder = read(
        '<worldbody><geom name="floor" type="plane" size="5 5 1"/><body name="ball"><freejoint/>'
        '<geom name="skin" size="0.1"/></body></worldbody><contact><pair geom1="floor"'
        ' geom2="skin" condim="1" friction="2 2 0.01 0.0001 0.0001" margin="0.03"/></contact>'
    )
    found = SolverMuJoCo(builder.finalize(device="cpu")).mj_model
    assert found.npair == 1
    assert found.pair_dim.tolist() == [1]
    assert found.pair_margin[0] == pytest.approx(0.03)
    np.testing.assert_allclose(found.pair_friction[0], [2, 2, 0.01, 1e-4, 1e-4], rtol=1e-5)


def test_a_connection_of_sites_is_one_of_their_bodies() -> None:
    builder = read(
        '<worldbody><site name="s" pos="0 0 1"/><body name="a"><freejoint/><geom size="0.1"/>'
        '<site name="t" pos="0.2 0 0"/></body></worldbody>'
        '<equality><connect name="c" site1="s" site2="t"/></equality>'
    )
    assert builder.equality_constraint_key == ["c"]
    assert builder.equality_constraint_body1 == [-1]
    assert builder.equality_constraint_body2 == [0]
    assert tuple(builder.equality_constraint_anchor[0]) == pytest.approx((0.0, 0.0, 1.0))


def test_a_damping_ratio_stays_one_until_mujoco_makes_a_damping_of_it() -> None:
    text = (
        '<worldbody><body name="a"><joint name="j" armature="0.1"/><geom size="0.1"/></body>'
        '</worldbody><actuator><position joint="j" kp="100" dampratio="0.5"/></actuator>'
    )
    model = read(text, ctrl_direct=True).finalize(device="cpu")
    assert model.mujoco.actuator_biasprm.numpy()[0, :3].tolist() == [0.0, -100.0, 0.5]
    solver = SolverMuJoCo(model)
    plain = solver.mj_model
    # of a mass m on a spring k, the damping of ratio z is 2 z sqrt(k m)
    expected = -2.0 * 0.5 * np.sqrt(100.0 / plain.dof_invweight0[0])
    assert plain.actuator_biasprm[0, 2] == pytest.approx(expected, rel=1e-6)
    solver.notify_model_changed(newton.solvers.SolverNotifyFlags.ALL)
    found = solver.mjw_model.actuator_biasprm.numpy()[0, 0, 2]
    assert found == pytest.approx(expected, rel=1e-5)


def test_bodies_of_one_name_in_different_places_are_told_apart_by_their_place() -> None:
    tip = '<body name="tip"><geom size="1"/></body>'
    body = f'<body name="{{}}"><freejoint/><geom size="1"/>{tip}</body>'
    builder = read(f"<worldbody>{body.format('a')}{body.format('b')}</worldbody>")
    assert builder.body_key == [f"worldbody/{name}" for name in ("a", "a/tip", "b", "b/tip")]
