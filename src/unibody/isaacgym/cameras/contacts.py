"""Contact forces as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from unibody.isaacgym.batch.environment import Environment

Array = npt.NDArray[np.float64]


def contact_lines(env: Environment, scale: float, *, root: bool) -> Array:
    """A line for the sum of the contact forces on each body that something touches.

    Forces are noted from the first call on; before, there are none.

    Args:
        env: The environment.
        scale: Metres for a newton.
        root: Take the square root of the force before.

    Returns:
        Ends in the environment's frame, (n, 2, 3) [m].
    """
    sim = env.sim
    sim.read_bodies()
    sim.read_contacts()
    rows = slice(env.body_base, env.body_base + env.body_count)
    start = _host(sim.buffers.bodies[rows])[:, :3]
    force = _host(sim.buffers.contacts[rows])
    size = np.linalg.norm(force, axis=1, keepdims=True)
    if root:
        force = np.divide(force, np.sqrt(size), out=np.zeros_like(force), where=size > 0.0)
    return np.stack([start, start + scale * force], axis=1)[size[:, 0] > 0.0]


def _host(tensor: Any) -> Array:
    """Numbers of a tensor of the simulation, wherever it lives."""
    return np.asarray(tensor.cpu() if hasattr(tensor, "cpu") else tensor, np.float64)
