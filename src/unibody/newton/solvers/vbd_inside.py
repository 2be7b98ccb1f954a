"""What happens while a step of SolverVBD goes on: searches for contacts, and bounds of motion."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from unibody.newton.solvers.collision_schedule import CollisionSchedule, CollisionSlot
from unibody.newton.solvers.vbd_bounds import MotionBounds


class Inside:
    """Searches of a solver's own pipeline, and bounds between them.

    Args:
        pipeline: Finds contacts; None: they stay for a step.
        schedule: When it does.
        bounds: Of motion between two searches; None: there are none.
    """

    def __init__(
        self, pipeline: Any, schedule: CollisionSchedule, bounds: MotionBounds | None
    ) -> None:
        self._pipeline, self._schedule = pipeline, schedule
        self.bounds = bounds
        self.is_fresh: bool = False

    def take_fresh(self) -> bool:
        """Whether there were other contacts found since this was asked last."""
        was, self.is_fresh = self.is_fresh, False
        return was

    def looking(
        self, state_in: Any, state_out: Any, moved: Any, contacts: Any
    ) -> Callable[[int], bool] | None:
        """What looks for contacts before an iteration, and says whether it did; None: nothing does.

        Args:
            state_in: The state before the step.
            state_out: Gets the bodies, and particles when contacts are looked for.
            moved: Particles on their way; None: there are none.
            contacts: Are found anew.
        """
        schedule, pipeline = self._schedule, self._pipeline
        self.is_fresh = False
        if pipeline is None or not schedule.is_due_inside(CollisionSlot.RIGID):
            return None
        view = copy(state_in)
        view.body_q, view.particle_q = state_out.body_q, state_out.particle_q

        def look(iteration: int) -> bool:
            if not schedule.is_due(CollisionSlot.RIGID, iteration):
                return False
            if moved is not None:
                if self.bounds is not None:
                    held = view.body_q is not None
                    bodies = view.body_q.numpy() if held else np.zeros((0, 7))
                    self.bounds.hold(moved.positions, bodies)
                view.particle_q.numpy()[:] = moved.positions
            pipeline.collide(view, contacts)
            self.is_fresh = True
            return True

        return look
