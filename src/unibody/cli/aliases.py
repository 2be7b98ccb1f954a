"""Which module names of the original packages mean a module of ours.

Two import finders, installed by `unibody run`: one in front of all others, for names that are
ours whether or not the original is installed, and one behind all others, for names where the
user's own installation goes first.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType

from unibody.cli import after_import, older_numpy
from unibody.isaac_core import names

ALIASES: dict[str, str] = {
    "pybullet": "unibody.bullet",
    # The original injects the client id into C functions only, and loses it for Python ones.
    "pybullet_utils.bullet_client": "unibody.bullet.pybullet_utils.bullet_client",
    "isaacgym": "unibody.isaacgym",
    "isaacgym.gymapi": "unibody.isaacgym.gymapi",
    "isaacgym.gymtorch": "unibody.isaacgym.gymtorch",
    "isaacgym.gymutil": "unibody.isaacgym.gymutil",
    "isaacgym.rlgpu": "unibody.isaacgym.rlgpu",
    "isaacgym.terrain_utils": "unibody.isaacgym.terrain_utils",
    "isaacgym.torch_utils": "unibody.isaacgym.torch_utils",
    "newton": "unibody.newton",
    "newton.math": "unibody.newton.vectors",
    "newton.tests": "unibody.newton.examples",
    "newton.tests.unittest_utils": "unibody.newton.examples.checks",
    "newton.utils": "unibody.newton.functions",
}
"""Names that mean our module, installed or not. A new surface adds its names here."""

PACKAGES: dict[str, str] = {"newton": "unibody.newton", "pybullet_fleet": "unibody.fleet"}
"""Packages that are ours with all modules in them."""

FALLBACKS: dict[str, str] = {
    "pybullet_data": "unibody.sample_assets",
    "pybullet_utils": "unibody.bullet.pybullet_utils",
}
"""Names that mean our module only where the user has no module of that name."""


_RECORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "originals")
"""A folder that says which versions of the originals are here, as pip records it: programs ask
``importlib.metadata`` or ``pkg_resources`` before they import. An original that is installed comes
before it."""


class AliasFinder(importlib.abc.MetaPathFinder):
    """Finds the modules of a table, and nothing else.

    Args:
        table: Module name as scripts write it -> the module it means.
        packages: The same for packages, with all modules in them.
    """

    def __init__(self, table: Mapping[str, str], packages: Mapping[str, str] | None = None) -> None:
        self.table = table
        self.packages: Mapping[str, str] | dict[str, str] = packages or {}

    def knows(self, package: str) -> bool:
        """Whether modules of a package are found here."""
        inside = (name.startswith(f"{package}.") for name in self.table)
        return package in self.packages or any(inside)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Give the spec of an alias; None for every other name."""
        meant = self._meant(fullname)
        if meant is None:
            return None
        found = importlib.util.find_spec(meant) if "." in meant else None
        spec = importlib.util.spec_from_loader(fullname, _AliasLoader(meant))
        if found is not None and spec is not None:  # what `python -m` asks for
            spec.origin = found.origin
            spec.submodule_search_locations = found.submodule_search_locations
        return spec

    def _meant(self, fullname: str) -> str | None:
        if fullname in self.table:
            return self.table[fullname]
        package, _, rest = fullname.partition(".")
        if package not in self.packages:
            return None
        meant = f"{self.packages[package]}.{rest}" if rest else self.packages[package]
        try:
            return meant if importlib.util.find_spec(meant) else None
        except ModuleNotFoundError:  # nor is there what it would be in
            return None


class _AliasLoader(importlib.abc.Loader):
    def __init__(self, target: str) -> None:
        self.target = target

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        # The import system takes what stands in sys.modules afterwards: one module, two names.
        sys.modules[module.__name__] = importlib.import_module(self.target)

    def get_code(self, fullname: str) -> CodeType | None:
        """The code of the module that is meant, for `python -m`."""
        found = importlib.util.find_spec(self.target)
        get_code = getattr(found.loader, "get_code", None) if found is not None else None
        return get_code(self.target) if get_code is not None else None


class NamedModuleFinder(importlib.abc.MetaPathFinder):
    """Finds all modules under the names of Isaac Sim and Kit, those that do not exist included."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Give the spec of such a name; None for every other name, and where USD is missing."""
        if not names.is_ours(fullname) or not names.is_installed():
            return None
        return importlib.util.spec_from_loader(fullname, _NamedModuleLoader(), is_package=True)


class _NamedModuleLoader(importlib.abc.Loader):
    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        from unibody.cli import torch_cuda
        from unibody.isaac_core import modules

        modules.prepare()
        torch_cuda.prepare()
        sys.modules[module.__name__] = modules.make(module.__name__)


def install() -> None:
    """Make the names of both tables importable in this process; again is no error."""
    if any(isinstance(finder, AliasFinder) for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, AliasFinder(ALIASES, PACKAGES))
    sys.meta_path.insert(0, NamedModuleFinder())
    after_import.call("pxr", _teach_schemas)
    after_import.call("isaacgym", lambda _: imported("isaacgym"))
    after_import.call("newton", lambda _: imported("newton"))
    imported("")
    sys.meta_path.append(AliasFinder(FALLBACKS))
    sys.path.append(_RECORDS)


def _teach_schemas(_: ModuleType) -> None:
    """Let USD know PhysX's schemas: it reads them with the first stage, whoever makes that."""
    from unibody.isaac_core.schemas import plugin

    plugin.register()


def imported(name: str) -> None:
    """Do for a script what goes with the name of an original that it imports.

    Args:
        name: Of the package; "" for what goes with all of them.
    """
    after_import.call("numpy", older_numpy.give)
    if name and not any(isinstance(f, AliasFinder) and f.knows(name) for f in sys.meta_path):
        modules = {full: ALIASES[full] for full in ALIASES if full.startswith(f"{name}.")}
        packages = {name: PACKAGES[name]} if name in PACKAGES else {}
        sys.meta_path.insert(0, AliasFinder(modules, packages))
    if name == "isaacgym":
        from unibody.cli import torch_cuda

        torch_cuda.prepare()
    if name == "newton":
        from unibody.cli import newton_api

        newton_api.choose()


def install_in_children() -> None:
    """Let interpreters that this process starts know the names, too.

    Workers of ``multiprocessing`` that are spawned, not forked, and scripts that are run as
    processes begin with an empty interpreter: there ``pybullet`` would be the original, or nothing.
    """
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "children")
    before = os.environ.get("PYTHONPATH", "")
    if folder not in before.split(os.pathsep):
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, before] if before else [folder])
