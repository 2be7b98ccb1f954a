"""Physics of the current stage, and its state as tensors (``omni.physics.tensors``).

The stage is read once, when physics begins; from then on the tensors are the truth, and the stage
gets them when it is asked for. This is what World and the app's loop call:

    from unibody.isaac_core import physics

    scene = physics.attach(stage)      # reads the stage; the same scene if it is attached already
    scene.step(dt)                     # advances by dt [s]
    scene.flush_to_stage()             # writes poses and velocities of bodies to the stage
    scene.restore_stage()              # what ``stop`` does: the values from before the flushes
    physics.detach()                   # lets go of the scene; its views become invalid
    physics.current()                  # the attached scene, or None
    physics.declare_environments(stage, paths)   # what a cloner does: worlds of their own

    view = physics.tensors.create_simulation_view("numpy", stage_id)   # "torch", "warp"
    arms = view.create_articulation_view("/World/envs/*/Robot")

``tensors.create_simulation_view`` attaches the stage if nobody has. ``scene.time`` is the time
that has passed, ``scene.steps`` the number of steps, ``scene.body_of(path)`` the actor and the
number of the body of a prim.
"""

from __future__ import annotations

from typing import Any

from unibody.isaac_core.physics.environments import declare_environments
from unibody.isaac_core.physics.listening import take_views_from
from unibody.isaac_core.physics.scene import PhysicsScene, attach, current, detach

__all__ = ["PhysicsScene", "attach", "current", "declare_environments", "detach"]


def _view() -> Any:
    from unibody.isaac_core.physics.tensors import create_simulation_view

    return create_simulation_view("numpy")


take_views_from(_view)
