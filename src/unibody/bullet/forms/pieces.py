"""What of this surface, and of the engine for it, is compiled on a new machine."""

from __future__ import annotations

from unibody.core.engine.world import compile_ahead as engine

URGENT = (
    engine.RULES[0],  # half of the work
    "unibody.bullet.calls.compiled_states:states",
    engine.RULES[1],
    "unibody.bullet.maths.builtins:compile_all",
    "unibody.machine_code.calls.argument_forms:_entry",
    engine.RULES[2],
    engine.CONSTRAINTS,
)
"""What every script needs, the longest first."""

LATER = (
    "unibody.bullet.handles.joint_reader:_compiled",
    "unibody.bullet.queries.contact_rows:_compiled",
    *engine.QUERIES,
    engine.LARGE_SCENES,
    engine.CAMERA,
    *engine.SELDOM,
)
"""What many need."""

LAST = "the writing of constraints"
SECONDS = 25.0  # of processor time, for the urgent ones
