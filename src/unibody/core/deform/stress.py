"""Stresses in tetrahedra."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.deform.tables import Tetrahedra

FloatArray = npt.NDArray[np.float64]


def cauchy_stress(tetrahedra: Tetrahedra, positions: Any) -> FloatArray:
    """Force on an area inside of each tetrahedron, without that of damping: true stress.

    It is the derivative of the energy in `vbd.tetrahedra` by the deformation gradient F, times F'
    and over det F. Where F is inverted, its volume counts as positive.

    Args:
        tetrahedra: The elements.
        positions: Of all particles, (p, 3) [m].

    Returns:
        (n, 3, 3) [Pa], symmetric; tension is positive.
    """
    places = np.asarray(positions, dtype=np.float64)[tetrahedra.corners]
    f: FloatArray = (places[:, 1:] - places[:, :1]).transpose(0, 2, 1) @ tetrahedra.inverse_rest
    volume: FloatArray = np.linalg.det(f)
    # row k of the cofactors is the cross product of the other two rows
    cofactors = np.stack([np.cross(f[:, (k + 1) % 3], f[:, (k + 2) % 3]) for k in range(3)], axis=1)
    mu, share = tetrahedra.shear, tetrahedra.barrier
    nu = tetrahedra.stretch + mu
    metric = np.einsum("nij,nij->n", f, f)
    along = mu * (1.0 - share / (metric + 1.0))
    away = nu * (volume - 1.0) - (1.0 - share / 4.0) * mu
    first = along[:, None, None] * f + away[:, None, None] * cofactors
    size = np.maximum(np.abs(volume), np.finfo(np.float64).tiny)
    return first @ f.transpose(0, 2, 1) / size[:, None, None]
