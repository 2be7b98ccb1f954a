"""MP4 files, written frame by frame."""

from __future__ import annotations

import atexit
import importlib.util
import os
import weakref
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError, NotSupportedError

MAX_SIDE = 8192  # pixels
_QUALITY = {"crf": "20", "preset": "veryfast"}
_open_videos: weakref.WeakSet[Video] = weakref.WeakSet()


def need_video_library() -> None:
    """Raise if no film can be made here.

    Raises:
        NotSupportedError: PyAV is not installed.
    """
    if importlib.util.find_spec("av") is None:
        raise NotSupportedError(
            "an MP4 file without PyAV", 'install the viewer: pip install "unibody[viewer]"'
        )


class Video:
    """An MP4 file (H.264) that is being written; one left open is completed when Python ends.

    Args:
        file: The file; one that exists is replaced.
        width: [pixels]; an odd one is made even, as the format demands.
        height: [pixels]; likewise.
        fps: Frames a second.

    Attributes:
        width: As in the file.
        height: As in the file.
        frames: How many there are.

    Raises:
        InvalidArgumentError: A size or rate that is not positive or too large.
        NotSupportedError: PyAV is not installed.
        OSError: The file cannot be written.
    """

    def __init__(self, file: str | os.PathLike[str], width: int, height: int, fps: int) -> None:
        for name, value, most in (
            ("width", width, MAX_SIDE),
            ("height", height, MAX_SIDE),
            ("fps", fps, 1000),
        ):
            if not 1 <= value <= most:
                raise InvalidArgumentError(name, value, f"1 to {most}")
        need_video_library()
        import av

        self.width, self.height = width + width % 2, height + height % 2
        self.frames = 0
        path = os.fspath(file)
        with open(path, "wb"):  # fails at once, and not at the first frame
            pass
        self._file: Any = av.open(path, "w", format="mp4")
        self._stream: Any = self._file.add_stream("libx264", rate=fps, options=_QUALITY)
        self._stream.width, self._stream.height = self.width, self.height
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.time_base = Fraction(1, fps)
        if not _open_videos:
            atexit.register(_complete_all)
        _open_videos.add(self)

    def add(self, image: NDArray[np.uint8]) -> None:
        """Add a frame: (height, width, 3 or more), red, green, blue; an odd side is repeated."""
        import av

        height, width = image.shape[:2]
        if height != self.height or width != self.width:
            pad = ((0, self.height - height), (0, self.width - width), (0, 0))
            image = np.pad(image, pad, mode="edge")
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image[..., :3]), format="rgb24")
        frame.pts = self.frames
        frame.time_base = self._stream.codec_context.time_base
        self._file.mux(self._stream.encode(frame))
        self.frames += 1

    def close(self) -> None:
        """Complete the file; closing twice does nothing more."""
        _open_videos.discard(self)
        file, self._file = self._file, None
        if file is not None:
            file.mux(self._stream.encode())
            file.close()


class Pace:
    """Simulated time in frames: one every ``1 / fps`` seconds.

    Args:
        fps: Frames a second.
    """

    def __init__(self, fps: int) -> None:
        self._fps = fps
        self._seconds = 0.0
        self._frames = 0

    def due(self, seconds: float) -> int:
        """Let time pass [s]; how many frames are due at its end, on top of those before."""
        self._seconds += seconds
        # a step that ends on a frame but for rounding belongs to it
        frames = int(self._seconds * self._fps + 1e-6)
        due, self._frames = frames - self._frames, frames
        return due


def _complete_all() -> None:
    for video in list(_open_videos):
        video.close()
