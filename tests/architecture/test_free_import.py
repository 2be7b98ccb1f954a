"""Importing the package costs nothing."""

from __future__ import annotations

import json
import re

import pytest

import unibody
from tests.architecture.imports import PACKAGE
from tests.support.process import run_python

HEAVY = ("torch", "mujoco", "warp", "numba", "numpy", "trimesh", "lxml", "collada", "viser", "ray")


def _loaded_by(statement: str) -> set[str]:
    program = f"{statement}\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    result = run_python(["-c", program])
    assert result.returncode == 0, result.stderr
    return set(json.loads(result.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "statement", ["import unibody", "import unibody.errors", "import unibody.cli"]
)
def test_importing_the_front_door_loads_nothing_heavy(statement: str) -> None:
    assert _loaded_by(statement) & set(HEAVY) == set()


def test_asking_which_surfaces_are_available_loads_none_of_them() -> None:
    loaded = _loaded_by("import unibody; [unibody.available(s) for s in unibody.SURFACES]")
    assert not {f"unibody.{s}" for s in unibody.SURFACES} & loaded


def test_importing_the_package_leaves_the_environment_as_it_was() -> None:
    program = (
        "import os; before = dict(os.environ); import unibody, unibody.cli;"
        "assert dict(os.environ) == before"
    )
    result = run_python(["-c", program])
    assert result.returncode == 0, result.stderr


def test_the_product_never_imports_the_packages_it_is_compared_with() -> None:
    oracles = ("pybullet", "pybullet_fleet", "newton", "panda_gym")
    for path in PACKAGE.rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if len(words) > 1 and words[0] in {"import", "from"}:
                assert words[1].split(".")[0] not in oracles, f"{path}: {line}"


def test_what_compiles_is_imported_by_one_room_only() -> None:
    for path in PACKAGE.rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.match(r"(from|import) numba\b", line):
                assert path.parent.name == "machine_code", f"{path}: {line}"


def test_an_unknown_name_of_the_front_door_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_room"):
        unibody.no_such_room  # noqa: B018
