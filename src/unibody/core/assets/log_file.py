"""A file that a log goes to while a world runs."""

from __future__ import annotations

import contextlib
import os

from unibody.core.assets.whole_file import begun_beside, real_path
from unibody.notices import tell

__all__ = ["LogFile"]


class LogFile:
    """A log that is being written; what is written goes to the operating system at once.

    Where no more can be written, as on a full disk, the log ends with what it has, and one line
    says so: the world goes on.

    Args:
        path: The file; one that exists is replaced, once the head is written.
        head: What it begins with.

    Raises:
        OSError: It cannot be written; then it is as it was before.
    """

    def __init__(self, path: str, head: bytes) -> None:
        self._path = path
        target = real_path(path)
        if os.path.exists(target) and not os.path.isfile(target):  # as /dev/stdout
            self._file = open(target, "wb", buffering=0)  # noqa: SIM115 - open while the log is
            self._write_all(head)
            return
        handle, temporary = begun_beside(target)
        self._file = open(handle, "r+b", buffering=0)  # noqa: SIM115 - open while the log is
        try:
            self._write_all(head)
            os.replace(temporary, target)
        except BaseException:
            self._file.close()
            os.unlink(temporary)
            raise

    @property
    def closed(self) -> bool:
        """Whether nothing is written any more."""
        return self._file.closed

    def write(self, data: bytes, at: int | None = None, end: bytes = b"") -> None:
        """Write some bytes, all or none of them.

        Args:
            data: What to write; nothing happens once the log has ended.
            at: Where in the file; None: at its end.
            end: What stands there if the log ends here.
        """
        if self.closed:
            return
        begin = None
        try:
            if at is not None:
                self._file.seek(at)
            begin = self._file.tell() if self._file.seekable() else None
            self._write_all(data)
        except OSError as problem:
            with contextlib.suppress(OSError):
                if begin is not None:
                    self._file.truncate(begin)
                    self._file.seek(begin)
                    self._write_all(end)
            tell(f"the log {self._path} ends here: {problem.strerror}")
            self.close()

    def _write_all(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[self._file.write(left) :]

    def close(self) -> None:
        """Close the file; closing twice does no harm."""
        with contextlib.suppress(OSError):
            self._file.close()
