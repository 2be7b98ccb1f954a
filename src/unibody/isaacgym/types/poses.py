"""Poses, velocities and the states of bodies, DOFs and particles."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from unibody.isaacgym.types import records, vector_math
from unibody.isaacgym.types.fields import Float, Int, Nested, Struct
from unibody.isaacgym.types.rotations import Quat
from unibody.isaacgym.types.vectors import Vec3


class Transform(Struct):
    """A pose: position ``p`` [m] and rotation ``r``."""

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.TRANSFORM
    p: Nested[Vec3] = Nested(Vec3)
    r: Nested[Quat] = Nested(Quat)

    def __init__(self, p: Vec3 | None = None, r: Quat | None = None) -> None:
        if p is not None:
            self.p = p
        if r is not None:
            self.r = r

    @staticmethod
    def from_buffer(arg0: Any) -> Any:
        """Read poses from memory, such as a record of a state array.

        See ``records.from_buffer``.
        """
        return records.from_buffer(Transform, records.TRANSFORM, arg0)

    def inverse(self) -> Transform:
        """Return the pose that undoes this one."""
        back = self.r.inverse()
        return Transform(back.rotate(-self.p), back)

    def transform_point(self, arg0: Vec3) -> Vec3:
        """Return a point of this frame in the frame outside."""
        return self.r.rotate(arg0) + self.p

    def transform_vector(self, arg0: Vec3) -> Vec3:
        """Return a direction of this frame in the frame outside."""
        return self.r.rotate(arg0)

    def transform_points(self, arg0: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return points of this frame in the frame outside.

        Args:
            arg0: Records ``Vec3.dtype`` of any shape, or numbers of shape (..., 3).

        Returns:
            What was given, transformed; float32.
        """
        return np.asarray(vector_math.transform(self, _points(arg0)))

    def transform_vectors(self, arg0: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return directions of this frame in the frame outside; see ``transform_points``."""
        return np.asarray(vector_math.rotate(self.r, _points(arg0)))

    def __mul__(self, arg0: Transform) -> Transform:
        """Return the product: ``arg0`` is a pose in this frame."""
        if not isinstance(arg0, Transform):
            return NotImplemented
        return Transform(self.transform_point(arg0.p), self.r * arg0.r)

    def __repr__(self) -> str:
        return f"Transform(p={self.p!r}, r={self.r!r})"


def _points(value: Any) -> npt.NDArray[Any]:
    return records.to_array("arg0", value, "records Vec3.dtype, or numbers of shape (..., 3)")


class Velocity(Struct):
    """Linear [m/s] and angular [rad/s] velocity."""

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.VELOCITY
    linear: Nested[Vec3] = Nested(Vec3)
    angular: Nested[Vec3] = Nested(Vec3)

    def __init__(self, p: Vec3 | None = None, q: Vec3 | None = None) -> None:
        if p is not None:
            self.linear = p
        if q is not None:
            self.angular = q

    @staticmethod
    def from_buffer(arg0: Any) -> Any:
        """Read velocities from memory; see ``records.from_buffer``."""
        return records.from_buffer(Velocity, records.VELOCITY, arg0)


class RigidBodyState(Struct):
    """Pose and velocity of a rigid body."""

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.RIGID_BODY_STATE
    pose: Nested[Transform] = Nested(Transform)
    vel: Nested[Velocity] = Nested(Velocity)


class DofState(Struct):
    """Position and velocity of a DOF: [rad] and [rad/s], or [m] and [m/s]."""

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.DOF_STATE
    pos: Float = Float()
    vel: Float = Float()


class DofFrame(Struct):
    """Where a DOF is and which way it acts, in its environment [m]."""

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.DOF_FRAME
    origin: Nested[Vec3] = Nested(Vec3)
    axis: Nested[Vec3] = Nested(Vec3)

    def __init__(self, origin: Vec3 | None = None, axis: Vec3 | None = None) -> None:
        if origin is not None:
            self.origin = origin
        if axis is not None:
            self.axis = axis

    @staticmethod
    def from_buffer(arg0: Any) -> Any:
        """Read frames from memory; see ``records.from_buffer``."""
        return records.from_buffer(DofFrame, records.DOF_FRAME, arg0)


class ParticleState(Struct):
    """State of a particle: the fourth number of its position is the inverse mass [1/kg]."""

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.PARTICLE_STATE
    position: Nested[Quat] = Nested(Quat)
    velocity: Nested[Vec3] = Nested(Vec3)
    normal: Nested[Quat] = Nested(Quat)


class SpatialForce(Struct):
    """A force [N] and a torque [Nm]."""

    __slots__ = ()
    force: Nested[Vec3] = Nested(Vec3)
    torque: Nested[Vec3] = Nested(Vec3)


class IndexRange(Struct):
    """A part of an array."""

    __slots__ = ()
    start: Int = Int()
    count: Int = Int()
