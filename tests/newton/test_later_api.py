"""The 1.x dialect, and how it is chosen."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.cli import newton_api
from unibody.errors import NotSupportedError

SCRIPT = """
import newton
builder = newton.ModelBuilder()
print(builder.default_shape_cfg.mu, builder.default_joint_cfg.armature)
body = builder.add_link(label="a", mass=1.0)
joint = builder.add_joint_revolute(-1, body, axis="y", label="hinge")
print(builder.joint_label, builder.joint_armature)
"""


def _run(folder: Path, *options: str, text: str = SCRIPT) -> subprocess.CompletedProcess[str]:
    script = folder / "script.py"
    script.write_text(text)
    command = [sys.executable, "-m", "unibody", "run", *options, str(script)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


def test_an_option_chooses_the_defaults_of_a_dialect(tmp_path: Path) -> None:
    later = _run(tmp_path, "--newton-api", "1")
    assert later.stdout.splitlines()[-2:] == ["1.0 0.0", "['hinge'] [0.0]"], later.stderr
    assert "newton means" not in later.stderr
    document = _run(tmp_path, "--newton-api", "0.2")
    assert document.stdout.splitlines()[-2:] == ["0.5 0.01", "['hinge'] [0.01]"]


def test_a_pin_beside_the_script_chooses_and_a_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("numpy\nnewton[sim]~=1.8.0\n")
    found = _run(tmp_path)
    assert found.stdout.splitlines()[-2] == "1.0 0.0", found.stderr
    assert found.stderr.count("newton means the API of 1.x") == 1
    assert "requirements.txt" in found.stderr


def test_the_order_of_the_document_is_understood_where_the_later_one_has_names_alone(
    tmp_path: Path,
) -> None:
    text = SCRIPT + (
        "import warp as wp\n"
        "frame = wp.transform(wp.vec3(1.0, 0.0, 0.0), wp.quat_identity())\n"
        "print(builder.joint_X_p[builder.add_joint_fixed(-1, builder.add_link(), frame)][0])\n"
        "robot = '<mujoco><worldbody><body><geom size=\"0.1\"/></body></worldbody></mujoco>'\n"
        "builder.add_mjcf(robot)\n"
        "worlds = newton.ModelBuilder()\n"
        "worlds.replicate(builder, 3)\n"
        "assert worlds.world_count == 3\n"
    )
    done = _run(tmp_path, "--newton-api", "1", text=text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "1.0"


def test_a_parameter_that_only_the_later_dialect_has_is_refused_by_name(tmp_path: Path) -> None:
    text = SCRIPT + "builder.add_cloth_mesh(validate_mesh=True)\n"
    assert "validate_mesh" in _run(tmp_path, "--newton-api", "1", text=text).stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "major"),
    [
        ("newton==0.2.0", "0"),
        ('dependencies = ["newton>=1.0"]', "1"),
        ("newton-actuators==1.0\n", None),
        ("", None),
    ],
)
def test_pins_are_read(tmp_path: Path, text: str, major: str | None) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text(text)
    assert newton_api._pinned(file) == major


def test_names_of_the_later_version_are_there(tmp_path: Path) -> None:
    text = (
        "import warnings, newton\n"
        "from newton.solvers import SolverKamino, SolverMuJoCo\n"
        "print(newton.__version__, int(newton.BodyFlags.ALL), int(SolverMuJoCo.EqType.WELD))\n"
        "print(SolverMuJoCo.import_mujoco()[0].__name__)\n"
        "warnings.warn('x', newton.NewtonWarning)\n"
        "assert not issubclass(newton.NewtonDeprecationWarning, newton.NewtonWarning)\n"
        "builder = newton.ModelBuilder(gravity=(0.0, -3.0, 1.0))\n"
        "joint = builder.add_joint_revolute(-1, builder.add_link(), target_q=0.5, target_qd=2.0)\n"
        "print(builder.joint_target_pos, builder.joint_target_vel, builder.gravity_vector())\n"
        "shape = builder.add_shape_box(-1, color=(1.0, 0.5, 0.0), opacity=0.25)\n"
        "print(builder.shape_color[shape], builder.shape_opacity[shape])\n"
    )
    done = _run(tmp_path, "--newton-api", "1", text=text)
    expected = [
        "1.8.0 3 1",
        "mujoco",
        "[0.5] [2.0] (0.0, -3.0, 1.0)",
        "(1.0, 0.5, 0.0) 0.25",
    ]
    # Warp, which mujoco-warp starts, tells of itself between them
    assert [line for line in done.stdout.splitlines() if line in expected] == expected, done.stderr


def test_targets_have_their_later_names_where_each_coordinate_is_an_axis() -> None:
    builder = newton.ModelBuilder()
    link = builder.add_link(mass=1.0)
    builder.add_articulation([builder.add_joint_revolute(-1, link, target_pos=0.5, target_vel=2.0)])
    model = builder.finalize(device="cpu")
    control = model.control()
    assert model.joint_target_q.numpy().tolist() == [0.5]
    control.joint_target_q = wp.array([0.25], dtype=float, device="cpu")
    assert control.joint_target_pos.numpy().tolist() == [0.25]
    assert control.joint_target_qd.numpy().tolist() == [2.0]
    builder.add_body(mass=1.0)
    free = builder.finalize(device="cpu")
    assert free.joint_target_q.numpy().tolist() == [0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    control = free.control()
    assert control.joint_target_q.numpy().tolist() == free.joint_target_q.numpy().tolist()
    control.joint_target_q.zero_()
    control.clear(free)
    assert control.joint_target_q.numpy().tolist() == free.joint_target_q.numpy().tolist()


def test_settings_of_caches_that_do_not_exist_can_only_be_none() -> None:
    assert newton.config.cache_dir_assets is None
    newton.config.cache_dir_assets = None
    with pytest.raises(NotSupportedError, match="cache_dir_assets"):
        newton.config.cache_dir_assets = "folder"


def test_functions_of_names_take_them_and_parameters_that_are_gone_do_what_1_x_does(
    tmp_path: Path,
) -> None:
    text = """
import newton
builder = newton.ModelBuilder()
builder.request_state_attributes("body_qdd", "body_parent_f")
builder.add_mjcf('<mujoco><worldbody><body><freejoint/></body></worldbody></mujoco>')
print(builder.body_mass)
"""
    later = _run(tmp_path, "--newton-api", "1", text=text)
    assert later.stdout.splitlines()[-1] == "[0.0]", later.stderr


def test_limits_and_springs_of_files_count_from_the_joints_reference(tmp_path: Path) -> None:
    text = (
        "import newton, numpy as np\n"
        "from newton.solvers import SolverMuJoCo\n"
        "file = '''<mujoco><compiler angle=\"radian\"/><worldbody><body>\n"
        '<joint type="slide" axis="1 0 0" ref="0.5" springref="0.75" range="0.1 0.9"\n'
        ' limited="true" stiffness="2" damping="3"/>\n'
        '<geom size="0.1" mass="1"/></body></worldbody></mujoco>\'\'\'\n'
        "builder = newton.ModelBuilder(gravity=0.0)\n"
        "builder.add_mjcf(file)\n"
        "model = builder.finalize(device='cpu')\n"
        "names = 'limit_lower limit_upper stiffness damping rest_q'.split()\n"
        "print([round(float(getattr(model, f'joint_{n}').numpy()[0]), 6) for n in names])\n"
        "solver = SolverMuJoCo(model)\n"
        "m = solver.mj_model\n"
        "found = [*m.jnt_range[0], m.qpos_spring[0], m.jnt_stiffness[0], m.dof_damping[0]]\n"
        "print([round(float(v), 6) for v in found])\n"
    )
    done = _run(tmp_path, "--newton-api", "1", text=text)
    lines = [line for line in done.stdout.splitlines() if line.startswith("[")]
    expected = ["[-0.4, 0.4, 2.0, 3.0, 0.25]", "[0.1, 0.9, 0.75, 2.0, 3.0]"]
    assert lines == expected, done.stderr


def test_targets_by_coordinate_are_those_by_degree_of_freedom() -> None:
    builder = newton.ModelBuilder()
    base, tip = builder.add_body(mass=1.0), builder.add_link(mass=1.0)
    builder.add_articulation([builder.add_joint_revolute(base, tip, target_pos=0.5)])
    assert builder.joint_target_q == [0.0] * 6 + [1.0, 0.5]
    builder.joint_target_q[-1:] = [0.2]
    builder.joint_target_q[0] = 3.0
    turn = [0.0, 0.0, math.sin(0.3), math.cos(0.3)]  # 0.6 rad about z
    builder.joint_target_q[3:7] = turn
    assert builder.joint_target_pos == pytest.approx([3.0, 0.0, 0.0, 0.0, 0.0, 0.6, 0.2], abs=1e-6)
    model = builder.finalize(device="cpu")
    assert np.allclose(model.joint_target_q.numpy(), [3.0, 0.0, 0.0, *turn, 0.2], atol=1e-6)
    with pytest.raises(NotSupportedError, match=r"joint_target_q\[3:7\]"):
        builder.joint_target_q[4] = 0.3
    with pytest.raises(NotSupportedError, match="length"):
        builder.joint_target_q.append(0.0)
    with pytest.raises(NotSupportedError, match=r"insert\(2, 0\.5\)"):
        builder.joint_target_q.insert(2, 0.5)


def test_axes_follow_one_another_and_methods_that_do_not_exist_say_so(tmp_path: Path) -> None:
    text = """
import inspect
import newton, numpy as np, warp as wp
turn = newton.math.quat_between_axes("x", "y", "z")
assert np.allclose(wp.quat_rotate(turn, wp.vec3(1.0, 0.0, 0.0)), [0.0, 0.0, 1.0], atol=1e-6)
method = newton.ModelBuilder.add_shape_gaussian
assert "color" in inspect.signature(method).parameters
try:
    newton.ModelBuilder().add_shape_gaussian(-1)
except NotImplementedError as error:
    assert "add_shape_gaussian" in str(error)
else:
    raise SystemExit("add_shape_gaussian did nothing")
"""
    done = _run(tmp_path, "--newton-api", "1", text=text)
    assert done.returncode == 0, done.stderr


def test_routed_tendons_are_made_of_guides(tmp_path: Path) -> None:
    text = """
import newton
builder = newton.ModelBuilder()
guide = newton.TendonGuide(body=-1, guide_type=newton.TendonGuideType.PINHOLE, mu=0.5)
print("made", builder.add_tendon([newton.TendonGuide(body=-1), guide], label="pull"))
print(builder.finalize().tendon_label, newton.Model.AttributeFrequency.TENDON_GUIDE.value)
"""
    done = _run(tmp_path, "--newton-api", "1", text=text)
    assert "made 0\n['pull'] 21" in done.stdout, done.stderr
