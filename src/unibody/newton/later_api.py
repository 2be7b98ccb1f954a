"""The 1.x dialect: its orders of parameters, names and defaults, from the table of signatures."""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from unibody import newton
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton import enums
from unibody.newton.builder import later_rods
from unibody.newton.builder.looks import check_shape
from unibody.newton.builder.model_builder import ModelBuilder
from unibody.newton.collision import pipeline
from unibody.newton.dialect import FIRST_OF_1, LATER_NAMES, choose, in_use, signatures
from unibody.newton.earlier_names import without_earlier_names

LATER_VERSION = "1.8.0"
"""What the package says of itself in the 1.x dialect."""
_LOOKS = ("color", "opacity")
_UNKNOWN = object()
_GONE = {"ensure_nonstatic_links": False}
"""Parameters that 1.x does not have -> what it does."""
_OWN: dict[str, Any] = {"add_rod": later_rods.add_rod}
"""Methods that 1.x has anew under names of the document."""
_UNSTATED = ("collision_filter_parent",)
"""Parameters whose default, None, is another one than that of the document."""
_KEPT = {"convert_mjc_equality_constraints": "equality_constraint"}
"""Switches of 1.x that convert entities, which stay what they are here -> those entities."""
_MEMBER = re.compile(r"<([\w.]+)[^>]*>")  # members of enumerations, as they print themselves
_CLASSES = ("ModelBuilder.ShapeConfig", "ModelBuilder.JointDofConfig")


class _Parameter(NamedTuple):
    name: str
    positional: bool
    default: Any  # _UNKNOWN: none, or one that has no literal
    required: bool


def use(dialect: str) -> None:
    """Choose the dialect of this process, before models are built.

    Args:
        dialect: "0.2" or "1", or "1.0" for the first release of the latter.

    Raises:
        InvalidArgumentError: It is none of them, or another one was chosen before.
    """
    release, dialect = dialect, "1" if dialect == FIRST_OF_1 else dialect
    table = signatures(dialect)
    if dialect == in_use():
        return
    if in_use() != "0.2":
        raise InvalidArgumentError("dialect", dialect, f"{in_use()!r}, which is in use")
    choose(dialect, release)
    newton.__version__ = f"{FIRST_OF_1}.0" if release == FIRST_OF_1 else LATER_VERSION
    if release != FIRST_OF_1:
        pipeline.show_later_arguments()
    for name, text in table.items():
        owner, _, method = name.rpartition(".")
        if name in _CLASSES:
            cls: Any = getattr(ModelBuilder, method)
            cls.__init__ = _speaking(name, cls.__init__, _parameters(text))
        elif owner == "ModelBuilder" and "*" not in text.replace("*, ", ""):
            present: Any = ModelBuilder.__dict__.get(method)
            if method in _OWN:
                setattr(ModelBuilder, method, _OWN[method])
                _OWN[method].__signature__ = _signature(_parameters(text))
            elif inspect.isfunction(present):
                setattr(ModelBuilder, method, _speaking(name, present, _parameters(text)))
            elif not hasattr(ModelBuilder, method) and method[0].islower():
                setattr(ModelBuilder, method, _refusing(name, _parameters(text)))
        elif owner == "ModelBuilder":
            _adapt(method, {p.name: p.default for p in _parameters(text)})


def _adapt(method: str, parameters: dict[str, Any]) -> None:
    """Give a method that takes any keywords what 1.x does otherwise."""
    if "target_pos" in parameters:
        setattr(ModelBuilder, method, _renaming(ModelBuilder.__dict__[method]))
    for unstated in _UNSTATED:
        if parameters.get(unstated, True) is None:
            function = ModelBuilder.__dict__[method]
            setattr(ModelBuilder, method, _leaving_out(function, unstated))


def _refusing(name: str, parameters: list[_Parameter]) -> Any:
    """A function of 1.x that does not exist here, which says so when it is called."""

    def refuse(self: Any, *_: Any, **__: Any) -> Any:
        raise NotSupportedError(name, "docs/coverage.md lists what exists")

    refuse.__name__ = refuse.__qualname__ = name.rpartition(".")[2]
    refuse.__doc__ = "Raise ``NotSupportedError``."
    refuse.__signature__ = _signature(parameters)  # type: ignore[attr-defined]
    return refuse


def _renaming(function: Any) -> Any:
    """A function that tells of arguments by their earlier names."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **without_earlier_names(kwargs))

    return call


def _leaving_out(function: Any, name: str) -> Any:
    """A function whose parameter is None where scripts do not state it."""
    position = list(inspect.signature(function).parameters).index(name)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        stated = len(args) > position or name in kwargs
        return function(*args, **kwargs) if stated else function(*args, **kwargs, **{name: None})

    return call


def _speaking(name: str, function: Any, parameters: list[_Parameter]) -> Any:
    """A function with the parameters of 1.x that calls one with those of the document."""
    own = inspect.signature(function).parameters
    if any(p.kind is p.VAR_POSITIONAL for p in own.values()):
        return function  # names of attributes, which both dialects take so
    order = [p.name for p in parameters if p.positional]
    documented = [n for n in own if n != "self"]
    changed = {
        mapped: p.default
        for p in parameters
        if (mapped := _mapped(p.name, own)) in own
        and p.default is not _UNKNOWN
        and p.default is not None
        and p.default != own[mapped].default
    }
    usual = {p.name: p.default for p in parameters}
    changed |= {name: None for name in _UNSTATED if name in own and usual.get(name, True) is None}
    changed |= {name: value for name, value in _GONE.items() if name in own and name not in usual}

    @functools.wraps(function)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        # what 1.x takes by name alone may stand in the document's order
        names = order if len(args) <= len(order) else documented
        if len(args) > len(names):
            raise TypeError(f"{name}() takes {len(names)} positional arguments, not {len(args)}")
        given = dict(zip(names, args, strict=False))
        twice = given.keys() & kwargs.keys()
        if twice:
            raise TypeError(f"{name}() got several values for {sorted(twice)}")
        given |= kwargs
        looks = _looks(name, given)
        passed = dict(changed)
        for key, value in without_earlier_names(given).items():
            mapped = _mapped(key, own)
            if mapped in own:
                passed[mapped] = value
            elif key in looks:
                continue
            elif key not in usual:
                raise TypeError(f"{name}() got an unexpected keyword argument {key!r}")
            elif value is not None and value != usual[key] and key not in _KEPT:
                raise NotSupportedError(f"{name}({key}={value!r})", f"{key}={usual[key]!r} works")
        with _unconverted(self, name, given):
            made = function(self, **passed)
        if looks:
            shape = self.shape_count - 1 if made is None else made
            for key, value in looks.items():
                getattr(self, f"shape_{key}")[shape] = value
        return made

    call.__signature__ = _signature(parameters)  # type: ignore[attr-defined]
    return call


@contextlib.contextmanager
def _unconverted(builder: Any, name: str, given: dict[str, Any]) -> Iterator[None]:
    """Refuse a call that asks for conversions and has added what they would convert."""
    counts = {key: builder.count(kind) for key, kind in _KEPT.items() if given.get(key)}
    yield
    for key, before in counts.items():
        found = builder.count(_KEPT[key]) - before
        if found:
            feature = f"{name}({key}={given[key]!r}) of {found} constraints"
            raise NotSupportedError(feature, f"{key}=False works, as does not stating it")


def _signature(parameters: list[_Parameter]) -> inspect.Signature:
    """What tools see of a function: the parameters of 1.x."""
    own = inspect.Parameter
    found = [own("self", own.POSITIONAL_OR_KEYWORD)]
    for p in parameters:
        kind = own.POSITIONAL_OR_KEYWORD if p.positional else own.KEYWORD_ONLY
        found.append(own(p.name, kind, default=_stated(p)))
    return inspect.Signature(found)


def _stated(parameter: _Parameter) -> Any:
    if parameter.required:
        return inspect.Parameter.empty
    return None if parameter.default is _UNKNOWN else parameter.default


def _looks(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The color and the opacity that a call gives a shape."""
    if not name.startswith("ModelBuilder.add_shape") and not name.endswith("add_ground_plane"):
        return {}
    looks = {key: given[key] for key in _LOOKS if given.get(key) is not None}
    check_shape(looks.get("color"), looks.get("opacity"))
    if "color" in looks:
        looks["color"] = tuple(float(v) for v in looks["color"])
    return looks


def _mapped(name: str, own: Any) -> str:
    return LATER_NAMES[name] if name not in own and name in LATER_NAMES else name


def _parameters(text: str) -> list[_Parameter]:
    """The parameters of a signature as text."""
    plain = _MEMBER.sub(r"\1", text)
    parsed: Any = ast.parse(f"def f({plain}): pass").body[0]
    found: list[_Parameter] = []
    positional = [*parsed.args.posonlyargs, *parsed.args.args]
    missing = [None] * (len(positional) - len(parsed.args.defaults))
    for argument, default in zip(positional, [*missing, *parsed.args.defaults], strict=True):
        found.append(_Parameter(argument.arg, True, _value(default), default is None))
    for argument, default in zip(parsed.args.kwonlyargs, parsed.args.kw_defaults, strict=True):
        found.append(_Parameter(argument.arg, False, _value(default), default is None))
    return [p for p in found if p.name != "self"]


def _value(node: Any) -> Any:
    """The value of a default: a literal, or a member of an enumeration."""
    if node is None:
        return _UNKNOWN
    try:
        return ast.literal_eval(node)
    except ValueError:
        text = ast.unparse(node)
    sign, text = (-1, text[1:]) if text.startswith("-") else (1, text)
    found: Any = enums
    for part in text.split("."):
        found = getattr(found, part, _UNKNOWN)
        if found is _UNKNOWN:
            return _UNKNOWN
    return -found if sign < 0 else found
