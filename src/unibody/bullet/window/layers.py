"""What a window can show besides the bodies: contacts, mass centres, axes, collision shapes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from unibody.bullet.clients.client import Client
from unibody.bullet.window.link_poses import Places
from unibody.core.assets.description import JointType
from unibody.core.render.visual_shapes import VisualShape
from unibody.viewer.items import Item, Line, Points

_COLLISION_COLOR = (0.95, 0.55, 0.2, 0.5)
_CONTACT_COLOR = (1.0, 0.2, 0.1)
_AXIS_COLOR = (0.9, 0.7, 0.1)
_METRES_PER_NEWTON = 0.005
_AXIS_LENGTH = 0.15  # m
_MASS_CENTRES, _JOINT_AXES = -1_000_000, -2_000_000  # first ids; a script's own are positive


class Pace:
    """How fast the world goes, against the clock."""

    def __init__(self) -> None:
        self._simulated = 0.0
        self._since = time.monotonic()
        self._factor: float | None = None

    def step(self, seconds: float) -> None:
        """Count a step."""
        self._simulated += seconds

    def text(self) -> str:
        """A line for the page, renewed every second."""
        now = time.monotonic()
        if now - self._since > 1.0:
            self._factor = self._simulated / (now - self._since)
            self._simulated, self._since = 0.0, now
        return "" if self._factor is None else f"{self._factor:.2f} x real time"


def contact_lines(client_id: int) -> Iterator[Line]:
    """The normal force of every contact, 5 mm a newton. Called between steps only."""
    from unibody.bullet.queries.contacts import getContactPoints

    for contact in getContactPoints(physicsClientId=client_id):
        start, normal, force = contact[6], contact[7], contact[9]
        reach = max(force * _METRES_PER_NEWTON, 0.01)
        end = tuple(s + reach * n for s, n in zip(start, normal, strict=True))
        yield Line(start, (end[0], end[1], end[2]), _CONTACT_COLOR, 3.0)


def collision_parts(
    client: Client, places: Places, rows: list[int], row_of: dict[tuple[int, int], int]
) -> Iterator[VisualShape]:
    """The collision shapes of all bodies; links without a row get one."""
    for body_id, body in list(client.bodies.items()):
        at = places.rows.get(body_id, ())
        for link, (state, row) in enumerate(zip(body.record.links, at, strict=False), start=-1):
            for shape in state.link.collisions:
                owner = (body_id, link)
                if owner not in row_of:
                    row_of[owner] = len(rows)
                    rows.append(row)
                yield VisualShape(
                    row_of[owner],
                    shape,
                    _COLLISION_COLOR,
                    "",
                    owner,
                    movable=body.record.can_move(link + 1),
                )


def layer_items(
    client: Client, layers: set[str], rows: Any, positions: Any, quats: Any
) -> dict[int, Item]:
    """Mass centres and joint axes, as far as ``layers`` asks for them."""
    items: dict[int, Item] = {}
    states = [s for body in list(client.bodies.values()) for s in body.record.links]
    if len(states) != len(rows):
        return items  # a body came or went meanwhile
    if "Mass centres" in layers:
        centres = [
            _moved(s.com.pos, positions[row], quats[row])
            for s, row in zip(states, rows, strict=True)
            if s.mass > 0.0
        ]
        colors = ((0.1, 0.1, 0.9),) * len(centres)
        items[_MASS_CENTRES] = Points(tuple(centres), colors, 4.0)
    if "Joint axes" in layers:
        for number, (state, row) in enumerate(zip(states, rows, strict=True)):
            if state.link.parent < 0 or state.link.joint.type is JointType.FIXED:
                continue
            reach = tuple(_AXIS_LENGTH * value for value in state.link.joint.axis)
            start = _moved((0.0, 0.0, 0.0), positions[row], quats[row])
            end = _moved(reach, positions[row], quats[row])
            items[_JOINT_AXES + number] = Line(start, end, _AXIS_COLOR, 4.0)
    return items


def _moved(point: Any, position: Any, quat: Any) -> tuple[float, float, float]:
    axis = np.asarray(quat[1:])
    t = 2.0 * np.cross(axis, point)
    x, y, z = (position + point + quat[0] * t + np.cross(axis, t)).tolist()
    return x, y, z
