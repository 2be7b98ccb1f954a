"""Domain randomisation and curricula as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    """

    parameter: str
    rule: Rule
    links: tuple[str, ...] = ()
    shared: bool = False


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

    def __init__(self, sim: Simulation, chosen: Sequence[Randomization]) -> None:
        """Make one.

        Raises:
            InvalidArgumentError: There is no such parameter or link, or the parameter has no row
                a body.
        """
        self._sim = sim
        self._parts: list[tuple[Randomization, Any, NDArray[Any], Any]] = []
        for each in chosen:
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
            if each.links:
                values[worlds[:, None], rows] = result
            else:
                values[worlds] = result
        if self._parts:
            self._sim.worlds.parameters_changed(worlds)
