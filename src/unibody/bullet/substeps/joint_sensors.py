"""The force and torque sensors in the joints of a client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unibody.core.engine.queries.wrenches import JointSensors

if TYPE_CHECKING:
    from unibody.bullet.substeps.tick import SteppedClient
    from unibody.core.engine.scene.scene import Scene

NO_REACTION = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class SensorReader:
    """The sensors of a client; it takes part in every substep."""

    def __init__(self, scene: Scene) -> None:
        self.sensors: JointSensors = JointSensors(scene)

    def before_tick(self, client: SteppedClient) -> None:
        """Nothing has to be prepared."""

    def after_tick(self, client: SteppedClient) -> None:
        """Read all sensors."""
        self.sensors.note()

    def forget(self, body_id: int, link: int | None = None) -> None:
        """Take the sensor out of one joint of a body, or out of all."""
        self.sensors.remove(body_id, link)
