"""OpenUSD itself, loaded when the first stage is read."""

from __future__ import annotations

import logging
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from unibody.errors import AssetError, NotSupportedError
from unibody.extras import install_command

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
    Vt: Any


@cache
def pxr() -> Pxr:
    """The modules.

    Raises:
        NotSupportedError: ``usd-core`` is not installed.
    """
    names = ("Ar", "Gf", "Sdf", "Tf", "Usd", "UsdGeom", "UsdPhysics", "UsdShade", "UsdUtils", "Vt")
    try:
        return Pxr(*(import_module(f"pxr.{name}") for name in names))
    except ImportError as error:
        raise NotSupportedError(
            "reading USD without the package usd-core",
            f"install it with {install_command('isaac-core')}",
        ) from error


@contextmanager
def reading(file: str) -> Generator[None]:
    """Whatever OpenUSD says about a file: warnings go to the log, errors are an ``AssetError``."""
    modules = pxr()
    delegate = modules.UsdUtils.CoalescingDiagnosticDelegate()
    try:
        yield
    except modules.Tf.ErrorException as error:
        raise AssetError(file, "", f"cannot be read: {first_line(error)}") from error
    except UnicodeDecodeError as error:
        raise AssetError(file, "", f"holds text that is not UTF-8: {error.reason}") from error
    finally:
        found = delegate.TakeUncoalescedDiagnostics()
        texts = [" ".join(item.commentary.split()) for item in found]
        for text in texts[:_MOST_WARNINGS]:
            _LOG.warning("%s: %s", file, text[:500])
        if len(texts) > _MOST_WARNINGS:
            _LOG.warning("%s: %d more warnings", file, len(texts) - _MOST_WARNINGS)


def first_line(error: Exception) -> str:
    """What OpenUSD says in an error, without the places in its own source."""
    try:
        text = " ".join(str(error).split())
    except UnicodeDecodeError:  # it quotes the file
        return "it holds text that is not UTF-8"
    quoted = re.search(r" : '(.*?)'(?: Error in|$)", text)
    return (quoted[1] if quoted else text)[:500]
