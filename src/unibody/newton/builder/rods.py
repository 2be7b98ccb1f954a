"""Rods: capsules that follow a line or a graph, held together by cable joints."""

from __future__ import annotations

from collections import deque
from itertools import combinations
from typing import Any

import numpy as np
import warp as wp

from unibody import notices
from unibody.errors import InvalidArgumentError
from unibody.newton import convert
from unibody.newton.builder.bodies import add_articulation, add_link
from unibody.newton.builder.joints import add_joint_cable, add_joint_free
from unibody.newton.builder.pairs import add_shape_collision_filter_pair
from unibody.newton.builder.shapes import add_shape_capsule
from unibody.newton.builder.tables import Tables
from unibody.newton.configs import ShapeConfig
from unibody.newton.dialect import with_later_names

_SHORTEST = 1e-9  # of a segment [m]
_ALIGNED = 0.999  # cosine between a segment and the z axis of its frame
_BACKWARDS = wp.quat(0.0, 1.0, 0.0, 0.0)  # half a turn about y


class Segments:
    """The segments of a rod and what holds them together.

    Args:
        ends: Pairs of nodes, one a segment.
        key: Beginning of all names, or None.

    Attributes:
        lengths: Of segments [m].
        bodies: Of segments.
        has_free_roots: Whether trees of segments begin with a free joint.
        follows_trees: Whether frames of joints of trees point away from the root, whichever way
            segments do.
    """

    has_free_roots = False
    follows_trees = False

    def __init__(self, ends: list[tuple[int, int]], key: str | None) -> None:
        self.ends: list[tuple[int, int]] = ends
        self.key: str | None = key
        self.lengths: list[float] = []
        self.bodies: list[int] = []

    def anchor(self, edge: int, node: int) -> wp.transform:
        """The place of a node in a segment's body."""
        height = 0.0 if node == self.ends[edge][0] else self.lengths[edge]
        return wp.transform(wp.vec3(0.0, 0.0, height), wp.quat_identity())

    def edges_of_nodes(self, count: int) -> list[list[int]]:
        """The segments that end at each node."""
        nodes: list[list[int]] = [[] for _ in range(count)]
        for number, ends in enumerate(self.ends):
            for node in ends:
                nodes[node].append(number)
        return nodes

    def root(self, builder: Tables, edge: int) -> list[int]:
        """The joints above a tree of segments that begins with one."""
        if not self.has_free_roots:
            return []
        return [add_joint_free(builder, self.bodies[edge], collision_filter_parent=None)]

    def first(self, nodes: list[list[int]]) -> int:
        """The segment that the first tree begins with, from the segments of nodes."""
        del nodes
        return 0

    def finish(self, builder: Tables, joints: list[int], key: str | None) -> None:
        """Make the joints of a tree an articulation."""
        add_articulation(builder, joints, key=key)

    def join(
        self,
        builder: Tables,
        edges: tuple[int, int],
        anchors: tuple[wp.transform, wp.transform],
        number: int,
    ) -> int:
        """Join two segments."""
        key = f"{self.key}_cable_{number}" if self.key else None
        return self._add_joint(builder, edges, anchors, key)

    def _add_joint(
        self,
        builder: Tables,
        edges: tuple[int, int],
        anchors: tuple[wp.transform, wp.transform],
        key: str | None,
    ) -> int:
        raise NotImplementedError


class _Rod(Segments):
    """A rod of cable joints.

    Args:
        ends: Pairs of nodes, one a segment.
        key: Beginning of all names, or None.
        stretch: E A [N] and damping.
        bend: E I [N m^2] and damping.
    """

    def __init__(
        self,
        ends: list[tuple[int, int]],
        key: str | None,
        stretch: tuple[float, float],
        bend: tuple[float, float],
    ) -> None:
        super().__init__(ends, key)
        self.stretch, self.bend = stretch, bend

    def _add_joint(
        self,
        builder: Tables,
        edges: tuple[int, int],
        anchors: tuple[wp.transform, wp.transform],
        key: str | None,
    ) -> int:
        length = 0.5 * (self.lengths[edges[0]] + self.lengths[edges[1]])
        return add_joint_cable(
            builder,
            self.bodies[edges[0]],
            self.bodies[edges[1]],
            anchors[0],
            anchors[1],
            stretch_stiffness=self.stretch[0] / length,
            stretch_damping=self.stretch[1],
            bend_stiffness=self.bend[0] / length,
            bend_damping=self.bend[1],
            key=key,
        )


@with_later_names
def add_rod(
    self: Tables,
    positions: list[Any],
    quaternions: list[Any] | None = None,
    radius: float = 0.1,
    cfg: ShapeConfig | None = None,
    stretch_stiffness: float | None = None,
    stretch_damping: float | None = None,
    bend_stiffness: float | None = None,
    bend_damping: float | None = None,
    closed: bool = False,
    key: str | None = None,
    wrap_in_articulation: bool = True,
) -> tuple[list[int], list[int]]:
    """Add a rod along a line.

    Args:
        self: The builder.
        positions: Ends of the segments, one more than these [m].
        quaternions: One a segment, whose z points along it; None: the shortest turn to it.
        radius: m.
        cfg: Properties of the capsules.
        stretch_stiffness: E A [N]; None: 1e9.
        stretch_damping: None: 0.
        bend_stiffness: E I [N m^2]; None: 0.
        bend_damping: None: 0.
        closed: Whether the last segment is joined to the first, by a joint of no articulation.
        key: Beginning of all names.
        wrap_in_articulation: Whether the joints are one articulation.

    Returns:
        Bodies and joints.
    """
    if len(positions) < 3:
        raise InvalidArgumentError(
            "positions", f"{len(positions)} points", "at least 3: a rod has at least 2 segments"
        )
    count = len(positions) - 1
    bodies, joints = add_rod_graph(
        self,
        positions,
        [(i, i + 1) for i in range(count)],
        radius,
        cfg,
        stretch_stiffness,
        stretch_damping,
        bend_stiffness,
        bend_damping,
        key,
        False,
        quaternions,
        False,
    )
    if wrap_in_articulation:
        add_articulation(self, joints, key=f"{key}_articulation" if key else None)
    if closed:
        stretch = (1e9 if stretch_stiffness is None else stretch_stiffness, stretch_damping or 0.0)
        bend = (bend_stiffness or 0.0, bend_damping or 0.0)
        rod = _Rod([(i, i + 1) for i in range(count)], key, stretch, bend)
        span = np.subtract(*(np.array([float(v) for v in p]) for p in positions[:-3:-1]))
        rod.lengths, rod.bodies = [float(np.linalg.norm(span))] * count, bodies
        anchors = (rod.anchor(count - 1, count), rod.anchor(0, 0))
        joints.append(rod.join(self, (count - 1, 0), anchors, len(joints) + 1))
    return bodies, joints


@with_later_names
def add_rod_graph(
    self: Tables,
    node_positions: list[Any],
    edges: list[tuple[int, int]],
    radius: float = 0.1,
    cfg: ShapeConfig | None = None,
    stretch_stiffness: float | None = None,
    stretch_damping: float | None = None,
    bend_stiffness: float | None = None,
    bend_damping: float | None = None,
    key: str | None = None,
    wrap_in_articulation: bool = True,
    quaternions: list[Any] | None = None,
    junction_collision_filter: bool = True,
) -> tuple[list[int], list[int]]:
    """Add rods along the edges of a graph.

    Args:
        self: The builder.
        node_positions: Ends of segments [m].
        edges: Pairs of nodes, one a segment.
        radius: m.
        cfg: Properties of the capsules.
        stretch_stiffness: E A [N]; None: 1e9.
        stretch_damping: None: 0.
        bend_stiffness: E I [N m^2]; None: 0.
        bend_damping: None: 0.
        key: Beginning of all names.
        wrap_in_articulation: Whether the joints are trees, one articulation for each part of the
            graph that hangs together; else each node joins all of its edges.
        quaternions: One an edge, whose z points along it; None: the shortest turn to it.
        junction_collision_filter: Whether segments at a node of three or more never collide.

    Returns:
        Bodies, one an edge, and joints.
    """
    stretch = (1e9 if stretch_stiffness is None else stretch_stiffness, stretch_damping or 0.0)
    bend = (bend_stiffness or 0.0, bend_damping or 0.0)
    for name, value in (("stretch_stiffness", stretch[0]), ("bend_stiffness", bend[0])):
        if value < 0.0:
            raise InvalidArgumentError(name, value, "a number >= 0")
    points = _points(node_positions, edges, quaternions)
    rod = _Rod([(int(u), int(v)) for u, v in edges], key, stretch, bend)
    for number, (u, v) in enumerate(rod.ends):
        turn = None if quaternions is None else quaternions[number]
        _add_segment(self, rod, number, (points[u], points[v]), turn, radius, cfg)
    nodes = rod.edges_of_nodes(len(points))
    joints, joined = (join_as_trees if wrap_in_articulation else join_as_stars)(self, rod, nodes)
    if junction_collision_filter:
        filter_junctions(self, rod, nodes, joined)
    return rod.bodies, joints


def _points(positions: Any, edges: Any, quaternions: Any) -> np.ndarray:
    if len(positions) < 2:
        raise InvalidArgumentError("node_positions", f"{len(positions)} points", "at least 2 nodes")
    if len(edges) < 1:
        raise InvalidArgumentError("edges", edges, "at least 1 edge")
    if quaternions is not None and len(quaternions) != len(edges):
        there = f"{len(quaternions)} quaternions"
        raise InvalidArgumentError("quaternions", there, f"{len(edges)}, one an edge")
    points = np.array([[float(v) for v in point] for point in positions])
    for number, (u, v) in enumerate(edges):
        if not (0 <= u < len(points) and 0 <= v < len(points)):
            allowed = f"node indices 0 to {len(points) - 1}"
            raise InvalidArgumentError(f"edges[{number}]", (u, v), allowed)
        if u == v:
            raise InvalidArgumentError(f"edges[{number}]", (u, v), "two nodes, not one with itself")
        length = float(np.linalg.norm(points[v] - points[u]))
        if not length > _SHORTEST:
            raise InvalidArgumentError(f"length of edges[{number}]", length, f"> {_SHORTEST} m")
    return points


def _add_segment(
    self: Tables,
    rod: _Rod,
    number: int,
    ends: tuple[np.ndarray, np.ndarray],
    turn: Any,
    radius: float,
    cfg: ShapeConfig | None,
) -> None:
    span = ends[1] - ends[0]
    length = float(np.linalg.norm(span))
    if turn is None:
        turn = wp.quat_between_vectors(wp.vec3(0.0, 0.0, 1.0), wp.vec3(*(span / length)))
    elif convert.rotation(turn)[:, 2] @ span / length < _ALIGNED:
        along = f"a rotation whose z points along the edge, {(span / length).tolist()}"
        raise InvalidArgumentError(f"quaternions[{number}]", tuple(turn), along)
    middle = wp.vec3(0.0, 0.0, 0.5 * length)
    body = add_link(
        self,
        xform=wp.transform(wp.vec3(*ends[0]), wp.quat(*turn)),
        com=middle,
        key=f"{rod.key}_edge_body_{number}" if rod.key else None,
    )
    add_shape_capsule(
        self,
        body,
        xform=wp.transform(middle, wp.quat_identity()),
        radius=radius,
        half_height=0.5 * length,
        cfg=cfg,
        key=f"{rod.key}_edge_capsule_{number}" if rod.key else None,
    )
    rod.bodies.append(body)
    rod.lengths.append(length)


def _join_at(
    self: Tables,
    rod: Segments,
    edges: tuple[int, int],
    node: int,
    number: int,
    *,
    directed: bool = False,
) -> int:
    """Join two segments at a node; `directed`: as parent and child of a tree."""
    anchors = (rod.anchor(edges[0], node), rod.anchor(edges[1], node))
    if directed and rod.follows_trees:
        turned = (node == rod.ends[edges[0]][0], node == rod.ends[edges[1]][1])
        half = wp.transform(wp.vec3(), _BACKWARDS)
        first, second = (a * half if t else a for a, t in zip(anchors, turned, strict=True))
        anchors = (first, second)
    return rod.join(self, edges, anchors, number)


def join_as_stars(
    self: Tables, rod: Segments, nodes: list[list[int]]
) -> tuple[list[int], set[tuple[int, int]]]:
    """Join all edges of a node to the first of them."""
    joints: list[int] = []
    joined = set()
    for node, edges in enumerate(nodes):
        for child in edges[1:]:
            joints.append(_join_at(self, rod, (edges[0], child), node, len(joints) + 1))
            joined.add(_pair(rod.bodies[edges[0]], rod.bodies[child]))
    return joints, joined


def join_as_trees(
    self: Tables, rod: Segments, nodes: list[list[int]]
) -> tuple[list[int], set[tuple[int, int]]]:
    """Join edges as trees, breadth first, one articulation for each."""
    joints: list[int] = []
    joined = set()
    reached: set[int] = set()
    part = 0
    first = rod.first(nodes)
    for start in (first, *range(len(rod.ends))):
        if start in reached:
            continue
        reached.add(start)
        queue, members, own = deque([start]), [], []
        roots = rod.root(self, start)
        while queue:
            parent = queue.popleft()
            members.append(parent)
            for node in rod.ends[parent]:
                for child in nodes[node]:
                    if child in reached:
                        continue
                    reached.add(child)
                    number = len(joints) + len(own) + 1
                    pair = (parent, child)
                    own.append(_join_at(self, rod, pair, node, number, directed=True))
                    joined.add(_pair(rod.bodies[parent], rod.bodies[child]))
                    queue.append(child)
        _tell_cycle(rod, members)
        if roots or own:
            name = f"{rod.key}_articulation" + (f"_{part}" if part else "") if rod.key else None
            rod.finish(self, [*roots, *own], name)
        joints += own
        part += 1
    return joints, joined


def _tell_cycle(rod: Segments, members: list[int]) -> None:
    nodes = {node for edge in members for node in rod.ends[edge]}
    if len(members) > len(nodes) - 1:
        notices.tell(
            "add_rod_graph: the edges make a cycle (closed loop), which an articulation cannot"
            " hold: it stays open. wrap_in_articulation=False closes it"
        )


def filter_junctions(
    self: Tables, rod: Segments, nodes: list[list[int]], joined: set[tuple[int, int]]
) -> None:
    """Let segments of a node of three or more that no joint connects never collide."""
    for edges in nodes:
        if len(edges) < 3:
            continue
        for pair in combinations(sorted({rod.bodies[edge] for edge in edges}), 2):
            if pair in joined:
                continue
            for first in self.body_shapes[pair[0]]:
                for second in self.body_shapes[pair[1]]:
                    add_shape_collision_filter_pair(self, first, second)


def _pair(first: int, second: int) -> tuple[int, int]:
    return (first, second) if first < second else (second, first)
