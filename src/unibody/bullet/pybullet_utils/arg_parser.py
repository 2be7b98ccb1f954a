"""Arguments as `--key value value ...`, from a command line or from files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_TRUE = frozenset({"true", "True", "1", "T", "t"})


class ArgParser:
    """A table of arguments: what is loaded first stays."""

    global_parser: Any = None

    def __init__(self) -> None:
        self._table: dict[str, list[str]] = {}

    def clear(self) -> None:
        """Forget all arguments."""
        self._table.clear()

    def load_args(self, arg_strs: Sequence[str]) -> bool:
        """Take over arguments; words before the first key are ignored, as are `#` comments."""
        values: list[str] | None = None
        for word in arg_strs:
            if word.startswith("#"):
                continue
            if word.startswith("--") and len(word) > 2:
                values = []
                self._table.setdefault(word[2:], values)
            elif values is not None:
                values.append(word)
        return True

    def load_file(self, filename: str) -> bool:
        """Take over the arguments in a file; lines that begin with `#` are ignored."""
        with open(filename, encoding="utf-8") as file:
            lines = re.split(r"[\n\r]+", file.read())
        words = [word for line in lines if not line.startswith("#") for word in line.split()]
        return self.load_args(words)

    def has_key(self, key: str) -> bool:
        """Whether there is such an argument."""
        return key in self._table

    def parse_string(self, key: str, default: str = "") -> str:
        """The first value of an argument."""
        return self._table[key][0] if key in self._table else default

    def parse_strings(self, key: str, default: Sequence[str] = ()) -> list[str]:
        """All values of an argument."""
        return self._table[key] if key in self._table else list(default)

    def parse_int(self, key: str, default: int = 0) -> int:
        """The first value of an argument."""
        return int(self._table[key][0]) if key in self._table else default

    def parse_ints(self, key: str, default: Sequence[int] = ()) -> list[int]:
        """All values of an argument."""
        return [int(text) for text in self._table[key]] if key in self._table else list(default)

    def parse_float(self, key: str, default: float = 0.0) -> float:
        """The first value of an argument."""
        return float(self._table[key][0]) if key in self._table else default

    def parse_floats(self, key: str, default: Sequence[float] = ()) -> list[float]:
        """All values of an argument."""
        return [float(text) for text in self._table[key]] if key in self._table else list(default)

    def parse_bool(self, key: str, default: bool = False) -> bool:
        """The first value of an argument: `true`, `1` or `t`, and anything else is false."""
        return self._table[key][0] in _TRUE if key in self._table else default

    def parse_bools(self, key: str, default: Sequence[bool] = ()) -> list[bool]:
        """All values of an argument."""
        return [text in _TRUE for text in self._table[key]] if key in self._table else list(default)
