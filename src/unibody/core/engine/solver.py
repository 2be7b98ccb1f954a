"""What MuJoCo's solver is told about a model: whether to look for islands, when to stop."""

from __future__ import annotations

from typing import Any

import mujoco

from unibody.core.engine.constants import FREE_DOFS
from unibody.core.engine.options import WorldOptions

LEAST_PILE = 24  # fewer bodies cost little in any case
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


def is_pile(model: Any) -> bool:
    """Whether a model is many free bodies, without joints or constraints."""
    trees = int(model.ntree)
    return (
        trees >= LEAST_PILE
        and model.njnt == trees
        and model.nv == FREE_DOFS * trees
        and model.neq == 0
    )
