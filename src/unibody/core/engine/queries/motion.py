"""How far bodies get in a step."""

from __future__ import annotations

import math

import mujoco
import numpy as np

from unibody.core.engine.reach import reaches
from unibody.core.engine.record import LinkRecord
from unibody.core.engine.world import World


def reach_ahead(world: World, state: LinkRecord, threshold: float, share: float) -> None:
    """Let a link's shapes find contacts as far away as they get in the next step.

    A contact at a distance only keeps its gap from being crossed within the step, so that nothing
    is passed through, however fast.

    Args:
        world: The running world.
        state: The link.
        threshold: Motion in a step up to which nothing is done [m]; 0 stops it altogether.
        share: How far ahead they see anyway, in sizes of the body (see ``reaches``).
    """
    if not state.ngeom:
        return
    model, data = world.model, world.data
    world.velocities()
    twist = np.empty(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, state.body, twist, 0)
    geoms = slice(state.geom, state.geom + state.ngeom)
    reach = max(float(model.geom_rbound[geoms].max()), 0.0) * float(np.linalg.norm(twist[:3]))
    speed = float(np.linalg.norm(twist[3:])) + reach
    falling = math.hypot(*model.opt.gravity) * model.opt.timestep
    ahead = (speed + falling) * model.opt.timestep
    model.geom_margin[geoms] = reaches(model, share, geoms)
    if threshold > 0.0 and ahead > threshold:
        model.geom_margin[geoms] = np.maximum(model.geom_margin[geoms], ahead)
