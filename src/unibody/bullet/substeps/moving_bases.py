"""Fixed bases with a velocity: they move with it, and carry along what touches them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from unibody.core.assets.transforms import quat_multiply

if TYPE_CHECKING:
    from unibody.bullet.substeps.tick import SteppedClient
    from unibody.core.assets.description import Vec3


class MovingBases:
    """The fixed bases of a client that were given a velocity; they move in every substep."""

    def __init__(self) -> None:
        self.velocity: dict[int, tuple[Vec3, Vec3]] = {}  # linear, angular; by body

    def before_tick(self, client: SteppedClient) -> None:
        """Tell the coming step how fast their surfaces are."""
        world = client.world
        world.data.xfrc_applied[world.model.body_mocapid >= 0] = 0.0  # forces move no fixed body
        for body_id, (linear, angular) in self.velocity.items():
            world.data.xfrc_applied[client.bodies[body_id].record.body] = (*linear, *angular)

    def after_tick(self, client: SteppedClient) -> None:
        """Move them, and turn their velocities with them, in PyBullet's order."""
        world = client.world
        dt = float(world.model.opt.timestep)
        for body_id, (linear, angular) in list(self.velocity.items()):
            body = client.bodies[body_id]
            world.data.xfrc_applied[body.record.body] = 0.0
            base = body.base_com_pose()
            quat = base.quat
            (vx, vy, vz), (wx, wy, wz) = linear, angular
            speed = math.sqrt(wx * wx + wy * wy + wz * wz)
            if speed > 0.0:
                s = math.sin(0.5 * speed * dt) / speed
                quat = quat_multiply((math.cos(0.5 * speed * dt), s * wx, s * wy, s * wz), quat)
                vx += dt * (wy * linear[2] - wz * linear[1])
                vy += dt * (wz * linear[0] - wx * linear[2])
                vz += dt * (wx * linear[1] - wy * linear[0])
                self.velocity[body_id] = (vx, vy, vz), angular
            x, y, z = base.pos
            body.move_base((x + vx * dt, y + vy * dt, z + vz * dt), quat)
