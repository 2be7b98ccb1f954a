"""What an editor reads in the place of an original: stubs that lead to our modules."""

from __future__ import annotations

import importlib
from collections.abc import Iterator

from unibody.cli.aliases import ALIASES, FALLBACKS, PACKAGES
from unibody.isaac_core import names

_STUB = '''"""{name} means {target} here."""

from {target} import *
'''


_SHIM = '''"""{name} means {target} here."""

import importlib
import sys

sys.modules[__name__] = importlib.import_module("{target}")
'''


def stubs(package: str) -> dict[str, str]:
    """The stubs of a package and of the modules in it, and a shim beside each of the latter.

    Args:
        package: A name of `ALIASES`, `PACKAGES` or `FALLBACKS`.

    Returns:
        Text of each file, by its path from the folder of packages.
    """
    files: dict[str, str] = {}
    for name, target in _modules(package):
        place = name.replace(".", "/")
        if name == package:
            place += "/__init__"
        else:  # an editor misses the source of a stub
            files[f"{place}.py"] = _SHIM.format(name=name, target=target)
        files[f"{place}.pyi"] = _STUB.format(name=name, target=target)
    return files


def isaac_stubs() -> dict[str, str]:
    """The stubs of Isaac Sim's and Kit's modules, in packages that only hold stubs.

    No interpreter imports a folder whose name ends on ``-stubs``: programs find those modules by
    `unibody run`, which also has the names that do not exist.

    Returns:
        Text of each file, by its path from the folder of packages.
    """
    files: dict[str, str] = {}
    for name, target in names.MODULES.items():
        family, *inner = name.split(".")
        if family not in names.FAMILIES:  # pxr is USD's own
            continue
        for depth in range(len(inner)):
            files.setdefault(_package_file(family, inner[:depth]), "")
        files[_package_file(family, inner)] = _STUB.format(name=name, target=target)
    return files


def _package_file(family: str, inner: list[str]) -> str:
    return "/".join((f"{family}-stubs", *inner, "__init__.pyi"))


def _modules(package: str) -> Iterator[tuple[str, str]]:
    """Names of a package and its modules as scripts write them, and what they mean."""
    known = {**FALLBACKS, **PACKAGES, **ALIASES}
    yield from (
        (name, target)
        for name, target in known.items()
        if name == package or name.startswith(f"{package}.")
    )
    if package == "pybullet_fleet":
        fleet = importlib.import_module("unibody.fleet.original_modules")
        for name, target in fleet.MODULES.items():
            yield f"{package}.{name}", f"unibody.fleet.{target}"
    if package == "newton":
        for name, target in importlib.import_module("unibody.newton")._MODULES.items():
            if f"{package}.{name}" not in known:
                yield f"{package}.{name}", target
