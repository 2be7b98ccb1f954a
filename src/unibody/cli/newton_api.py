"""Which dialect of Newton's API a script is written for."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import re
import sys
from pathlib import Path

DIALECTS = ("0.2", "1", "1.0")
VARIABLE = "UNIBODY_NEWTON_API"
_PINS = ("requirements.txt", "pyproject.toml")
_PIN = re.compile(r"""(?:^|["'\s])newton(?:\[[^\]]*\])?\s*(?:==|~=|>=)\s*(\d+)(?:\.\d+)*""", re.M)
_FILE_BYTES = 1 << 20
_FOLDERS = 4  # above the script


def choose(_module: object = None) -> None:
    """Use the dialect that was asked for, else that of the environment, and say which in a line."""
    from unibody import notices
    from unibody.newton import later_api

    asked = os.environ.get(VARIABLE)
    if asked in DIALECTS:
        later_api.use(asked)
        return
    dialect, why = _found(Path(sys.argv[0] or "."))
    later_api.use(dialect)
    other = "1" if dialect == "0.2" else "0.2"
    notices.tell_once(
        f"newton means the API of {dialect}{'.x' if dialect == '1' else ''}, {why}"
        f" (--newton-api {other} is the other one)"
    )


def _found(script: Path) -> tuple[str, str]:
    """A dialect, and what says so."""
    version = _installed()
    if version:
        return _dialect(version), f"as newton {version} is installed"
    for folder in list(script.resolve().parents)[:_FOLDERS]:
        for name in _PINS:
            major = _pinned(folder / name)
            if major is not None:
                return _dialect(major), f"as {folder / name} says"
    return "0.2", "that of the reference document"


def _dialect(version: str) -> str:
    major, _, rest = version.partition(".")
    if major == "0":
        return "0.2"
    return "1.0" if rest.split(".", maxsplit=1)[0] == "0" else "1"


def _installed() -> str | None:
    for found in importlib.metadata.distributions(name="newton"):
        summary = found.metadata["Summary"] or ""
        if "unibody" not in summary:
            return found.version
    return None


def _pinned(file: Path) -> str | None:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        if file.is_file() and file.stat().st_size <= _FILE_BYTES:
            match = _PIN.search(file.read_text(encoding="utf-8"))
            return match.group(1) if match else None
    return None
