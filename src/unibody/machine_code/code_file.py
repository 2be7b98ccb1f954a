"""The file that a function's compiled form is read from, and written to.

It may have come with the package (see ``shipped``), or this machine has made it.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from unibody.machine_code import ahead, shipped
from unibody.machine_code.claims import Claim, claimed
from unibody.machine_code.folders import folder_beside
from unibody.machine_code.keys import every_machine, key_of, this_machine
from unibody.machine_code.sealed import (
    DamagedError,
    prune_versions,
    read_sealed,
    sealed,
    write_whole,
)

__all__ = ["CodeFile", "Format", "folder_for"]

_MOST_BYTES = 32 << 20


class Format(NamedTuple):
    """What is in files of a kind.

    Attributes:
        version: They begin with it; to be changed with anything that changes them.
        suffix: Their names end in it.
        most: How many there may be of one function: other processors, other Pythons.
    """

    version: bytes
    suffix: str
    most: int


class CodeFile:
    """The file of one function.

    Args:
        form: What is in it.
        function: To be compiled.
        signature: What it takes.
        name: Of the function, where several have the same.

    Raises:
        TypeError: It closes over something whose content a key could not state.
        OSError: A source cannot be read.
    """

    def __init__(
        self, form: Format, function: Callable[..., Any], signature: str, name: str = ""
    ) -> None:
        name = name or f"{function.__module__}.{function.__qualname__}"
        self._prefix = f"{name}-".replace("<locals>.", "").replace("<lambda>", "lambda")
        self._form = form
        self._function, self._signature = function, signature
        self._folder = folder_for(function)

    @functools.cached_property
    def _key(self) -> bytes:
        """Of the file that this process makes."""
        return self._key_for(every_machine if shipped.destination() else this_machine)

    def _key_for(self, machine: Callable[[], tuple[str, ...]]) -> bytes:
        return key_of(self._form.version, self._function, self._signature, machine)

    def _name_for(self, key: bytes) -> str:
        return f"{self._prefix}{key.hex()[:24]}{self._form.suffix}"

    def claimed(self, patience: float) -> contextlib.AbstractContextManager[Claim]:
        """The right to write it, after waiting so long [s] for who has it."""
        if self._folder is None:
            return contextlib.nullcontext(Claim.IMPOSSIBLE)
        return claimed(self._folder, self._name_for(self._key), patience)

    def read(self) -> bytes:
        """What was written.

        Raises:
            OSError: There is none.
            DamagedError: It is damaged, or others could have written it.
        """
        version, own = self._form.version, self._folder
        place = shipped.folder()
        if place is not None:
            key = self._key_for(every_machine)
            # Whoever could write it could have written the sources.
            with contextlib.suppress(OSError, DamagedError):
                return read_sealed(
                    place / self._name_for(key), version, key, _MOST_BYTES, private=False
                )
        if own is None:
            raise FileNotFoundError(f"{self._prefix[:-1]} is not kept")
        return read_sealed(own / self._name_for(self._key), version, self._key, _MOST_BYTES)

    def write(self, content: bytes) -> None:
        """Keep a compiled form, where there is a place for it.

        Raises:
            OSError: It cannot be written.
        """
        if self._folder is None:
            return
        data = sealed(self._form.version, self._key, content)
        self._folder.mkdir(parents=True, exist_ok=True)
        with ahead.writing:
            write_whole(self._folder / self._name_for(self._key), data)
        prune_versions(self._folder, self._prefix, self._form.suffix, self._form.most)

    def forget(self) -> None:
        """Delete all forms of the function that this machine has made."""
        if self._folder is not None:
            prune_versions(self._folder, self._prefix, self._form.suffix, 0)


def folder_for(function: Callable[..., Any]) -> Path | None:
    """Where this process keeps compiled forms of a function; None: nowhere."""
    return shipped.destination() or folder_beside(function.__code__.co_filename)
