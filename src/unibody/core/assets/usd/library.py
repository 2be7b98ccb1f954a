"""OpenUSD itself, loaded when the first stage is read."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from unibody.errors import NotSupportedError

_LOG = logging.getLogger(__name__)
_MOST_WARNINGS = 10  # of one file; there is one for each broken reference


@dataclass(frozen=True, slots=True)
class Pxr:
    """The modules of the package ``usd-core`` that the reader uses; they have no types."""

    Ar: Any
    Gf: Any
    Sdf: Any
    Tf: Any
    Usd: Any
    UsdGeom: Any
    UsdPhysics: Any
    UsdShade: Any
    UsdUtils: Any


@cache
def pxr() -> Pxr:
    """The modules.

    Raises:
        NotSupportedError: ``usd-core`` is not installed.
    """
    names = ("Ar", "Gf", "Sdf", "Tf", "Usd", "UsdGeom", "UsdPhysics", "UsdShade", "UsdUtils")
    try:
        return Pxr(*(import_module(f"pxr.{name}") for name in names))
    except ImportError as error:
        raise NotSupportedError(
            "reading USD without the package usd-core",
            'install it with pip install "unibody[isaac-core]"',
        ) from error


@contextmanager
def warnings_logged(file: str) -> Generator[None]:
    """OpenUSD's warnings about a file go to the log instead of to the standard error."""
    delegate = pxr().UsdUtils.CoalescingDiagnosticDelegate()
    try:
        yield
    finally:
        texts = [
            " ".join(item.commentary.split()) for item in delegate.TakeUncoalescedDiagnostics()
        ]
        for text in texts[:_MOST_WARNINGS]:
            _LOG.warning("%s: %s", file, text[:500])
        if len(texts) > _MOST_WARNINGS:
            _LOG.warning("%s: %d more warnings", file, len(texts) - _MOST_WARNINGS)
