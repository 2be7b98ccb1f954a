"""Where the narrow phase of triangle meshes finds the fields of MuJoCo's structs."""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import mujoco
import numpy as np

from unibody.core.engine.library.layout import offsets_of
from unibody.errors import EngineError

# A number that numba does not take for a literal: it compiles a function anew for each of those.
int64: Final[Any] = np.int64

CONTACT_SIZE = 10  # numbers of an mjPreContact: distance, position, normal, tangent


class Fields(NamedTuple):
    """Byte offsets: ``m_`` in mjModel, ``d_`` in mjData, ``o_`` in mjOption."""

    m_names: int
    m_numeric_data: int
    m_name_hfieldadr: int
    m_hfield_size: int
    m_hfield_nrow: int
    m_hfield_ncol: int
    m_hfield_adr: int
    m_hfield_data: int
    m_geom_margin: int
    m_geom_dataid: int
    m_geom_type: int
    m_geom_size: int
    m_geom_aabb: int
    m_geom_bodyid: int
    m_body_parentid: int
    m_body_rootid: int
    m_body_dofnum: int
    m_body_dofadr: int
    m_dof_parentid: int
    m_mesh_vertadr: int
    m_mesh_vertnum: int
    m_mesh_vert: int
    m_mesh_polyadr: int
    m_mesh_polynormal: int
    m_mesh_polyvertadr: int
    m_mesh_polyvertnum: int
    m_mesh_polyvert: int
    m_mesh_polymapadr: int
    m_mesh_polymapnum: int
    m_mesh_polymap: int
    m_opt: int
    o_timestep: int
    d_geom_xpos: int
    d_geom_xmat: int
    d_subtree_com: int
    d_cdof: int
    d_qvel: int


@functools.cache
def fields() -> Fields:
    """The offsets for the MuJoCo that is installed.

    Raises:
        EngineError: It lacks a field, or its collision functions take other arguments.
    """
    structs = {"m": "mjModel", "d": "mjData", "o": "mjOption"}
    values: dict[str, int] = {}
    for name in Fields._fields:
        struct = structs[name[0]]
        try:
            values[name] = offsets_of(struct)[name[2:]]
        except KeyError as problem:
            raise EngineError(
                f"MuJoCo {mujoco.__version__} has no field {name[2:]!r} in {struct}; "
                "install the version that unibody asks for"
            ) from problem
    return Fields(**values)
