"""loadSDF, loadMJCF, and the body table."""

from __future__ import annotations

import dataclasses
import functools
import math
import os
from collections.abc import Mapping
from operator import index as as_index
from pathlib import Path
from typing import Any, NamedTuple

from unibody.bullet import constants as c
from unibody.bullet.bodies.mesh_pointers import without_pointers
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import clients, get_body, get_client
from unibody.bullet.errors import error, naming_model
from unibody.bullet.geometry.inertia import box_margins, link_inertia, principal_axes, widen
from unibody.bullet.handles.body import Body
from unibody.bullet.state.load_calls import LoadCall
from unibody.core.assets.bounded_cache import BoundedCache, asset_bytes
from unibody.core.assets.description import Asset, Inertial, Joint, JointType, Link, Pose, Shape
from unibody.core.assets.mjcf.names import NumberedAssets, with_joint_names
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import pose_inverse, pose_multiply
from unibody.core.engine.library.rotations import quat_of_matrix
from unibody.core.engine.records.dialects import BULLET
from unibody.core.engine.records.options import (
    BallDefaults,
    DriveDefaults,
    SelfCollision,
)
from unibody.core.engine.records.rule_table import DriveMode
from unibody.core.engine.spec.writer import moves
from unibody.errors import AssetError, InvalidArgumentError
from unibody.notices import tell

DEFAULT_DAMPING = 0.04  # of every body, linear and angular
DEFAULT_FRICTION = (0.5, 0.0, 0.0)
DEFAULT_MOTOR_IMPULSE = 1.0  # Ns or Nms a step
DEFAULT_SPEED_LIMIT = 100.0  # rad/s or m/s, of each coordinate
DEFAULT_BALL_IMPULSE = 1000.0  # Nms a step, about each axis of a ball joint
_HERE = Pose()
_MOST_PLACINGS = 256
_MOST_KEPT = 1 << 20  # bytes of a file whose bodies are kept
GROUP_DYNAMIC, MASK_DYNAMIC = 1, -1
GROUP_STATIC, MASK_STATIC = 2, ~2


def prepared(asset: Asset, flags: int, *, mjcf: bool = False) -> Asset:
    """A copy with what PyBullet makes of an asset: inertias from shapes, floating joints fixed."""
    if not mjcf:
        asset = without_pointers(asset)
    links = [
        _prepared_link(link, flags, base=index == 0, mjcf=mjcf)
        for index, link in enumerate(asset.links)
    ]
    return dataclasses.replace(asset, links=links)


def _prepared_link(link: Link, flags: int, *, base: bool, mjcf: bool) -> Link:
    use_file = bool(flags & c.URDF_USE_INERTIA_FROM_FILE)
    if flags & c.URDF_IGNORE_COLLISION_SHAPES:
        link = dataclasses.replace(link, collisions=[])
    moments = link_inertia(
        link,
        use_file_inertia=use_file,
        use_implicit_cylinder=bool(flags & c.URDF_USE_IMPLICIT_CYLINDER),
        from_mjcf=mjcf,
    )
    inertial = Inertial(link.inertial.mass, link.inertial.pose, (*moments, 0.0, 0.0, 0.0))
    if use_file:
        inertial.pose = _principal_pose(link.inertial)
    joint = link.joint
    if not base and joint.type is JointType.FLOATING:
        joint = dataclasses.replace(joint, type=JointType.FIXED)
    visuals = [] if flags & c.URDF_IGNORE_VISUAL_SHAPES else link.visuals
    if mjcf and not flags & c.MJCF_COLORS_FROM_FILE:
        visuals = [dataclasses.replace(shape, rgba=None) for shape in visuals]
    collisions = [dataclasses.replace(shape) for shape in link.collisions]
    for shape in collisions:
        implicit = mjcf or bool(flags & c.URDF_USE_IMPLICIT_CYLINDER)
        widen(shape, implicit_cylinder=implicit, from_file=True)
    return dataclasses.replace(
        link, inertial=inertial, joint=joint, visuals=visuals, collisions=collisions
    )


def _principal_pose(inertial: Inertial) -> Pose:
    quat = quat_of_matrix(principal_axes(inertial)[1])
    return pose_multiply(inertial.pose, Pose((0.0, 0.0, 0.0), quat))


def self_collision(flags: int) -> SelfCollision:
    """PyBullet's self-collision flags as the engine's rule."""
    if not flags & c.URDF_USE_SELF_COLLISION:
        return SelfCollision.NONE
    if flags & c.URDF_USE_SELF_COLLISION_EXCLUDE_ALL_PARENTS:
        return SelfCollision.EXCLUDE_ALL_PARENTS
    if flags & c.URDF_USE_SELF_COLLISION_EXCLUDE_PARENT:
        return SelfCollision.EXCLUDE_PARENT
    return SelfCollision.ALL


def centred(asset: Asset, pose: Pose) -> tuple[Asset, Pose]:
    """An asset whose base frame is the base's inertial frame, and where that frame goes.

    A free base is integrated in its base frame. Bullet integrates it at the centre of mass; about
    any other point the discrete motion drifts where it should be straight.
    """
    base = asset.links[0]
    com = base.inertial.pose
    if com == Pose():
        return asset, pose
    back = pose_inverse(com)

    def moved(shapes: list[Shape]) -> list[Shape]:
        return [dataclasses.replace(s, pose=pose_multiply(back, s.pose)) for s in shapes]

    centre = dataclasses.replace(
        base,
        inertial=dataclasses.replace(base.inertial, pose=Pose()),
        visuals=moved(base.visuals),
        collisions=moved(base.collisions),
    )
    links = [centre, *(_under(link, back) for link in asset.links[1:])]
    return dataclasses.replace(asset, links=links), pose_multiply(pose, com)


def _under(link: Link, back: Pose) -> Link:
    if link.parent != 0:
        return link
    origin = pose_multiply(back, link.joint.origin)
    return dataclasses.replace(link, joint=dataclasses.replace(link.joint, origin=origin))


class _Placing(NamedTuple):
    """What becomes of an asset in a world, wherever it is put.

    Attributes:
        loaded: The asset.
        asset: What the scene gets.
        centre: The base's mass centre, which its frame is moved to; None: it is not moved.
        margins: Of the boxes around the collision shapes of each link.
    """

    loaded: Asset
    asset: Asset
    centre: Pose | None
    margins: list[tuple[tuple[float, ...], float]]


_PLACING_BYTES = 16 << 20
_placings: BoundedCache[tuple[int, bool, bool], _Placing] = BoundedCache(
    _MOST_PLACINGS, _PLACING_BYTES
)  # by identity


def _placing(asset: Asset, *, fixed: bool, implicit_cylinder: bool) -> _Placing:
    """How to put an asset into a world; kept, as a robot is often loaded again and again."""
    key = (id(asset), fixed, implicit_cylinder)
    known = _placings.get(key)
    if known is not None:
        return known
    ready = _with_planes_at_mass_centres(asset)
    centre = None if fixed else asset.links[0].inertial.pose
    if centre is not None:
        ready = centred(ready, Pose())[0]
    margins = [
        box_margins(
            link.collisions, link.inertial.pose, asset.file, use_implicit_cylinder=implicit_cylinder
        )
        for link in asset.links
    ]
    return _placings.put(key, _Placing(asset, ready, centre, margins), asset_bytes(asset))


def _with_planes_at_mass_centres(asset: Asset) -> Asset:
    """An asset whose planar joints are where Bullet has them.

    Bullet puts the mass centre of the child, and not its frame, to where the joint is.
    """
    links = list(asset.links)
    for number, link in enumerate(links):
        if link.joint.type is JointType.PLANAR:
            x, y, z = centre = link.inertial.pose.pos
            origin = pose_multiply(link.joint.origin, Pose((-x, -y, -z)))
            joint = dataclasses.replace(link.joint, origin=origin, anchor=centre)
            links[number] = dataclasses.replace(link, joint=joint)
    return dataclasses.replace(asset, links=links) if links != asset.links else asset


def _has_ball_limits(joint: Joint) -> bool:
    """Whether a joint has limits that PyBullet would hold."""
    ball = joint.type is JointType.SPHERICAL
    return ball and min(joint.lower, joint.upper, joint.twist, joint.effort) > 0.0


def add_asset(
    client: Client, asset: Asset, pose: Pose, *, fixed: bool, flags: int,
    maximal: bool = False, joint_names: Mapping[int, str] | None = None,
) -> Body:  # fmt: skip
    """Put an asset into the client's world as a new body.

    Args:
        client: The client.
        asset: A prepared asset.
        pose: Where the base's link frame goes.
        fixed: The base does not move.
        flags: ``URDF_*``.
        maximal: The body moves as one of maximal coordinates: nothing slows it down.
        joint_names: Names of joints that the body has of its own, by link.
    """
    options = BULLET.body_options(
        pose=pose,
        fixed=fixed,
        drives=DriveDefaults(
            mode=DriveMode.MOTOR,
            kd=1.0,
            limit=DEFAULT_MOTOR_IMPULSE / client.scene.options.timestep,
        ),
        ball_drives=BallDefaults(
            kp=0.2, damping=1.0, limit=DEFAULT_BALL_IMPULSE / client.scene.options.timestep
        ),
        speed_limit=math.inf if maximal and len(asset.links) == 1 else DEFAULT_SPEED_LIMIT,
        turn_limit=DEFAULT_SPEED_LIMIT if maximal else None,
        linear_damping=0.0 if maximal else DEFAULT_DAMPING,
        angular_damping=0.0 if maximal else DEFAULT_DAMPING,
        quadratic_damping=0.0 if maximal else 1.0,
        self_collision=self_collision(flags),
        friction=DEFAULT_FRICTION,
        group=GROUP_DYNAMIC,
        mask=MASK_DYNAMIC,
    )
    implicit = bool(flags & c.URDF_USE_IMPLICIT_CYLINDER)
    placing = _placing(asset, fixed=fixed, implicit_cylinder=implicit)
    if placing.centre is not None and placing.centre != _HERE:
        options.pose = pose_multiply(pose, placing.centre)
    if flags & c.URDF_USE_SELF_COLLISION_INCLUDE_PARENT and client.say_once("include parent"):
        tell(
            "URDF_USE_SELF_COLLISION_INCLUDE_PARENT has no effect: "
            "a link never collides with its parent"
        )
    if any(_has_ball_limits(link.joint) for link in asset.links) and client.say_once("ball limits"):
        tell("limits of spherical joints (lower, upper, twist) are not held: they turn freely")
    body_id = client.body_ids.take()
    try:
        record = client.scene.add(body_id, placing.asset, options)
    except Exception:
        client.body_ids.give_back(body_id)
        raise
    if fixed:
        record.links[0].mass, record.links[0].inertia = 0.0, (0.0, 0.0, 0.0)
    if joint_names:
        record.origin = placing.asset
        asset, record.asset = (with_joint_names(a, joint_names) for a in (asset, placing.asset))
        for state, link in zip(record.links, record.asset.links, strict=True):
            state.link = link
    for index, (state, margins) in enumerate(zip(record.links, placing.margins, strict=True)):
        state.box_margins, state.box_margin = margins
        stated = any(shape.group is not None for shape in state.link.collisions)
        if not stated and not moves(record, index):
            state.group, state.mask = GROUP_STATIC, MASK_STATIC
    body = Body(client, record, asset, flags)
    client.add_body(body)
    return body


def loadSDF(
    sdfFileName: str,
    useMaximalCoordinates: int = 0,
    globalScaling: float = 1.0,
    physicsClientId: int = 0,
) -> tuple[int, ...]:
    """Load all models of an SDF file and return their body ids.

    Raises:
        error: The file cannot be loaded; no model of it stays in the world.
    """
    client, scale = get_client(physicsClientId), float(globalScaling)
    call = f"loadSDF({{file!r}}, globalScaling={scale!r})"
    models = _Models(os.fspath(sdfFileName), 0, scale, mjcf=False)
    return _load_several(
        client, models, "Cannot load SDF file.", call, maximal=bool(useMaximalCoordinates)
    )


def loadMJCF(
    mjcfFileName: str, flags: int = 0, useMultiBody: int = 1, physicsClientId: int = 0
) -> tuple[int, ...]:
    """Load the bodies of an MJCF file, one for each top-level body, and return their ids.

    Raises:
        error: The file cannot be loaded; no body of it stays in the world.
    """
    client = get_client(physicsClientId)
    models = _Models(os.fspath(mjcfFileName), flags, 1.0, mjcf=True)
    call = f"loadMJCF({{file!r}}, flags={int(flags)})"
    return _load_several(client, models, "Couldn't load .mjcf file.", call)


class _Models(NamedTuple):
    """A file with several bodies, and how it is read."""

    name: str
    flags: int
    scale: float
    mjcf: bool


def _read_models(models: _Models, directories: tuple[str, ...]) -> NumberedAssets:
    """The bodies of a file, prepared; kept for the next call unless it includes other files."""
    found = SearchPath(directories, confined=False).locate(models.name)
    if found is None:
        return _prepared_models(models, directories)
    stat = os.stat(found)
    if stat.st_size > _MOST_KEPT or (not models.mjcf and b"<include" in Path(found).read_bytes()):
        return _prepared_models(models, directories)
    return _kept_models(models, directories, os.getcwd(), (found, stat.st_mtime_ns, stat.st_size))


@functools.lru_cache(maxsize=32)
def _kept_models(
    models: _Models, directories: tuple[str, ...], cwd: str, stamp: Any
) -> NumberedAssets:
    return _prepared_models(models, directories)


def _prepared_models(models: _Models, directories: tuple[str, ...]) -> NumberedAssets:
    name, flags, scale, mjcf = models
    search = SearchPath(directories, confined=False)
    if mjcf:
        from unibody.core.assets.mjcf.reader import load_numbered

        found = load_numbered(name, search)
    else:
        from unibody.core.assets.sdf import load_sdf

        assets = tuple(load_sdf(name, search_path=search, scale=scale))
        found = NumberedAssets(assets, ({},) * len(assets), 0)
    ready = tuple([prepared(asset, flags, mjcf=mjcf) for asset in found.assets])
    return dataclasses.replace(found, assets=ready)


def _load_several(
    client: Client, models: _Models, message: str, call: str, *, maximal: bool = False
) -> tuple[int, ...]:
    loaded: list[int] = []
    try:
        bodies = _read_models(models, client.search_path)
        for ready, names in zip(bodies.assets, bodies.new_names(), strict=True):
            massless = ready.links[0].inertial.mass == 0.0
            fixed = bool(ready.fixed_base) or ready.static or massless
            body = add_asset(
                client, ready, ready.pose, fixed=fixed, flags=models.flags, maximal=maximal,
                joint_names=names,
            )  # fmt: skip
            client.load_calls[body.id] = LoadCall(f"p.{call.format(file=ready.file)}", len(loaded))
            loaded.append(body.id)
    except (AssetError, InvalidArgumentError) as problem:
        for body_id in reversed(loaded):
            client.remove_body(body_id)
        raise error(f"{message} {naming_model(models.name, problem)}") from problem
    return tuple(loaded)


def removeBody(bodyUniqueId: int, physicsClientId: int = 0) -> None:
    """Remove a body and its constraints; an unknown id is ignored, as in PyBullet."""
    client = get_client(physicsClientId)
    if bodyUniqueId in client.bodies:
        client.remove_body(bodyUniqueId)


def getNumBodies(physicsClientId: int = 0) -> int:
    """Number of bodies."""
    try:
        return len(clients[physicsClientId].bodies)
    except (KeyError, TypeError):
        return len(get_client(physicsClientId).bodies)


def getBodyUniqueId(serialIndex: int, physicsClientId: int = 0) -> int:
    """Id of the ``serialIndex``-th body; -1 past the end.

    Bodies are counted as they come; the last one takes the place of one that is removed.
    """
    return get_client(physicsClientId).body_order.at(as_index(serialIndex))


def getBodyInfo(bodyUniqueId: int, physicsClientId: int = 0) -> tuple[bytes, bytes]:
    """Name of the base link and name of the body.

    Raises:
        error: No such body.
    """
    try:
        return clients[physicsClientId].bodies[bodyUniqueId].info
    except (KeyError, TypeError):
        return get_body(bodyUniqueId, physicsClientId, "Couldn't get body info").info
