"""Many differential agents in one call."""

from __future__ import annotations

from unibody.fleet.controllers.batch_base import KernelBatchController
from unibody.fleet.controllers.controller import DifferentialController


class _Member(DifferentialController):
    """The controller of one agent."""

    _registry_name = ""
    _batch = 1


class BatchDifferentialController(KernelBatchController):
    """Moves differential agents, all in one call."""

    _registry_name = "batch_differential"
    _member = _Member
