"""What the package isaacgym-stubs says about Isaac Gym: its names, signatures and defaults."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.metadata import distribution
from typing import NamedTuple

REQUIRED = object()
UNKNOWN = object()


class Signature(NamedTuple):
    """Parameters of a method, without ``self``.

    Attributes:
        names: In order.
        defaults: By name: ``REQUIRED``, ``UNKNOWN`` (there is one that the stubs cannot say), or
            the text of the default.
    """

    names: list[str]
    defaults: dict[str, object]


@cache
def tree() -> ast.Module:
    file = distribution("isaacgym-stubs").locate_file("isaacgym-stubs/gymapi.pyi")
    text = open(str(file), encoding="utf-8").read()  # noqa: SIM115
    # Two classes have an attribute with the name of a keyword.
    return ast.parse(re.sub(r"def lambda\(", "def lambda_(", text))


@cache
def classes() -> dict[str, ast.ClassDef]:
    return {node.name: node for node in tree().body if isinstance(node, ast.ClassDef)}


@cache
def functions() -> set[str]:
    return {node.name for node in tree().body if isinstance(node, ast.FunctionDef)}


@cache
def constants() -> dict[str, int | None]:
    """Return the module's constants, with their values where the stubs give one."""
    return {
        node.target.id: node.value.value if isinstance(node.value, ast.Constant) else None
        for node in tree().body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }


@cache
def members(kind: str) -> frozenset[str]:
    """Return the public members of a class, its constructor and comparisons left out."""
    names: set[str] = set()
    for node in classes()[kind].body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.FunctionDef):
            names.add("lambda" if node.name == "lambda_" else node.name)
    operators = {f"__{name}__" for name in ("add", "sub", "mul", "neg", "truediv")}
    if "__members__" not in names:
        operators |= {"__getstate__", "__setstate__"}
    return frozenset(name for name in names if not name.startswith("__") or name in operators)


def is_enum(kind: str) -> bool:
    return any(
        isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "__members__"
        for node in classes()[kind].body
    )


@cache
def gym_methods() -> dict[str, list[ast.FunctionDef]]:
    """Return the definitions of every method of ``Gym``; several where it is overloaded."""
    found: dict[str, list[ast.FunctionDef]] = {}
    for node in classes()["Gym"].body:
        if isinstance(node, ast.FunctionDef) and node.name != "__init__":
            found.setdefault(node.name, []).append(node)
    return found


def signatures(name: str) -> list[Signature]:
    """Return the signatures of a method of ``Gym``, from its docstring where that has them."""
    return [_from_docstring(node) or _from_definition(node) for node in gym_methods()[name]]


def _from_docstring(node: ast.FunctionDef) -> Signature | None:
    # In the first line, but for overloaded functions.
    lines = ast.get_docstring(node) or ""
    match = re.search(rf"^{node.name}\(self: Gym(?:, )?(.*)\) -> ", lines, re.MULTILINE)
    if match is None:
        return None
    # Types such as numpy.ndarray[uint32] and defaults such as <SimParams object at 0x7f> are no
    # part of a parameter's name.
    text = re.sub(r"<[^>]*>", "UNKNOWN", match[1])
    text = re.sub(r"\[\w+(::\w+)+\]", "", text)
    arguments = ast.parse(f"def f({text}): ...").body[0]
    assert isinstance(arguments, ast.FunctionDef)
    return _from_definition(arguments)


def _from_definition(node: ast.FunctionDef) -> Signature:
    arguments = [argument.arg for argument in node.args.args if argument.arg != "self"]
    defaults: dict[str, object] = dict.fromkeys(arguments, REQUIRED)
    given = node.args.defaults
    for argument, default in zip(arguments[len(arguments) - len(given) :], given, strict=True):
        text = ast.unparse(default)
        defaults[argument] = UNKNOWN if text in ("...", "UNKNOWN") else text
    return Signature(arguments, defaults)
