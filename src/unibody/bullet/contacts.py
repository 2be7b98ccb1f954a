"""Contact points and closest points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unibody.bullet.client import Client, clients, get_client, vector
from unibody.bullet.closest import NO_FORCES, End, body_ends, body_rows, shape_end, shape_points
from unibody.bullet.convert import wxyz
from unibody.core.assets.description import Pose
from unibody.core.engine.queries.contacts import (
    Contacts,
    contacts_revision,
    detect_contacts,
    read_contacts,
)
from unibody.core.engine.queries.distances import Distance
from unibody.notices import tell

_ORIGIN = (0.0, 0.0, 0.0)
_NO_TURN = (0.0, 0.0, 0.0, 1.0)
_ALL_LINKS = -2
_Row = tuple[Any, ...]


class _Table:
    """The contacts of one world as PyBullet's tuples."""

    def __init__(self, contacts: Contacts, key: tuple[int, float]) -> None:
        self.key = key
        self.rows = _rows(contacts, key[1])
        self._of_body: dict[int, list[_Row]] | None = None
        self._of_pair: dict[tuple[int, int], tuple[_Row, ...]] = {}

    def of_body(self, body: int) -> list[_Row]:
        """The contacts of a body, with that body as A."""
        if self._of_body is None:
            table: dict[int, list[_Row]] = {}
            for row in self.rows:
                table.setdefault(row[1], []).append(row)
                if row[2] != row[1]:
                    table.setdefault(row[2], []).append(_swapped(row))
            self._of_body = table
        return self._of_body.get(body, [])

    def of_pair(self, first: int, second: int) -> tuple[_Row, ...]:
        """The contacts of a body with another, with the first one as A; negative: of all."""
        found = self._of_pair.get((first, second))
        if found is None:
            rows = self.rows if first < 0 else self.of_body(first)
            found = tuple([row for row in rows if second < 0 or row[2] == second])
            self._of_pair[first, second] = found
        return found


def _table(client: Client) -> _Table:
    world = client.scene.world
    state = world, world.version, client.impulse_scale
    known, table = client.contact_table
    if known == state:
        return table
    key = contacts_revision(world), client.impulse_scale
    if table is None or known[0] is not world or table.key != key:
        table = _Table(read_contacts(world), key)
    client.contact_table = state, table
    return table


def _rows(contacts: Contacts, scale: float) -> tuple[_Row, ...]:
    """The tuples; ``scale`` is the number of substeps, of which PyBullet tells the last's impulse.

    It takes that impulse for one of the whole step.
    """
    numbers = contacts.numbers
    if scale != 1.0:
        numbers = np.array(numbers)
        numbers[[10, 11, 12]] /= scale
    n = numbers.tolist()
    return tuple(
        zip(
            (0,) * contacts.count,
            *contacts.ids.tolist(),
            zip(n[0], n[1], n[2], strict=True),
            zip(n[3], n[4], n[5], strict=True),
            zip(n[6], n[7], n[8], strict=True),
            n[9],
            n[10],
            n[11],
            zip(n[13], n[14], n[15], strict=True),
            n[12],
            zip(n[16], n[17], n[18], strict=True),
            strict=True,
        )
    )


def _swapped(row: _Row) -> _Row:
    """The same contact told from its other side; PyBullet leaves friction as it is."""
    flag, body_a, body_b, link_a, link_b, on_a, on_b, (x, y, z), *rest = row
    return (flag, body_b, body_a, link_b, link_a, on_b, on_a, (-x, -y, -z), *rest)


def getContactPoints(
    bodyA: int = -1,
    bodyB: int = -1,
    linkIndexA: int = _ALL_LINKS,
    linkIndexB: int = _ALL_LINKS,
    physicsClientId: int = 0,
) -> tuple[_Row, ...]:
    """Contact points of the last step, or of performCollisionDetection if that came later.

    Poses set since do not change them. Points at a small positive distance, of shapes that are
    about to touch, are among them.

    Args:
        bodyA: Only contacts of this body, which is then A in the result; -1: all contacts.
        bodyB: Only contacts with this body as B.
        linkIndexA: Only this link of A; -1 is the base, -2 all.
        linkIndexB: Only this link of B.
        physicsClientId: The client.

    Returns:
        For each point (0, body A, body B, link A, link B, position on A, position on B, normal
        on B towards A, distance, normal force, friction force 1, its direction, friction force 2,
        its direction), lengths in metres in the world frame, forces in newtons. The distance is
        negative where the shapes overlap. The friction forces act on the body that is A when
        ``bodyA`` is not given, also where the other one is asked for.

    Raises:
        error: Not connected.
    """
    try:
        client = clients[physicsClientId]
    except (KeyError, TypeError):
        client = get_client(physicsClientId)
    rows = _table(client).of_pair(bodyA, bodyB)
    if linkIndexA < -1 and linkIndexB < -1:
        return rows
    return tuple(
        [
            row
            for row in rows
            if (linkIndexA < -1 or row[3] == linkIndexA)
            and (linkIndexB < -1 or row[4] == linkIndexB)
        ]
    )


def performCollisionDetection(physicsClientId: int = 0) -> None:
    """Find the contacts of the present poses without a step.

    A contact that was there before keeps the force it had; a new one has none.

    Raises:
        error: Not connected.
    """
    client = get_client(physicsClientId)
    detect_contacts(client.world)
    client.contact_table = None, None


def getClosestPoints(
    bodyA: int,
    bodyB: int,
    distance: float,
    linkIndexA: int = _ALL_LINKS,
    linkIndexB: int = _ALL_LINKS,
    collisionShapeA: int = -1,
    collisionShapeB: int = -1,
    collisionShapePositionA: Sequence[float] = _ORIGIN,
    collisionShapePositionB: Sequence[float] = _ORIGIN,
    collisionShapeOrientationA: Sequence[float] = _NO_TURN,
    collisionShapeOrientationB: Sequence[float] = _NO_TURN,
    physicsClientId: int = 0,
) -> tuple[_Row, ...]:
    """Closest points of every pair of shapes of A and B that is not farther apart than a limit.

    A and B can be the same body; then each pair of links comes in both orders, and each link with
    itself. Neither collision filters nor the kind of body (moving or not) matter.

    Args:
        bodyA: Body id; -1: none, with ``collisionShapeA``.
        bodyB: Body id; -1: none, with ``collisionShapeB``.
        distance: The limit [m].
        linkIndexA: Only this link of A; -1 is the base, -2 all.
        linkIndexB: Only this link of B.
        collisionShapeA: A shape from createCollisionShape, as A.
        collisionShapeB: A shape from createCollisionShape, as B.
        collisionShapePositionA: Of that shape in the world [m].
        collisionShapePositionB: Of that shape in the world [m].
        collisionShapeOrientationA: (x, y, z, w).
        collisionShapeOrientationB: (x, y, z, w).
        physicsClientId: The client.

    Returns:
        As getContactPoints, without forces. A shape has link index -2. A concave mesh gives the
        closest points; PyBullet also those of each other triangle within the distance.

    Raises:
        error: Not connected, or a position or orientation of another size.
    """
    client = clients.get(physicsClientId) or get_client(physicsClientId)
    if collisionShapeA < 0 and collisionShapeB < 0:
        return body_rows(client, (bodyA, linkIndexA, bodyB, linkIndexB), distance)
    side_a: list[End] = []
    side_b: list[End] = []
    if collisionShapeA >= 0:
        side_a = _shape(
            client, "A", collisionShapeA, collisionShapePositionA, collisionShapeOrientationA, bodyA
        )
    if collisionShapeB >= 0:
        side_b = _shape(
            client, "B", collisionShapeB, collisionShapePositionB, collisionShapeOrientationB, bodyB
        )
    if not side_a and not side_b:
        return body_rows(client, (bodyA, linkIndexA, bodyB, linkIndexB), distance)
    side_a += body_ends(client, bodyA, linkIndexA)
    side_b += body_ends(client, bodyB, linkIndexB)
    found = shape_points(client.world, side_a, side_b, distance)
    return tuple([_closest_row(*points) for points in found])


def _closest_row(a: End, b: End, found: Distance) -> _Row:
    return (
        0, a.body, b.body, a.link, b.link, found.point_a, found.point_b, found.normal,
        found.distance, *NO_FORCES,
    )  # fmt: skip


def _shape(
    client: Client,
    side: str,
    shape_id: int,
    position: Sequence[float],
    orientation: Sequence[float],
    body: int,
) -> list[End]:
    group = client.collision_shapes.get(shape_id)
    if group is None:
        if client.say_once(f"collisionShape{side}={shape_id}"):
            tell(f"there is no collisionShape{side}={shape_id}")
        return []
    pose = Pose(
        vector(position, 3, f"collisionShapePosition{side} needs 3 numbers"),
        wxyz(vector(orientation, 4, f"collisionShapeOrientation{side} needs 4 numbers")),
    )
    return [shape_end(body, group.shapes, pose)]
