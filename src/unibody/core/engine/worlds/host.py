"""Worlds of a device with their arrays in host memory, for code that is written in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.worlds.base import Array, Ids, Worlds

_WRITTEN = (
    "qpos", "qvel", "mocap_pos", "mocap_quat", "drives", "equalities",
    "qfrc_applied", "xfrc_applied",
)  # fmt: skip
_STEPPED = ("qpos", "qvel", "drives", "contact_wrench", "dof_force")
_PLACED = ("xpos", "xquat", "xipos", "linear", "angular")


class HostWorlds(Worlds):
    """Worlds on a Warp device; see ``Worlds``. Arrays are NumPy's, in host memory, float32.

    What is written into them goes to the device before the next step, and what changed there comes
    back after it: about 30 numbers a degree of freedom and 30 a body, world and step. Code that
    works on the device itself uses ``WarpWorlds``.
    """

    def __init__(self, worlds: Worlds) -> None:
        """Take over worlds whose arrays are Warp's."""
        self._worlds = worlds
        self.count, self.device = worlds.count, worlds.device
        self.model, self.records = worlds.model, worlds.records
        for name in (*_WRITTEN, *_STEPPED, *_PLACED):
            setattr(self, name, _host(getattr(worlds, name)))
        self._parameters: dict[str, Array] = {}

    def _push(self) -> None:
        """Bring what was written here to the device."""
        for name in _WRITTEN:
            _copy_in(getattr(self._worlds, name), getattr(self, name))

    def _pull(self, names: tuple[str, ...]) -> None:
        """Bring what changed there to the host."""
        for name in names:
            getattr(self, name)[...] = _host(getattr(self._worlds, name))

    def step(self, substeps: int = 1) -> None:  # noqa: D102
        self._push()
        self._worlds.step(substeps)
        self._pull(_STEPPED)

    def step_and_place(self, substeps: int = 1) -> None:  # noqa: D102
        self._push()
        self._worlds.step_and_place(substeps)
        self._pull(_STEPPED + _PLACED)

    def kinematics(self) -> None:  # noqa: D102
        self._push()
        self._worlds.kinematics()
        self._pull(_PLACED)

    def jacobians(self, record: BodyRecord) -> Array:  # noqa: D102
        return _host(self._worlds.jacobians(record))

    def mass_matrices(self, record: BodyRecord) -> Array:  # noqa: D102
        return _host(self._worlds.mass_matrices(record))

    def parameter(self, name: str) -> Array:
        """See ``Worlds``; what is written goes to the device with ``parameters_changed``."""
        if name not in self._parameters:
            self._parameters[name] = _host(self._worlds.parameter(name))
        return self._parameters[name]

    def parameters_changed(self, worlds: Ids = None) -> None:  # noqa: D102
        self._push()  # what follows from masses is found in the present state
        for name, values in self._parameters.items():
            _copy_in(self._worlds.parameter(name), values)
        self._worlds.parameters_changed(worlds)

    def set_home(self) -> None:  # noqa: D102
        self._push()
        self._worlds.set_home()

    def reset(self, worlds: Ids = None) -> None:  # noqa: D102
        self._push()
        self._worlds.reset(worlds)
        self._pull(_WRITTEN)

    def snapshot(self, out: Any = None) -> Any:  # noqa: D102
        self._push()
        return self._worlds.snapshot(out)

    def restore(self, state: Any) -> None:  # noqa: D102
        self._worlds.restore(state)
        self._pull(_WRITTEN)

    def copy_into(self, world: int, model: Any, data: Any, states: Any = None) -> None:  # noqa: D102
        self._push()
        self._worlds.copy_into(world, model, data, states)

    def memory(self) -> int:
        """Bytes held on the device for all worlds together."""
        return self._worlds.memory()


def _host(values: Any) -> Array:
    """A copy of a device's array in host memory."""
    return np.array(values.numpy())


def _copy_in(target: Any, values: Array) -> None:
    if values.size:
        wp.copy(target, wp.array(values, dtype=target.dtype, device="cpu", copy=False))
