# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false
"""Jacobians and mass matrices on a Warp device: nothing comes to the host."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import warp as wp

from unibody.core.batch.dynamics import Part


@wp.func
def _rotation(wxyz: wp.quat) -> wp.quat:
    """MuJoCo's order of numbers as a rotation that Warp understands."""
    return wp.quat(wxyz[1], wxyz[2], wxyz[3], wxyz[0])


@wp.func
def _of_base(
    velocity: wp.vec3, angular: wp.vec3, root: int, w: int,
    xpos: wp.array2d(dtype=wp.vec3), xquat: wp.array2d(dtype=wp.quat),
    xipos: wp.array2d(dtype=wp.vec3),
) -> wp.vec3:  # fmt: skip
    """Angular columns of a row for the base's velocity, see ``dynamics.to_base_columns``."""
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
    """Rows of Jacobians in the coordinates of a batch; one thread a row."""
    i, b, c = wp.tid()
    w, link = worlds[i], links[b]
    for d in range(columns.shape[0]):
        out[rows[i], b, c, d] = found[w, link, c, columns[d]]
    if base > 0:
        v = wp.vec3(found[w, link, c, 0], found[w, link, c, 1], found[w, link, c, 2])
        a = wp.vec3(found[w, link, c, 3], found[w, link, c, 4], found[w, link, c, 5])
        turned = _of_base(v, a, root, w, xpos, xquat, xipos)
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
    """Transposed matrices with the columns of the base's velocity; one thread a row."""
    w, r = wp.tid()
    for d in range(found.shape[2]):
        out[w, d, r] = found[w, r, d]
    if base > 0:
        v = wp.vec3(found[w, r, 0], found[w, r, 1], found[w, r, 2])
        a = wp.vec3(found[w, r, 3], found[w, r, 4], found[w, r, 5])
        turned = _of_base(v, a, root, w, xpos, xquat, xipos)
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
    """Mass matrices in the order of a batch; one thread a row."""
    i, r = wp.tid()
    for d in range(columns.shape[0]):
        out[rows[i], r, d] = found[worlds[i], columns[r], columns[d]]


@wp.kernel(enable_backward=False)
def gravity_forces(
    jacobians: wp.array4d(dtype=float),
    masses: wp.array2d(dtype=float),
    gravity: wp.vec3,
    out: wp.array2d(dtype=float),
):
    """What gravity exerts on each column; one thread a column."""
    i, c = wp.tid()
    force = float(0.0)  # noqa: UP018 - Warp: a number that changes begins as a type's
    for b in range(jacobians.shape[1]):
        for k in range(3):
            force += masses[i, b] * gravity[k] * jacobians[i, b, k, c]
    out[i, c] = force


class WarpPart(Part):
    """See ``Part``; arrays are Warp's."""

    @functools.cached_property
    def _tables(self) -> Any:
        """Rows, worlds, links and columns, on the device."""
        device = self.exchange.device
        return [
            wp.array(np.asarray(values, np.int32), dtype=int, device=device)
            for values in (self.rows, self.worlds, self.links, self.columns)
        ]

    def read_jacobians(self, out: Any) -> None:  # noqa: D102
        rows, worlds, links, columns = self._tables
        record, w = self.exchange.record(self.local), self.exchange.worlds
        wp.launch(
            jacobians,
            dim=(len(self.rows), len(self.links), 6),
            inputs=[
                w.jacobians(record), rows, worlds, links, columns, self.base, record.body,
                w.xpos, w.xquat, w.xipos, out,
            ],
            device=self.exchange.device,
        )  # fmt: skip

    def read_mass_matrices(self, out: Any) -> None:  # noqa: D102
        rows, worlds, _, columns = self._tables
        record, w = self.exchange.record(self.local), self.exchange.worlds
        found = w.mass_matrices(record)
        for _ in range(2 if self.base else 0):  # both sides of the matrix
            turned = wp.empty_like(found)
            wp.launch(
                half_matrices,
                dim=found.shape[:2],
                inputs=[found, self.base, record.body, w.xpos, w.xquat, w.xipos, turned],
                device=self.exchange.device,
            )
            found = turned
        wp.launch(
            matrices,
            dim=(len(self.rows), len(self.columns)),
            inputs=[found, rows, worlds, columns, out],
            device=self.exchange.device,
        )
