# ruff: noqa: N999 - the file name is the original's
"""Bodies as editable descriptions, saved as URDF, joined, and made into bodies again.

The classes, attributes and methods are those scripts know; ``urdf_writer`` writes the file.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from unibody import bullet
from unibody.bullet.errors import error
from unibody.bullet.pybullet_utils import urdf_writer
from unibody.bullet.pybullet_utils.transformations import euler_from_quaternion
from unibody.bullet.pybullet_utils.urdf_parts import (
    UrdfCollision,
    UrdfInertial,
    UrdfJoint,
    UrdfLink,
    UrdfVisual,
)
from unibody.core.assets.whole_file import write_whole_text

_ZERO = (0.0, 0.0, 0.0)
_NO_TURN = (0.0, 0.0, 0.0, 1.0)


class UrdfEditor:
    """The links and joints of one robot; the first link is the base."""

    def __init__(self) -> None:
        self.initialize()

    def initialize(self) -> None:
        """Begin again with nothing."""
        self.urdfLinks: list[UrdfLink] = []
        self.urdfJoints: list[UrdfJoint] = []
        self.robotName = ""
        self.linkNameToIndex: dict[str, int] = {}
        self.jointTypeToName: dict[int, str] = {
            bullet.JOINT_FIXED: "JOINT_FIXED",
            bullet.JOINT_REVOLUTE: "JOINT_REVOLUTE",
            bullet.JOINT_PRISMATIC: "JOINT_PRISMATIC",
        }

    def convertLinkFromMultiBody(
        self, bodyUid: int, linkIndex: int, urdfLink: UrdfLink, physicsClientId: int = 0
    ) -> None:
        """Fill a link from a body's link; -1 is the base."""
        info = bullet.getDynamicsInfo(bodyUid, linkIndex, physicsClientId=physicsClientId)
        com = info[3], info[4]
        inertial = urdfLink.urdf_inertial
        inertial.mass, inertial.inertia_xxyyzz = info[0], info[2]
        inertial.origin_xyz = com[0]
        inertial.origin_rpy = _rpy(com[1])
        for row in bullet.getVisualShapeData(bodyUid, physicsClientId=physicsClientId):
            if row[1] == linkIndex:
                name = f"mat_{linkIndex}_{len(urdfLink.urdf_visual_shapes)}"
                visual = UrdfVisual(material_rgba=row[7], material_name=name)
                _take_shape(visual, row, (_ZERO, _NO_TURN))
                urdfLink.urdf_visual_shapes.append(visual)
        for row in bullet.getCollisionShapeData(
            bodyUid, linkIndex, physicsClientId=physicsClientId
        ):
            collision = UrdfCollision()
            _take_shape(collision, row, com)
            urdfLink.urdf_collision_shapes.append(collision)

    def initializeFromBulletBody(self, bodyUid: int, physicsClientId: int = 0) -> None:
        """Describe a body."""
        self.initialize()
        there = {"physicsClientId": physicsClientId}
        base_name, robot_name = bullet.getBodyInfo(bodyUid, **there)[:2]
        self.robotName: str = robot_name.decode()
        base = UrdfLink(link_name=base_name.decode())
        self.convertLinkFromMultiBody(bodyUid, -1, base, physicsClientId)
        self._add_link(base)
        for number in range(bullet.getNumJoints(bodyUid, **there)):
            info = bullet.getJointInfo(bodyUid, number, **there)
            link = UrdfLink(link_name=info[12].decode())
            self.convertLinkFromMultiBody(bodyUid, number, link, physicsClientId)
            self._add_link(link)
            self.urdfJoints.append(self._joint(bodyUid, number, info, link, physicsClientId))

    def _add_link(self, link: UrdfLink) -> None:
        self.linkNameToIndex[link.link_name] = len(self.urdfLinks)
        self.urdfLinks.append(link)

    def _joint(self, body: int, number: int, info: Any, link: UrdfLink, client: int) -> UrdfJoint:
        """The joint above a link, from the frames at centres of mass that the API gives."""
        parent = info[16]
        com = _com(body, number, client)
        parent_com = _com(body, parent, client)
        # getJointInfo's orientation takes the parent's inertial frame into the child's
        turned = bullet.multiplyTransforms(_ZERO, com[1], _ZERO, info[15])
        origin = bullet.multiplyTransforms(
            *parent_com, info[14], bullet.invertTransform(*turned)[1]
        )
        return UrdfJoint(
            link=link,
            joint_name=info[1].decode(),
            joint_type=info[2],
            joint_lower_limit=info[8],
            joint_upper_limit=info[9],
            joint_max_force=info[10],
            joint_max_velocity=info[11],
            parent_name=self.urdfLinks[parent + 1].link_name,
            child_name=link.link_name,
            joint_origin_xyz=origin[0],
            joint_origin_rpy=_rpy(origin[1]),
            joint_axis_xyz=bullet.rotateVector(com[1], info[13]),
        )

    def saveUrdf(self, fileName: str | os.PathLike[str], saveVisuals: bool = True) -> None:
        """Write the robot to a file.

        Raises:
            OSError: It cannot be written.
        """
        text = urdf_writer.robot(self.robotName, self.urdfLinks, self.urdfJoints, saveVisuals)
        write_whole_text(fileName, text)

    def joinUrdf(
        self,
        childEditor: UrdfEditor,
        parentLinkIndex: int = 0,
        jointPivotXYZInParent: Sequence[float] = _ZERO,
        jointPivotRPYInParent: Sequence[float] = _ZERO,
        jointPivotXYZInChild: Sequence[float] = _ZERO,
        jointPivotRPYInChild: Sequence[float] = _ZERO,
        parentPhysicsClientId: int = 0,
        childPhysicsClientId: int = 0,
    ) -> UrdfJoint:
        """Hang another robot on a link of this one and return the joint between the two.

        Args:
            childEditor: The other robot; its base link is moved to the joint's frame.
            parentLinkIndex: Index in ``urdfLinks``; 0 is the base.
            jointPivotXYZInParent: Where the joint is in the parent link [m].
            jointPivotRPYInParent: How it is turned there [rad].
            jointPivotXYZInChild: Where it is in the child's base link [m].
            jointPivotRPYInChild: How it is turned there [rad].
            parentPhysicsClientId: Not used: the description is in this object.
            childPhysicsClientId: Not used either.

        Raises:
            error: The other robot is empty, or a link's name is in both.
        """
        if not childEditor.urdfLinks:
            raise error("joinUrdf: the child has no links")
        twice = self.linkNameToIndex.keys() & childEditor.linkNameToIndex.keys()
        if twice:
            raise error(f"joinUrdf: both robots have links called {sorted(twice)}: rename them")
        first_link, first_joint = len(self.urdfLinks), len(self.urdfJoints)
        for link in childEditor.urdfLinks:
            self._add_link(link)
        child = self.urdfLinks[first_link]
        pivot = jointPivotXYZInChild, bullet.getQuaternionFromEuler(jointPivotRPYInChild)
        back = bullet.invertTransform(*pivot)
        for part in (child.urdf_inertial, *child.urdf_visual_shapes, *child.urdf_collision_shapes):
            _move(part, back)
        for joint in childEditor.urdfJoints:
            if joint.parent_name == child.link_name:
                moved = bullet.multiplyTransforms(
                    *back,
                    joint.joint_origin_xyz,
                    bullet.getQuaternionFromEuler(joint.joint_origin_rpy),
                )
                joint.joint_origin_xyz = moved[0]
                joint.joint_origin_rpy = _rpy(moved[1])
        between = UrdfJoint(
            link=child,
            joint_name="joint_dummy1",
            parent_name=self.urdfLinks[parentLinkIndex].link_name,
            child_name=child.link_name,
            joint_origin_xyz=jointPivotXYZInParent,
            joint_origin_rpy=jointPivotRPYInParent,
        )
        # joints come in the order of the links below them
        self.urdfJoints[first_joint:] = [between, *childEditor.urdfJoints]
        return between

    def createMultiBody(
        self,
        basePosition: Sequence[float] = _ZERO,
        baseOrientation: Sequence[float] = _NO_TURN,
        physicsClientId: int = 0,
    ) -> int:
        """Make a body of the robot and return its id; -1 if there are no links."""
        if not self.urdfLinks:
            return -1
        base = self.urdfLinks[0]
        links = [joint.link for joint in self.urdfJoints]
        inertials = [link.urdf_inertial for link in links]
        turn = bullet.getQuaternionFromEuler
        return bullet.createMultiBody(
            base.urdf_inertial.mass,
            baseCollisionShapeIndex=_collision_shape(base, physicsClientId),
            baseVisualShapeIndex=_visual_shape(base, physicsClientId),
            basePosition=basePosition,
            baseOrientation=baseOrientation,
            baseInertialFramePosition=base.urdf_inertial.origin_xyz,
            baseInertialFrameOrientation=turn(base.urdf_inertial.origin_rpy),
            linkMasses=[inertial.mass for inertial in inertials],
            linkCollisionShapeIndices=[_collision_shape(link, physicsClientId) for link in links],
            linkVisualShapeIndices=[_visual_shape(link, physicsClientId) for link in links],
            linkPositions=[joint.joint_origin_xyz for joint in self.urdfJoints],
            linkOrientations=[turn(joint.joint_origin_rpy) for joint in self.urdfJoints],
            linkInertialFramePositions=[inertial.origin_xyz for inertial in inertials],
            linkInertialFrameOrientations=[turn(inertial.origin_rpy) for inertial in inertials],
            linkParentIndices=[self.linkNameToIndex[j.parent_name] for j in self.urdfJoints],
            linkJointTypes=[joint.joint_type for joint in self.urdfJoints],
            linkJointAxis=[joint.joint_axis_xyz for joint in self.urdfJoints],
            physicsClientId=physicsClientId,
        )


def _rpy(quat: Sequence[float]) -> Sequence[float]:
    """Roll, pitch and yaw; exact also where getEulerFromQuaternion sees a pitch of 90 degrees."""
    return euler_from_quaternion(quat)


def _com(body: int, link: int, client: int) -> tuple[Any, Any]:
    info = bullet.getDynamicsInfo(body, link, physicsClientId=client)
    return info[3], info[4]


def _take_shape(shape: UrdfCollision, row: Any, frame: tuple[Any, Any]) -> None:
    """Fill a shape from a row of shape data whose pose is in a frame of the link."""
    kind, sizes = row[2], row[3]
    shape.geom_type = kind
    if kind == bullet.GEOM_BOX:
        shape.geom_extents = sizes
    elif kind == bullet.GEOM_SPHERE:
        shape.geom_radius = sizes[0]
    elif kind == bullet.GEOM_MESH:
        shape.geom_meshfilename, shape.geom_meshscale = row[4].decode(), sizes
    elif kind in (bullet.GEOM_CYLINDER, bullet.GEOM_CAPSULE):
        shape.geom_length, shape.geom_radius = sizes[0], sizes[1]
    pos, quat = bullet.multiplyTransforms(*frame, row[5], row[6])
    shape.origin_xyz, shape.origin_rpy = pos, _rpy(quat)


def _move(part: UrdfInertial | UrdfCollision, transform: tuple[Any, Any]) -> None:
    quat = bullet.getQuaternionFromEuler(part.origin_rpy)
    pos, quat = bullet.multiplyTransforms(*transform, part.origin_xyz, quat)
    part.origin_xyz, part.origin_rpy = pos, _rpy(quat)


def _collision_shape(link: UrdfLink, client: int) -> int:
    shapes = link.urdf_collision_shapes
    if not shapes:
        return -1
    return bullet.createCollisionShapeArray(
        **_sizes(shapes),
        collisionFramePositions=[shape.origin_xyz for shape in shapes],
        collisionFrameOrientations=_turns(shapes),
        physicsClientId=client,
    )


def _visual_shape(link: UrdfLink, client: int) -> int:
    shapes = link.urdf_visual_shapes
    if not shapes:
        return -1
    return bullet.createVisualShapeArray(
        **_sizes(shapes),
        rgbaColors=[shape.material_rgba for shape in shapes],
        visualFramePositions=[shape.origin_xyz for shape in shapes],
        visualFrameOrientations=_turns(shapes),
        physicsClientId=client,
    )


def _turns(shapes: Sequence[UrdfCollision]) -> list[Any]:
    return [bullet.getQuaternionFromEuler(shape.origin_rpy) for shape in shapes]


def _sizes(shapes: Sequence[UrdfCollision]) -> dict[str, Any]:
    return {
        "shapeTypes": [shape.geom_type for shape in shapes],
        "radii": [shape.geom_radius for shape in shapes],
        "halfExtents": [[0.5 * size for size in shape.geom_extents] for shape in shapes],
        "lengths": [shape.geom_length for shape in shapes],
        "fileNames": [shape.geom_meshfilename for shape in shapes],
        "meshScales": [shape.geom_meshscale for shape in shapes],
    }
