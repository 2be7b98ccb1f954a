"""Springs of a model as a solver took them, and whether a script has changed them since."""

from __future__ import annotations

from typing import Any

import numpy as np

ENDS = ("spring_indices",)
EVERYTHING = (*ENDS, "spring_rest_length", "spring_stiffness", "spring_damping")


class SpringChanges:
    """What a model says of its springs, whatever arrays it says it in.

    Args:
        model: The model.
        names: Its arrays that are looked at.
    """

    def __init__(self, model: Any, names: tuple[str, ...] = EVERYTHING) -> None:
        self._model, self._names = model, names
        self._known = [values.copy() for values in self._present()]

    def _present(self) -> list[Any]:
        found = (getattr(self._model, name) for name in self._names)
        return [np.zeros(0) if array is None else array.numpy() for array in found]

    def found(self) -> bool:
        """Whether something has changed since the last call, or since the start."""
        if not self._model.spring_count:
            return False
        present = self._present()
        if all(map(np.array_equal, present, self._known)):
            return False
        self._known = [values.copy() for values in present]
        return True
