"""Which version of Isaac Sim scripts are told that they run on."""

from __future__ import annotations

VERSION = ("4.5.0", "unibody", "4", "5", "0", "unibody", "0", "0")


def get_version() -> tuple[str, str, str, str, str, str, str, str]:
    """Core, pre-release tag, major, minor, patch, tag, build number and hash."""
    return VERSION
