"""ViewerNull: runs for a number of frames, and tells classes that are made of it what there is."""

from __future__ import annotations

from typing import Any

from unibody.newton.viewer.base import ViewerBase
from unibody.newton.viewer.parts import Parts


class ViewerNull(ViewerBase):
    """Shows nothing, and ends a script after some frames.

    Args:
        num_frames: How many.
    """

    def __init__(self, num_frames: int = 1000) -> None:
        super().__init__()
        self.num_frames = num_frames
        self.frame_count: int = 0
        self._parts: Parts | None = None

    def log_state(self, state: Any) -> None:
        """Tell a class of a script's own of shapes and triangles, where it listens."""
        if self.model is None:
            return
        of_shapes = type(self).log_instances is not ViewerBase.log_instances
        of_meshes = type(self).log_mesh is not ViewerBase.log_mesh
        if not (of_shapes or of_meshes):
            return
        if self._parts is None:
            self._parts = Parts(self.model)
        if of_shapes:
            self._parts.tell_shapes(self, state)
        if of_meshes:
            self._parts.tell_triangles(self, state)

    def end_frame(self) -> None:
        """Count the frame."""
        self.frame_count += 1

    def is_running(self) -> bool:
        """Whether there are frames left."""
        return self.frame_count < self.num_frames
