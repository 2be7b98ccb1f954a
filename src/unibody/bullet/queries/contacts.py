"""Contact points and closest points."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

from unibody.bullet.arguments.vectors import vector
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import clients, get_client
from unibody.bullet.convert import wxyz
from unibody.bullet.errors import error
from unibody.bullet.queries.closest import (
    NO_FORCES,
    End,
    body_ends,
    body_rows,
    shape_end,
    shape_points,
)
from unibody.bullet.queries.contact_rows import ALL_LINKS, Row, RowMaker, Wanted
from unibody.bullet.queries.soft_contacts import with_soft_contacts
from unibody.core.assets.description import Pose
from unibody.core.engine.contacts.arrays import (
    contacts_revision,
    detect_contacts,
    read_contacts,
)
from unibody.core.engine.queries.distances import Distance
from unibody.core.engine.world.world import World
from unibody.errors import EngineError
from unibody.notices import tell

_ORIGIN = (0.0, 0.0, 0.0)
_NO_TURN = (0.0, 0.0, 0.0, 1.0)
_MOST = 2**31 - 1  # of an integer of C


class _Table:
    """The contacts of one state of a world as PyBullet's tuples.

    Attributes:
        version: Of the world, that it was last seen to hold for.
        found: What was asked for of it before.
    """

    def __init__(self, client: Client, made_of: tuple[World, int, float]) -> None:
        self.made_of = made_of
        self.version = -1
        self.found: dict[Wanted, tuple[Row, ...]] = {}
        contacts = with_soft_contacts(client, read_contacts(made_of[0]))
        self._maker = RowMaker(contacts, made_of[2])

    def find(self, wanted: Wanted) -> tuple[Row, ...]:
        """Those that are wanted; see ``Wanted``.

        Raises:
            TypeError: One of the four is no integer.
            OverflowError: One of them is more than PyBullet's integers hold.
        """
        a, b, link_a, link_b = map(index, wanted)
        if max(a, b, link_a, link_b) > _MOST:
            raise OverflowError("signed integer is greater than maximum")
        key = max(a, -1), max(b, -1), max(link_a, ALL_LINKS), max(link_b, ALL_LINKS)
        rows = self.found[key] = self._maker.rows(key)
        return rows


def _table(client: Client) -> _Table:
    world, table = client.scene.world, client.contact_table
    made_of = world, contacts_revision(world), client.impulse_scale
    if table is None or table.made_of != made_of:
        table = client.contact_table = _Table(client, made_of)
    table.version = world.version
    return table


def getContactPoints(
    bodyA: int = -1,
    bodyB: int = -1,
    linkIndexA: int = ALL_LINKS,
    linkIndexB: int = ALL_LINKS,
    physicsClientId: int = 0,
) -> tuple[Row, ...]:
    """Contact points of the last step, or of performCollisionDetection if that came later.

    Poses set since do not change them. Points at a small positive distance, of shapes that are
    about to touch, are among them. In the deformable world soft bodies are, too: the place of a
    particle is then the position on A.

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
        TypeError: One of the four is no integer.
    """
    try:
        client = clients[physicsClientId]
    except (KeyError, TypeError):
        client = get_client(physicsClientId)
    table, world = client.contact_table, client.scene.running
    if table is None or client.scene.stale or world is None or table.version != world.version:
        table = _table(client)
    wanted = (bodyA, bodyB, linkIndexA, linkIndexB)
    found = table.found.get(wanted)
    return table.find(wanted) if found is None else found


def performCollisionDetection(physicsClientId: int = 0) -> None:
    """Find the contacts of the present poses without a step.

    A contact that was there before keeps the force it had; a new one has none.

    Raises:
        error: Not connected, or more bodies touch at once than fit into memory.
    """
    client = get_client(physicsClientId)
    try:
        detect_contacts(client.world)
    except EngineError as problem:
        raise error(f"performCollisionDetection failed. {problem}") from problem
    if client.contact_table is not None:
        client.contact_table.version = -1


def getClosestPoints(
    bodyA: int,
    bodyB: int,
    distance: float,
    linkIndexA: int = ALL_LINKS,
    linkIndexB: int = ALL_LINKS,
    collisionShapeA: int = -1,
    collisionShapeB: int = -1,
    collisionShapePositionA: Sequence[float] = _ORIGIN,
    collisionShapePositionB: Sequence[float] = _ORIGIN,
    collisionShapeOrientationA: Sequence[float] = _NO_TURN,
    collisionShapeOrientationB: Sequence[float] = _NO_TURN,
    physicsClientId: int = 0,
) -> tuple[Row, ...]:
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


def _closest_row(a: End, b: End, found: Distance) -> Row:
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
