"""A body as PyBullet's functions see it: joint numbers, cached states, addresses in the world."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unibody.bullet import constants as c
from unibody.bullet.arguments.finite import finite, no_nan
from unibody.bullet.arguments.vectors import real
from unibody.bullet.convert import IDENTITY
from unibody.bullet.handles.link_states import link_state, link_velocity
from unibody.bullet.handles.motor_plans import TargetPlan, TorquePlan, motor_rows
from unibody.bullet.handles.numbered_body import DRIVE_BYTES, NUMBER
from unibody.bullet.handles.placed_body import PlacedBody
from unibody.core.assets.description import Asset, Quat, Vec3
from unibody.core.assets.transforms import quat_multiply
from unibody.core.engine.queries.bounds import BoxReader
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord

if TYPE_CHECKING:
    from unibody.bullet.state.client_state import ClientState
    from unibody.core.engine.world.world import World

_DRIVE = struct.Struct("=6d")  # all but the speed limit
_VECTOR = struct.Struct("=3d")
_DOUBLE = struct.Struct("=d")
_QUAT = struct.Struct("=4d")
_REST = {1: (0.0,), 4: (0.0, 0.0, 0.0)}  # velocities, by numbers of the position
_TOLD = ("positionGain", "velocityGain", "targetPosition", "targetVelocity")


class Body(PlacedBody):
    """One body of a client.

    Attributes:
        retained_torques: By joint, the last force of a motor that may exert none any more: PyBullet
            goes on to report it.
    """

    __slots__ = (
        "_applied",
        "_box_readers",
        "_boxes",
        "_boxes_version",
        "_link_states",
        "_link_version",
        "_positions",
        "_state_version",
        "_torque_version",
        "_velocities",
        "retained_torques",
    )

    def __init__(
        self, client: ClientState, record: BodyRecord, asset: Asset, flags: int = 0
    ) -> None:
        super().__init__(client, record, asset, flags)
        self._state_version = -1
        self._torque_version = -1
        self._positions: list[float] = []
        self._velocities: list[float] = []
        self._applied: list[float] = []
        self.retained_torques: dict[int, float] = {}
        self._boxes_version = -1
        self._boxes: dict[int, tuple[Vec3, Vec3]] = {}
        self._box_readers: dict[int, tuple[int, BoxReader]] = {}
        self._link_version = -1
        self._link_states: dict[tuple[int, bool, bool], Any] = {}

    def _find_addresses(self, world: World) -> None:
        super()._find_addresses(world)
        self._box_readers.clear()
        self.plans.rows_at = 0

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
        qpos = self._qpos_struct.unpack_from(world.qpos, NUMBER * max(record.qpos, 0))
        qvel = self._qvel_struct.unpack_from(world.qvel, NUMBER * max(record.dof, 0))
        self._positions = [qpos[i] if i >= 0 else 0.0 for i in self._q_of_joint]
        self._velocities = [qvel[i] if i >= 0 else 0.0 for i in self._v_of_joint]
        self._state_version = world.version

    def applied_torques(self) -> list[float]:
        """Motor force of each joint in the last step [N or Nm]; 0 without a motor.

        Of a motor that has no force any more, that of the last step in which it had one.
        """
        world = self.world()
        if self._torque_version != world.version:
            self._applied = self._read_torques(world)
            self._torque_version = world.version
        return self._applied

    def _read_torques(self, world: World) -> list[float]:
        force = world.constraint_forces()
        count = len(force)
        start = self._drive_start + NUMBER * t.D_ROW
        share = 1.0 / self.client.impulse_scale  # PyBullet tells the impulse of the last substep
        torques: list[float] = []
        for joint, drive in enumerate(self.drive_of_joint):
            row = -1
            if drive >= 0 and count:
                row = int(_DOUBLE.unpack_from(world.userdata, start + drive * DRIVE_BYTES)[0])
            torque = force[row] * share if 0 <= row < count else 0.0
            torques.append(torque or self.retained_torques.get(joint, 0.0))
        return torques

    def _retain_torque(self, world: World, joint: int, drive: int, limit: float) -> None:
        """Note what a motor did last that gets no force from now on, or forget it."""
        if limit:
            self.retained_torques.pop(joint, None)
            return
        start = self._drive_start + drive * DRIVE_BYTES
        (before,) = _DOUBLE.unpack_from(world.userdata, start + NUMBER * t.D_LIMIT)
        torque = self.applied_torques()[joint] if before else 0.0
        if torque:
            self.retained_torques[joint] = torque

    def set_joint(self, joint: int, position: float, velocity: float) -> None:
        """Put a joint with one degree of freedom to a position and velocity."""
        world = self.world()
        record = self.record.joints[joint + 1]
        if record.nv == 1:
            _DOUBLE.pack_into(world.qpos, NUMBER * record.qpos, position)
            _DOUBLE.pack_into(world.qvel, NUMBER * record.dof, velocity)
            world.version += 1
        self._placed = world.steps

    def place_joint(self, joint: int, position: Any, velocity: Any) -> bool:
        """Put a joint with one axis, or a spherical one, to a position and velocity.

        They are sequences, of one number each or a quaternion (x, y, z, w) and three; a velocity of
        None brings the joint to rest. False, and nothing done, for other joints and forms.
        """
        record = self.record.joints[joint + 1]
        rest = _REST.get(record.nq)
        if rest is None:
            return False
        world, at, axes = self.world(), self._at, self.record.links[joint + 1].com.quat
        place, speed = at.qpos + NUMBER * record.qpos, at.qvel + NUMBER * record.dof
        velocity = rest if velocity is None else velocity
        if not self._compiled.place_joint(place, speed, record.nq, axes, position, velocity):
            return False
        world.version += 1
        self._placed = world.steps
        return True

    def tell_motor(
        self,
        joint: int,
        mode: int,
        position: float,
        velocity: float,
        force: float,
        kp: float,
        kd: float,
        speed_limit: float,
    ) -> Any:
        """Do what setJointMotorControl2 is told, or return NotImplemented and do nothing."""
        scene, plans = self.scene, self.plans
        world = scene.running
        if scene.stale or world is None or world.generation != self._generation:
            self.world()
        at = plans.rows_at or self._plan_motors()
        told = self._compiled.tell_motor(
            at, joint, mode, position, velocity, force, kp, kd, speed_limit
        )
        if told is True:
            if plans.targets:
                plans.forget(self.drive_of_joint[joint])
            if self.retained_torques and force:
                self.retained_torques.pop(joint, None)
        elif told is None:
            return NotImplemented
        else:
            self.client.forces_applied = True
        return None

    def _plan_motors(self) -> int:
        """Address of the rows of the joints, see `motor_rows`."""
        drives_at, forces_at = [], []
        for joint, drive in zip(self.record.joints[1:], self.drive_of_joint, strict=True):
            single = drive >= 0 and joint.nv == 1
            drives_at.append(self._drives_at + drive * DRIVE_BYTES if single else 0)
            forces_at.append(self._at.qfrc_applied + NUMBER * joint.dof if single else 0)
        rows = motor_rows(self.limits, drives_at, forces_at, self.client.impulse_scale)
        self.plans.rows, self.plans.rows_at = rows, int(rows.ctypes.data)
        return self.plans.rows_at

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
        if not limit or self.retained_torques:
            self._retain_torque(world, joint, drive, limit)
        at = self._drives_at + drive * DRIVE_BYTES
        scale = self.client.impulse_scale
        if not self._compiled.set_drive(at, mode, kp, kd, position, velocity, limit, scale):
            self._write_drive(world, drive, (mode, kp, kd, position, velocity), limit)
        if self.plans.targets:
            self.plans.forget(drive)
        if speed_limit is not None:
            start = self._drive_start + drive * DRIVE_BYTES
            _DOUBLE.pack_into(world.userdata, start + NUMBER * t.D_SPEED_LIMIT, speed_limit)

    def _write_drive(
        self, world: World, drive: int, numbers: tuple[float, ...], limit: float
    ) -> None:
        """Set a motor to numbers of any types."""
        start = self._drive_start + drive * DRIVE_BYTES
        try:
            bound = limit * self.client.impulse_scale
            packed = _DRIVE.pack(*numbers, bound)
            for name, value in zip(_TOLD, numbers[1:], strict=True):
                finite(name, value)
            no_nan("force", limit)
        except (struct.error, TypeError):
            for value in (*numbers, limit):
                real(value)  # says which is no number
            raise
        world.userdata[start : start + _DRIVE.size] = packed

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
        offsets = [drive * DRIVE_BYTES + NUMBER * t.D_POSITION for drive in drives]
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
        forces_at = self._at.qfrc_applied + NUMBER * self.record.dof
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
        finite("force", torque)
        world = self.world()
        record = self.record.joints[joint + 1]
        if record.nv == 1:
            place = NUMBER * record.dof
            (present,) = _DOUBLE.unpack_from(world.qfrc_applied, place)
            _DOUBLE.pack_into(world.qfrc_applied, place, present + torque)
            self.client.forces_applied = True

    # --- links ---------------------------------------------------------------------------------

    def pushed_pose(self, link: int) -> tuple[Vec3, Quat]:
        """Inertial frame that forces on a link count in: position, (w, x, y, z), in the world."""
        world = self.world()
        if link >= 0 and self._placed != world.steps:
            _, xquat, xipos = world.earlier_poses()
        else:
            world.kinematics()
            xquat, xipos = world.xquat, world.xipos
        state = self.record.links[link + 1]
        pos = _VECTOR.unpack_from(xipos, 3 * NUMBER * state.body)
        quat = _QUAT.unpack_from(xquat, 4 * NUMBER * state.body)
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
        key = (link, velocity, self._links_lag(world))
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
