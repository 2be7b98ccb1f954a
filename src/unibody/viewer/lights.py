"""The lights of a page: a sun that casts shadows, and a sky that is brighter where the sun is."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from unibody.viewer.items import Vec3

_FULL = math.pi  # intensity at which a white surface that faces the light is white
_GROUND = 0.22  # light on what faces away from the sun
_SUN_SHARE = 0.76  # of the light on what faces the sun, at the darkest shadows
_WHITE = (255, 255, 255)


@dataclasses.dataclass(frozen=True, slots=True)
class Sun:
    """The light that casts shadows.

    Attributes:
        direction: Towards it, world frame, of any length; zero is straight above.
        darkness: Of its shadows, 0 (not seen) to 1.
        shadows: Whether it casts any.
        map_size: Of the map of shadows in pictures and videos [pixels]; a page has its own.
        map_width: Part of the world that map covers [m]; 0: about what is seen.
    """

    direction: Vec3 = (-0.4, -0.5, 1.0)
    darkness: float = 0.5
    shadows: bool = True
    map_size: int = 2048
    map_width: float = 0.0

    @property
    def towards(self) -> Vec3:
        """``direction``, of length 1."""
        length = float(np.linalg.norm(self.direction))
        if not 0.0 < length < math.inf:
            return (0.0, 0.0, 1.0)
        x, y, z = (float(value) / length for value in self.direction)
        return x, y, z


SUN = Sun()


class Lights:
    """The lights of a viser server.

    What faces the sun has the same light whatever the share of shadows: the sky gives what the sun
    does not. The sky's light falls off from the side of the sun to the other, as a surface turns.

    Args:
        server: Of viser.

    Attributes:
        sun: As it is.
    """

    def __init__(self, server: Any) -> None:
        self._scene = server.scene
        self._scene.configure_default_lights(enabled=False)
        self._scene.configure_environment_map(None)
        self.sun = Sun(darkness=0.0)
        self.show(SUN)

    def show(self, sun: Sun) -> None:
        """Change the lights; nothing is sent if they are as before."""
        if sun == self.sun:
            return
        self.sun: Sun = sun
        cast = min(max(sun.darkness, 0.0), 1.0)
        share = _SUN_SHARE * cast
        shade = round(255 * _GROUND / (1.0 - share))
        self._scene.add_light_hemisphere(
            "/lights/sky",
            sky_color=_WHITE,
            ground_color=(shade, shade, shade),
            intensity=_FULL * (1.0 - share),
            position=sun.towards,
        )
        self._scene.add_light_directional(
            "/lights/sun",
            color=_WHITE,
            intensity=_FULL * share,
            cast_shadow=sun.shadows and share > 0.0,
            position=sun.towards,
        )
