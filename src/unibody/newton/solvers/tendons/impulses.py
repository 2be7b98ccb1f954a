"""The stages of tendons in a step of SolverXPBD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unibody.newton.solvers.tendons.cables import Cables


def begin(cables: Cables, state: Any) -> None:
    """Take over what a state keeps of tendons, and begin without impulses.

    Args:
        cables: The tendons.
        state: Before the step.
    """
    from unibody.newton.solvers.tendons.xpbd_kernels import begin_pulls

    cables.load(state)
    cables.launch(begin_pulls, [cables.guides, cables.spans])


def pull(cables: Cables, bodies: Any, share: float, dt: float, deltas: Any) -> None:
    """Add the impulses that tendons ask for to those of bodies.

    Args:
        cables: The tendons.
        bodies: Bodies where they are.
        share: Of the impulses that is given.
        dt: Time step [s].
        deltas: Impulses on bodies; None: there are none.
    """
    from unibody.newton.solvers.tendons.xpbd_kernels import pull_tendons

    rows = [cables.guides, bodies, cables.spans, cables.rules, share, dt, deltas]
    cables.launch(pull_tendons, rows)


def finish(cables: Cables, bodies: Any, state: Any) -> None:
    """Have a state keep what tendons have become.

    Args:
        cables: The tendons.
        bodies: Bodies after the step.
        state: After the step.
    """
    from unibody.newton.solvers.tendons.xpbd_kernels import finish_tendons

    cables.launch(finish_tendons, [cables.guides, bodies, cables.spans, cables.rules])
    cables.save(state)
