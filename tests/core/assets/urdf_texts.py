"""URDF texts that the tests of the reader are built from."""

from __future__ import annotations

from unibody.core.assets.description import Asset
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import UrdfOptions, parse_urdf_text

INERTIAL = '<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="3" velocity="4"/>'

# One of everything the reader reads, except meshes and textures (they need files).
RICH = """<?xml version="1.0"?>
<robot name="rich">
  <material name="red"><color rgba="0.8 0.1 0.1 1"/><specular rgb="0.1 0.2 0.3"/></material>
  <link name="base">
    <inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/>
      <mass value="2.5"/>
      <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0.01" ixz="0.02" iyz="0.03"/>
    </inertial>
    <visual name="body">
      <origin xyz="0 0 0.1"/><geometry><box size="1 2 3"/></geometry><material name="red"/>
    </visual>
    <visual>
      <geometry><sphere radius="0.5"/></geometry>
      <material name="blue"><color rgba="0 0 1 0.5"/></material>
    </visual>
    <collision group="4" mask="5"><geometry><box size="1 2 3"/></geometry></collision>
    <collision><geometry><plane normal="0 1 0"/></geometry></collision>
    <contact>
      <lateral_friction value="0.9"/><rolling_friction value="0.01"/>
      <spinning_friction value="0.02"/><restitution value="0.4"/>
      <stiffness value="3000"/><damping value="30"/><inertia_scaling value="2"/>
      <contact_cfm value="0.1"/><contact_erp value="0.2"/><friction_anchor/>
    </contact>
  </link>
  <link name="upper">
    <inertial>
      <mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual>
      <geometry><cylinder radius="0.1" length="0.4"/></geometry><material name="blue"/>
    </visual>
    <collision concave="yes"><geometry><capsule radius="0.1" length="0.4"/></geometry></collision>
  </link>
  <link name="lower"/>
  <link name="tip"/>
  <link name="ball"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 1" rpy="0 1.57 0"/><parent link="base"/><child link="upper"/>
    <axis xyz="0 0 2"/><limit lower="-1.5" upper="1.5" effort="10" velocity="3"/>
    <dynamics damping="0.5" friction="0.1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <origin xyz="0.2 0 0"/><parent link="upper"/><child link="lower"/>
    <axis xyz="0 1 0"/><limit lower="-0.1" upper="0.2"/>
    <mimic joint="shoulder" multiplier="2" offset="0.1"/>
  </joint>
  <joint name="wheel" type="continuous">
    <parent link="base"/><child link="ball"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="flange" type="fixed"><parent link="lower"/><child link="tip"/></joint>
</robot>
"""


def link(name: str, content: str = "", inertial: str = INERTIAL) -> str:
    """A link with some mass."""
    return f'<link name="{name}">{inertial}{content}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", content: str = LIMIT) -> str:
    """A joint about z."""
    axis = "" if "<axis" in content else '<axis xyz="0 0 1"/>'
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{axis}{content}</joint>'


def robot(*parts: str) -> str:
    """A robot with these parts."""
    return f'<robot name="r">{"".join(parts)}</robot>'


def read(text: str, **options: object) -> Asset:
    """Reads a text that refers to no files."""
    return parse_urdf_text(text, search_path=SearchPath(), options=UrdfOptions(**options))
