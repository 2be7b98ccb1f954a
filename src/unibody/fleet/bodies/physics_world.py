"""The border between the arrays of the fleet and the worlds of the engine.

A body gets its number at once and goes into the scene when somebody looks there: the engine,
because it has to step, or another surface. Objects that the engine does not move are written to
the scene from the arrays at that moment; objects that it moves are read back after it did.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Asset
from unibody.core.assets.description import Pose as EnginePose
from unibody.core.engine.records import rule_table as rules
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.records.dialects import BULLET_FLEET
from unibody.core.engine.records.options import (
    BodyOptions,
    DriveDefaults,
)
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.scene.sessions import Session, close_session, find_session, open_session
from unibody.core.engine.spec.constraint import ConstraintKind
from unibody.core.engine.world.world import World
from unibody.errors import InvalidArgumentError
from unibody.fleet.bodies.assets import DAMPING, FRICTION, MASK_STATIC, MOTOR_IMPULSE, centred
from unibody.fleet.bodies.tables import Tables
from unibody.fleet.bodies.templates import BodyTemplate, template_of
from unibody.fleet.convert import pose_inverse, pose_product, to_engine
from unibody.fleet.spatial.debug_drawing import DebugDrawings
from unibody.fleet.spatial.heading_kernels import through_bullet
from unibody.fleet.spatial.pose_checks import check_pose

_CONSTRAINT_FORCE = 500.0  # N: of Bullet's constraints between bodies
_UNLIMITED = np.inf
_Waiting = tuple[Asset, EnginePose, bool, float]
"""A body, where it appears, whether it is fixed, and the length of a step [s]."""
_physics_worlds: weakref.WeakKeyDictionary[Session, weakref.ref[PhysicsWorld]] = (
    weakref.WeakKeyDictionary()
)
"""A session keeps its physics_world alive, by what it calls before others look at it."""


class PhysicsWorld:
    """The bodies of one session that fleet objects stand for.

    Attributes:
        session: The session.
        tables: The arrays of the objects.
        rows: Row of each body that a fleet object stands for, by the body's number.
        waiting: Bodies that are not in the scene yet.
        drawings: Lines and texts in the scene.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.tables: Tables = Tables()
        self.rows: dict[int, int] = {}
        self._templates: dict[int, BodyTemplate] = {}
        self.waiting: dict[int, _Waiting] = {}
        self._kinematic_joints: set[int] = set()
        self._held: tuple[NDArray[np.int64], ...] | None = None
        self._held_at = -1
        self._halted: set[int] = set()
        self.colors: dict[int, tuple[float, ...]] = {}
        self._resets = session.resets
        self._seen = (-1, -1)
        self._refreshing = False
        self.drawings: DebugDrawings = DebugDrawings()
        self.holding = False  # in the middle of a step: others see the world as it was before
        session.watch(self.refresh)

    # --- bodies --------------------------------------------------------------------------------

    def add(self, asset: Asset, pos: Any, quat: Any, *, fixed: bool) -> int:
        """Take in a body whose base link's frame is at a pose, and return its number.

        Raises:
            InvalidArgumentError: A number is not finite, or the quaternion is all zeros.
        """
        check_pose("pose", pos, quat)
        self._notice_reset()
        step = self.session.time_step
        body_id = self.session.body_ids.take()
        self.waiting[body_id] = (asset, to_engine(pos, quat), fixed, step)
        self._templates[body_id] = template_of(asset)
        return body_id

    def add_like(self, body_id: int, positions: NDArray[np.float64]) -> list[int]:
        """Take in bodies like one that waits, turned as it; their numbers.

        Args:
            body_id: Of the one that waits.
            positions: Where they appear, (n, 3) [m].
        """
        asset, like, fixed, step = self.waiting[body_id]
        quat, count = like.quat, len(positions)
        numbers = [self.session.body_ids.take() for _ in range(count)]
        poses = [EnginePose(each, quat) for each in map(tuple, positions.tolist())]
        self.waiting.update(
            (n, (asset, p, fixed, step)) for n, p in zip(numbers, poses, strict=True)
        )
        self._templates.update(dict.fromkeys(numbers, self._templates[body_id]))
        return numbers

    def bind_like(self, first: int, numbers: Sequence[int], rows: NDArray[np.int64]) -> None:
        """Let rows that are written stand for bodies that were added like a first one."""
        self.rows.update(zip(numbers, rows.tolist(), strict=True))
        if first in self._kinematic_joints:
            self._kinematic_joints.update(numbers)

    def template(self, body_id: int) -> BodyTemplate:
        """The template of a body.

        Raises:
            InvalidArgumentError: There is no such body.
        """
        self._notice_reset()
        template = self._templates.get(body_id)
        if template is None or self._foreign(body_id, template):
            asset = self.session.assets.get(body_id)
            if asset is None:
                allowed = f"one of {sorted({*self._templates, *self.session.assets})}"
                raise InvalidArgumentError("body_id", body_id, allowed)
            template = self._templates[body_id] = template_of(asset)
        return template

    def _foreign(self, body_id: int, template: BodyTemplate) -> bool:
        """Whether another body has taken the number since."""
        if body_id in self.waiting:
            return False
        return self.session.assets.get(body_id) is not template.asset

    def bind(self, body_id: int, row: int) -> None:
        """Let a row stand for a body."""
        template = self.template(body_id)
        self.rows[body_id] = row
        self._held = None
        body = self.tables.bodies.data[row]
        body["body"] = body_id
        body["template"] = template.row
        body["com"][:3], body["com"][3:] = template.com
        body["joint"] = self.tables.joints.take(template.joint_count)
        body["stale"] = 1
        if body_id in self.waiting:
            (x, y, z), (w, a, b, c) = self.waiting[body_id][1]
            pos, quat = pose_product((x, y, z), (a, b, c, w), *template.com)
            body["pos"], body["quat"] = pos, through_bullet(quat)
        else:
            self._read_one(body_id, row)

    def remove(self, body_id: int) -> None:
        """Take a body out of the world; an unknown one is no error."""
        self._notice_reset()
        row = self.rows.pop(body_id, None)
        template = self._templates.pop(body_id, None)
        if row is not None and template is not None:
            first = int(self.tables.bodies.data["joint"][row])
            self.tables.joints.give_back(first, template.joint_count)
        self._kinematic_joints.discard(body_id)
        self._held = None
        if body_id in self.waiting:
            del self.waiting[body_id]
            self.session.body_ids.give_back(body_id)
        elif body_id in self.session.assets:
            self.session.scene.remove(body_id)
            self.session.forget(body_id)
            self.session.body_ids.give_back(body_id)

    def has(self, body_id: int) -> bool:
        """Whether a body is there."""
        self._notice_reset()
        return body_id in self.waiting or body_id in self.session.assets

    def clear(self) -> None:
        """Start over with an empty world."""
        scene = Scene(self.session.scene.options)
        self.session.replace(scene)
        self._notice_reset()

    def _notice_reset(self) -> None:
        if self._resets == self.session.resets:
            return
        self._resets = self.session.resets
        for body_id, row in self.rows.items():
            first = int(self.tables.bodies.data["joint"][row])
            self.tables.joints.give_back(first, self._templates[body_id].joint_count)
        self.rows.clear()
        self._templates.clear()
        self.waiting.clear()
        self._kinematic_joints.clear()
        self._held = None
        self._seen = (-1, -1)

    # --- to the scene --------------------------------------------------------------------------

    def refresh(self) -> None:
        """Put waiting bodies into the scene, and write what the fleet moved."""
        if self._refreshing:
            return
        self._refreshing = True
        try:
            self._notice_reset()
            self._put_waiting()
            if not self.holding:
                self._write()
        finally:
            self._refreshing = False

    def _put_waiting(self) -> None:
        for body_id, (asset, pose, fixed, step) in list(self.waiting.items()):
            del self.waiting[body_id]
            options = _options(pose, fixed, step)
            placed = asset
            if not options.fixed:
                placed, options.pose = centred(asset, options.pose)
            record = self.session.add(body_id, placed, options, asset)
            if options.fixed:
                record.links[0].group, record.links[0].mask = 2, MASK_STATIC
            row = self.rows.get(body_id)
            if row is not None:
                body = self.tables.bodies.data[row]
                body["pending"] = 1
                if body["role"] == 0:
                    _set_filter(record, 0, 0)

    def _write(self) -> None:
        bodies = self.tables.bodies.data
        rows = np.fromiter(self.rows.values(), dtype=np.int64, count=len(self.rows))
        pending = rows[bodies["pending"][rows] != 0] if len(rows) else rows
        if not len(pending):
            return
        world = self.session.scene.world
        for row in pending.tolist():
            body = bodies[row]
            body_id = int(body["body"])
            if body["pending"] == 1:
                record = self.session.scene.bodies[body_id]
                self._write_base(world, record, body, halt=body_id in self._halted)
            body["pending"] = 0
        self._halted.clear()
        self.hold_all_joints()
        world.changed()
        self._seen = (world.generation, world.version)

    def _write_base(self, world: World, record: BodyRecord, body: Any, *, halt: bool) -> None:
        x, y, z, w = body["quat"].tolist()
        if record.mocap >= 0:
            com = body["com"].tolist()
            pos, quat = pose_product(body["pos"], (x, y, z, w), *pose_inverse(com[:3], com[3:]))
            world.data.mocap_pos[record.mocap] = pos
            world.data.mocap_quat[record.mocap] = (quat[3], *quat[:3])
        elif record.qpos >= 0:
            at = record.qpos
            world.data.qpos[at : at + 7] = [*body["pos"].tolist(), w, x, y, z]
            if halt:
                world.data.qvel[record.dof : record.dof + 6] = 0.0

    def _joints_to_write(self, world: World) -> tuple[NDArray[np.int64], ...]:
        """Places of the held joints: in the joint table, in qpos, in qvel."""
        if self._held is None or self._held_at != world.generation:
            places: list[tuple[int, int, int]] = []
            for body_id in sorted(self._kinematic_joints & self.rows.keys()):
                first = int(self.tables.bodies.data["joint"][self.rows[body_id]])
                joints = self.session.scene.bodies[body_id].joints[1:]
                places += [(first + i, j.qpos, j.dof) for i, j in enumerate(joints) if j.nv == 1]
            columns = np.array(places, dtype=np.int64).reshape(-1, 3)
            self._held, self._held_at = tuple(columns.T.copy()), world.generation
        return self._held

    def halt(self, body_id: int) -> None:
        """Take the velocity off a base the next time its pose is written."""
        self._halted.add(body_id)

    def set_base_velocity(self, body_id: int, linear: Any, angular: Any) -> None:
        """Set the velocity of a free base, world frame; a fixed one has none."""
        self.refresh()
        world = self.session.scene.world
        record = self.session.scene.bodies[body_id]
        if record.mocap >= 0:
            return
        w, x, y, z = world.data.qpos[record.qpos + 3 : record.qpos + 7].tolist()
        local = pose_product((0, 0, 0), (-x, -y, -z, w), angular, (0, 0, 0, 1))[0]
        world.data.qvel[record.dof : record.dof + 6] = [*linear, *local]
        world.changed()

    def hold_joints(self, body_id: int) -> None:
        """Let the joints of a body follow the arrays, whatever the engine does to them."""
        self._kinematic_joints.add(body_id)
        self._held = None

    def hold_all_joints(self) -> None:
        """Put the joints that follow the arrays back where those say, after a step."""
        if not self._kinematic_joints:
            return
        world = self.session.scene.world
        joints, qpos, dof = self._joints_to_write(world)
        world.data.qpos[qpos] = self.tables.joints.data[joints, 0]
        world.data.qvel[dof] = 0.0
        world.changed()

    # --- from the scene ------------------------------------------------------------------------

    def read(self) -> None:
        """Take over what the engine did to the bodies it moves."""
        if self.waiting and not self.session.assets:
            return
        world = self.session.scene.compiled
        if world is None:
            if not self.session.scene.bodies:
                return
            world = self.session.scene.world
        if self._seen == (world.generation, world.version):
            return
        self._seen = (world.generation, world.version)
        bodies = self.tables.bodies.data
        for body_id, row in self.rows.items():
            if bodies["simulated"][row] and not bodies["pending"][row]:
                self._read_one(body_id, row)

    def _read_one(self, body_id: int, row: int) -> None:
        world = self.session.scene.world
        record = self.session.scene.bodies.get(body_id)
        if record is None:
            return
        body = self.tables.bodies.data[row]
        if record.mocap >= 0:
            w, x, y, z = world.data.mocap_quat[record.mocap].tolist()
            com = body["com"].tolist()
            pos, quat = pose_product(
                world.data.mocap_pos[record.mocap].tolist(), (x, y, z, w), com[:3], com[3:]
            )
            body["pos"], body["quat"] = pos, quat
        else:
            at = record.qpos
            state = world.data.qpos[at : at + 7]
            body["pos"] = state[:3]
            body["quat"][:3], body["quat"][3] = state[4:], state[3]
        body["stale"] = 1
        if body_id in self._kinematic_joints:
            return
        first = int(body["joint"])
        for index, joint in enumerate(record.joints[1:]):
            if joint.nv == 1:
                self.tables.joints.data[first + index, 0] = world.data.qpos[joint.qpos]

    def joint_velocity(self, body_id: int, joint: int) -> float:
        """Velocity of a joint [rad/s or m/s]."""
        if body_id in self.waiting:
            return 0.0
        record = self.session.scene.bodies[body_id].joints[joint + 1]
        return float(self.session.scene.world.data.qvel[record.dof]) if record.nv == 1 else 0.0

    def contact_pairs(self) -> set[tuple[int, int]]:
        """Numbers of the bodies that touch each other, the smaller first."""
        world = self.session.scene.compiled
        if world is None:
            return set()
        geoms = world.data.contact.geom
        owner = world.owner_body[world.model.geom_bodyid[geoms]] if len(geoms) else np.zeros((0, 2))
        ids = np.sort(owner.astype(np.int64), axis=1)
        return {(int(a), int(b)) for a, b in np.unique(ids, axis=0)}

    # --- joints, constraints, filters ----------------------------------------------------------

    def drive_joint(self, body_id: int, joint: int, target: float, force: float) -> None:
        """Let a motor with a force limit [N or Nm] hold a joint at a position."""
        self.refresh()
        record = self.session.scene.bodies[body_id]
        local = record.joints[joint + 1].local_drive
        if local < 0:
            return
        described = record.asset.links[joint + 1].joint
        if described.lower <= described.upper:
            target = min(max(target, described.lower), described.upper)
        world = self.session.scene.world
        at = (record.drive + local) * rules.DRIVE_SIZE
        world.data.userdata[at : at + 7] = (
            rules.DriveMode.MOTOR, 0.1, 1.0, target, 0.0, force, _UNLIMITED,
        )  # fmt: skip

    def hold(self, parent: int, link: int, child: int, pos: Any, quat: Any) -> int:
        """Fix a body to a link; the frame is in that of the link's centre of mass."""
        self.refresh()
        scene = self.session.scene
        link_com = scene.bodies[parent].links[link + 1].com
        child_com = scene.bodies[child].links[0].com
        (x, y, z), (w, a, b, c) = link_com
        frame = to_engine(*pose_product((x, y, z), (a, b, c, w), pos, quat))
        record = scene.add_constraint(
            ConstraintKind.FIXED, (parent, link + 1), (child, 0), frame, child_com
        )
        record.max_force = _CONSTRAINT_FORCE
        return record.id

    def release(self, constraint: int) -> None:
        """Undo `hold`; an unknown constraint is no error."""
        if constraint in self.session.scene.constraints:
            self.session.scene.remove_constraint(constraint)

    def set_color(self, body_id: int, rgba: Sequence[float]) -> None:
        """Show a body in a colour, 0 to 1 each."""
        self.colors[body_id] = tuple(float(value) for value in rgba)

    def set_collides(self, body_id: int, collides: bool) -> None:
        """Let a body take part in the engine's contacts, or not."""
        record = self.session.scene.bodies.get(body_id)
        if record is not None:
            _set_filter(record, *((1, -1) if collides else (0, 0)))
            self.session.scene.refresh_filters()


def _options(pose: EnginePose, fixed: bool, step: float) -> BodyOptions:
    return BULLET_FLEET.body_options(
        pose=pose,
        fixed=fixed,
        drives=DriveDefaults(rules.DriveMode.MOTOR, kd=1.0, limit=MOTOR_IMPULSE / step),
        linear_damping=DAMPING,
        angular_damping=DAMPING,
        friction=FRICTION,
    )


def _set_filter(record: BodyRecord, group: int, mask: int) -> None:
    for state in record.links:
        state.group, state.mask = group, mask


def physics_world_of(number: int) -> PhysicsWorld:
    """The bodies of the session with a number.

    Raises:
        InvalidArgumentError: There is no such session.
    """
    session = find_session(number)
    if session is None:
        raise InvalidArgumentError(
            "sim_core", None, "a simulation, or a connected physics client with number 0"
        )
    known = _physics_worlds.get(session)
    physics_world = None if known is None else known()
    if physics_world is None:
        physics_world = PhysicsWorld(session)
        _physics_worlds[session] = weakref.ref(physics_world)
    return physics_world


def open_physics_world(timestep: float, gravity: float) -> PhysicsWorld:
    """A new world.

    Args:
        timestep: Of one step [s].
        gravity: Along z [m/s^2].
    """
    scene = Scene(BULLET_FLEET.world_options(timestep=timestep, gravity=(0.0, 0.0, gravity)))
    session = open_session(scene)
    session.time_step = timestep
    return physics_world_of(session.id)


def close_when_dropped(owner: object, physics_world: PhysicsWorld) -> None:
    """Take a world off the table once nobody has its owner any more."""
    weakref.finalize(owner, close_physics_world, physics_world).atexit = False


def close_physics_world(physics_world: PhysicsWorld) -> None:
    """Take a world off the table; once more is no error."""
    if find_session(physics_world.session.id) is physics_world.session:
        close_session(physics_world.session.id)


def is_open(physics_world: PhysicsWorld) -> bool:
    """Whether the world is still on the table."""
    return find_session(physics_world.session.id) is physics_world.session


def asset_file(path: str | os.PathLike[str]) -> str:
    """A path with its user folder and relative parts resolved."""
    return os.path.abspath(os.path.expanduser(os.fspath(path)))
