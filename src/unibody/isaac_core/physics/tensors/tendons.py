"""Tendons of articulations; a stage that has spatial ones is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unibody.isaac_core.physics.scene import StageActor
from unibody.isaac_core.physics.tendons import NUMBERS
from unibody.isaac_core.physics.tensors.absent import AbsentTendons
from unibody.isaac_core.physics.tensors.base import LARGEST, Array, Shared, View


class TendonView(AbsentTendons, View):
    """The tendons of articulations.

    Where an articulation has fewer tendons than another, arrays hold zeros.
    """

    def __init__(self, shared: Shared, paths: Sequence[str]) -> None:
        super().__init__(shared, paths)
        self._owners: list[StageActor] = []

    @property
    def max_fixed_tendons(self) -> int:
        """Fixed tendons of the articulation with the most."""
        return max((len(owner.tendons) for owner in self._owners), default=0)

    @property
    def max_spatial_tendons(self) -> int:
        """Spatial tendons of the articulation with the most."""
        return 0

    def get_fixed_tendon_stiffnesses(self) -> Any:
        """Stiffnesses of the springs, (count, tendons)."""
        return self._numbers_of("stiffness")

    def get_fixed_tendon_dampings(self) -> Any:
        """Dampings, (count, tendons)."""
        return self._numbers_of("damping")

    def get_fixed_tendon_limit_stiffnesses(self) -> Any:
        """Stiffnesses of the springs that hold the bounds, (count, tendons)."""
        return self._numbers_of("limit_stiffness")

    def get_fixed_tendon_limits(self) -> Any:
        """Bounds of the lengths, (count, tendons, 2)."""
        return self._numbers_of("limits", 2)

    def get_fixed_tendon_rest_lengths(self) -> Any:
        """Lengths at rest, (count, tendons)."""
        return self._numbers_of("rest_length")

    def get_fixed_tendon_offsets(self) -> Any:
        """What is added to the lengths, (count, tendons)."""
        return self._numbers_of("offset")

    def _numbers_of(self, name: str, width: int = 1) -> Any:
        self._usable()
        found = np.zeros((self.count, self.max_fixed_tendons, width))
        for row, owner in enumerate(self._owners):
            for column, tendon in enumerate(owner.tendons):
                found[row, column] = getattr(tendon, name)
        found = np.clip(found, -LARGEST, LARGEST)
        return self._give(found if width > 1 else found[..., 0])

    def set_fixed_tendon_properties(
        self,
        stiffnesses: Any,
        dampings: Any,
        limit_stiffnesses: Any,
        limits: Any,
        rest_lengths: Any,
        offsets: Any,
        indices: Any,
    ) -> bool:
        """Set all properties: arrays as the getters give them."""
        rows, most = self._rows(indices), self.max_fixed_tendons
        plain = (stiffnesses, dampings, limit_stiffnesses, rest_lengths, offsets)
        names = ("stiffnesses", "dampings", "limit_stiffnesses", "rest_lengths", "offsets")
        values = [
            self._take(value, (most,), rows, name) for name, value in zip(names, plain, strict=True)
        ]
        bounds = self._take(limits, (most, 2), rows, "limits")
        for place, row in enumerate(rows.tolist()):
            owner = self._owners[row]
            for column, tendon in enumerate(owner.tendons):
                for name, array in zip(NUMBERS, values, strict=True):
                    setattr(tendon, name, float(array[place, column]))
                tendon.limits = _bounds(bounds[place, column])
                tendon.take()
                self._batch.spring_changed(owner.env, tendon)
        return True


def _bounds(pair: Array) -> tuple[float, float]:
    """Bounds of a length, infinite where a number stands for none."""
    low, high = (
        float(value) if abs(value) < LARGEST else float(np.sign(value)) * float("inf")
        for value in pair
    )
    return low, high
