"""What all environments stand on."""

from __future__ import annotations

from dataclasses import dataclass

from unibody.core.assets.description import Asset, Link, Pose, Shape, ShapeKind


@dataclass(slots=True)
class Ground:
    """A part of the ground, in the frame of the world.

    Attributes:
        asset: Its shape.
        pose: Where it is; a plane is moved along with the environment, the others are not.
        friction: Of its surface.
        restitution: Of its surface.
        level: It is the same under all environments.
    """

    asset: Asset
    pose: Pose
    friction: float
    restitution: float
    level: bool = False


def level_plane(*, height: float = 0.0, friction: float = 1.0, restitution: float = 0.0) -> Ground:
    """A level plane at a height [m]."""
    shape = Shape(ShapeKind.PLANE)
    link = Link("ground", collisions=[shape], visuals=[shape])
    asset = Asset("ground", [link], fixed_base=True, static=True)
    return Ground(asset, Pose((0.0, 0.0, height)), friction, restitution, level=True)
