"""Runs the public tests of ``isaacsim.core.api`` and ``isaacsim.core.utils`` against unibody.

    python tests/clients/isaac_suites.py [--source FOLDER] [--experimental] [--suite NAME ...]
        [--least N] [part of a test's name ...]

``--experimental`` runs those of ``isaacsim.core.experimental`` and what is built on it instead.

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
from isaac_sensor_stand_ins import make as make_for_sensors
from isaac_stand_ins import make, write_prop

REPOSITORY = "https://github.com/isaac-sim/IsaacSim"
SUITES = {
    f"isaacsim.core.{name}": f"source/deprecated/isaacsim.core.{name}/python/tests"
    for name in ("api", "utils")
}
_NEW = (
    "isaacsim.core.experimental.prims", "isaacsim.core.experimental.utils",
    "isaacsim.core.experimental.objects", "isaacsim.core.experimental.materials",
    "isaacsim.core.experimental.actuators", "isaacsim.sensors.experimental.physics",
    "isaacsim.sensors.experimental.rtx",
    "isaacsim.robot_motion.experimental.motion_generation",
)  # fmt: skip
_BESIDE = (
    "isaacsim.robot.experimental.wheeled_robots",
    "isaacsim.robot.experimental.manipulators.examples",
)
EXPERIMENTAL = {
    **{name: f"source/extensions/{name}/python/tests" for name in _NEW},
    **{name: f"source/extensions/{name}/{name.replace('.', '/')}/tests" for name in _BESIDE},
}
"""Extensions, and the folders of their tests."""
DOCSTRINGS = "test_docstrings.py"  # runs the examples of the original's own docstrings
CUDA = re.compile(r"\bcuda(:0)?\b(?=[\"'])")


def copied(checkout: Path, folder: Path, suites: dict[str, str]) -> Iterator[str]:
    """Copy the suites into packages of a folder.

    Yields:
        Names of the modules with tests.
    """
    for suite, place in suites.items():
        package = folder / package_of(suite)
        package.mkdir()
        source = checkout / place
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
            if file.name.startswith("test_") and file.name != DOCSTRINGS:
                yield f"{package.name}.{file.stem}"


def package_of(suite: str) -> str:
    """Name of the package that the tests of an extension are copied to."""
    return f"{suite.replace('.', '_')}_tests"


def shared(folder: Path, suites: dict[str, str]) -> None:
    """Give what tests of several suites share its name of the original."""
    for suite in suites:
        name, copy = f"{suite}.tests", package_of(suite)
        sys.modules[name] = importlib.import_module(copy)
        if (folder / copy / "common.py").exists():
            sys.modules[f"{name}.common"] = importlib.import_module(f"{copy}.common")


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
    suite = unittest.TestSuite(chosen)
    chosen.clear()  # what a test that has ended holds of a stage is let go of
    found = None
    result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
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
    parser.add_argument("--experimental", action="store_true", help="those of Isaac Sim 6")
    parser.add_argument("--suite", action="append", help="an extension; again for several")
    parser.add_argument("--least", type=int, default=0, help="fail if fewer tests pass")
    parser.add_argument("parts", nargs="*", help="parts of the names of tests")
    options = parser.parse_args()
    aliases.install()
    from isaacsim import SimulationApp  # type: ignore[import-not-found]

    SimulationApp({"headless": True})
    suites = EXPERIMENTAL if options.experimental else SUITES
    chosen = [name for name in suites if not options.suite or name in options.suite]
    with (
        tempfile.TemporaryDirectory() as place,
        checkout(REPOSITORY, list(suites.values()), options.source) as source,
    ):
        folder = Path(place)
        if "UNIBODY_ISAAC_ASSETS" not in os.environ:
            make(folder / "assets")
            make_for_sensors(folder / "assets")
            os.environ["UNIBODY_ISAAC_ASSETS"] = str(folder / "assets")
        sys.path.insert(0, place)
        modules = list(copied(source, folder, suites))
        shared(folder, suites)
        wanted = tuple(f"{package_of(name)}." for name in chosen)
        counts = [run(one, options.parts) for one in modules if one.startswith(wanted)]
    passed, total = (sum(column) for column in zip(*counts, strict=True))
    print(f"{passed} of {total} pass")
    sys.exit(passed < options.least)


if __name__ == "__main__":
    main()
