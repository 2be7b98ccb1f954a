"""Obstacles before which an arm stops."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.functions.numpy.rotations import quats_to_rot_matrices
from unibody.isaac_core.functions.stage import get_stage_units
from unibody.isaac_core.motion.arm import Arm
from unibody.isaac_core.objects import cuboid, ground_plane, sphere

F64 = npt.NDArray[np.float64]
_CUBOIDS = (cuboid.VisualCuboid, cuboid.FixedCuboid, cuboid.DynamicCuboid)
_SPHERES = (sphere.VisualSphere, sphere.FixedSphere, sphere.DynamicSphere)
_DISTANCE = 0.02  # m: that points of the arm keep
_RATE = 4.0  # 1/s: of the distance that is left, what they may lose in a second
_STEP = 1e-4  # rad or m: of the differences that derivatives are made from
_ROUNDS = 3


class Obstacles:
    """Ground planes, cuboids and spheres that points of an arm keep away from.

    Each point of the arm comes nearer by at most a part of the distance that is left, in a
    second. So the arm stops before an obstacle; nothing leads it around.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, bool]] = {}
        self._places: dict[int, tuple[F64, F64]] = {}

    def add(self, obstacle: Any, *, static: bool) -> bool:
        """Take an obstacle; whether it is a new one.

        Args:
            obstacle: A ground plane, cuboid or sphere of `unibody.isaac_core.objects`.
            static: It stays where it is now.

        Raises:
            NotSupportedError: It is of another kind.
        """
        if not isinstance(obstacle, (*_CUBOIDS, *_SPHERES, ground_plane.GroundPlane)):
            raise NotSupportedError(
                f"an obstacle of kind {type(obstacle).__name__}",
                "ground planes, cuboids and spheres of the stage",
            )
        if id(obstacle) in self._known:
            return False
        self._known[id(obstacle)] = (obstacle, static)
        self._places[id(obstacle)] = _place(obstacle)
        return True

    def remove(self, obstacle: Any) -> None:
        """Forget an obstacle.

        Raises:
            InvalidArgumentError: It is not known.
        """
        if id(obstacle) not in self._known:
            raise InvalidArgumentError("obstacle", obstacle, "one that was added")
        del self._known[id(obstacle)], self._places[id(obstacle)]

    def update(self, only: list[Any] | None = None) -> None:
        """Look where those are that may move; of those named, or all."""
        chosen = self._known if only is None else {id(one) for one in only}
        for key, (obstacle, static) in self._known.items():
            if key in chosen and not static:
                self._places[key] = _place(obstacle)

    def slowed(self, arm: Arm, frame: int, here: F64, speed: F64, base: tuple[F64, F64]) -> F64:
        """Speeds of the joints at which no point of the arm comes too near too fast.

        Args:
            arm: The arm.
            frame: Number of its link that moves to targets.
            here: Positions of its active joints.
            speed: Their speeds.
            base: Position of the arm's base in the world, and its rotation, (3, 3).
        """
        if not self._known:
            return speed
        for _ in range(_ROUNDS):
            changed = False
            for link in {*arm.moving_links(), frame}:
                for gradient, room in self._near(arm, link, here, base):
                    size = float(gradient @ gradient)
                    short = -_RATE * room - float(gradient @ speed)
                    if short > 0.0 and size > 1e-12:
                        speed = speed + gradient * (short / size)
                        changed = True
            if not changed:
                break
        return speed

    def _near(
        self, arm: Arm, link: int, here: F64, base: tuple[F64, F64]
    ) -> list[tuple[F64, float]]:
        """For each obstacle: how its distance changes with the joints, and what is left of it."""

        def distances(joints: F64) -> F64:
            point = base[0] + base[1] @ np.array(arm.pose(link, joints).pos)
            return np.array(
                [_distance(o, *self._places[k], point) for k, (o, _) in self._known.items()]
            )

        now = distances(here)
        if now.min() > 0.5:
            return []
        slopes = np.array(
            [(distances(here + _STEP * unit) - now) / _STEP for unit in np.eye(len(here))]
        )
        return [(slopes[:, n], float(now[n]) - _DISTANCE) for n in range(len(now))]


def _place(obstacle: Any) -> tuple[F64, F64]:
    position, orientation = obstacle.get_world_pose()
    turn = quats_to_rot_matrices(np.asarray(orientation, float))
    return np.asarray(position, float) * get_stage_units(), np.asarray(turn, float)


def _distance(obstacle: Any, position: F64, turn: F64, point: F64) -> float:
    """From the surface of an obstacle to a point, negative within [m]."""
    own = turn.T @ (point - position)
    if isinstance(obstacle, ground_plane.GroundPlane):
        return float(own[2])
    units = get_stage_units()
    if isinstance(obstacle, _SPHERES):
        return float(np.linalg.norm(own)) - obstacle.get_radius() * units
    half = 0.5 * obstacle.get_size() * np.asarray(obstacle.get_world_scale(), float) * units
    out = np.abs(own) - half
    return float(np.linalg.norm(np.maximum(out, 0.0)) + min(out.max(), 0.0))
