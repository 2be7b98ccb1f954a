"""The numbers of drives in a world that was just compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.states import transfer

BALL_DOFS = 3


def default_drives(data: Any, record: BodyRecord) -> None:
    """Write the drives that a new body starts with."""
    defaults = record.options.drives
    for local in range(len(record.drive_joints)):
        base = (record.drive + local) * t.DRIVE_SIZE
        data.userdata[base : base + t.DRIVE_SIZE] = (
            defaults.mode,
            defaults.kp,
            defaults.kd,
            0.0,
            0.0,
            defaults.limit,
            np.inf,
            -1.0,
        )
    balls = record.options.ball_drives
    if balls is None:
        return
    for local in range(len(record.ball_joints)):
        place = transfer.ball_slice(data.userdata, record.ball + local)
        gains = (balls.kp,) * 3 + (balls.damping,) * 3 + (balls.limit,) * 3
        data.userdata[place] = (1.0, 0.0, 0.0, 0.0, *gains, -1.0)


def name_ball_drives(model: Any, bodies: dict[int, BodyRecord]) -> None:
    """Write into each ball joint with a drive which one it is."""
    for record in bodies.values():
        for local, link in enumerate(record.ball_joints):
            model.jnt_user[record.joints[link].joint, t.J_BALL] = 1 + record.ball + local
        if record.options.vector_drives:
            _name_vector_drives(model, record)


def _name_vector_drives(model: Any, record: BodyRecord) -> None:
    """The same for drives of rotation vectors, which are not bounded at first."""
    for joint in record.joints:
        if joint.nv == BALL_DOFS and joint.local_drive >= 0:
            numbers = model.jnt_user[joint.joint]
            numbers[t.J_BALL] = -(1.0 + joint.drive)
            numbers[t.J_LOWER : t.J_UPPER] = -np.inf
            numbers[t.J_UPPER : t.J_UPPER + BALL_DOFS] = np.inf
