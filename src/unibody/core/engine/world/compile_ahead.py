"""What of the engine is compiled on a machine that has nothing compiled yet.

A piece is a function without arguments that compiles something, named as
``machine_code.ahead.expect`` wants it.
"""

from __future__ import annotations

_ENGINE = "unibody.core.engine"
RULES = tuple(
    f"{_ENGINE}.rules.callbacks:{name}"
    for name in ("compile_control", "compile_sensor", "compile_others")
)
"""What every step needs."""

CONSTRAINTS = f"{_ENGINE}.insertion.equality_kernel:writer"
LARGE_SCENES = f"{_ENGINE}.solver.stage:_compiled"
CAMERA = "unibody.core.render.software:compile_kernels"
QUERIES = (
    f"{_ENGINE}.contacts.read_kernel:reader",
    f"{_ENGINE}.kinematics.ik:damped_least_squares",
    f"{_ENGINE}.insertion.reserved_slots:_writer",
    "unibody.machine_code.calls.copying:copier",
    f"{_ENGINE}.queries.ray_kernels:kernels",
    f"{_ENGINE}.kinematics.compiled:algorithms",
)
"""What many scripts ask for."""

SELDOM = (
    f"{_ENGINE}.contacts.inherited_forces_kernel:_kernel",
    f"{_ENGINE}.queries.box_kernel:box_functions",
    f"{_ENGINE}.queries.distance_kernel:measure",
    f"{_ENGINE}.queries.overlap_kernel:settle",
    f"{_ENGINE}.queries.constraint_kernel:constraint_wrench",
    f"{_ENGINE}.queries.wrench_kernel:kernels",
    f"{_ENGINE}.mesh_contacts.topology:_entries",
    f"{_ENGINE}.mesh_contacts.install:_installation",
)
"""What some scripts ask for."""
