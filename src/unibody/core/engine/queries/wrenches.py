"""What joints transmit: force and torque from a parent to its child, noted in each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from unibody.core.assets.description import Vec3
from unibody.core.engine.queries.wrench_kernel import WRENCH, fill_table, kernels
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.world.world import World

_NUMBER = 8  # bytes
_LOCAL = 6  # where in a note the numbers of ``JointWrench.local`` begin


@dataclass(slots=True)
class JointWrench:
    """Force [N] and torque [Nm] on a child in the last step, at its mass centre.

    The torque is without what motors and limits of the joint itself exert, and so is the force.

    Attributes:
        force: Of the parent on the child, world frame.
        torque: World frame.
        local: Force and torque in the child's inertial frame, (6,).
        turn: Orientation of that frame in the world at that time, (3, 3) row by row.
    """

    force: Vec3
    torque: Vec3
    local: tuple[float, ...]
    turn: tuple[float, ...]


class JointSensors:
    """Notes what some joints transmit. One has to be told about every step.

    Args:
        scene: Whose joints they are.

    Attributes:
        revision: Counts changes of what is noted where.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.revision: int = 0
        self._places: dict[tuple[int, int], int] = {}  # in what was noted; -1: nothing yet
        self._notes = np.zeros((0, WRENCH))
        self._readings: dict[int, JointWrench] = {}  # by place, made when they are asked for
        self._bodies = np.zeros(1, dtype=np.int64)  # how many, and MuJoCo's numbers of them
        self._generation = -1  # of the world that the tables are of
        self._data_at = 0  # address of its MjData
        self._kernels: Any = None
        self._at = (0, 0, 0)  # addresses of the table, the bodies and the notes
        self._kept: Any = None  # the table and what it points into

    def add(self, body_id: int, link: int) -> None:
        """Begin to note what the joint above a link transmits."""
        self._places.setdefault((body_id, link), -1)
        self._changed()

    def remove(self, body_id: int, link: int | None = None) -> None:
        """Stop noting one joint of a body, or all of them."""
        for key in [key for key in self._places if key[0] == body_id and link in (None, key[1])]:
            del self._places[key]
            self._changed()

    def _changed(self) -> None:
        self._generation = -1
        self.revision += 1

    def address(self, body_id: int, link: int) -> int:
        """Where the ``local`` of the next `JointWrench` of a joint begins in memory; 0: nowhere.

        It holds for one ``revision``.
        """
        place = self._places.get((body_id, link), -1)
        return self._at[2] + _NUMBER * (WRENCH * place + _LOCAL) if place >= 0 else 0

    def reading(self, body_id: int, link: int) -> JointWrench | None:
        """What a joint transmitted in the last step; None before one, or without a sensor."""
        place = self._places.get((body_id, link), -1)
        if place < 0:
            return None
        found = self._readings.get(place)
        if found is None:
            n = self._notes[place].tolist()
            force, torque = (n[0], n[1], n[2]), (n[3], n[4], n[5])
            found = JointWrench(force, torque, tuple(n[_LOCAL:12]), tuple(n[12:]))
            self._readings[place] = found
        return found

    def note(self) -> None:
        """Read all joints: right after a step, before anything is brought up to date."""
        world = self._scene.running
        if world is None or not self._places:
            return
        if self._generation != world.generation:
            self._prepare(world)
        self._readings.clear()
        table, numbers, notes = self._at
        data = world.data
        move_counts, note = self._kernels
        moved = move_counts(table, self._data_at)
        mujoco.mj_rnePostConstraint(world.model, data)
        note(table, self._data_at, moved, numbers, notes)

    def _prepare(self, world: World) -> None:
        bodies = self._scene.bodies
        numbers = [bodies[body].links[link].body for body, link in self._places]
        for place, key in enumerate(self._places):
            self._places[key] = place
        self._bodies = np.array([len(numbers), *numbers], dtype=np.int64)
        self._notes = np.zeros((len(numbers), WRENCH))
        self._kept = fill_table(world)
        arrays = (self._kept[0], self._bodies, self._notes)
        self._at = tuple(array.ctypes.data for array in arrays)
        self._data_at = world.data._address
        self._kernels = kernels()
        self._generation = world.generation
        self.revision += 1
