"""The stage: made, opened, saved, and gone through."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pxr import Gf, Sdf, Usd, UsdGeom, UsdUtils

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core import handles
from unibody.isaac_core.assets import places
from unibody.isaac_core.kit import app, context, extensions, opening
from unibody.isaac_core.simulation import seam

_CENTIMETRE = 0.01  # what USD takes for the unit of length where a file states none
_AXES = {"x": UsdGeom.Tokens.x, "y": UsdGeom.Tokens.y, "z": UsdGeom.Tokens.z}


def get_current_stage(fabric: bool = False) -> Usd.Stage:
    """The stage that functions work on, with where the bodies are now.

    Args:
        fabric: Whether it is asked for as Fabric would have it: it is the same stage.
    """
    seam.flush()
    return handles.current_stage()


def get_current_stage_id() -> int:
    """Number of the stage in USD's cache of stages."""
    cache, stage = UsdUtils.StageCache.Get(), handles.current_stage()
    found = cache.GetId(stage)
    return (found if found.IsValid() else cache.Insert(stage)).ToLongInt()


@contextmanager
def use_stage(stage: Usd.Stage) -> Generator[None, None, None]:
    """Let functions work on another stage in a ``with`` block."""
    if not isinstance(stage, Usd.Stage):
        raise InvalidArgumentError("stage", stage, "a stage of USD")
    handles.push_stage(stage)
    try:
        yield
    finally:
        handles.pop_stage()


def create_new_stage_in_memory() -> Usd.Stage:
    """An empty stage, which is not the app's."""
    return Usd.Stage.CreateInMemory()


def get_stage_units() -> float:
    """How many metres the unit of length is."""
    return UsdGeom.GetStageMetersPerUnit(handles.current_stage())


def set_stage_units(stage_units_in_meters: float) -> None:
    """Set how many metres the unit of length is.

    Raises:
        InvalidArgumentError: It is not positive.
    """
    if not stage_units_in_meters > 0:
        raise InvalidArgumentError(
            "stage_units_in_meters", stage_units_in_meters, "a positive number"
        )
    stage = handles.current_stage()
    with Usd.EditContext(stage, stage.GetRootLayer()):
        UsdGeom.SetStageMetersPerUnit(stage, stage_units_in_meters)


def get_stage_up_axis() -> str:
    """The axis that points up: "X", "Y" or "Z"."""
    return UsdGeom.GetStageUpAxis(handles.current_stage())


def set_stage_up_axis(axis: str = "z") -> None:
    """Set the axis that points up.

    Raises:
        InvalidArgumentError: It is none of x, y and z.
    """
    if str(axis).lower() not in _AXES:
        raise InvalidArgumentError("axis", axis, "'x', 'y' or 'z'")
    stage = handles.current_stage()
    with Usd.EditContext(stage, stage.GetRootLayer()):
        UsdGeom.SetStageUpAxis(stage, _AXES[axis.lower()])


def get_next_free_path(path: str, parent: str | None = None) -> str:
    """A path that is not taken: the one given, or with a number behind it.

    Args:
        path: The path wished for.
        parent: Path that it is below; None: the path is whole.
    """
    whole = f"{parent.rstrip('/')}/{path.strip('/')}" if parent else path
    return context.get_stage_next_free_path(handles.current_stage(), whole, parent is None)


def clear_stage(predicate: Callable[[str], bool] | None = None) -> None:
    """Delete prims; there is no way back.

    Args:
        predicate: Whether the prim of a path is deleted. None: all are, but those that may not be
            deleted, that are hidden in lists, or that a reference brought.
    """
    stage = handles.current_stage()
    chosen = predicate or _is_deletable
    root = stage.GetPseudoRoot()
    paths = [prim.GetPath() for prim in Usd.PrimRange(root) if prim != root]
    doomed = [path for path in paths if chosen(path.pathString)]
    for path in Sdf.Path.RemoveDescendentPaths(doomed):
        stage.RemovePrim(path)
    if predicate is None:
        app.get_app().update()


def _is_deletable(path: str) -> bool:
    prim = handles.current_stage().GetPrimAtPath(path)
    marked = prim.GetMetadata("no_delete") or prim.GetMetadata("hide_in_stage_window")
    return not (marked or handles.is_ancestral(prim))


def print_stage_prim_paths(fabric: bool = False) -> None:
    """Print the paths of all prims."""
    for prim in traverse_stage(fabric):
        builtins.print(prim.GetPath())  # noqa: T201 - printing is what it is asked for


def traverse_stage(fabric: bool = False) -> Iterable[Any]:
    """All prims of the stage, a prim before those below it."""
    return get_current_stage(fabric).Traverse()


def add_reference_to_stage(usd_path: str, prim_path: str, prim_type: str = "Xform") -> Usd.Prim:
    """Refer to a file from a prim, which is made if it is not there.

    Without a path of a file the prim is made alone. Where the extension
    ``omni.usd.metrics.assembler.ui`` is on, what has other units of length is scaled.

    Raises:
        FileNotFoundError: USD cannot open the file.
        AssetError: It is malformed, or refers to files outside its directories; see
            ``kit.opening``.
        NotSupportedError: It is a file of Isaac Sim's server that is not here.
    """
    stage = handles.current_stage()
    usd_path = places.located(str(usd_path))
    prim = stage.GetPrimAtPath(prim_path)
    if usd_path:
        opening.check(usd_path, stage.GetEditTarget().GetLayer())
    layer = Sdf.Layer.FindOrOpen(usd_path) if usd_path else None
    if usd_path and not layer:
        hint = "; get_assets_root_path() is to stand before it" * usd_path.startswith("/Isaac/")
        raise FileNotFoundError(f"usd_path={usd_path!r}: USD cannot open a file of that path{hint}")
    if not prim:
        prim = stage.DefinePrim(prim_path, prim_type)
    if layer:
        prim.GetReferences().AddReference(usd_path)
        if extensions.manager().is_extension_enabled(extensions.UNITS):
            _resolve_units(prim, stage, layer)
    return prim


def _resolve_units(prim: Usd.Prim, stage: Usd.Stage, layer: Sdf.Layer) -> None:
    """Scale what has another unit of length than the stage."""
    key = UsdGeom.Tokens.metersPerUnit
    own = layer.pseudoRoot.GetInfo(key) if layer.pseudoRoot.HasInfo(key) else _CENTIMETRE
    ratio = own / UsdGeom.GetStageMetersPerUnit(stage)
    if ratio != 1.0:
        scale = UsdGeom.Xformable(prim).AddScaleOp(
            UsdGeom.XformOp.PrecisionDouble, opSuffix="unitsResolve"
        )
        scale.Set(Gf.Vec3d(ratio))


def create_new_stage() -> Usd.Stage:
    """Begin with an empty stage."""
    context.get_context().new_stage()
    return handles.current_stage()


async def create_new_stage_async() -> None:
    """Begin with an empty stage, and wait for an update."""
    await context.get_context().new_stage_async()
    await app.get_app().next_update_async()


def open_stage(usd_path: str) -> bool:
    """Open a file as the stage.

    Returns:
        Whether it was opened.

    Raises:
        ValueError: The file is none of USD's.
    """
    _check_suffix(usd_path)
    return context.get_context().open_stage(usd_path)


async def open_stage_async(usd_path: str) -> tuple[bool, int]:
    """Open a file as the stage, and wait for an update.

    Returns:
        Whether it was opened, and the reason if not.

    Raises:
        ValueError: The file is none of USD's.
    """
    _check_suffix(usd_path)
    opened, reason = await context.get_context().open_stage_async(usd_path)
    found: Any = reason
    return opened, found


def save_stage(usd_path: str, save_and_reload_in_place: bool = True) -> bool:
    """Save the stage to a file.

    Args:
        usd_path: Path of the file.
        save_and_reload_in_place: Whether that file is the stage from then on.

    Returns:
        Whether it was saved.

    Raises:
        ValueError: The file is none of USD's.
    """
    _check_suffix(usd_path)
    seam.flush()
    layer = handles.current_stage().GetRootLayer()
    if save_and_reload_in_place:
        return context.get_context().save_as_stage(usd_path)
    return bool(layer.Export(usd_path))


def close_stage(callback_fn: Callable[..., Any] | None = None) -> bool:
    """Let go of the stage.

    Args:
        callback_fn: Called with (True, "").
    """
    return context.get_context().close_stage(callback_fn)


def set_livesync_stage(usd_path: str, enable: bool) -> bool:
    """Share a stage with others: there is no server for it.

    Raises:
        NotSupportedError: It was to be turned on.
    """
    if enable:
        raise NotSupportedError("live sync of a stage", "save_stage writes it to a file")
    return False


def is_stage_loading() -> bool:
    """Whether files are being loaded: they are at once."""
    return False


def update_stage() -> None:
    """Do one frame."""
    app.get_app().update()


async def update_stage_async() -> None:
    """Wait for one frame."""
    await app.get_app().next_update_async()


def _check_suffix(usd_path: str) -> None:
    if Path(str(usd_path)).suffix.lower() not in context.SUFFIXES:
        raise InvalidArgumentError(
            "usd_path", usd_path, f"the path of a file of USD ({', '.join(context.SUFFIXES)})"
        )
