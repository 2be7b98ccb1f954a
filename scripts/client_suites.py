"""Run the test suites of PyBullet's clients that the package index provides, on both engines.

Each suite runs twice in this environment, once on PyBullet and once under `unibody run`, and its
counts are compared with scripts/client_suites.toml, from which docs/clients.md is made. The exit
status is 1 if fewer tests pass on unibody than are noted there.

    python scripts/client_suites.py            # in an environment made by `make clients`
    python scripts/client_suites.py --write    # and note the counts
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
TIMEOUT = 900  # s of one suite
_COUNT = re.compile(r"(\d+) (passed|failed|error)")


@dataclass(frozen=True)
class Suite:
    """A suite of tests.

    Attributes:
        name: As the table calls it.
        package: The distribution it tests, which has to be installed.
        tests: Its tests in this repository, or "" for those of the source distribution.
    """

    name: str
    package: str
    tests: str = ""


SUITES = (
    Suite("panda-gym, all environments but one stepped", "panda-gym", "tests/clients"),
    Suite("pyb_utils, its own tests", "pyb_utils"),
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


def counts(tests: Path, *, on_unibody: bool) -> tuple[int, int]:
    """How many tests pass, and how many there are."""
    engine = ["-m", "unibody", "run"] if on_unibody else []
    options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
    done = subprocess.run(
        [sys.executable, *engine, "-m", "pytest", *options, str(tests)],
        cwd=tests.parent, env={**os.environ, "MPLBACKEND": "Agg"}, capture_output=True, text=True,
        errors="replace", timeout=TIMEOUT, check=False,
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
    options = parser.parse_args(argv)
    noted = tomllib.loads(RESULTS.read_text(encoding="utf-8"))["suite"]
    before = {row["name"]: row["unibody"][0] for row in noted}
    worse = 0
    for suite in SUITES:
        with tempfile.TemporaryDirectory() as folder:
            where = ROOT / suite.tests if suite.tests else source_tests(suite.package, Path(folder))
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
