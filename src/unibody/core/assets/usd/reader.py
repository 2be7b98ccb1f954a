"""The USD reader: a stage into assets."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from unibody.core.assets.description import Asset
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd.layers import open_stage
from unibody.core.assets.usd.library import pxr, reading
from unibody.core.assets.usd.shapes import ShapeReader
from unibody.core.assets.usd.stage import StageReader
from unibody.core.assets.usd.trees import build_assets
from unibody.core.assets.usd.units import read_units, stage_units
from unibody.errors import AssetError


@dataclass(frozen=True, slots=True)
class UsdOptions:
    """How a stage is read.

    Attributes:
        root: Path of the prim that is read, with all below it; "/" is the whole stage.
        visuals: Read what is drawn.
        decompose: Take meshes with the approximation "convexDecomposition" apart into convex
            pieces. ``False`` leaves one mesh, and the approximation in the notes of its shape.
        skip_missing: Leave out layers that are not there, with a warning.
        sites: Read prims with ``MjcSiteAPI`` or ``NewtonSiteAPI`` as visual shapes, whatever their
            purpose is, with the note ``site``; and note the path of the prim of every shape as
            ``prim_path``.
        empty: Stages with neither a body nor a shape have no assets. ``False``: they are errors.
        isolate: Open stages with binary layers in a process of its own first, which takes a
            second the first time: OpenUSD ends the process on some damaged files. ``False`` is for
            files you trust.
        metric: Lengths are metres and masses kilograms. ``False`` leaves the stage's own numbers.
        plain: For callers that read more from the prims themselves: colliders that are switched
            off are read too, with the note ``off``; several joints with one axis between the same
            bodies are one; radii grow with the larger scale across their axis; masses, filters of
            pairs and collision groups are left out.
        excluded: Paths of prims that are left out, with all below them.
    """

    root: str = "/"
    visuals: bool = True
    decompose: bool = True
    skip_missing: bool = False
    sites: bool = False
    empty: bool = False
    isolate: bool = True
    metric: bool = True
    plain: bool = False
    excluded: tuple[str, ...] = ()


DEFAULT_OPTIONS = UsdOptions()


def load_usd(
    file: str | os.PathLike[str],
    *,
    search_path: SearchPath,
    limits: Limits = DEFAULT_LIMITS,
    options: UsdOptions = DEFAULT_OPTIONS,
) -> list[Asset]:
    """Reads a USD stage (.usd, .usda, .usdc, .usdz).

    Bodies that joints connect are one asset, whose links have the frames of their prims. A joint
    with several axes is a link without mass for each, named "body/joint:axis", translations
    first; a joint that closes a loop is in ``Asset.loops``. Lengths are metres, masses kilograms,
    angles radians and z is up, whatever the stage's units are.

    Args:
        file: Path of the stage; looked for with ``search_path``.
        search_path: Where the stage, its layers and its textures are looked for.
        limits: Bounds on their contents.
        options: How it is read.

    Returns:
        An asset "world" of what belongs to no body, where there is any, then the others in the
        order of the stage.

    Raises:
        AssetError: The file is missing, malformed or refused for its contents.
        NotSupportedError: ``usd-core`` is not installed, or the stage holds what no asset can.
    """
    pxr()
    found = search_path.locate(file)
    if found is None:
        raise AssetError(file, "", f"no such file, {search_path.described()}")
    with reading(found):
        assets = _read(found, search_path, limits, options)
    if not assets and not options.empty:
        raise AssetError(file, options.root, "has neither a body nor a shape")
    for asset in assets:
        asset.file = found
    return assets


def read_stage(  # noqa: PLR0913 - the parts of a stage that a caller may choose
    stage: Any,
    *,
    root: str = "/",
    excluded: Sequence[str] = (),
    visuals: bool = False,
    paths: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> list[Asset]:
    """Reads a stage that is open, in its own units and axes.

    Lengths, masses and angles of joints are as ``load_usd`` has them, but that nothing is scaled
    or turned: a metre is the stage's unit of length, z the stage's z.

    Args:
        stage: The ``Usd.Stage``.
        root: Path of the prim that is read, with all below it.
        excluded: Paths below it that are left out, with all below them.
        visuals: Read what is drawn.
        paths: Shapes note the paths of their prims.
        limits: Bounds on the contents.

    Returns:
        As ``load_usd``; empty where there is neither a body nor a shape.

    Raises:
        AssetError: The contents are refused.
        NotSupportedError: The stage holds what no asset can.
    """
    name = str(stage.GetRootLayer().identifier)
    units = stage_units(stage, name)
    transforms = pxr().UsdGeom.XformCache()
    shapes = ShapeReader(units, name, SearchPath(), limits, transforms, True)
    with reading(name):
        reader = StageReader(
            stage, root, shapes, with_visuals=visuals, excluded=excluded, with_paths=paths
        )
        return build_assets(reader.read(), units)


def _read(file: str, search_path: SearchPath, limits: Limits, options: UsdOptions) -> list[Asset]:
    modules = pxr()
    stage, _ = open_stage(
        file,
        search_path=search_path,
        limits=limits,
        skip_missing=options.skip_missing,
        isolate=options.isolate,
    )
    if not modules.Sdf.Path.IsValidPathString(options.root):
        raise AssetError(file, "root", f"{options.root!r} is not the path of a prim")
    if not stage.GetPrimAtPath(options.root):
        raise AssetError(file, "root", f"there is no prim {options.root!r}")
    units = read_units(stage, file)
    if not options.metric:
        units = replace(units, length=1.0, mass=1.0)
    shapes = ShapeReader(
        units, file, search_path, limits, modules.UsdGeom.XformCache(), options.decompose,
        widest=options.plain,
    )  # fmt: skip
    reader = StageReader(
        stage,
        options.root,
        shapes,
        with_visuals=options.visuals,
        with_sites=options.sites,
        excluded=options.excluded,
        renamed=True,
        plain=options.plain,
    )
    return build_assets(reader.read(), units)
