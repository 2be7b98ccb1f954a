"""Domain randomisation and curricula as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.batch.sampling import Rule
from unibody.envs.draws import Draws
from unibody.envs.simulation import Simulation
from unibody.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True)
class Randomization:
    """A parameter that every episode draws anew.

    Attributes:
        parameter: MuJoCo's name of a field of the model, such as "body_mass", "geom_friction",
            "dof_damping" or "opt.gravity".
        rule: How samples are drawn, and what they do to the value of the model.
        links: Names of the links it is about, of fields with a row a body; none: all rows.
        shared: One sample a world, in place of one for each number.
        grows: The change is the larger the higher the world's level is: none on the lowest, all of
            it on the highest; see ``Curriculum``.
    """

    parameter: str
    rule: Rule
    links: tuple[str, ...] = ()
    shared: bool = False
    grows: bool = False


STANDARD: tuple[Randomization, ...] = (
    Randomization("body_mass", Rule("uniform", (0.8, 1.25), "scaling"), shared=True),
    Randomization("geom_friction", Rule("uniform", (0.7, 1.3), "scaling"), shared=True),
    Randomization("dof_damping", Rule("loguniform", (0.5, 2.0), "scaling")),
    Randomization("dof_armature", Rule("uniform", (0.8, 1.25), "scaling")),
)
"""What every task bears: masses, friction, damping and inertia of motors."""

GROWING: tuple[Randomization, ...] = tuple(replace(each, grows=True) for each in STANDARD)
"""The same for a curriculum: little at first."""


@dataclass(frozen=True, slots=True)
class Curriculum:
    """Levels of difficulty: a world rises after a good episode and falls after a bad one.

    Attributes:
        levels: How many there are.
        rise: Progress from which a world rises.
        fall: Progress below which it falls.
    """

    levels: int
    rise: float = 0.8
    fall: float = 0.3

    def moved(self, level: NDArray[np.int64], progress: NDArray[Any]) -> NDArray[np.int64]:
        """The levels after episodes that went so well."""
        change = (progress >= self.rise).astype(np.int64) - (progress < self.fall)
        return np.clip(level + change, 0, self.levels - 1)


class Randomizer:
    """Draws parameters of worlds anew, each time from what they were at first."""

    def __init__(
        self, sim: Simulation, chosen: Sequence[Randomization], curriculum: Curriculum | None = None
    ) -> None:
        """Make one.

        Args:
            sim: The worlds.
            chosen: What is drawn anew.
            curriculum: Says how many levels there are, for what grows with them.

        Raises:
            InvalidArgumentError: There is no such parameter or link, the parameter has no row a
                body, or it is to grow without a curriculum.
        """
        self._sim = sim
        self._highest = 0 if curriculum is None else curriculum.levels - 1
        self._parts: list[tuple[Randomization, Any, NDArray[Any], Any]] = []
        for each in chosen:
            if each.grows and self._highest < 1:
                allowed = "a curriculum of at least 2 levels, where a change grows"
                raise InvalidArgumentError("curriculum", curriculum, allowed)
            values = sim.worlds.parameter(each.parameter)
            rows: Any = slice(None)
            if each.links:
                if values.shape[1:2] != (sim.worlds.model.nbody,):
                    raise InvalidArgumentError(
                        "parameter", each.parameter, "one with a row a body, where links are named"
                    )
                rows = np.array([sim.link(name) for name in each.links])
            self._parts.append((each, values, np.array(values[0]), rows))

    def apply(self, worlds: NDArray[np.int64], draws: Draws, step: int) -> None:
        """Draw anew for some worlds."""
        for each, values, original, rows in self._parts:
            chosen = np.broadcast_to(original[rows], (len(worlds), *original[rows].shape))
            shape = (len(worlds), *(1 for _ in chosen.shape[1:])) if each.shared else chosen.shape
            result = each.rule.combined(chosen, each.rule.sample(draws, shape, step))
            if each.rule.buckets:
                result = each.rule.bucketed(result)
            if each.grows:
                share = self._sim.level[worlds] / self._highest
                share = share.reshape(-1, *(1 for _ in chosen.shape[1:]))
                result = chosen + share * (result - chosen)
            if each.links:
                values[worlds[:, None], rows] = result
            else:
                values[worlds] = result
        if self._parts:
            self._sim.worlds.parameters_changed(worlds)
