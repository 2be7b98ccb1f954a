"""What an elevator's state machine asks of whatever moves the elevator."""

from __future__ import annotations

from typing import Protocol


class ElevatorMotionAdapter(Protocol):
    """Moves an elevator."""

    def begin_motion(self, target_height: float) -> None:
        """Go to a height [m]."""

    def motion_in_progress(self) -> bool:
        """Whether it is on its way."""
        ...

    def attach_platform_passengers(self) -> int:
        """Take along what stands on the platform; how many that is."""
        ...

    def detach_passengers(self) -> int:
        """Let them go; how many there were."""
        ...
