# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false
"""Force sensors, Jacobians and mass matrices on a Warp device: nothing comes to the host."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

if TYPE_CHECKING:
    from unibody.isaacgym.batch.derived import Part
    from unibody.isaacgym.batch.sensors import Layout
    from unibody.isaacgym.batch.warp_exchange import WarpExchange

_FORWARD = wp.constant(1)
_SOLVER = wp.constant(2)
_IN_WORLD = wp.constant(4)


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


@wp.func
def _for_api(
    velocity: wp.vec3, angular: wp.vec3, root: int, w: int,
    xpos: wp.array2d(dtype=wp.vec3), xquat: wp.array2d(dtype=wp.quat),
    xipos: wp.array2d(dtype=wp.vec3),
) -> wp.vec3:  # fmt: skip
    """Angular columns of a row for the API's base velocity, see ``derived.to_api_columns``."""
    arm = xipos[w, root] - xpos[w, root]
    return wp.quat_rotate(_rotation(xquat[w, root]), angular) + wp.cross(velocity, arm)


@wp.kernel(enable_backward=False)
def jacobians(
    found: wp.array4d(dtype=float),
    rows: wp.array(dtype=int),
    worlds: wp.array(dtype=int),
    links: wp.array(dtype=int),
    columns: wp.array(dtype=int),
    base: int,
    root: int,
    xpos: wp.array2d(dtype=wp.vec3),
    xquat: wp.array2d(dtype=wp.quat),
    xipos: wp.array2d(dtype=wp.vec3),
    out: wp.array4d(dtype=float),
):
    """Rows of Jacobians in the API's coordinates; one thread a row."""
    i, b, c = wp.tid()
    w, link = worlds[i], links[b]
    for d in range(columns.shape[0]):
        out[rows[i], b, c, d] = found[w, link, c, columns[d]]
    if base > 0:
        v = wp.vec3(found[w, link, c, 0], found[w, link, c, 1], found[w, link, c, 2])
        a = wp.vec3(found[w, link, c, 3], found[w, link, c, 4], found[w, link, c, 5])
        turned = _for_api(v, a, root, w, xpos, xquat, xipos)
        for k in range(3):
            out[rows[i], b, c, 3 + k] = turned[k]


@wp.kernel(enable_backward=False)
def half_matrices(
    found: wp.array3d(dtype=float),
    base: int,
    root: int,
    xpos: wp.array2d(dtype=wp.vec3),
    xquat: wp.array2d(dtype=wp.quat),
    xipos: wp.array2d(dtype=wp.vec3),
    out: wp.array3d(dtype=float),
):
    """Transposed matrices with the API's columns of the base; one thread a row."""
    w, r = wp.tid()
    for d in range(found.shape[2]):
        out[w, d, r] = found[w, r, d]
    if base > 0:
        v = wp.vec3(found[w, r, 0], found[w, r, 1], found[w, r, 2])
        a = wp.vec3(found[w, r, 3], found[w, r, 4], found[w, r, 5])
        turned = _for_api(v, a, root, w, xpos, xquat, xipos)
        for k in range(3):
            out[w, 3 + k, r] = turned[k]


@wp.kernel(enable_backward=False)
def matrices(
    found: wp.array3d(dtype=float),
    rows: wp.array(dtype=int),
    worlds: wp.array(dtype=int),
    columns: wp.array(dtype=int),
    out: wp.array3d(dtype=float),
):
    """Mass matrices in the API's order; one thread a row."""
    i, r = wp.tid()
    for d in range(columns.shape[0]):
        out[rows[i], r, d] = found[worlds[i], columns[r], columns[d]]


class WarpSensors:
    """The sensors of one group; see ``sensors.CpuSensors``."""

    def __init__(self, exchange: WarpExchange, layout: Layout) -> None:
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


def _tables(exchange: WarpExchange, part: Part) -> Any:
    """Rows, worlds, links and columns of a part, on the device."""
    if part.tables is None:
        part.tables = [
            wp.array(np.asarray(values, np.int32), dtype=int, device=exchange.device)
            for values in (part.rows, part.worlds, part.links, part.columns)
        ]
    return part.tables


def read_jacobians(exchange: WarpExchange, part: Part, out: Any) -> None:
    """Write the Jacobians of a part of a tensor."""
    rows, worlds, links, columns = _tables(exchange, part)
    record, w = exchange.group.record(part.local), exchange.worlds
    wp.launch(
        jacobians,
        dim=(len(part.rows), len(part.links), 6),
        inputs=[
            w.jacobians(record), rows, worlds, links, columns, part.base, record.body,
            w.xpos, w.xquat, w.xipos, out,
        ],
        device=exchange.device,
    )  # fmt: skip


def read_mass_matrices(exchange: WarpExchange, part: Part, out: Any) -> None:
    """Write the mass matrices of a part of a tensor."""
    rows, worlds, _, columns = _tables(exchange, part)
    record, w = exchange.group.record(part.local), exchange.worlds
    found = w.mass_matrices(record)
    for _ in range(2 if part.base else 0):  # both sides of the matrix
        turned = wp.empty_like(found)
        wp.launch(
            half_matrices,
            dim=found.shape[:2],
            inputs=[found, part.base, record.body, w.xpos, w.xquat, w.xipos, turned],
            device=exchange.device,
        )
        found = turned
    wp.launch(
        matrices,
        dim=(len(part.rows), len(part.columns)),
        inputs=[found, rows, worlds, columns, out],
        device=exchange.device,
    )
