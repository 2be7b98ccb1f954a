# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false
"""Force sensors on a Warp device: nothing comes to the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.batch.sensor_layout import SensorLayout
from unibody.core.batch.warp_exchange import WarpExchange

_FORWARD: int = wp.constant(1)
_SOLVER: int = wp.constant(2)
_IN_WORLD: int = wp.constant(4)


@wp.func
def _rotation(wxyz: wp.quat) -> wp.quat:
    """MuJoCo's order of numbers as a rotation that Warp understands."""
    return wp.quat(wxyz[1], wxyz[2], wxyz[3], wxyz[0])


@wp.kernel(enable_backward=False)
def momenta(
    bodies: wp.array(dtype=int),
    linear: wp.array2d(dtype=wp.vec3),
    angular: wp.array2d(dtype=wp.vec3),
    xquat: wp.array2d(dtype=wp.quat),
    mass: wp.array2d(dtype=float),
    inertia: wp.array2d(dtype=wp.vec3),
    iquat: wp.array2d(dtype=wp.quat),
    momentum: wp.array2d(dtype=wp.vec3),
    spin: wp.array2d(dtype=wp.vec3),
):
    """Linear and angular momentum in the world's axes; one thread a sensor."""
    w, s = wp.tid()
    body = bodies[s]
    own = _rotation(iquat[w % iquat.shape[0], body])
    axes = _rotation(xquat[w, body]) * own
    local = wp.quat_rotate_inv(axes, angular[w, body])
    moments = inertia[w % inertia.shape[0], body]
    momentum[w, s] = mass[w % mass.shape[0], body] * linear[w, body]
    spin[w, s] = wp.quat_rotate(axes, wp.cw_mul(moments, local))


@wp.kernel(enable_backward=False)
def forces(
    bodies: wp.array(dtype=int),
    offset: wp.array(dtype=wp.vec3),
    turn: wp.array(dtype=wp.quat),
    flags: wp.array(dtype=int),
    rows: wp.array2d(dtype=int),
    rate: float,
    xquat: wp.array2d(dtype=wp.quat),
    coms: wp.array2d(dtype=wp.vec3),
    wrench: wp.array2d(dtype=wp.spatial_vector),
    momentum_before: wp.array2d(dtype=wp.vec3),
    spin_before: wp.array2d(dtype=wp.vec3),
    momentum: wp.array2d(dtype=wp.vec3),
    spin: wp.array2d(dtype=wp.vec3),
    out: wp.array2d(dtype=float),
):
    """What the sensors read, see ``sensors``; one thread a sensor."""
    w, s = wp.tid()
    body = bodies[s]
    contact = wrench[w, body]
    contact_force = wp.spatial_top(contact)
    contact_torque = wp.spatial_bottom(contact)
    force = wp.vec3(0.0)
    torque = wp.vec3(0.0)
    if flags[s] & _FORWARD:
        force = rate * (momentum[w, s] - momentum_before[w, s]) - contact_force
        torque = rate * (spin[w, s] - spin_before[w, s]) - contact_torque
    if flags[s] & _SOLVER:
        force += contact_force
        torque += contact_torque
    frame = _rotation(xquat[w, body])
    arm = wp.quat_rotate(frame, coms[w % coms.shape[0], body] - offset[s])
    torque += wp.cross(arm, force)
    if not (flags[s] & _IN_WORLD):
        force = wp.quat_rotate_inv(frame * turn[s], force)
        torque = wp.quat_rotate_inv(frame * turn[s], torque)
    for k in range(3):
        out[rows[w, s], k] = force[k]
        out[rows[w, s], 3 + k] = torque[k]


class WarpSensors:
    """The sensors of one group; see ``sensors.CpuSensors``."""

    def __init__(self, exchange: WarpExchange, layout: SensorLayout) -> None:
        self._exchange = exchange
        self._device = exchange.device
        flags = layout.forward * 1 + layout.solver * 2 + layout.in_world * 4
        rows = layout.rows.reshape(exchange.count, len(layout.bodies))
        self._bodies, self._rows, self._flags = (
            wp.array(np.asarray(values, np.int32), dtype=int, device=self._device)
            for values in (layout.bodies, rows, flags)
        )
        xyzw = np.roll(layout.quats, -1, axis=1)
        self._turn = wp.array(xyzw, dtype=wp.quat, device=self._device)
        self._offset = wp.array(layout.offsets, dtype=wp.vec3, device=self._device)
        self._dim = (exchange.count, len(layout.bodies))
        self._before, self._now = (
            [wp.zeros(self._dim, dtype=wp.vec3, device=self._device) for _ in range(2)]
            for _ in range(2)
        )

    def _measure(self, momentum: Any, spin: Any) -> None:
        exchange, w = self._exchange, self._exchange.worlds
        wp.launch(
            momenta,
            dim=self._dim,
            inputs=[
                self._bodies,
                w.linear,
                w.angular,
                w.xquat,
                exchange.on_device("body_mass", float),
                exchange.on_device("body_inertia", wp.vec3),
                exchange.on_device("body_iquat", wp.quat),
                momentum,
                spin,
            ],
            device=self._device,
        )

    def note(self) -> None:
        """Keep the momenta of now."""
        self._measure(*self._before)

    def read(self, dt: float, out: Any) -> None:
        """Write the rows of this group."""
        self._measure(*self._now)
        exchange, w = self._exchange, self._exchange.worlds
        wp.launch(
            forces,
            dim=self._dim,
            inputs=[
                self._bodies,
                self._offset,
                self._turn,
                self._flags,
                self._rows,
                1.0 / dt,
                w.xquat,
                exchange.on_device("body_ipos", wp.vec3),
                w.contact_wrench,
                *self._before,
                *self._now,
                out,
            ],
            device=self._device,
        )
