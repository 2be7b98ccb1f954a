"""Bodies that hold on to others for a while."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.assets.description import Pose
from unibody.core.assets.transforms import pose_inverse, pose_multiply
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.constraint import ConstraintKind
from unibody.errors import InvalidArgumentError
from unibody.isaac_core.physics.scene import Body, PhysicsScene


class Grip:
    """Two bodies of one environment that keep their poses to one another.

    Args:
        first: Number of an actor in the environment, and of its link.
        second: The same of the body that is held.
        frame: Of the second in the first.
    """

    def __init__(self, first: tuple[int, int], second: tuple[int, int], frame: Pose) -> None:
        self._ends, self._frame = (first, second), frame

    def topology(self) -> tuple[Any, ...]:
        """All of it: no number of it differs between worlds."""
        return self._ends, self._frame

    def write(self, scene: Scene, first: int) -> None:
        """Add the constraint to a scene in which actors begin at body ``first``."""
        one, two = ((first + actor, link) for actor, link in self._ends)
        scene.add_constraint(ConstraintKind.FIXED, one, two, self._frame, Pose())

    def changed(self) -> tuple[list[float], tuple[float, ...]]:
        """Nothing that is written into single worlds."""
        return [], ()


def take(scene: PhysicsScene, holder: str, held: str) -> Grip:
    """Let a body hold another one as they are now.

    Args:
        scene: The physics of the stage.
        holder: Path of the body that holds.
        held: Path of the other one.

    Raises:
        InvalidArgumentError: One of them is no body, or they are in two environments.
    """
    one, two = (_body(scene, name, path) for name, path in (("holder", holder), ("held", held)))
    if one[0].actor.env is not two[0].actor.env:
        raise InvalidArgumentError("held", held, f"a body of the environment of {holder}")
    frame = pose_multiply(pose_inverse(_pose(scene, one)), _pose(scene, two))
    grip = Grip(_end(one), _end(two), frame)
    one[0].actor.hold(grip)
    scene.batch.edited()
    return grip


def let_go(scene: PhysicsScene, holder: str, grip: Grip) -> None:
    """End a hold."""
    _body(scene, "holder", holder)[0].actor.let_go(grip)
    scene.batch.edited()


def _body(scene: PhysicsScene, name: str, path: str) -> tuple[Body, int]:
    found = scene.body_of(path)
    if found is None:
        raise InvalidArgumentError(name, path, "the path of a body that is simulated")
    return found


def _end(of: tuple[Body, int]) -> tuple[int, int]:
    body, number = of
    return body.actor.handle, int(body.actor.kind.body_links[number])


def _pose(scene: PhysicsScene, of: tuple[Body, int]) -> Pose:
    body, number = of
    scene.batch.read_bodies()
    host = scene.batch.buffers.to_host("bodies")
    states = scene.batch.buffers.host.bodies if host is None else host
    row = np.asarray(states[body.actor.sim_body + number], float)
    x, y, z, a, b, c, d = row[:7].tolist()
    return Pose((x, y, z), (d, a, b, c))
