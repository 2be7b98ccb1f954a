"""The rooms of the engine and the arrows between them, lazy and typing-only imports included."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.architecture.imports import PACKAGE, arrows, modules

ENGINE = PACKAGE / "core" / "engine"
MAX_CORE_LINES = 500


def _room(module: str) -> str:
    """``core.engine.rules`` of ``core.engine.rules.drives``."""
    return ".".join(module.split(".")[:3])


def _inside(module: str) -> bool:
    return module.startswith("core.engine.")


def circle(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """The nodes along a circle of arrows, or none; who points at itself is in none."""
    graph: dict[str, set[str]] = {}
    for source, target in pairs:
        if source != target:
            graph.setdefault(source, set()).add(target)
    done: set[str] = set()
    path: list[str] = []

    def walk(node: str) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        path.append(node)
        for target in sorted(graph.get(node, ())):
            if found := walk(target):
                return found
        path.pop()
        done.add(node)
        return []

    for node in sorted(graph):
        if found := walk(node):
            return found
    return []


@pytest.mark.parametrize(
    ("pairs", "found"),
    [
        ([("a", "b"), ("b", "c"), ("a", "c")], []),
        ([("a", "a")], []),
        ([("a", "b"), ("b", "a")], ["a", "b", "a"]),
        ([("a", "b"), ("b", "c"), ("c", "b")], ["b", "c", "b"]),
    ],
)
def test_a_circle_is_found_where_there_is_one(
    pairs: list[tuple[str, str]], found: list[str]
) -> None:
    assert circle(pairs) == found


def test_no_file_of_the_engine_lies_beside_its_rooms_but_the_front_door() -> None:
    assert [path.name for path in ENGINE.glob("*.py")] == ["__init__.py"]


def test_rooms_of_the_engine_import_one_another_in_one_direction_only() -> None:
    pairs = [
        (_room(arrow.source), _room(arrow.target))
        for arrow in arrows()
        if _inside(arrow.source) and _inside(arrow.target)
    ]
    assert len(set(pairs)) > len({source for source, _ in pairs})
    assert circle(pairs) == []


def test_rooms_of_assets_import_one_another_in_one_direction_only() -> None:
    pairs = {
        (_room(arrow.source), _room(arrow.target))
        for arrow in arrows()
        if arrow.source.startswith("core.assets.") and arrow.target.startswith("core.assets.")
    }
    assert ("core.assets.sdf", "core.assets.urdf") in pairs
    assert circle(pairs) == []


def test_a_room_of_the_engine_imports_only_rooms_that_the_front_door_names_before_it() -> None:
    text = (ENGINE / "__init__.py").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("- ``")]
    level = {name: n for n, line in enumerate(lines) for name in line.split("``: ")[0].split("``")}
    rooms = {path.name for path in ENGINE.iterdir() if (path / "__init__.py").exists()}
    assert rooms <= set(level)
    for arrow in arrows():
        if _inside(arrow.source) and _inside(arrow.target):
            source, target = (m.split(".")[2] for m in (arrow.source, arrow.target))
            assert source == target or level[target] < level[source], str(arrow)


def test_no_file_of_core_is_in_a_circle_of_imports() -> None:
    packages = {name for name, path in modules().items() if path.name == "__init__.py"}
    pairs = [
        (arrow.source, arrow.target)
        for arrow in arrows()
        if arrow.source.startswith("core") and arrow.target not in packages
    ]
    assert pairs
    assert circle(pairs) == []


def test_no_file_of_core_is_longer_than_500_lines() -> None:
    lengths = {
        str(path.relative_to(PACKAGE)): path.read_text(encoding="utf-8").count("\n")
        for path in (PACKAGE / "core").rglob("*.py")
    }
    assert {name: n for name, n in lengths.items() if n > MAX_CORE_LINES} == {}


def _imports_mujoco(path: Path) -> bool:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            names = [a.value for a in node.args[:1] if isinstance(a, ast.Constant)]
        if any(str(name).split(".")[0] in {"mujoco", "mujoco_warp"} for name in names):
            return True
    return False


def test_core_alone_imports_mujoco() -> None:
    core = PACKAGE / "core"
    found = {path for path in PACKAGE.rglob("*.py") if _imports_mujoco(path)}
    assert any(core in path.parents for path in found)
    assert {path for path in found if core not in path.parents} == set()
