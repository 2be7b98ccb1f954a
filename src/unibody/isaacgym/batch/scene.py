"""The scene of an environment: what all environments of one topology have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from unibody.core.assets import description as core
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.records.dialects import PHYSX
from unibody.core.engine.records.options import (
    BodyOptions,
    DriveDefaults,
    WorldOptions,
)
from unibody.core.engine.records.rule_table import N_SPEED_LIMIT, DriveMode
from unibody.core.engine.rules.speed_limits import BY_TORQUES
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.contact_margins import see_ahead
from unibody.errors import NotSupportedError
from unibody.isaacgym.batch.actor import Actor

if TYPE_CHECKING:
    from unibody.isaacgym.batch.environment import Environment
    from unibody.isaacgym.batch.ground import Ground
    from unibody.isaacgym.types.sim_params import SimParams

_SHIFT = 2e-6  # m: MuJoCo takes less for nothing
_MOST_VELOCITY_ITERATIONS = 4
_MOST_CLASSES = 31  # bits of MuJoCo's contact masks
_Kind = tuple[int, int, int]  # group, filter and aggregate of a shape


def world_options(params: SimParams) -> WorldOptions:
    """The engine's options for the parameters of a simulation."""
    gravity = params.gravity
    moves, rounds = joint_friction_rounds(params)
    return PHYSX.world_options(
        timestep=params.dt / max(1, params.substeps),
        gravity=(gravity.x, gravity.y, gravity.z),
        restitution_speed=params.physx.bounce_threshold_velocity,
        parting_speed=params.physx.max_depenetration_velocity,
        joint_moves=moves,
        joint_rounds=rounds,
    )


def joint_friction_rounds(params: SimParams) -> tuple[int, int]:
    """How often PhysX's solver moves joints in a step, and how often it applies their friction.

    The temporal solver (``solver_type`` 1) does both in each of its position iterations and the
    second in each velocity iteration, of which more than four count as position iterations. The
    other one sums friction up over its iterations and moves joints after them.
    """
    physx = params.physx
    if physx.solver_type != 1:
        return 1, 1
    last = min(physx.num_velocity_iterations, _MOST_VELOCITY_ITERATIONS)
    moves = max(1, physx.num_position_iterations) + physx.num_velocity_iterations - last
    return moves, moves + last


def build_scene(envs: list[Environment], grounds: list[Ground], params: SimParams) -> Scene:
    """Make the scene of some environments, with the values of the first.

    The ground's parts are the first bodies, actors follow.
    """
    env = envs[0]
    scene = Scene(world_options(params))
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
        placed = _body_options(actor, weightless=any(other.weightless for other in column))
        record = scene.add(len(grounds) + actor.handle, tree, placed)
        _exclude_neighbours(scene, record, actor)
    for attractor in env.attractors:
        attractor.write(scene, len(grounds))
    for actor in env.actors:
        for tendon in actor.tendons:
            tendon.write(scene, len(grounds) + actor.handle)
    _write_contact_bits(scene, env, len(grounds))
    model = scene.world.model
    see_ahead(model, 2.0 * params.physx.contact_offset)
    model.numeric_data[N_SPEED_LIMIT] = BY_TORQUES
    return scene


def _tree(actor: Actor, *, shifted: bool) -> core.Asset:
    """The tree of an actor, with the armature its joints have.

    Args:
        actor: The actor.
        shifted: Mass centres and axes of inertia will differ from what is compiled. MuJoCo leaves
            out terms of bodies whose mass centre is the origin, so none is quite there.
    """
    links = list(actor.tree.links)
    for dof, armature in zip(actor.model.dofs, actor.dof_table["armature"].tolist(), strict=True):
        link = links[dof.link]
        links[dof.link] = replace(link, joint=replace(link.joint, armature=armature))
    if shifted:
        for number in actor.model.body_links:
            inertial = links[number].inertial
            x, y, z = inertial.pose.pos
            pose = core.Pose((x + _SHIFT, y, z), inertial.pose.quat)
            links[number] = replace(links[number], inertial=replace(inertial, pose=pose))
    return replace(actor.tree, links=links)


def _body_options(actor: Actor, *, weightless: bool) -> BodyOptions:
    """How an actor is placed; ``weightless``: gravity does not act on a body in some world.

    MuJoCo looks at who is without gravity only in models compiled with somebody who is.
    """
    options = actor.model.options
    x, y, z, qx, qy, qz, qw = (float(value) for value in actor.home[:7])
    return PHYSX.body_options(
        pose=core.Pose((x, y, z), (qw, qx, qy, qz)),
        fixed=actor.fixed,
        drives=DriveDefaults(DriveMode.PD),
        linear_damping=options.linear_damping,
        angular_damping=options.angular_damping,
        speed_limit=options.max_linear_velocity,
        turn_limit=options.max_angular_velocity,
        gravity=not weightless,
    )


def _exclude_neighbours(scene: Scene, record: BodyRecord, actor: Actor) -> None:
    """Bodies that a joint of several axes connects do not collide, like those of any joint."""
    bodies = set(actor.model.body_links)
    links = actor.tree.links
    for number in actor.model.body_links:
        parent = links[number].parent
        near = parent
        while parent >= 0 and parent not in bodies:
            parent = links[parent].parent
        if 0 <= parent != near and links[parent].collisions and links[number].collisions:
            scene.set_pair((record.id, parent), (record.id, number), False)


def shape_geoms(record: BodyRecord, actor: Actor) -> list[range]:
    """MuJoCo's geoms of each collision shape of an actor."""
    found: list[range] = []
    for shape in actor.model.shapes:
        state = record.links[actor.model.body_links[shape.body]]
        own = [place for place, of in enumerate(state.shape_of_geom) if of == shape.number]
        first = state.geom + (own[0] if own else 0)
        found.append(range(first, first + len(own)))
    return found


def _write_contact_bits(scene: Scene, env: Environment, first: int) -> None:
    """Groups, filters and aggregates as contact bits, one bit for each kind of shape.

    Shapes collide if their groups are equal or one is -1, if their filters share no bit, and if
    they are not of one aggregate without self-collision. The ground collides with everything but
    actors that take no part in the simulation.
    """
    ground: _Kind = (-1, 0, -1)
    kinds: dict[_Kind, int] = {ground: 0}
    model = scene.world.model
    of_geom = np.zeros(model.ngeom, dtype=np.int64)
    absent: list[int] = []
    for actor in env.actors:
        record = scene.bodies[first + actor.handle]
        filters = actor.shape_table["filter"].tolist()
        for filter_, geoms in zip(filters, shape_geoms(record, actor), strict=True):
            kind = kinds.setdefault((actor.group, filter_, actor.aggregate), len(kinds))
            of_geom[list(geoms)] = kind
            if actor.disabled:
                absent += geoms
    if len(kinds) > _MOST_CLASSES:
        raise NotSupportedError(
            f"more than {_MOST_CLASSES} kinds of groups, filters and aggregates in an environment",
            "use fewer",
        )
    masks = [sum(1 << other for key, other in kinds.items() if _meet(own, key)) for own in kinds]
    model.geom_contype[:] = 1 << of_geom
    model.geom_conaffinity[:] = np.array(masks)[of_geom]
    model.geom_contype[absent] = model.geom_conaffinity[absent] = 0


def _meet(one: _Kind, other: _Kind) -> bool:
    groups = one[0] == other[0] or -1 in (one[0], other[0])
    together = one[2] == other[2] >= 0
    return groups and not one[1] & other[1] and not together
