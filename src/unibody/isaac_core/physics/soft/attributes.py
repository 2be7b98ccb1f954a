"""Attributes of a stage that soft bodies are made of, each looked at before it is used."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pxr import Usd

from unibody.errors import AssetError


def value(prim: Usd.Prim, name: str, default: Any) -> Any:
    """The value of an attribute, by its schema if the prim says nothing."""
    attribute = prim.GetAttribute(name)
    found = attribute.Get() if attribute else None
    return default if found is None else found


def switch(prim: Usd.Prim, name: str, default: bool) -> bool:
    """The value of an attribute that is true or false.

    Raises:
        AssetError: It is something else.
    """
    found = value(prim, name, default)
    if not isinstance(found, bool | int):
        raise refusal(prim, name, found, "true or false")
    return bool(found)


def number(prim: Usd.Prim | None, name: str, default: float, *, least: float = -math.inf) -> float:
    """The value of an attribute that is a number; infinite ones ask for the default.

    Args:
        prim: The prim; None: the default is taken.
        name: Of the attribute.
        default: Without a value.
        least: The smallest that is allowed, of finite ones.

    Raises:
        AssetError: It is no number, or too small.
    """
    found = default if prim is None else value(prim, name, default)
    if not isinstance(found, int | float) or math.isnan(found):
        raise refusal(prim, name, found, "a number")
    if not math.isfinite(found):
        return default
    if found < least:
        raise refusal(prim, name, found, f"a number from {least:g} on")
    return float(found)


def numbers(prim: Usd.Prim, name: str, width: int = 1) -> Any:
    """The values of an attribute that is a list of numbers, (n,), or of rows of them, (n, width).

    None without any.

    Raises:
        AssetError: It is something else.
    """
    found = value(prim, name, None)
    try:
        rows = np.array([] if found is None else found, np.float64)
        rows = rows if width == 1 else rows.reshape(-1, width)
    except (TypeError, ValueError):
        rows = None
    if rows is None or rows.ndim != (1 if width == 1 else 2) or not np.isfinite(rows).all():
        wanted = "a list of numbers" if width == 1 else f"numbers, {width} to a row"
        raise refusal(prim, name, found, wanted)
    return rows if rows.size else None


def refusal(prim: Any, name: str, found: Any, allowed: str) -> AssetError:
    """The error that says what is wrong with an attribute."""
    file = str(prim.GetStage().GetRootLayer().identifier)
    shown = str(found)
    shown = shown if len(shown) < 60 else shown[:57] + "..."
    return AssetError(file, f"{prim.GetPath()}.{name}", f"is {shown}, expected {allowed}")
