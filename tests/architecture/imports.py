"""The import arrows of the package, read from the source without importing it."""

from __future__ import annotations

import ast
import functools
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "unibody"
SURFACES = ("bullet", "fleet", "isaacgym", "isaac_core", "newton")
_ABOVE_CORE = (*SURFACES, "viewer", "datasets", "envs", "serve", "scale", "cli")


class Arrow(NamedTuple):
    """One import of one module of the package by another.

    Attributes:
        source: Importing module, without the leading `unibody.`.
        target: Imported module, likewise; "" is the package itself.
        lazy: True if the import runs inside a function.
        typing_only: True if it stands under `if TYPE_CHECKING:`.
        line: Line number in the importing file.
    """

    source: str
    target: str
    lazy: bool
    typing_only: bool
    line: int

    def __str__(self) -> str:
        return f"unibody.{self.source}:{self.line} -> unibody.{self.target}"


def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """All modules of the package by dotted name, without the leading `unibody.`."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(p for p in parts if p != "__init__")] = path
    return found


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The statements of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@functools.cache
def arrows(package: Path = PACKAGE) -> tuple[Arrow, ...]:
    """All imports between modules of the package."""
    known = modules(package)
    found: list[Arrow] = []
    for name, path in known.items():
        is_package = path.name == "__init__.py"
        found.extend(_arrows_of(tree_of(path), path, name, is_package, set(known)))
    return tuple(found)


def _arrows_of(
    tree: ast.AST, path: Path, name: str, is_package: bool, known: set[str]
) -> list[Arrow]:
    found: list[Arrow] = []
    calls = "import_module" in path.read_text(encoding="utf-8")  # else expressions import nothing

    def visit(node: ast.AST, lazy: bool, typing_only: bool) -> None:
        for target in _targets(node, name, is_package, known):
            found.append(Arrow(name, target, lazy, typing_only, getattr(node, "lineno", 0)))
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for child in node.body:
                visit(child, lazy, True)
            for child in node.orelse:
                visit(child, lazy, typing_only)
            return
        inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            if calls or not isinstance(child, ast.expr):
                visit(child, inside, typing_only)

    visit(tree, False, False)
    return found


def _targets(node: ast.AST, name: str, is_package: bool, known: set[str]) -> list[str]:
    if isinstance(node, ast.Import):
        full = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = ["unibody", *name.split(".")] if name else ["unibody"]
            keep = len(parts) - node.level + (1 if is_package else 0)
            base = ".".join([*parts[:keep], *([base] if base else [])])
        children = [f"{base}.{alias.name}" for alias in node.names]
        full = [c if c.removeprefix("unibody.") in known else base for c in children]
    elif isinstance(node, ast.Call) and _called(node) == "import_module":
        literal = [a.value for a in node.args[:1] if isinstance(a, ast.Constant)]
        full = [value for value in literal if isinstance(value, str)]
    else:
        return []
    ours = [f for f in dict.fromkeys(full) if f == "unibody" or f.startswith("unibody.")]
    return [f.removeprefix("unibody").removeprefix(".") for f in ours]


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def room(module: str) -> str:
    """The room a module is in: "bullet", "core.assets", "cli", or "" for the front door."""
    first, _, rest = module.partition(".")
    if first == "core" and rest:
        return f"core.{rest.partition('.')[0]}"
    return first


_COMMON = ("", "command_parser", "errors", "extras", "notices", "mechanisms", "machine_code")
_ALLOWED: dict[str, tuple[str, ...]] = {
    "": (),
    "command_parser": (),
    "errors": (),
    "extras": (),
    "notices": (),
    "mechanisms": (),
    "machine_code": (),
    "sample_assets": (),
    "core": ("core.assets", "core.deform", "core.engine", "core.batch", "core.render"),
    "core.assets": (),
    "core.deform": ("core.assets",),
    "core.engine": ("core.assets", "core.deform"),
    "core.batch": ("core.assets", "core.engine"),
    "core.render": ("core.assets", "core.engine"),
    "viewer": ("core",),
    "datasets": ("core", "viewer"),
    **dict.fromkeys(SURFACES, ("core", "sample_assets", "viewer")),
    "envs": ("core", *SURFACES),
    "serve": ("core", *SURFACES),
    "scale": ("core", *SURFACES, "datasets", "envs"),
    "cli": ("core", *SURFACES, "datasets", "envs", "serve", "scale", "viewer", "sample_assets"),
    "__main__": ("cli",),
}
"""Rooms each room may import from; everybody may import those of `_COMMON`."""


def inside(area: str, found: list[Arrow]) -> dict[str, set[str]]:
    """Who imports whom in an area such as "bullet", lazy and typing-only imports counted.

    The area's own front door is a module like any other; that modules lie in a package is no arrow
    to its ``__init__``.
    """
    graph: dict[str, set[str]] = {}
    for arrow in found:
        source, target = arrow.source, arrow.target
        if all(name == area or name.startswith(f"{area}.") for name in (source, target)):
            graph.setdefault(source, set()).add(target)
            graph.setdefault(target, set())
    return {name: targets - {name} for name, targets in graph.items()}


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Modules that reach one another, each group once and sorted."""
    reached: dict[str, set[str]] = {}
    for name in graph:
        seen: set[str] = set()
        ahead = [name]
        while ahead:
            fresh = graph[ahead.pop()] - seen
            seen |= fresh
            ahead += fresh
        reached[name] = seen
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in graph
        if name in reached[name]
    }
    return [list(group) for group in sorted(groups)]


def fault(arrow: Arrow) -> str | None:
    """Why an arrow is not allowed, or None if it is."""
    source, target = room(arrow.source), room(arrow.target)
    if _window(arrow.target) and not _window(arrow.source) and _eager(arrow):
        return f"{arrow}: a surface imports its window package inside a function only"
    if source == target or target in _COMMON:
        return None
    if source not in _ALLOWED:
        return f"{arrow}: room {source!r} is not in the design"
    allowed = _ALLOWED[source]
    whole = target.partition(".")[0]
    if target not in allowed and (source.startswith("core") or whole not in allowed):
        return f"{arrow}: {source or 'the front door'} may not import {target}"
    if target == "viewer" and source in SURFACES and not _window(arrow.source) and _eager(arrow):
        return f"{arrow}: a surface imports the viewer inside a function or in its window package"
    return None


def _eager(arrow: Arrow) -> bool:
    """True if the import runs when the module is loaded."""
    return not (arrow.lazy or arrow.typing_only)


def _window(module: str) -> bool:
    """True for the modules of a surface's ``window`` package, the viewer's only steady users."""
    return module.split(".")[1:2] == ["window"]
