"""Contacts of one pass of a pipeline, recognised in the next."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton.dialect import normal_sign
from unibody.newton.state import Contacts

MODES = ("disabled", "latest", "sticky")
_POINTS = ("point0", "point1", "offset0", "offset1", "normal")
_FAR = 1.0e30
_NOBODY = 2**31 - 1


class ContactMatcher:
    """Finds for each contact the one of the pass before that it is.

    Args:
        model: The model.
        most: Most rigid contacts.
        mode: "latest", or "sticky": contacts that press keep the points of their bodies.
        farthest: Distance that the middle of a contact may move by [m].
        least_dot: Least product of the two directions.

    Raises:
        InvalidArgumentError: One of these is out of range.
    """

    def __init__(self, model: Any, most: int, mode: str, farthest: float, least_dot: float) -> None:
        from unibody.newton.collision.matching_kernels import Kept

        if not farthest >= 0.0:
            raise InvalidArgumentError("contact_matching_pos_threshold", farthest, "0 or more")
        if not -1.0 <= least_dot <= 1.0:
            raise InvalidArgumentError(
                "contact_matching_normal_dot_threshold", least_dot, "a number of -1 to 1"
            )
        self._model, self._most = model, most
        self._is_sticky = mode == "sticky"
        self._farthest, self._least_dot = float(farthest), float(least_dot)
        self._passes = 0
        self._kept: Any = Kept()
        with wp.ScopedDevice(model.device):
            for name in ("shape0", "shape1", "following", "owner"):
                setattr(self._kept, name, wp.zeros(most, dtype=int))
            self._kept.heads = wp.full(max(most, 1), -1, dtype=int)
            for name in (*_POINTS, "middle"):
                setattr(self._kept, name, wp.zeros(most, dtype=wp.vec3))
            self._kept.nearest = wp.zeros(most, dtype=float)

    def reset(self) -> None:
        """Forget the contacts of the pass before."""
        self._passes += 1
        self._kept.heads.fill_(-1)

    def match(self, contacts: Contacts, body_q: wp.array[Any] | None) -> None:
        """Write ``rigid_contact_match_index``, and note the contacts for the next pass.

        Args:
            contacts: Those of this pass.
            body_q: Poses of bodies that they were found at.
        """
        from unibody.newton.collision import matching_kernels as kernels

        found: Any = kernels.Found()
        for name in ("count", "shape0", "shape1", *_POINTS, "margin0", "margin1"):
            setattr(found, name, getattr(contacts, f"rigid_contact_{name}"))
        match, kept = contacts.rigid_contact_match_index, self._kept
        poses = [body_q, self._model.shape_body]
        kept.nearest.fill_(_FAR)
        kept.owner.fill_(_NOBODY)
        limits = [self._farthest, self._least_dot]
        self._launch(kernels.nearest_before, [found, kept, *poses, *limits, match])
        self._launch(kernels.claim, [found, kept, *poses, match])
        self._launch(kernels.give_up, [found, kept, match])
        if self._is_sticky:
            more = [self._farthest, normal_sign(), match]
            self._launch(kernels.hold, [found, kept, *poses, *more])
        kept.heads.fill_(-1)
        self._launch(kernels.keep, [found, kept, *poses])
        self._passes += 1
        contacts.matched_in, contacts.matched_pass = self, self._passes

    def _launch(self, kernel: Any, inputs: list[Any]) -> None:
        wp.launch(
            kernel, dim=self._most, inputs=inputs, device=self._model.device, record_tape=False
        )


def matcher_of(
    model: Any, most: int, mode: str, farthest: float, least_dot: float
) -> ContactMatcher | None:
    """The matcher of a pipeline; None: its contacts do not know those before.

    Args:
        model: The model.
        most: Most rigid contacts.
        mode: One of `MODES`.
        farthest: As of `ContactMatcher`.
        least_dot: As of `ContactMatcher`.

    Raises:
        InvalidArgumentError: One of these is out of range.
    """
    if mode not in MODES:
        raise InvalidArgumentError("contact_matching", mode, " or ".join(MODES))
    if mode == "disabled":
        return None
    return ContactMatcher(model, most, mode, farthest, least_dot)
