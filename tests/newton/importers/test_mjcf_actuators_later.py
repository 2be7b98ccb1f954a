"""Actuators of MJCF files that MuJoCo refuses and releases after newton 1.0 read."""

import logging
from collections.abc import Iterator

import numpy as np
import pytest

from unibody import newton
from unibody.errors import NotSupportedError
from unibody.newton import dialect


@pytest.fixture(autouse=True)
def later() -> Iterator[None]:
    dialect.choose("1", "1")
    yield
    dialect.choose("0.2", "0.2")


def read(actuator: str) -> newton.ModelBuilder:
    builder = newton.ModelBuilder()
    builder.add_mjcf(
        '<mujoco><worldbody><site name="slider"/><body name="b"><joint name="j" range="0 1"'
        ' limited="true"/><geom size="0.1"/><site name="crank"/></body></worldbody>'
        f"<actuator>{actuator}</actuator></mujoco>",
        ctrl_direct=True,
    )
    return builder


def test_unknown_kinds_of_actuators_are_told_and_the_usual_ones_count(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "newton"):
        builder = read('<general name="a" joint="j" gaintype="pid"/>')
    assert "gaintype 'pid' on actuator 'a'" in caplog.text
    assert builder.custom_attributes["mujoco:actuator_gaintype"].values[0] == 0


def test_what_acts_in_the_frame_of_a_parent_inherits_no_range() -> None:
    model = read('<position jointinparent="j" inheritrange="1"/>').finalize(device="cpu")
    np.testing.assert_array_equal(model.mujoco.actuator_ctrlrange.numpy(), [[0.0, 0.0]])


def test_cranks_without_length_and_motors_of_several_controls_are_refused() -> None:
    crank = '<position cranksite="crank" slidersite="slider" cranklength="0"/>'
    with pytest.raises(ValueError, match="cranklength must be positive"):
        read(crank)
    motor = '<dcmotor joint="j" motorconst="0.05" resistance="2" input="ff"/>'
    with pytest.raises(NotSupportedError, match="one DC-motor control input"):
        read(motor)
    assert (
        not read('<position cranksite="crank" cranklength="1"/>')
        .custom_attributes["mujoco:actuator_trnid"]
        .values
    )


@pytest.mark.parametrize(
    ("sites", "told"),
    [
        ('cranksite="crank" slidersite="none"', "unknown slidersite 'none'"),
        ('cranksite="crank"', "requires both cranksite and slidersite"),
        ("", "has no joint, tendon, site, body, or slider-crank target"),
    ],
)
def test_actuators_that_act_on_nothing_are_left_out_and_told_where_lines_are_asked_for(
    sites: str, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    builder = newton.ModelBuilder()
    with caplog.at_level(logging.WARNING, "newton"):
        builder.add_mjcf(
            '<mujoco><worldbody><body name="b"><joint name="j"/><geom size="0.1"/>'
            '<site name="crank"/></body></worldbody><actuator>'
            f'<position name="a" {sites} cranklength="1"/></actuator></mujoco>',
            verbose=True,
        )
    assert told in caplog.text
    assert not builder.custom_attributes["mujoco:actuator_trnid"].values


def test_a_weld_without_a_pose_holds_bodies_where_they_are() -> None:
    builder = newton.ModelBuilder()
    builder.add_mjcf(
        '<mujoco><worldbody><body name="a" pos="0 0.5 0"><joint name="j" type="slide"/>'
        '<geom size="0.1"/></body></worldbody><equality><weld body1="a"/></equality></mujoco>'
    )
    model = builder.finalize(device="cpu")
    assert not model.equality_constraint_relpose.numpy()[0, 3:].any()
    written = newton.solvers.SolverMuJoCo(model).mj_model.eq_data[0]
    np.testing.assert_allclose(np.abs(written[3:10]), [0.0, 0.5, 0.0, 1.0, 0.0, 0.0, 0.0])


def test_limits_whose_softness_has_two_signs_are_told_by_their_joint() -> None:
    with pytest.warns(UserWarning, match=r"joint 'j' has an invalid solreflimit='-1 1'"):
        newton.ModelBuilder().add_mjcf(
            '<mujoco><worldbody><body><joint name="j" range="0 1" solreflimit="-1 1"/>'
            '<geom size="0.1"/></body></worldbody></mujoco>'
        )
