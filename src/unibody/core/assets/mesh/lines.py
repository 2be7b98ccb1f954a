"""The lines of a mesh file in text, sorted by what they state, and the numbers in them.

A regular expression for each kind of line and a call of ``float`` for each number take most of
the time of loading a large mesh. Files as programs write them are read by a few passes over all
of their bytes; what is written otherwise is left to the reader that takes all.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_Ints = NDArray[np.int64]
_NEWLINE, _SPACE, _TAB, _RETURN, _COMMENT, _SLASH = b"\n \t\r#/"
_MOST_NUMBERS = 3  # of a corner
_MOST_LINES = 1 << 23  # 30 bytes are needed for each
_MOST_RUNS = 256  # stretches of lines of one kind: more of them are not worth it


class Lines:
    """Where the lines of a file are, and how they begin.

    Args:
        data: The file, with single newlines.

    Attributes:
        plain: Lines begin with what they state, and are few enough. If not, nothing can be asked.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.plain = data.count(b"\n") < _MOST_LINES
        if not self.plain:
            return
        letters = np.frombuffer(data, dtype=np.uint8)
        breaks = np.flatnonzero(letters == _NEWLINE)
        self.begins: NDArray[np.int64] = np.concatenate(([0], breaks + 1))
        self._ends = np.concatenate((breaks, [len(data)]))
        padded = np.concatenate((letters, np.zeros(3, dtype=np.uint8)))
        self._first, self._second, self._third = (padded[self.begins + k] for k in range(3))
        comments = int((self._first == _COMMENT).sum())
        self.plain: bool = (
            not np.isin(self._first, (_SPACE, _TAB)).any() and data.count(b"#") == comments
        )

    def beginning_with(self, letters: bytes) -> list[int]:
        """Where the lines begin whose first letter is one of some."""
        return self.begins[np.isin(self._first, [*letters])].tolist()

    def of(self, tag: bytes, begin: int = 0, end: int | None = None) -> tuple[bytes, int] | None:
        """What follows a tag in the lines that begin with it, and their number.

        None if that cannot be told from here: the tag is perhaps followed by a tab, or lines of
        other kinds stand everywhere between those.

        Args:
            tag: One letter or two.
            begin: Lines that begin before are left out.
            end: And lines that begin here or after.
        """
        low = int(np.searchsorted(self.begins, begin))
        high = int(np.searchsorted(self.begins, len(self.data) if end is None else end))
        kind = slice(low, high)
        tagged, after = self._first[kind] == tag[0], self._second[kind]
        if len(tag) > 1:
            tagged, after = tagged & (after == tag[1]), self._third[kind]
        if (tagged & (after == _TAB)).any():
            return None
        rows = np.flatnonzero(tagged & (after == _SPACE)) + low
        if not len(rows):
            return b"", 0
        cuts = np.flatnonzero(np.diff(rows) > 1) + 1
        if len(cuts) > _MOST_RUNS:
            return None
        runs = np.split(rows, cuts)
        pieces = [self.data[self.begins[run[0]] : self._ends[run[-1]]] for run in runs]
        text = b"\n" + b"\n".join(pieces)
        return text.replace(b"\n" + tag + b" ", b"\n "), len(rows)


def numbers_in(text: bytes) -> NDArray[np.float64] | None:
    """All numbers of a text that begins with white space; None if there is anything else."""
    numbers = _parsed(text, np.float64)
    # NumPy finds two numbers in "1-2"
    return numbers if numbers is not None and len(numbers) == len(_words(text)) else None


def _words(text: bytes) -> _Ints:
    """Where the words of a text begin that begins with white space."""
    letters = np.frombuffer(text, dtype=np.uint8)
    blank = (letters == _SPACE) | ((letters >= _TAB) & (letters <= _RETURN))
    return np.flatnonzero(blank[:-1] & ~blank[1:]) + 1


def _parsed(text: bytes, kind: Any) -> NDArray[Any] | None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # of what is not a number
        try:
            return np.fromstring(text.decode("ascii"), dtype=kind, sep=" ")
        except (DeprecationWarning, ValueError):
            return None


class Corners(NamedTuple):
    """The corners of faces.

    Attributes:
        sizes: Corners of each line.
        numbers: Up to three numbers of each corner as the file states them, 0 where it does not.
    """

    sizes: _Ints
    numbers: _Ints


def corners_in(text: bytes, lines: int) -> Corners | None:
    """Corners of faces; None if some are written in a way that is seldom used.

    Args:
        text: The lines without their tags, a newline before each.
        lines: How many there are.
    """
    if not lines:
        return Corners(np.zeros(0, dtype=np.int64), np.zeros((0, _MOST_NUMBERS), dtype=np.int64))
    if b"-" in text or b"+" in text:
        return None  # indices that count backwards depend on where they stand
    text = text.replace(b"//", b"/0/") if b"//" in text else text
    numbers = _parsed(text.replace(b"/", b" "), np.int64)
    if numbers is None:
        return None
    letters, begins = np.frombuffer(text, dtype=np.uint8), _words(text)
    slashes, breaks = (np.flatnonzero(letters == letter) for letter in (_SLASH, _NEWLINE))
    owners = np.searchsorted(begins, slashes, side="right") - 1
    widths = 1 + np.bincount(owners, minlength=len(begins))
    if len(numbers) != widths.sum() or (len(widths) and widths.max() > _MOST_NUMBERS):
        return None
    result = np.zeros((len(begins), _MOST_NUMBERS), dtype=np.int64)
    first = np.cumsum(widths) - widths
    for column in range(_MOST_NUMBERS):
        rows = widths > column
        result[rows, column] = numbers[first[rows] + column]
    marks = np.searchsorted(begins, np.append(breaks, len(text)))
    return Corners(np.diff(marks).astype(np.int64), result)
