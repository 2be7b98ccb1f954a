"""What tendons do to bodies of SolverVBD, as blocks of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import warp as wp

if TYPE_CHECKING:
    from unibody.newton.model import Model
    from unibody.newton.solvers.tendons.cables import Cables


class Pulls:
    """The stages of tendons in a step of SolverVBD; nothing of a model without tendons.

    Args:
        model: The model.
        cables: Its tendons; None: it has none.

    Attributes:
        cables: The same.
        loads: A block of each body; no arrays of a model without tendons.
    """

    def __init__(self, model: Model, cables: Cables | None) -> None:
        from unibody.newton.solvers.rigid_vbd_block_kernels import Loads

        self._model = model
        self.cables: Cables | None = cables
        self.loads: Any = Loads()
        if cables is None or not model.body_count:
            return
        cables.check_colors(model.body_color_groups)
        count, device = model.body_count, model.device
        for name, dtype in (
            *((name, wp.vec3) for name in ("force", "torque")),
            *((name, wp.mat33) for name in ("ll", "al", "aa")),
        ):
            setattr(self.loads, name, wp.zeros(count, dtype=dtype, device=device))

    def load(self, state: Any) -> None:
        """Take over what a state keeps of tendons."""
        if self.cables is not None:
            self.cables.load(state)

    def begin(self, before: Any) -> None:
        """Note lengths of spans at the begin of a step.

        Args:
            before: Poses of bodies then; None: there are none.
        """
        if self.cables is not None:
            from unibody.newton.solvers.tendons.vbd_kernels import note_lengths

            self.cables.launch(note_lengths, [self.cables.guides, self.cables.spans, before])

    def pull(self, bodies: Any, dt: float) -> None:
        """Write what tendons do to bodies where these are.

        Args:
            bodies: The bodies.
            dt: Time step [s].
        """
        cables = self.cables
        if cables is None:
            return
        from unibody.newton.solvers.tendons.vbd_kernels import clear_loads, load_bodies

        model = self._model
        wp.launch(clear_loads, dim=model.body_count, inputs=[self.loads], device=model.device)
        rows = [cables.guides, cables.spans, cables.rules, bodies, dt, self.loads]
        cables.launch(load_bodies, rows)

    def end(self, state: Any, dt: float) -> None:
        """Have a state keep what tendons have become.

        Args:
            state: The state after the step.
            dt: Time step [s].
        """
        cables = self.cables
        if cables is None:
            return
        from unibody.newton.solvers.tendons.vbd_kernels import finish_tendons

        cables.launch(finish_tendons, [cables.guides, cables.spans, cables.rules, state.body_q, dt])
        cables.save(state)
