"""saveBullet and loadBullet: the bodies of a world, with their state, in a file."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unibody import notices
from unibody.bullet.bodies.loading import add_asset
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import get_client
from unibody.bullet.constraints.constraints import (
    HeldConstraint,
    changeConstraint,
    createConstraint,
)
from unibody.bullet.errors import error, naming
from unibody.bullet.handles.body import Body
from unibody.bullet.state.load_calls import LoadCall
from unibody.core.assets.description import Asset, Pose, Quat, Vec3
from unibody.core.assets.description_json import decode, encode
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.link_order import parents_first
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import pose_multiply
from unibody.core.engine.scene import edits
from unibody.core.engine.snapshots import snapshot, state_file
from unibody.core.engine.snapshots.snapshot import Snapshot
from unibody.core.engine.states import transfer
from unibody.errors import AssetError, EngineError, InvalidArgumentError

_FAILED = "Couldn't load .bullet file."
_PART = "bodies.json"  # of the archive


@dataclass
class SavedLink:
    """What changeDynamics may have changed of a link."""

    mass: float
    inertia: Vec3
    friction: Vec3
    restitution: float
    stiffness: float
    damping: float
    group: int
    mask: int
    anisotropy: Vec3
    farthest_contact: float | None = None


@dataclass
class SavedBody:
    """A body: what it is, and what is not in the state of a world."""

    id: int
    asset: Asset
    com: Pose  # of the base, in the frame its state is about
    pose: Pose  # T_world_base
    fixed: bool
    flags: int
    links: list[SavedLink]
    limits: list[tuple[float, float]]  # of its joints
    joint_dampings: dict[str, float]
    dampings: tuple[float, float]  # linear, angular
    speed_limit: float
    load_call: tuple[str, int] | None = None
    maximal: bool = False  # its dampings are rates without a part that grows with the speed


@dataclass
class SavedConstraint:
    """A constraint between bodies of the file, or of one of them with the world."""

    parent: int
    parent_link: int
    child: int
    child_link: int
    kind: int
    axis: Vec3
    parent_position: Vec3
    child_position: Vec3
    parent_orientation: Quat
    child_orientation: Quat
    max_force: float  # N; -1: never given
    ratio: float
    aux_link: int
    target: float
    erp: float


@dataclass
class SavedBodies:
    """All of a file."""

    bodies: list[SavedBody] = field(default_factory=list[SavedBody])
    constraints: list[SavedConstraint] = field(default_factory=list[SavedConstraint])


def saveBullet(bulletFileName: str, physicsClientId: int = 0) -> None:
    """Write all bodies and constraints with their state to a file.

    ``restoreState(fileName=...)`` puts the state back where the bodies are there, with the same
    ids; ``loadBullet`` adds the bodies to a world. The file is a NumPy archive with a description
    in JSON, not one of Bullet's. Meshes and textures stay in their own files. Of soft bodies it has
    the particles alone: ``restoreState`` puts them back, ``loadBullet`` leaves them out.

    Raises:
        error: The file cannot be written.
    """
    client = get_client(physicsClientId)
    parts: dict[str, bytes] = {}
    soft = client.soft_bodies.saved(client) if client.soft_bodies is not None else {}
    if soft:
        from unibody.bullet.worlds import saved_particles

        parts = saved_particles.parts_of(soft)
    try:
        saved = SavedBodies(
            [_saved_body(client, body) for body in client.bodies.values() if body.id not in soft],
            [_saved_constraint(held) for held in client.constraints.values()],
        )
        text = json.dumps(encode(saved)).encode()
        state_file.write(snapshot.take(client.scene), Path(bulletFileName), {_PART: text, **parts})
    except (OSError, AssetError) as problem:
        raise error(f"Couldn't save .bullet file. {problem}") from problem


def _saved_body(client: Client, body: Body) -> SavedBody:
    record, call = body.record, client.load_calls.get(body.id)
    names = [f.name for f in dataclasses.fields(SavedLink)]
    return SavedBody(
        id=body.id,
        asset=_present_asset(body),
        com=record.links[0].com,
        pose=body.base_link_pose(),
        fixed=record.fixed,
        flags=body.flags,
        links=[SavedLink(**{n: getattr(state, n) for n in names}) for state in record.links],
        limits=list(body.limits),
        joint_dampings={str(joint): value for joint, value in body.dampings.items()},
        dampings=(record.options.linear_damping, record.options.angular_damping),
        speed_limit=record.options.speed_limit,
        load_call=None if call is None else (call.text, call.number),
        maximal=record.options.quadratic_damping == 0.0,
    )


def _present_asset(body: Body) -> Asset:
    """The asset of a body, its base scaled as it is now."""
    if body.unscaled is None:
        return body.asset
    base, shapes = body.asset.links[0], body.record.links[0].link.collisions
    if [shape.pose for shape in body.unscaled] != [shape.pose for shape in base.collisions]:
        com = base.inertial.pose  # the record is about the mass centre of a free body
        shapes = [dataclasses.replace(s, pose=pose_multiply(com, s.pose)) for s in shapes]
    base = dataclasses.replace(base, collisions=shapes)
    return dataclasses.replace(body.asset, links=[base, *body.asset.links[1:]])


def _saved_constraint(held: HeldConstraint) -> SavedConstraint:
    values = {f.name: getattr(held, f.name) for f in dataclasses.fields(SavedConstraint)}
    aux = held.record.aux
    values["aux_link"] = aux[1] - 1 if aux else -1
    if held.record.max_force != held.max_force:  # what it starts with is a limit of another kind
        values["max_force"] = -1.0
    return SavedConstraint(**values)


def loadBullet(bulletFileName: str, physicsClientId: int = 0) -> tuple[int, ...]:
    """Add the bodies and constraints of a file of saveBullet to the world, in their state.

    Returns:
        The ids of the bodies.

    Raises:
        error: The file is not there or not of ``saveBullet``, or a mesh of it is not there. The
            world is as it was before.
    """
    from unibody.bullet.worlds import saved_particles

    client = get_client(physicsClientId)
    search = SearchPath(client.search_path, confined=False)
    file = search.locate(str(bulletFileName))
    if file is None:
        raise error(f"{_FAILED} there is no file {str(bulletFileName)!r}")
    made: list[Body] = []
    try:
        text = state_file.read_part(Path(file), _PART, DEFAULT_LIMITS.file_bytes)
        saved: SavedBodies = decode(SavedBodies, _parsed(text))
        state = state_file.read(Path(file))
        for description in saved.bodies:
            made.append(_load(client, description))
        bodies = {old.id: body for old, body in zip(saved.bodies, made, strict=True)}
        _put_states(client, state, zip(saved.bodies, made, strict=True))
        for constraint in saved.constraints:
            _hold(constraint, bodies, client.id)
        left_out = saved_particles.count_in(Path(file))
    except (AssetError, EngineError, InvalidArgumentError, error) as problem:
        for body in reversed(made):
            client.remove_body(body.id)
        raise error(f"{_FAILED} {naming(file, problem)}") from problem
    if left_out:
        notices.tell(
            f"loadBullet({str(bulletFileName)!r}) leaves {left_out} soft bodies out: the file has "
            "their particles alone; load them as before, and restoreState puts them back"
        )
    return tuple(body.id for body in made)


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise AssetError("a saved description", "", str(problem)) from None


def _load(client: Client, saved: SavedBody) -> Body:
    if len(saved.links) != len(saved.asset.links) or not saved.links:
        raise AssetError("a saved description", "", "the links of a body do not fit together")
    _check_tree(saved.asset)
    body = add_asset(
        client, saved.asset, saved.pose, fixed=saved.fixed, flags=saved.flags,
        maximal=saved.maximal,
    )  # fmt: skip
    try:
        _apply(body, saved)
    except Exception:
        client.remove_body(body.id)
        raise
    if saved.load_call is not None and saved.load_call[0].isprintable():
        client.load_calls[body.id] = LoadCall(*saved.load_call)
    return body


def _check_tree(asset: Asset) -> None:
    count = len(asset.links)
    for number, link in enumerate(asset.links):
        if not (link.parent == -1 if number == 0 else 0 <= link.parent < count):
            raise AssetError("a saved description", link.name, f"has no parent {link.parent}")
    placed: set[int] = {-1}
    for number in parents_first(asset.links):
        link = asset.links[number]
        if link.parent not in placed:
            raise AssetError("a saved description", link.name, "is a parent of itself")
        placed.add(number)


def _apply(body: Body, saved: SavedBody) -> None:
    """Give a body the dynamics it had."""
    scene, record = body.scene, body.record
    for number, link in enumerate(saved.links):
        state = record.links[number]
        edits.set_inertial(scene, record, number, link.mass, link.inertia, state.com)
        edits.set_friction(scene, record, number, link.friction)
        edits.set_contact(
            scene, record, number,
            restitution=link.restitution, stiffness=link.stiffness, damping=link.damping,
        )  # fmt: skip
        if link.anisotropy != state.anisotropy:
            edits.set_anisotropy(scene, record, number, link.anisotropy)
        if link.farthest_contact is not None:
            edits.set_farthest_contact(scene, record, number, link.farthest_contact)
        state.group, state.mask = link.group, link.mask
    scene.refresh_filters()
    edits.set_body_damping(scene, record, *saved.dampings)
    edits.set_speed_limit(scene, record, saved.speed_limit)
    for joint, limits in enumerate(saved.limits[: body.joint_count]):
        if limits != body.limits[joint]:
            body.set_limits(joint, limits)
            edits.set_joint_limits(scene, record, joint + 1, *limits)
    for name, damping in saved.joint_dampings.items():
        joint = int(name) if name.isdecimal() else -1
        if 0 <= joint < body.joint_count:
            body.dampings[joint] = damping
            edits.set_joint_damping(scene, record, joint + 1, damping)


def _put_states(client: Client, state: Snapshot, bodies: Iterable[tuple[SavedBody, Body]]) -> None:
    """Give loaded bodies the coordinates, velocities and motors they had."""
    world = client.world
    for saved, body in bodies:
        source, target = state.addresses.get(saved.id), transfer.address(body.record)
        if source is None or any(
            getattr(source, name) != getattr(target, name)
            for name in ("nq", "nv", "nbody", "ndrive", "nball")
        ):
            raise EngineError(f"the state of body {saved.id} is not that of its description")
        if (source.mocap >= 0) != (target.mocap >= 0) or saved.com != body.record.links[0].com:
            continue  # it was made to move, or to stand still, since it was loaded
        transfer.copy_body(state, world.data, source, target)
    world.changed()


def _hold(saved: SavedConstraint, bodies: dict[int, Body], client_id: int) -> None:
    ends = [saved.parent, saved.child]
    if any(body >= 0 and body not in bodies for body in ends):
        raise AssetError("a saved description", "", "a constraint holds a body that is not there")
    parent, child = (bodies[body].id if body >= 0 else -1 for body in ends)
    made = createConstraint(
        parent, saved.parent_link, child, saved.child_link, saved.kind, saved.axis,
        saved.parent_position, saved.child_position, saved.parent_orientation,
        saved.child_orientation, client_id,
    )  # fmt: skip
    more: dict[str, float] = {}
    if saved.ratio:
        more = {"gearRatio": saved.ratio, "gearAuxLink": saved.aux_link}
    if saved.erp:
        more.update(erp=saved.erp, relativePositionTarget=saved.target)
    changeConstraint(made, maxForce=saved.max_force, physicsClientId=client_id, **more)  # pyright: ignore[reportArgumentType]
