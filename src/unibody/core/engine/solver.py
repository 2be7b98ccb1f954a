"""What MuJoCo's solver is told about a model: islands, when to stop, when to solve again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mujoco

from unibody.core.engine.constants import FREE_DOFS
from unibody.core.engine.options import WorldOptions
from unibody.core.engine.rows import table as t
from unibody.core.engine.rows.jacobian import SPARSE_FROM

if TYPE_CHECKING:
    from unibody.core.engine.solve.stage import Solver

LEAST_PILE = 24  # fewer bodies cost little in any case
FEW_JOINTED = 4  # bodies with joints: to be more exact about what they slip costs little
# m/s, by whether bodies with joints are few: 0.05 is a fifth of a millimetre in a step
_SLIPPING = {True: 0.01, False: 0.05}
_NO_ISLANDS = int(mujoco.mjtDisableBit.mjDSBL_ISLAND)


def set_solver(model: Any, options: WorldOptions) -> None:
    """Write the options of the solver that depend on what a model consists of.

    Finding the islands of a single tree would be a waste. A pile may stop early: see
    docs/architecture.md, "Engine choices".
    """
    flags = int(model.opt.disableflags)
    model.opt.disableflags = flags & ~_NO_ISLANDS if model.ntree > 1 else flags | _NO_ISLANDS
    loose = is_pile(model)
    model.opt.tolerance = options.pile_tolerance if loose else options.solver_tolerance
    few = int((model.tree_dofnum > FREE_DOFS).sum()) <= FEW_JOINTED
    slipping = 0.0 if loose or not options.exact_slipping else _SLIPPING[few]
    model.numeric_data[t.N_SLIPPING] = slipping


def solves_by_blocks(model: Any) -> bool:
    """Whether a world of this model solves by blocks (`unibody.core.engine.solve`).

    It does where MuJoCo's Jacobian is sparse, and no forces are reported to a sensor.
    """
    return int(model.nv) >= SPARSE_FROM and model.numeric_data[t.N_REPORT] == 0.0


def new_solver() -> Solver:
    """A solver by blocks; it is loaded, and compiled if need be, once a scene is large."""
    from unibody.core.engine.solve.stage import Solver

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
