"""What newton 1.0 and later releases of 1.x do otherwise than the reference document, in processes
of their own: a dialect is chosen once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from unibody.cli import newton_api


@pytest.mark.parametrize(
    ("version", "dialect"), [("0.2.0", "0.2"), ("1.0.0", "1.0"), ("1.8.0", "1"), ("1", "1")]
)
def test_the_version_that_is_installed_chooses_the_release(version: str, dialect: str) -> None:
    assert newton_api._dialect(version) == dialect


def say(folder: Path, release: str, text: str) -> list[str]:
    """What a script prints in a release."""
    script = folder / "script.py"
    script.write_text("import newton\nimport numpy as np\nimport warp as wp\n" + text)
    command = [sys.executable, "-m", "unibody", "run", "--newton-api", release, str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    return [line for line in done.stdout.splitlines() if line.startswith("told ")]


HINGE = """
builder = newton.ModelBuilder()
builder.add_mjcf('''<mujoco><worldbody><body><joint name="a" axis="0 0 1" stiffness="0.5"
  springref="30" damping="0.2"/><geom size="0.1" margin="0.3" gap="0.2"/></body></worldbody>
  </mujoco>''')
"""


def test_springs_of_files_are_attributes_of_mujoco_in_the_first_release_and_of_joints_later(
    tmp_path: Path,
) -> None:
    told = """
model = builder.finalize()
of = model.mujoco
print("told", *np.round([of.dof_passive_stiffness.numpy()[0], of.dof_springref.numpy()[0],
    model.joint_stiffness.numpy()[0]], 4), newton.__version__)
solver = newton.solvers.SolverMuJoCo(model)
print("told", *np.round([solver.mj_model.jnt_stiffness[0], solver.mj_model.dof_damping[0],
    solver.mj_model.qpos_spring[0]], 4))
"""
    compiled = f"told 0.5 0.2 {np_round(30.0)}"
    assert say(tmp_path, "1.0", HINGE + told) == ["told 0.5 0.5236 0.0 1.0.0", compiled]
    assert say(tmp_path, "1", HINGE + told) == ["told 0.0 0.0 0.5 1.8.0", compiled]


def np_round(degrees: float) -> float:
    """Degrees as radians, to four places."""
    return round(degrees * 3.14159265 / 180.0, 4)


def test_gaps_of_shapes_are_what_contacts_are_looked_for_in_beyond_the_margin(
    tmp_path: Path,
) -> None:
    text = """
def contacts(height, margin, gap):
    builder = newton.ModelBuilder()
    builder.rigid_gap = 0.0
    builder.default_shape_cfg.gap = gap
    builder.default_shape_cfg.margin = margin
    builder.add_ground_plane()
    place = wp.transform(wp.vec3(0.0, 0.0, height), wp.quat_identity())
    builder.add_shape_sphere(builder.add_body(xform=place), radius=0.1)
    model = builder.finalize()
    found = model.collide(model.state())
    return int(found.rigid_contact_count.numpy()[0]), *np.round(model.shape_gap.numpy(), 4)
# margins of 0.02 and gaps of 0.03 each: from 0.1 + 2 * 0.05 = 0.2 on
print("told", *contacts(0.19, 0.02, 0.03), *contacts(0.21, 0.02, 0.03))
"""
    assert say(tmp_path, "1", text) == ["told 1 0.03 0.03 0 0.03 0.03"]


def test_scales_of_rotations_are_those_of_welds_alone(tmp_path: Path) -> None:
    text = """
builder = newton.ModelBuilder()
a, b = (builder.add_body(mass=1.0) for _ in range(2))
builder.add_equality_constraint_connect(a, b)
builder.add_equality_constraint_weld(a, b)
print("told", *builder.equality_constraint_torquescale)
"""
    assert say(tmp_path, "1", text) == ["told 0.0 1.0"]


def test_fixed_joints_that_are_named_are_not_collapsed(tmp_path: Path) -> None:
    text = """
import warnings
builder = newton.ModelBuilder()
a, b, c = (builder.add_link(label=label, mass=mass) for label, mass in zip("abc", (1.0, 0.0, 2.0)))
joints = [builder.add_joint_fixed(a, b, label="stays"), builder.add_joint_fixed(b, c, label="goes")]
builder.add_articulation(joints)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    builder.collapse_fixed_joints(joints_to_keep=["stays"])
print("told", builder.joint_label, builder.body_mass, [str(w.message) for w in told][:1])
"""
    (line,) = say(tmp_path, "1", text)
    assert line.startswith("told ['stays'] [1.0, 2.0] ['Skipped joint stays has a child b with")


def test_positions_of_joints_of_bodies_without_a_flag_stay(tmp_path: Path) -> None:
    text = """
builder = newton.ModelBuilder()
for flag in (False, True):
    body = builder.add_link(mass=1.0, is_kinematic=flag)
    builder.add_articulation([builder.add_joint_revolute(-1, body, axis=(0.0, 0.0, 1.0))])
model = builder.finalize()
state = model.state()
q = wp.array([0.2, -0.4], dtype=float)
newton.eval_fk(model, q, model.joint_qd, state)
found, rates = wp.full(2, 7.0, dtype=float), wp.full(2, 3.0, dtype=float)
newton.eval_ik(model, state, found, rates, body_flag_filter=int(newton.BodyFlags.DYNAMIC))
print("told", *np.round(found.numpy(), 4), *np.round(rates.numpy(), 4))
"""
    assert say(tmp_path, "1", text) == ["told 0.2 7.0 0.0 3.0"]


def test_geoms_that_are_only_seen_weigh_and_gaps_of_files_are_gaps_of_shapes(
    tmp_path: Path,
) -> None:
    text = """
builder = newton.ModelBuilder()
builder.add_mjcf('''<mujoco><worldbody><body><joint/>
  <geom type="box" size="0.1 0.1 0.1" contype="0" conaffinity="0"/>
  <geom type="box" size="0.1 0.1 0.1" mass="0" margin="0.5" gap="0.2"/></body></worldbody>
  </mujoco>''')
model = builder.finalize()
print("told", *np.round([model.body_mass.numpy()[0], model.shape_margin.numpy()[1],
    model.shape_gap.numpy()[1]], 4))
"""
    # 1000 kg/m^3 * 0.2^3 m^3 = 8 kg
    assert say(tmp_path, "1", text) == ["told 8.0 0.5 0.2"]
    assert say(tmp_path, "1.0", text) == ["told 8.0 0.3 0.2"]


def test_worlds_have_a_gravity_for_what_belongs_to_all_of_them_after_the_first_release(
    tmp_path: Path,
) -> None:
    text = """
part = newton.ModelBuilder()
part.add_body(mass=1.0)
builder = newton.ModelBuilder()
builder.replicate(part, 3)
print("told", len(builder.finalize().gravity))
"""
    assert say(tmp_path, "1", text) == ["told 4"]
    assert say(tmp_path, "1.0", text) == ["told 3"]


def test_joints_to_the_world_belong_to_an_articulation_in_the_first_release(tmp_path: Path) -> None:
    text = """
builder = newton.ModelBuilder()
builder.add_joint_revolute(-1, builder.add_link(mass=1.0), label="alone")
try:
    builder.finalize()
    print("told nothing")
except ValueError as error:
    print("told", "alone" in str(error))
"""
    assert say(tmp_path, "1", text) == ["told nothing"]
    assert say(tmp_path, "1.0", text) == ["told True"]


def test_joints_of_files_that_follow_others_are_such_joints_in_later_releases(
    tmp_path: Path,
) -> None:
    text = """
def chain(kind):
    joint = '''<joint name="j{0}" type="{1}"><parent link="l{2}"/><child link="l{0}"/>
        <limit lower="-2" upper="2"/>{3}</joint>'''
    rest = [joint.format(n, kind, n - 1, f'<mimic joint="j{n - 1}" multiplier="{n}" offset="0.1"/>')
            for n in (2, 3)]
    links = "".join(f'<link name="l{n}"/>' for n in range(4))
    return f"<robot name='r'>{links}{joint.format(1, 'revolute', 0, '')}{''.join(rest)}</robot>"
builder = newton.ModelBuilder()
builder.add_urdf(chain("prismatic"), scale=2.0)
model = builder.finalize()
leader, last = (model.joint_label.index(f"r/j{n}") for n in (1, 3))
follows = int(model.joint_mimic_joint.numpy()[last]) == leader
print("told", follows, *np.round(model.joint_mimic_coeffs.numpy()[last], 4),
    len(builder.constraint_mimic_joint0))
"""
    # 0.1 + 3 * (0.1 + 2 q) = 0.4 + 6 q, in lengths that are doubled
    assert say(tmp_path, "1", text) == ["told True 0.8 12.0 0"]
    assert say(tmp_path, "1.0", text) == ["told False 0.0 1.0 2"]
