"""Objects of a simulation: one rigid body each, which can be carried by another one."""

from __future__ import annotations

import contextlib
import logging
import os
from typing import Any, Self

import numpy as np

from unibody.core.assets.description import Pose as EnginePose
from unibody.errors import AssetError, InvalidArgumentError
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.bodies.assets import read_sdf
from unibody.fleet.bodies.physics_world import PhysicsWorld, physics_world_of
from unibody.fleet.convert import pose_inverse, pose_product
from unibody.fleet.foundation import loggers
from unibody.fleet.foundation.events import EventBus
from unibody.fleet.foundation.scheduled_calls import TimedCalls
from unibody.fleet.foundation.types import CollisionMode
from unibody.fleet.motion.motion_kernels import place
from unibody.fleet.objects import shapes
from unibody.fleet.objects.tools import can_be_picked, find_nearest, resolve_link
from unibody.fleet.parameters.config_files import forward_spawn_params
from unibody.fleet.parameters.spawn_params import ShapeParams, SimObjectSpawnParams
from unibody.fleet.spatial.geometry import Pose
from unibody.fleet.spatial.pose_checks import check_given, check_pose

logger: logging.Logger = logging.getLogger(__name__)
lazy_logger: loggers.LazyLogger = loggers.get_lazy_logger(__name__)
JOINT_FIXED = 4
ENTITY_REGISTRY: dict[str, type[SimObject]] = {}
"""Classes of entities by the name configuration files use."""
_ROLES = {CollisionMode.STATIC: 2, CollisionMode.DISABLED: 0}
_NO_OFFSET = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def register_entity_class(name: str, cls: type[SimObject]) -> None:
    """Let entities of type ``name`` in a configuration become objects of a class.

    Raises:
        TypeError: It is no subclass of `SimObject`.
    """
    if not (isinstance(cls, type) and issubclass(cls, SimObject)):
        raise TypeError(f"Entity class must be a SimObject subclass, got {cls!r}")
    ENTITY_REGISTRY[name] = cls


class SimObject(TimedCalls):
    """One rigid body: a view onto a row of the arrays.

    Args:
        body_id: Number of the body in the world.
        sim_core: The simulation it belongs to; None: the physics client with number 0.
        pickable: Whether it can be attached to something.
        mass: In kg; None: as the body has it. 0: it only moves when it is moved.
        collision_mode: How it takes part in collision checks.
        name: For people; need not be unique.
        user_data: Anything.

    Attributes:
        object_id: Its number in the simulation; -1 without one.
        is_kinematic: It has no mass.
        attached_objects: What it carries.
    """

    _spawn_params_cls: Any = SimObjectSpawnParams
    _needs_update: bool = False
    _entity_type_name: str | None = None
    _shared_shapes: dict[Any, tuple[int, int]] = {}  # noqa: RUF012 - one cache for all classes
    # What few have otherwise stands here once: beyond 30 attributes an object takes 1 KB more.
    _events: EventBus | None = None
    _logger: loggers.NamedLazyLogger | None = None
    _attach_offset: tuple[Any, Any] = _NO_OFFSET
    _constraint_id: int | None = None
    _attached_to: SimObject | None = None
    _attached_link_index = -1

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        name = cls.__dict__.get("_entity_type_name")
        if name is not None:
            register_entity_class(name, cls)

    def __init__(
        self,
        body_id: int,
        sim_core: Any = None,
        pickable: bool = True,
        mass: float | None = None,
        collision_mode: CollisionMode = CollisionMode.NORMAL_3D,
        name: str | None = None,
        user_data: dict[str, Any] | None = None,
    ) -> None:
        self._row = -1
        self.body_id = body_id
        self.sim_core: Any = sim_core
        self._physics_world: PhysicsWorld = _physics_world(sim_core)
        self._tables = self._physics_world.tables
        self._template = self._physics_world.template(body_id)
        self.attached_objects: list[SimObject] = []
        self.callbacks: list[dict[str, Any]] = []
        self.pickable = pickable
        self.collision_mode = collision_mode
        self.user_data: dict[str, Any] = dict(user_data or {})
        self.name = name
        self.object_id = -1
        if hasattr(sim_core, "_next_object_id"):
            self.object_id: int = sim_core._next_object_id
            sim_core._next_object_id += 1
        self.mass: float = self._base_mass() if mass is None else mass
        self.is_kinematic: bool = self.mass == 0.0
        self._row = self._tables.bodies.take()
        self._physics_world.bind(body_id, self._row)
        params = getattr(sim_core, "_params", None)
        stepped = params is None or bool(params.physics)
        self._simulated = stepped and not self.is_kinematic
        row = self._tables.bodies.data[self._row]
        row["user"] = self.object_id
        row["simulated"] = self._simulated
        self._write_role()
        if collision_mode is CollisionMode.DISABLED:
            self._physics_world.set_collides(body_id, False)
        if sim_core is not None:
            sim_core.add_object(self)

    def __del__(self) -> None:
        row = getattr(self, "_row", -1)
        if row >= 0:
            with contextlib.suppress(Exception):  # the interpreter may be going down
                if self._physics_world.rows.get(self.body_id) == row:
                    del self._physics_world.rows[self.body_id]
                self._tables.bodies.give_back(row)

    def _base_mass(self) -> float:
        record = self._physics_world.session.scene.bodies.get(self.body_id)
        if record is not None and self.body_id in self._physics_world.session.assets:
            return 0.0 if record.fixed else record.links[0].mass
        return self._template.asset.links[0].inertial.mass

    def _write_role(self) -> None:
        row = self._tables.bodies.data[self._row]
        row["role"] = _ROLES.get(self.collision_mode, 1)
        row["frozen"] = self.collision_mode is CollisionMode.STATIC

    # --- making --------------------------------------------------------------------------------

    @classmethod
    def create_shared_shapes(
        cls,
        visual_shape: ShapeParams | None = None,
        collision_shape: ShapeParams | None = None,
        physics_client_id: int = 0,
    ) -> tuple[int, int]:
        """Numbers for two shapes; meshes that are asked for again get the same.

        Returns:
            For the visual and the collision shape; -1 where there is none.
        """
        meshes = [s for s in (visual_shape, collision_shape) if s and s.shape_type == "mesh"]
        if not meshes:
            return shapes.handle(visual_shape), shapes.handle(collision_shape)
        key = tuple(
            shapes.key_of(s) if s in meshes else None for s in (visual_shape, collision_shape)
        )
        if key not in cls._shared_shapes:
            made = shapes.handle(visual_shape), shapes.handle(collision_shape)
            cls._shared_shapes[key] = made
        return cls._shared_shapes[key]

    @classmethod
    def _make_body(
        cls,
        visual: ShapeParams | None,
        collision: ShapeParams | None,
        pose: Pose | None,
        mass: float,
        sim_core: Any,
    ) -> int:
        for params in (visual, collision):
            if params is not None and params.shape_type == "mesh":
                with contextlib.suppress(AssetError):  # told below
                    cls.create_shared_shapes(visual, collision)
                break
        asset = shapes.asset_of(visual, collision, mass)
        where = Pose.from_xyz(0.0, 0.0, 0.0) if pose is None else pose
        physics_world = _physics_world(sim_core)
        return physics_world.add(asset, where.position, where.orientation, fixed=mass == 0.0)

    @classmethod
    def from_mesh(
        cls,
        visual_shape: ShapeParams | None = None,
        collision_shape: ShapeParams | None = None,
        pose: Pose | None = None,
        mass: float = 0.0,
        pickable: bool = True,
        sim_core: Any = None,
        collision_mode: CollisionMode = CollisionMode.NORMAL_3D,
        name: str | None = None,
        user_data: dict[str, Any] | None = None,
    ) -> Self:
        """Make an object of shapes, meshes or others.

        Raises:
            ValueError: A value of a shape that is not allowed.
            AssetError: The file of a mesh cannot be read.
        """
        body_id = cls._make_body(visual_shape, collision_shape, pose, mass, sim_core)
        return cls(
            body_id=body_id,
            sim_core=sim_core,
            pickable=pickable,
            mass=mass,
            collision_mode=collision_mode,
            name=name,
            user_data=user_data,
        )

    @classmethod
    def from_sdf(
        cls,
        sdf_path: str,
        sim_core: Any = None,
        collision_mode: CollisionMode = CollisionMode.NORMAL_3D,
        global_scaling: float = 1.0,
        name_prefix: str | None = None,
        pickable: bool = False,
        use_fixed_base: bool = True,
    ) -> list[Self]:
        """Make an object of every model of an SDF file.

        Args:
            sdf_path: The file, or the name of a known model.
            sim_core: The simulation.
            collision_mode: Of all of them.
            global_scaling: Factor on every length.
            name_prefix: Name of a model that has none, before its number; the file's by default.
            pickable: Whether they can be picked.
            use_fixed_base: They only move when they are moved.

        Raises:
            FileNotFoundError: There is no such file, or it cannot be read.
            RuntimeError: There is no model in it.
        """
        from unibody.fleet.models.robot_models import resolve_model

        path = resolve_model(sdf_path)
        prefix = name_prefix or os.path.splitext(os.path.basename(path))[0]
        try:
            assets = read_sdf(path, global_scaling)
        except AssetError as problem:
            raise FileNotFoundError(f"Failed to load SDF: {path}: {problem}") from problem
        if not assets:
            raise RuntimeError(f"SDF loaded 0 bodies from: {path}")
        objects: list[Self] = []
        with sim_core.batch_spawn() if sim_core is not None else contextlib.nullcontext():
            for number, asset in enumerate(assets):
                (x, y, z), (w, a, b, c) = asset.pose or EnginePose()
                fixed = use_fixed_base or asset.static
                body_id = _physics_world(sim_core).add(asset, (x, y, z), (a, b, c, w), fixed=fixed)
                objects.append(
                    cls(
                        body_id=body_id,
                        sim_core=sim_core,
                        pickable=pickable,
                        mass=0.0 if use_fixed_base else None,
                        collision_mode=collision_mode,
                        name=asset.name or f"{prefix}_{number}",
                    )
                )
        lazy_logger.info(lambda: f"Loaded {len(objects)} objects from SDF: {path}")
        return objects

    @classmethod
    def from_params(cls, spawn_params: SimObjectSpawnParams, sim_core: Any = None) -> Self:
        """Make an object from spawn parameters."""
        return cls.from_mesh(
            **forward_spawn_params(
                cls.from_mesh,
                spawn_params,
                aliases={"initial_pose": "pose"},
                extra_kwargs={"sim_core": sim_core},
            )
        )

    @classmethod
    def from_dict(cls, config: dict[str, Any], sim_core: Any = None) -> Self:
        """Make an object from a dictionary, as a configuration file states it."""
        return cls.from_params(cls._spawn_params_cls.from_dict(config), sim_core)

    # --- what it is ----------------------------------------------------------------------------

    @property
    def _pid(self) -> int:
        return self._physics_world.session.id

    @property
    def _log(self) -> loggers.NamedLazyLogger:
        if self._logger is None:
            self._logger = loggers.get_named_lazy_logger("pybullet_fleet.sim_object")
            self._update_log_prefix()
        return self._logger

    def _update_log_prefix(self) -> None:
        if self._logger is not None:
            name = f":{self.name}" if self.name else ""
            self._logger.set_prefix(f"[{type(self).__name__}:{self.object_id}{name}] ")

    @property
    def events(self) -> EventBus:
        """The object's own bus."""
        if self._events is None:
            self._events = EventBus()
            self._events._note = self._changed
            if self.sim_core is not None:
                self.sim_core._objects_are_heard = True
            self._changed()
        return self._events

    def _has_entity_events(self) -> bool:
        return self._events is not None

    def _changed(self) -> None:
        """Something changed that decides how the object is updated."""

    def set_name(self, name: str | None) -> None:
        """Give it another name."""
        self.name = name
        self._update_log_prefix()

    @property
    def is_static(self) -> bool:
        """It never moves."""
        return self.collision_mode is CollisionMode.STATIC

    def update(self, dt: float) -> bool:
        """What it does in a step; True if it moved. Called if ``_needs_update`` is set."""
        return False

    def set_collision_mode(self, mode: CollisionMode) -> None:
        """Change how it takes part in collision checks."""
        if self.collision_mode == mode:
            return
        before = self.collision_mode
        self.collision_mode: CollisionMode = mode
        self._write_role()
        self._physics_world.set_collides(self.body_id, mode is not CollisionMode.DISABLED)
        if hasattr(self.sim_core, "_update_object_collision_mode"):
            self.sim_core._update_object_collision_mode(self.object_id, before, mode)
        self._log.info(f"collision_mode changed from {before.value} -> {mode.value}")

    # --- where it is ---------------------------------------------------------------------------

    def get_pose(self) -> Pose:
        """Where it is: the pose of the base's centre of mass."""
        if self._simulated:
            self._physics_world.read()
        data = self._tables.bodies.data
        return Pose(data["pos"][self._row].tolist(), data["quat"][self._row].tolist())

    def set_pose(self, pose: Pose, preserve_velocity: bool = True) -> bool:
        """Put it somewhere, with what it carries; True if that moved it."""
        return self.set_pose_raw(pose.position, pose.orientation, preserve_velocity)

    def set_pose_raw(self, position: Any, orientation: Any, preserve_velocity: bool = True) -> bool:
        """Put it somewhere, with what it carries.

        Args:
            position: In the world [m].
            orientation: (x, y, z, w).
            preserve_velocity: Keep the velocity of an object the engine moves.

        Returns:
            True if that moved it.

        Raises:
            InvalidArgumentError: A number is not finite, or the quaternion is all zeros.
        """
        check_pose("pose", position, orientation)
        if self._simulated:
            self._physics_world.read()
        if self.collision_mode is CollisionMode.STATIC:
            self._log.warning(
                "Attempting to move static object. Static objects (CollisionMode.STATIC) should "
                "not be moved. If this object needs to move, change collision_mode to "
                "NORMAL_3D/NORMAL_2D."
            )
            return False
        pos = np.array(position, dtype=np.float64)
        quat = np.array(orientation, dtype=np.float64)
        if not preserve_velocity:
            self._physics_world.halt(self.body_id)
        moved = place(self._row, self._tables.bodies.data, pos, quat)
        if moved:
            self._carry_along(preserve_velocity)
        return moved

    def place_at_spawn(self, position: Any, orientation: Any) -> None:
        """Put it somewhere while the world is being set up, static or not; see `set_pose_raw`."""
        check_pose("pose", position, orientation)
        row = self._tables.bodies.data[self._row]
        frozen, row["frozen"] = int(row["frozen"]), 0
        pos, quat = np.array(position, dtype=float), np.array(orientation, dtype=float)
        place(self._row, self._tables.bodies.data, pos, quat)
        self._tables.bodies.data["frozen"][self._row] = frozen

    def _carry_along(self, preserve_velocity: bool = True) -> None:
        """Move what is attached along; what a constraint holds to a link, the engine moves."""
        for carried in self.attached_objects:
            link = carried._attached_link_index
            if link < 0 or carried._constraint_id is None:
                place_, turn = pose_product(*self._link_pose(link), *carried._attach_offset)
                carried.set_pose_raw(place_, turn, preserve_velocity)

    def get_aabb(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Its bounding box, lower and upper corner [m]."""
        if self._simulated:
            self._physics_world.read()
        bounding_boxes.renew_bounds(self._tables, np.array([self._row]))
        data = self._tables.bodies.data
        return tuple(data["low"][self._row].tolist()), tuple(data["high"][self._row].tolist())

    def get_link_aabb(self, link: int) -> tuple[Any, Any]:
        """The bounding box of a link's shapes, lower and upper corner [m]; -1 is the base."""
        link, count = self._resolve_link(link), self._template.joint_count
        if self._simulated:
            self._physics_world.read()
        frame = bounding_boxes.link_frames(self._tables, self._row, count + 1)[link + 1]
        return bounding_boxes.box_at(self._template.link_template(link + 1), frame)

    def _link_pose(self, link: int) -> tuple[Any, Any]:
        """Pose of a link's centre of mass; -1 is the base."""
        if self._simulated:
            self._physics_world.read()
        if link < 0:
            data = self._tables.bodies.data
            return data["pos"][self._row].tolist(), data["quat"][self._row].tolist()
        frames = bounding_boxes.link_frames(self._tables, self._row, self._template.joint_count + 1)
        frame = frames[link + 1].tolist()
        return pose_product(frame[:3], frame[3:], *self._template.link_com(link))

    def _resolve_link(self, link: int | str) -> int:
        number, last = (
            resolve_link(self._template, self.body_id, link),
            self._template.joint_count - 1,
        )
        if not -1 <= number <= last:
            raise InvalidArgumentError("link", link, f"-1 to {last}")
        return number

    # --- carrying ------------------------------------------------------------------------------

    def attach_object(
        self,
        obj: SimObject,
        parent_link_index: int | str = -1,
        relative_pose: Pose | None = None,
        joint_type: int = JOINT_FIXED,
        keep_world_pose: bool = False,
    ) -> bool:
        """Carry another object.

        Args:
            obj: The object.
            parent_link_index: The link that carries it, by number or name; -1 or "base_link" is
                the base.
            relative_pose: Where it goes, in the frame of the link's centre of mass; at its
                origin by default.
            joint_type: How an object with mass is held; only ``JOINT_FIXED``.
            keep_world_pose: Leave it where it is at the moment.

        Returns:
            False if it cannot be picked, or is attached already.

        Raises:
            ValueError: ``relative_pose`` and ``keep_world_pose`` are both given.
            NotSupportedError: Another joint type.
        """
        if keep_world_pose and relative_pose is not None:
            raise ValueError("relative_pose and keep_world_pose=True cannot both be specified")
        if joint_type != JOINT_FIXED:
            from unibody.errors import NotSupportedError

            raise NotSupportedError(f"attach_object(joint_type={joint_type})", "use JOINT_FIXED")
        check_given(relative_pose=relative_pose)
        link = self._resolve_link(parent_link_index)
        if not self._may_attach(obj):
            return False
        pos, quat = self._link_pose(link)
        offset: tuple[Any, Any] = _NO_OFFSET
        if keep_world_pose:
            where = obj.get_pose()
            offset = pose_product(*pose_inverse(pos, quat), where.position, where.orientation)
        elif relative_pose is not None:
            offset = (tuple(relative_pose.position), tuple(relative_pose.orientation))
        self.attached_objects.append(obj)
        obj._attach_offset = offset
        obj._attached_to = self
        obj._attached_link_index = link
        self._tables.bodies.data["carries"][self._row] = 1
        if obj.mass > 0:
            obj._constraint_id = self._physics_world.hold(self.body_id, link, obj.body_id, *offset)
        obj.set_pose_raw(*pose_product(pos, quat, *offset))
        self._changed()
        self._log.info(f"Attached object {obj.body_id} to link {link}")
        return True

    def _may_attach(self, obj: SimObject) -> bool:
        if not obj.pickable:
            self._log.info(f"Cannot attach: object {obj.body_id} is not pickable")
            return False
        holder = self
        while holder is not None and holder is not obj:
            holder = holder._attached_to
        if holder is obj:
            self._log.info(f"Cannot attach: object {obj.body_id} carries this one, or is it")
            return False
        holder = obj._attached_to
        if holder is not None:
            self._log.info(
                f"Cannot attach: object {obj.body_id} is already attached to another SimObject "
                f"(body_id={holder.body_id})"
            )
            return False
        return True

    def detach_object(
        self,
        obj: SimObject,
        drop_pose: Pose | None = None,
        drop_relative_pose: Pose | None = None,
    ) -> bool:
        """Let go of an object.

        Args:
            obj: The object.
            drop_pose: Where to put it.
            drop_relative_pose: The same, relative to where it is.

        Returns:
            False if it is not attached here.

        Raises:
            ValueError: Both poses are given.
        """
        if drop_pose is not None and drop_relative_pose is not None:
            raise ValueError("drop_pose and drop_relative_pose cannot both be specified")
        check_given(drop_pose=drop_pose, drop_relative_pose=drop_relative_pose)
        if obj not in self.attached_objects:
            self._log.info(f"Object {obj.body_id} is not attached")
            return False
        self.attached_objects.remove(obj)
        self._tables.bodies.data["carries"][self._row] = bool(self.attached_objects)
        if obj._constraint_id is not None:
            self._physics_world.release(obj._constraint_id)
            obj._constraint_id = None
        obj._attach_offset = _NO_OFFSET
        obj._attached_to = None
        obj._attached_link_index = -1
        self._changed()
        if drop_relative_pose is not None:
            now = obj.get_pose()
            offset = drop_relative_pose.position, drop_relative_pose.orientation
            obj.set_pose_raw(*pose_product(now.position, now.orientation, *offset))
        elif drop_pose is not None:
            obj.set_pose(drop_pose)
        self._log.info(f"Detached object {obj.body_id}")
        return True

    def get_attached_objects(self) -> list[SimObject]:
        """What it carries."""
        return list(self.attached_objects)

    def is_attached(self) -> bool:
        """Whether it is carried."""
        return self._attached_to is not None

    def find_nearest_pickable(self, search_radius: float = 1.0) -> SimObject | None:
        """The nearest object that can be picked and is not carried, within a radius [m]."""
        if self.sim_core is None:
            return None
        return find_nearest(
            self.sim_core.sim_objects,
            position=self.get_pose().position,
            search_radius=search_radius,
            predicate=can_be_picked,
            exclude=self,
        )


def _physics_world(sim_core: Any) -> PhysicsWorld:
    physics_world = getattr(sim_core, "_physics_world", None)
    if isinstance(physics_world, PhysicsWorld):
        return physics_world
    return physics_world_of(0 if sim_core is None else sim_core.client)


register_entity_class("sim_object", SimObject)
