"""The two dialects of the API, as data: the reference document's (0.2), and that of 1.x.

``signatures.toml`` holds the signatures of both. The functions here are written with those of the
document; a keyword that was renamed later is accepted where it means the same.
"""

from __future__ import annotations

import functools
import inspect
import tomllib
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any, TypeVar

from unibody.errors import InvalidArgumentError

LATER_NAMES = {
    "label": "key",
    "world_count": "num_worlds",
    "copy_count": "num_worlds",
    "mu_torsional": "torsional_friction",
    "mu_rolling": "rolling_friction",
    "margin": "thickness",
    "kh": "k_hydro",
    "target_q": "target_pos",
    "target_qd": "target_vel",
    "show_body_labels": "show_body_keys",
    "show_joint_labels": "show_joint_keys",
    "show_shape_labels": "show_shape_keys",
    "rx": "a",
    "ry": "b",
    "rz": "c",
}
"""A parameter's name of 1.x -> that of the document."""

FIRST_OF_1 = "1.0"
"""The release of the 1.x dialect whose importers and builders still do as this release did."""

_chosen = {"dialect": "0.2", "release": "0.2"}

_T = TypeVar("_T", bound=Callable[..., Any])


def in_use() -> str:
    """The dialect of this process: "0.2" or "1"."""
    return _chosen["dialect"]


def is_first_of_1() -> bool:
    """Whether scripts are of newton 1.0, where constraints of files stay what they are there."""
    return _chosen["release"] == FIRST_OF_1


def is_after_first_of_1() -> bool:
    """Whether scripts are of releases of 1.x after newton 1.0."""
    return _chosen["release"] == "1"


def damping_of(given: Any, stiffness: Any) -> Any:
    """The damping of elements, contacts and joints of SolverVBD.

    Args:
        given: As scripts give it: in 0.2 a share of the stiffness [s], in 1.x the damping itself.
        stiffness: What it is a share of.
    """
    return given * stiffness if _chosen["dialect"] == "0.2" else given


def normal_sign() -> float:
    """1 where normals of contacts point from shape 1 to shape 0, -1 where from 0 to 1 (1.x)."""
    return -1.0 if in_use() == "1" else 1.0


def choose(dialect: str, release: str) -> None:
    """Set the dialect of this process; `later_api.use` gives names and defaults to it.

    Args:
        dialect: "0.2" or "1".
        release: "1.0" for what later releases of the dialect do otherwise, else as `dialect`.
    """
    _chosen.update(dialect=dialect, release=release)


def with_later_names(function: _T) -> _T:
    """Let a function, or a class that is made, accept parameters by their later names, too.

    The signature that tools see stays that of the document.
    """
    parameters = inspect.signature(function).parameters
    renamed = {
        later: name
        for later, name in LATER_NAMES.items()
        if name in parameters and later not in parameters
    }
    accepting: Any = function
    if isinstance(function, type):
        _rename_in_class(function, renamed)
    elif renamed:
        accepting = _renaming(function, renamed)
    return accepting


def _rename_in_class(cls: Any, renamed: dict[str, str]) -> None:
    cls.__init__ = _renaming(cls.__init__, renamed)
    for later, name in renamed.items():
        setattr(cls, later, _alias(name))


def _renaming(function: Any, renamed: dict[str, str]) -> Any:
    later_names = renamed.keys()

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for later in later_names & kwargs.keys():
            if renamed[later] in kwargs and kwargs[later] is None:
                del kwargs[later]
                continue
            if renamed[later] in kwargs:
                only = f"one of {later} and {renamed[later]}, which mean the same"
                raise InvalidArgumentError(later, kwargs[later], only)
            kwargs[renamed[later]] = kwargs.pop(later)
        return function(*args, **kwargs)

    return call


def _alias(name: str) -> property:
    def get(self: Any) -> Any:
        return getattr(self, name)

    def put(self: Any, value: Any) -> None:
        setattr(self, name, value)

    return property(get, put, doc=f"The later name of ``{name}``.")


def with_later_attributes(names: dict[str, str]) -> Callable[[_T], _T]:
    """Give a class attributes under their later names.

    Args:
        names: Later name -> name here.
    """

    def decorate(cls: Any) -> Any:
        for later, name in names.items():
            setattr(cls, later, _alias(name))
        return cls

    return decorate


@cache
def signatures(dialect: str) -> dict[str, str]:
    """The signatures of a dialect.

    Args:
        dialect: "0.2" or "1"; or "attributes", of the document.

    Returns:
        Qualified name -> parameters as text, without ``self``; of attributes the default.
    """
    file = resources.files("unibody.newton").joinpath("signatures.toml")
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    if dialect not in tables:
        raise InvalidArgumentError("dialect", dialect, " or ".join(map(repr, tables)))
    return tables[dialect]


@cache
def absent_names() -> dict[str, str]:
    """Names of the package that do not exist here -> the nearest thing that does."""
    file = resources.files("unibody.newton").joinpath("coverage.toml")
    groups = tomllib.loads(file.read_text(encoding="utf-8"))["names"]
    return {
        name: entry.get("note", "docs/coverage.md lists what exists")
        for entries in groups.values()
        for name, entry in entries.items()
        if entry["status"] == "absent"
    }
