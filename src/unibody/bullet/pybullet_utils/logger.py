"""Tables of training diagnostics, one row an iteration, on the screen and in a file."""

from __future__ import annotations

import atexit
import os
import time
from typing import Any, TextIO

from unibody.bullet.pybullet_utils import mpi_util

_COLUMN = "{:<25}"
_RULE = "-" * 37


class Logger:
    """Rows of named values; the first row decides which names there are."""

    def __init__(self) -> None:
        self.output_file: TextIO | None = None
        self.first_row = True
        self.log_headers: list[str] = []
        self.log_current_row: dict[str, Any] = {}

    @staticmethod
    def print2(str: object) -> None:
        """Print in the first process only."""
        if mpi_util.is_root_proc():
            print(str)  # noqa: T201 - what the function is for

    def reset(self) -> None:
        """Begin again, with an empty file if there is one."""
        self.first_row = True
        self.log_headers = []
        self.log_current_row = {}
        if self.output_file is not None:
            self.output_file.seek(0)
            self.output_file.truncate()

    def configure_output_file(self, filename: str | None = None) -> None:
        """Write rows to a file, `output/log_<time>.txt` if none is given."""
        self.first_row = True
        self.log_headers = []
        self.log_current_row = {}
        path = filename or f"output/log_{int(time.time())}.txt"
        if mpi_util.is_root_proc():
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            self.output_file = open(path, "w", encoding="utf-8")  # noqa: SIM115 - until the end
            atexit.register(self.output_file.close)
            Logger.print2(f"Logging data to {path}")

    def log_tabular(self, key: str, val: Any) -> None:
        """Set a value of the present row.

        Raises:
            AssertionError: The first row had no such name.
        """
        if self.first_row and key not in self.log_headers:
            self.log_headers.append(key)
        elif key not in self.log_headers:
            raise AssertionError(f"{key!r} was not in the first row: {self.log_headers}")
        self.log_current_row[key] = val

    def get_num_keys(self) -> int:
        """How many names there are."""
        return len(self.log_headers)

    def print_tabular(self) -> None:
        """Print the present row."""
        Logger.print2(_RULE)
        for key in self.log_headers:
            value = self.log_current_row.get(key, "")
            text = f"{value:8.3g}" if isinstance(value, float) else str(value)
            Logger.print2(f"| {key:>15} | {text:>15} |")
        Logger.print2(_RULE)

    def dump_tabular(self) -> None:
        """Write the present row to the file, and begin the next."""
        if self.output_file is not None:
            template = _COLUMN * len(self.log_headers) + "\n"
            if self.first_row:
                self.output_file.write(template.format(*self.log_headers))
            values = [str(self.log_current_row.get(key, "")) for key in self.log_headers]
            self.output_file.write(template.format(*values))
            self.output_file.flush()
        self.log_current_row.clear()
        self.first_row: bool = False
