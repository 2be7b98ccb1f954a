"""Rods: capsules that follow a line or a graph, held together by cable joints."""

from __future__ import annotations

from collections import deque
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from unibody import notices
from unibody.errors import InvalidArgumentError
from unibody.newton import convert
from unibody.newton.builder.bodies import add_articulation, add_link
from unibody.newton.builder.joints import add_joint_cable
from unibody.newton.builder.pairs import add_shape_collision_filter_pair
from unibody.newton.builder.shapes import add_shape_capsule
from unibody.newton.builder.tables import Tables
from unibody.newton.configs import ShapeConfig
from unibody.newton.dialect import with_later_names

_SHORTEST = 1e-9  # of a segment [m]
_ALIGNED = 0.999  # cosine between a segment and the z axis of its frame


class _Rod(NamedTuple):
    """The segments of a rod and what holds them together."""

    ends: list[tuple[int, int]]
    lengths: list[float]
    bodies: list[int]
    stretch: tuple[float, float]
    bend: tuple[float, float]
    key: str | None

    def anchor(self, edge: int, node: int) -> wp.transform:
        height = 0.0 if node == self.ends[edge][0] else self.lengths[edge]
        return wp.transform(wp.vec3(0.0, 0.0, height), wp.quat_identity())


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
        span = np.subtract(*(np.array([float(v) for v in p]) for p in positions[:-3:-1]))
        length = float(np.linalg.norm(span))
        rod = _Rod(
            [(i, i + 1) for i in range(count)],
            [length] * count,
            bodies,
            (1e9 if stretch_stiffness is None else stretch_stiffness, stretch_damping or 0.0),
            (bend_stiffness or 0.0, bend_damping or 0.0),
            key,
        )
        top, bottom = rod.anchor(count - 1, count), rod.anchor(0, 0)
        pair = (bodies[-1], bodies[0])
        joints.append(_join(self, rod, pair, (top, bottom), length, len(joints) + 1))
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
    rod = _Rod([(int(u), int(v)) for u, v in edges], [], [], stretch, bend, key)
    for number, (u, v) in enumerate(rod.ends):
        turn = None if quaternions is None else quaternions[number]
        _add_segment(self, rod, number, (points[u], points[v]), turn, radius, cfg)
    nodes: list[list[int]] = [[] for _ in points]
    for number, ends in enumerate(rod.ends):
        for node in ends:
            nodes[node].append(number)
    joints, joined = (_trees if wrap_in_articulation else _stars)(self, rod, nodes)
    if junction_collision_filter:
        _filter_junctions(self, rod, nodes, joined)
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


def _join(
    self: Tables,
    rod: _Rod,
    pair: tuple[int, int],
    anchors: tuple[wp.transform, wp.transform],
    length: float,
    number: int,
) -> int:
    return add_joint_cable(
        self,
        pair[0],
        pair[1],
        anchors[0],
        anchors[1],
        stretch_stiffness=rod.stretch[0] / length,
        stretch_damping=rod.stretch[1],
        bend_stiffness=rod.bend[0] / length,
        bend_damping=rod.bend[1],
        key=f"{rod.key}_cable_{number}" if rod.key else None,
    )


def _join_at(self: Tables, rod: _Rod, edges: tuple[int, int], node: int, number: int) -> int:
    parent, child = edges
    length = 0.5 * (rod.lengths[parent] + rod.lengths[child])
    anchors = (rod.anchor(parent, node), rod.anchor(child, node))
    return _join(self, rod, (rod.bodies[parent], rod.bodies[child]), anchors, length, number)


def _stars(
    self: Tables, rod: _Rod, nodes: list[list[int]]
) -> tuple[list[int], set[tuple[int, int]]]:
    """Join all edges of a node to the first of them."""
    joints: list[int] = []
    joined = set()
    for node, edges in enumerate(nodes):
        for child in edges[1:]:
            joints.append(_join_at(self, rod, (edges[0], child), node, len(joints) + 1))
            joined.add(_pair(rod.bodies[edges[0]], rod.bodies[child]))
    return joints, joined


def _trees(
    self: Tables, rod: _Rod, nodes: list[list[int]]
) -> tuple[list[int], set[tuple[int, int]]]:
    """Join edges as trees, breadth first, one articulation for each."""
    joints: list[int] = []
    joined = set()
    reached: set[int] = set()
    part = 0
    for start in range(len(rod.ends)):
        if start in reached:
            continue
        reached.add(start)
        queue, members, own = deque([start]), [], []
        while queue:
            parent = queue.popleft()
            members.append(parent)
            for node in rod.ends[parent]:
                for child in nodes[node]:
                    if child in reached:
                        continue
                    reached.add(child)
                    own.append(
                        _join_at(self, rod, (parent, child), node, len(joints) + len(own) + 1)
                    )
                    joined.add(_pair(rod.bodies[parent], rod.bodies[child]))
                    queue.append(child)
        _tell_cycle(rod, members)
        if own:
            name = f"{rod.key}_articulation" + (f"_{part}" if part else "") if rod.key else None
            add_articulation(self, own, key=name)
        joints += own
        part += 1
    return joints, joined


def _tell_cycle(rod: _Rod, members: list[int]) -> None:
    nodes = {node for edge in members for node in rod.ends[edge]}
    if len(members) > len(nodes) - 1:
        notices.tell(
            "add_rod_graph: the edges make a cycle (closed loop), which an articulation cannot"
            " hold: it stays open. wrap_in_articulation=False closes it"
        )


def _filter_junctions(
    self: Tables, rod: _Rod, nodes: list[list[int]], joined: set[tuple[int, int]]
) -> None:
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
