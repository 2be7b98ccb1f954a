"""Particles that SolverVBD holds at points of bodies, by an augmented Lagrangian."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.core.deform.contacts import COLUMNS, FRICTION, HELD, MOTION, STIFFNESS
from unibody.newton.solvers.particle_rows import placed

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Attachments:
    """Springs from particles to points of bodies, whose multipliers last over steps.

    A row's force is ``k e + s m`` with ``k = K r / (K + r)`` and ``s = K / (K + r)``: `m`, the
    multiplier, becomes the force of the round before, so that at rest the force is ``K e`` whatever
    the metric `r` is, and `e` goes to zero where the stiffness `K` is infinite.

    Args:
        model: The model.
        stiffness: Of the elements of each particle, (p, 3, 3) [N/m].
        keep: Share of the multipliers that lasts into the next step.
    """

    def __init__(self, model: Any, stiffness: Any, keep: float) -> None:
        self._model, self._keep = model, keep
        self.particles: Any = model.attachment_particle_body_particle.numpy().astype(np.int64)
        self.bodies: Any = model.attachment_particle_body_body.numpy()
        self.multipliers: NDArray[np.float64] = np.zeros((len(self.particles), 3))
        self._supports = np.abs(stiffness[self.particles]).sum(axis=2).max(axis=1, initial=0.0)
        self.rows: NDArray[np.float32] = np.zeros((len(self.particles), COLUMNS), dtype=np.float32)
        self.rows[:, FRICTION] = HELD

    def forget(self, worlds: Any) -> None:
        """Clear multipliers of some worlds."""
        self.multipliers[worlds[self._model.attachment_particle_body_world.numpy()]] = 0.0

    def begin(self, start: Any, inverse: Any, before: Any, dt: float) -> None:
        """Begin a step.

        Args:
            start: Where particles are, (p, 3) [m].
            inverse: Inverse masses of bodies, (b,) [1/kg].
            before: Poses of bodies at the start of the step, (b, 7).
            dt: Time step [s].
        """
        model = self._model
        active = model.attachment_particle_body_enabled.numpy()
        material = np.where(active, model.attachment_particle_body_stiffness.numpy(), 0.0)
        self._points = model.attachment_particle_body_body_point.numpy()
        light = model.particle_inv_mass.numpy()[self.particles].astype(np.float64)
        light = light / (1.0 + dt * dt * light * self._supports) + inverse[self.bodies]
        metric = 1.0 / np.maximum(dt * dt * light, 1e-30)
        metric[(material <= 0.0) | (light <= 0.0)] = 0.0
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(np.isinf(material), 1.0, material / (material + metric))
        self._share = np.where(metric > 0.0, share, 0.0)[:, None]
        self._stiffness = (self._share[:, 0] * metric)[:, None]
        self.multipliers *= np.where(metric > 0.0, self._keep, 0.0)[:, None]
        damped = active & np.isfinite(material)
        rate = np.where(damped, model.attachment_particle_body_damping.numpy(), 0.0) / dt
        self._drag = rate[:, None].astype(np.float64)
        self._start = np.asarray(start)[self.particles].astype(np.float64)
        self._anchors_before = placed(before[self.bodies], self._points)
        self.rows[:, STIFFNESS] = (self._stiffness + self._drag)[:, 0]

    def place(self, now: Any) -> Any:
        """Write where rows pull their particles.

        Args:
            now: Poses of bodies, (b, 7).

        Returns:
            The points of the bodies, (n, 3) [m].
        """
        anchors = placed(now[self.bodies], self._points)
        pulled = self._stiffness * (anchors - self._start) - self._share * self.multipliers
        pulled += self._drag * (anchors - self._anchors_before)
        self.rows[:, MOTION:] = pulled / np.maximum(self._stiffness + self._drag, 1e-30)
        return anchors

    def hold(self, x: Any, now: Any) -> None:
        """Take over forces as multipliers, after a round.

        Args:
            x: Where particles are, (p, 3) [m].
            now: Poses of bodies, (b, 7).
        """
        apart = x[self.particles] - placed(now[self.bodies], self._points)
        self.multipliers[:] = self._share * self.multipliers + self._stiffness * apart
