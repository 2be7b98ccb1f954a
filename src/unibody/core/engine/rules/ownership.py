"""Whose a model is, for functions that MuJoCo calls for every model of the process.

They leave models of somebody else exactly as those are without them.
"""

from __future__ import annotations

from typing import Any

from unibody.core.engine.records import rule_table as t
from unibody.machine_code.jit import inlined
from unibody.machine_code.pointers import f64_array, i32_array, int_at


@inlined
def mark_of(m: int, at: Any) -> float:
    """``N_MAGIC`` of a model, 0 if it has no such number; ``at``: a Layout, or offsets like it."""
    if int_at(m, at.m_nnumeric) == 0 or i32_array(m, at.m_numeric_size)[0] < t.NUMERIC_SIZE:
        return 0.0
    return f64_array(m, at.m_numeric_data)[t.N_MAGIC]


@inlined
def is_world(m: int, at: Any) -> bool:
    """Whether a model is that of a world of ours."""
    return mark_of(m, at) == t.MAGIC


@inlined
def is_ours(m: int, at: Any) -> bool:
    """Whether a model is from here: that of a world, or of shapes that are in none."""
    mark = mark_of(m, at)
    return mark == t.MAGIC or mark == t.SHAPES_MAGIC  # noqa: PLR1714 - compiled
