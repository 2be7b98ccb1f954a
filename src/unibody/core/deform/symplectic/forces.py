"""What springs and tetrahedra exert on their particles, each looked at once."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np

from unibody.core.deform.symplectic.bounds import shares_of_bounds
from unibody.core.deform.tables import Tables
from unibody.machine_code.jit import kernel

_TINY = 1e-20


class Elements(NamedTuple):
    """Springs and tetrahedra; their energies are those of `vbd.springs` and `vbd.tetrahedra`.

    What damps tetrahedra is PyBullet's: the stress 2 damping (F' + F'^T) + dilation tr F' 1, of the
    rate F' of the deformation F. That of small strains is the one of `vbd.tetrahedra`; here turns
    of the whole body are damped too.

    Attributes:
        ends: Of springs, (n, 2), particles.
        springs: Stiffness [N/m], damping [N s/m], length at rest [m], drag [N s/m], (n, 4).
        corners: Of tetrahedra, (m, 4), particles.
        solids: The inverse rest matrix row by row [1/m]; mu V, nu V [J]; J at rest; damping V
            [J s]; s mu V [J]; dilation V [J s]; the largest eigenvalue of the products of the
            corners' weights, and the sum of all [1/m^2], both for stiffness and for damping,
            (m, 19).
    """

    ends: Any
    springs: Any
    corners: Any
    solids: Any

    @classmethod
    def of(cls, tables: Tables) -> Self:
        """Those of a world, in double precision."""
        springs, solids = tables.springs, tables.tetrahedra
        volume, nu = solids.volume, solids.shear + solids.stretch
        pull = (1.0 - 0.25 * solids.barrier) * solids.shear
        rest = 1.0 + np.divide(pull, nu, out=np.zeros_like(nu), where=nu > 0.0)
        inverse = solids.inverse_rest
        weights = np.concatenate([-inverse.sum(axis=1)[:, None], inverse], axis=1)
        squares = np.einsum("nai,naj->nij", weights, weights)
        sizes = np.linalg.eigvalsh(squares)[:, 2], np.trace(squares, axis1=1, axis2=2)
        parts = shares_of_bounds(tables, weights, sizes)
        columns = [
            inverse.reshape(-1, 9),
            np.stack([solids.shear * volume, nu * volume, rest, solids.damping * volume], axis=1),
            np.stack([solids.barrier * solids.shear * volume, solids.dilation * volume], axis=1),
            np.stack([part * size for part in parts for size in sizes], axis=1),
        ]
        rows = [springs.stiffness, springs.damping, springs.length, springs.drag]
        return cls(
            np.ascontiguousarray(springs.corners, dtype=np.int64),
            np.ascontiguousarray(np.stack(rows, axis=1), dtype=np.float64),
            np.ascontiguousarray(solids.corners, dtype=np.int64),
            np.ascontiguousarray(np.concatenate(columns, axis=1), dtype=np.float64),
        )


def stiffness_at_rest(e: Elements, masses: Any) -> float:
    """A bound of what elements at rest are to their particles' masses [1/s^2]; see `add_forces`."""
    stiff = np.zeros(len(masses))
    np.add.at(stiff, e.ends, 2.0 * e.springs[:, :1])
    mu, nu, barrier, rest = (e.solids[:, k] for k in (9, 10, 13, 11))
    pull = mu - 0.25 * barrier + nu * np.abs(1.0 - rest) + 0.375 * barrier
    np.add.at(stiff, e.corners, (pull * e.solids[:, 15] + nu * e.solids[:, 16])[:, None])
    moves = np.asarray(masses) > 0.0
    return float((stiff[moves] / np.asarray(masses)[moves]).max(initial=0.0))


@kernel
def _add_springs(e: Elements, x: Any, v: Any, sums: Any) -> None:
    """See `add_forces`."""
    for n in range(len(e.ends)):
        a, b = e.ends[n, 0], e.ends[n, 1]
        k, damping, rest, drag = e.springs[n]
        dx, dy, dz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
        ux, uy, uz = v[b, 0] - v[a, 0], v[b, 1] - v[a, 1], v[b, 2] - v[a, 2]
        length = math.sqrt(dx * dx + dy * dy + dz * dz + _TINY)
        dx, dy, dz = dx / length, dy / length, dz / length
        pull, faster = k * (length - rest), damping * (dx * ux + dy * uy + dz * uz)
        stiff, lossy = 2.0 * k, 2.0 * (damping + drag)
        for axis, d, u in ((0, dx, ux), (1, dy, uy), (2, dz, uz)):
            sums[a, axis] += pull * d
            sums[b, axis] -= pull * d
            lost = faster * d + drag * u
            sums[a, 3 + axis] += lost
            sums[b, 3 + axis] -= lost
        sums[a, 6] += stiff
        sums[b, 6] += stiff
        sums[a, 7] += lossy
        sums[b, 7] += lossy


@kernel
def _times(rows: Any, a: Any, b: Any, c: Any) -> Any:
    """Columns of the matrix of three edges times an inverse rest matrix."""
    return (
        (
            rows[0] * a[0] + rows[3] * b[0] + rows[6] * c[0],
            rows[0] * a[1] + rows[3] * b[1] + rows[6] * c[1],
            rows[0] * a[2] + rows[3] * b[2] + rows[6] * c[2],
        ),
        (
            rows[1] * a[0] + rows[4] * b[0] + rows[7] * c[0],
            rows[1] * a[1] + rows[4] * b[1] + rows[7] * c[1],
            rows[1] * a[2] + rows[4] * b[2] + rows[7] * c[2],
        ),
        (
            rows[2] * a[0] + rows[5] * b[0] + rows[8] * c[0],
            rows[2] * a[1] + rows[5] * b[1] + rows[8] * c[1],
            rows[2] * a[2] + rows[5] * b[2] + rows[8] * c[2],
        ),
    )


@kernel
def _dot(a: Any, b: Any) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def _cross(a: Any, b: Any) -> Any:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def _widest(f: Any, g: Any, h: Any) -> float:
    """A bound of the largest eigenvalue of M'M, of the columns of M (Gershgorin)."""
    fg, fh, gh = abs(_dot(f, g)), abs(_dot(f, h)), abs(_dot(g, h))
    return max(_dot(f, f) + fg + fh, _dot(g, g) + fg + gh, _dot(h, h) + fh + gh)


@kernel
def _edge(x: Any, a: int, b: int) -> Any:
    return x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]


@kernel
def _add_solids(e: Elements, x: Any, v: Any, sums: Any) -> None:
    """See `add_forces`."""
    for n in range(len(e.corners)):
        p, q, r, s = e.corners[n]
        row = e.solids[n]
        mu, nu, rest, damping, barrier = row[9], row[10], row[11], row[12], row[13]
        dilation = row[14]
        f, g, h = _times(row, _edge(x, p, q), _edge(x, p, r), _edge(x, p, s))
        ca, cb, cc = _cross(g, h), _cross(h, f), _cross(f, g)
        size = _dot(f, f) + _dot(g, g) + _dot(h, h)
        stress = nu * (_dot(f, ca) - rest)
        mu -= barrier / (size + 1.0)
        wide = _widest(f, g, h)
        stiff = mu + abs(stress) * math.sqrt(wide) + 2.0 * barrier * size / (size + 1.0) ** 2
        stiff = stiff * row[15] + nu * _widest(ca, cb, cc) * row[16]
        df, dg, dh = _times(row, _edge(v, p, q), _edge(v, p, r), _edge(v, p, s))
        c, wider = 2.0 * damping, dilation * (df[0] + dg[1] + dh[2])
        lossy = 2.0 * c * row[17] + dilation * row[18]
        for axis in range(3):
            pf, pg, ph = (
                mu * f[axis] + stress * ca[axis],
                mu * g[axis] + stress * cb[axis],
                mu * h[axis] + stress * cc[axis],
            )
            lf = c * (df[axis] + (df[0], dg[0], dh[0])[axis])
            lg = c * (dg[axis] + (df[1], dg[1], dh[1])[axis])
            lh = c * (dh[axis] + (df[2], dg[2], dh[2])[axis])
            lf += wider if axis == 0 else 0.0
            lg += wider if axis == 1 else 0.0
            lh += wider if axis == 2 else 0.0
            for corner, at in ((q, 0), (r, 3), (s, 6)):
                push = row[at] * pf + row[at + 1] * pg + row[at + 2] * ph
                lost = row[at] * lf + row[at + 1] * lg + row[at + 2] * lh
                sums[corner, axis] -= push
                sums[p, axis] += push
                sums[corner, 3 + axis] -= lost
                sums[p, 3 + axis] += lost
        for corner in (p, q, r, s):
            sums[corner, 6] += stiff
            sums[corner, 7] += lossy


@kernel
def _damp_springs(e: Elements, x: Any, v: Any, sums: Any) -> None:
    """See `add_damping`."""
    for n in range(len(e.ends)):
        a, b = e.ends[n, 0], e.ends[n, 1]
        damping, drag = e.springs[n, 1], e.springs[n, 3]
        if damping == 0.0 and drag == 0.0:
            continue
        d, u = _edge(x, a, b), _edge(v, a, b)
        faster = damping * _dot(d, u) / (_dot(d, d) + _TINY)
        for k in range(3):
            lost = faster * d[k] + drag * u[k]
            sums[a, k] += lost
            sums[b, k] -= lost


@kernel
def _damp_solids(e: Elements, v: Any, sums: Any) -> None:
    """See `add_damping`."""
    for n in range(len(e.corners)):
        row = e.solids[n]
        c, dilation = 2.0 * row[12], row[14]
        if c == 0.0 and dilation == 0.0:
            continue
        p, q, r, s = e.corners[n]
        f, g, h = _times(row, _edge(v, p, q), _edge(v, p, r), _edge(v, p, s))
        wider = dilation * (f[0] + g[1] + h[2])
        xy, xz, yz = c * (f[1] + g[0]), c * (f[2] + h[0]), c * (g[2] + h[1])
        rows = (
            (2.0 * c * f[0] + wider, xy, xz),
            (xy, 2.0 * c * g[1] + wider, yz),
            (xz, yz, 2.0 * c * h[2] + wider),
        )
        for k in range(3):
            lf, lg, lh = rows[k]
            a = row[0] * lf + row[1] * lg + row[2] * lh
            b = row[3] * lf + row[4] * lg + row[5] * lh
            d = row[6] * lf + row[7] * lg + row[8] * lh
            sums[q, k] -= a
            sums[r, k] -= b
            sums[s, k] -= d
            sums[p, k] += a + b + d


@kernel
def add_damping(e: Elements, x: Any, v: Any, sums: Any) -> None:
    """Add forces of damping alone; they are linear in velocities.

    Args:
        e: The elements.
        x: Places, (p, 3) [m].
        v: Velocities, (p, 3) [m/s].
        sums: Gets them, (p, 3) [N].
    """
    _damp_springs(e, x, v, sums)
    _damp_solids(e, v, sums)


@kernel
def add_forces(e: Elements, x: Any, v: Any, sums: Any) -> None:
    """Add what elements exert, and how stiff they are at most.

    Args:
        e: The elements.
        x: Places, (p, 3) [m].
        v: Velocities, (p, 3) [m/s].
        sums: Gets elastic forces, those of damping [N], and bounds of stiffness [N/m] and damping
            [N s/m], (p, 8): the largest of their shares of particles' masses is no less than the
            largest eigenvalue of all elements' matrix over the masses.
    """
    _add_springs(e, x, v, sums)
    _add_solids(e, x, v, sums)
