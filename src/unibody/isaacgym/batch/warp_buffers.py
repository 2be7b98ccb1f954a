# pyright: basic
"""The tensors of a simulation on a Warp device, with copies in host memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.isaacgym.batch.buffers import Buffers
from unibody.isaacgym.types.tensors import CPU, Tensor

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
)
_TYPES = {np.dtype(np.int32): wp.int32, np.dtype(np.int8): wp.int8, np.dtype(np.bool_): wp.bool}


class WarpBuffers(Buffers):
    """See ``Buffers``; tensors are Warp arrays."""

    def __init__(self, device: str, actors: int, bodies: int, dofs: int, sensors: int) -> None:
        super().__init__(actors, bodies, dofs, sensors)
        self.device = wp.get_device("cpu" if device == "warp-cpu" else device)
        self._host = Buffers(actors, bodies, dofs, sensors)
        self.modes: Any = None
        for name in _FIELDS:
            setattr(self, name, self.put(getattr(self._host, name)))

    @property
    def host(self) -> Buffers:  # noqa: D102
        return self._host

    def adopt(self, actors: Any) -> None:  # noqa: D102
        super().adopt(actors)
        for name in _FIELDS:
            self.to_device(name)

    def to_host(self, name: str) -> None:  # noqa: D102
        getattr(self._host, name)[...] = getattr(self, name).numpy()

    def to_device(self, name: str) -> None:  # noqa: D102
        getattr(self, name).assign(getattr(self._host, name))

    def modes_changed(self, modes: Any) -> None:  # noqa: D102
        self.modes = self.put(modes)

    def indices(self, numbers: Any) -> Any:  # noqa: D102
        return self.put(numbers)

    def put(self, array: Any) -> Any:  # noqa: D102
        kind = _TYPES.get(array.dtype, wp.float32)
        return wp.array(array, dtype=kind, device=self.device)

    def fetch(self, array: Any) -> Any:  # noqa: D102
        return array.numpy()

    def zeros(self, shape: tuple[int, ...]) -> Any:  # noqa: D102
        return wp.zeros(shape, dtype=float, device=self.device)

    def own(self, name: str, tensor: Tensor) -> Any:  # noqa: D102
        where = self.device.ordinal if self.device.is_cuda else CPU
        if tensor.device != where:
            given = "cpu" if tensor.device == CPU else f"cuda:{tensor.device}"
            raise InvalidArgumentError(f"{name}.device", given, self.device.alias)
        floats = tensor.dtype.name == "DTYPE_FLOAT32"
        return wp.array(
            ptr=tensor.data_address,
            dtype=wp.float32 if floats else wp.int32,
            shape=tensor.shape,
            device=self.device,
        )

    def checked(self, name: str, indices: Any, count: int) -> Any:  # noqa: D102
        super().checked(name, indices.numpy(), count)
        return indices

    def step_efforts(self, *, forced: bool) -> None:  # noqa: D102
        if forced:
            wp.copy(self.stepped_efforts, self.efforts)
            self.efforts.zero_()
            self._host.efforts[:] = 0.0
            self._idle = False
        elif not self._idle:
            self.stepped_efforts.zero_()
            self._idle = True
