"""Contacts of SolverVBD's rigid bodies that have multipliers, over the steps."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton.solvers.rigid_vbd_options import COMPLIANT, HARD, RigidOptions
from unibody.newton.state import Contacts


class HeldContacts:
    """Multipliers of contacts, of this step and the one before.

    Args:
        model: The model.
        shapes: The struct of materials that kernels read; it gets the arrays.
        options: Options of rigid bodies.
    """

    def __init__(self, model: Any, shapes: Any, options: RigidOptions) -> None:
        self._model, self._shapes, self._options = model, shapes, options
        self._is_in_use = options.contact_scheme in (COMPLIANT, HARD)
        self._room = 0
        self._past: tuple[Any, int] | None = None
        shapes.left = options.alpha(options.rigid_avbd_contact_alpha)

    @property
    def multipliers(self) -> Any:
        """Forces on the bodies of second shapes, a row a contact [N]; None before contacts."""
        return self._shapes.hold

    def forget(self) -> None:
        """Let contacts of the next step begin anew."""
        self._past = None

    def begin(
        self,
        bodies: Any,
        points: Any,
        contacts: Contacts | None,
        dt: float,
        *,
        fresh: bool,
        inside: bool = False,
    ) -> None:
        """Begin a step.

        Args:
            bodies: Poses of bodies.
            points: Contacts as kernels read them.
            contacts: The same as they were found; None: there are none.
            dt: Time step [s].
            fresh: Whether multipliers are taken over from contacts that match; else from the same
                rows.
            inside: Whether contacts may be found anew before the step ends.

        Raises:
            InvalidArgumentError: Contacts do not know those before, and shall go on from them.
        """
        from unibody.newton.solvers import rigid_vbd_contact_kernels as kernels

        if contacts is None or not contacts.rigid_contact_max or not self._model.shape_count:
            return
        history = self._options.rigid_contact_history
        if history and contacts.rigid_contact_match_index is None:
            raise InvalidArgumentError(
                "contacts",
                "no indices of matches",
                "those of a CollisionPipeline with contact_matching, for rigid_contact_history",
            )
        if not self._is_in_use:
            return
        room = contacts.rigid_contact_max
        if self._room < room:
            self._make(room)
            fresh = True
        past: Any = kernels.Past()
        past.hold, past.normal = self._hold, self._normals
        past.keep = self._options.rigid_avbd_gamma
        if self._options.contact_scheme == HARD:
            past.keep = past.keep * self._shapes.left
        if not fresh:
            past.own = past.present = True  # the same rows go on
            self._launch(kernels.keep_normals, room, [points, self._normals])
            wp.copy(self._hold, self._shapes.hold)
        elif history:
            now = (contacts.matched_in, contacts.matched_pass)
            past.match = contacts.rigid_contact_match_index
            past.own = now == self._past
            before = None if self._past is None else (self._past[0], self._past[1] + 1)
            past.present = past.own or now == before
        if history and fresh and past.present:
            wp.copy(self._hold, self._shapes.hold)
        self._launch(kernels.begin_held_contacts, room, [bodies, points, self._shapes, past, dt])
        if inside:
            self._launch(kernels.keep_normals, room, [points, self._last])

    def go_on(
        self, bodies: Any, points: Any, contacts: Contacts | None, dt: float, *, guessed: bool
    ) -> None:
        """Take over multipliers after contacts were found anew inside a step.

        Args:
            bodies: Poses of bodies.
            points: Contacts as kernels read them.
            contacts: The same as they were found; None: there are none.
            dt: Time step [s].
            guessed: Whether that is before the first round, where those without history begin anew.
        """
        from unibody.newton.solvers import rigid_vbd_contact_kernels as kernels

        if not self._is_in_use or contacts is None or not self._room:
            return
        past: Any = kernels.Past()
        past.hold, past.normal, past.keep = self._hold, self._last, 1.0
        past.match = contacts.rigid_contact_match_index
        carried = self._options.rigid_contact_history or not guessed
        past.present = carried and past.match is not None
        if past.present:
            wp.copy(self._hold, self._shapes.hold)
        room = contacts.rigid_contact_max
        self._launch(kernels.begin_held_contacts, room, [bodies, points, self._shapes, past, dt])
        self._launch(kernels.keep_normals, room, [points, self._last])

    def update(self, bodies: Any, points: Any, room: int, dt: float) -> None:
        """Take over forces as multipliers, after a round."""
        from unibody.newton.solvers.rigid_vbd_contact_kernels import hold_contacts

        if self._is_in_use and room:
            self._launch(hold_contacts, room, [bodies, points, self._shapes, dt])

    def end(self, points: Any, contacts: Contacts | None) -> None:
        """Note which contacts a step has solved."""
        from unibody.newton.solvers.rigid_vbd_contact_kernels import keep_normals

        if not self._options.rigid_contact_history or not self._room:
            return
        if contacts is None or not contacts.rigid_contact_max:
            self._past = None
            return
        self._launch(keep_normals, contacts.rigid_contact_max, [points, self._normals])
        self._past = (contacts.matched_in, contacts.matched_pass)

    def _make(self, room: int) -> None:
        with wp.ScopedDevice(self._model.device):
            self._shapes.metric = wp.zeros(room, dtype=wp.vec2)
            self._shapes.hold = wp.zeros(room, dtype=wp.vec3)
            self._shapes.first = wp.zeros(room, dtype=float)
            self._hold = wp.zeros(room, dtype=wp.vec3)
            self._normals = wp.zeros(room, dtype=wp.vec3)
            self._last = wp.zeros(room, dtype=wp.vec3)
        self._room, self._past = room, None

    def _launch(self, kernel: Any, dim: int, inputs: list[Any]) -> None:
        wp.launch(kernel, dim=dim, inputs=inputs, device=self._model.device)
