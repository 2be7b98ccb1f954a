"""Velocities that a stage states for its bodies, when it begins to play."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdGeom

from unibody.core.batch.batch import Batch
from unibody.core.batch.selection import Actors

VELOCITIES = ("physics:velocity", "physics:angularVelocity")
_BASE = 6


def stated_links(tree: Any, links: Iterable[int]) -> list[int]:
    """Numbers of the bodies of a tree, among ``links``, that are said to be in motion."""
    facts = [dict(tree.links[number].notes) for number in links]
    at_rest = ("", "(0, 0, 0)")
    return [
        number
        for number, own in enumerate(facts)
        if any(own.get(name, "") not in at_rest for name in VELOCITIES)
    ]


def apply_velocities(batch: Batch, stage: Usd.Stage, bodies: Iterable[Any]) -> None:
    """Let bodies begin with the velocities that their prims state, in their parents' frames.

    Joints begin with the speeds that fit those of all links best; where the root alone is said to
    move, its links move along with it.

    Args:
        batch: That they are in.
        stage: The stage.
        bodies: ``Body`` of a ``PhysicsScene``.
    """
    alike: dict[int, list[Any]] = {}
    for body in bodies:
        if body.model.moving:
            alike.setdefault(id(body.model), []).append(body)
    cache = UsdGeom.XformCache()
    for group in alike.values():
        model = group[0].model
        actors = Actors(batch, [body.actor for body in group])
        stated = np.array([_velocities(stage, body, cache) for body in group])
        if model.kind.dofs and model.moving != [0]:
            base = 0 if model.kind.fixed else _BASE
            jacobians = np.asarray(actors.read("jacobians"), float)
            links = stated[:, len(model.bodies) - jacobians.shape[1] :]
            rows = jacobians.reshape(len(group), -1, jacobians.shape[-1])
            found = np.linalg.pinv(rows) @ links.reshape(len(group), -1, 1)
            actors.dofs().write("velocities", found[:, base:, 0].astype(np.float32))
        if not model.kind.fixed:
            actors.write("velocities", stated[:, 0].astype(np.float32))


def _velocities(stage: Usd.Stage, body: Any, cache: Any) -> np.ndarray:
    """Linear and angular velocities of the bodies in the world, (bodies, 6) [m/s, rad/s]."""
    found = np.zeros((len(body.paths), _BASE))
    for row, path in zip(found, body.paths, strict=True):
        prim = stage.GetPrimAtPath(path)
        above = cache.GetParentToWorldTransform(prim).RemoveScaleShear().ExtractRotationMatrix()
        for first, name, unit in zip((0, 3), VELOCITIES, (1.0, math.radians(1.0)), strict=True):
            stated = prim.GetAttribute(name).Get() or Gf.Vec3f(0.0)
            row[first : first + 3] = np.array(Gf.Vec3d(stated) * above) * unit
    return found
