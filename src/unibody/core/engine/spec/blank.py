"""The empty spec of a scene: what holds for a world, whatever is in it."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from unibody.core.engine.library.first_arrays import find_numpy
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.options import WorldOptions

find_numpy()  # under the lock that a fork waits for, where surfaces load all at once

_DISABLE = mujoco.mjtDisableBit
_SEARCHES = 200  # steps of a line search, of which most need one


def new_spec(options: WorldOptions) -> Any:
    """A spec without bodies."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.compiler.autolimits = False
    spec.compiler.boundmass = 0.0
    spec.nuser_geom = t.GEOM_USER_SIZE
    spec.nuser_body = t.BODY_USER_SIZE
    spec.nuser_jnt = t.JOINT_USER_SIZE
    # why these: docs/decisions/solver.md and integration.md
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    # its 50 end before the minimum where hard rows with bounds hold bodies far from their centres
    spec.option.ls_iterations = _SEARCHES
    spec.option.disableflags |= int(_DISABLE.mjDSBL_EULERDAMP) | int(_DISABLE.mjDSBL_AUTORESET)
    rules = np.zeros(t.NUMERIC_SIZE)
    rules[t.N_MAGIC] = t.SHAPES_MAGIC  # until it is that of a world
    spec.add_numeric(name=t.NUMERIC_NAME, size=t.NUMERIC_SIZE, data=rules)
    write_options(spec, options)
    return spec


def write_options(spec: Any, options: WorldOptions) -> None:
    """Write what can change later."""
    spec.option.timestep = options.timestep
    spec.option.gravity = options.gravity
    spec.option.iterations = options.solver_iterations
    spec.option.tolerance = options.solver_tolerance
