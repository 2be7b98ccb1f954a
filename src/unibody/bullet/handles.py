"""A body as PyBullet's functions see it: joint numbers, cached states, addresses in the world."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from unibody.bullet import constants as c
from unibody.bullet import moving_bases
from unibody.bullet.client import real
from unibody.bullet.compiled_states import states
from unibody.bullet.convert import (
    IDENTITY,
    add_cross,
    com_pose,
    link_pose,
    rotate_back,
    signed_xyzw,
)
from unibody.bullet.link_states import link_state, link_velocity
from unibody.bullet.motor_plans import MotorPlans, TargetPlan, TorquePlan
from unibody.core.assets.description import Asset, JointType, Link, Pose, Quat, Shape, Vec3
from unibody.core.assets.transforms import quat_multiply, quat_rotate
from unibody.core.engine.addresses import addresses
from unibody.core.engine.queries.bounds import BoxReader
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
_DRIVE = struct.Struct("=6d")  # all but the speed limit
_POSE = struct.Struct("=7d")
_TWIST = struct.Struct("=6d")
_VECTOR = struct.Struct("=3d")
_DOUBLE = struct.Struct("=d")
_QUAT = struct.Struct("=4d")
_NUMBER = 8  # bytes
_DRIVE_BYTES = _NUMBER * t.DRIVE_SIZE
# By number of MuJoCo's coordinates of a joint, which of them PyBullet shows first: a ball joint's
# quaternion begins with w there, and a planar joint's angle comes last.
_SHOWN_Q, _SHOWN_V = {1: 0, 3: 2, 4: 1}, {1: 0, 3: 2, 4: 0}
_FRAMES = (c.LINK_FRAME, c.WORLD_FRAME)
_CENTRE = (0.0, 0.0, 0.0)


class Body:
    """One body of a client.

    Joint ``i`` is the one above link ``i``, and link ``i`` of PyBullet is ``links[i + 1]`` of the
    record: PyBullet counts the base as -1.
    """

    __slots__ = (
        "_applied",
        "_at",
        "_base_at",
        "_base_pose",
        "_base_version",
        "_box_readers",
        "_boxes",
        "_boxes_version",
        "_compiled",
        "_drive_start",
        "_drives_at",
        "_free_com",
        "_generation",
        "_link_states",
        "_link_version",
        "_placed",
        "_positions",
        "_pushes",
        "_q_of_joint",
        "_qpos_struct",
        "_qvel_struct",
        "_state_version",
        "_torque_version",
        "_v_of_joint",
        "_velocities",
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

    def __init__(self, client: Client, record: BodyRecord, asset: Asset, flags: int = 0) -> None:
        self.client = client
        self.scene = client.scene
        self.record = record
        self.asset = asset  # as loaded; the record has a free base moved to its centre of mass
        self.id = record.id
        self.name = asset.name
        self.flags = flags
        self.info = (asset.links[0].name.encode(), asset.name.encode())  # of getBodyInfo
        self.inertias_version = 0  # counts changes of masses, inertias and mass centres
        self.joint_count = len(record.links) - 1
        self._generation = -1
        self._state_version = -1
        self._torque_version = -1
        self._positions: list[float] = []
        self._velocities: list[float] = []
        self._applied: list[float] = []
        self._drive_start = 0
        self._drives_at = 0  # address
        self.chain: Any = None  # of kinematics, made when it is first needed
        self.plans = MotorPlans()
        self._base_version = -1
        self._base_pose: Any = None
        self._base_at = (0, 0, 0)  # addresses of its position, quaternion and velocity (0: none)
        self._compiled = states()
        self._pushes: dict[tuple[int, int, bool], Callable[..., Any]] = {}  # see add_force
        self._boxes_version = -1
        self._boxes: dict[int, tuple[Vec3, Vec3]] = {}
        self._box_readers: dict[int, tuple[int, BoxReader]] = {}
        self._link_version = -1
        self._link_states: dict[tuple[int, bool, bool], Any] = {}
        running = self.scene.running
        self._placed = running.steps if running is not None else 0  # see links_placed
        self.joint_infos: dict[int, Any] = {}  # getJointInfo's tuples
        self.dampings: dict[int, float] = {}  # joints whose damping was changed
        self.shape_rows: dict[int, tuple[Pose, Link, Any]] = {}  # see collision_data, by link
        self.solids: dict[int, tuple[Link, Callable[[float], Vec3]]] = {}  # see inertia, by index
        self.margins: dict[int, tuple[Link, float]] = {}  # of getDynamicsInfo, by index
        self.unscaled: list[Shape] | None = None  # of the base, once its shapes were scaled
        self.braked_balls: set[int] = set()  # ball joints whose motor was given no force
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
        self._box_readers.clear()
        self._pushes.clear()
        self._drive_start = record.drive * _DRIVE_BYTES
        at = self._at = addresses(world)
        self._drives_at = at.userdata + self._drive_start
        if record.mocap >= 0:
            pos_at = at.mocap_pos + 3 * _NUMBER * record.mocap
            self._base_at = (pos_at, at.mocap_quat + 4 * _NUMBER * record.mocap, 0)
        else:
            pos_at = at.qpos + _NUMBER * record.qpos
            self._base_at = (pos_at, pos_at + 3 * _NUMBER, at.qvel + _NUMBER * record.dof)
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

    # --- joint states --------------------------------------------------------------------------

    def joint_coordinates(self) -> tuple[list[float], list[float]]:
        """Positions and velocities by joint: 0 of a fixed joint, the first of several coordinates.

        The lists are made once a state and shared by all calls.
        """
        world = self.world()
        if self._state_version != world.version:
            self._read_coordinates(world)
        return self._positions, self._velocities

    def coordinates_of(self, joint: int) -> tuple[int, int]:
        """Where the position and velocity of a joint are among those of the world; -1: fixed."""
        q, v = self._q_of_joint[joint], self._v_of_joint[joint]
        return (q + self.record.qpos, v + self.record.dof) if q >= 0 else (-1, -1)

    def _read_coordinates(self, world: World) -> None:
        record = self.record
        qpos = self._qpos_struct.unpack_from(world.qpos, _NUMBER * max(record.qpos, 0))
        qvel = self._qvel_struct.unpack_from(world.qvel, _NUMBER * max(record.dof, 0))
        self._positions = [qpos[i] if i >= 0 else 0.0 for i in self._q_of_joint]
        self._velocities = [qvel[i] if i >= 0 else 0.0 for i in self._v_of_joint]
        self._state_version = world.version

    def applied_torques(self) -> list[float]:
        """Motor force of each joint in the last step [N or Nm]; 0 without a motor."""
        world = self.world()
        if self._torque_version != world.version:
            self._applied = self._read_torques(world)
            self._torque_version = world.version
        return self._applied

    def _read_torques(self, world: World) -> list[float]:
        force = world.constraint_forces()
        count = len(force)
        start = self._drive_start + _NUMBER * t.D_ROW
        share = 1.0 / self.client.impulse_scale  # PyBullet tells the impulse of the last substep
        torques: list[float] = []
        for drive in self.drive_of_joint:
            row = -1
            if drive >= 0 and count:
                row = int(_DOUBLE.unpack_from(world.userdata, start + drive * _DRIVE_BYTES)[0])
            torques.append(force[row] * share if 0 <= row < count else 0.0)
        return torques

    def set_joint(self, joint: int, position: float, velocity: float) -> None:
        """Put a joint with one degree of freedom to a position and velocity."""
        world = self.world()
        record = self.record.joints[joint + 1]
        if record.nv == 1:
            _DOUBLE.pack_into(world.qpos, _NUMBER * record.qpos, position)
            _DOUBLE.pack_into(world.qvel, _NUMBER * record.dof, velocity)
            world.version += 1
        self._placed = world.steps

    def set_drive(
        self,
        joint: int,
        mode: int,
        kp: float,
        kd: float,
        position: float,
        velocity: float,
        limit: float,
        speed_limit: float | None,
    ) -> None:
        """Set the motor of a joint; it acts from the next step on. None keeps the speed limit."""
        drive = self.drive_of_joint[joint]
        if drive < 0:
            return
        scene = self.scene
        world = scene.running
        if scene.stale or world is None or world.generation != self._generation:
            world = self.world()
        start = self._drive_start + drive * _DRIVE_BYTES
        try:
            bound = limit * self.client.impulse_scale
            numbers = _DRIVE.pack(mode, kp, kd, position, velocity, bound)
        except (struct.error, TypeError):
            for value in (kp, kd, position, velocity, limit):
                real(value)  # says which is no number
            raise
        world.userdata[start : start + _DRIVE.size] = numbers
        self.plans.forget(drive)
        if speed_limit is not None:
            _DOUBLE.pack_into(world.userdata, start + _NUMBER * t.D_SPEED_LIMIT, speed_limit)

    def renew_targets(
        self,
        settings: tuple[Any, ...],
        positions: Sequence[float] | None,
        velocities: Sequence[float] | None,
    ) -> bool:
        """Renew the targets of motors whose other numbers stay as they were.

        ``settings`` stands for those other numbers. False, and nothing written, if they differ
        from an earlier call's, or one of the motors was set in between, or for unusual types.
        """
        plan = self.plans.with_settings(settings)
        if plan is None:
            return False
        self.world()
        if positions is None or plan.mode == c.VELOCITY_CONTROL:
            positions = plan.zeros
        if velocities is None:
            velocities = plan.zeros
        return self._compiled.write_targets(
            self._drives_at, plan.address, len(plan.zeros), positions, velocities
        )

    def remember_motors(
        self, joints: tuple[int, ...], settings: tuple[Any, ...], mode: int
    ) -> None:
        """Let ``renew_targets`` renew what was just set with ``set_drive``, joint by joint."""
        drives = [self.drive_of_joint[joint] for joint in joints]
        if min(drives, default=-1) < 0:
            return
        offsets = [drive * _DRIVE_BYTES + _NUMBER * t.D_POSITION for drive in drives]
        limits = [self.limits[joint] if mode == c.POSITION_CONTROL else (1, -1) for joint in joints]
        self.plans.remember(TargetPlan(settings, mode, drives, offsets, limits))

    def add_torques(self, joints: Any, torques: Any) -> bool:
        """Add forces to joints that ``remember_torques`` was told of, for the next step [N or Nm].

        False, and nothing done, for other joints and unusual types.
        """
        plan = self.plans.with_joints(joints)
        if plan is None:
            return False
        self.world()
        forces_at = self._at.qfrc_applied + _NUMBER * self.record.dof
        if not self._compiled.add_torques(forces_at, plan.address, plan.count, torques):
            return False
        self.client.forces_applied = True
        return True

    def remember_torques(self, joints: tuple[int, ...], given: Any) -> None:
        """Let ``add_torques`` know joints by the argument they were given in."""
        records = [self.record.joints[joint + 1] for joint in joints]
        if records and all(joint.nv == 1 for joint in records):
            first = self.record.dof
            self.plans.torques = TorquePlan(given, [joint.dof - first for joint in records])

    def add_torque(self, joint: int, torque: float) -> None:
        """Add a joint force for the next step [N or Nm]."""
        world = self.world()
        record = self.record.joints[joint + 1]
        if record.nv == 1:
            place = _NUMBER * record.dof
            (present,) = _DOUBLE.unpack_from(world.qfrc_applied, place)
            _DOUBLE.pack_into(world.qfrc_applied, place, present + torque)
            self.client.forces_applied = True

    def add_force(self, link: int, force: Any, point: Any, frame: int) -> bool:
        """Add a force at a point to a link, in the LINK_FRAME of its inertial frame or the world.

        A point of None: a torque. False, and nothing done, for unknown links and frames and numbers
        of unusual types.
        """
        scene = self.scene
        world = scene.running
        if scene.stale or world is None or world.generation != self._generation:
            world = self.world()
        if world.kinematics_version != world.version:
            world.kinematics()
        key = (link, frame, point is None)
        push = self._pushes.get(key) or self._make_push(*key)
        if push is None or not push(force, _CENTRE if point is None else point):
            return False
        self.client.forces_applied = True
        return True

    def _make_push(self, link: int, frame: int, turns: bool) -> Callable[..., Any] | None:
        if not -1 <= link < self.joint_count or frame not in _FRAMES:
            return None
        at, state = self._at, self.record.links[link + 1]
        push = self._pushes[link, frame, turns] = functools.partial(
            self._compiled.add_force,
            at.xfrc_applied + 6 * _NUMBER * state.body,
            at.xipos + 3 * _NUMBER * state.body,
            at.xquat + 4 * _NUMBER * state.body,
            state.com.quat,
            (1 if frame == c.LINK_FRAME else 0) + (2 if turns else 0),
        )
        return push

    # --- base ----------------------------------------------------------------------------------

    def base_link_pose(self) -> Pose:
        """``T_world_base`` of the link frame."""
        world = self.world()
        record = self.record
        if record.mocap >= 0:
            pos = _VECTOR.unpack_from(world.mocap_pos, 3 * _NUMBER * record.mocap)
            return Pose(pos, _QUAT.unpack_from(world.mocap_quat, 4 * _NUMBER * record.mocap))
        numbers = _POSE.unpack_from(world.qpos, _NUMBER * record.qpos)
        return Pose(numbers[:3], numbers[3:])

    def base_com_pose(self) -> Pose:
        """``T_world_com`` of the base."""
        pose = self.base_link_pose()
        return pose if self._free_com is None else com_pose(pose, self._free_com)

    def base_position_and_orientation(self) -> tuple[Vec3, Quat]:
        """Position of the base's centre of mass and (x, y, z, w), made once a state."""
        scene = self.scene
        world = scene.running
        if scene.stale or world is None or world.version != self._base_version:
            world = self.world()
            pose = None
            if self._free_com is None:
                pose = self._compiled.read_pose(self._base_at[0], self._base_at[1])
            if pose is None:
                pos, quat = self.base_com_pose()
                pose = pos, signed_xyzw(quat)
            self._base_pose = pose
            self._base_version = world.version
        return self._base_pose

    def place_base(self, pos: Any, quat: Any) -> bool:
        """Put the base's centre of mass to a pose, (x, y, z, w) of any length, at rest.

        False, and nothing done, if the numbers come in another form than most scripts' do.
        """
        scene = self.scene
        world = scene.running
        if scene.stale or world is None or world.generation != self._generation:
            world = self.world()
        if self._free_com is not None or self.client.moving_bases is not None:
            return False
        if self._compiled.place_base(*self._base_at, pos, quat):
            world.version += 1
            self._placed = world.steps
            return True
        return False

    def set_base_com_pose(self, pos: Vec3, quat: Quat) -> None:
        """Put the base's centre of mass to a pose, (w, x, y, z), at rest as PyBullet does."""
        if self.record.mocap >= 0:
            moving_bases.set_velocity(self, _CENTRE, _CENTRE)
        self.move_base(pos, quat)

    def move_base(self, pos: Vec3, quat: Quat) -> None:
        """Put the base's centre of mass to a pose, (w, x, y, z); one that is not fixed to rest."""
        world = self.world()
        if self._free_com is not None:
            pos, quat = link_pose(Pose(pos, quat), self._free_com)
        record = self.record
        if record.mocap >= 0:
            _VECTOR.pack_into(world.mocap_pos, 3 * _NUMBER * record.mocap, *pos)
            _QUAT.pack_into(world.mocap_quat, 4 * _NUMBER * record.mocap, *quat)
        else:
            _POSE.pack_into(world.qpos, _NUMBER * record.qpos, *pos, *quat)
            _TWIST.pack_into(world.qvel, _NUMBER * record.dof, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        world.version += 1
        self._placed = world.steps

    def base_velocity(self) -> tuple[Vec3, Vec3]:
        """Linear velocity of the base's centre of mass and angular velocity, world frame."""
        world = self.world()
        record = self.record
        if record.mocap >= 0:
            return moving_bases.velocity_of(self)
        if self._free_com is None:
            found = self._compiled.read_velocity(self._base_at[1], self._base_at[2])
            if found is not None:
                return found
        qvel = _TWIST.unpack_from(world.qvel, _NUMBER * record.dof)
        quat = _QUAT.unpack_from(world.qpos, _NUMBER * (record.qpos + 3))
        linear, angular = qvel[:3], quat_rotate(quat, qvel[3:])
        if self._free_com is not None:
            r = quat_rotate(quat, self._free_com.pos)
            linear = add_cross(linear, angular, r, 1.0)
        return linear, angular

    def write_base_velocity(self, linear: Any, angular: Any) -> bool:
        """Set both velocities of a free base; False, and nothing done, as in `place_base`."""
        world = self.world()
        _, quat_at, twist_at = self._base_at
        if not twist_at or self._free_com is not None:
            return False
        if not self._compiled.write_velocity(quat_at, twist_at, linear, angular):
            return False
        world.version += 1
        self._placed = world.steps
        return True

    def set_base_velocity(self, linear: Vec3 | None, angular: Vec3 | None) -> None:
        """Set velocities of the base (world frame, at the centre of mass); None keeps one."""
        world = self.world()
        record = self.record
        self._placed = world.steps
        if record.mocap >= 0:
            moving_bases.set_velocity(self, linear, angular)
            return
        old_linear, old_angular = self.base_velocity()
        linear = old_linear if linear is None else linear
        angular = old_angular if angular is None else angular
        quat = _QUAT.unpack_from(world.qpos, _NUMBER * (record.qpos + 3))
        if self._free_com is not None:
            r = quat_rotate(quat, self._free_com.pos)
            linear = add_cross(linear, angular, r, -1.0)
        angular = rotate_back(quat, angular)
        _TWIST.pack_into(world.qvel, _NUMBER * record.dof, *linear, *angular)
        world.version += 1

    # --- links ---------------------------------------------------------------------------------

    def link_com_pose(self, link: int) -> tuple[Vec3, Quat]:
        """Position and (w, x, y, z) orientation of a link's inertial frame in the world."""
        world = self.world()
        world.kinematics()
        state = self.record.links[link + 1]
        pos = _VECTOR.unpack_from(world.xipos, 3 * _NUMBER * state.body)
        quat = _QUAT.unpack_from(world.xquat, 4 * _NUMBER * state.body)
        turn = state.com.quat
        return pos, quat if turn == IDENTITY.quat else quat_multiply(quat, turn)

    def link_velocity(self, link: int) -> tuple[Vec3, Vec3]:
        """Linear velocity of a link's centre of mass and angular velocity, world frame."""
        return link_velocity(self.world(), self.record, link)

    def links_placed(self) -> None:
        """Say that the links' poses are to be those of the present coordinates, until a step.

        PyBullet's link states show where a step began, not where it ended, until the body is
        put somewhere or the forward kinematics are asked for.
        """
        world = self.scene.running
        if world is not None:
            self._placed = world.steps

    def link_state(self, link: int, velocity: bool, forward: bool) -> tuple[Any, ...]:
        """GetLinkState's tuple, made once a state; ``forward`` places the links first."""
        scene = self.scene
        world = scene.running
        if scene.stale or world is None or world.version != self._link_version:
            self._link_states.clear()
            world = self.world()
            self._link_version = world.version
        if forward:
            self._placed = world.steps
        key = (link, velocity, self._placed != world.steps != world.placed)
        found = self._link_states.get(key)
        if found is None:
            found = self._link_states[key] = link_state(world, self.record, *key)
        return found

    def box(self, link: int) -> tuple[Vec3, Vec3]:
        """GetAABB's corners, made once a state."""
        scene = self.scene
        world = scene.running
        if scene.stale or world is None or world.version != self._boxes_version:
            self._boxes.clear()
            world = self.world()
            self._boxes_version = world.version
        found = self._boxes.get(link)
        if found is None:
            found = self._boxes[link] = self._read_box(world, link)
        return found

    def _read_box(self, world: World, link: int) -> tuple[Vec3, Vec3]:
        known = self._box_readers.get(link)
        if known is None or known[0] != self.inertias_version:
            reader = BoxReader(world, self.record, link + 1)
            known = self._box_readers[link] = self.inertias_version, reader
        if world.kinematics_version != world.version:
            world.kinematics()
        return known[1].read()
