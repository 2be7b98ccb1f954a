"""Runs the public tests of ``isaacsim.core.api`` and ``isaacsim.core.utils`` against unibody.

    python tests/clients/isaac_suites.py [--source FOLDER] [--least N] [part of a test's name ...]

FOLDER is a checkout of isaac-sim/IsaacSim; without it the suites are cloned. The tests are copied
to a temporary folder, with names of CUDA devices replaced by "cpu". Robots come from the folder
UNIBODY_ISAAC_ASSETS; without it those of `isaac_stand_ins` are made.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import shutil
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from checkouts import checkout
from isaac_stand_ins import make, write_prop

REPOSITORY = "https://github.com/isaac-sim/IsaacSim"
SUITES = ("core_api", "core_utils")
SOURCE = "source/deprecated/isaacsim.{}/python/tests"
CUDA = re.compile(r"\bcuda(:0)?\b(?=[\"'])")


def copied(checkout: Path, folder: Path) -> Iterator[str]:
    """Copy the suites into packages of a folder.

    Yields:
        Names of the modules with tests.
    """
    for suite in SUITES:
        package = folder / f"{suite}_tests"
        package.mkdir()
        source = checkout / SOURCE.format(suite.replace("_", "."))
        files = sorted(source.glob("*.py"))
        if not files:
            raise SystemExit(f"there are no tests in {source}")
        if (source / "data").is_dir():
            shutil.copytree(source / "data", package / "data")
            for file in (package / "data").rglob("*.usd"):
                if file.read_bytes().startswith(b"version https://git-lfs"):
                    file.unlink()
                    write_prop(file, "cereal_box", rigid=True, scale=0.01)
        for file in files:
            text = "" if file.name == "__init__.py" else file.read_text(encoding="utf-8")
            (package / file.name).write_text(CUDA.sub("cpu", text), encoding="utf-8")
            if file.name.startswith("test_"):
                yield f"{package.name}.{file.stem}"


def cases(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    """The tests of a suite, one by one."""
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from cases(one)
        else:
            yield one


def run(module: str, parts: list[str]) -> tuple[int, int]:
    """Run the tests of a module.

    Returns:
        How many passed, of how many.
    """
    try:
        found = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(module))
    except Exception as error:
        print(f"{module}: not imported: {type(error).__name__}: {error}")
        return 0, 1
    chosen = [one for one in cases(found) if not parts or any(part in one.id() for part in parts)]
    result = unittest.TextTestRunner(stream=io.StringIO()).run(unittest.TestSuite(chosen))
    for case, trace in result.errors + result.failures:
        print(f"  {case.id()}: {trace.strip().splitlines()[-1][:200]}")
    wrong = {getattr(case, "test_case", case).id() for case, _ in result.errors + result.failures}
    failed = len(wrong)  # parts of one test count once
    print(f"{module}: {result.testsRun - failed} of {result.testsRun}", flush=True)
    return result.testsRun - failed, result.testsRun


def main() -> None:
    """Run what the command line says."""
    from unibody.cli import aliases

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, help="a checkout of isaac-sim/IsaacSim")
    parser.add_argument("--least", type=int, default=0, help="fail if fewer tests pass")
    parser.add_argument("parts", nargs="*", help="parts of the names of tests")
    options = parser.parse_args()
    aliases.install()
    from isaacsim import SimulationApp  # type: ignore[import-not-found]

    SimulationApp({"headless": True})
    folders = [SOURCE.format(suite.replace("_", ".")) for suite in SUITES]
    with (
        tempfile.TemporaryDirectory() as place,
        checkout(REPOSITORY, folders, options.source) as source,
    ):
        folder = Path(place)
        if "UNIBODY_ISAAC_ASSETS" not in os.environ:
            make(folder / "assets")
            os.environ["UNIBODY_ISAAC_ASSETS"] = str(folder / "assets")
        sys.path.insert(0, place)
        modules = list(copied(source, folder))
        for suite in SUITES:  # some tests import what others share by its name of the original
            name, copy = f"isaacsim.{suite.replace('_', '.')}.tests", f"{suite}_tests"
            sys.modules[name] = importlib.import_module(copy)
            if (folder / copy / "common.py").exists():
                sys.modules[f"{name}.common"] = importlib.import_module(f"{copy}.common")
        counts = [run(module, options.parts) for module in modules]
    passed, total = (sum(column) for column in zip(*counts, strict=True))
    print(f"{passed} of {total} pass")
    sys.exit(passed < options.least)


if __name__ == "__main__":
    main()
