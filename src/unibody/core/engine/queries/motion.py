"""How far bodies get in a step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unibody.core.engine.records.body import LinkRecord
from unibody.core.engine.spec.contact_margins import write_reach
from unibody.core.engine.world.world import World


class Swept(NamedTuple):
    """A link whose shapes find contacts as far away as they get in the next step."""

    state: LinkRecord
    threshold: float  # m: motion in a step up to which nothing is done; 0 stops it altogether


class LookAhead:
    """Lets links find contacts as far away as they get in the next step.

    A contact at a distance only keeps its gap from being crossed within the step, so that nothing
    is passed through, however fast. It holds until the world is compiled again, or its bodies
    change.
    """

    def __init__(self, world: World, links: Sequence[Swept], share: float) -> None:
        """Note where the links are.

        Args:
            world: The running world.
            links: The links.
            share: How far ahead all shapes see anyway, in sizes of their body (see ``reaches``).
        """
        self._made_of = world, world.generation, share
        write_reach(world.model, share)  # takes away what a link has had that is no longer here
        model = world.model
        links = [link for link in links if link.state.ngeom]
        spans = [range(state.geom, state.geom + state.ngeom) for state, _ in links]
        self._bodies = np.array([state.body for state, _ in links], dtype=np.intp)
        self._roots = model.body_rootid[self._bodies]
        self._thresholds = np.array([threshold for _, threshold in links])
        # a plane has no radius
        self._radii = np.array([max(model.geom_rbound[span].max(), 0.0) for span in spans])
        self._geoms = np.array([geom for span in spans for geom in span], dtype=np.intp)
        self._link = np.repeat(np.arange(len(links)), [len(span) for span in spans])
        self._least = np.array(model.geom_margin[self._geoms])

    def serves(self, world: World, share: float) -> bool:
        """Whether the world is the one that this was made for, as it was."""
        return self._made_of == (world, world.generation, share)

    def write(self) -> None:
        """Write how far ahead the links see in the coming step."""
        if not len(self._geoms):
            return
        world = self._made_of[0]
        model, data = world.model, world.data
        world.velocities()
        twist = data.cvel[self._bodies].T
        x, y, z = (data.xpos[self._bodies] - data.subtree_com[self._roots]).T
        p, q, r, u, v, w = twist
        u, v, w = u + q * z - r * y, v + r * x - p * z, w + p * y - q * x
        speed = np.sqrt(u * u + v * v + w * w) + self._radii * np.sqrt(p * p + q * q + r * r)
        dt = model.opt.timestep
        ahead = (speed + math.hypot(*model.opt.gravity) * dt) * dt
        ahead[(self._thresholds <= 0.0) | (ahead <= self._thresholds)] = 0.0
        model.geom_margin[self._geoms] = np.maximum(self._least, ahead[self._link])
