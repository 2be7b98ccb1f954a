"""URDF files in the 1.x dialect."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1]))
from later import found_later

_SCRIPT = """
found = {}
ball = "<geometry><sphere radius='0.1'/></geometry>"
link = f"<collision>{ball}</collision><visual>{ball}<material name='m'>" \\
    "<color rgba='0 0 1 1.5'/></material></visual>"
robot = f'''<robot name="r"><link name="a">{link}</link><link name="b">
<collision>{ball}</collision></link><joint name="j" type="prismatic"><parent link="a"/>
<child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="6" velocity="2"/>
<dynamics damping="0"/></joint></robot>'''
builder = newton.ModelBuilder()
builder.default_joint_cfg.target_kd = 3.0
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    builder.add_urdf(
        robot, enable_self_collisions=False, joint_damping_mode="drive", scale=2.0)
found["warned"] = [str(w.message) for w in told if "opacity" in str(w.message)]
found["bounds"] = [builder.joint_effort_limit[0], builder.joint_velocity_limit[0]]
found["damping"] = builder.joint_target_kd[0]
seen, collide = newton.ShapeFlags.VISIBLE, newton.ShapeFlags.COLLIDE_SHAPES
found["seen"] = [bool(f & seen) for f in builder.shape_flags]
found["collide"] = [n for n, f in enumerate(builder.shape_flags) if f & collide]
found["pairs"] = [list(p) for p in set(builder.shape_collision_filter_pairs)]

chain = "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
joint = "<joint name='{0}{1}' type='fixed'><parent link='{0}'/><child link='{1}'/></joint>"
held = f"<robot name='h'><link name='a'/><link name='b'>{chain}</link><link name='c'>{chain}" \\
    f"</link>{joint.format('a', 'b')}{joint.format('b', 'c')}</robot>"
builder = newton.ModelBuilder()
kept = builder.add_link(mass=1.0)
builder.add_articulation([builder.add_joint_fixed(parent=-1, child=kept, label="kept")])
builder.add_urdf(held, floating=True, collapse_massless_fixed_root=True)
found["joints"] = list(builder.joint_label)
found["mass"] = builder.body_mass[1]

found["refused"] = []
for name in ("file://elsewhere/r.urdf", "file:r.urdf", "file:////server/r.urdf"):
    mesh = f"<robot name='m'><link name='a'><visual><geometry><mesh filename='{name}'/>" \\
        "</geometry></visual></link></robot>"
    for source in (name, mesh):
        try:
            newton.ModelBuilder().add_urdf(source)
        except ValueError as error:
            found["refused"].append("file URI" in str(error))
"""


@pytest.fixture(scope="module")
def found() -> Any:
    return found_later(_SCRIPT)


def test_joints_have_the_largest_force_and_speed_of_the_file(found: Any) -> None:
    assert found["bounds"] == [6.0, 4.0]  # a speed of lengths, at scale 2


def test_a_damping_of_zero_that_a_file_states_is_that_of_the_drive(found: Any) -> None:
    assert found["damping"] == 0.0


def test_what_collides_is_hidden_where_any_link_has_visuals(found: Any) -> None:
    assert found["seen"] == [True, False, False]


def test_filters_of_a_file_name_only_what_collides(found: Any) -> None:
    assert found["pairs"] == [found["collide"]]


def test_an_opacity_above_one_is_told_of(found: Any) -> None:
    assert len(found["warned"]) == 1
    assert "Clamping opacity 1.5" in found["warned"][0]


def test_a_free_root_without_mass_becomes_one_with_what_is_fixed_to_it(found: Any) -> None:
    assert found["joints"] == ["kept", "h/floating_base", "h/bc"]
    assert found["mass"] == 2.0


def test_uris_of_files_of_other_machines_are_refused(found: Any) -> None:
    assert found["refused"] == [True] * 6
