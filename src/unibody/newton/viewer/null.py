"""ViewerNull: runs for a number of frames."""

from __future__ import annotations

from unibody.newton.viewer.base import ViewerBase


class ViewerNull(ViewerBase):
    """Shows nothing, and ends a script after some frames.

    Args:
        num_frames: How many.
    """

    def __init__(self, num_frames: int = 1000) -> None:
        super().__init__()
        self.num_frames = num_frames
        self.frame_count = 0

    def end_frame(self) -> None:
        """Count the frame."""
        self.frame_count += 1

    def is_running(self) -> bool:
        """Whether there are frames left."""
        return self.frame_count < self.num_frames
