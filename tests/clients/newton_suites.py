"""Runs files of Newton's own test suite against unibody, with stand-ins for names it has privately.

    python tests/clients/newton_suites.py FOLDER test_import_urdf.py ...

FOLDER is ``newton/tests`` of an installed Newton, which is not imported: ``newton`` means unibody,
``newton.tests`` that folder, and ``newton._src`` a module that has the public names under it.
"""

from __future__ import annotations

import collections
import importlib.abc
import importlib.util
import os
import sys
import unittest
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any


class Private(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds ``newton._src`` and all below it: modules that have what is public here."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname == "newton._src" or fullname.startswith("newton._src."):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = ModuleType(spec.name)
        module.__path__ = []  # type: ignore[attr-defined]
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__getattr__ = stand_in  # type: ignore[method-assign]


def stand_in(name: str) -> Any:
    """A private name by what is public here."""
    if name.startswith("__"):
        raise AttributeError(name)
    from unibody import newton
    from unibody.newton import enums, functions
    from unibody.newton.builder import pairs
    from unibody.newton.solvers.mujoco import attributes

    known = {
        "vec5": attributes.VEC5,
        "vec10": attributes.VEC10,
        "parse_urdf": lambda builder, source, **more: builder.add_urdf(source, **more),
        "parse_mjcf": lambda builder, source, **more: builder.add_mjcf(source, **more),
        "test_group_pair": pairs.groups_collide,
        "test_world_and_group_pair": pairs.worlds_and_groups_collide,
    }
    if name in known:
        return known[name]
    for holder in (newton, enums, functions, newton.solvers, newton.selection, newton.viewer):
        found = vars(holder).get(name)
        if found is not None and not isinstance(found, ModuleType):
            return found
    raise AttributeError(f"no stand-in for {name!r}")


def install(folder: Path) -> None:
    """Let ``newton`` mean unibody, ``newton.tests`` a folder."""
    from unibody.cli import aliases

    os.environ.setdefault("UNIBODY_NEWTON_ASSETS", str(folder.parent / "examples" / "assets"))
    for name in ("newton.tests", "newton.tests.unittest_utils"):
        aliases.ALIASES.pop(name)
    aliases.install()
    sys.path.append(str(folder))
    sys.meta_path.insert(0, Private())
    import newton

    place = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location(
        "newton.tests", place, submodule_search_locations=[str(folder)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["newton.tests"] = newton.tests = module
    spec.loader.exec_module(module)


class Result(unittest.TextTestResult):
    """Counts, with the last line of each failure."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.passed = 0

    def addSuccess(self, test: Any) -> None:  # noqa: N802
        super().addSuccess(test)
        self.passed += 1


def run(file: Path) -> None:
    """Run a file and print what came of it."""
    name = f"newton.tests.{file.stem}"
    try:
        module = importlib.import_module(name)
    except Exception as error:
        print(f"{file.name}\timport failed\t{type(error).__name__}: {str(error)[:120]}", flush=True)
        return
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    with open("/dev/null", "w", encoding="utf-8") as silent:
        runner = unittest.TextTestRunner(silent, resultclass=Result, verbosity=0)
        result: Any = runner.run(suite)
    bad = [*result.failures, *result.errors]
    print(
        f"{file.name}\tran {result.testsRun}\tpassed {result.passed}"
        f"\tskipped {len(result.skipped)}\tfailed {len(bad)}",
        flush=True,
    )
    reasons = collections.Counter(text.strip().splitlines()[-1][:150] for _, text in bad)
    for reason, count in reasons.most_common():
        print(f"    {count} x {reason}", flush=True)
    if "-v" in sys.argv:
        for test, text in bad:
            print(f"  -- {test}\n{text[-1200:]}", flush=True)


def main() -> None:
    """Run the files that are named."""
    folder = Path(sys.argv[1])
    install(folder)
    for name in (argument for argument in sys.argv[2:] if not argument.startswith("-")):
        run(folder / name)


if __name__ == "__main__":
    main()
