"""Runs Newton's own test suites against unibody, with stand-ins for names it has privately.

    python tests/clients/newton_suites.py FOLDER test_import_urdf.py ...
    python tests/clients/newton_suites.py FOLDER --core 1.8.0 [--check] [--jobs 2]

FOLDER is ``newton/tests`` of an installed Newton, which is not imported: ``newton`` means unibody,
``newton.tests`` that folder, and ``newton._src`` a module that has the public names under it. With
``--core`` the files that ``newton_suites.toml`` lists for that version run, each in a process of
its own, and the share of the tests that reach no private name is compared with that noted there.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import importlib.abc
import importlib.util
import json
import os
import subprocess
import sys
import tomllib
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

HERE = Path(__file__).parent
if str(HERE) not in sys.path:
    sys.path.append(str(HERE))

import newton_private  # noqa: E402

LIMIT = 900
"""Seconds that a file may take."""
DOWNLOAD = "NotSupportedError: downloading "
"""Begins the error of a test whose files are downloaded, and are not on this machine. The original
fails there, too: such tests are counted by themselves."""


class Outcome(NamedTuple):
    """A test and its end."""

    test: str
    end: str  # passed | skipped | failed | absent
    private: bool
    reason: str
    trace: str


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


class NoStandIn:
    """A private name without a public one: tests that use it fail, the others of its file run."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise AttributeError(f"no stand-in for {self.name!r}")

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no stand-in for {self.name!r}")


def stand_in(name: str) -> Any:
    """A private name by what is public here."""
    if name.startswith("__"):
        raise AttributeError(name)
    import warp as wp

    from unibody import newton
    from unibody.newton import enums, functions, labels, terrains
    from unibody.newton.builder import pairs
    from unibody.newton.solvers.mujoco import attributes

    known = {
        **{f"_{name}_terrain": make for name, make in terrains._KINDS.items()},
        "is_graph_capture_allocation_enabled": lambda device: True,
        "match_labels": labels.match_labels,
        "vec5": attributes.VEC5,
        "vec10": attributes.VEC10,
        "vec9": wp.types.vector(9, float),
        "mat43": wp.types.matrix((4, 3), float),
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
    return NoStandIn(name)


def install(folder: Path, dialect: str) -> None:
    """Let ``newton`` mean unibody, ``newton.tests`` a folder."""
    from unibody.cli import aliases, newton_api

    examples = folder.parent / "examples"
    assets = [str(examples / "assets"), os.environ.get("UNIBODY_NEWTON_ASSETS", "")]
    os.environ["UNIBODY_NEWTON_ASSETS"] = os.pathsep.join(filter(None, assets))
    os.environ["UNIBODY_NEWTON_EXAMPLES"] = str(examples)  # tests run them with `python -m`
    os.environ[newton_api.VARIABLE] = dialect
    for name in ("newton.tests", "newton.tests.unittest_utils"):
        aliases.ALIASES.pop(name)
    aliases.install()
    aliases.install_in_children()
    sys.path.append(str(folder))
    sys.meta_path.insert(0, Private())
    newton: Any = importlib.import_module("newton")
    from unibody.newton import later_api

    later_api.use(dialect)
    with contextlib.suppress(ImportError):
        importlib.import_module("newton_usd_schemas")  # the original imports it at once

    place = folder / "__init__.py"
    spec = importlib.util.spec_from_file_location(
        "newton.tests", place, submodule_search_locations=[str(folder)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["newton.tests"] = newton.tests = module
    spec.loader.exec_module(module)


class Result(unittest.TextTestResult):
    """Keeps the end of each test."""

    _exc_info_to_string: Callable[[Any, Any], str]  # of unittest, whose types leave it out

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ends: dict[Any, tuple[str, str]] = {}

    def addSuccess(self, test: Any) -> None:  # noqa: N802
        super().addSuccess(test)
        self.ends.setdefault(test, ("passed", ""))

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        super().addSkip(test, reason)
        self.ends[test] = ("skipped", reason)

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        super().addFailure(test, err)
        self.ends[test] = ("failed", self.failures[-1][1])

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802
        super().addError(test, err)
        self.ends[test] = ("failed", self.errors[-1][1])

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.ends[test] = ("failed", self._exc_info_to_string(err, subtest))


def outcomes(file: Path, only: str = "") -> list[Outcome]:
    """Run a file.

    Args:
        file: The file.
        only: Part of the names of the tests that run.
    """
    try:
        module = importlib.import_module(f"newton.tests.{file.stem}")
    except Exception as error:
        reason = f"import failed: {type(error).__name__}: {str(error)[:120]}"
        return [Outcome(file.stem, "failed", False, reason, "")]
    newton_private.leave_out(module, NoStandIn)
    loader = unittest.TestLoader()
    if only:
        loader.testNamePatterns = [f"*{only}*"]
    suite = loader.loadTestsFromModule(module)
    with open(os.devnull, "w", encoding="utf-8") as silent:
        runner = unittest.TextTestRunner(silent, resultclass=Result, verbosity=0)
        result: Any = runner.run(suite)
    reaches = newton_private.Reached(module)
    found: list[Outcome] = []
    for test, (end, text) in result.ends.items():
        method = getattr(test, "_testMethodName", None)
        private = method is not None and reaches.private(type(test), method)
        came = "absent" if end == "failed" and DOWNLOAD in text else end
        lines = text.strip().splitlines()
        found.append(Outcome(str(test), came, private, lines[-1][:200] if lines else "", text))
    return found


def show(file: str, found: list[Outcome], verbose: bool) -> None:
    """Print what came of a file."""
    ends = collections.Counter(outcome.end for outcome in found)
    print(
        f"{file}\tran {len(found)}\tpassed {ends['passed']}"
        f"\tskipped {ends['skipped']}\twithout files {ends['absent']}\tfailed {ends['failed']}",
        flush=True,
    )
    bad = [outcome for outcome in found if outcome.end == "failed"]
    for reason, count in collections.Counter(outcome.reason[:150] for outcome in bad).most_common():
        print(f"    {count} x {reason}", flush=True)
    for outcome in bad if verbose else ():
        title = f"{outcome.test}{' (private)' if outcome.private else ''}"
        print(f"  -- {title}\n{outcome.trace[-1500:]}", flush=True)


def in_a_process(folder: Path, file: str, dialect: str) -> list[Outcome]:
    """The outcomes of a file that runs in a process of its own."""
    command = [sys.executable, __file__, str(folder), file, "--dialect", dialect, "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return [Outcome(file, "failed", False, f"took more than {LIMIT} s", "")]
    lines = [line for line in done.stdout.splitlines() if line.startswith("outcomes ")]
    if not lines:
        return [Outcome(file, "failed", False, f"ended with {done.returncode}", done.stderr)]
    return [Outcome(*row) for row in json.loads(lines[-1].partition(" ")[2])]


def core(folder: Path, version: str, jobs: int, check: bool, verbose: bool) -> int:
    """Run the core files of a version.

    Returns:
        What the process ends with: 1 where the share is below what is noted.
    """
    listed = tomllib.loads((HERE / "newton_suites.toml").read_text(encoding="utf-8"))[version]
    counts: collections.Counter[tuple[bool, str]] = collections.Counter()

    def one(file: str) -> tuple[str, list[Outcome]]:
        return file, in_a_process(folder, file, listed["dialect"])

    with ThreadPoolExecutor(jobs) as pool:
        for file, found in pool.map(one, listed["core"]):
            show(file, found, verbose)
            counts.update((outcome.private, outcome.end) for outcome in found)
    shares: dict[bool, float] = {}
    for private, title in ((False, "reach no private name"), (True, "reach a private name")):
        passed, failed = counts[private, "passed"], counts[private, "failed"]
        shares[private] = passed / max(passed + failed, 1)
        print(
            f"newton {version}, core tests that {title}: {passed} of {passed + failed} passed"
            f" ({shares[private]:.1%}), {counts[private, 'skipped']} skipped,"
            f" {counts[private, 'absent']} lack files that are downloaded"
        )
    print(f"newton {version}: the goal is {listed['goal']:.0%}, noted are {listed['noted']:.0%}")
    return int(check and shares[False] < listed["noted"])


def main() -> int:
    """Run the files that are named, or the core files of a version."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--core", default="", help="the version whose core files run")
    parser.add_argument("--check", action="store_true", help="end with 1 below what is noted")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dialect", default="0.2", help="0.2 or 1")
    parser.add_argument("--only", default="", help="part of the names of tests")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("-v", action="store_true", help="with tracebacks")
    options = parser.parse_args()
    if options.core:
        return core(options.folder, options.core, options.jobs, options.check, options.v)
    install(options.folder, options.dialect)
    for name in options.files:
        found = outcomes(options.folder / name, options.only)
        if options.json:
            print(f"\noutcomes {json.dumps(found)}", flush=True)
        else:
            show(name, found, options.v)
    return 0


if __name__ == "__main__":
    sys.exit(main())
