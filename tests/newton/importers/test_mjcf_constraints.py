"""What MJCF files couple and keep apart, by the rules of later releases of 1.x."""

from collections.abc import Iterator

import mujoco
import numpy as np
import pytest

from unibody import newton
from unibody.newton import dialect
from unibody.newton.exceptions import NewtonWarning
from unibody.newton.solvers import SolverMuJoCo

BALL = '<body name="{0}"><freejoint/><geom name="{0}" size="0.1" {1}/></body>'
JOINTS = """<mujoco><worldbody><body name="a">
    <joint name="x" type="slide" axis="1 0 0"/><joint name="turn" axis="0 0 1"/>
    <joint name="tilt" axis="0 1 0"/><geom size="0.1" mass="1" pos="0 0.2 0.1"/></body></worldbody>
    <equality>{0}</equality></mujoco>"""
TENDONS = """<mujoco><worldbody><body><joint name="a"/><geom size="0.1"/></body><body pos="0 1 0">
    <joint name="b"/><geom size="0.1"/></body></worldbody>
    <tendon><fixed name="s"><joint joint="a" coef="1"/></fixed>
    <fixed name="t"><joint joint="b" coef="2"/></fixed></tendon>
    <equality>{0}</equality></mujoco>"""


@pytest.fixture(autouse=True)
def later() -> Iterator[None]:
    dialect.choose("1", "1")
    yield
    dialect.choose("0.2", "0.2")


def read(text: str) -> newton.ModelBuilder:
    builder = newton.ModelBuilder()
    builder.add_mjcf(text, enable_self_collisions=True)
    return builder


def compiled(builder: newton.ModelBuilder) -> mujoco.MjModel:
    return SolverMuJoCo(builder.finalize(device="cpu"), use_mujoco_cpu=True).mj_model


def test_couplings_are_of_the_axes_that_the_file_names_where_a_body_has_several() -> None:
    text = JOINTS.format('<joint joint1="tilt" joint2="x" polycoef="0.1 0.5 0 0 0"/>')
    with pytest.warns(NewtonWarning, match=r"joint1=tilt.*stay MuJoCo equality"):
        builder = read(text)
    plain = compiled(builder)
    names = [plain.joint(int(of[0])).name for of in (plain.eq_obj1id, plain.eq_obj2id)]
    assert [name[-4:] for name in names] == ["ang1", "_lin"]
    np.testing.assert_allclose(plain.eq_data[0, :2], [0.1, 0.5])
    key = "mujoco:equality_constraint_joint1_dof"
    builder.custom_attributes[key].values[0] = 7
    with pytest.raises(ValueError, match="endpoint 1 selects DoF 7, which does not belong"):
        compiled(builder)


def test_couplings_of_chosen_axes_follow_their_joints_into_other_builders() -> None:
    with pytest.warns(NewtonWarning):
        one = read(JOINTS.format('<joint joint1="tilt" joint2="x"/>'))
    scene = newton.ModelBuilder()
    scene.add_world(one)
    scene.add_world(one)
    chosen = scene.custom_attributes["mujoco:equality_constraint_joint1_dof"].values
    assert [chosen[i] for i in range(2)] == [2, 5]
    assert len(SolverMuJoCo(scene.finalize(device="cpu"))._parts) == 1


def test_couplings_of_tendons_are_those_of_mujoco() -> None:
    text = TENDONS.format('<tendon tendon1="s" tendon2="t" polycoef="0.05" solref="0.03 0.8"/>')
    native, plain = mujoco.MjModel.from_xml_string(text), compiled(read(text))
    for name in ("eq_type", "eq_obj1id", "eq_obj2id", "eq_data", "eq_solref", "eq_solimp"):
        np.testing.assert_allclose(getattr(plain, name), getattr(native, name), rtol=1e-6)
    with pytest.warns(NewtonWarning, match="unknown tendon 'none'"):
        assert compiled(read(TENDONS.format('<tendon tendon1="s" tendon2="none"/>'))).neq == 0


@pytest.mark.parametrize(("affinity", "apart"), [(0, True), (2, True), (1, False), (3, False)])
def test_masks_of_a_file_keep_shapes_apart(affinity: int, apart: bool) -> None:
    balls = [BALL.format(name, f'contype="1" conaffinity="{affinity}"') for name in "ab"]
    builder = read(f"<mujoco><worldbody>{''.join(balls)}</worldbody></mujoco>")
    assert ((0, 1) in builder.shape_collision_filter_pairs) == apart


def test_geoms_that_only_pairs_let_touch_are_shapes_that_collide() -> None:
    builder = newton.ModelBuilder()
    balls = [BALL.format(name, 'contype="0" conaffinity="0"') for name in "ab"]
    builder.add_mjcf(
        f"<mujoco><worldbody>{''.join(balls)}</worldbody><contact>"
        '<pair geom1="a" geom2="b"/></contact></mujoco>',
        parse_visuals=False,
    )
    assert builder.shape_collision_group == [0, 0]
    assert compiled(builder).npair == 1
