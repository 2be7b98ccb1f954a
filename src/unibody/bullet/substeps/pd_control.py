"""PD_CONTROL: a spring and damper on a joint, worked out at the beginning of each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from unibody.bullet.substeps.tick import SteppedClient

_NO_FORCE = 1.2e-7  # N or Nm: a maximum below ends the control


class PdControl(NamedTuple):
    """What drives one joint."""

    position: float  # target, rad or m
    velocity: float  # target, rad/s or m/s
    kp: float
    kd: float
    limit: float  # largest force, N or Nm


class PdControls:
    """The joints of a client under PD control.

    They take part in every substep.
    """

    def __init__(self) -> None:
        self._controls: dict[tuple[int, int], PdControl] = {}

    def set(self, body_id: int, joint: int, control: PdControl) -> None:
        """Begin to control a joint, or renew its targets; a limit of 0 ends it."""
        if control.limit < _NO_FORCE:
            self._controls.pop((body_id, joint), None)
        else:
            self._controls[body_id, joint] = control

    def before_tick(self, client: SteppedClient) -> None:
        """Add the force of each control for the coming step.

        PyBullet takes these forces away at the end of a step and not of a substep, so that they
        add up over substeps.
        """
        for (body_id, joint), control in list(self._controls.items()):
            body = client.bodies.get(body_id)
            if body is None or joint >= body.joint_count:
                del self._controls[body_id, joint]
                continue
            positions, velocities = body.joint_coordinates()
            force = control.kp * (control.position - positions[joint])
            force += control.kd * (control.velocity - velocities[joint])
            body.add_torque(joint, min(max(force, -control.limit), control.limit))

    def after_tick(self, client: SteppedClient) -> None:
        """Nothing is left to do."""
