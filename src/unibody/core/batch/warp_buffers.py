# pyright: basic
"""The arrays of a batch on a Warp device, with copies in host memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.batch.buffers import Buffers, Memory
from unibody.core.batch.index import Index
from unibody.core.batch.layout import StateLayout
from unibody.errors import InvalidArgumentError

_FIELDS = (
    "roots",
    "dofs",
    "bodies",
    "contacts",
    "dof_forces",
    "sensors",
    "efforts",
    "stepped_efforts",
    "position_targets",
    "velocity_targets",
    "reporting",
    "controls",
)
_TYPES = {
    np.dtype(np.int64): wp.int32,
    np.dtype(np.int32): wp.int32,
    np.dtype(np.int8): wp.int8,
    np.dtype(np.bool_): wp.bool,
}


class WarpBuffers(Buffers):
    """See ``Buffers``; arrays are Warp's."""

    def __init__(
        self, device: str, layout: StateLayout, counts: tuple[int, int, int, int], shapes: int
    ) -> None:
        self.device: wp.Device = wp.get_device("cpu" if device == "warp-cpu" else device)
        super().__init__(layout, counts, shapes)
        self._host = Buffers(layout, counts, shapes)
        for name in _FIELDS:
            setattr(self, name, self.put(getattr(self._host, name)))

    @property
    def host(self) -> Buffers:  # noqa: D102
        return self._host

    def adopt(self, index: Index) -> None:  # noqa: D102
        super().adopt(index)
        for name in _FIELDS:
            self.to_device(name)

    def to_host(self, name: str) -> None:  # noqa: D102
        getattr(self._host, name)[...] = getattr(self, name).numpy()

    def to_device(self, name: str) -> None:  # noqa: D102
        getattr(self, name).assign(getattr(self._host, name))

    def indices(self, numbers: Any) -> Any:  # noqa: D102
        return self.put(np.asarray(numbers, np.int32))

    def put(self, array: Any) -> Any:  # noqa: D102
        kind = _TYPES.get(array.dtype, wp.float32)
        return wp.array(array, dtype=kind, device=self.device)

    def fetch(self, array: Any) -> Any:  # noqa: D102
        return array.numpy()

    def zeros(self, shape: tuple[int, ...]) -> Any:  # noqa: D102
        return wp.zeros(shape, dtype=float, device=self.device)

    def memory_of(self, name: str, memory: Memory) -> Any:  # noqa: D102
        where = self.device.ordinal if self.device.is_cuda else -1
        if memory.ordinal != where:
            given = "cpu" if memory.ordinal < 0 else f"cuda:{memory.ordinal}"
            raise InvalidArgumentError(f"{name}.device", given, self.device.alias)
        dtype = wp.float32 if memory.floats else wp.int32
        return wp.array(ptr=memory.address, dtype=dtype, shape=memory.shape, device=self.device)

    def checked(self, name: str, indices: Any, count: int) -> Any:  # noqa: D102
        super().checked(name, indices.numpy(), count)
        return indices

    def step_efforts(self, *, forced: bool, kept: bool = False) -> None:  # noqa: D102
        if forced:
            wp.copy(self.stepped_efforts, self.efforts)
            if not kept:
                self.efforts.zero_()
                self._host.efforts[:] = 0.0
            self._idle = False
        elif not self._idle:
            self.stepped_efforts.zero_()
            self._idle = True
