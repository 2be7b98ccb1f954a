"""The light that a script asks for with configureDebugVisualizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unibody.bullet import constants as c
from unibody.bullet.debug.visualizer import y_is_up
from unibody.viewer.lights import SUN, Sun

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client

_OVER_Y = (-SUN.direction[0], SUN.direction[2], SUN.direction[1])  # where y is up


def sun_of(client: Client) -> Sun:
    """The light of a client's window, of its videos and of pages that are recorded."""
    camera = client.camera
    return Sun(
        camera.get("lightPosition", _OVER_Y if y_is_up(client) else SUN.direction),
        camera.get("shadowMapIntensity", SUN.darkness),
        bool(client.visualizer.get(c.COV_ENABLE_SHADOWS, 1)),
        int(camera.get("shadowMapResolution", SUN.map_size)),
        float(camera.get("shadowMapWorldSize", SUN.map_width)),
    )
