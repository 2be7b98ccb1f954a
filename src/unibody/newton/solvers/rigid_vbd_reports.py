"""What SolverVBD tells of contacts of rigid bodies after a step, as scripts of 1.x ask for it."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.newton.solvers import forces
from unibody.newton.solvers.rigid_vbd import RigidBlockDescent

Reports = tuple[
    "wp.array[Any]",
    "wp.array[Any]",
    "wp.array[Any]",
    "wp.array[Any]",
    "wp.array[Any]",
    "wp.array[Any]",
]


def contact_forces(
    bodies: RigidBlockDescent | None,
    model: Any,
    body_q: wp.array[Any],
    body_q_prev: wp.array[Any],
    contacts: Any,
    dt: float,
) -> Reports:
    """Contacts between shapes, with their forces where the bodies are.

    Args:
        bodies: What has moved them; None: another solver.
        model: The model.
        body_q: Poses after a step, (b,).
        body_q_prev: Poses before it, (b,).
        contacts: Those of the step; None: there were none.
        dt: Its length [s].

    Returns:
        Bodies of first and of second shapes, points of both in the world [m], forces on second
        bodies [N], and how many rows count.
    """
    from unibody.newton.solvers import rigid_vbd_report_kernels as kernels

    room = 0 if contacts is None else int(contacts.rigid_contact_max)
    with wp.ScopedDevice(model.device):
        first, second = (wp.full(room, -1, dtype=int) for _ in range(2))
        points = [wp.zeros(room, dtype=wp.vec3) for _ in range(2)]
        found, nothing = wp.zeros(room, dtype=wp.vec3), wp.zeros(1, dtype=int)
    if bodies is None or contacts is None or not room or not model.shape_count:
        return first, second, *points, found, nothing
    poses = kernels.Bodies()
    for name in ("free", "com", "mass", "inv_mass", "inertia", "inv_inertia"):
        setattr(poses, name, getattr(bodies.bodies, name))
    poses.q, poses.before = body_q, body_q_prev
    wp.launch(
        kernels.report_contacts,
        dim=room,
        inputs=[
            *(poses, forces.points(contacts), bodies.shapes),
            *(contacts.rigid_contact_offset0, contacts.rigid_contact_offset1),
            *(bodies.friction_epsilon, dt),
        ],
        outputs=[first, second, *points, found],
        device=model.device,
    )
    return first, second, *points, found, contacts.rigid_contact_count
