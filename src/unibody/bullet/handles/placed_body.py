"""A body with the state of its base: pose, velocity, and the forces on it and its links."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.bullet.calls.compiled_states import PUSH_ROW
from unibody.bullet.convert import (
    add_cross,
    com_pose,
    link_pose,
    rotate_back,
    signed_xyzw,
)
from unibody.bullet.handles import moving_bases
from unibody.bullet.handles.numbered_body import NUMBER, NumberedBody
from unibody.core.assets.description import Asset, Pose, Quat, Vec3
from unibody.core.assets.transforms import quat_rotate
from unibody.core.engine.records.body import BodyRecord

if TYPE_CHECKING:
    from unibody.bullet.state.client_state import ClientState
    from unibody.core.engine.world.world import World

_POSE = struct.Struct("=7d")
_TWIST = struct.Struct("=6d")
_VECTOR = struct.Struct("=3d")
_QUAT = struct.Struct("=4d")
_CENTRE = (0.0, 0.0, 0.0)


class PlacedBody(NumberedBody):
    """What of a body has to do with where its base is, and with pushing it."""

    __slots__ = (
        "_base_pose",
        "_base_version",
        "_placed",
        "_pushes",
        "_pushes_at",
    )

    def __init__(
        self, client: ClientState, record: BodyRecord, asset: Asset, flags: int = 0
    ) -> None:
        super().__init__(client, record, asset, flags)
        self._base_version = -1
        self._base_pose: Any = None
        self._pushes: Any = None  # see _plan_pushes
        self._pushes_at = 0
        running = self.scene.running
        self._placed = running.steps if running is not None else 0  # see links_placed

    def _find_addresses(self, world: World) -> None:
        super()._find_addresses(world)
        self._pushes_at = 0

    # --- base ----------------------------------------------------------------------------------

    def base_link_pose(self) -> Pose:
        """``T_world_base`` of the link frame."""
        world = self.world()
        record = self.record
        if record.mocap >= 0:
            pos = _VECTOR.unpack_from(world.mocap_pos, 3 * NUMBER * record.mocap)
            return Pose(pos, _QUAT.unpack_from(world.mocap_quat, 4 * NUMBER * record.mocap))
        numbers = _POSE.unpack_from(world.qpos, NUMBER * record.qpos)
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
            pose = self._compiled.read_pose(self._base_at)
            if pose is None:
                pos, quat = self.base_com_pose()
                pose = pos, signed_xyzw(quat)
            self._base_pose = pose
            self._base_version = world.version
        return self._base_pose

    def place_base(self, pos: Any, quat: Any) -> Any:
        """Put the base's centre of mass to a pose, (x, y, z, w) of any length, at rest.

        NotImplemented, and nothing done, if the numbers come in another form than most scripts' do.
        """
        scene = self.scene
        world = scene.running
        if scene.stale or world is None or world.generation != self._generation:
            world = self.world()
        if self.client.moving_bases is not None:
            return NotImplemented
        if not self._compiled.place_base(self._base_at, pos, quat):
            return NotImplemented
        world.version += 1
        self._placed = world.steps
        return None

    def set_base_com_pose(self, pos: Vec3, quat: Quat) -> None:
        """Put the base's centre of mass to a pose, (w, x, y, z), at rest as PyBullet does."""
        if self.record.mocap >= 0:
            moving_bases.set_velocity(self.client, self.id, _CENTRE, _CENTRE)
        self.move_base(pos, quat)

    def move_base(self, pos: Vec3, quat: Quat) -> None:
        """Put the base's centre of mass to a pose, (w, x, y, z); one that is not fixed to rest."""
        world = self.world()
        if self._free_com is not None:
            pos, quat = link_pose(Pose(pos, quat), self._free_com)
        record = self.record
        if record.mocap >= 0:
            _VECTOR.pack_into(world.mocap_pos, 3 * NUMBER * record.mocap, *pos)
            _QUAT.pack_into(world.mocap_quat, 4 * NUMBER * record.mocap, *quat)
        else:
            _POSE.pack_into(world.qpos, NUMBER * record.qpos, *pos, *quat)
            _TWIST.pack_into(world.qvel, NUMBER * record.dof, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        world.version += 1
        self._placed = world.steps

    def base_velocity(self) -> tuple[Vec3, Vec3]:
        """Linear velocity of the base's centre of mass and angular velocity, world frame."""
        world = self.world()
        record = self.record
        if record.mocap >= 0:
            return moving_bases.velocity_of(self.client, self.id)
        if self._free_com is None:
            found = self._compiled.read_velocity(self._base_at)
            if found is not None:
                return found
        qvel = _TWIST.unpack_from(world.qvel, NUMBER * record.dof)
        quat = _QUAT.unpack_from(world.qpos, NUMBER * (record.qpos + 3))
        linear, angular = qvel[:3], quat_rotate(quat, qvel[3:])
        if self._free_com is not None:
            r = quat_rotate(quat, self._free_com.pos)
            linear = add_cross(linear, angular, r, 1.0)
        return linear, angular

    def write_base_velocity(self, linear: Any, angular: Any) -> Any:
        """Set velocities of a free base, but one of None; see `place_base`."""
        world = self.world()
        if self.record.mocap >= 0 or self._free_com is not None:
            return NotImplemented
        if not self._compiled.write_velocity(self._base_at, linear, angular):
            return NotImplemented
        world.version += 1
        self._placed = world.steps
        return None

    def set_base_velocity(self, linear: Vec3 | None, angular: Vec3 | None) -> None:
        """Set velocities of the base (world frame, at the centre of mass); None keeps one."""
        world = self.world()
        record = self.record
        self._placed = world.steps
        if record.mocap >= 0:
            moving_bases.set_velocity(self.client, self.id, linear, angular)
            return
        old_linear, old_angular = self.base_velocity()
        linear = old_linear if linear is None else linear
        angular = old_angular if angular is None else angular
        quat = _QUAT.unpack_from(world.qpos, NUMBER * (record.qpos + 3))
        if self._free_com is not None:
            r = quat_rotate(quat, self._free_com.pos)
            linear = add_cross(linear, angular, r, -1.0)
        angular = rotate_back(quat, angular)
        _TWIST.pack_into(world.qvel, NUMBER * record.dof, *linear, *angular)
        world.version += 1

    # --- forces --------------------------------------------------------------------------------

    def _links_lag(self, world: World) -> bool:
        """Whether PyBullet's links are still where the last step began; its bases never are."""
        return self._placed != world.steps != world.placed

    @property
    def placed_now(self) -> bool:
        """Whether it was put somewhere since the last step; forces on its links know about it."""
        world = self.scene.running
        return world is not None and self._placed == world.steps

    def set_placed(self, step: int) -> None:
        """Say after which step it was put somewhere; -1: after none that counts."""
        self._placed = step

    def add_force(self, link: int, force: Any, point: Any, frame: int) -> Any:
        """Add a force at a point to a link, in the LINK_FRAME of its inertial frame or the world.

        NotImplemented, and nothing done, for unknown links and frames and numbers of unusual types.
        """
        at = self._pushes_for(link)
        if not at or not self._compiled.add_force(at, link, force, point, frame):
            return NotImplemented
        self.client.forces_applied = True
        return None

    def add_link_torque(self, link: int, torque: Any, frame: int) -> Any:
        """Add a torque to a link; see `add_force`."""
        at = self._pushes_for(link)
        if not at or not self._compiled.add_torque(at, link, torque, frame):
            return NotImplemented
        self.client.forces_applied = True
        return None

    def _pushes_for(self, link: int) -> int:
        """Address of the links, where they are for a push of one of them; 0: not in the world."""
        scene = self.scene
        world = scene.running
        if scene.stale or world is None or world.generation != self._generation:
            world = self.world()
        if link >= 0 and self._placed != world.steps:
            if not world.shows_earlier:
                return 0
        elif world.kinematics_version != world.version:
            world.kinematics()
        return self._pushes_at or self._plan_pushes()

    def _plan_pushes(self) -> int:
        """Address of where the compiled functions find the links; see ``compiled_states``.

        A row with their number but for the base, and one for each link: addresses of its wrench,
        mass centre and orientation, and the orientation of the inertial frame in it.
        """
        at, links = self._at, self.record.links
        plan = self._pushes = np.zeros((1 + len(links), PUSH_ROW // NUMBER))
        words = plan.view(np.int64)
        words[0, 0] = self.joint_count
        for row, state in enumerate(links, start=1):
            words[row, 0] = at.xfrc_applied + 6 * NUMBER * state.body
            words[row, 1] = at.xipos + 3 * NUMBER * state.body
            words[row, 2] = at.xquat + 4 * NUMBER * state.body
            plan[row, 4:] = state.com.quat
        self._pushes_at = int(plan.ctypes.data)
        return self._pushes_at
