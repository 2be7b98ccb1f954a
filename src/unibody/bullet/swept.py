"""Links that are too fast to be seen only where they are at the beginning of a step."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

from unibody.core.engine.queries.motion import reach_ahead

if TYPE_CHECKING:
    from unibody.bullet.client import Client
    from unibody.bullet.handles import Body


class SweptLinks:
    """The links of a client with a swept sphere; they take part in every substep."""

    def __init__(self) -> None:
        self.radius: dict[tuple[int, int], float] = {}  # by body and link, base -1 [m]

    def before_tick(self, client: Client) -> None:
        """Let each of them find contacts as far ahead as it will get in the coming step."""
        world, share = client.world, client.scene.options.contact_reach
        for (body_id, link), radius in list(self.radius.items()):
            body = client.bodies.get(body_id)
            if body is None:
                del self.radius[body_id, link]
            else:
                reach_ahead(world, body.record.links[link + 1], radius / 2, share)

    def after_tick(self, client: Client) -> None:
        """Nothing is left to do."""


def sweep(body: Body, link: int, radius: float) -> None:
    """Give a link a swept sphere, or take it away with radius 0."""
    client, number = body.client, index(link)
    if client.swept_links is None:
        if radius == 0.0:
            return
        client.swept_links = SweptLinks()
        client.ticks.append(client.swept_links)
    client.swept_links.radius[body.id, number] = radius
