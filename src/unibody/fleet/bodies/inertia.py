"""Moments of inertia of bodies, from their shapes."""

from __future__ import annotations

import numpy as np

from unibody.core.assets.description import Asset, Link, Pose, Shape, ShapeKind
from unibody.fleet.bodies.bounding_boxes import box_at
from unibody.fleet.bodies.templates import BodyTemplate


def inertia(mass: float, shapes: list[Shape]) -> tuple[float, float, float]:
    """Principal moments of a body of one shape, or of the box around several [kg m^2]."""
    if mass <= 0.0 or not shapes:
        return 0.0, 0.0, 0.0
    only = shapes[0]
    if len(shapes) == 1 and only.pose == Pose():
        if only.kind is ShapeKind.SPHERE:
            moment = 0.4 * mass * only.size[0] ** 2
            return moment, moment, moment
        if only.kind is ShapeKind.CYLINDER:
            radius, length = only.size
            across = mass * (3.0 * radius**2 + length**2) / 12.0
            return across, across, 0.5 * mass * radius**2
    x, y, z = _edges(shapes)
    third = mass / 12.0
    return third * (y * y + z * z), third * (x * x + z * z), third * (x * x + y * y)


def _edges(shapes: list[Shape]) -> tuple[float, float, float]:
    template = BodyTemplate(Asset("", [Link("", collisions=shapes)]))
    low, high = box_at(template, np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
    x, y, z = (float(value) for value in high - low)
    return x, y, z
