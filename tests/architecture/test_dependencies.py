"""What the package imports is what an installation brings."""

from __future__ import annotations

import ast
import re
import sys
import tomllib

from tests.architecture.imports import PACKAGE, tree_of
from tests.support.process import ROOT

_DISTRIBUTIONS = {
    "PIL": "pillow",
    "llvmlite": "numba",
    "pxr": "usd-core",
    "rsl_rl": "rsl-rl-lib",
    "tensordict": "rsl-rl-lib",
    "warp": "warp-lang",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}
"""What is installed under another name, or with something else, by the name that is imported."""


def _imported_at_once() -> dict[str, str]:
    """Packages of others that modules import when they are loaded, and one such module each."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        for node in tree_of(path).body:
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            for name in names:
                found.setdefault(name.partition(".")[0], str(path.relative_to(PACKAGE)))
    ours = {"unibody", *sys.stdlib_module_names}
    return {name: file for name, file in found.items() if name not in ours}


def test_modules_import_at_once_only_what_the_project_or_an_extra_for_users_declares() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"]]
    lines += [line for extra in extras if extra not in {"test", "docs"} for line in extras[extra]]
    declared = {re.split(r"[^\w-]", line, maxsplit=1)[0].lower() for line in lines}
    imported = _imported_at_once()
    missing = {
        name: file
        for name, file in imported.items()
        if _DISTRIBUTIONS.get(name, name.replace("_", "-")).lower() not in declared
    }
    assert "warp" in imported
    assert missing == {}
