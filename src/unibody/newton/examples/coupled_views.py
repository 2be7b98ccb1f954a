"""What example scripts show: the whole model, or the part of one of several coupled solvers.

No solver here couples others, so that a part can be asked for only of a script's own solver that
has ``entry_names``, ``view``, ``entry_state`` and ``entry_contacts`` as the original's have.
"""

from __future__ import annotations

import argparse
from typing import Any

from unibody.errors import InvalidArgumentError

_WHOLE = "combined"


def add_coupled_view_args(parser: argparse.ArgumentParser) -> None:
    """Add ``--coupled-view``, which names what is shown."""
    parser.add_argument(
        "--coupled-view", default=_WHOLE, metavar="NAME", help="combined, or a coupled solver"
    )


def configure_coupled_view(example: Any, args: Any = None, view_name: str | None = None) -> Any:
    """Let an example's viewer show the whole model, or the part of one solver.

    Args:
        example: With ``viewer`` and ``model``, and ``solver`` where a part is asked for.
        args: Of `init`.
        view_name: What is shown, whatever the arguments say.

    Returns:
        The model that is shown.

    Raises:
        InvalidArgumentError: The solver has no such part, or no parts.
    """
    name = str(getattr(args, "coupled_view", _WHOLE) if view_name is None else view_name)
    model = example.model if name == _WHOLE else _part(getattr(example, "solver", None), name)
    example._coupled_view_name = name
    example.viewer.set_model(model)
    return model


def _part(solver: Any, name: str) -> Any:
    names_of: Any = getattr(solver, "entry_names", None)
    names = [] if names_of is None else [str(entry) for entry in names_of()]
    if not names:
        raise InvalidArgumentError("coupled view", name, f"{_WHOLE!r} without a coupled solver")
    if name not in names:
        raise InvalidArgumentError("coupled view", name, ", ".join((_WHOLE, *names)))
    return solver.view(name)


def is_coupled_view_combined(example: Any) -> bool:
    """Whether an example shows the whole model."""
    return _name(example) == _WHOLE


def get_coupled_view_state(example: Any) -> Any:
    """The state of what an example shows."""
    if is_coupled_view_combined(example):
        return example.state_0
    solver = example.solver
    fresh = getattr(solver, "entry_output_state_valid", None)
    renew = getattr(solver, "sync_entry_states", None)
    if callable(fresh) and callable(renew) and not fresh():
        renew(example.state_0)
    return solver.entry_state(_name(example))


def apply_coupled_viewer_forces(example: Any, state: Any) -> None:
    """Add the viewer's forces to a state of the whole model, where that is what is shown."""
    if is_coupled_view_combined(example):
        example.viewer.apply_forces(state)


def log_coupled_view(example: Any, contacts: Any = None, *, log_contacts: bool = True) -> None:
    """Show the state of what an example shows, and its contacts.

    Args:
        example: After `configure_coupled_view`.
        contacts: Those of the whole model.
        log_contacts: Whether contacts are shown.
    """
    state = get_coupled_view_state(example)
    example.viewer.log_state(state)
    shown = contacts
    if log_contacts and not is_coupled_view_combined(example):
        part = getattr(getattr(example, "solver", None), "entry_contacts", None)
        shown = part(_name(example), contacts) if callable(part) else None
    if log_contacts and shown is not None:
        example.viewer.log_contacts(shown, state)


def _name(example: Any) -> str:
    return str(getattr(example, "_coupled_view_name", _WHOLE))
