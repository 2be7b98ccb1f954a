"""Arguments of a builder's functions: one of the wrong kind is told by its name.

A call that works costs nothing: only after one has failed are its arguments looked at.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from unibody.errors import InvalidArgumentError, UnibodyError
from unibody.newton import convert
from unibody.newton.attributes import CustomAttribute, CustomFrequency
from unibody.newton.builder import entries
from unibody.newton.builder.tables import Tables
from unibody.newton.configs import JointDofConfig, ShapeConfig
from unibody.newton.enums import ActuatorMode, Axis, EqType, GeoType, JointType
from unibody.newton.tet_mesh import TetMesh

_AXES = 3


class _Kind(NamedTuple):
    """What an argument may be: a function that fails on anything else, and words for it."""

    take: Callable[[Any], object]
    allowed: str


def _instance(cls: Any, allowed: str) -> _Kind:
    def take(value: Any) -> None:
        if not isinstance(value, cls):
            raise TypeError

    return _Kind(take, allowed)


def _numbers(value: Any) -> None:
    if not np.isfinite(np.array(value, dtype=float)).all():
        raise ValueError


def _points(value: Any) -> None:
    _numbers(value)
    if np.shape(value)[-1] != _AXES:
        raise ValueError


def _list(value: Any) -> None:
    _numbers(value)
    len(value)


def _indices(value: Any) -> None:
    for one in value:
        _whole(one)


def _corners(value: Any) -> None:
    for one in np.atleast_1d(value).reshape(-1).tolist():
        _whole(one)


def _pairs(value: Any) -> None:
    for first, second in value:
        _whole(first)
        _whole(second)


def _keys(value: Any) -> None:
    if isinstance(value, str) or not all(isinstance(one, str | int) for one in value):
        raise TypeError


def _four(value: Any) -> None:
    _numbers(value)
    if len(value) != 4:
        raise ValueError


def _rows(value: Any) -> None:
    for one in value:
        _texts(one)


def _dofs(value: Any) -> None:
    if not all(isinstance(one, JointDofConfig) for one in value):
        raise TypeError


def _texts(value: Any) -> None:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise TypeError


def _vector(value: Any) -> None:
    convert.vec3("", value)


def _whole(value: Any) -> None:
    if isinstance(value, np.ndarray):
        raise TypeError
    if not -(2**31) <= operator.index(value) < 2**31:
        raise OverflowError


_NUMBERS = _Kind(_numbers, "finite numbers")
_VECTOR = _Kind(_vector, "three numbers")
_POSE = _Kind(lambda v: convert.transform("", v), "a transform: (position, quaternion xyzw)")
_WHOLE = _Kind(_whole, "a whole number of 32 bits")
_MESH = _Kind(lambda v: v.vertices, "a Mesh")

_LISTS = (
    "indices", "quaternions", "plane", "polycoef", "coeffs",
)  # fmt: skip
_BY_ANNOTATION = {
    "int": _WHOLE,
    "float": _Kind(float, "a number"),
    "bool": _instance((bool, int, np.bool_), "True or False"),
    "str": _instance(str, "a text"),
    "ShapeConfig": _instance(ShapeConfig, "a ModelBuilder.ShapeConfig"),
    "Tables": _instance(Tables, "a ModelBuilder"),
    "TetMesh": _instance(TetMesh, "a TetMesh"),
    "CustomAttribute": _instance(CustomAttribute, "a ModelBuilder.CustomAttribute"),
    "CustomFrequency": _instance(CustomFrequency, "a ModelBuilder.CustomFrequency"),
    "Collection[str | int]": _Kind(_keys, "a list of texts or of whole numbers"),
    "list[float]": _Kind(_list, "a list of finite numbers"),
    "list[int]": _Kind(_indices, "a list of whole numbers"),
    "dict[str, Any]": _Kind(_texts, "a dictionary with texts as keys"),
}
_BY_NAME = {
    **dict.fromkeys(("xform", "parent_xform", "child_xform", "relpose"), _POSE),
    **dict.fromkeys(("com", "anchor", "spacing", "gravity"), _VECTOR),
    **dict.fromkeys(("mesh", "src"), _MESH),
    "heightfield": _Kind(lambda v: v.vertices, "a Heightfield"),
    "axis": _Kind(convert.axis, "an axis: a letter, a number, an Axis, or three numbers"),
    "up_axis": _Kind(Axis.from_any, "an Axis"),
    "inertia": _Kind(lambda v: convert.mat33("", v), "a 3x3 matrix"),
    "actuator_mode": _Kind(ActuatorMode, "a JointTargetMode"),
    "type": _Kind(GeoType, "a GeoType"),
    "joint_type": _Kind(JointType, "a JointType"),
    "constraint_type": _Kind(EqType, "an EqType"),
    "edges": _Kind(_pairs, "pairs of node indices"),
    "rot": _Kind(_four, "a quaternion: four finite numbers, xyzw"),
    **dict.fromkeys("ijkl", _Kind(_corners, "an index, or a list of them")),
    **dict.fromkeys(
        ("linear_axes", "angular_axes"), _Kind(_dofs, "a list of ModelBuilder.JointDofConfig")
    ),
    "frequencies": _Kind(set, "a list of frequencies"),
    "entries": _Kind(_rows, "a list of dictionaries with texts as keys"),
    **dict.fromkeys(
        ("pos", "vel", "vertices", "positions", "node_positions", "points"),
        _Kind(_points, "three finite numbers, or rows of them"),
    ),
    **dict.fromkeys(("joints", "bodies", "shape_indices"), _Kind(_indices, "a list of indices")),
    **dict.fromkeys(_LISTS, _Kind(_list, "a list of finite numbers")),
}
_SEVERAL = ("list[", "Sequence[", "Iterable[", "tuple[")
_NUMERIC = (
    "mass", "radius", "flags", "rest", "tri_ke", "tri_ka", "tri_kd", "tri_drag",
    "tri_lift", "edge_ke", "edge_kd",
)  # fmt: skip
"""Arguments without a kind of their own that are numbers, or lists of them."""


_MEANT = (RuntimeError, AttributeError)
"""Errors that functions raise on purpose, whatever the lists hold."""


def telling(function: Any) -> Any:
    """Let a function that fails say which argument is of the wrong kind, if one is."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except UnibodyError:
            raise
        except Exception as problem:
            wrong = _wrong(signature, args, kwargs)
            if wrong is not None:
                raise wrong from problem
            if not isinstance(problem, _MEANT):
                entries.check_entries(args[0])  # which scripts may have written into
            raise

    return call


def _wrong(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> InvalidArgumentError | None:
    """The first argument that is not of its kind."""
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError:
        return None
    for name, value in given.items():
        parameter = signature.parameters[name]
        variable = parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        optional = parameter.default is None or str(parameter.annotation).endswith("| None")
        if name == "self" or variable or (value is None and optional):
            continue
        kind = _kind(parameter)
        try:
            if kind is not None:
                kind.take(value)
        except Exception:  # whatever a foreign object raises when it is asked for a number
            return InvalidArgumentError(name, value, kind.allowed if kind else "")
    return None


def _kind(parameter: inspect.Parameter) -> _Kind | None:
    annotation = str(parameter.annotation).removesuffix(" | None")
    if parameter.name in "ijkl" and annotation == "int":
        return _WHOLE
    if parameter.name in ("pos", "vel") and not annotation.startswith(_SEVERAL):
        return _VECTOR
    if parameter.name in _BY_NAME and annotation != "TetMesh":
        return _BY_NAME[parameter.name]
    if annotation in _BY_ANNOTATION:
        return _BY_ANNOTATION[annotation]
    if parameter.name in _NUMERIC:
        return _NUMBERS
    if parameter.name == "scale":  # of a shape; that of a file is a float
        return _VECTOR
    if annotation.startswith(_SEVERAL):
        return _instance(Iterable, "a sequence")  # type: ignore[type-abstract]
    return None
