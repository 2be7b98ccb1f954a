"""Where the force sensors of a group are, and what they can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from unibody.core.batch.environment import Actor, Environment, ForceSensor
from unibody.core.batch.places import Places

Array = npt.NDArray[np.float64]


class Sensors(Protocol):
    """The sensors of one group.

    All that acts on a body is the change of its momentum: mass times the mean acceleration of the
    mass centre over the frame, and the change of its angular momentum. The part of the constraint
    solver is what contacts exert in the last substep; the part of forward dynamics is the rest,
    gravity, applied forces and what the neighbours transmit.
    """

    def note(self) -> None:
        """Keep the momenta of now, before a step."""
        ...

    def read(self, dt: float, out: Any) -> None:
        """Write the rows of this group, (sensors, 6): force [N] and torque [Nm] of a frame."""
        ...


class SensorLayout(NamedTuple):
    """The sensors of an environment.

    Attributes:
        bodies: MuJoCo's body of each, (sensors,).
        offsets, quats: Frames in those of the bodies, (sensors, 3) [m] and wxyz (sensors, 4).
        forward, solver, in_world: Their properties, bool (sensors,).
        rows: Of the array of all sensors, (worlds * sensors,).
    """

    bodies: npt.NDArray[np.int64]
    offsets: Array
    quats: Array
    forward: npt.NDArray[np.bool_]
    solver: npt.NDArray[np.bool_]
    in_world: npt.NDArray[np.bool_]
    rows: npt.NDArray[np.int64]


def sensor_layout(envs: Sequence[Environment], places: Places) -> SensorLayout | None:
    """The sensors of the environments of a group; None where there are none."""
    actors: list[Actor] = envs[0].actors
    found: list[tuple[int, ForceSensor]] = [
        (int(places.actors[actor.handle].bodies[sensor.body]), sensor)
        for actor in actors
        for sensor in actor.sensors
    ]
    if not found:
        return None
    sensors = [sensor for _, sensor in found]
    return SensorLayout(
        np.array([body for body, _ in found], np.int64),
        np.array([sensor.pose.pos for sensor in sensors], np.float64),
        np.array([sensor.pose.quat for sensor in sensors], np.float64),
        np.array([sensor.forward for sensor in sensors], bool),
        np.array([sensor.solver for sensor in sensors], bool),
        np.array([sensor.in_world for sensor in sensors], bool),
        np.concatenate([env.sensor_base + np.arange(len(found)) for env in envs]),
    )
