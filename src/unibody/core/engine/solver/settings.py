"""What MuJoCo's solver is told about a model: islands, when to stop, when to solve again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco

from unibody.core.engine.library.jacobian import SPARSE_FROM
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.free_body_constants import FREE_DOFS
from unibody.core.engine.records.options import WorldOptions
from unibody.mechanisms import is_plain

if TYPE_CHECKING:
    from unibody.core.engine.solver.stage import Solver

LEAST_PILE = 24  # fewer bodies cost little in any case
FEW_JOINTED = 4  # bodies with joints: to be more exact about what they slip costs little
# m/s, of free bodies, of few bodies with joints, of many: 0.05 is a fifth of a millimetre in a
# step. What two boxes spin with after an impact is decided by the first to a per cent.
_SLIPPING_FREE, _SLIPPING_FEW, _SLIPPING_MANY = 0.001, 0.003, 0.05
_SLIPPING_CARRIED = 0.0003  # where surfaces move: what slips is foreseen from less there
_NO_ISLANDS = int(mujoco.mjtDisableBit.mjDSBL_ISLAND)


def set_solver(model: Any, options: WorldOptions) -> None:
    """Write the options of the solver that depend on what a model consists of.

    Finding the islands of a single tree would be a waste. A pile may stop early: see
    docs/decisions/solver.md.
    """
    flags = int(model.opt.disableflags)
    model.opt.disableflags = flags & ~_NO_ISLANDS if model.ntree > 1 else flags | _NO_ISLANDS
    loose = is_pile(model)
    model.opt.tolerance = options.pile_tolerance if loose else options.solver_tolerance
    slipping = 0.0 if loose or not options.exact_slipping else _slipping(model, options)
    model.numeric_data[t.N_SLIPPING] = slipping
    model.numeric_data[t.N_ISLAND_ORDER] = not is_plain("solver")


def _slipping(model: Any, options: WorldOptions) -> float:
    """How well slipping is foreseen [m/s]; more exact where that costs little."""
    jointed = int((model.tree_dofnum > FREE_DOFS).sum())
    if jointed > FEW_JOINTED:
        return _SLIPPING_MANY
    exact = _SLIPPING_FREE if jointed == 0 else _SLIPPING_FEW
    if options.moving_surfaces:
        exact = _SLIPPING_CARRIED
    slop = options.contact_slop / options.timestep  # what lifts a body faster ends its contact
    return min(exact, slop) if slop > 0.0 else exact


def solves_by_blocks(model: Any) -> bool:
    """Whether a world of this model solves by blocks (`unibody.core.engine.block_solver`).

    It does where MuJoCo's Jacobian is sparse, and no forces are reported to a sensor.
    """
    if is_plain("solver") or int(model.nv) < SPARSE_FROM:
        return False
    return bool(model.numeric_data[t.N_REPORT] == 0.0)


def new_solver() -> Solver:
    """A solver by blocks; it is loaded, and compiled if need be, once a scene is large."""
    from unibody.core.engine.solver.stage import Solver

    return Solver()


def is_pile(model: Any) -> bool:
    """Whether a model is many free bodies, without joints or constraints."""
    trees = int(model.ntree)
    return (
        trees >= LEAST_PILE
        and model.njnt == trees
        and model.nv == FREE_DOFS * trees
        and model.neq == 0
    )
