"""Rays against the bodies and colliders of the stage that is simulated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.batch.pair_contacts import ground_number
from unibody.core.batch.rays import cast_rays
from unibody.isaac_core.physics.scene import PhysicsScene

F64 = npt.NDArray[np.float64]


class Hits(NamedTuple):
    """The first hit of each ray.

    Attributes:
        paths: Of the bodies, or of fixed colliders; "" for a miss, (n,).
        distances: From the start, its length for a miss, (n,) [m].
        points: Where, in the world, (n, 3) [m].
        normals: Of the surfaces there, in the world, (n, 3); zero for a miss.
    """

    paths: list[str]
    distances: F64
    points: F64
    normals: F64


def cast(scene: PhysicsScene, starts: F64, ends: F64, path: str = "") -> Hits:
    """Cast rays.

    Args:
        scene: The physics of the stage.
        starts: In the world, (n, 3) [m].
        ends: (n, 3) [m].
        path: Of a prim; rays meet what is in its environment. "": what is in none. Where nothing
            moves they meet fixed colliders alone.
    """
    env = _environment(scene, path)
    lengths = np.linalg.norm(ends - starts, axis=1)
    found = cast_rays(scene.batch, env, starts, ends)
    names = {body.actor.sim_body + n: p for body in scene.bodies for n, p in enumerate(body.paths)}
    paths = [
        names.get(row, "") if shape < 0 else scene.fixed.path_of(ground_number(row), shape)
        for row, shape in zip(found.bodies.tolist(), found.shapes.tolist(), strict=True)
    ]
    hit = found.bodies != -1
    points = np.where(hit[:, None], found.points, ends)
    normals = np.where(hit[:, None], found.normals, 0.0)
    return Hits(paths, found.fractions * lengths, points, normals)


def _environment(scene: PhysicsScene, path: str) -> int | None:
    """Number of the environment that a prim is in; None if nothing moves there."""
    for number, env in enumerate(scene.batch.envs):
        if env.actors and f"{path}/".startswith(f"{env.name}/" if env.name else ""):
            return number
    return None
