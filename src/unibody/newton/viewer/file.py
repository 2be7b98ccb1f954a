"""ViewerFile: records a model and states."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.viewer import recorded_model
from unibody.newton.viewer.base import ViewerBase


class ViewerFile(ViewerBase):
    """Records a model and the arrays of states, one file of NumPy (.npz) for all frames.

    Args:
        output_path: The file; NumPy's suffix is added where it is missing.
        auto_save: Whether it is written every `save_interval` frames, and by `close`.
        save_interval: Frames.
        max_history_size: Most frames that are kept, the last ones; None: all.
    """

    def __init__(
        self,
        output_path: str,
        auto_save: bool = True,
        save_interval: int = 100,
        max_history_size: int | None = None,
    ) -> None:
        super().__init__()
        self.output_path: Path = Path(output_path)
        self.auto_save: bool = auto_save
        self.save_interval: int = save_interval
        self.max_history_size = max_history_size
        self.history: list[dict[str, np.ndarray]] | deque[dict[str, np.ndarray]] = (
            [] if max_history_size is None else deque(maxlen=max_history_size)
        )
        self.deserialized_model: dict[str, np.ndarray] | None = None
        self._frames = 0
        self._closed = False

    def is_running(self) -> bool:
        """Whether the viewer is not closed."""
        return not self._closed

    def set_visible_worlds(self, worlds: Sequence[int] | None) -> None:
        """Refuse: a file has all worlds."""
        raise NotSupportedError(
            "ViewerFile.set_visible_worlds", "max_worlds of set_model, and other viewers show some"
        )

    def set_model(self, model: Any, max_worlds: int | None = None) -> None:
        """Say what is shown; the model is recorded."""
        super().set_model(model, max_worlds)
        if model is not None:
            self.record_model(model)

    def record_model(self, model: Any) -> None:
        """Record a model, in the place of one that was recorded."""
        self.deserialized_model = recorded_model.recorded(model)

    def has_model(self) -> bool:
        """Whether a model was recorded, or read."""
        return self.deserialized_model is not None

    def load_model(self, model: Any) -> None:
        """Write the recorded model into another one.

        Raises:
            ValueError: There is none.
        """
        if self.deserialized_model is None:
            raise ValueError(f"no model was recorded in {self.output_path}")
        recorded_model.restore(self.deserialized_model, model)

    playback_model = load_model

    def record(self, state: Any) -> None:
        """Record a state; see `log_state`."""
        self.log_state(state)

    def playback(self, state: Any, frame_id: int) -> None:
        """Write a recorded frame into a state; see `load_state`."""
        self.load_state(state, frame_id)

    def log_state(self, state: Any) -> None:
        """Record a state."""
        arrays = {n: v.numpy().copy() for n, v in vars(state).items() if isinstance(v, wp.array)}
        self.history.append(arrays)
        self._frames += 1
        if self.auto_save and self._frames % self.save_interval == 0:
            self.save_recording()

    def save_recording(self, file_path: str | None = None, verbose: bool = False) -> None:
        """Write the file.

        Args:
            file_path: Another file; None: that of the viewer.
            verbose: Not supported: nothing is printed.
        """
        if verbose:
            raise InvalidArgumentError("verbose", verbose, "False: nothing is printed")
        path = self.output_path if file_path is None else Path(file_path)
        arrays = {
            f"{frame}/{name}": array
            for frame, row in enumerate(self.history)
            for name, array in row.items()
        }
        if self.deserialized_model is not None:
            model = self.deserialized_model
            arrays |= {f"model/{name}": array for name, array in model.items()}
        with path.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)

    def load_recording(self, file_path: str | None = None, verbose: bool = False) -> None:
        """Read a file in the place of what was recorded.

        Args:
            file_path: The file; None: that of the viewer.
            verbose: Not supported: nothing is printed.
        """
        if verbose:
            raise InvalidArgumentError("verbose", verbose, "False: nothing is printed")
        path = self.output_path if file_path is None else Path(file_path)
        rows: dict[int, dict[str, np.ndarray]] = {}
        model: dict[str, np.ndarray] = {}
        with np.load(path, allow_pickle=False) as found:
            for key in found.files:
                frame, _, name = key.partition("/")
                if frame == "model":
                    model[name] = found[key]
                else:
                    rows.setdefault(int(frame), {})[name] = found[key]
        self.deserialized_model = model or None
        self.history.clear()
        self.history.extend(rows[frame] for frame in sorted(rows))

    def get_frame_count(self) -> int:
        """How many frames there are."""
        return len(self.history)

    def load_state(self, state: Any, frame_id: int) -> None:
        """Write a recorded frame into a state.

        Raises:
            InvalidArgumentError: There is no such frame.
        """
        if not 0 <= frame_id < len(self.history):
            allowed = f"0 to {len(self.history) - 1}" if self.history else "no frame yet"
            raise InvalidArgumentError("frame_id", frame_id, allowed)
        for name, array in self.history[frame_id].items():
            target: Any = getattr(state, name, None)
            if isinstance(target, wp.array):
                target.assign(array)

    def close(self) -> None:
        """Write the file, if there is something to write, and end."""
        self._closed = True
        if self._frames:
            self.save_recording()
