"""Domain randomisation of what a selection reads and writes."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.batch.sampling import Rule
from unibody.core.batch.selection import Selection


class Randomizer:
    """Changes a quantity of a selection by a rule, again and again from what it was at first.

    The same seed gives the same values, on every device.
    """

    def __init__(self, selection: Selection, name: str, rule: Rule, seed: int) -> None:
        """Make one.

        Args:
            selection: What is changed.
            name: The quantity, see ``fields``.
            rule: How.
            seed: Of the samples.

        Raises:
            InvalidArgumentError: There is no such quantity.
        """
        self._selection = selection
        self._name = name
        self._rule = rule
        self._draws = np.random.default_rng(seed)
        found: Any = selection.read(name)
        self._original = np.array(found.numpy() if hasattr(found, "numpy") else found)

    def apply(self, step: int = 0, chosen: Any = None) -> None:
        """Draw samples for all that is selected, or for ``chosen`` entries, and write the results.

        Args:
            step: Where the schedule is.
            chosen: As in ``Selection.write``.
        """
        original = self._original if chosen is None else self._original[np.asarray(chosen)]
        value = self._rule.combined(original, self._rule.sample(self._draws, original.shape, step))
        if self._rule.buckets:
            value = self._rule.bucketed(value)
        self._selection.write(self._name, value, chosen)
