"""MJCF files into builders, and back by SolverMuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import AssetError, NotSupportedError
from unibody.newton.solvers import SolverMuJoCo

WALKER = """<mujoco model="walker">
<compiler angle="degree"/>
<option timestep="0.004" integrator="implicitfast" gravity="0 0 -9.81"/>
<default><joint armature="0.02" damping="0.3"/><geom friction="0.7 0.01 0.001"/>
  <default class="visual"><geom contype="0" conaffinity="0"/></default></default>
<worldbody>
 <geom name="floor" type="plane" size="10 10 1"/>
 <body name="torso" pos="0 0 1.2"><freejoint name="root"/>
  <geom name="trunk" type="box" size="0.3 0.2 0.1" density="500"/>
  <geom name="paint" class="visual" type="sphere" size="0.05"/>
  <site name="imu" pos="0 0 0.1"/>
  <body name="leg" pos="0.2 0 -0.1">
   <joint name="hip_x" axis="1 0 0" range="-40 40"/>
   <joint name="hip_y" axis="0 1 0" range="-60 60"/>
   <geom name="thigh" type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05" mass="1.5"/>
   <body name="foot" pos="0 0 -0.4"><joint name="knee" axis="0 1 0" pos="0 0 0.02" range="-90 5"
      stiffness="4" springref="-10" frictionloss="0.05"/>
    <inertial pos="0 0 -0.1" mass="0.8" diaginertia="0.02 0.02 0.004"/>
    <geom name="shin" type="capsule" fromto="0 0 0 0 0 -0.3" size="0.04"/>
   </body></body>
 </body></worldbody>
<contact><exclude body1="torso" body2="foot"/></contact>
<actuator><position joint="hip_y" kp="30" kv="2"/><motor joint="knee" gear="2"/></actuator>
</mujoco>"""


def walker(**options: Any) -> newton.ModelBuilder:
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(WALKER, **options)
    return builder


def test_bodies_joints_and_geoms_have_the_names_of_their_places() -> None:
    builder = walker()
    root = "walker/worldbody/torso"
    assert builder.body_key == [root, f"{root}/leg", f"{root}/leg/foot"]
    assert builder.joint_key[1] == f"{root}/leg/hip_x_hip_y"
    assert [int(t) for t in builder.joint_type] == [4, 6, 1]
    assert f"{root}/paint" in builder.shape_key
    assert builder.joint_limit_upper[6:8] == pytest.approx(np.deg2rad([40, 60]).tolist())
    assert builder.joint_armature[6:] == pytest.approx([0.02] * 3)
    assert builder.joint_target_ke[7] == 30.0


def test_masses_are_those_of_mujoco() -> None:
    plain = mujoco.MjModel.from_xml_string(WALKER)
    builder = walker()
    # the ball that is only seen weighs 0.5 kg in MuJoCo, and nothing in Newton
    ball = 1000.0 * 4.0 / 3.0 * np.pi * 0.05**3
    expected = plain.body_mass[1:] - [ball, 0.0, 0.0]
    assert builder.body_mass == pytest.approx(expected.tolist(), rel=1e-6)


def test_a_file_moves_in_solver_mujoco_as_in_mujoco() -> None:
    text = WALKER.replace('<geom name="paint" class="visual" type="sphere" size="0.05"/>', "")
    plain = mujoco.MjModel.from_xml_string(text)
    # Newton's softness of contacts is its own: what is compared is the flight
    plain.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data = mujoco.MjData(plain)
    builder = newton.ModelBuilder()
    SolverMuJoCo.register_custom_attributes(builder)
    builder.add_mjcf(text, ignore_names=["paint"])
    model = builder.finalize()
    solver = SolverMuJoCo(model, disable_contacts=True)
    state, other = model.state(), model.state()
    control: Any = model.control()
    control.joint_target_pos.assign([0.0] * 7 + [0.3, 0.0])
    control.mujoco.ctrl.assign([0.0, 0.4])
    data.ctrl[:] = (0.3, 0.4)
    for _ in range(100):
        solver.step(state, other, control, None, 0.004)
        state, other = other, state
        mujoco.mj_step(plain, data)
    q = state.joint_q.numpy()
    # joints of the builder are float32: 1e-7 of gains, masses and limits, over 0.4 s
    np.testing.assert_allclose(q[7:], data.qpos[7:], atol=1e-6)
    np.testing.assert_allclose(q[:3], data.qpos[:3], atol=1e-6)
    np.testing.assert_allclose(q[3:7], np.roll(data.qpos[3:7], -1), atol=1e-6)


def test_a_file_is_placed_scaled_and_turned() -> None:
    place = wp.transform(wp.vec3(1.0, 0.0, 0.0), wp.quat_identity())
    builder = walker(xform=place, scale=2.0)
    assert tuple(builder.body_q[0])[:3] == pytest.approx((1.0, 0.0, 2.4))
    assert tuple(builder.body_q[2])[:3] == pytest.approx((1.4, 0.0, 1.4))
    assert builder.joint_q[:3] == pytest.approx([1.0, 0.0, 2.4])


def test_a_root_is_held_where_the_script_says_so() -> None:
    builder = walker(floating=False)
    assert int(builder.joint_type[0]) == newton.JointType.FIXED
    builder.finalize()


def test_excluded_bodies_do_not_collide() -> None:
    builder = walker()
    trunk, shin = (
        next(i for i, key in enumerate(builder.shape_key) if key.endswith(name))
        for name in ("trunk", "shin")
    )
    assert (trunk, shin) in builder.shape_collision_filter_pairs


def test_names_and_classes_are_left_out_by_patterns() -> None:
    keys = walker(ignore_names=["floor", "paint"], parse_sites=False).shape_key
    assert [key.rpartition("/")[2] for key in keys] == ["trunk", "thigh", "shin"]


def test_a_coupling_of_joints_that_are_one_joint_here_is_refused_by_the_solver() -> None:
    text = WALKER.replace(
        "<contact>",
        '<equality><joint joint1="hip_x" joint2="hip_y" polycoef="0.1 0.5 0 0 0"/></equality>'
        "<contact>",
    )
    builder = newton.ModelBuilder()
    with pytest.raises(NotSupportedError, match="one degree of freedom"):
        builder.add_mjcf(text)
        SolverMuJoCo(builder.finalize())


_PART = '<mujoco><worldbody><body><geom size="0.1"/></body></worldbody></mujoco>'


def test_a_function_of_the_script_finds_what_a_file_includes(tmp_path: Path) -> None:
    asked: list[tuple[str | None, str]] = []
    (tmp_path / "leg.xml").write_text(_PART)

    def resolve(folder: str | None, name: str) -> str:
        asked.append((folder, name))
        return _PART if name == "arm.xml" else str(tmp_path / "leg.xml")

    text = '<mujoco><include file="arm.xml"/><include file="leg.xml"/></mujoco>'
    builder = newton.ModelBuilder()
    builder.add_mjcf(text, path_resolver=resolve)
    assert builder.body_count == 2
    assert asked == [(None, "arm.xml"), (None, "leg.xml")]
    (tmp_path / "whole.xml").write_text(text)
    newton.ModelBuilder().add_mjcf(str(tmp_path / "whole.xml"), path_resolver=resolve)
    assert asked[2:] == [(str(tmp_path), "arm.xml"), (str(tmp_path), "leg.xml")]


def test_errors_of_included_files_are_of_the_classes_of_the_original(tmp_path: Path) -> None:
    file = tmp_path / "whole.xml"
    with pytest.raises(FileNotFoundError):
        newton.ModelBuilder().add_mjcf(str(file))
    file.write_text('<mujoco><include file="none.xml"/></mujoco>')
    with pytest.raises(FileNotFoundError, match=r"none\.xml"):
        newton.ModelBuilder().add_mjcf(str(file))
    with pytest.raises(ValueError, match=r"without base directory.*none\.xml"):
        newton.ModelBuilder().add_mjcf(file.read_text())
    file.write_text('<mujoco><include file="whole.xml"/></mujoco>')
    with pytest.raises(ValueError, match="Circular include"):
        newton.ModelBuilder().add_mjcf(str(file))
    with pytest.raises(ValueError, match="Circular include"):
        newton.ModelBuilder().add_mjcf(str(file), path_resolver=lambda _, name: str(file))


@pytest.mark.parametrize(
    ("joint", "tendon", "problem"),
    [
        ("-2147483649", "0", r"joint 'knee': damping=-2\.14748e\+09, 0 or more"),
        ("0", "-1", "tendon 'cord': damping=-1, 0 or more"),
    ],
)
def test_what_its_damping_would_drive_is_refused_by_name(
    tmp_path: Path, joint: str, tendon: str, problem: str
) -> None:
    file = tmp_path / "leg.xml"
    file.write_text(
        f'<mujoco><worldbody><body><joint name="knee" damping="{joint}"/><geom size="0.1"/></body>'
        f'</worldbody><tendon><fixed name="cord" damping="{tendon}"><joint joint="knee" coef="1"/>'
        "</fixed></tendon></mujoco>"
    )
    builder = newton.ModelBuilder()
    with pytest.raises(AssetError, match=rf"leg\.xml: {problem}"):
        builder.add_mjcf(str(file))
    assert builder.body_count == 0
