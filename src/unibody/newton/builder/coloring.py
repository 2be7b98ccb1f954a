"""Colours: groups of particles, and of bodies, of which no two act on one another."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton.builder.entries import color_groups
from unibody.newton.builder.tables import Tables
from unibody.newton.builder.tendons import pairs_of_bodies
from unibody.newton.builder.validation import check_references
from unibody.newton.enums import ColoringAlgorithm


def color(
    self: Tables,
    include_bending: bool = False,
    balance_colors: bool = True,
    target_max_min_color_ratio: float = 1.1,
    coloring_algorithm: ColoringAlgorithm = ColoringAlgorithm.MCS,
) -> None:
    """Colour particles by elements, and bodies by joints and spans of tendons.

    Args:
        self: The builder.
        include_bending: Whether bending edges count as elements.
        balance_colors: Whether the groups are made of about equal size.
        target_max_min_color_ratio: Of sizes, at which that is enough.
        coloring_algorithm: How.

    Raises:
        ValueError: An element refers to a particle, or a joint to a body, that does not exist.
    """
    if not isinstance(coloring_algorithm, ColoringAlgorithm):
        allowed = ", ".join(str(value) for value in ColoringAlgorithm)
        raise InvalidArgumentError("coloring_algorithm", coloring_algorithm, allowed)
    check_references(self)  # the graph is read without looking
    how = (balance_colors, target_max_min_color_ratio, coloring_algorithm)
    if self.particle_count:
        self.particle_color_groups = _groups(
            self.particle_count, _particle_pairs(self, include_bending), *how
        )
    joints = zip(self.joint_parent, self.joint_child, strict=True)
    pairs = [pair for pair in joints if min(pair) >= 0]
    pairs += pairs_of_bodies(self.tendon_start, self.tendon_guide_body, self.tendon_guide_flags)
    if self.body_count:
        edges = np.array(pairs, dtype=np.int32).reshape(-1, 2)
        self.body_color_groups = _groups(self.body_count, _unique(edges), *how)


def set_coloring(self: Tables, particle_color_groups: list[Any]) -> None:
    """Take groups of particles as they are given."""
    self.particle_color_groups = color_groups(particle_color_groups, "particle_color_groups")


def combined(first: list[Any], second: list[Any]) -> list[Any]:
    """The colours of two sets that do not touch: the largest of one with the smallest of other."""
    if not first or not second:
        return list(first) or list(second)
    more, fewer = (first, second) if len(first) >= len(second) else (second, first)
    more = sorted(more, key=len)
    fewer = sorted(fewer, key=len, reverse=True)
    together = [np.concatenate(pair) for pair in zip(more, fewer, strict=False)]
    return together + [np.asarray(group) for group in more[len(fewer) :]]


def _particle_pairs(self: Tables, bending: bool) -> np.ndarray:
    tables = [(self.tri_indices, _stiff(self.tri_materials)), (self.tet_indices, None)]
    if bending:
        properties = np.array(self.edge_bending_properties).reshape(-1, 2)
        tables.append((self.edge_indices, properties.any(axis=1)))
    found = [np.array(self.spring_indices, dtype=np.int32).reshape(-1, 2)[:0]]
    for rows, active in tables:
        corners = np.array(rows, dtype=np.int32)
        if not corners.size:
            continue
        if active is not None:
            corners = corners[active]
        for a, b in combinations(range(corners.shape[1]), 2):
            found.append(corners[:, [a, b]])
    return _unique(np.concatenate(found))


def _stiff(materials: list[Any]) -> np.ndarray:
    """Triangles that resist shear or a change of area: those of soft bodies only collide."""
    return (np.array(materials).reshape(-1, 5)[:, :2] != 0.0).any(axis=1)


def _unique(pairs: np.ndarray) -> np.ndarray:
    pairs = np.sort(pairs[(pairs >= 0).all(axis=1)], axis=1)
    return np.unique(pairs, axis=0).astype(np.int32)


def _groups(
    count: int,
    pairs: np.ndarray,
    balance: bool,
    ratio: float,
    algorithm: ColoringAlgorithm,
) -> list[np.ndarray]:
    """Groups of nodes of a graph that have no edge among them."""
    if not len(pairs):
        return [np.arange(count, dtype=np.int32)]
    edges = wp.array(pairs, dtype=wp.int32, device="cpu")
    colors = wp.zeros(count, dtype=wp.int32, device="cpu")
    found = wp.utils.graph_coloring_assign(
        edges, colors, wp.utils.GraphColoringAlgorithm(algorithm.value)
    )
    if balance:
        wp.utils.graph_coloring_balance(edges, colors, found, ratio)
    colors_of = colors.numpy()
    return [np.flatnonzero(colors_of == color).astype(np.int32) for color in range(found)]
