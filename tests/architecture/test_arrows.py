"""The rooms of the package and the arrows between them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.imports import (
    PACKAGE,
    SURFACES,
    Arrow,
    arrows,
    circles,
    fault,
    inside,
    modules,
)

_IN_ROOMS = ("bullet", "fleet", "isaacgym", "isaac_core", "core.batch")  # without circles


def test_every_import_follows_an_allowed_arrow() -> None:
    found = arrows()
    assert found, "no import found: the walk is broken"
    assert [why for arrow in found if (why := fault(arrow))] == []


def test_no_import_cycle_at_module_level() -> None:
    graph: dict[str, set[str]] = {name: set() for name in modules()}
    for arrow in arrows():
        if not arrow.lazy and not arrow.typing_only and arrow.target in graph:
            graph[arrow.source].add(arrow.target)
    for name, targets in graph.items():  # a package's own front door is not an arrow
        targets -= {t for t in targets if not t or name.startswith(f"{t}.")}
    done: set[str] = set()

    def walk(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join([*path, name])
        if name not in done:
            for target in sorted(graph[name]):
                walk(target, (*path, name))
            done.add(name)

    for name in graph:
        walk(name, ())


@pytest.mark.parametrize("area", _IN_ROOMS)
def test_no_files_of_a_surface_import_one_another_in_a_circle(area: str) -> None:
    graph = inside(area, arrows())
    assert len(graph) > 10, "hardly an import found: the walk is broken"
    assert circles(graph) == []


@pytest.mark.parametrize("area", _IN_ROOMS)
def test_no_rooms_of_a_surface_import_one_another_in_a_circle(area: str) -> None:
    depth = area.count(".") + 2
    rooms: dict[str, set[str]] = {}
    for source, targets in inside(area, arrows()).items():
        home = ".".join(source.split(".")[:depth])
        towards = {".".join(target.split(".")[:depth]) for target in targets}
        rooms.setdefault(home, set()).update(towards - {home})
    assert circles(rooms) == []


def test_circles_are_found_through_lazy_and_typing_imports() -> None:
    found = [
        Arrow("bullet.a", "bullet.b", False, False, 1),
        Arrow("bullet.b", "bullet.c", True, False, 1),
        Arrow("bullet.c", "bullet.a", False, True, 1),
        Arrow("bullet.c", "bullet.d", False, False, 1),
        Arrow("bullet.a", "fleet.a", False, False, 1),
    ]
    assert circles(inside("bullet", found)) == [["bullet.a", "bullet.b", "bullet.c"]]


@pytest.mark.parametrize(
    ("source", "target", "lazy", "allowed"),
    [
        ("core.engine.scene.scene", "core.assets.urdf", False, True),
        ("core.assets.urdf", "core.engine.scene.scene", False, False),
        ("core.assets.urdf", "core.engine.scene.scene", True, False),
        ("core.render.camera", "core.engine.world.world", False, True),
        ("core.engine.world.world", "core.render.camera", False, False),
        ("core.batch.group", "core.engine.worlds", False, True),
        ("core.batch.group", "isaacgym.types.enums", True, False),
        ("core.engine.worlds", "core.batch.group", True, False),
        ("core.engine.world.world", "bullet.api", True, False),
        ("bullet.api", "core.engine.scene.scene", False, True),
        ("bullet.api", "isaacgym.api", True, False),
        ("fleet.api", "bullet.api", False, False),
        ("bullet.api", "viewer.server", False, False),
        ("bullet.api", "viewer.server", True, True),
        ("bullet.window.page", "viewer.server", False, True),
        ("bullet.api", "bullet.window.page", False, False),
        ("bullet.api", "bullet.window.page", True, True),
        ("bullet.window.page", "bullet.client", False, True),
        ("bullet.api", "cli.run", True, False),
        ("cli.run", "bullet.api", False, True),
        ("core.assets.urdf", "errors", False, True),
        ("helpers.misc", "core.engine", False, False),
    ],
)
def test_the_rule_judges_an_arrow(source: str, target: str, lazy: bool, allowed: bool) -> None:
    assert (fault(Arrow(source, target, lazy, False, 1)) is None) is allowed


def test_the_walk_sees_relative_lazy_and_typing_imports(tmp_path: Path) -> None:
    (tmp_path / "bullet").mkdir()
    (tmp_path / "bullet" / "__init__.py").write_text("from . import api\n")
    (tmp_path / "bullet" / "api.py").write_text(
        "from typing import TYPE_CHECKING\n"
        "from ..core import engine\n"
        "if TYPE_CHECKING:\n    import unibody.viewer\n"
        "def f():\n    from unibody.fleet.api import x\n"
    )
    (tmp_path / "fleet").mkdir()
    (tmp_path / "fleet" / "api.py").write_text("x = 1\n")
    seen = {(a.source, a.target, a.lazy, a.typing_only) for a in arrows(tmp_path)}
    assert seen == {
        ("bullet", "bullet.api", False, False),
        ("bullet.api", "core", False, False),
        ("bullet.api", "viewer", False, True),
        ("bullet.api", "fleet.api", True, False),
    }


@pytest.mark.parametrize("surface", SURFACES)
def test_sibling_surfaces_share_file_names(surface: str) -> None:
    folder = PACKAGE / surface
    if not (folder / "__init__.py").exists():
        pytest.skip(f"{surface} is not part of the package yet")
    for name in ("api", "convert", "handles"):
        assert (folder / f"{name}.py").exists() or (folder / name).is_dir(), name
