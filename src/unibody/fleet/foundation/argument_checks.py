"""What is passed to the surface's functions, looked at before anything is changed.

What an argument may be is read off the annotation of its parameter. Kinds are taken loosely, as in
the original: any number is a float, any object that has what is needed may stand for an `Agent`. A
number that is none, a text where a list belongs, or a list where an object belongs is refused.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import itertools
import numbers
import operator
import os
import pathlib
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError

Check = Callable[[Any], bool]
Rule = tuple[Check, str]
_MOST_LOOKED_AT = 10_000  # items of a list
_PLAIN = (
    type(None), bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset,
    range, slice, memoryview, np.ndarray, np.generic, types.FunctionType, types.BuiltinFunctionType,
    pathlib.PurePath,
)  # fmt: skip
_LISTS = ("list", "Sequence", "tuple", "Iterable", "set", "frozenset", "Collection")
_ROOT = "unibody.fleet"
_MODULES = re.compile(r"\b(?:[a-z_]\w*\.)+")
# What stands for an object of these classes has at least this, whatever class it is of.
_NEEDED = {
    "Agent": "get_pose",
    "SimObject": "object_id",
    "Controller": "compute",
    "ControllerParams": "bind",
    "Action": "execute",
    "AgentPlugin": "on_update",
    "SimPlugin": "on_step",
    "SimObjectSpawnParams": "__dataclass_fields__",
    "AgentSpawnParams": "urdf_path",
    "SimulationParams": "log_level",
    "SimObjectManager": "objects",
    "AgentManager": "objects",
    "Path": "waypoints",
    "Tables": "motions",
    "ShapeParams": "shape_type",
    "SlerpPrecomp": "needs_flip",
}
_LENGTHS = dict.fromkeys(("vec", "rotvec", "position", "target_position"), 3) | dict.fromkeys(
    ("quat", "q0", "q1", "q2", "orientation", "target_orientation"), 4
)
_MADE_OFTEN = {("Pose", "__init__")}  # a pose is looked at where it is used


class ArgumentKindError(InvalidArgumentError, TypeError):
    """An argument is of a kind that is not allowed."""


def _anything(value: Any) -> bool:
    return True


def _is_none(value: Any) -> bool:
    return value is None


def _is_number(value: Any) -> bool:
    if type(value) is float:
        return value == value  # noqa: PLR0124 - what is no number differs from itself
    if isinstance(value, numbers.Integral):
        return abs(int(value)) < 2**63
    if isinstance(value, numbers.Real):
        return bool(value == value)  # noqa: PLR0124
    if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0:
        return value.dtype.kind in "biuf" and not bool(np.isnan(value))
    return False


def _is_whole(value: Any) -> bool:
    if isinstance(value, np.ndarray):  # is no key of a dictionary
        return False
    try:
        return -(2**63) <= operator.index(value) < 2**63
    except TypeError:
        return False


def _is_whole_number(value: Any) -> bool:
    if _is_whole(value):
        return True
    return _is_number(value) and float(value).is_integer() and abs(value) < 2**63


def _is_switch(value: Any) -> bool:
    return value is None or (isinstance(value, numbers.Real) and bool(value == value))  # noqa: PLR0124


def _is_text(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _is_array(value: Any) -> bool:
    if isinstance(value, (str, bytes, Mapping)):
        return False
    try:
        found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return bool(np.isfinite(found).all())


def _is_class(value: Any) -> bool:
    return isinstance(value, type)


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_object(value: Any) -> bool:
    """Whether a value could be an object of a class: duck typing is fine, plain values are not."""
    kind: type = type(value)
    return not (isinstance(value, (_PLAIN, type)) or kind is object or hasattr(kind, "__next__"))


def _stands_for(name: str, kind: Any, value: Any) -> bool:
    """Whether an object is one of a class, or of a class that is none of the fleet's own."""
    if isinstance(kind, type) and not getattr(kind, "_is_protocol", False):
        if isinstance(value, kind):
            return True
        if type(value).__module__.startswith(_ROOT):
            return name in _NEEDED and hasattr(value, _NEEDED[name])
    return _is_object(value) and hasattr(value, _NEEDED.get(name, "__class__"))


def _may_be_controller(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_may_be_controller, value))
    if value is None or isinstance(value, (str, Mapping)):
        return True
    return _is_object(value) and (hasattr(value, "compute") or hasattr(value, "max_linear_vel"))


def _may_be_name(value: Any) -> bool:
    """Whether a value names something; files have numbers for names, too."""
    return value is None or isinstance(value, (str, int)) or _is_number(value)


_REAL = (float, int, np.number, numbers.Real)


def _is_pose(value: Any) -> bool:
    try:
        position, orientation = value.position, value.orientation
        fine = len(position) == 3 and len(orientation) == 4
    except (AttributeError, TypeError):
        return False
    if not fine:
        return False
    for number in (*position, *orientation):  # which of them are finite is asked elsewhere
        if type(number) is not float and not isinstance(number, _REAL):
            return False
    return True


def _is_list_of(item: Check, value: Any) -> bool:
    if isinstance(value, (str, bytes, bytearray, Mapping)) or not isinstance(value, Iterable):
        return False
    if not hasattr(value, "__len__"):
        return False  # an iterator, see ``_gathered``
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return False
    if item is _is_number and isinstance(value, np.ndarray) and value.dtype.kind in "iuf":
        return value.ndim == 1 and not bool(np.isnan(value).any())
    for one in itertools.islice(value, _MOST_LOOKED_AT):  # noqa: SIM110 - a generator costs more
        if not item(one):
            return False
    return True


def _is_sequence_of(item: Check, value: Any) -> bool:
    """Whether a value is a list whose items have places: no set, and nothing that is used up."""
    return hasattr(value, "__getitem__") and hasattr(value, "__len__") and _is_list_of(item, value)


def _enum_rule(kind: type[Enum]) -> Rule:
    values = [item.value for item in kind]

    def check(value: Any) -> bool:
        return isinstance(value, kind) or (isinstance(value, str) and value in values)

    return check, f"one of {values}"


_SIMPLE: dict[str, Rule] = {
    "Any": (_anything, ""),
    "object": (_anything, ""),
    "T": (_is_object, "an object of the simulation"),
    "Self": (_is_object, "an object of the same class"),
    "float": (_is_number, "a number"),
    "int": (_is_whole, "a whole number"),
    "bool": (_is_switch, "True or False"),
    "str": (_is_text, "a text"),
    "None": (_is_none, "None"),
    "dict": (_is_mapping, "a dictionary"),
    "Mapping": (_is_mapping, "a dictionary"),
    "Callable": (callable, "a function"),
    "type": (_is_class, "a class"),
    "NDArray": (_is_array, "an array of finite numbers"),
    "ndarray": (_is_array, "an array of finite numbers"),
    "Pose": (_is_pose, "a Pose of three numbers [m] and a quaternion of four"),
}


_NAMED: dict[str, Rule] = {
    **dict.fromkeys(
        ("vx", "vy", "vz", "wx", "wy", "wz"),
        (lambda value: isinstance(value, numbers.Real), "a number"),  # finite: asked of all six
    ),
    "agent": (
        lambda value: (
            _is_object(value) and (hasattr(value, "get_pose") or hasattr(value, "sim_core"))
        ),  # one to wait with, too
        "an Agent",
    ),
    "sim_core": (lambda value: value is None or _is_object(value), "a simulation or None"),
    "controller": (
        _may_be_controller,
        "a name, a dictionary, a Controller, or a list of them",
    ),
}
"""Parameters that take too much for an annotation."""


def _union(rules: list[Rule]) -> Rule:
    checks = [check for check, _ in rules]
    if _anything in checks:
        return _SIMPLE["Any"]
    words = " or ".join(dict.fromkeys(word for _, word in rules))
    checks.sort(key=lambda check: check is not _is_none)  # what most arguments are
    if len(checks) == 2:
        one, other = checks
        return lambda value: one(value) or other(value), words
    return lambda value: any(check(value) for check in checks), words


def _rule_of(node: ast.expr, names: Mapping[str, Any]) -> Rule:
    """What an annotation allows, and words for it."""
    if isinstance(node, ast.BinOp):
        rules = [_rule_of(node.left, names), _rule_of(node.right, names)]
        if any(words.startswith("one of") for _, words in rules):
            rules = [rule for rule in rules if rule is not _SIMPLE["str"]]  # its texts are named
        return _union(rules) if len(rules) > 1 else rules[0]
    if isinstance(node, ast.Constant):
        return _SIMPLE["None" if node.value is None else "Any"]
    if isinstance(node, ast.Attribute):
        return _SIMPLE["Any"]
    if isinstance(node, ast.Subscript):
        outer = node.value.id if isinstance(node.value, ast.Name) else ""
        if outer not in _LISTS:
            return _rule_of(node.value, names)
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        rules = [_rule_of(one, names) for one in inner if not _is_dots(one)]
        item, words = _union(rules) if len(rules) > 1 else rules[0]
        check = _is_sequence_of if outer == "Sequence" else _is_list_of
        return functools.partial(check, item), f"a list ({words or 'of anything'} each)"
    name = node.id if isinstance(node, ast.Name) else "Any"
    if name in _LISTS:
        return functools.partial(_is_list_of, _anything), "a list"
    if name in _SIMPLE:
        return _SIMPLE[name]
    kind = names.get(name)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _enum_rule(kind)
    if kind is pathlib.Path:
        return _SIMPLE["str"]
    if isinstance(kind, type) or kind is None:
        return functools.partial(_stands_for, name, kind), f"an object of the class {name}"
    return _rule_of_alias(kind, names)


def _rule_of_alias(kind: Any, names: Mapping[str, Any]) -> Rule:
    """What a name for a longer annotation allows."""
    try:
        return _rule_of(ast.parse(_MODULES.sub("", str(kind)), mode="eval").body, names)
    except SyntaxError:
        return _SIMPLE["Any"]


def _is_dots(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _rules(
    function: Callable[..., Any], names: Mapping[str, Any]
) -> tuple[list[tuple[str, Check, str]], dict[str, Rule]]:
    """Rules by place, and by name where there is something to look at."""
    by_place: list[tuple[str, Check, str]] = []
    by_name: dict[str, Rule] = {}
    of_class = inspect.isfunction(function) and "." in function.__qualname__
    for place, (name, parameter) in enumerate(inspect.signature(function).parameters.items()):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            break  # what follows has no place
        rule = _SIMPLE["Any"]
        if name == "name" and rule is _SIMPLE["Any"] and parameter.default is None:
            by_place.append((name, _may_be_name, "a name"))
            by_name[name] = _may_be_name, "a name"
            continue
        owner = of_class and place == 0 and name in ("self", "cls")
        if name in _NAMED and parameter.annotation in ("Any", "float"):
            rule = _NAMED[name]
        elif not owner and parameter.annotation is not parameter.empty:
            rule = rule_of(parameter.annotation, names)
            if name in _LENGTHS and str(parameter.annotation).startswith("Sequence"):
                rule = _rule_of_length(_LENGTHS[name])
                if "None" in str(parameter.annotation):
                    rule = _union([rule, _SIMPLE["None"]])
            if function.__name__ == "__init__" and rule is _SIMPLE["int"]:
                rule = _is_whole_number, rule[1]  # files say 10.0, too
            if parameter.default is None and "None" not in str(parameter.annotation):
                rule = _union([rule, _SIMPLE["None"]])
        if parameter.kind is not parameter.KEYWORD_ONLY:
            by_place.append((name, rule[0], rule[1]))
        if rule[0] is not _anything:
            by_name[name] = rule
    return by_place, by_name


def _rule_of_length(length: int) -> Rule:
    def check(value: Any) -> bool:
        return _is_sequence_of(_is_number, value) and len(value) == length

    return check, f"{length} numbers"


def rule_of(stated: Any, names: Mapping[str, Any]) -> Rule:
    """What an annotation allows, and words for it.

    Args:
        stated: The annotation, as text or as it is.
        names: What its names mean.
    """
    text = stated if isinstance(stated, str) else getattr(stated, "__name__", str(stated))
    try:
        return _rule_of(ast.parse(text, mode="eval").body, names)
    except SyntaxError:
        return _SIMPLE["Any"]


def checked(function: Callable[..., Any], names: Mapping[str, Any]) -> Callable[..., Any]:
    """A function that looks at its arguments first.

    Args:
        function: The function.
        names: What the names in its annotations mean.
    """
    rules: list[Any] = []
    looked_at: list[tuple[int, str, Check, str]] = []  # by place

    @functools.wraps(function)
    def wrapper(*args: Any, **named: Any) -> Any:
        if not rules:
            rules.extend(_rules(function, names))
            looked_at.extend(
                (place, *rule) for place, rule in enumerate(rules[0]) if rule[1] is not _anything
            )
        count = len(args)
        for place, name, check, allowed in looked_at:
            if place >= count:
                break
            if not check(args[place]):
                found = _gathered(name, args[place], check, allowed)
                args = (*args[:place], found, *args[place + 1 :])
        if named:
            by_name = rules[1]
            for name, value in named.items():
                rule = by_name.get(name)
                if rule is not None and not rule[0](value):
                    named[name] = _gathered(name, value, *rule)
        return function(*args, **named)

    return wrapper


def _gathered(name: str, value: Any, check: Check, allowed: str) -> list[Any]:
    """What an iterator gives, as a list: who looks at an iterator has used it up.

    Raises:
        ArgumentKindError: It is none, or that list is not allowed.
    """
    if isinstance(value, Iterator):
        found = list(value)
        if check(found):
            return found
    raise ArgumentKindError(name, value, allowed)


class _Names(dict[str, Any]):
    """What the names in the annotations of a module mean, those for type checkers alone too."""

    def __init__(self, module: str) -> None:
        super().__init__(vars(sys.modules[module]))

    def __missing__(self, name: str) -> Any:
        for module, loaded in list(sys.modules.items()):
            found = vars(loaded).get(name) if module.startswith(_ROOT) else None
            if isinstance(found, type):
                return found
        return None

    def get(self, key: str, default: Any = None) -> Any:
        """The meaning of a name."""
        return self[key]


def install(exported: dict[str, Any], modules: Iterable[str]) -> None:
    """Let the public classes and functions of a package look at their arguments.

    Args:
        exported: The package's names, of which functions are replaced.
        modules: More modules whose names are public.
    """
    done: set[type] = set()
    spaces = [exported, *(vars(importlib.import_module(f"{_ROOT}.{name}")) for name in modules)]
    for space in spaces:
        for name, found in list(space.items()):
            home = getattr(found, "__module__", None) or ""
            if name.startswith("_") or not home.startswith(_ROOT):
                continue
            if isinstance(found, type):
                for kind in found.__mro__:
                    if kind.__module__.startswith(_ROOT) and kind not in done:
                        done.add(kind)
                        _install_in(kind)
            elif inspect.isfunction(found) and not hasattr(found, "__wrapped__"):
                space[name] = checked(found, _Names(home))


def _install_in(kind: type) -> None:
    if issubclass(kind, (Enum, tuple)) or getattr(kind, "_is_protocol", False):
        return
    names = _Names(kind.__module__)
    for name, member in list(vars(kind).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if (kind.__name__, name) in _MADE_OFTEN:
            continue
        if inspect.isfunction(member):
            if _has_rules(member):
                setattr(kind, name, checked(member, names))
        elif isinstance(member, (classmethod, staticmethod)):
            if _has_rules(member.__func__):
                setattr(kind, name, type(member)(checked(member.__func__, names)))
        elif isinstance(member, property) and member.fset is not None:
            setattr(kind, name, property(member.fget, checked(member.fset, names), member.fdel))


def _has_rules(function: Any) -> bool:
    """Whether a function has an argument that may not be anything."""
    stated = (value for name, value in function.__annotations__.items() if name != "return")
    return any(value != "Any" for value in stated)
