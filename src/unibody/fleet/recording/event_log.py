"""What happened in a simulation, step by step, in a file that survives the end of the process.

The file is a sequence of records: length, kind, checksum, contents. All records of a step are
handed to the operating system in one piece when the step ends, and the one with the poses is the
last of them, so a step is in the file as a whole or not at all, however the process ended.
"""

from __future__ import annotations

import json
import os
import struct
import time
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import unibody
from unibody.core.assets.log_file import LogFile
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.foundation.events import SimEvents

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import SimulationInterface

MAGIC = b"UBFLEET1"
RECORD = struct.Struct("<IIB")  # length of the contents, CRC-32 of kind and contents, kind
STEP = struct.Struct("<qdBII")  # step, time [s], 1: all objects, number of poses, of joints
HEAD, OBJECTS, REMOVED, EVENTS, STATE = range(1, 6)
_WHOLE_EVERY = 256  # steps between states of all objects, from which reading can begin
_COLLISIONS = (SimEvents.COLLISION_STARTED, SimEvents.COLLISION_ENDED)
_ACTIONS = (SimEvents.ACTION_STARTED, SimEvents.ACTION_COMPLETED)


def record(kind: int, contents: bytes) -> bytes:
    """One record of the file."""
    code = bytes([kind])
    return RECORD.pack(len(contents), zlib.crc32(contents, zlib.crc32(code)), kind) + contents


class EventLogWriter:
    """Writes what happens in a simulation to a file, from now on.

    Args:
        core: The simulation.
        path: The file; one of that name is replaced. Where no more can be written, the log ends
            with the last step that is whole, and a line says so.

    Attributes:
        path: The file.

    Raises:
        OSError: The file cannot be written; then it is as it was before.
    """

    def __init__(self, core: SimulationInterface, path: str) -> None:
        self.path: str = os.path.abspath(path)
        self._core = core
        self._ids = np.zeros(0, dtype=np.int64)
        self._poses = np.zeros((0, 7))
        self._joint_at = np.zeros((0, 3), dtype=np.int64)  # object, joint, place in the table
        self._joints = np.zeros(0)
        self._steps = 0
        self._events: list[dict[str, Any]] = []
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        head = {
            "unibody": unibody.__version__,
            "timestep": core.params.timestep,
            "started": time.time(),
        }
        self._file = LogFile(self.path, MAGIC + record(HEAD, json.dumps(head).encode()))
        self._handlers = [(name, self._listener(name)) for name in (*_COLLISIONS, *_ACTIONS)]
        for name, handler in self._handlers:
            core.events.on(name, handler)

    def _listener(self, name: str) -> Any:
        if name in _COLLISIONS:

            def collided(obj_a: Any, obj_b: Any, **_: Any) -> None:
                self._events.append({"event": name, "ids": [obj_a.object_id, obj_b.object_id]})

            return collided

        def acted(agent: Any, action: Any, **told: Any) -> None:
            told_status = told.get("status")
            self._events.append(
                {
                    "event": name,
                    "ids": [agent.object_id],
                    "action": type(action).__name__,
                    "status": getattr(told_status, "value", told_status),
                }
            )

        return acted

    def close(self) -> None:
        """End; again is no error."""
        for name, handler in self._handlers:
            self._core.events.off(name, handler)
        self._handlers = []
        self._file.close()

    # --- one step ------------------------------------------------------------------------------

    def step(self, number: int, now: float) -> None:
        """Write a step that has ended.

        Args:
            number: Of the step, from 0 on.
            now: Time at its end [s].
        """
        if self._file.closed:
            return
        core = self._core
        core._physics_world.read()
        parts: list[bytes] = []
        rows = core._collisions.all_rows_now()
        bodies = self._core._tables.bodies.data
        ids = bodies["user"][rows]
        whole = self._steps % _WHOLE_EVERY == 0
        if not np.array_equal(ids, self._ids):
            parts += self._members(ids)
            whole = True
        if self._events:
            parts.append(record(EVENTS, json.dumps(self._events).encode()))
            self._events = []
        poses = np.concatenate([bodies["pos"][rows], bodies["quat"][rows]], axis=1)
        joints = self._core._tables.joints.data[self._joint_at[:, 2], 0]
        moved = np.ones(len(ids), bool) if whole else (poses != self._poses).any(axis=1)
        turned = np.ones(len(joints), bool) if whole else joints != self._joints
        self._poses, self._joints = poses, joints
        parts.append(
            record(
                STATE,
                STEP.pack(number, now, whole, int(moved.sum()), int(turned.sum()))
                + ids[moved].astype("<i8").tobytes()
                + poses[moved].astype("<f8").tobytes()
                + self._joint_at[turned, :2].astype("<i8").tobytes()
                + joints[turned].astype("<f8").tobytes(),
            )
        )
        self._file.write(b"".join(parts))
        self._steps += 1
        if self._file.closed:  # on a full disk
            self.close()

    def _members(self, ids: NDArray[np.int64]) -> list[bytes]:
        """Say who came and who left."""
        core = self._core
        parts = []
        gone = np.setdiff1d(self._ids, ids).tolist()
        if gone:
            parts.append(record(REMOVED, json.dumps(gone).encode()))
        came = np.setdiff1d(ids, self._ids).tolist()
        if came:
            described = [self._described(core._sim_objects_dict[number]) for number in came]
            parts.append(record(OBJECTS, json.dumps(described).encode()))
        self._ids = ids.copy()
        places = [
            (obj.object_id, joint, int(self._core._tables.bodies.data["joint"][obj._row]) + joint)
            for obj in core._sim_objects
            for joint in range(obj._template.joint_count)
        ]
        self._joint_at = np.array(places, dtype=np.int64).reshape(-1, 3)
        return parts

    def _described(self, obj: Any) -> dict[str, Any]:
        row = np.array([obj._row])
        bounding_boxes.renew_bounds(self._core._tables, row)
        bodies = self._core._tables.bodies.data
        size = np.clip(bodies["high"][obj._row] - bodies["low"][obj._row], 0.0, 1e6)
        color = self._core._robot_original_colors.get(obj.body_id, [0.5, 0.5, 0.5, 1.0])
        return {
            "id": obj.object_id,
            "name": obj.name,
            "type": type(obj).__name__,
            "size": size.tolist(),
            "color": [float(value) for value in color],
            "joints": [info[1].decode() for info in obj._template.joint_infos],
        }
