"""Links that are too fast to be seen only where they are at the beginning of a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unibody.core.engine.queries.motion import LookAhead, Swept

if TYPE_CHECKING:
    from unibody.bullet.substeps.tick import SteppedClient


class SweptSpheres:
    """The links of a client with a swept sphere; they take part in every substep."""

    def __init__(self) -> None:
        self._radius: dict[tuple[int, int], float] = {}  # by body and link, base -1 [m]
        self._ahead: LookAhead | None = None  # None: links have come or gone

    def set(self, body_id: int, link: int, radius: float) -> None:
        """Give a link a swept sphere [m], or take it away with radius 0."""
        self._radius[body_id, link] = radius
        self._ahead = None

    def forget(self, body_id: int) -> None:
        """Forget the links of a body that is removed; another may get its id."""
        for key in [key for key in self._radius if key[0] == body_id]:
            del self._radius[key]
            self._ahead = None

    def before_tick(self, client: SteppedClient) -> None:
        """Let each of them find contacts as far ahead as it will get in the coming step."""
        world, share = client.world, client.scene.options.contact_reach
        if self._ahead is None or not self._ahead.serves(world, share):
            links = [
                Swept(client.bodies[body_id].record.links[link + 1], radius / 2)
                for (body_id, link), radius in self._radius.items()
            ]
            self._ahead = LookAhead(world, links, share)
        self._ahead.write()

    def after_tick(self, client: SteppedClient) -> None:
        """Nothing is left to do."""
