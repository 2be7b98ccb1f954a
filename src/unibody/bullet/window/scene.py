"""What a client's world looks like: its bodies and debug items as the viewer takes them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.bullet import constants as c
from unibody.bullet.clients.client import Client
from unibody.bullet.state.debug_items import DebugLine, DebugPoints, DebugText
from unibody.bullet.visuals.looks import number_textures
from unibody.bullet.visuals.visual_shapes import visuals_of
from unibody.bullet.window.layers import collision_parts
from unibody.bullet.window.link_poses import Places, places_of
from unibody.core.render.visual_shapes import VisualShape
from unibody.viewer.items import Item, Line, Points, Text, Vec3


@dataclass(slots=True)
class Shown:
    """The bodies of a client as parts.

    Attributes:
        parts: Shapes on frames.
        rows: Row of each frame among the poses of ``places``.
        row_of: Frame of each link, by body id and link index.
        places: Where the links are.
    """

    parts: list[VisualShape] = field(default_factory=list[VisualShape])
    rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    row_of: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    places: Places = field(default_factory=Places)

    @property
    def link_rows(self) -> NDArray[np.int64]:
        """Rows of the links of all bodies among the poses of ``places``."""
        return np.array([row for rows in self.places.rows.values() for row in rows], dtype=np.int64)


def shown_bodies(client: Client, count: int, *, collisions: bool = False) -> Shown:
    """All bodies as they look now.

    Args:
        client: Whose bodies.
        count: How many poses its running world has; 0 without one.
        collisions: Show collision shapes in place of visual ones.
    """
    number_textures(client)
    places = places_of(client, count)
    rows: list[int] = []
    row_of: dict[tuple[int, int], int] = {}
    if collisions:
        parts = list(collision_parts(client, places, rows, row_of))
        return Shown(parts, np.array(rows, dtype=np.int64), row_of, places)
    wireframe = bool(client.visualizer.get(c.COV_ENABLE_WIREFRAME, 0))
    parts = []
    for body_id, body in list(client.bodies.items()):
        links = places.rows.get(body_id)
        if links is None:  # it came this moment
            continue
        deforms = client.soft_bodies is not None and body_id in client.soft_bodies.records
        for visual in visuals_of(client, body, chequers=False):
            owner = visual.owner
            if owner not in row_of:
                row_of[owner] = len(rows)
                rows.append(links[owner[1] + 1])
            rgba = _color(client, visual, wireframe)
            parts.append(
                replace(
                    visual, frame=row_of[owner], rgba=rgba, wireframe=wireframe, deforms=deforms
                )
            )
    return Shown(parts, np.array(rows, dtype=np.int64), row_of, places)


def _color(
    client: Client, visual: VisualShape, wireframe: bool
) -> tuple[float, float, float, float]:
    """A link's colour; its wireframe may have another."""
    debug = client.debug.colors.get(visual.owner) if wireframe else None
    return visual.rgba if debug is None else (*debug, 1.0)


def debug_items(client: Client, shown: Shown, positions: Any, quats: Any) -> dict[int, Item]:
    """The lines, points and texts a script asked for, in the world frame."""
    items: dict[int, Item] = {}
    for key, item in list(client.debug.visible()):
        place = _in_world
        quat = (1.0, 0.0, 0.0, 0.0)
        if item.parent is not None and item.parent in shown.row_of:
            row = shown.rows[shown.row_of[item.parent]]
            place, quat = Placed(positions[row], quats[row]), tuple(quats[row].tolist())
        if isinstance(item, DebugLine):
            items[key] = Line(place(item.start), place(item.end), item.color, item.width)
        elif isinstance(item, DebugPoints):
            points = tuple(place(point) for point in item.positions)
            items[key] = Points(points, item.colors, item.size)
        elif isinstance(item, DebugText):
            turn = None if item.orientation is None else _product(quat, item.orientation)
            items[key] = Text(item.text, place(item.position), item.size, item.color, turn)
    return items


def _product(a: Any, b_xyzw: Any) -> tuple[float, float, float, float]:
    """A rotation wxyz after another in Bullet's order, wxyz."""
    w, x, y, z = a
    p, q, r, s = b_xyzw[3], *b_xyzw[:3]
    return (
        w * p - x * q - y * r - z * s,
        w * q + x * p + y * s - z * r,
        w * r - x * s + y * p + z * q,
        w * s + x * r - y * q + z * p,
    )


class Placed:
    """Points of a frame, in the world; position [m] and quaternion wxyz of the frame."""

    def __init__(self, position: Any, quat: Any) -> None:
        self._position = np.array(position)
        w, x, y, z = quat
        self._axes = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )

    def __call__(self, point: Any) -> Vec3:
        """A point of the frame, in the world [m]."""
        x, y, z = (self._position + self._axes @ np.asarray(point)).tolist()
        return x, y, z

    def inverse(self, point: Any) -> Vec3:
        """A point of the world, in the frame [m]."""
        x, y, z = (self._axes.T @ (np.asarray(point) - self._position)).tolist()
        return x, y, z


def _in_world(point: Any) -> Vec3:
    return point[0], point[1], point[2]
