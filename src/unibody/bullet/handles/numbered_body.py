"""Which body of the engine a body of PyBullet's is, how it is numbered, and where it lies."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.bullet import constants as c
from unibody.bullet.calls.compiled_states import states
from unibody.bullet.convert import IDENTITY
from unibody.bullet.handles.motor_plans import MotorPlans
from unibody.core.assets.description import Asset, JointType, Link, Pose, Shape
from unibody.core.assets.transforms import pose_inverse
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.world.addresses import addresses

if TYPE_CHECKING:
    from unibody.bullet.geometry.solid_links import SolidLink
    from unibody.bullet.handles.joint_reader import JointReader
    from unibody.bullet.state.client_state import ClientState
    from unibody.core.engine.scene.scene import Scene
    from unibody.core.engine.world.world import World

JOINT_TYPES = {
    JointType.REVOLUTE: c.JOINT_REVOLUTE,
    JointType.CONTINUOUS: c.JOINT_REVOLUTE,
    JointType.PRISMATIC: c.JOINT_PRISMATIC,
    JointType.SPHERICAL: c.JOINT_SPHERICAL,
    JointType.PLANAR: c.JOINT_PLANAR,
    JointType.FIXED: c.JOINT_FIXED,
    JointType.FLOATING: c.JOINT_FIXED,  # PyBullet makes a fixed joint of it
}
NUMBER = 8  # bytes
DRIVE_BYTES = NUMBER * t.DRIVE_SIZE
# By number of MuJoCo's coordinates of a joint, which of them PyBullet shows first: a ball joint's
# quaternion begins with w there, and a planar joint's angle comes last.
_SHOWN_Q, _SHOWN_V = {1: 0, 3: 2, 4: 1}, {1: 0, 3: 2, 4: 0}


class NumberedBody:
    """What of a body does not depend on its state.

    Joint ``i`` is the one above link ``i``, and link ``i`` of PyBullet is ``links[i + 1]`` of the
    record: PyBullet counts the base as -1.
    """

    __slots__ = (
        "_at",
        "_base",
        "_base_at",
        "_compiled",
        "_drive_start",
        "_drives_at",
        "_frames",
        "_free_com",
        "_generation",
        "_q_of_joint",
        "_qpos_struct",
        "_qvel_struct",
        "_v_of_joint",
        "asset",
        "braked_balls",
        "chain",
        "client",
        "dampings",
        "dofs",
        "drive_of_joint",
        "flags",
        "id",
        "inertias_version",
        "info",
        "joint_count",
        "joint_infos",
        "joint_readers",
        "limits",
        "margins",
        "name",
        "plans",
        "qindex",
        "record",
        "scene",
        "shape_rows",
        "solids",
        "uindex",
        "unscaled",
    )

    def __init__(
        self, client: ClientState, record: BodyRecord, asset: Asset, flags: int = 0
    ) -> None:
        self.client: ClientState = client
        self.scene: Scene = client.scene
        self.record: BodyRecord = record
        self.asset: Asset = (
            asset  # as loaded; the record has a free base moved to its centre of mass
        )
        self.id: int = record.id
        self.name: str = asset.name
        self.flags: int = flags
        self.info: tuple[bytes, bytes] = (
            asset.links[0].name.encode(),
            asset.name.encode(),
        )  # of getBodyInfo
        self.inertias_version: int = 0  # counts changes of masses, inertias and mass centres
        self.joint_count: int = len(record.links) - 1
        self._generation = -1
        self.joint_readers: list[JointReader | None] = [None] * self.joint_count  # of single joints
        self._drive_start = 0
        self._drives_at = 0  # address
        self.chain: Any = None  # of kinematics, made when it is first needed
        self.plans: MotorPlans = MotorPlans()
        self._base = np.zeros(5, dtype=np.int64)  # see compiled_states
        self._base_at = int(self._base.ctypes.data)
        self._compiled = states()
        self.joint_infos: dict[int, Any] = {}  # getJointInfo's tuples
        self.dampings: dict[int, float] = {}  # joints whose damping was changed
        self.shape_rows: dict[int, tuple[Pose, Link, Any]] = {}  # see collision_data, by link
        self.solids: dict[int, SolidLink] = {}  # see dynamics, by index
        self.margins: dict[int, tuple[Link, float]] = {}  # of getDynamicsInfo, by index
        self.unscaled: list[Shape] | None = None  # of the base, once its shapes were scaled
        self.braked_balls: set[int] = set()  # ball joints whose motor was given no force
        self.drive_of_joint: list[int] = [joint.local_drive for joint in record.joints[1:]]
        self.limits: list[tuple[float, float]] = [
            (link.joint.lower, link.joint.upper) for link in self.asset.links[1:]
        ]
        base = self.record.links[0].com
        self._free_com = None if base == IDENTITY else base
        if self._free_com is not None:
            back = pose_inverse(base)
            self._frames = np.array([*base.pos, *base.quat, *back.pos, *back.quat])
            com_at = int(self._frames.ctypes.data)
            self._base[3:] = com_at, com_at + 7 * NUMBER
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
        self.dofs: int = u - 6

    # --- addresses -----------------------------------------------------------------------------

    def world(self) -> World:
        """The running world, with this body's addresses in it up to date."""
        scene = self.scene
        world = scene.running
        if scene.stale or world is None:
            world = scene.world
        if self._generation != world.generation:
            self._generation = world.generation
            self._find_addresses(world)
        return world

    def _find_addresses(self, world: World) -> None:
        record = self.record
        self._drive_start = record.drive * DRIVE_BYTES
        at = self._at = addresses(world)
        self._drives_at = at.userdata + self._drive_start
        if record.mocap >= 0:
            pos_at = at.mocap_pos + 3 * NUMBER * record.mocap
            self._base[:3] = pos_at, at.mocap_quat + 4 * NUMBER * record.mocap, 0
        else:
            pos_at = at.qpos + NUMBER * record.qpos
            self._base[:3] = pos_at, pos_at + 3 * NUMBER, at.qvel + NUMBER * record.dof
        self._qpos_struct = struct.Struct(f"={record.nq}d")
        self._qvel_struct = struct.Struct(f"={record.nv}d")
        joints = record.joints[1:]
        self._q_of_joint = [
            joint.qpos - record.qpos + _SHOWN_Q[joint.nq] if joint.nv else -1 for joint in joints
        ]
        self._v_of_joint = [
            joint.dof - record.dof + _SHOWN_V[joint.nq] if joint.nv else -1 for joint in joints
        ]

    def joint_type(self, joint: int) -> int:
        """PyBullet's number for the type of a joint."""
        return JOINT_TYPES[self.asset.links[joint + 1].joint.type]

    def set_limits(self, joint: int, limits: tuple[float, float]) -> None:
        """Take note of changed joint limits."""
        self.limits[joint] = limits
        self.plans.clear()

    def forget_motor_plan(self) -> None:
        """Let the next call set motors in full."""
        self.plans.clear()

    def joint_damping(self, joint: int) -> float:
        """Viscous damping of a joint [Nms/rad or Ns/m]."""
        stated = self.asset.links[joint + 1].joint.damping
        return self.dampings.get(joint, stated)
