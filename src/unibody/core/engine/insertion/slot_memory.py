"""The memory of the slots that bodies of one link take in a running model.

NumPy takes a quarter of a microsecond for each assignment of a few numbers, `struct` a third of
that, and a body has twenty of them.
"""

from __future__ import annotations

import struct
from typing import Any

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.free_body_constants import FREE_DOFS, FreeConstants

_NUMBER = 8  # bytes
_INT = struct.Struct("=i")
_ONE, _TWO, _THREE, _FOUR, _SIX, _SEVEN, _USER, _SURFACE = (
    struct.Struct(f"={count}d") for count in (1, 2, 3, 4, 6, 7, t.BODY_USER_SIZE, t.GEOM_USER_SIZE)
)
_REST = (0.0,) * FREE_DOFS
_MODEL = (
    "body_mass", "body_subtreemass", "body_pos", "body_quat", "body_inertia", "body_user",
    "body_invweight0", "qpos0", "qpos_spring", "dof_invweight0", "dof_M0", "geom_friction",
    "geom_condim", "geom_user", "geom_type", "geom_size", "geom_aabb", "geom_rbound", "bvh_aabb",
)  # fmt: skip
_DATA = (
    "xfrc_applied", "mocap_pos", "mocap_quat", "qpos", "qvel", "qacc_warmstart", "qfrc_applied"
)  # fmt: skip


class SlotMemory:
    """The memory of the bodies of a model, those included that it does not count.

    Args:
        model: The MjModel, while it counts all bodies that it has slots for.
        data: Its MjData.
    """

    def __init__(self, model: Any, data: Any) -> None:
        arrays = {name: getattr(model, name) for name in _MODEL}
        arrays |= {name: getattr(data, name) for name in _DATA}
        self._of = {k: v.data.cast("B") if v.size else memoryview(b"") for k, v in arrays.items()}

    def write_masses(self, body: int, mass: float, inertia: tuple[float, ...]) -> None:
        """Write mass [kg] and principal inertia [kg m^2] of a body whose parent is the world."""
        masses, below, offset = self._of["body_mass"], self._of["body_subtreemass"], _NUMBER * body
        (before,) = _ONE.unpack_from(masses, offset)
        (total,) = _ONE.unpack_from(below, 0)
        _ONE.pack_into(below, 0, total + (mass - before))
        _ONE.pack_into(masses, offset, mass)
        _ONE.pack_into(below, offset, mass)
        _THREE.pack_into(self._of["body_inertia"], 3 * offset, *inertia)

    def write_body(self, body: int, pose: tuple[float, ...], numbers: list[float]) -> None:
        """Write pose and ``body_user`` of a body, on which no force acts."""
        of, offset = self._of, _NUMBER * body
        _THREE.pack_into(of["body_pos"], 3 * offset, *pose[:3])
        _FOUR.pack_into(of["body_quat"], 4 * offset, *pose[3:])
        _USER.pack_into(of["body_user"], t.BODY_USER_SIZE * offset, *numbers)
        _SIX.pack_into(of["xfrc_applied"], 6 * offset, *_REST)

    def write_surface(
        self, geom: int, friction: tuple[float, ...], dimension: int, numbers: list[float]
    ) -> None:
        """Write friction, dimension of contacts and ``geom_user`` of a geom."""
        of = self._of
        _THREE.pack_into(of["geom_friction"], 3 * _NUMBER * geom, *friction)
        _INT.pack_into(of["geom_condim"], _INT.size * geom, dimension)
        _SURFACE.pack_into(of["geom_user"], t.GEOM_USER_SIZE * _NUMBER * geom, *numbers)

    def write_shape(
        self, geom: int, kind: int, size: tuple[float, ...], half: tuple[float, ...], radius: float
    ) -> None:
        """Write kind and size of a geom, the half sizes of the box around it and its radius [m]."""
        of, offset = self._of, _NUMBER * geom
        _INT.pack_into(of["geom_type"], _INT.size * geom, kind)
        _THREE.pack_into(of["geom_size"], 3 * offset, *size)
        _THREE.pack_into(of["geom_aabb"], 6 * offset + 3 * _NUMBER, *half)
        _ONE.pack_into(of["geom_rbound"], offset, radius)

    def write_box(self, box: int, half: tuple[float, ...]) -> None:
        """Write the half sizes of a box of MuJoCo's trees of them [m]."""
        _THREE.pack_into(self._of["bvh_aabb"], _NUMBER * (6 * box + 3), *half)

    def write_mocap(self, mocap: int, pose: tuple[float, ...]) -> None:
        """Write the pose of a body that is held in place."""
        _THREE.pack_into(self._of["mocap_pos"], 3 * _NUMBER * mocap, *pose[:3])
        _FOUR.pack_into(self._of["mocap_quat"], 4 * _NUMBER * mocap, *pose[3:])

    def write_state(self, qpos: int, dof: int, pose: tuple[float, ...]) -> None:
        """Put a free body to rest at a pose."""
        of = self._of
        for name in ("qpos0", "qpos_spring", "qpos"):
            _SEVEN.pack_into(of[name], _NUMBER * qpos, *pose)
        for name in ("qvel", "qacc_warmstart", "qfrc_applied"):
            _SIX.pack_into(of[name], _NUMBER * dof, *_REST)

    def write_constants(self, body: int, dof: int, mass: float, constants: FreeConstants) -> None:
        """Write what MuJoCo derives from mass and inertia of a free body."""
        of, shift, turn = self._of, constants.inverse_shift, constants.inverse_turn
        _TWO.pack_into(of["body_invweight0"], 2 * _NUMBER * body, 1.0 / mass, turn)
        _SIX.pack_into(of["dof_invweight0"], _NUMBER * dof, shift, shift, shift, turn, turn, turn)
        _SIX.pack_into(of["dof_M0"], _NUMBER * dof, mass, mass, mass, *constants.inertia)
