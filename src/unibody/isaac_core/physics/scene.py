"""A stage in motion: its bodies as actors of a batch."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics

from unibody.core.assets.description import Asset, Pose, Vec3
from unibody.core.assets.transforms import pose_multiply
from unibody.core.assets.usd.reader import read_stage
from unibody.core.batch.batch import Batch
from unibody.core.batch.environment import Actor, Environment, Spring
from unibody.core.batch.kind import Kind
from unibody.core.batch.layout import StateLayout
from unibody.core.batch.pair_contacts import PairContacts, ground_number, pair_contacts
from unibody.core.batch.scene import SceneOptions
from unibody.core.batch.tables import BodyFlag
from unibody.core.engine.records.dialects import PHYSX
from unibody.core.engine.soft.solids import substeps_of
from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.physics.constraints import holds_of
from unibody.isaac_core.physics.environments import environment_roots, template_key
from unibody.isaac_core.physics.fixed import FixedColliders, rigid
from unibody.isaac_core.physics.listening import StageListener
from unibody.isaac_core.physics.models import Model, model_of
from unibody.isaac_core.physics.soft.prims import SoftPrims
from unibody.isaac_core.physics.stage_forces import StageForces
from unibody.isaac_core.physics.stage_velocities import apply_velocities
from unibody.isaac_core.physics.tendons import tendons_of
from unibody.isaac_core.physics.unsupported import check_prims, combine_surfaces
from unibody.isaac_core.physics.writing import StageWriter

if TYPE_CHECKING:
    from unibody.isaac_core.physics.tendons import StageTendon

_LOG = logging.getLogger(__name__)
_LAYOUT = StateLayout(quaternion="xyzw")
_RATE = 60.0
_CONTACT_OFFSET = 0.02  # m: of PhysX's shapes that state none
_UNSTATED = -0.5e38  # gravity below that is the usual one; else a negative one acts the other way


class StageActor(Actor):
    """An actor, with what holds it beside its tree.

    Attributes:
        tendons: Its fixed tendons.
    """

    def __init__(self, env: Environment, kind: Kind, **options: Any) -> None:
        super().__init__(env, kind, **options)
        self.tendons: list[StageTendon] = tendons_of(kind.tree, self.handle)
        self._holds: list[Spring] = [*holds_of(kind.tree, self.handle), *self.tendons]

    def springs(self) -> list[Spring]:
        """Loops of its tree, joints that mimic others, tendons, and what it holds."""
        return self._holds

    def hold(self, spring: Spring) -> None:
        """Hold something from now on."""
        self._holds.append(spring)

    def let_go(self, spring: Spring) -> None:
        """Hold it no longer."""
        self._holds.remove(spring)


class Body:
    """An actor of a stage.

    Attributes:
        model: What it is.
        prefix: Path of its environment.
        actor: In the batch.
    """

    def __init__(self, model: Model, prefix: str, actor: StageActor) -> None:
        self.model: Model = model
        self.prefix: str = prefix
        self.actor: StageActor = actor

    @property
    def articulation(self) -> str:
        """Path of the prim that is the articulation; "" if it is none."""
        return self.whole(self.model.path)

    def whole(self, path: str) -> str:
        """The path in the stage of a path in the template, whose "/" is the environment."""
        if path == "/" and self.prefix:
            return self.prefix
        return self.prefix + path if path.startswith("/") and not self._is_global(path) else path

    def _is_global(self, path: str) -> bool:
        return not self.prefix or path.startswith(f"{self.prefix}/")

    @property
    def paths(self) -> list[str]:
        """Paths of its bodies in the stage; "" for what is no body."""
        return [self.whole(path) if path else "" for path in self.model.bodies]


class PhysicsScene:
    """The physics of a stage.

    Attributes:
        stage: The stage.
        batch: Its environments.
        bodies: Its actors.
        time: That has passed [s].
        steps: That were made.
        valid: It is the attached scene.
        fixed: Colliders that belong to no body.
        writer: Of states to the stage.
        soft: Cloth and deformable bodies.
    """

    def __init__(self, stage: Usd.Stage, *, device: str = "cpu", threads: int = 0) -> None:
        self.stage = stage
        self.time: float = 0.0
        self.steps: int = 0
        self.valid = True
        self.prim: Any = handles.physics_scene(stage) or Usd.Prim()
        self.gravity = self.stated_gravity()
        self.dt = 1.0 / self._setting("physxScene:timeStepsPerSecond", _RATE)
        world = PHYSX.world_options(
            timestep=self.dt,
            gravity=self.gravity,
            restitution_speed=self._setting("physxScene:bounceThreshold", 0.2),
        )
        options = SceneOptions(
            world,
            see_ahead=_CONTACT_OFFSET / UsdGeom.GetStageMetersPerUnit(stage),
            joined_see_ahead=True,
            speed_limits_by_torques=True,
        )
        self.batch: Batch = Batch(options, device=device, threads=threads, layout=_LAYOUT)
        self.batch.notes_steps = self.batch.keeps_efforts = True
        self.bodies: list[Body] = []
        self.fixed: FixedColliders = FixedColliders(stage, self.batch)
        self._models: dict[tuple[Any, ...], list[tuple[Model, Pose]]] = {}
        self._populate()
        self.soft: SoftPrims = SoftPrims(self, self._environment_of)
        self._divide()
        self._by_path: dict[str, tuple[Body, int]] = {}
        self._name_bodies(self.bodies)
        self.batch.build()
        apply_velocities(self.batch, stage, self.bodies)
        self.writer: StageWriter = StageWriter(self)
        self._forces = StageForces(self.batch, stage, self.bodies)
        self.listener: StageListener = StageListener(self)

    # --- reading -------------------------------------------------------------------------------

    def _setting(self, name: str, default: float) -> float:
        attribute = self.prim.GetAttribute(name) if self.prim else None
        value = attribute.Get() if attribute else None
        return float(value) if value else default

    def stated_gravity(self) -> Vec3:
        """Gravity in the stage's units; down and 9.81 m/s^2 where the stage says nothing."""
        down = (0.0, -1.0, 0.0) if UsdGeom.GetStageUpAxis(self.stage) == "Y" else (0.0, 0.0, -1.0)
        usual = 9.81 / UsdGeom.GetStageMetersPerUnit(self.stage)
        if not self.prim:
            return (down[0] * usual, down[1] * usual, down[2] * usual)
        scene = UsdPhysics.Scene(self.prim)
        stated = scene.GetGravityDirectionAttr().Get()
        size = scene.GetGravityMagnitudeAttr().Get()
        along = np.array(down if stated is None or Gf.Vec3d(stated).GetLength() == 0.0 else stated)
        size = usual if size is None or size < _UNSTATED else float(size)
        x, y, z = (along / np.linalg.norm(along) * size).tolist()
        return (x, y, z)

    def _populate(self) -> None:
        roots = environment_roots(self.stage)
        check_prims(self.stage, "/", roots)
        shared = read_stage(self.stage, excluded=roots, paths=True)
        places = UsdGeom.XformCache()
        for root in roots:
            matrix = places.GetLocalToWorldTransform(self.stage.GetPrimAtPath(root))
            pose, scale = rigid(matrix)
            env = self.batch.add_environment(name=root, position=pose.pos)
            for model, home in self._template(root, pose, scale):
                self._add(env, model, root, home)
        moving = [asset for asset in shared if not asset.static]
        if roots and moving:
            _LOG.warning(
                "%s moves and is in no environment: it does not meet what is in one",
                ", ".join(sorted(asset.name for asset in moving)[:8]),
            )
        for asset in shared:
            if asset.static:
                self.fixed.add(asset)
        if moving or not roots:
            env = self._environment_of("")
            for asset in moving:
                self._add(env, model_of(asset, ""), "", asset.pose)
        self._combine()

    def _combine(self) -> None:
        models = {id(body.model): body.model.asset for body in self.bodies}
        grounds = [ground.asset for ground in self.batch.grounds]
        combine_surfaces(self.batch.options.world, models.values(), grounds)

    def _name_bodies(self, bodies: Iterable[Body]) -> None:
        for body in bodies:
            for number, path in enumerate(body.paths):
                if path:
                    self._by_path[path] = (body, number)

    def add_moving(self, assets: Iterable[Asset]) -> list[Body]:
        """Let bodies that have come to the stage move from now on, in no environment.

        Args:
            assets: As they were read.
        """
        self.batch.edited()
        env = self._environment_of("")
        known = len(self.bodies)
        for asset in assets:
            self._add(env, model_of(asset, ""), "", asset.pose)
        found = self.bodies[known:]
        self._name_bodies(found)
        self._combine()
        self.batch.build()
        apply_velocities(self.batch, self.stage, found)
        self.writer.forget()
        self._forces = StageForces(self.batch, self.stage, self.bodies)
        return found

    def _environment_of(self, path: str) -> Environment:
        """The environment of a prim: that whose prim it is below, else the one of all others."""
        names = {env.name: env for env in self.batch.envs}
        while path and path not in names:
            path = path.rpartition("/")[0]
        return names[path] if path in names else self.batch.add_environment()

    def _template(self, root: str, pose: Pose, scale: Vec3) -> list[tuple[Model, Pose]]:
        """Models of an environment, and where they are in the world."""
        key = (*template_key(self.stage.GetPrimAtPath(root)), scale)
        if key not in self._models:
            check_prims(self.stage, root)
            assets = read_stage(self.stage, root=root)
            inverse = _inverse(pose)
            self._models[key] = [
                (model_of(asset, root), pose_multiply(inverse, asset.pose)) for asset in assets
            ]
        return [(model, pose_multiply(pose, home)) for model, home in self._models[key]]

    def _add(self, env: Environment, model: Model, prefix: str, home: Pose) -> None:
        position = env.position
        x, y, z = (a - b for a, b in zip(home.pos, position, strict=True))
        actor = StageActor(
            env,
            model.kind,
            name=prefix + model.path.rstrip("/"),
            pose=Pose((x, y, z), home.quat),
            dofs=model.dof_records.copy(),
            bodies=model.body_records.copy(),
        )
        actor.dofs[:, 0] = model.starts
        if model.targets:
            actor.position_targets[:], actor.velocity_targets[:] = zip(*model.targets, strict=True)
        env.join(actor)
        self.bodies.append(Body(model, prefix, actor))

    # --- use -----------------------------------------------------------------------------------

    def body_of(self, path: str) -> tuple[Body, int] | None:
        """The actor of a prim that is a body, and the body's number in it."""
        return self._by_path.get(str(path))

    def contact_number(self, path: str) -> int:
        """What stands for a prim where contacts of pairs are asked for.

        Raises:
            InvalidArgumentError: It is neither a body nor a collider.
        """
        found = self._by_path.get(str(path))
        if found is not None:
            return found[0].actor.sim_body + found[1]
        number = self.fixed.number(str(path))
        if number is None:
            raise InvalidArgumentError(
                "filter_patterns", str(path), "paths of bodies or of fixed colliders"
            )
        return number

    def contacts_of(self, path: str) -> tuple[PairContacts, list[str]]:
        """Contacts of a body with all that is in its world.

        Returns:
            The contacts of the last step, and for each the path of the other body, or of the one
            fixed collider; "" for one of several fixed colliders, which are one body.
        """
        row = self.contact_number(path)
        places = self.batch.index.body_places
        world = (places[:, :2] == places[row, :2]).all(axis=1)
        others = np.flatnonzero(world & (np.arange(len(places)) != row))
        grounds = [ground_number(number) for number in range(len(self.batch.grounds))]
        every = np.array([*others.tolist(), *grounds], np.int64)
        found = pair_contacts(self.batch, np.array([row], np.int64), every[None])
        names = {b.actor.sim_body + n: text for text, (b, n) in self._by_path.items()}
        for part, number in enumerate(grounds):
            fits = self.fixed.of_part(part)
            names[number] = fits[0] if len(fits) == 1 else ""
        return found, [names.get(int(every[place]), "") for place in found.others]

    def collider_paths(self) -> list[str]:
        """Paths of colliders that belong to no body."""
        return self.fixed.paths()

    def fixed_collider(self, path: str) -> str | None:
        """The path of a collider that belongs to no body, at a prim or below it; None: none."""
        return next(iter(self.fixed.below(str(path).rstrip("/"))), None)

    def body_paths(self) -> list[str]:
        """Paths of all bodies."""
        return list(self._by_path)

    def step(self, dt: float | None = None) -> None:
        """Advance by a time [s]; None: by that of the last step.

        Raises:
            InvalidArgumentError: The time is not positive.
        """
        if dt is not None and dt != self.dt:
            if not 0.0 < dt < np.inf:
                raise InvalidArgumentError("dt", dt, "a positive time in seconds")
            self.batch.edited()
            self.dt: float = float(dt)
            self._divide()
        self.listener.apply()
        self.listener.admit()
        self._forces.apply()
        self.soft.before_step(self.dt)
        self.batch.step()
        self.time += self.dt
        self.steps += 1

    def _divide(self) -> None:
        """Divide steps into some that are short enough for what is soft."""
        self.batch.substeps = substeps_of(self.dt) if self.soft.by_path else 1
        self.batch.options.world.timestep = self.dt / self.batch.substeps

    def set_gravity(self, gravity: Vec3) -> None:
        """Change gravity, in the stage's unit of length and seconds."""
        self.gravity: Vec3 = gravity
        self.batch.set_gravity(gravity)

    def hold(self, body: Body, *, held: bool) -> bool:
        """Let a body stay where it is put, or move by itself again: worlds are built anew.

        Returns:
            Whether that can be: it is a body alone, and moved by itself when the stage was read.
        """
        if body.model.path or len(body.model.bodies) > 1 or body.model.kind.fixed:
            return False
        if held != body.actor.held:
            self.batch.edited()
            flags = self.batch.buffers.body_table["flags"]
            flags[body.actor.sim_body] ^= np.uint32(BodyFlag.HELD)
        return True

    def clear_forces(self) -> None:
        """Take back the forces and efforts that the next step would apply."""
        for group in self.batch.groups:
            group.exchange.clear_forces()
        self.batch.buffers.efforts[:] = 0.0

    def flush_to_stage(self, paths: Iterable[str] | None = None) -> None:
        """Write the poses of all bodies to the stage, and their velocities.

        Args:
            paths: Of the prims that are looked at then; None: all. Nothing is written if none of
                them is a body or in one.
        """
        self.listener.apply()
        if paths is not None and not any(self._in_body(path) for path in paths):
            return
        with self.listener.muted():
            self.writer.flush()
            self.soft.flush()

    def _in_body(self, path: str) -> bool:
        while path:
            if path in self._by_path or path in self.soft.by_path:
                return True
            path = path.rpartition("/")[0]
        return False

    def body_transform(self, path: str) -> Gf.Matrix4d:
        """The transform of a body, where it is now.

        Raises:
            InvalidArgumentError: It is no body.
        """
        if path not in self._by_path:
            raise InvalidArgumentError("path", path, "the path of a body that is simulated")
        return self.writer.transform(path)

    def transform_above(self, path: str) -> Gf.Matrix4d:
        """The transform of the parent of a body's prim, where the bodies are now."""
        return self.writer.above(path)

    def restore_stage(self) -> None:
        """Give the stage the values that it had before it was flushed to."""
        with self.listener.muted():
            self.writer.restore()
            self.soft.restore()

    def close(self) -> None:
        """Let go of the worlds."""
        self.valid: bool = False
        self.listener.close()
        self.batch.close()


def _inverse(pose: Pose) -> Pose:
    from unibody.core.assets.transforms import pose_inverse

    return pose_inverse(pose)


_attached: list[PhysicsScene] = []


def attach(stage: Usd.Stage, *, device: str = "cpu", threads: int = 0) -> PhysicsScene:
    """The physics of a stage: that which is attached, else a new one.

    Args:
        stage: The stage.
        device: Where worlds run: "cpu", "cuda:0", "warp-cpu".
        threads: For worlds on the CPU; 0: all cores.
    """
    scene = current()
    if scene is not None and scene.stage == stage and scene.batch.device == device:
        return scene
    detach()
    _attached.append(PhysicsScene(stage, device=device, threads=threads))
    return _attached[0]


def current() -> PhysicsScene | None:
    """The scene that is attached; a stage that has been closed takes its scene along."""
    if _attached and _attached[0].stage.expired:
        detach()
    return _attached[0] if _attached else None


def detach() -> None:
    """Let go of the attached scene."""
    while _attached:
        _attached.pop().close()
