"""The scene of an environment: what all environments of one topology have in common."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unibody.core.assets.description import Asset, Pose
from unibody.core.batch.environment import Actor, Environment
from unibody.core.batch.ground import Ground
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.records.rule_table import N_SPEED_LIMIT
from unibody.core.engine.rules.speed_limits import BY_TORQUES
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.contact_margins import see_ahead
from unibody.errors import NotSupportedError

_SHIFT = 2e-6  # m: MuJoCo takes less for nothing
_MOST_CLASSES = 31  # bits of MuJoCo's contact masks


def all_meet(one: Hashable, other: Hashable) -> bool:
    """The rule by which shapes of all classes collide."""
    return True


@dataclass(slots=True)
class SceneOptions:
    """What the scenes of a batch have in common.

    Attributes:
        world: The engine's options; forces are always noted.
        collide: Whether shapes of two classes (``Actor.collision_classes``) collide.
        ground_class: The class of the ground's shapes.
        see_ahead: Contacts begin at this distance at least [m]; 0: where shapes touch.
        joined_see_ahead: Those of bodies with joints do so, too.
        speed_limits_by_torques: Joints are held at their largest speed by torques, as PhysX does.
    """

    world: WorldOptions = field(default_factory=lambda: WorldOptions(report_forces=True))
    collide: Callable[[Any, Any], bool] = all_meet
    ground_class: Hashable = 0
    see_ahead: float = 0.0
    joined_see_ahead: bool = False
    speed_limits_by_torques: bool = False


def build_scene(
    envs: Sequence[Environment], grounds: Sequence[Ground], options: SceneOptions
) -> Scene:
    """Make the scene of some environments, with the values of the first.

    The ground's parts are the first bodies, actors follow.
    """
    env = envs[0]
    scene = Scene(replace(options.world, report_forces=True))
    for number, ground in enumerate(grounds):
        placed = BodyOptions(
            pose=ground.pose,
            fixed=True,
            friction=(ground.friction, 0.0, 0.0),
            restitution=ground.restitution,
        )
        scene.add(number, ground.asset, placed)
    for actor in env.actors:
        column = [other.actors[actor.handle] for other in envs]
        tree = _tree(actor, shifted=any(other.off_centre for other in column))
        weightless = any(other.weightless for other in column)
        record = scene.add(len(grounds) + actor.handle, tree, _placement(actor, weightless))
        _exclude_neighbours(scene, record, actor)
    for spring in env.springs():
        spring.write(scene, len(grounds))
    _write_contact_bits(scene, env, len(grounds), options)
    model = scene.world.model
    if options.see_ahead > 0.0:
        see_ahead(model, options.see_ahead, joined=options.joined_see_ahead)
    if options.speed_limits_by_torques:
        model.numeric_data[N_SPEED_LIMIT] = BY_TORQUES
    return scene


def _tree(actor: Actor, *, shifted: bool) -> Asset:
    """The tree of an actor, with the armature its joints have.

    Args:
        actor: The actor.
        shifted: Mass centres and axes of inertia will differ from what is compiled. MuJoCo leaves
            out terms of bodies whose mass centre is the origin, so none is quite there.
    """
    links = list(actor.tree.links)
    armatures = actor.dof_records["armature"].tolist()
    for dof, armature in zip(actor.kind.dofs, armatures, strict=True):
        link = links[dof.link]
        links[dof.link] = replace(link, joint=replace(link.joint, armature=armature))
    if shifted:
        for number in actor.kind.body_links:
            inertial = links[number].inertial
            x, y, z = inertial.pose.pos
            pose = Pose((x + _SHIFT, y, z), inertial.pose.quat)
            links[number] = replace(links[number], inertial=replace(inertial, pose=pose))
    return replace(actor.tree, links=links)


def _placement(actor: Actor, weightless: bool) -> BodyOptions:
    """How an actor is placed; ``weightless``: gravity does not act on a body in some world.

    MuJoCo looks at who is without gravity only in models compiled with somebody who is.
    """
    plain = actor.kind.placement
    return replace(plain, pose=actor.home, fixed=actor.fixed, gravity=not weightless)


def _exclude_neighbours(scene: Scene, record: BodyRecord, actor: Actor) -> None:
    """Bodies that a joint of several axes connects do not collide, like those of any joint."""
    bodies = set(actor.kind.body_links)
    links = actor.tree.links
    for number in actor.kind.body_links:
        parent = links[number].parent
        near = parent
        while parent >= 0 and parent not in bodies:
            parent = links[parent].parent
        if 0 <= parent != near and links[parent].collisions and links[number].collisions:
            scene.set_pair((record.id, parent), (record.id, number), False)


def shape_geoms(record: BodyRecord, actor: Actor) -> list[range]:
    """MuJoCo's geoms of each collision shape of an actor."""
    found: list[range] = []
    for shape in actor.kind.shapes:
        state = record.links[actor.kind.body_links[shape.body]]
        own = [place for place, of in enumerate(state.shape_of_geom) if of == shape.number]
        first = state.geom + (own[0] if own else 0)
        found.append(range(first, first + len(own)))
    return found


def _write_contact_bits(scene: Scene, env: Environment, first: int, options: SceneOptions) -> None:
    """Which classes of shapes meet as contact bits, one bit for each class.

    Actors that take no part in the simulation touch nothing.
    """
    classes: dict[Hashable, int] = {options.ground_class: 0}
    model = scene.world.model
    of_geom = np.zeros(model.ngeom, dtype=np.int64)
    absent: list[int] = []
    for actor in env.actors:
        record = scene.bodies[first + actor.handle]
        geoms_of = shape_geoms(record, actor)
        for own, geoms in zip(actor.collision_classes(), geoms_of, strict=True):
            of_geom[list(geoms)] = classes.setdefault(own, len(classes))
            if actor.disabled:
                absent += geoms
    if len(classes) > _MOST_CLASSES:
        raise NotSupportedError(
            f"more than {_MOST_CLASSES} kinds of groups, filters and aggregates in an environment",
            "use fewer",
        )
    masks = [
        sum(1 << number for key, number in classes.items() if options.collide(own, key))
        for own in classes
    ]
    model.geom_contype[:] = 1 << of_geom
    model.geom_conaffinity[:] = np.array(masks)[of_geom]
    model.geom_contype[absent] = model.geom_conaffinity[absent] = 0
