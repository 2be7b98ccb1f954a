"""Force sensors with worlds on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.rotations import rotations
from unibody.core.batch.exchange import Exchange
from unibody.core.batch.sensor_layout import SensorLayout

Array = npt.NDArray[np.float64]

_where: Any = np.where  # of types that their stubs do not know
_joined: Any = np.concatenate


class CpuSensors:
    """The sensors of one group with worlds on the CPU."""

    def __init__(self, exchange: Exchange, layout: SensorLayout) -> None:
        self._exchange = exchange
        self._bodies, self._rows = layout.bodies, layout.rows
        self._offset = layout.offsets
        self._turn = rotations(layout.quats)
        self._forward = layout.forward.astype(float)[:, None]
        self._solver = layout.solver.astype(float)[:, None]
        self._in_world = layout.in_world[:, None]
        self._before = self._momenta()

    def _momenta(self) -> tuple[Array, Array]:
        """Linear and angular momentum of the bodies, in the world's axes, (worlds, sensors, 3)."""
        exchange, bodies = self._exchange, self._bodies
        w = exchange.worlds
        linear, angular, quats = w.linear[:, bodies], w.angular[:, bodies], w.xquat[:, bodies]
        mass = exchange.parameter("body_mass")[:, bodies, None]
        axes = rotations(quats) @ rotations(exchange.parameter("body_iquat")[:, bodies])
        moments = exchange.parameter("body_inertia")[:, bodies]
        local = np.einsum("wsji,wsj->wsi", axes, angular) * moments
        return mass * linear, np.einsum("wsij,wsj->wsi", axes, local)

    def note(self) -> None:
        """Keep the momenta of now."""
        self._before = self._momenta()

    def read(self, dt: float, out: Any) -> None:
        """Write the rows of this group."""
        momentum, spin = self._momenta()
        force = (momentum - self._before[0]) / dt
        torque = (spin - self._before[1]) / dt
        contact = self._exchange.worlds.contact_wrench[:, self._bodies]
        contact_force, contact_torque = contact[..., :3], contact[..., 3:]
        force = self._forward * (force - contact_force) + self._solver * contact_force
        torque = self._forward * (torque - contact_torque) + self._solver * contact_torque
        turns = rotations(self._exchange.worlds.xquat[:, self._bodies])
        coms = self._exchange.parameter("body_ipos")[:, self._bodies]
        arm = np.einsum("wsij,wsj->wsi", turns, coms - self._offset)  # sensor to mass centre
        torque = torque + np.cross(arm, force)
        frames = turns @ self._turn
        local_force = np.einsum("wsji,wsj->wsi", frames, force)
        local_torque = np.einsum("wsji,wsj->wsi", frames, torque)
        values = _joined(
            [
                _where(self._in_world, force, local_force),
                _where(self._in_world, torque, local_torque),
            ],
            axis=-1,
        )
        out[self._rows] = values.reshape(-1, 6)
