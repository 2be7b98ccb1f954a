"""The two sides of a closest-point query, and the pairs of shapes between them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, NamedTuple

from unibody.bullet.clients.client import Client
from unibody.core.assets.description import Pose, Shape
from unibody.core.engine.queries.distances import Distance, GeomPairs, ShapeSpace
from unibody.core.engine.world.world import World

SHAPE_LINK = -2  # the link index PyBullet gives a shape that belongs to no body
_MAX_SPACES = 16
_MAX_PAIRS = 256  # of bodies or links
_NOWHERE = Pose()
NO_FORCES = (0.0, 0.0, (0.0, 0.0, 0.0), 0.0, (0.0, 0.0, 0.0))  # the last fields of a tuple
Row = tuple[Any, ...]


class End(NamedTuple):
    """One rigid group of shapes of a side."""

    body: int  # id, -1: none
    link: int
    shapes: list[Shape]
    mujoco_body: int  # -1: it is not part of the world, and ``pose`` says where it is
    geoms: range  # in the world's model
    pose: Pose = _NOWHERE  # T_world_shapes


_Found = tuple[End, End, Distance]


def body_ends(client: Client, body_id: int, link: int) -> list[End]:
    """The links of a body that have shapes; all of them, or one."""
    body = client.bodies.get(body_id)
    if body is None:
        return []
    links = body.record.links
    if link == SHAPE_LINK:
        chosen = range(len(links))
    else:
        chosen = range(link + 1, link + 2) if -1 <= link < len(links) - 1 else range(0)
    client.scene.world  # noqa: B018 - edits are compiled before geoms are named
    return [
        End(
            body.id,
            index - 1,
            state.link.collisions,
            state.body,
            range(state.geom, state.geom + state.ngeom),
        )
        for index in chosen
        if (state := links[index]).ngeom
    ]


def shape_end(body_id: int, shapes: list[Shape], pose: Pose) -> End:
    """A shape that is put into the world for one query."""
    return End(body_id, SHAPE_LINK, shapes, -1, range(0), pose)


class _BodyPairs(GeomPairs):
    """The pairs of shapes between two sides of a world, for one generation of it."""

    def __init__(self, world: World, side_a: list[End], side_b: list[End]) -> None:
        self.world, self.generation = world, world.generation
        ends_a = [(end, geom) for end in side_a for geom in end.geoms]
        ends_b = [(end, geom) for end in side_b for geom in end.geoms]
        names = [(0, a.body, b.body, a.link, b.link) for a, _ in ends_a for b, _ in ends_b]
        pairs = [(i, j) for _, i in ends_a for _, j in ends_b]
        super().__init__(world, pairs, names, NO_FORCES)


def body_rows(client: Client, key: tuple[int, int, int, int], limit: float) -> tuple[Row, ...]:
    """GetClosestPoints' tuples for links of two bodies, within ``limit`` [m].

    ``key`` are body and link of A, and those of B; see `body_ends`.
    """
    world = client.scene.world
    pairs = client.body_pairs.get(key)
    if pairs is None or pairs.world is not world or pairs.generation != world.generation:
        if len(client.body_pairs) > _MAX_PAIRS:
            client.body_pairs.clear()
        sides = body_ends(client, *key[:2]), body_ends(client, *key[2:])
        world.kinematics()
        pairs = client.body_pairs[key] = _BodyPairs(world, *sides)
    if world.kinematics_version != world.version:
        world.kinematics()
    return pairs.rows(limit)


def shape_points(
    world: World,
    side_a: list[End],
    side_b: list[End],
    limit: float,
) -> Iterator[_Found]:
    """Closest points where shapes take part that are not in the world, within ``limit`` [m]."""
    ends = side_a + side_b
    space = _space([end.shapes for end in ends])
    world.kinematics()
    for group, end in enumerate(ends):
        if end.mujoco_body < 0:
            space.place(group, end.pose.pos, end.pose.quat)
        else:
            data = world.data
            space.place(group, data.xpos[end.mujoco_body], data.xquat[end.mujoco_body])
    for i, a in enumerate(side_a):
        for j, b in enumerate(side_b, start=len(side_a)):
            for found in space.distances(i, j, limit):
                yield a, b, found


# By the identity of the lists of shapes, which the entry keeps alive.
_spaces: OrderedDict[tuple[int, ...], tuple[ShapeSpace, list[list[Shape]]]] = OrderedDict()


def _space(groups: list[list[Shape]]) -> ShapeSpace:
    """The model of some groups of shapes, kept for the next query with the same ones."""
    key = tuple(map(id, groups))
    if key in _spaces:
        _spaces.move_to_end(key)
        return _spaces[key][0]
    space = ShapeSpace(groups)
    _spaces[key] = space, groups
    if len(_spaces) > _MAX_SPACES:
        _spaces.popitem(last=False)
    return space
