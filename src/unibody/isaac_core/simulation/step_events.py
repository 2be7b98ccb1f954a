"""``omni.physics.core``: calls before and after each step of the physics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakMethod

from unibody.isaac_core.simulation.manager import IsaacEvents, simulation


class Subscription:
    """Calls that last as long as somebody holds this."""

    def __init__(self, number: int) -> None:
        self._number: int | None = number

    def unsubscribe(self) -> None:
        """End the calls."""
        if self._number is not None:
            simulation.remove_listener(self._number)
            self._number = None

    __del__ = unsubscribe


class PhysicsSimulation:
    """What tells of the steps of the physics."""

    def subscribe_physics_on_step_events(
        self, pre_step: bool, order: int, on_update: Callable[[float, Any], Any]
    ) -> Subscription:
        """Call a function with the time of a step [s] and the simulation.

        Args:
            pre_step: Before each step; else after it.
            order: Those with smaller numbers are called first.
            on_update: The function.
        """
        simulation.connect()
        event = IsaacEvents.PRE_PHYSICS_STEP if pre_step else IsaacEvents.POST_PHYSICS_STEP
        number = simulation.add_listener(event, lambda dt: on_update(dt, self), order)
        return Subscription(number)


_simulation = PhysicsSimulation()


def read_after_steps(read: Callable[..., Any]) -> Subscription:
    """Call a method of a sensor after each step, as long as the sensor is there.

    Args:
        read: A bound method, which is given what `subscribe_physics_on_step_events` gives.
    """
    method = WeakMethod(read)

    def call(*given: Any) -> None:
        alive = method()
        if alive is not None:
            alive(*given)

    return _simulation.subscribe_physics_on_step_events(False, 0, call)


def get_physics_simulation_interface() -> PhysicsSimulation:
    """The one of the process."""
    return _simulation
