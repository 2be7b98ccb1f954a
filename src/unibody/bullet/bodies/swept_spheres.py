"""Giving links swept spheres."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

from unibody.bullet.substeps.swept_spheres import SweptSpheres

if TYPE_CHECKING:
    from unibody.bullet.handles.body import Body


def sweep(body: Body, link: int, radius: float) -> None:
    """Give a link a swept sphere, or take it away with radius 0."""
    client, number = body.client, index(link)
    if client.swept_links is None:
        if radius == 0.0:
            return
        client.swept_links = SweptSpheres()
        client.ticks.append(client.swept_links)
    client.swept_links.set(body.id, number, radius)
