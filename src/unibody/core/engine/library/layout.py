"""Where the fields the constraint callback reads lie inside ``mjModel`` and ``mjData``.

Struct offsets move between MuJoCo versions, so they are computed at start-up from
``mujoco.introspect`` and compared with what the bindings say. A disagreement is an error: the
callback would otherwise write into the wrong memory.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import math
import os
from typing import Any, NamedTuple

import mujoco
import numpy as np
from mujoco.introspect import ast_nodes, structs

from unibody.core.assets.disk_cache import is_noted, note
from unibody.errors import EngineError

_PRIMITIVES = {
    "int": 4, "unsigned int": 4, "float": 4, "char": 1, "unsigned char": 1, "bool": 1,
    "mjtByte": 1, "mjtBool": 1, "mjtNum": 8, "double": 8, "mjtSize": 8, "size_t": 8,
    "uintptr_t": 8, "uint64_t": 8, "int64_t": 8,
}  # fmt: skip


class Layout(NamedTuple):
    """Byte offsets of the fields the callback uses.

    ``m_`` in mjModel, ``d_`` in mjData, ``c_`` in mjContact, ``o_`` in mjOption.

    Compiled code hands all of these numbers over in a call. What is called for each row or contact
    and takes them is inlined (``numba.njit(inline="always")``): calls cost more than the rules.
    """

    m_nbody: int
    m_nnumeric: int
    m_numeric_size: int
    m_numeric_data: int
    m_body_user: int
    m_body_mass: int
    m_body_inertia: int
    m_body_rootid: int
    m_body_parentid: int
    m_body_dofnum: int
    m_body_dofadr: int
    m_body_treeid: int
    m_body_gravcomp: int
    m_body_mocapid: int
    m_tree_dofnum: int
    m_tree_dofadr: int
    m_ntree: int
    m_dof_treeid: int
    m_geom_user: int
    m_geom_friction: int
    m_geom_bodyid: int
    m_geom_type: int
    m_geom_size: int
    m_geom_contype: int
    m_geom_conaffinity: int
    m_geom_rbound: int
    m_geom_aabb: int
    m_geom_margin: int
    m_exclude_signature: int
    m_npair: int
    m_tendon_adr: int
    m_wrap_objid: int
    m_jnt_qposadr: int
    m_jnt_dofadr: int
    m_jnt_user: int
    m_jnt_type: int
    m_jnt_bodyid: int
    m_M_rownnz: int
    m_M_rowadr: int
    m_M_colind: int
    m_body_iquat: int
    m_eq_type: int
    m_eq_obj1id: int
    m_eq_obj2id: int
    m_eq_data: int
    m_nv: int
    m_dof_jntid: int
    m_dof_parentid: int
    m_dof_bodyid: int
    m_dof_frictionloss: int
    m_opt: int
    o_timestep: int
    o_jacobian: int
    o_enableflags: int
    o_gravity: int
    o_tolerance: int
    o_ls_tolerance: int
    o_iterations: int
    d_ncon: int
    d_ne: int
    d_nf: int
    d_nl: int
    d_nefc: int
    d_nisland: int
    d_island_ne: int
    d_island_nf: int
    d_island_nefc: int
    d_qpos: int
    d_qvel: int
    d_qacc_warmstart: int
    d_userdata: int
    d_contact: int
    d_efc_type: int
    d_efc_J: int
    d_efc_J_rownnz: int
    d_efc_J_rowadr: int
    d_efc_J_colind: int
    d_island_ntree: int
    d_island_itreeadr: int
    d_island_idofadr: int
    d_map_itree2tree: int
    d_map_dof2idof: int
    d_map_idof2dof: int
    d_xquat: int
    d_xmat: int
    d_geom_xpos: int
    d_geom_xmat: int
    d_efc_id: int
    d_efc_island: int
    d_efc_pos: int
    d_efc_vel: int
    d_efc_b: int
    d_efc_margin: int
    d_efc_aref: int
    d_efc_R: int
    d_efc_D: int
    d_efc_diagA: int
    d_efc_frictionloss: int
    d_efc_force: int
    d_map_efc2iefc: int
    d_iefc_R: int
    d_iefc_D: int
    d_iefc_frictionloss: int
    d_cvel: int
    d_cdof: int
    d_cdof_dot: int
    d_cinert: int
    d_cacc: int
    d_cfrc_int: int
    d_subtree_com: int
    d_xipos: int
    d_ximat: int
    d_qfrc_passive: int
    d_qfrc_bias: int
    d_qfrc_constraint: int
    d_qfrc_applied: int
    d_xfrc_applied: int
    d_qacc_smooth: int
    d_qfrc_smooth: int
    d_qfrc_constraint: int
    d_M: int
    d_qacc: int
    d_qLD: int
    d_qLDiagInv: int
    d_sensordata: int
    c_dist: int
    c_pos: int
    c_frame: int
    c_friction: int
    c_solimp: int
    c_mu: int
    c_dim: int
    c_geom: int
    c_efc_address: int
    c_size: int


def _align(offset: int, alignment: int) -> int:
    return (offset + alignment - 1) // alignment * alignment


def size_of(node: Any) -> tuple[int, int]:
    """Size and alignment in bytes of a type node of ``mujoco.introspect``."""
    if isinstance(node, ast_nodes.PointerType):
        return 8, 8
    if isinstance(node, ast_nodes.ArrayType):
        size, alignment = size_of(node.inner_type)
        return size * math.prod(node.extents), alignment
    if isinstance(node, ast_nodes.ValueType):
        if node.name in _PRIMITIVES:
            size = _PRIMITIVES[node.name]
            return size, size
        if node.name in structs.STRUCTS:
            _, size, alignment = _struct(node.name)
            return size, alignment
        return 4, 4  # what is left are enums
    fields: Any = node.fields
    if isinstance(node, ast_nodes.AnonymousUnionDecl):
        sizes = [size_of(field.type) for field in fields]
        alignment = max(a for _, a in sizes)
        return _align(max(s for s, _ in sizes), alignment), alignment
    offset, alignment = 0, 1
    for field in fields:
        size, field_alignment = size_of(field.type)
        offset = _align(offset, field_alignment) + size
        alignment = max(alignment, field_alignment)
    return _align(offset, alignment), alignment


@functools.cache
def _struct(name: str) -> tuple[dict[str, int], int, int]:
    """Offsets by field name, size and alignment of a struct, all in bytes."""
    offsets: dict[str, int] = {}
    offset, alignment = 0, 1
    fields: Any = structs.STRUCTS[name].fields
    for field in fields:
        if isinstance(field, ast_nodes.AnonymousUnionDecl):
            size, field_alignment = size_of(field)
            names = [member.name for member in field.fields]
        else:
            size, field_alignment = size_of(field.type)
            names = [field.name]
        offset = _align(offset, field_alignment)
        for field_name in names:
            offsets[field_name] = offset
        offset += size
        alignment = max(alignment, field_alignment)
    return offsets, _align(offset, alignment), alignment


def offsets_of(struct: str) -> dict[str, int]:
    """Byte offset of each field of a MuJoCo struct."""
    return _struct(struct)[0]


def struct_size(struct: str) -> int:
    """Bytes of a MuJoCo struct."""
    return _struct(struct)[1]


@functools.cache
def layout() -> Layout:
    """Offsets for the MuJoCo that is installed.

    Raises:
        EngineError: a field the callback needs does not exist in this version.
    """
    tables = {
        "m": _struct("mjModel")[0],
        "d": _struct("mjData")[0],
        "c": _struct("mjContact")[0],
        "o": _struct("mjOption")[0],
    }
    values: dict[str, int] = {}
    for name in Layout._fields:
        table, field = name[0], name[2:]
        if name == "c_size":
            values[name] = _struct("mjContact")[1]
        elif field in tables[table]:
            values[name] = tables[table][field]
        else:
            raise EngineError(
                f"MuJoCo {mujoco.__version__} has no field {field!r} in "
                f"{ {'m': 'mjModel', 'd': 'mjData', 'c': 'mjContact', 'o': 'mjOption'}[table] }; "
                "install the version that unibody asks for"
            )
    return Layout(**values)


_PROBE = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body pos="0 0 0.09">
      <freejoint/>
      <geom size="0.1"/>
      <body pos="0.5 0 0"><joint name="j" axis="0 1 0"/><geom size="0.1"/></body>
    </body>
  </worldbody>
  <tendon><fixed frictionloss="1"><joint joint="j" coef="1"/></fixed></tendon>
</mujoco>
"""


def _check_contact(data: Any) -> int:
    """Compare the first contact as the bindings give it with the memory it lies in."""
    offsets = layout()
    contact = data.contact[0]
    address = ctypes.c_uint64.from_address(data._address + offsets.d_contact).value
    fields = (
        ("dist", ctypes.c_double, offsets.c_dist),
        ("mu", ctypes.c_double, offsets.c_mu),
        ("dim", ctypes.c_int, offsets.c_dim),
        ("efc_address", ctypes.c_int, offsets.c_efc_address),
    )
    for name, kind, offset in fields:
        found = kind.from_address(address + offset).value
        if found != getattr(contact, name):
            raise EngineError(
                f"field {name} of mjContact is not where mujoco.introspect says in MuJoCo "
                f"{mujoco.__version__}: found {found}, expected {getattr(contact, name)}"
            )
    return len(fields)


def self_check() -> None:
    """Compare the computed offsets with what the bindings say, once for a MuJoCo on a machine.

    Raises:
        EngineError: An offset points to something else than the field of that name.
    """
    with os.scandir(os.path.dirname(mujoco.__file__)) as entries:
        files = [(e.name, e.stat().st_mtime_ns, e.stat().st_size) for e in entries if e.is_file()]
    about = repr((mujoco.__version__, sorted(files), *layout()))
    name = hashlib.sha256(about.encode()).hexdigest()
    if not is_noted("layouts", name):
        compare_offsets()
        note("layouts", name)


def compare_offsets() -> str:
    """Compare the computed offsets with what the bindings say of a small running model.

    Returns:
        One line that says what was compared.

    Raises:
        EngineError: An offset points to something else than the field of that name.
    """
    model = mujoco.MjModel.from_xml_string(_PROBE)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data)
    compared = 0
    for name, offset in layout()._asdict().items():
        owner = {"m": model, "d": data}.get(name[0])
        value = getattr(owner, name[2:], None)
        if owner is None or value is None or isinstance(value, mujoco.MjOption):
            continue
        if isinstance(value, np.ndarray) and value.size:
            found = ctypes.c_uint64.from_address(owner._address + offset).value
            expected = value.__array_interface__["data"][0]
        elif isinstance(value, int):
            found, expected = ctypes.c_int.from_address(owner._address + offset).value, value
        else:
            continue
        if found != expected:
            raise EngineError(
                f"field {name[2:]} is not where mujoco.introspect says in MuJoCo "
                f"{mujoco.__version__}: found {found:#x}, expected {expected:#x}"
            )
        compared += 1
    compared += _check_contact(data)
    return f"{compared} fields of mjModel and mjData lie where the constraint callback expects them"
