"""Contacts, as structures; state arrays hold them as records of ``records.RIGID_CONTACT``."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from unibody.isaacgym.errors import ReadOnlyError
from unibody.isaacgym.types import records
from unibody.isaacgym.types.fields import Float, Int, Nested, Struct
from unibody.isaacgym.types.vectors import Int3, Vec2, Vec3


class _Report(Struct):
    """A structure that is read, not written."""

    __slots__ = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.fields:
            raise ReadOnlyError(f"{type(self).__name__}.{name} can be read only")
        super().__setattr__(name, value)


class RigidContact(_Report):
    """A contact of two bodies.

    Attributes:
        env0: Environment of ``body0``; -1 for none.
        env1: Environment of ``body1``; -1 for none.
        body0: Index in its environment, the larger one of the two.
        body1: Index in its environment; -1 is the ground.
        local_pos0: Where, in the frame of ``body0`` [m].
        local_pos1: Where, in the frame of ``body1`` [m].
        min_dist: Distance the solver keeps [m].
        initial_overlap: Depth at the start of the step [m].
        normal: From ``body0`` to ``body1``, in the world.
        offset0: From ``local_pos0`` to the surface [m].
        offset1: From ``local_pos1`` to the surface [m].
        lambda: Normal force [N]; a keyword of Python, so ``getattr(contact, "lambda")``.
        lambda_friction: Friction forces [N].
        friction: Of the pair.
        torsion_friction: Of the pair.
        rolling_friction: Of the pair.
    """

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.RIGID_CONTACT
    env0: Int = Int(-1)
    env1: Int = Int(-1)
    body0: Int = Int(-1)
    body1: Int = Int(-1)
    local_pos0: Nested[Vec3] = Nested(Vec3)
    local_pos1: Nested[Vec3] = Nested(Vec3)
    min_dist: Float = Float()
    initial_overlap: Float = Float()
    normal: Nested[Vec3] = Nested(Vec3)
    offset0: Nested[Vec3] = Nested(Vec3)
    offset1: Nested[Vec3] = Nested(Vec3)
    locals()["lambda"] = Float()
    lambda_friction: Nested[Vec2] = Nested(Vec2)
    friction: Float = Float()
    torsion_friction: Float = Float()
    rolling_friction: Float = Float()


class SoftContact(_Report):
    """A contact of a particle or triangle and a body.

    Records have besides ``bodyOffset``, where it is in the frame of the body [m].

    Attributes:
        env0: Number of the environment.
        env1: The same.
        particleIndices: Corners of the triangle, numbers in the simulation.
        particleBarys: Their shares of the point.
        bodyIndex: The rigid body, its number in the simulation; -1: the ground.
        normal: From the triangle to the body.
        lambda: Normal force [N]; a keyword of Python, so ``getattr(contact, "lambda")``.
    """

    __slots__ = ()
    dtype: ClassVar[np.dtype[np.void]] = records.SOFT_CONTACT
    env0: Int = Int(-1)
    env1: Int = Int(-1)
    particleIndices: Nested[Int3] = Nested(Int3)
    particleBarys: Nested[Vec3] = Nested(Vec3)
    bodyIndex: Int = Int(-1)
    normal: Nested[Vec3] = Nested(Vec3)
    locals()["lambda"] = Float()
