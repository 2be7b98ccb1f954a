"""A body as PyBullet's functions see it: joint numbers, cached states, addresses in the world."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.bullet import constants as c
from unibody.bullet.convert import IDENTITY, com_pose, link_pose, rotate_back, wxyz
from unibody.core.assets.description import Asset, JointType, Pose, Quat, Vec3
from unibody.core.assets.transforms import quat_rotate
from unibody.core.engine.record import BodyRecord
from unibody.core.engine.rows import table as t

if TYPE_CHECKING:
    from unibody.bullet.client import Client
    from unibody.core.engine.world import World

JOINT_TYPES = {
    JointType.REVOLUTE: c.JOINT_REVOLUTE,
    JointType.CONTINUOUS: c.JOINT_REVOLUTE,
    JointType.PRISMATIC: c.JOINT_PRISMATIC,
    JointType.SPHERICAL: c.JOINT_SPHERICAL,
    JointType.PLANAR: c.JOINT_PLANAR,
    JointType.FIXED: c.JOINT_FIXED,
    JointType.FLOATING: c.JOINT_FIXED,  # PyBullet makes a fixed joint of it
}
_DRIVE = struct.Struct("=7d")
_DRIVE_BYTES = 8 * t.DRIVE_SIZE


class Body:
    """One body of a client.

    Joint ``i`` is the one above link ``i``, and link ``i`` of PyBullet is ``links[i + 1]`` of the
    record: PyBullet counts the base as -1.
    """

    __slots__ = (
        "_applied",
        "_drive_memory",
        "_free_com",
        "_generation",
        "_positions",
        "_state_version",
        "_torque_version",
        "_velocities",
        "asset",
        "client",
        "dampings",
        "dofs",
        "drive_of_joint",
        "flags",
        "id",
        "joint_count",
        "limits",
        "name",
        "qindex",
        "record",
        "uindex",
    )

    def __init__(self, client: Client, record: BodyRecord, name: str, flags: int = 0) -> None:
        self.client = client
        self.record = record
        self.asset: Asset = record.asset
        self.id = record.id
        self.name = name
        self.flags = flags
        self.joint_count = len(record.links) - 1
        self._generation = -1
        self._state_version = -1
        self._torque_version = -1
        self._positions: list[float] = []
        self._velocities: list[float] = []
        self._applied: list[float] = []
        self._drive_memory: Any = None
        self.dampings: dict[int, float] = {}  # joints whose damping was changed
        self.drive_of_joint = [joint.local_drive for joint in record.joints[1:]]
        self.limits = [(link.joint.lower, link.joint.upper) for link in self.asset.links[1:]]
        base = self.record.links[0].com
        self._free_com = None if base == IDENTITY else base
        self._number_coordinates()

    def _number_coordinates(self) -> None:
        """PyBullet's q and u index of each joint: 7 and 6 go to the base, moving or not."""
        self.qindex: list[int] = []
        self.uindex: list[int] = []
        q, u = 7, 6
        for joint in self.record.joints[1:]:
            moving = joint.nv > 0
            self.qindex.append(q if moving else -1)
            self.uindex.append(u if moving else -1)
            q += joint.nq
            u += joint.nv
        self.dofs = u - 6

    # --- addresses -----------------------------------------------------------------------------

    def world(self) -> World:
        """The running world, with this body's addresses in it up to date."""
        world = self.client.scene.world
        if self._generation != world.generation:
            self._generation = world.generation
            self._state_version = self._torque_version = -1
            start = self.record.drive * _DRIVE_BYTES
            memory = memoryview(world.data.userdata).cast("B") if world.model.nuserdata else b""
            self._drive_memory = memory[start : start + len(self.record.drive_joints) * _DRIVE_BYTES]
        return world

    def joint_type(self, joint: int) -> int:
        """PyBullet's number for the type of a joint."""
        return JOINT_TYPES[self.asset.links[joint + 1].joint.type]

    def joint_damping(self, joint: int) -> float:
        """Viscous damping of a joint [Nms/rad or Ns/m]."""
        stated = self.asset.links[joint + 1].joint.damping
        return self.dampings.get(joint, stated)

    # --- joint states --------------------------------------------------------------------------

    def joint_coordinates(self) -> tuple[list[float], list[float]]:
        """Positions and velocities by joint; a joint without exactly one coordinate gives 0.

        The lists are made once a state and shared by all calls.
        """
        world = self.world()
        if self._state_version != world.version:
            self._read_coordinates(world)
        return self._positions, self._velocities

    def _read_coordinates(self, world: World) -> None:
        record = self.record
        qpos = world.data.qpos[record.qpos : record.qpos + record.nq].tolist()
        qvel = world.data.qvel[record.dof : record.dof + record.nv].tolist()
        q0, v0 = record.qpos, record.dof
        self._positions = [
            qpos[joint.qpos - q0] if joint.nv == 1 else 0.0 for joint in record.joints[1:]
        ]
        self._velocities = [
            qvel[joint.dof - v0] if joint.nv == 1 else 0.0 for joint in record.joints[1:]
        ]
        self._state_version = world.version

    def applied_torques(self) -> list[float]:
        """Motor force of each joint in the last step [N or Nm]; 0 without a motor."""
        world = self.world()
        if self._torque_version != world.version:
            self._applied = self._read_torques(world)
            self._torque_version = world.version
        return self._applied

    def _read_torques(self, world: World) -> list[float]:
        drives = len(self.record.drive_joints)
        if not drives:
            return [0.0] * self.joint_count
        start = self.record.drive * t.DRIVE_SIZE + t.D_ROW
        rows = world.data.userdata[start : start + drives * t.DRIVE_SIZE : t.DRIVE_SIZE]
        force = world.data.efc_force
        values = [
            float(force[int(row)]) if 0 <= row < len(force) else 0.0 for row in rows.tolist()
        ]
        return [values[drive] if drive >= 0 else 0.0 for drive in self.drive_of_joint]

    def set_joint(self, joint: int, position: float, velocity: float) -> None:
        """Put a joint with one degree of freedom to a position and velocity."""
        world = self.world()
        record = self.record.joints[joint + 1]
        if record.nv == 1:
            world.data.qpos[record.qpos] = position
            world.data.qvel[record.dof] = velocity
            world.changed()

    def set_drive(
        self,
        joint: int,
        mode: int,
        kp: float,
        kd: float,
        position: float,
        velocity: float,
        limit: float,
        speed_limit: float,
    ) -> None:
        """Set the motor of a joint; it acts from the next step on."""
        drive = self.drive_of_joint[joint]
        if drive < 0:
            return
        if self._generation != self.client.scene.world.generation:
            self.world()
        _DRIVE.pack_into(
            self._drive_memory,
            drive * _DRIVE_BYTES,
            mode,
            kp,
            kd,
            position,
            velocity,
            limit,
            speed_limit,
        )

    def add_torque(self, joint: int, torque: float) -> None:
        """Add a joint force for the next step [N or Nm]."""
        world = self.world()
        record = self.record.joints[joint + 1]
        if record.nv == 1:
            world.data.qfrc_applied[record.dof] += torque
            self.client.forces_applied = True

    # --- base ----------------------------------------------------------------------------------

    def base_link_pose(self) -> Pose:
        """``T_world_base`` of the link frame."""
        world = self.world()
        record = self.record
        if record.mocap >= 0:
            pos, quat = world.data.mocap_pos[record.mocap], world.data.mocap_quat[record.mocap]
            return Pose(tuple(pos.tolist()), tuple(quat.tolist()))
        x, y, z, qw, qx, qy, qz = world.data.qpos[record.qpos : record.qpos + 7].tolist()
        return Pose((x, y, z), (qw, qx, qy, qz))

    def base_com_pose(self) -> Pose:
        """``T_world_com`` of the base."""
        pose = self.base_link_pose()
        return pose if self._free_com is None else com_pose(pose, self._free_com)

    def set_base_com_pose(self, pos: Vec3, quat_xyzw: tuple[float, ...]) -> None:
        """Put the base's centre of mass to a pose; PyBullet also stops the base."""
        pose = Pose(pos, wxyz(quat_xyzw))
        if self._free_com is not None:
            pose = link_pose(pose, self._free_com)
        world = self.world()
        record = self.record
        if record.mocap >= 0:
            world.data.mocap_pos[record.mocap] = pose.pos
            world.data.mocap_quat[record.mocap] = pose.quat
        else:
            world.data.qpos[record.qpos : record.qpos + 7] = pose.pos + pose.quat
            world.data.qvel[record.dof : record.dof + 6] = 0.0
        world.changed()

    def base_velocity(self) -> tuple[Vec3, Vec3]:
        """Linear velocity of the base's centre of mass and angular velocity, world frame."""
        world = self.world()
        record = self.record
        if record.mocap >= 0:
            return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        qvel = world.data.qvel[record.dof : record.dof + 6].tolist()
        quat: Quat = tuple(world.data.qpos[record.qpos + 3 : record.qpos + 7].tolist())
        linear, angular = tuple(qvel[:3]), quat_rotate(quat, tuple(qvel[3:]))
        if self._free_com is not None:
            r = quat_rotate(quat, self._free_com.pos)
            linear = _add_cross(linear, angular, r, 1.0)
        return linear, angular

    def set_base_velocity(self, linear: Vec3 | None, angular: Vec3 | None) -> None:
        """Set velocities of the base (world frame, at the centre of mass); None keeps one."""
        world = self.world()
        record = self.record
        if record.mocap >= 0:
            return
        old_linear, old_angular = self.base_velocity()
        linear = old_linear if linear is None else linear
        angular = old_angular if angular is None else angular
        quat: Quat = tuple(world.data.qpos[record.qpos + 3 : record.qpos + 7].tolist())
        if self._free_com is not None:
            r = quat_rotate(quat, self._free_com.pos)
            linear = _add_cross(linear, angular, r, -1.0)
        world.data.qvel[record.dof : record.dof + 3] = linear
        world.data.qvel[record.dof + 3 : record.dof + 6] = rotate_back(quat, angular)
        world.changed()

    def mass_frame_changed(self) -> None:
        """Take note that the base's inertial frame changed."""
        base = self.record.links[0].com
        self._free_com = None if base == IDENTITY else base

    # --- links ---------------------------------------------------------------------------------

    def link_com_pose(self, link: int) -> tuple[list[float], list[float]]:
        """Position and (w, x, y, z) orientation of a link's inertial frame in the world."""
        world = self.world()
        world.kinematics()
        state = self.record.links[link + 1]
        body = state.body
        if state.com.quat == IDENTITY.quat:
            return world.data.xipos[body].tolist(), world.data.xquat[body].tolist()
        quat = np.empty(4)
        _mul_quat(quat, world.data.xquat[body], np.asarray(state.com.quat))
        return world.data.xipos[body].tolist(), quat.tolist()

    def link_velocity(self, link: int) -> tuple[list[float], list[float]]:
        """Linear velocity of a link's centre of mass and angular velocity, world frame."""
        world = self.world()
        world.velocities()
        body = self.record.links[link + 1].body
        data = world.data
        twist = data.cvel[body]
        arm = data.xipos[body] - data.subtree_com[world.model.body_rootid[body]]
        linear = twist[3:] + np.cross(twist[:3], arm)
        return linear.tolist(), twist[:3].tolist()


def _mul_quat(out: Any, a: Any, b: Any) -> None:
    import mujoco  # noqa: PLC0415 - loaded already by the time a body exists

    mujoco.mju_mulQuat(out, a, b)


def _add_cross(base: Vec3, w: Vec3, r: Vec3, sign: float) -> Vec3:
    """``base + sign * (w x r)``."""
    return (
        base[0] + sign * (w[1] * r[2] - w[2] * r[1]),
        base[1] + sign * (w[2] * r[0] - w[0] * r[2]),
        base[2] + sign * (w[0] * r[1] - w[1] * r[0]),
    )
