"""Elements of a model as the tables of SolverVBD."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.deform.tables import Bends, MembraneLaw, Springs, Tables, Tetrahedra, Triangles
from unibody.newton.dialect import damping_of, is_after_first_of_1
from unibody.newton.enums import ParticleFlags


def tables_of(model: Any) -> Tables:
    """The elements of a model, those without stiffness left out.

    Args:
        model: The model.
    """
    active = (model.particle_flags.numpy() & int(ParticleFlags.ACTIVE)) != 0
    masses = np.where(active, model.particle_mass.numpy(), 0.0)
    rest = rows_of(model.spring_rest_length, 1)[:, 0]
    ends = rows_of(model.spring_indices, 2).astype(np.int64)
    stiffness = rows_of(model.spring_stiffness, 1)[:, 0]
    damping = damping_of(rows_of(model.spring_damping, 1)[:, 0], stiffness)
    springs = Springs(ends, rest, stiffness, damping, np.zeros(len(ends)))
    return Tables(masses, springs, _triangles(model), _bends(model), _tetrahedra(model))


def rows_of(array: Any, columns: int) -> Any:
    """Numbers of an array of the model, of which there may be none, (n, columns)."""
    if array is None or not array.size:
        return np.zeros((0, columns))
    return array.numpy().reshape(-1, columns)


def _triangles(model: Any) -> Triangles:
    materials = rows_of(model.tri_materials, 5)
    used = (materials[:, 0] > 0.0) | (materials[:, 1] > 0.0)
    corners = rows_of(model.tri_indices, 3).astype(np.int64)[used]
    shear, stretch, damping = materials[used, 0], materials[used, 1], materials[used, 2]
    inverse = rows_of(model.tri_poses, 4).reshape(-1, 2, 2)[used]
    # A share of the stiffness is for the strain, half the metric's rate; else it is the metric's.
    damping = damping_of(damping, 0.5 * shear)
    later = is_after_first_of_1()
    law = MembraneLaw.NEO_HOOKEAN if later else MembraneLaw.SAINT_VENANT_KIRCHHOFF
    return Triangles(corners, inverse, shear, stretch, damping, law)


def _bends(model: Any) -> Bends:
    corners = rows_of(model.edge_indices, 4).astype(np.int64)
    properties = rows_of(model.edge_bending_properties, 2)
    used = (corners >= 0).all(axis=1) & (properties[:, 0] > 0.0)
    stiffness = properties[used, 0]
    return Bends(
        corners[used],
        rows_of(model.edge_rest_angle, 1)[used, 0],
        rows_of(model.edge_rest_length, 1)[used, 0],
        stiffness,
        damping_of(properties[used, 1], stiffness),
    )


def _tetrahedra(model: Any) -> Tetrahedra:
    materials = rows_of(model.tet_materials, 3)
    shear, stretch, damping = materials[:, 0], materials[:, 1], materials[:, 2]
    corners = rows_of(model.tet_indices, 4).astype(np.int64)
    inverse = rows_of(model.tet_poses, 9).reshape(-1, 3, 3)
    # Up to 1.0 the original's second parameter is that of the energy: lambda + mu.
    lame = stretch if is_after_first_of_1() else stretch - shear
    damping = damping_of(damping, 0.5 * shear)  # as for triangles
    none = np.zeros(len(corners))
    return Tetrahedra(corners, inverse, shear, lame, damping, none, none)
