"""Putting joints under PD_CONTROL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unibody.bullet.arguments.finite import finite, no_nan
from unibody.bullet.substeps.pd_control import PdControl, PdControls

if TYPE_CHECKING:
    from unibody.bullet.handles.body import Body


def control_pd(body: Body, joint: int, control: PdControl) -> None:
    """Let a spring and damper act on a joint with one axis, besides its motor."""
    finite("targetPosition", control.position)
    finite("targetVelocity", control.velocity)
    finite("positionGain", control.kp)
    finite("velocityGain", control.kd)
    no_nan("force", control.limit)
    client = body.client
    if client.pd_controls is None:
        client.pd_controls = PdControls()
        client.ticks.append(client.pd_controls)
    client.pd_controls.set(body.id, joint, control)
