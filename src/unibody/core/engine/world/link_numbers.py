"""The memory of numbers of links in a running model that scripts change between steps.

`struct` writes a few numbers three times as fast as NumPy.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from unibody.core.assets.description import Pose, Vec3
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.free_body_constants import FREE_DOFS, free_constants
from unibody.core.engine.world.world import World

_NUMBER = 8  # bytes
_INT = struct.Struct("=i")
_ONE, _TWO, _THREE, _FOUR, _SIX, _USER, _SURFACE = (
    struct.Struct(f"={count}d") for count in (1, 2, 3, 4, 6, t.BODY_USER_SIZE, t.GEOM_USER_SIZE)
)
_DOUBLES = (
    "body_mass", "body_inertia", "body_ipos", "body_iquat", "body_subtreemass", "body_user",
    "body_invweight0", "dof_invweight0", "dof_M0", "geom_friction", "geom_user",
)  # fmt: skip


class LinkMemory:
    """The memory of one generation of a world.

    Attributes:
        world: The world.
        generation: Of it.
    """

    __slots__ = ("_condim", "_of", "_tree", "generation", "world")

    def __init__(self, world: World) -> None:
        self.world: World = world
        self.generation: int = world.generation
        model = world.model
        arrays = {name: getattr(model, name) for name in _DOUBLES}
        self._of = {k: v.data.cast("B") if v.size else memoryview(b"") for k, v in arrays.items()}
        self._condim = memoryview(model.geom_condim).cast("B") if model.ngeom else memoryview(b"")
        names = ("body_treeid", "tree_dofnum", "tree_bodynum", "body_dofadr")
        self._tree = tuple(memoryview(getattr(model, name)) for name in names)

    def write_frame(self, body: int, com: Pose) -> None:
        """Write the inertial frame of a link; its mass and inertia are to be written after it."""
        _THREE.pack_into(self._of["body_ipos"], 3 * _NUMBER * body, *com.pos)
        _FOUR.pack_into(self._of["body_iquat"], 4 * _NUMBER * body, *com.quat)

    def write_inertial(self, body: int, mass: float, inertia: Vec3, com: Pose) -> None:
        """Write mass [kg] and principal inertia [kg m^2] of a link with an inertial frame."""
        of, place = self._of, _NUMBER * body
        (before,) = _ONE.unpack_from(of["body_mass"], place)
        _ONE.pack_into(of["body_mass"], place, mass)
        _THREE.pack_into(of["body_inertia"], 3 * place, *inertia)
        alone = self._floats_alone(body)
        if alone:
            self._write_constants(body, mass, inertia, com)
            (total,) = _ONE.unpack_from(of["body_subtreemass"], 0)
            _ONE.pack_into(of["body_subtreemass"], 0, total + (mass - before))
        self.world.constants_changed(derived=alone)

    def _floats_alone(self, body: int) -> bool:
        """Whether a body is free and nothing is attached to it."""
        trees, dofs, bodies, _ = self._tree
        tree = trees[body]
        return tree >= 0 and dofs[tree] == FREE_DOFS and bodies[tree] == 1

    def _write_constants(self, body: int, mass: float, inertia: Vec3, com: Pose) -> None:
        """Write what MuJoCo derives from them of a free body."""
        of, dof = self._of, _NUMBER * self._tree[3][body]
        constants = free_constants(mass, inertia, com.pos, com.quat)
        shift, turn = constants.inverse_shift, constants.inverse_turn
        _ONE.pack_into(of["body_subtreemass"], _NUMBER * body, mass)
        _TWO.pack_into(of["body_invweight0"], 2 * _NUMBER * body, 1.0 / mass, turn)
        _SIX.pack_into(of["dof_invweight0"], dof, shift, shift, shift, turn, turn, turn)
        _SIX.pack_into(of["dof_M0"], dof, mass, mass, mass, *constants.inertia)

    def write_friction(self, geoms: range, friction: Vec3, dimension: int) -> None:
        """Write the friction of some geoms and the dimension of their contacts."""
        frictions = self._of["geom_friction"]
        for geom in geoms:
            _THREE.pack_into(frictions, 3 * _NUMBER * geom, *friction)
            _INT.pack_into(self._condim, _INT.size * geom, dimension)

    def write_surface(self, geoms: range, numbers: Sequence[float]) -> None:
        """Write ``geom_user`` of some geoms."""
        users = self._of["geom_user"]
        for geom in geoms:
            _SURFACE.pack_into(users, t.GEOM_USER_SIZE * _NUMBER * geom, *numbers)

    def write_bodies(self, bodies: range, numbers: Sequence[float]) -> None:
        """Write ``body_user`` of some bodies."""
        users: Any = self._of["body_user"]
        for body in bodies:
            _USER.pack_into(users, t.BODY_USER_SIZE * _NUMBER * body, *numbers)
