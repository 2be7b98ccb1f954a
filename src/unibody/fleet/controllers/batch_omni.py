"""Many omnidirectional agents in one call."""

from __future__ import annotations

from unibody.fleet.controllers.batch_base import KernelBatchController
from unibody.fleet.controllers.controller import OmniController


class _Member(OmniController):
    """The controller of one agent."""

    _registry_name = ""
    _batch = 1


class BatchOmniController(KernelBatchController):
    """Moves omnidirectional agents, all in one call."""

    _registry_name = "batch_omni"
    _member = _Member
