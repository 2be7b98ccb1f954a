"""Names that NumPy has taken away since the scripts were written, where a script asks for them."""

from __future__ import annotations

import builtins
import functools
from types import ModuleType
from typing import Any

from unibody.notices import tell_once

# What each of them was: taken away in NumPy 1.24 (the first row) and 2.0.
_MEANT = {
    "bool": "bool", "int": "int", "float": "float", "complex": "complex", "object": "object",
    "str": "str", "long": "int", "unicode": "str",
}  # fmt: skip
_RENAMED = {
    "float_": "float64", "complex_": "complex128", "Inf": "inf", "Infinity": "inf", "infty": "inf",
    "PINF": "inf", "NaN": "nan", "product": "prod", "cumproduct": "cumprod", "sometrue": "any",
    "alltrue": "all", "in1d": "isin", "row_stack": "vstack", "trapz": "trapezoid",
    "unicode_": "str_", "string_": "bytes_",
}  # fmt: skip


@functools.cache
def give(numpy: ModuleType) -> None:
    """Let a NumPy without these names have them; one that has a name keeps its own. Once.

    Args:
        numpy: The module.
    """
    missing = numpy.__getattr__

    def found(name: str) -> Any:
        if name in _MEANT:
            meant, value = f"Python's {_MEANT[name]}", getattr(builtins, _MEANT[name])
        elif name in _RENAMED:
            meant, value = f"numpy.{_RENAMED[name]}", getattr(numpy, _RENAMED[name])
        else:
            return missing(name)
        tell_once(f"numpy.{name}, which this NumPy does not have any more, is {meant}")
        return value

    numpy.__getattr__ = found  # pyright: ignore[reportAttributeAccessIssue]
