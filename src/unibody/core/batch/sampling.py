"""Rules of domain randomisation: how samples are drawn, and what they do to a quantity.

A sample is added to a quantity or multiplies it. Over a schedule, samples go from what changes
nothing to what the rule says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from unibody.errors import InvalidArgumentError

_NEUTRAL = {"additive": 0.0, "scaling": 1.0}


class Draws(Protocol):
    """What samples are drawn with: ``np.random.Generator``, or ``np.random`` itself."""

    def uniform(self, low: Any, high: Any, size: Any, /) -> Any:
        """Samples between two numbers."""
        ...

    def normal(self, loc: Any, scale: Any, size: Any, /) -> Any:
        """Samples about a number."""
        ...


@dataclass(frozen=True, slots=True)
class Rule:
    """How samples are drawn, and what they do.

    Attributes:
        distribution: "uniform", "loguniform" or "gaussian".
        bounds: Lowest and highest sample; of "gaussian" mean and spread, see ``sample``.
        operation: "additive" or "scaling".
        schedule: None: the rule holds at once; "linear" or "constant": it does after
            ``schedule_steps``, growing until then or not.
        schedule_steps: Length of the schedule.
        buckets: Number of values that a result may take; 0: any.
    """

    distribution: str
    bounds: tuple[Any, Any]
    operation: str
    schedule: str | None = None
    schedule_steps: int = 0
    buckets: int = 0

    def share(self, step: int) -> float:
        """How much of the randomisation applies at a step, in [0, 1].

        Raises:
            InvalidArgumentError: There is no such schedule.
        """
        if self.schedule is None:
            return 1.0
        if self.schedule == "linear":
            return min(step, self.schedule_steps) / self.schedule_steps
        if self.schedule == "constant":
            return float(step >= self.schedule_steps)
        raise InvalidArgumentError("schedule", self.schedule, "'linear' or 'constant'")

    def neutral(self) -> float:
        """The sample that changes nothing.

        Raises:
            InvalidArgumentError: There is no such operation.
        """
        found = _NEUTRAL.get(self.operation)
        if found is None:
            raise InvalidArgumentError("operation", self.operation, "'additive' or 'scaling'")
        return found

    def scheduled(self, sample: Any, step: int) -> Any:
        """A sample that was drawn elsewhere, as far as the schedule has come."""
        share = self.share(step)
        return sample * share + self.neutral() * (1.0 - share)

    def sample(self, draws: Draws, shape: Any, step: int = 0) -> Any:
        """Samples of a shape at a step of the schedule.

        Those of "gaussian" have the second number as their standard deviation.

        Raises:
            InvalidArgumentError: There is no such distribution, operation or schedule.
        """
        share = self.share(step)
        rest = self.neutral() * (1.0 - share)
        first, second = self.bounds
        first = first * share + rest
        if self.distribution == "gaussian":
            return draws.normal(first, second * share, shape)
        second = second * share + rest
        if self.distribution == "uniform":
            return draws.uniform(first, second, shape)
        if self.distribution == "loguniform":
            return np.exp(draws.uniform(np.log(first), np.log(second), shape))
        allowed = "'uniform', 'loguniform' or 'gaussian'"
        raise InvalidArgumentError("distribution", self.distribution, allowed)

    def combined(self, original: Any, sample: Any) -> Any:
        """What a quantity becomes."""
        return original * sample if self.operation == "scaling" else original + sample

    def bucketed(self, value: Any) -> Any:
        """The greatest bucket that is not above a value; the lowest for what is below all."""
        first, second = self.bounds
        if self.distribution == "uniform":
            low, high = first, second
        else:
            # Two standard deviations to either side, if the second number is a variance.
            low, high = first - 2.0 * np.sqrt(second), first + 2.0 * np.sqrt(second)
        buckets = low + (high - low) / self.buckets * np.arange(self.buckets)
        place = np.searchsorted(buckets, np.asarray(value), side="right") - 1
        return buckets[np.maximum(place, 0)]
