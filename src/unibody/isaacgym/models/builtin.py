"""Built-in shapes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from unibody.core.assets.description import Asset, Link, Pose, Shape, ShapeKind
from unibody.core.assets.mass.defaults import complete
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.models.describe import describe
from unibody.isaacgym.models.model import Model
from unibody.isaacgym.types.asset_options import AssetOptions
from unibody.isaacgym.types.fields import to_float

# Turns the z axis of a shape into the x axis of the body.
_ALONG_X = Pose(quat=(math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0))
_THINNEST = 1e-4  # m: scripts make tables without a thickness


def box(x: float, y: float, z: float, options: AssetOptions) -> Model:
    """Make a box from its extents [m]; one of zero becomes a tenth of a millimetre."""
    extents = max(x, _THINNEST), max(y, _THINNEST), max(z, _THINNEST)
    return _model("box", Shape(ShapeKind.BOX, extents), options)


def sphere(radius: float, options: AssetOptions) -> Model:
    """Make a sphere [m]."""
    return _model("sphere", Shape(ShapeKind.SPHERE, (radius,)), options)


def capsule(radius: float, length: float, options: AssetOptions) -> Model:
    """Make a capsule along x; ``length`` is that of its straight part [m]."""
    shape = Shape(ShapeKind.CAPSULE, (radius, length), pose=_ALONG_X)
    return _model("capsule", shape, options)


def extent(name: str, value: Any, *, zero: bool = False) -> float:
    """Check a length [m].

    Args:
        name: Of the argument.
        value: What was passed.
        zero: Whether zero is allowed.

    Raises:
        ArgumentTypeError: It is no positive number.
    """
    length = to_float(name, value)
    if not (math.isfinite(length) and (length > 0.0 or (zero and length == 0.0))):
        raise ArgumentTypeError(name, value, "zero or more" if zero else "a positive number")
    return float(value)


def _model(name: str, shape: Shape, options: AssetOptions) -> Model:
    link = Link(name, visuals=[shape], collisions=[replace(shape)])
    link.inertial.stated = False
    tree = Asset(name, [link])
    complete(tree, options.density)
    return describe(tree, set(), options)
