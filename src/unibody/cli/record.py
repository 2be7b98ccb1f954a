"""`unibody run --record FILE`: a video of a script's world, or a page that plays by itself."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from unibody.core.assets.whole_file import begun_beside
from unibody.errors import InvalidArgumentError

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client
    from unibody.bullet.window.film import WorldLog

_KINDS = (".mp4", ".html")


class Record:
    """Records the first world a script opens, whether or not it opens a window.

    Args:
        file: A name that ends in .mp4 or .html.

    Raises:
        InvalidArgumentError: Another name.
        NotSupportedError: What writes such files is not installed.
        OSError: The file cannot be written.
    """

    def __init__(self, file: str) -> None:
        self._file = Path(file).resolve()  # the script may go elsewhere
        if self._file.suffix.lower() not in _KINDS:
            raise InvalidArgumentError(
                "--record", file, f"a name that ends in {' or '.join(_KINDS)}"
            )
        from unibody.viewer.video import need_video_library
        from unibody.viewer.viewer import need_page_library

        (need_video_library if self._is_video else need_page_library)()
        handle, beside = begun_beside(str(self._file))  # fails now, and not after the script
        os.close(handle)
        os.unlink(beside)
        self._log: WorldLog | None = None

    @property
    def _is_video(self) -> bool:
        return self._file.suffix.lower() == ".mp4"

    def start(self) -> None:
        """Wait for the first world."""
        from unibody.bullet.clients.registry import on_open

        on_open.append(self._begin)

    def _begin(self, client: Client) -> None:
        from unibody.bullet.clients.registry import on_open
        from unibody.bullet.window.film import FilmLog, ReplayLog

        on_open.remove(self._begin)
        self._log = (FilmLog if self._is_video else ReplayLog)(client, str(self._file))
        client.ticks.append(self._log)

    def stop(self) -> None:
        """Complete the file, and say where it is."""
        if self._log is None:
            print("unibody run: nothing to record: no world was opened", file=sys.stderr)
            return
        from unibody.bullet.window.film import close_all

        close_all()
        if self._log.is_written:
            print(f"unibody run: recorded {self._file}", file=sys.stderr)
