"""RoundShape: what cones, capsules and cylinders have in common."""

from __future__ import annotations

from unibody.isaac_core.objects.shape import Shape


class RoundShape(Shape):
    """A shape with a radius and a height; a capsule's height is without the caps."""

    def get_radius(self) -> float:
        """Its radius."""
        return self._get_size("radius")

    def set_radius(self, radius: float) -> None:
        """Set that."""
        self._set_size("radius", radius)

    def get_height(self) -> float:
        """Its height."""
        return self._get_size("height")

    def set_height(self, height: float) -> None:
        """Set that."""
        self._set_size("height", height)
