"""DataLogger: what a world writes down each step."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions.types import DataFrame

_TITLE = "Isaac Sim Data"


class DataLogger:
    """Frames of data, which a file of JSON keeps."""

    def __init__(self) -> None:
        self._pause = True
        self._frames: list[DataFrame] = []
        self._function: Callable[..., Any] | None = None

    def add_data(self, data: dict[str, Any], current_time_step: float, current_time: float) -> None:
        """Add a frame.

        Args:
            data: What it has, in lists, numbers and texts.
            current_time_step: Number of the step.
            current_time: Its time [s].
        """
        self._frames.append(DataFrame(current_time_step, current_time, data))  # type: ignore[arg-type]

    def add_data_frame_logging_func(self, func: Callable[[list[Any], Any], dict[str, Any]]) -> None:
        """Choose what a world adds each step while the logger is started.

        Args:
            func: Called with ``tasks`` and ``scene``; it gives the data of the frame.
        """
        self._function = func

    def logged(self, tasks: Any, scene: Any) -> dict[str, Any]:
        """What the function chosen gives.

        Raises:
            RuntimeError: None was chosen.
        """
        if self._function is None:
            raise RuntimeError("the logger has no function: add_data_frame_logging_func first")
        return self._function(tasks, scene)

    def get_num_of_data_frames(self) -> int:
        """How many frames there are."""
        return len(self._frames)

    def get_data_frame(self, data_frame_index: int) -> DataFrame:
        """A frame.

        Raises:
            InvalidArgumentError: There is none of that number.
        """
        if not 0 <= data_frame_index < len(self._frames):
            allowed = f"a number below {len(self._frames)}"
            raise InvalidArgumentError("data_frame_index", data_frame_index, allowed)
        return self._frames[data_frame_index]

    def is_started(self) -> bool:
        """Whether frames are added."""
        return not self._pause

    def start(self) -> None:
        """Let frames be added."""
        self._pause = False

    def pause(self) -> None:
        """Let frames be added no more."""
        self._pause = True

    def reset(self) -> None:
        """Forget all frames, and add no more."""
        self._pause = True
        self._frames = []

    def save(self, log_path: str) -> None:
        """Write all frames to a file."""
        frames = {_TITLE: [frame.get_dict() for frame in self._frames]}
        Path(log_path).write_text(json.dumps(frames), encoding="utf-8")

    def load(self, log_path: str) -> None:
        """Read the frames of a file.

        Raises:
            InvalidArgumentError: The file is none of a logger's.
        """
        found = json.loads(Path(log_path).read_text(encoding="utf-8"))
        if not isinstance(found, dict) or _TITLE not in found:
            raise InvalidArgumentError("log_path", log_path, "a file that a logger saved")
        self._frames = [DataFrame.init_from_dict(frame) for frame in found[_TITLE]]
