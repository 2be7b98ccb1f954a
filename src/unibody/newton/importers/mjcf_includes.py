"""Files that MJCF files refer to: found by functions of scripts; errors of the original."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from unibody.core.assets.paths import SearchPath
from unibody.core.assets.xml import read_xml
from unibody.errors import AssetError, InvalidArgumentError
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.importers.sources import opened

Resolver = Callable[[str | None, str], str]
"""Folder of the file that refers (None: of a text), and what it refers to -> a path, or a text."""

_ASSETS = ("mesh", "hfield", "texture", "skin")
_DEEPEST = 32


class MissingFileError(AssetError, FileNotFoundError):
    """A file, or one that it includes, is not there."""


class IncludeError(AssetError, ValueError):
    """A file includes itself, or a text refers to a file in no folder."""


class RefusedFileError(AssetError, ValueError):
    """A file holds what is not allowed."""


@contextlib.contextmanager
def original_errors(source: Any) -> Iterator[None]:
    """Let errors about included files be of the classes that the original raises, too."""
    try:
        yield
    except AssetError as error:
        of_text = isinstance(source, str) and source.lstrip().startswith("<")
        missing = "not found" in error.problem and "<include>" in error.element
        if "includes itself" in error.problem:
            problem = f"Circular include: {error.problem}"
            raise IncludeError(error.file, error.element, problem) from error
        if missing and of_text:
            problem = f"Cannot resolve relative path without base directory: {error.problem}"
            raise IncludeError(error.file, error.element, problem) from error
        if missing or "no such file" in error.problem:
            raise MissingFileError(error.file, error.element, error.problem) from error
        if is_after_first_of_1():
            raise RefusedFileError(error.file, error.element, error.problem) from error
        raise


@contextlib.contextmanager
def document(source: Any, resolver: Resolver | None) -> Iterator[tuple[str, SearchPath]]:
    """The path of an MJCF document, with what a function of the script finds put in its place."""
    with opened(source, ".xml") as (file, search_path):
        if resolver is None:
            yield file, search_path
            return
        folder = None
        if not (isinstance(source, str) and source.lstrip("\ufeff \t\r\n").startswith("<")):
            folder = os.path.dirname(file)
        root: Any = read_xml(file, root="mujoco")
        _Expansion(resolver, root).expand(root, folder, ())
        with tempfile.TemporaryDirectory() as place:
            whole = Path(place) / "whole.xml"
            ElementTree.ElementTree(root).write(whole, encoding="utf-8")
            yield str(whole), search_path


class _Expansion:
    """Puts included documents in place, and absolute paths where assets have files."""

    def __init__(self, resolver: Resolver, root: Any) -> None:
        self._resolver = resolver
        compiler = root.find("compiler")
        given = {} if compiler is None else compiler.attrib
        own = given.get("assetdir", "")
        self._folders = dict.fromkeys(_ASSETS, given.get("meshdir", own))
        self._folders["texture"] = given.get("texturedir", own)

    def expand(self, parent: Any, folder: str | None, above: tuple[str, ...]) -> None:
        """Replace the includes below an element."""
        for child in list(parent):
            if child.tag == "include":
                self._include(parent, child, folder, above)
                continue
            if child.tag in _ASSETS and child.get("file"):
                name = os.path.join(str(self._folders[child.tag]), str(child.get("file")))
                child.set("file", os.path.abspath(self._resolver(folder, name)))
            self.expand(child, folder, above)

    def _include(self, parent: Any, child: Any, folder: str | None, above: tuple[str, ...]) -> None:
        place = list(parent).index(child)
        parent.remove(child)
        name = child.get("file")
        if not name:
            return
        found = self._resolver(folder, name)
        if not isinstance(found, str):
            raise InvalidArgumentError("path_resolver", found, "a function that returns a string")
        if found in above or len(above) >= _DEEPEST:
            raise IncludeError(name, "<include>", "Circular include: it includes itself")
        of_text = found.lstrip("\ufeff \t\r\n").startswith("<")
        with opened(found, ".xml") as (file, _):
            root = _read(file)
        self.expand(root, None if of_text else os.path.dirname(found), (*above, found))
        for number, inner in enumerate(list(root)):
            parent.insert(place + number, inner)


def _read(file: str) -> Any:
    if not os.path.isfile(file):
        raise MissingFileError(file, "<include>", "no such file")
    try:
        return read_xml(file, root="mujoco")
    except AssetError as error:
        if "expected a <mujoco>" not in str(error):
            raise
        return read_xml(file, root="mujocoinclude")
