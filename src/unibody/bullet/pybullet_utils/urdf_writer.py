"""The text of a URDF file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from unibody.bullet import constants as c

if TYPE_CHECKING:
    from unibody.bullet.pybullet_utils.urdf_parts import (
        UrdfCollision,
        UrdfInertial,
        UrdfJoint,
        UrdfLink,
        UrdfVisual,
    )

_JOINTS = {
    c.JOINT_FIXED: "fixed",
    c.JOINT_REVOLUTE: "revolute",
    c.JOINT_PRISMATIC: "prismatic",
    c.JOINT_SPHERICAL: "spherical",
    c.JOINT_PLANAR: "planar",
}


def robot(name: str, links: Sequence[UrdfLink], joints: Sequence[UrdfJoint], visuals: bool) -> str:
    """The file of a robot, with its visual shapes if asked."""
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(name)}>"]
    for link in links:
        lines += _link(link, visuals)
    for joint in joints:
        lines += _joint(joint)
    return "\n".join([*lines, "</robot>", ""])


def _numbers(values: Sequence[float]) -> str:
    """Values with nine digits: small inertias keep theirs."""
    return " ".join(f"{value:.9g}" for value in values)


def _origin(part: UrdfInertial | UrdfCollision) -> str:
    return f'<origin rpy="{_numbers(part.origin_rpy)}" xyz="{_numbers(part.origin_xyz)}"/>'


def _link(link: UrdfLink, visuals: bool) -> Iterator[str]:
    yield f"  <link name={quoteattr(link.link_name)}>"
    inertial = link.urdf_inertial
    xx, yy, zz = inertial.inertia_xxyyzz
    yield f"    <inertial>{_origin(inertial)}"
    yield f'      <mass value="{inertial.mass:.9g}"/>'
    yield f'      <inertia ixx="{xx:.9g}" ixy="0" ixz="0" iyy="{yy:.9g}" iyz="0" izz="{zz:.9g}"/>'
    yield "    </inertial>"
    for visual in link.urdf_visual_shapes if visuals else ():
        yield f"    <visual>{_origin(visual)}"
        yield f"      <geometry>{_geometry(visual)}</geometry>"
        yield f"      {_material(visual)}"
        yield "    </visual>"
    for shape in link.urdf_collision_shapes:
        yield f"    <collision>{_origin(shape)}"
        yield f"      <geometry>{_geometry(shape)}</geometry>"
        yield "    </collision>"
    yield "  </link>"


def _material(visual: UrdfVisual) -> str:
    colour = _numbers(visual.material_rgba)
    name = quoteattr(visual.material_name)
    return f'<material name={name}><color rgba="{colour}"/></material>'


def _geometry(shape: UrdfCollision) -> str:
    kind = shape.geom_type
    if kind == c.GEOM_BOX:
        return f'<box size="{_numbers(shape.geom_extents)}"/>'
    if kind == c.GEOM_SPHERE:
        return f'<sphere radius="{shape.geom_radius:.9g}"/>'
    if kind == c.GEOM_MESH:
        name = quoteattr(shape.geom_meshfilename)
        return f'<mesh filename={name} scale="{_numbers(shape.geom_meshscale)}"/>'
    if kind == c.GEOM_PLANE:
        return '<plane normal="0 0 1"/>'
    name = "capsule" if kind == c.GEOM_CAPSULE else "cylinder"
    return f'<{name} length="{shape.geom_length:.9g}" radius="{shape.geom_radius:.9g}"/>'


def _joint(joint: UrdfJoint) -> Iterator[str]:
    kind = _JOINTS[joint.joint_type]
    if kind == "revolute" and joint.joint_upper_limit < joint.joint_lower_limit:
        kind = "continuous"
    yield f'  <joint name={quoteattr(joint.joint_name)} type="{kind}">'
    yield f"    <parent link={quoteattr(joint.parent_name)}/>"
    yield f"    <child link={quoteattr(joint.child_name)}/>"
    if kind in ("revolute", "prismatic"):
        yield (
            f'    <limit effort="{joint.joint_max_force:.9g}" '
            f'lower="{joint.joint_lower_limit:.9g}" upper="{joint.joint_upper_limit:.9g}" '
            f'velocity="{joint.joint_max_velocity:.9g}"/>'
        )
    yield (
        f'    <origin rpy="{_numbers(joint.joint_origin_rpy)}" '
        f'xyz="{_numbers(joint.joint_origin_xyz)}"/>'
    )
    yield f'    <axis xyz="{_numbers(joint.joint_axis_xyz)}"/>'
    yield "  </joint>"
