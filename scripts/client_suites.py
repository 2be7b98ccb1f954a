"""Run the test suites of PyBullet's clients that the package index provides, on both engines.

Each suite runs twice in this environment, once on PyBullet and once under `unibody run`, and its
counts are compared with scripts/client_suites.toml, from which docs/clients.md is made. The exit
status is 1 if fewer tests pass on unibody than are noted there.

    python scripts/client_suites.py            # in an environment made by `make clients`
    python scripts/client_suites.py --write    # and note the counts
    python scripts/client_suites.py --only Fleet --source FOLDER    # one, from there
"""

from __future__ import annotations

import argparse
import datetime
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "scripts" / "client_suites.toml"
TIMEOUT = 3600  # s of one suite
_COUNT = re.compile(r"(\d+) (passed|failed|error)")


@dataclass(frozen=True)
class Suite:
    """A suite of tests.

    Attributes:
        name: As the table calls it.
        package: The distribution it tests, which has to be installed.
        tests: Its tests in this repository, or "" for those of the source distribution.
        repository: Where its tests are instead, if the source distribution lacks some of them.
    """

    name: str
    package: str
    tests: str = ""
    repository: str = ""


SUITES = (
    Suite("panda-gym, all environments but one stepped", "panda-gym", "tests/clients"),
    Suite("pyb_utils, its own tests", "pyb_utils"),
    Suite(
        "PyBulletFleet, its own tests on `pybullet_fleet`",
        "pybullet-fleet",
        repository="https://github.com/yuokamoto/PyBulletFleet",
    ),
)


def source_tests(package: str, folder: Path) -> Path:
    """Download the source distribution of what is installed, and return its tests."""
    version = metadata.version(package)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command = [*pip, "--no-binary", package, f"{package}=={version}", "--dest", str(folder)]
    subprocess.run(command, check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (tests,) = folder.glob("*/tests")
    return tests


def cloned_tests(suite: Suite, folder: Path) -> Path:
    """Clone the repository of a suite at the version that is installed, and return its tests."""
    version = metadata.version(suite.package)
    clone = ["git", "clone", "--quiet", "--depth", "1", "--branch", f"v{version}"]
    subprocess.run([*clone, suite.repository, str(folder / "source")], check=True)
    return folder / "source" / "tests"


def tests_of(suite: Suite, source: Path | None, folder: Path) -> Path:
    """The tests of a suite; what is fetched goes to a folder outside of this repository."""
    if source is not None:
        return source / "tests"
    if suite.tests:
        return ROOT / suite.tests
    return cloned_tests(suite, folder) if suite.repository else source_tests(suite.package, folder)


def counts(tests: Path, *, on_unibody: bool) -> tuple[int, int]:
    """How many tests pass, and how many there are."""
    engine = ["-m", "unibody", "run"] if on_unibody else []
    options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib", "-o", "addopts="]
    options += ["--continue-on-collection-errors", "-p", "scripts.fleet_suite_names"]
    done = subprocess.run(
        [sys.executable, *engine, "-m", "pytest", *options, str(tests)],
        cwd=tests.parent, env={**os.environ, "MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, errors="replace", timeout=TIMEOUT, check=False,
    )  # fmt: skip
    lines = done.stdout.strip().splitlines() or [done.stderr]
    found = {kind: int(number) for number, kind in _COUNT.findall(lines[-1])}
    for line in lines:
        if line.startswith(("FAILED", "ERROR")):
            print(f"    {line}")
    return found.get("passed", 0), sum(found.values())


def write_counts(name: str, version: str, numbers: dict[str, tuple[int, int]]) -> None:
    """Put the counts of a suite into the file of results."""
    text = RESULTS.read_text(encoding="utf-8")
    blocks = text.split("[[suite]]\n")
    for index, block in enumerate(blocks):
        if f'name = "{name}"\n' not in block:
            continue
        for key, value in (
            ("version", f'"{version}"'),
            ("pybullet", f"[{numbers['pybullet'][0]}, {numbers['pybullet'][1]}]"),
            ("unibody", f"[{numbers['unibody'][0]}, {numbers['unibody'][1]}]"),
            ("date", datetime.date.today().isoformat()),
        ):
            block = re.sub(rf"^{key} = .*$", f"{key} = {value}", block, flags=re.MULTILINE)  # noqa: PLW2901
        blocks[index] = block
    RESULTS.write_text("[[suite]]\n".join(blocks), encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    """Run the suites; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="keep the counts in the table")
    parser.add_argument("--only", default="", help="suites with this in their name")
    parser.add_argument("--source", type=Path, help="its source, if it is here already")
    options = parser.parse_args(argv)
    noted = tomllib.loads(RESULTS.read_text(encoding="utf-8"))["suite"]
    before = {row["name"]: row["unibody"][0] for row in noted}
    worse = 0
    for suite in SUITES:
        if options.only not in suite.name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                where = tests_of(suite, options.source, Path(folder)).resolve()
            except subprocess.CalledProcessError as problem:
                print(f"{suite.name}: its tests could not be fetched: {problem}", flush=True)
                worse += 1
                continue
            numbers = {
                "pybullet": counts(where, on_unibody=False),
                "unibody": counts(where, on_unibody=True),
            }
        version = metadata.version(suite.package)
        told = ", ".join(f"{key} {passed} of {total}" for key, (passed, total) in numbers.items())
        print(f"{suite.name} ({suite.package} {version}): {told}", flush=True)
        worse += numbers["unibody"][0] < before[suite.name]
        if options.write:
            write_counts(suite.name, version, numbers)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
