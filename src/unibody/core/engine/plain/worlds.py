"""What worlds of a plain model offer, whatever they run on."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np
from numpy.typing import NDArray

LIVE = ("qpos", "qvel", "ctrl", "qfrc_applied", "xfrc_applied", "mocap_pos", "mocap_quat")
"""Arrays that a step begins with."""

Array = Any  # numpy.ndarray (float64) on "cpu", warp.array (float32) on a Warp device


class PlainWorlds(abc.ABC):
    """``count`` worlds of a model that MuJoCo steps as it is.

    Arrays are live and have MuJoCo's layout, the world first.

    Attributes:
        count: Number of worlds, N.
        device: "cpu", "warp-cpu", "cuda:0", ...
        model: The MjModel all worlds start from.
        qpos, qvel, ctrl, qfrc_applied: (N, ...), what a step begins with.
        xfrc_applied: Forces and torques at centres of mass, (N, nbody, 6).
        tells_bodies: Whether accelerations of bodies were read after a step.
        connected: Equality constraints whose second anchor is where the first is in the first
            poses; those of others stay as they were written.
        mocap_pos, mocap_quat: Poses of bodies that scripts move, (N, nmocap, 3) and (N, nmocap, 4).
    """

    count: int
    device: str
    model: Any
    qpos: Array
    qvel: Array
    ctrl: Array
    qfrc_applied: Array
    xfrc_applied: Array
    mocap_pos: Array
    mocap_quat: Array
    tells_bodies: bool = False
    connected: NDArray[Any] = np.zeros(0, int)

    @abc.abstractmethod
    def step(self, dt: float) -> None:
        """Advance all worlds by one time step [s]."""

    @abc.abstractmethod
    def read(self, name: str) -> NDArray[Any]:
        """A copy of a field of the model (MuJoCo's name, or ``opt.<name>``), (N, ...)."""

    @abc.abstractmethod
    def write(self, name: str, values: NDArray[Any]) -> bool:
        """Set a field of the model, (N, ...).

        Returns:
            Whether it has changed. Call ``derive`` after masses, inertias and joints have.
        """

    @abc.abstractmethod
    def derive(self, *, keep_scale: bool = False) -> None:
        """Work out what follows from masses, inertias, armatures and reference positions.

        Args:
            keep_scale: Whether the solver goes on with its scale of inertia, by which it knows
                when it is done: that of armatures that hold something would end it at once.
        """

    def _with_anchors(self, written: NDArray[Any], derived: NDArray[Any]) -> NDArray[Any]:
        """Numbers of equality constraints as they were, but for the anchors that follow."""
        written[..., self.connected, 3:6] = derived[..., self.connected, 3:6]
        return written

    @abc.abstractmethod
    def output(self, name: str) -> Array:
        """A field that a step works out, (N, ...), of before the step's end."""

    @abc.abstractmethod
    def friction_forces(self) -> Array:
        """Forces of dry friction in joints that the last step worked out, (N, nv)."""

    @abc.abstractmethod
    def eq_active(self) -> NDArray[np.bool_]:
        """A copy of which equality constraints hold, (N, neq)."""

    @abc.abstractmethod
    def set_eq_active(self, active: NDArray[np.bool_]) -> None:
        """Set which equality constraints hold, (N, neq)."""

    @abc.abstractmethod
    def contacts(self) -> tuple[NDArray[Any], ...]:
        """Contacts of the present state in all worlds.

        Returns:
            World (n,), geoms (n, 2), normal from the first geom to the second (n, 3), position
            (n, 3) [m], distance (n,) [m] and force of the first on the second (n, 3) [N].
        """

    @abc.abstractmethod
    def place_shapes(self) -> None:
        """Have outputs tell where geoms and sites are at present, until a step tells it."""

    @abc.abstractmethod
    def reset(self, worlds: NDArray[np.bool_] | None = None) -> None:
        """Put worlds back to the first state."""

    def copy_state(self, other: PlainWorlds) -> None:
        """Take over positions, velocities, forces and controls of as many like worlds."""
        for name in LIVE:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, np.ndarray):
                mine[...] = theirs
            else:
                mine.assign(theirs)
        self.set_eq_active(other.eq_active())
