"""Shapes of bodies that a joint connects, and that do not collide."""

from __future__ import annotations

from unibody.newton.builder.pairs import add_shape_collision_filter_pair
from unibody.newton.builder.tables import Tables
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import ShapeFlags


def is_filtered(self: Tables, joint: int) -> bool:
    """Whether the shapes at the two ends of a joint do not collide."""
    held = self.joint_parent[joint] >= 0 or is_after_first_of_1()
    return held and self.joint_collision_filter_parent[joint]


def filtered_neighbours(self: Tables, body: int) -> list[int]:
    """Bodies whose shapes do not collide with those of a body, because of their joints.

    Joints since the last call are added to what is kept: that there are fewer of them, or others,
    `collapse_fixed_joints` says.
    """
    seen, found = self._filtered_bodies
    for joint in range(seen, self.joint_count):
        if is_filtered(self, joint):
            parent, child = self.joint_parent[joint], self.joint_child[joint]
            found.setdefault(parent, []).append(child)
            found.setdefault(child, []).append(parent)
    self._filtered_bodies = (self.joint_count, found)
    return found.get(body, [])


def filter_ends(self: Tables, parent: int, child: int) -> None:
    """Let the shapes that two bodies have by now not collide."""
    for first in self.body_shapes[parent]:
        for second in self.body_shapes[child]:
            if self.shape_flags[first] & self.shape_flags[second] & ShapeFlags.COLLIDE_SHAPES:
                add_shape_collision_filter_pair(self, first, second)
