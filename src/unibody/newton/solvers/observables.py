"""Observables: what a solver's step tells beside the state, in arrays that a script asks for."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any

import warp as wp

from unibody.errors import NotSupportedError


class ObservableKind:
    """Names of what solvers can tell."""

    BODY_QDD = "body_qdd"
    BODY_PARENT_F = "body_parent_f"
    CONTACT_F = "contact_f"


class Observables:
    """Arrays that steps write; made by a solver's ``observables``.

    Attributes:
        body_qdd: Accelerations of bodies [m/s^2, rad/s^2], or None.
        body_parent_f: Forces and torques of the joints that hold bodies [N, N m], or None.
        contact_f: Forces of contacts [N, N m], a row a contact, or None.
        qfrc_actuator: Forces of actuators on the axes of joints [N or N m], or None. In the same
            way ``qfrc_bias``, of gravity and motion, ``qfrc_constraint``, of all constraints, and
            ``qfrc_frictionloss``, of dry friction of joints.
    """

    def __init__(self, solver: Any, kinds: frozenset[str], contacts: Any) -> None:
        self.solver = solver
        self.kinds = kinds
        self.body_qdd: Any = None
        self.body_parent_f: Any = None
        self.contact_f: Any = None
        self.qfrc_actuator: Any = None
        self.qfrc_bias: Any = None
        self.qfrc_constraint: Any = None
        self.qfrc_frictionloss: Any = None
        self._layout = [contacts]  # shared with selections

    @property
    def model(self) -> Any:
        """The model of the solver."""
        return self.solver.model

    @property
    def contacts(self) -> Any:
        """The contacts that the rows of ``contact_f`` belong to."""
        return self._layout[0]

    @contacts.setter
    def contacts(self, value: Any) -> None:
        self._layout[0] = value

    @staticmethod
    def field(*, dtype: Any, frequency: Any, kind: str | None = None) -> Any:
        """Not supported: solvers of scripts may write arrays of their own.

        Raises:
            NotSupportedError: Always.
        """
        raise NotSupportedError(
            f"Observables.field(dtype={dtype}, frequency={frequency}, kind={kind})",
            "a solver of a script may keep arrays of its own",
        )

    def is_requested(self, kind: str) -> bool:
        """Whether steps write a kind."""
        return kind in self.kinds

    def unowned(self) -> Observables:
        """The same arrays without their solver, which what is recorded must not hold."""
        found = copy(self)
        found.solver = None
        return found

    def select(self, kinds: Iterable[str]) -> Observables:
        """Some of the arrays: the same ones, so that steps write fewer.

        Args:
            kinds: Names of these.

        Raises:
            ValueError: There is no array of a name.
        """
        chosen = checked_kinds(kinds)
        missing = sorted(chosen - self.kinds)
        if missing:
            raise ValueError(
                f"Cannot select observable kinds {missing}: requested are {sorted(self.kinds)}"
            )
        found = copy(self)
        found.kinds = chosen
        for kind in self.kinds - chosen:
            setattr(found, kind, None)
        return found


def checked_kinds(kinds: Iterable[str]) -> frozenset[str]:
    """Names of kinds as a set.

    Raises:
        TypeError: They are one string, or something in them is no name.
    """
    found = () if isinstance(kinds, str) else tuple(kinds)
    if isinstance(kinds, str) or not all(isinstance(kind, str) and kind for kind in found):
        raise TypeError(f"kinds={kinds!r}: expected names, for example {{'body_qdd'}}")
    return frozenset(found)


def make(solver: Any, kinds: Iterable[str], contacts: Any, requires_grad: bool | None) -> Any:
    """Arrays for what a solver is asked to tell.

    Raises:
        ValueError: The solver cannot tell a kind, or contacts are missing.
    """
    chosen = checked_kinds(kinds)
    allowed = solver.supported_observables
    if not chosen <= allowed:
        raise ValueError(
            f"{type(solver).__name__} does not support solver observable(s)"
            f" {sorted(chosen - allowed)}: it supports {sorted(allowed)}"
        )
    if ObservableKind.CONTACT_F in chosen and contacts is None:
        raise ValueError("contacts=None: expected Contacts, whose rows contact_f has")
    found, model = Observables(solver, chosen, contacts), solver.model
    grad = model.requires_grad if requires_grad is None else requires_grad
    with wp.ScopedDevice(model.device):
        for kind in sorted(chosen):
            count, dtype = model.body_count, wp.spatial_vector
            if kind == ObservableKind.CONTACT_F:
                count = _rows(contacts)
            elif kind.startswith("qfrc_"):
                count, dtype = model.joint_dof_count, wp.float32
            setattr(found, kind, wp.zeros(count, dtype=dtype, requires_grad=grad))
    return found


def check(solver: Any, observables: Any, contacts: Any) -> None:
    """Check what a step is given to write, and note whose contacts it writes.

    Raises:
        TypeError: It is not what ``observables`` makes.
        ValueError: Another solver made it, or there is no room for the forces of all contacts.
    """
    if observables is None:
        return
    if not isinstance(observables, Observables):
        raise TypeError(f"observables={observables!r}: expected what solver.observables() makes")
    if observables.solver is not solver:
        raise ValueError(
            "observables were made by another solver, not the solver instance that allocated them"
        )
    if observables.contact_f is None:
        return
    if contacts is None:
        raise ValueError("contacts=None: expected the Contacts of the step, as contact_f is asked")
    if _rows(contacts) > len(observables.contact_f):
        raise ValueError(
            f"contacts have {_rows(contacts)} rows: expected at most"
            f" {len(observables.contact_f)}, the capacity of contact_f"
        )
    observables.contacts = contacts


def _rows(contacts: Any) -> int:
    return contacts.rigid_contact_max + contacts.soft_contact_max
