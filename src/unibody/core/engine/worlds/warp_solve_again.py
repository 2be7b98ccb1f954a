# pyright: basic, reportInvalidTypeForm=false
"""Solving some worlds again on a Warp device, in launches that a CUDA graph can hold.

mujoco-warp solves all worlds at once. Here they are solved again where something has changed, and
what goes well in the first solve is not iterated again. Nothing may be allocated in a loop of a
graph, so that the solver's own memory is taken once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import warp as wp
from mujoco_warp._src import solver

_INSIDE = ("_create_solver_context", "init_context", "_solver_iteration")


@wp.kernel(enable_backward=False)
def leave_out(
    again: wp.array(dtype=int),
    any: wp.array(dtype=int),
    done: wp.array(dtype=bool),
    solving: wp.array(dtype=int),
):
    """Count the worlds to be solved again, and have the others left as they are."""
    w = wp.tid()
    if again[w] == 0:
        done[w] = True
    else:
        wp.atomic_add(solving, 0, 1)
    again[w] = 0
    if w == 0:
        any[0] = 0


class SolveAgain:
    """Solves worlds again, from their solutions on.

    Attributes:
        again: Which worlds had a change since the last solve, (N,).
        any: Whether one had, (1,).
    """

    def __init__(self, m: Any, d: Any) -> None:
        self._m, self._d = m, d
        self._context = solver._create_solver_context(m, d)
        self._solving = wp.zeros(1, dtype=int)
        self.again = wp.zeros(d.nworld, dtype=int)
        self.any: wp.array[Any] = wp.zeros(1, dtype=int)

    def while_any(self, then: Callable[[], None] | None = None) -> None:
        """Solve as long as a world had a change; ``then`` comes after each solve."""
        wp.capture_while(self.any, while_body=self._solve, then=then)

    def _solve(self, then: Callable[[], None] | None) -> None:
        m, d, context = self._m, self._d, self._context
        solver.init_context(m, d, context)
        self._solving.zero_()
        inputs = [self.again, self.any, context.done, self._solving]
        wp.launch(leave_out, dim=d.nworld, inputs=inputs)
        wp.capture_while(
            self._solving,
            while_body=solver._solver_iteration,
            m=m,
            d=d,
            ctx=context,
            nsolving=self._solving,
        )
        if then is not None:
            then()

    def memory(self) -> int:
        """Bytes held."""
        arrays = [*vars(self._context).values(), *vars(self).values()]
        return sum(array.capacity for array in arrays if isinstance(array, wp.array))


def can_solve_again(d: Any) -> bool:
    """Whether there are rows, and mujoco-warp has the inside that it takes."""
    return d.njmax > 0 and all(hasattr(solver, name) for name in _INSIDE)
