"""The last stages of a step, where the constraint problem is solved by blocks."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from unibody.core.engine.block_solver.arena import HEADER, begin, end
from unibody.core.engine.block_solver.newton import solve
from unibody.core.engine.library.layout import Layout, layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules import slipping
from unibody.core.engine.rules.callbacks import provide_functions, report_and_limit, rules_digest
from unibody.machine_code import types
from unibody.machine_code.compiled import telling
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import f64_array, int_at, pointer_f64

_SOLVE = types.int64(types.int64, types.int64, types.int64, types.int64, types.int64)
_SETTLE = types.int64(types.int64, types.int64, types.int64)
_FIRST = 1 << 18  # bytes that a world begins with


def _build_solve(lay: Layout, digest: str) -> Any:
    """Compile the solver, or load it from numba's cache, which knows it by ``digest``."""

    @kept_entry(_SOLVE)
    def entry(m: int, d: int, arena: int, memory: int, size: int) -> int:
        begin(arena, memory, size)
        if len(digest) > 0:
            solve(m, d, lay, arena)
        return end(arena)

    return entry


def _build_settle(lay: Layout, digest: str) -> Any:
    """Compile what comes after each solve: says whether another one is needed."""

    @kept_entry(_SETTLE)
    def entry(m: int, d: int, solves: int) -> int:
        params = f64_array(m, lay.m_numeric_data)
        dt = pointer_f64(m + lay.m_opt + lay.o_timestep)[0]
        tolerance, by_mass = params[t.N_SLIPPING], params[t.N_SLIP_BY_MASS] != 0.0
        slides = tolerance != 0.0 and solves <= slipping.SOLVES and int_at(d, lay.d_ncon) > 0
        if slides and slipping.slips_otherwise(m, d, lay, tolerance, dt, by_mass, solves == 1):
            return 1
        if len(digest) > 0:
            report_and_limit(m, d, lay, params, dt)
        return 0

    return entry


@functools.cache
def _compiled() -> tuple[Any, Any]:
    provide_functions()  # a solver may be made before the first world installs the rules
    with telling("the solver of large scenes"):
        return _build_solve(layout(), rules_digest()), _build_settle(layout(), rules_digest())


class Solver:
    """Solves for one world, and keeps the memory for it."""

    def __init__(self) -> None:
        solver, settle = _compiled()
        self._solve, self._settle = solver.ctypes, settle.ctypes
        self._header = np.zeros(HEADER, np.int64)
        self._reserve(_FIRST)

    def _reserve(self, size: int) -> None:
        self._memory = np.empty(size, np.uint8)
        self._arguments = self._header.ctypes.data, self._memory.ctypes.data, size
        self._size = size

    def __call__(self, model: Any, data: Any) -> None:
        """Work out accelerations and forces of constraints; note forces and limit speeds.

        Contacts that slip otherwise than foreseen are solved for again.
        """
        solves, again = 0, 1
        while again:
            self.solve(model, data)
            solves += 1
            again = self._settle(model._address, data._address, solves)

    def solve(self, model: Any, data: Any) -> None:
        """Do once what ``mj_fwdConstraint`` does."""
        taken = self._solve(model._address, data._address, *self._arguments)
        if taken > self._size:
            self._reserve(taken + taken // 4)
