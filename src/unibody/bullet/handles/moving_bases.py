"""The velocities of fixed bases, and of soft bodies, for which fixed ones stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unibody.bullet.substeps.moving_bases import MovingBases

if TYPE_CHECKING:
    from unibody.bullet.state.client_state import ClientState
    from unibody.core.assets.description import Vec3

_STILL = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def velocity_of(client: ClientState, body: int) -> tuple[Vec3, Vec3]:
    """Linear and angular velocity of a fixed base, world frame."""
    if client.soft_bodies is not None and body in client.soft_bodies.records:
        return client.soft_bodies.velocity_of(body)
    moving = client.moving_bases
    return _STILL if moving is None else moving.velocity.get(body, _STILL)


def set_velocity(client: ClientState, body: int, linear: Vec3 | None, angular: Vec3 | None) -> None:
    """Give a fixed base velocities, world frame; None keeps one."""
    before = velocity_of(client, body)
    after = before[0] if linear is None else linear, before[1] if angular is None else angular
    if after == before:
        return
    if client.soft_bodies is not None and body in client.soft_bodies.records:
        client.soft_bodies.set_velocity(body, *after)
        return
    if client.moving_bases is None:
        client.moving_bases = MovingBases()
        client.ticks.append(client.moving_bases)
        client.scene.options.moving_surfaces = True
        client.scene.apply_options()
    if after == _STILL:
        del client.moving_bases.velocity[body]
    else:
        client.moving_bases.velocity[body] = after
