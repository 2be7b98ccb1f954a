"""Where a camera is: placed by a script, or following a body."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.assets.rotations import rotations
from unibody.isaacgym.batch.environment import Actor
from unibody.isaacgym.types.enums import CameraFollowMode

Array = npt.NDArray[np.float64]


class Pose(NamedTuple):
    """A position [m] and a rotation (3, 3)."""

    position: Array
    rotation: Array

    def times(self, other: Pose) -> Pose:
        """A pose in this one's frame, in the frame outside."""
        return Pose(self.position + self.rotation @ other.position, self.rotation @ other.rotation)


class Follow(NamedTuple):
    """A body that a camera follows.

    Attributes:
        actor: Whose body it is.
        body: Number of the body there.
        mode: Whether the camera turns with it.
    """

    actor: Actor
    body: int
    mode: CameraFollowMode

    @property
    def link(self) -> int:
        """The body's link in its tree."""
        return self.actor.model.body_links[self.body]

    @property
    def row(self) -> int:
        """The body's row among the poses of its world."""
        group = self.actor.env.sim.group_of(self.actor)
        return int(group.places.actors[self.actor.handle].bodies[self.body])

    def place(self, offset: Pose, position: Array, quat: Array) -> Pose:
        """Where a camera is that follows with an offset.

        Args:
            offset: From the body.
            position: Of the body [m].
            quat: Of the body, wxyz.
        """
        body = Pose(np.asarray(position, float), rotations(np.asarray(quat, float)))
        if self.mode is CameraFollowMode.FOLLOW_POSITION:
            return Pose(body.position + offset.position, offset.rotation)
        return body.times(offset)


def quat_of(rotation: Array) -> tuple[float, float, float, float]:
    """Unit quaternion xyzw of a rotation (3, 3), with w not negative (S. Shepperd, 1978)."""
    m = rotation
    trace = float(np.trace(m))
    sizes = np.array([m[0, 0], m[1, 1], m[2, 2], trace])
    k = int(np.argmax(sizes))  # the largest part of the quaternion
    quat = np.empty(4)
    if k == 3:
        quat[:] = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1.0 + trace
    else:
        i, j = (k + 1) % 3, (k + 2) % 3
        quat[k] = 1.0 + 2.0 * m[k, k] - trace
        quat[i], quat[j] = m[i, k] + m[k, i], m[j, k] + m[k, j]
        quat[3] = m[j, i] - m[i, j]
    quat /= np.linalg.norm(quat)
    x, y, z, w = (float(value) for value in (quat if quat[3] >= 0.0 else -quat))
    return x, y, z, w
