"""Opening a stage only after everything it is composed of has been looked at.

OpenUSD follows references, payloads and sublayers while it opens a stage. So the layers are opened
one by one first, without composing anything: each has to be a file that exists, in one of the
formats of OpenUSD itself, within the limits, and in a place the stage may refer to. Then the prims
that composing would make are counted, because a small file can ask for any number of them.
"""

from __future__ import annotations

import logging
import os
import re
import zipfile
from dataclasses import dataclass, field
from typing import Any

from unibody.core.assets import suffixes
from unibody.core.assets.files import open_regular
from unibody.core.assets.limits import Limits
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.suffixes import suffix_of
from unibody.core.assets.usd.library import first_line, pxr, reading
from unibody.core.assets.usd.probe import probe
from unibody.errors import AssetError

_LOG = logging.getLogger(__name__)
_LAYERS = suffixes.USD[:3]  # a package holds no package
_MOST_LAYERS = 2000
_MOST_ARCS = 200  # references, inherits and children one below the other
_OPEN = -1  # a prim whose size is being worked out
_TEXT = b"#usda"
# Strings, asset paths and comments may hold brackets that open nothing.
_BRACKETS = re.compile(
    rb'"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    rb"|@@@.*?@@@|@[^@\n]*@|#[^\n]*|/\*.*?\*/|[{}\[\]()]",
    re.DOTALL,
)


@dataclass(slots=True)
class _Layers:
    """The layers found so far, and what they may be."""

    root: str  # where composing begins: the file, or a layer in that package
    file: str
    search_path: SearchPath
    limits: Limits
    skip_missing: bool
    probed: bool
    opened: dict[str, Any] = field(default_factory=dict[str, Any])
    missing: list[str] = field(default_factory=list[str])
    bytes: int = 0


def open_stage(
    file: str,
    *,
    search_path: SearchPath,
    limits: Limits,
    skip_missing: bool = False,
    isolate: bool = True,
) -> tuple[Any, list[str]]:
    """Opens a stage, and everything it refers to.

    Args:
        file: Absolute path, or that of a package with the place inside.
        search_path: Says where layers may lie.
        limits: Bounds: ``mesh_bytes`` for all layers together, ``xml_depth`` for nesting,
            ``xml_elements`` for prims.
        skip_missing: Compose without layers that are not there. Otherwise they are an error.
        isolate: A stage with binary layers is opened in a process of its own first.

    Returns:
        The ``Usd.Stage``, and the layers that are missing, as written.

    Raises:
        AssetError: A layer is missing, malformed, too large or out of bounds.
        NotSupportedError: ``usd-core`` is not installed.
    """
    layers = _layers(file, search_path, limits, skip_missing, isolate)
    with reading(layers.file):
        return _composed(_looked_at(layers), layers), layers.missing


def check_stage(
    file: str,
    *,
    search_path: SearchPath,
    limits: Limits,
    skip_missing: bool = False,
    isolate: bool = True,
) -> list[str]:
    """Looks at a stage, and everything it refers to, as ``open_stage`` does before it composes.

    Whoever lets a stage of its own refer to the file composes the same layers.

    Args:
        file: Absolute path, or that of a package with the place inside.
        search_path: As for ``open_stage``.
        limits: As for ``open_stage``.
        skip_missing: As for ``open_stage``.
        isolate: As for ``open_stage``.

    Returns:
        The layers that are missing, as written.

    Raises:
        AssetError: A layer is missing, malformed, too large or out of bounds.
        NotSupportedError: ``usd-core`` is not installed.
    """
    layers = _layers(file, search_path, limits, skip_missing, isolate)
    with reading(layers.file):
        _looked_at(layers)
    return layers.missing


def _layers(
    root: str, search_path: SearchPath, limits: Limits, skip_missing: bool, isolate: bool
) -> _Layers:
    file: str = pxr().Ar.SplitPackageRelativePathOuter(root)[0]
    return _Layers(root, file, search_path, limits, skip_missing, probed=not isolate)


def _looked_at(layers: _Layers) -> Any:
    """The layer of the stage itself, once all that it refers to has been looked at."""
    queue = [layers.root, layers.file]
    while queue:
        identifier = queue.pop()
        if identifier in layers.opened:
            continue
        if len(layers.opened) >= _MOST_LAYERS:
            raise AssetError(layers.file, "", f"refers to more than {_MOST_LAYERS} layers")
        layer = _open_layer(identifier, layers)
        layers.opened[identifier] = layer
        queue += _references(layer, layers)
    _Expansion(layers).check()
    return layers.opened[layers.root]


def _composed(root: Any, layers: _Layers) -> Any:
    modules = pxr()
    stage = modules.Usd.Stage.Open(root, modules.Usd.Stage.LoadAll)
    if stage is None:
        raise AssetError(layers.file, "", "cannot be composed")
    return stage


def _open_layer(identifier: str, layers: _Layers) -> Any:
    modules = pxr()
    outer, inner = modules.Ar.SplitPackageRelativePathOuter(identifier)
    if not inner:
        _check_file(outer, layers)
    elif suffix_of(inner) not in _LAYERS:
        raise AssetError(layers.file, inner, f"suffix is not one of {', '.join(_LAYERS)}")
    try:
        layer = modules.Sdf.Layer.Find(identifier)
        if layer is None:
            layer = modules.Sdf.Layer.FindOrOpen(identifier)
        elif not layer.dirty:  # OpenUSD remembers a layer as long as anybody uses it
            layer.Reload()
    except modules.Tf.ErrorException as error:
        raise AssetError(identifier, "", f"cannot be read: {first_line(error)}") from error
    if layer is None:
        raise AssetError(identifier, "", "cannot be read as a USD layer")
    return layer


def _check_file(path: str, layers: _Layers) -> None:
    suffix = suffix_of(path)
    if suffix not in suffixes.USD:
        raise AssetError(path, "", f"suffix {suffix!r} is not one of {', '.join(suffixes.USD)}")
    try:
        layers.bytes += os.path.getsize(path)
        if layers.bytes > layers.limits.mesh_bytes:
            bound = f"the limit is {layers.limits.mesh_bytes}"
            raise AssetError(path, "", f"{layers.bytes} bytes with what refers to it, {bound}")
        with open_regular(path) as stream:
            head = stream.read(len(_TEXT))
            if head == _TEXT:
                _check_depth(path, head + stream.read(), layers.limits)
            elif head[:2] == b"PK":
                _check_package(path, layers.limits)
            is_text = head == _TEXT
    except (OSError, ValueError) as error:
        raise AssetError(path, "", f"cannot be read: {error}") from error
    if not is_text and not layers.probed:
        probe(layers.root, layers.search_path, layers.limits, layers.skip_missing)
        layers.probed = True


def _check_depth(path: str, text: bytes, limits: Limits) -> None:
    """Refuses text nested so deeply that a parser that calls itself runs out of stack."""
    depth = 0
    for match in _BRACKETS.finditer(text):
        token = match[0]
        if token in b"{[(":
            depth += 1
            if depth > limits.xml_depth:
                line = text.count(b"\n", 0, match.start()) + 1
                raise AssetError(path, f"line {line}", f"nested deeper than {limits.xml_depth}")
        elif token in b"}])":
            depth -= 1


def _check_package(path: str, limits: Limits) -> None:
    try:
        with zipfile.ZipFile(path) as package:
            names = package.namelist()
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise AssetError(path, "", f"is not a package: {error}") from error
    if len(names) > _MOST_LAYERS:
        raise AssetError(path, "", f"{len(names)} files in the package, at most {_MOST_LAYERS}")
    for name in names:
        if name.startswith(("/", "\\")) or ".." in name.replace("\\", "/").split("/"):
            raise AssetError(path, name, "leads out of the package")


def _references(layer: Any, layers: _Layers) -> list[str]:
    """Identifiers of the layers that a layer refers to."""
    found: list[str] = []
    for reference in filter(None, layer.GetCompositionAssetDependencies()):
        if layers.skip_missing and _is_on_server(layer, reference):
            layers.missing.append(reference)
            advice = "it is on a server; download it and refer to the file"
            _LOG.warning("%s: the layer %r is left out: %s", layer.identifier, reference, advice)
            continue
        identifier = locate(layer, reference, layers.file, layers.search_path)
        if identifier is not None:
            found.append(identifier)
        elif layers.skip_missing:
            layers.missing.append(reference)
            _LOG.warning("%s: the layer %r is not there, left out", layer.identifier, reference)
        else:
            raise AssetError(layer.identifier, "", f"refers to {reference!r}, which is not there")
    return found


def _is_on_server(layer: Any, reference: str) -> bool:
    """Whether a reference is an address of a server, of which OpenUSD finds nothing.

    OpenUSD takes an address that no plugin of it serves for the name of a file, which is looked
    for as any other: it may be there.
    """
    if "://" not in reference or reference.startswith("`"):
        return False
    modules = pxr()
    if reference.partition("://")[0].lower() in modules.Ar.GetRegisteredURISchemes():
        return False
    return not os.path.exists(layer.ComputeAbsolutePath(reference))


def locate(layer: Any, reference: str, file: str, search_path: SearchPath) -> str | None:
    """The file a layer refers to: its path, or the path of a package and the place inside.

    Args:
        layer: The ``Sdf.Layer`` that holds the reference.
        reference: As written.
        file: The stage's own path.
        search_path: Says where it may lie.

    Returns:
        None where there is no such file.

    Raises:
        AssetError: It lies outside the allowed directories, is on a network, or is an expression.
    """
    if reference.startswith("`"):
        raise AssetError(layer.identifier, "", f"the path {reference} is an expression")
    if "://" in reference:
        raise AssetError(
            layer.identifier, "", f"refers to {reference!r}; download it and refer to the file"
        )
    modules = pxr()
    identifier: str = layer.ComputeAbsolutePath(reference)
    outer, inner = modules.Ar.SplitPackageRelativePathOuter(identifier)
    if not os.path.isfile(outer):
        return None
    if not search_path.permits(outer, referrer=file):
        raise AssetError(
            layer.identifier,
            "",
            f"{reference!r} leads to {os.path.realpath(outer)}, outside the directories this "
            "stage may refer to; add the directory to the search path",
        )
    if inner and modules.Ar.GetResolver().Resolve(identifier).GetPathString() == "":
        return None
    return identifier


class _Expansion:
    """Counts the prims a stage has once its references are followed."""

    def __init__(self, layers: _Layers) -> None:
        self.layers = layers
        self.sizes: dict[tuple[str, str], int] = {}
        self.limit = layers.limits.xml_elements

    def check(self) -> None:
        """Raises ``AssetError`` where there are more than the limit, or too deep."""
        root = self.layers.opened[self.layers.root]
        total = 0
        for layer in self.layers.opened.values():  # sublayers have no place of their own
            total += sum(
                self.size(layer, str(prim.path), 0)
                for prim in layer.rootPrims
                if layer is root or layer.identifier in root.subLayerPaths
            )
            self._bound(total)

    def size(self, layer: Any, path: str, depth: int) -> int:
        """Prims that a prim of a layer stands for, itself included."""
        key = (layer.identifier, path)
        known = self.sizes.get(key)
        if known == _OPEN:
            raise AssetError(self.layers.file, path, "refers to itself")
        if known is not None:
            return known
        if depth > _MOST_ARCS:
            raise AssetError(self.layers.file, path, f"references nested deeper than {_MOST_ARCS}")
        self.sizes[key] = _OPEN
        prim = layer.GetPrimAtPath(path)
        total = 0 if prim is None else self._below(layer, prim, depth + 1)
        self._bound(total)
        self.sizes[key] = total
        return total

    def _below(self, layer: Any, prim: Any, depth: int) -> int:
        total = 1
        children = list(prim.nameChildren)
        for variants in prim.variantSets.values():
            for variant in variants.variants.values():
                children.append(variant.primSpec)
        total += sum(self.size(layer, str(child.path), depth) for child in children)
        for arc in _items(prim.referenceList) + _items(prim.payloadList):
            target = self._target(layer, arc)
            if target is not None:
                total += self.size(target, str(arc.primPath or _first_prim(target)), depth)
        for path in _items(prim.inheritPathList) + _items(prim.specializesList):
            total += self.size(layer, str(path), depth)
        return total

    def _target(self, layer: Any, arc: Any) -> Any:
        if not arc.assetPath:
            return layer
        return self.layers.opened.get(layer.ComputeAbsolutePath(arc.assetPath))

    def _bound(self, total: int) -> None:
        if total > self.limit:
            raise AssetError(
                self.layers.file, "", f"composes more than {self.limit} prims, which is the limit"
            )


def _items(edits: Any) -> list[Any]:
    """All entries of a list of edits but the deleted ones."""
    lists = (
        edits.explicitItems,
        edits.prependedItems,
        edits.addedItems,
        edits.appendedItems,
    )
    return [item for items in lists for item in items]


def _first_prim(layer: Any) -> str:
    name = layer.defaultPrim
    return (name if name.startswith("/") else f"/{name}") if name else ""
