"""Where the files named in a robot description are looked for, and where they may not be.

A description refers to meshes and textures relative to itself, to a package or to a directory
the user gave. The order of the attempts is PyBullet's: as written (from the working directory),
then below each directory that contains the description, the nearest first, then below the
working directory's parents; the search path comes last.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from unibody.errors import AssetError

NO_SEARCH_PATH = "and no search path is set"
"""How a message ends about a file that is nowhere, where nobody said where else to look."""

# What PyBullet tries in front of a name given to a load call, from the working directory.
_DATA_PREFIXES = (".", "data", "../data", "../../data", "../../../data", "../../../../data")

# A description may reach this many directories above its own with "..": that covers
# package/urdf/robot.urdf and workspace/package/robots/urdf/robot.urdf.
_PARENT_LEVELS = 3


@dataclass(frozen=True, slots=True)
class SearchPath:
    """Ordered directories in which files are looked for.

    Attributes:
        directories: Searched in this order, after the places PyBullet looks in by itself.
        confined: A description may only refer to files inside its own directory tree, the
            package it belongs to, the working directory and ``directories``. ``False`` lets it
            refer to any file the user can read, as PyBullet does.
    """

    directories: tuple[str, ...] = ()
    confined: bool = True

    def described(self) -> str:
        """Which directories a file is not in, as the end of a sentence that says so."""
        if not self.directories:
            return NO_SEARCH_PATH
        return f"nor below the search path {', '.join(self.directories)}"

    def locate(self, name: str | os.PathLike[str]) -> str | None:
        """Finds the file a user names in a load call.

        Args:
            name: Absolute, or relative to the working directory, its data directories or one of
                ``directories``. As PyBullet puts names together as text, ``/plane.urdf`` is also
                found below the working directory or one of these.

        Returns:
            The absolute path, or ``None`` where there is no such file.
        """
        text = os.fspath(name)
        below = _below(text)
        try:
            if os.path.isfile(text):
                return os.path.abspath(text)
            for directory in (*_DATA_PREFIXES, *self.directories):
                candidate = os.path.join(directory, below)
                if os.path.isfile(candidate):
                    return os.path.abspath(candidate)
        except ValueError:  # a NUL character in the name
            pass
        return None

    def resolve(
        self, reference: str, *, referrer: str | os.PathLike[str], element: str = ""
    ) -> str | None:
        """Finds the file that a description refers to.

        Args:
            reference: As written in the description, with or without ``file://``,
                ``package://`` or ``model://``.
            referrer: The description's own path, or a directory (ending in a separator) for a
                description without a file.
            element: The element that holds the reference, for the error message.

        Returns:
            The absolute path, or ``None`` where no attempt finds a file.

        Raises:
            AssetError: The file exists only outside the places a confined search may reach.
        """
        plain = strip_scheme(reference).replace("\\", "/")
        origin: str = os.path.abspath(os.path.dirname(str(referrer)))
        roots = self._roots(origin) if self.confined else None
        outside = ""
        for candidate in self._candidates(plain, origin):
            if not _is_file(candidate):
                continue
            if roots is None or _is_below(candidate, roots):
                return os.path.abspath(candidate)
            outside = outside or os.path.realpath(candidate)
        if outside:
            problem = (
                f"{reference!r} leads to {outside}, outside the directories this file may refer "
                "to; add the directory to the search path"
            )
            raise AssetError(referrer, element, problem)
        return None

    def permits(self, path: str, *, referrer: str | os.PathLike[str]) -> bool:
        """Whether a description may refer to a file that is there, by its path.

        Args:
            path: Of the file.
            referrer: The description's own path.
        """
        if not self.confined:
            return True
        origin = os.path.abspath(os.path.dirname(str(referrer)))
        return _is_below(path, self._roots(origin))

    def _candidates(self, plain: str, origin: str) -> Iterator[str]:
        yield plain
        below = _below(plain)
        for directory in _ancestors(origin):
            yield os.path.join(directory, below)
        for prefix in ("..", "../.."):
            yield os.path.join(prefix, below)
        for directory in self.directories:
            yield os.path.join(directory, below)

    def _roots(self, origin: str) -> list[str]:
        """Real paths of the directories a description in ``origin`` may refer to."""
        roots = [*self.directories, os.getcwd(), origin]
        ancestors = list(_ancestors(origin))
        roots += ancestors[1 : 1 + _PARENT_LEVELS]
        for directory in ancestors:
            if os.path.isfile(os.path.join(directory, "package.xml")):
                roots += [directory, os.path.dirname(directory)]
                break
        real = {os.path.realpath(root) for root in roots}
        # The root of the file system contains everything: it confines nothing.
        return [root for root in real if os.path.dirname(root) != root]


def strip_scheme(reference: str) -> str:
    """Removes ``file://``, then ``package://`` or ``model://``, from the front of a reference."""
    reference = reference.removeprefix("file://")
    if reference.startswith("package://"):
        return reference.removeprefix("package://")
    return reference.removeprefix("model://")


def _below(name: str) -> str:
    """A name as it reads behind a directory's."""
    return name.lstrip("/" + os.sep) if os.path.isabs(name) else name


def _ancestors(directory: str) -> Iterator[str]:
    """The directory itself and what contains it, without the root of the file system."""
    path = Path(directory)
    for candidate in (path, *path.parents):
        if candidate.parent != candidate:
            yield str(candidate)


def _is_file(path: str) -> bool:
    try:
        return os.path.isfile(path)
    except ValueError:  # a NUL character in the name
        return False


def _is_below(path: str, roots: list[str]) -> bool:
    real = os.path.realpath(path)
    return any(real.startswith(root + os.sep) for root in roots)
