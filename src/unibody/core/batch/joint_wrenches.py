"""What joints transmit and how bodies accelerate, in all worlds of a group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.engine.worlds.solutions import Solution, Wanted

F64 = npt.NDArray[np.float64]
WANTED = Wanted(("xpos", "xmat", "xipos", "subtree_com", "cvel", "cacc", "cfrc_int"))


class Solved(NamedTuple):
    """Forces and accelerations of the engine's bodies, in the world's axes.

    Attributes:
        wrenches: Force and torque that each gets from the one that it is joined to, about the
            origin of its own frame, (worlds, bodies, 6) [N, Nm].
        accelerations: Linear ones of the mass centres and angular ones, (worlds, bodies, 6).
        positions: Of the frames, (worlds, bodies, 3).
        turns: Orientations of the frames, (worlds, bodies, 3, 3).
    """

    wrenches: F64
    accelerations: F64
    positions: F64
    turns: F64


Parameter = Callable[[str], F64]


def solved_of(model: Any, parameter: Parameter, solution: Solution) -> Solved:
    """What MuJoCo's fields say, see ``WANTED``.

    Args:
        model: Of the worlds.
        parameter: Gives their parameters, (worlds, ...), or (1, ...) where all share one.
        solution: Of the worlds.
    """
    own, gravity = solution.fields, parameter("opt.gravity")[:, None]
    positions, centres = own["xpos"], own["subtree_com"][:, model.body_rootid]
    force, torque = own["cfrc_int"][..., 3:].copy(), own["cfrc_int"][..., :3].copy()
    torque -= np.cross(positions - centres, force)
    if model.body_gravcomp.any() or parameter("body_gravcomp").any():
        carried = parameter("body_mass") * parameter("body_gravcomp")
        _take_off(model, own, -gravity * carried[..., None], (force, torque))
    turns = own["xmat"].reshape(*positions.shape, 3)
    wrenches = np.concatenate([force, torque], axis=-1)
    return Solved(wrenches, _accelerations(own, centres, gravity), positions, turns)


def _take_off(model: Any, own: dict[str, F64], lift: F64, wrench: tuple[F64, F64]) -> None:
    """Take off what carries the weight of bodies that gravity does not act on.

    The engine counts that as a force of the joints.
    """
    force, torque = wrench
    for body in range(model.nbody - 1, 0, -1):
        above = body
        while above:
            arm = own["xipos"][:, body] - own["xpos"][:, above]
            force[:, above] -= lift[:, body]
            torque[:, above] -= np.cross(arm, lift[:, body])
            above = int(model.body_parentid[above])


def _accelerations(own: dict[str, F64], centres: F64, gravity: F64) -> F64:
    arm = own["xipos"] - centres
    spin, turning = own["cvel"][..., :3], own["cacc"][..., :3]
    velocity = own["cvel"][..., 3:] + np.cross(spin, arm)
    linear = own["cacc"][..., 3:] + np.cross(turning, arm) + np.cross(spin, velocity)
    return np.concatenate([linear + gravity, turning], axis=-1)
