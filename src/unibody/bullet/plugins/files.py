"""``fileIOPlugin``: models and textures out of archives and further folders."""

from __future__ import annotations

import os
import stat
import tempfile
import zipfile
import zlib
from pathlib import Path

from unibody.bullet import constants as c
from unibody.bullet.clients.registry import find_client, get_client
from unibody.bullet.errors import error
from unibody.bullet.plugins.base import Plugin
from unibody.core.assets.files import open_regular
from unibody.core.assets.paths import SearchPath

MAX_FILES = 20_000
MAX_BYTES = 1 << 30  # of all files of an archive together, unpacked
_BLOCK = 1 << 20


class FileAccess(Plugin):
    """Places that load calls look in after all others.

    Commands are ``[AddFileIOAction, ZipFileIO]`` with the file as text (also one that lies in
    an archive that was added before), ``[AddFileIOAction, PosixFileIO]`` with a folder, and
    ``[RemoveFileIOAction, index]`` with what adding returned.

    An archive is unpacked into a private folder, which goes with the plugin.

    Args:
        client_id: The client.
    """

    def __init__(self, client_id: int) -> None:
        super().__init__(client_id)
        self._places: dict[int, tuple[str, str, tempfile.TemporaryDirectory[str] | None]] = {}

    def execute(self, text: str, ints: tuple[int, ...], floats: tuple[float, ...]) -> int:
        """Add or remove a place; -1 for what is no such command.

        Returns:
            Its index.

        Raises:
            error: It is no archive or folder, or the archive is larger than allowed.
        """
        if len(ints) == 1:
            self._remove(ints[0])
            return -1
        if len(ints) != 2:
            return -1
        action, what = ints
        if action == c.RemoveFileIOAction:
            self._remove(what)
            return what
        if action != c.AddFileIOAction or what not in (c.ZipFileIO, c.PosixFileIO) or not text:
            return -1
        key = f"{what}:{text}"
        for number, (known, _, _) in self._places.items():
            if known == key:
                return number
        number = next(i for i in range(1, len(self._places) + 2) if i not in self._places)
        place, kept = self._folder(text) if what == c.PosixFileIO else self._unpacked(text)
        self._places[number] = (key, place, kept)
        self._publish()
        return number

    def close(self) -> None:
        """Remove all places."""
        for number in list(self._places):
            self._remove(number)

    def _remove(self, number: int) -> None:
        _, _, kept = self._places.pop(number, ("", "", None))
        self._publish()
        if kept is not None:
            kept.cleanup()

    def _publish(self) -> None:
        client = find_client(self.client_id)
        if client is not None:  # else it is the client that ends
            client.archives = tuple(row[1] for row in self._places.values())

    def _folder(self, text: str) -> tuple[str, None]:
        if not os.path.isdir(text):
            raise error(f"fileIOPlugin: {text!r} is no folder")
        return os.path.abspath(text), None

    def _unpacked(self, text: str) -> tuple[str, tempfile.TemporaryDirectory[str]]:
        path = SearchPath(get_client(self.client_id).search_path, confined=False).locate(text)
        if path is None:
            raise error(f"fileIOPlugin: there is no file {text!r}")
        kept: tempfile.TemporaryDirectory[str] = tempfile.TemporaryDirectory(prefix="unibody-zip-")
        try:
            unpack(path, Path(kept.name))
        except BaseException:
            kept.cleanup()
            raise
        return kept.name, kept


def unpack(path: str, folder: Path) -> None:
    """Unpack an archive; entries that would lie outside the folder, and links, are refused.

    Raises:
        error: It is no archive, refused, or larger than allowed.
    """
    try:
        with open_regular(path) as stream, zipfile.ZipFile(stream) as archive:
            entries = archive.infolist()
            if len(entries) > MAX_FILES:
                raise error(f"{path}: {len(entries)} files are not allowed: at most {MAX_FILES}")
            left = MAX_BYTES
            for entry in entries:
                left -= _unpack_one(archive, entry, path, folder, left)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError,
            ValueError) as problem:  # fmt: skip
        raise error(f"{path}: this is no archive that can be read: {problem}") from None


def _unpack_one(
    archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: str, folder: Path, left: int
) -> int:
    """Unpack one file; how many bytes it has."""
    target = (folder / entry.filename.replace("\\", "/")).resolve()
    if not target.is_relative_to(folder.resolve()) or stat.S_ISLNK(entry.external_attr >> 16):
        raise error(f"{path}: {entry.filename!r} leads out of the archive")
    if entry.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    size = 0
    with archive.open(entry) as source, open(target, "wb") as file:
        while block := source.read(_BLOCK):  # what the archive says about sizes may be untrue
            size += len(block)
            if size > left:
                raise error(f"{path}: more than {MAX_BYTES} bytes are not allowed")
            file.write(block)
    return size
