"""Where the parts of an environment lie in the arrays of the worlds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.batch.environment import Actor, Environment
from unibody.core.batch.scene import shape_geoms
from unibody.core.engine.scene.scene import Scene

I32 = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]


class ActorPlaces(NamedTuple):
    """Places of the parts of one actor, the same in all environments of a group.

    Attributes:
        record: Id of its body in the scene.
        bodies: MuJoCo's bodies.
        dofs: Numbers of its degrees of freedom in the environment.
        components: Which of the rotation vector of a ball joint each is; -1: it is none.
        qvel: Their places in qvel.
        joints: MuJoCo's joints.
        drives: The drives.
        dof_bodies: The bodies that they move.
        moved_bodies: MuJoCo's bodies of all links but the first.
        geoms: MuJoCo's geoms of all shapes.
        geom_shapes: The shape of each of these.
    """

    record: int
    bodies: Ints
    dofs: Ints
    components: Ints
    qvel: Ints
    joints: Ints
    drives: Ints
    dof_bodies: Ints
    moved_bodies: Ints
    geoms: Ints
    geom_shapes: Ints


class Places(NamedTuple):
    """Tables for the kernels; what is not there is negative.

    Attributes:
        roots: Of each actor: place in qpos, in qvel, mocap row, body, (actors, 4).
        bodies: MuJoCo's body of each rigid body, (bodies,).
        dofs: Place in qpos and in qvel of each degree of freedom, and which component it is of
            the rotation vector of the quaternion in that place, -1: of none, (dofs, 3).
        drives: Drive of each degree of freedom, (dofs,).
        spans: Where the degrees of freedom of each actor begin, (actors + 1,).
        actors: The same by actor.
    """

    roots: I32
    bodies: I32
    dofs: I32
    drives: I32
    spans: I32
    actors: list[ActorPlaces]


def find_places(scene: Scene, env: Environment, first: int) -> Places:
    """Look up where an environment's parts have come to lie.

    Args:
        scene: As compiled.
        env: One of its environments.
        first: Id of the first actor's body.
    """
    roots: list[tuple[int, int, int, int]] = []
    dofs: list[tuple[int, int, int]] = []
    actors: list[ActorPlaces] = []
    own: list[Actor] = env.actors
    for actor in own:
        record = scene.bodies[first + actor.handle]
        mocap = record.mocap if actor.fixed else -1
        qpos, qvel = (-1, -1) if actor.fixed else (record.qpos, record.dof)
        roots.append((qpos, qvel, mocap, record.body))
        joints = [(record.joints[dof.link], dof) for dof in actor.kind.dofs]
        shifts = [max(dof.component, 0) for _, dof in joints]
        places = [joint.dof + shift for (joint, _), shift in zip(joints, shifts, strict=True)]
        dofs += [
            (joint.qpos, place, dof.component)
            for (joint, dof), place in zip(joints, places, strict=True)
        ]
        geoms = shape_geoms(record, actor)
        actors.append(
            ActorPlaces(
                record.id,
                np.array([record.body + link for link in actor.kind.body_links]),
                np.arange(len(dofs) - len(joints), len(dofs)),
                _ints(dof.component for _, dof in joints),
                _ints(places),
                _ints(joint.joint for joint, _ in joints),
                _ints(joint.drive for joint, _ in joints) + _ints(shifts),
                _ints(record.body + dof.link for _, dof in joints),
                record.body + np.arange(1, len(record.links)),
                _ints(geom for shape in geoms for geom in shape),
                _ints(number for number, shape in enumerate(geoms) for _ in shape),
            )
        )
    return Places(
        np.array(roots, np.int32).reshape(-1, 4),
        np.concatenate([actor.bodies for actor in actors] or [np.zeros(0, np.int64)]).astype(
            np.int32
        ),
        np.array(dofs, np.int32).reshape(-1, 3),
        np.concatenate([actor.drives for actor in actors] or [np.zeros(0, np.int64)]).astype(
            np.int32
        ),
        np.array([0, *np.cumsum([len(actor.dofs) for actor in actors])], np.int32),
        actors,
    )


def _ints(values: object) -> Ints:
    return np.array(list(values), np.int64)  # pyright: ignore[reportArgumentType]
