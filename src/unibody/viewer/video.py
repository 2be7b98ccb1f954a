"""MP4 files, written frame by frame."""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import weakref
from fractions import Fraction
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.whole_file import whole_file
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.extras import install_command
from unibody.notices import tell

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
            "an MP4 file without PyAV", f"install the viewer: {install_command('viewer')}"
        )


class Video:
    """An MP4 file (H.264) that is being written; one left open is completed when Python ends.

    Where it cannot be written, as on a full disk, one line says so, and later frames are dropped.

    Args:
        file: The file; one that exists is replaced once the video is complete.
        width: [pixels]; an odd one is made even, as the format demands.
        height: [pixels]; likewise.
        fps: Frames a second.

    Attributes:
        width: As in the file.
        height: As in the file.
        frames: How many there are.
        is_written: It is complete, and where it should be.

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

        self.width: int = width + width % 2
        self.height: int = height + height % 2
        self.frames: int = 0
        self.is_written = False
        self._path = os.fspath(file)
        with contextlib.ExitStack() as undone:
            self._sink = _Sink(undone.enter_context(whole_file(self._path)))
            self._file: Any = av.open(self._sink, "w", format="mp4")
            self._stream: Any = self._file.add_stream("libx264", rate=fps, options=_QUALITY)
            self._stream.width, self._stream.height = self.width, self.height
            self._stream.pix_fmt = "yuv420p"
            self._stream.codec_context.time_base = Fraction(1, fps)
            self._whole = undone.pop_all()
        if not _open_videos:
            atexit.register(_complete_all)
        _open_videos.add(self)

    def add(self, image: NDArray[np.uint8], count: int = 1) -> None:
        """Add a frame: (height, width, 3 or more), red, green, blue; an odd side is repeated.

        Nothing happens once the video has ended.

        Args:
            image: The picture.
            count: Frames that it is shown for. One that is shown for longer than a second is kept
                as its first and its last frame alone: players show the one until the other.
        """
        if self._file is None or count < 1:
            return
        import av

        height, width = image.shape[:2]
        if height != self.height or width != self.width:
            pad = ((0, self.height - height), (0, self.width - width), (0, 0))
            image = np.pad(image, pad, mode="edge")
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image[..., :3]), format="rgb24")
        base = self._stream.codec_context.time_base
        last = count - 1
        for number in range(count) if count * base <= 1 else (0, last):
            frame.pts = self.frames + number
            frame.time_base = base
            self._file.mux(self._stream.encode(frame))
        self.frames += count
        if self._sink.problem is not None:
            self.close()

    def close(self) -> None:
        """Complete the file; closing twice does nothing more."""
        _open_videos.discard(self)
        file, self._file = self._file, None
        if file is None:
            return
        file.mux(self._stream.encode())
        file.close()
        problem = self._sink.problem
        try:
            self._whole.__exit__(problem and type(problem), problem, None)
            self.is_written: bool = True
        except OSError as left:  # a video without its index cannot be played: it is dropped
            tell(f"the video {self._path} cannot be written: {left.strerror or left}")


class _Sink:
    """What PyAV writes to: a failure is kept, as PyAV crashes where one is raised.

    Args:
        stream: Where to.

    Attributes:
        problem: Why it could not be written.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._at = self._end = 0
        self.problem: OSError | None = None

    def write(self, data: bytes) -> int:
        """Write, unless that failed before."""
        if self.problem is None:
            try:
                self._stream.write(data)
            except OSError as problem:
                self.problem = problem
        self._at += len(data)
        self._end = max(self._end, self._at)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, counted from the start, from here or from the end."""
        self._at = (0, self._at, self._end)[whence] + offset
        if self.problem is None:
            try:
                self._stream.seek(self._at)
            except OSError as problem:
                self.problem = problem
        return self._at

    def tell(self) -> int:
        """Where the next byte goes."""
        return self._at


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
