"""Functions of the stage: made, opened, saved, its units, and prims defined, moved, deleted."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pxr import Sdf, Usd, UsdGeom, UsdLux, UsdPhysics, UsdUtils

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.assets import places
from unibody.isaac_core.experimental import prim_functions as functions
from unibody.isaac_core.functions import stage as stages
from unibody.isaac_core.functions.stage import close_stage, is_stage_loading, use_stage
from unibody.isaac_core.kit import commands, context, log

__all__ = [
    "add_reference_to_stage", "close_stage", "create_new_stage", "create_new_stage_async",
    "define_prim", "delete_prim", "generate_next_free_path", "generate_stage_representation",
    "get_current_stage", "get_stage_id", "get_stage_time_code", "get_stage_units",
    "get_stage_up_axis", "is_stage_loading", "is_stage_set", "move_prim", "open_stage",
    "open_stage_async", "save_stage", "set_stage_time_code", "set_stage_units",
    "set_stage_up_axis", "use_stage",
]  # fmt: skip

TEMPLATES = ("empty", "sunlight", "default stage", "gridroom")
_BACKENDS = ("usd", "usdrt", "fabric")


def is_stage_set() -> bool:
    """Whether `use_stage` names another stage than that of the app."""
    return handles.current_stage() is not context.get_context().get_stage()


def get_current_stage(*, backend: str | None = None) -> Usd.Stage:
    """The stage; what Fabric would have is written to it before it is read.

    Raises:
        InvalidArgumentError: There is no such backend, or no stage.
    """
    if backend is not None and backend not in _BACKENDS:
        raise InvalidArgumentError("backend", backend, f"one of {', '.join(_BACKENDS)}")
    if handles.current_stage() is None:
        raise InvalidArgumentError("the stage", None, "one that create_new_stage makes")
    return stages.get_current_stage()


def get_stage_id(stage: Usd.Stage) -> int:
    """The number of a stage in USD's cache of stages."""
    cache = UsdUtils.StageCache.Get()
    number = cache.GetId(stage).ToLongInt()
    return cache.Insert(stage).ToLongInt() if number < 0 else number


def generate_stage_representation(mode: Literal["list", "tree"] = "tree") -> str:
    """The prims of the stage as text: their paths, or a tree of names and types.

    Raises:
        InvalidArgumentError: There is no such mode.
    """
    if mode not in ("list", "tree"):
        raise InvalidArgumentError("mode", mode, "'list' or 'tree'")
    prims = list(get_current_stage().Traverse())
    if mode == "list":
        return "\n".join(prim.GetPath().pathString for prim in prims)
    return "\n".join(
        f"{'  ' * (prim.GetPath().pathElementCount - 1)}{prim.GetName()} ({prim.GetTypeName()})"
        for prim in prims
    )


def create_new_stage(*, template: str | None = None) -> Usd.Stage:
    """A new stage for the app.

    Args:
        template: "empty": with ``/World``; "sunlight", "default stage" and "gridroom": with light,
            the last two with a ground; None: without any of these.

    Raises:
        InvalidArgumentError: There is no such template.
    """
    if template is not None and template not in TEMPLATES:
        raise InvalidArgumentError("template", template, f"one of {', '.join(TEMPLATES)}")
    context.get_context().new_stage()
    stage = context.get_context().get_stage()
    if stage is None:  # pragma: no cover - a new stage is there
        raise InvalidArgumentError("the stage", None, "one that create_new_stage makes")
    if template is not None:
        _furnish(stage, template)
    return stage


async def create_new_stage_async(*, template: str | None = None) -> Usd.Stage:
    """The same as `create_new_stage`, for coroutines."""
    return create_new_stage(template=template)


def _furnish(stage: Usd.Stage, template: str) -> None:
    from unibody.isaac_core.experimental.ground_plane import GroundPlane

    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/World").GetPrim())
    if template == "gridroom":
        GroundPlane("/World/GroundPlane")
        lamp = UsdLux.SphereLight.Define(stage, "/World/Environment/SphereLight")
        lamp.CreateRadiusAttr(0.25)
        lamp.CreateIntensityAttr(100000.0)
        UsdGeom.XformCommonAPI(lamp).SetTranslate((0.0, 0.0, 2.5))
    elif template != "empty":
        sun = UsdLux.DistantLight.Define(stage, "/Environment/defaultLight")
        sun.CreateIntensityAttr(3000.0)
        UsdGeom.XformCommonAPI(sun).SetRotate((315.0, 0.0, 0.0))
    if template == "default stage":  # its ground is seen, and nothing lands on it
        plane = GroundPlane("/Environment/groundCollider")
        for shape in plane.planes.prims:
            shape.RemoveAPI(UsdPhysics.CollisionAPI)


def open_stage(usd_path: str) -> tuple[bool, Usd.Stage | None]:
    """Open a file as the stage of the app.

    Returns:
        Whether it was opened, and the stage.

    Raises:
        InvalidArgumentError: The file is none of USD's.
    """
    if not Usd.Stage.IsSupportedFile(usd_path):
        raise InvalidArgumentError("usd_path", usd_path, "a file of USD")
    done = stages.open_stage(usd_path)
    return done, context.get_context().get_stage()


async def open_stage_async(usd_path: str) -> tuple[bool, Usd.Stage | None]:
    """The same as `open_stage`, for coroutines."""
    return open_stage(usd_path)


def save_stage(usd_path: str) -> bool:
    """Write the stage to a file, which the app does not go on with.

    Raises:
        InvalidArgumentError: The file is none of USD's.
    """
    if not Usd.Stage.IsSupportedFile(usd_path):
        raise InvalidArgumentError("usd_path", usd_path, "a file of USD")
    return stages.save_stage(usd_path, save_and_reload_in_place=False)


def add_reference_to_stage(
    usd_path: str,
    path: str,
    *,
    prim_type: str = "Xform",
    variants: list[tuple[str, str]] | None = None,
) -> Usd.Prim:
    """Refer to a file from a prim, which is made if it is not there.

    Args:
        usd_path: The file.
        path: Of the prim.
        prim_type: Of a prim that is made.
        variants: Names of sets of variants, and what is chosen of each.

    Raises:
        InvalidArgumentError: The path is none, or there is no such variant.
        FileNotFoundError: USD cannot open the file.
    """
    if not Sdf.Path.IsValidPathString(path):
        raise InvalidArgumentError("path", path, "a path of a prim")
    prim = stages.add_reference_to_stage(usd_path, path, prim_type)
    chosen, known = variants or [], functions.get_prim_variant_collection(prim)
    if chosen and not known and places.is_own(places.located(usd_path)):
        log.log_warn(f"the stand-in of {usd_path} has no variants: {chosen} is without effect")
        return prim
    functions.set_prim_variants(prim, variants=chosen)
    return prim


def get_stage_units() -> tuple[float, float]:
    """Metres and kilograms of a unit."""
    stage = get_current_stage()
    return UsdGeom.GetStageMetersPerUnit(stage), UsdPhysics.GetStageKilogramsPerUnit(stage)


def set_stage_units(
    *, meters_per_unit: float | None = None, kilograms_per_unit: float | None = None
) -> None:
    """Set metres and kilograms of a unit; what is None stays."""
    stage = get_current_stage()
    if meters_per_unit is not None:
        UsdGeom.SetStageMetersPerUnit(stage, float(meters_per_unit))
    if kilograms_per_unit is not None:
        UsdPhysics.SetStageKilogramsPerUnit(stage, float(kilograms_per_unit))


def get_stage_up_axis() -> str:
    """Which axis points up: "Y" or "Z"."""
    return str(UsdGeom.GetStageUpAxis(get_current_stage()))


def set_stage_up_axis(up_axis: str) -> None:
    """Set which axis points up.

    Raises:
        InvalidArgumentError: It is neither "Y" nor "Z".
    """
    if str(up_axis).upper() not in ("Y", "Z"):
        raise InvalidArgumentError("up_axis", up_axis, "'Y' or 'Z'")
    UsdGeom.SetStageUpAxis(get_current_stage(), str(up_axis).upper())


def get_stage_time_code() -> tuple[float, float, float]:
    """First and last frame, and frames a second."""
    stage = get_current_stage()
    return stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond()


def set_stage_time_code(
    *,
    start_time_code: float | None = None,
    end_time_code: float | None = None,
    time_codes_per_second: float | None = None,
) -> None:
    """Set first and last frame, and frames a second; what is None stays."""
    stage = get_current_stage()
    for value, write in (
        (start_time_code, stage.SetStartTimeCode),
        (end_time_code, stage.SetEndTimeCode),
        (time_codes_per_second, stage.SetTimeCodesPerSecond),
    ):
        if value is not None:
            write(float(value))


def define_prim(path: str, type_name: str = "Xform") -> Usd.Prim:
    """A prim of a type, which is made if it is not there.

    Raises:
        InvalidArgumentError: The path is none.
    """
    if not Sdf.Path.IsValidPathString(path):
        raise InvalidArgumentError("path", path, "a path of a prim")
    return get_current_stage().DefinePrim(path, type_name)


def delete_prim(prim: str | Usd.Prim) -> bool:
    """Delete a prim; whether it is gone."""
    path = functions.get_prim_path(prim)
    commands.execute("DeletePrims", paths=[path])
    return not get_current_stage().GetPrimAtPath(path)


def move_prim(target: str | Usd.Prim, destination: str | Usd.Prim) -> tuple[bool, str]:
    """Move a prim to a path, or below a prim that is there.

    Returns:
        Whether it was moved, and its path.
    """
    here, there = functions.get_prim_path(target), functions.get_prim_path(destination)
    if get_current_stage().GetPrimAtPath(there):
        there = f"{there.rstrip('/')}/{Path(here).name}"
    commands.execute("MovePrim", path_from=here, path_to=there)
    return bool(get_current_stage().GetPrimAtPath(there)), there


def generate_next_free_path(path: str | None = None, *, prepend_default_prim: bool = True) -> str:
    """A path that is not taken: the one given, or with a number behind it.

    Raises:
        InvalidArgumentError: The path is none.
    """
    stage = get_current_stage()
    first: Any = stage.GetDefaultPrim() if prepend_default_prim else None
    if path in (None, "", "/"):
        path = f"{first.GetPath()}/Prim" if first else "Prim"
    if not Sdf.Path.IsValidPathString(path):
        raise InvalidArgumentError("path", path, "a path of a prim")
    return context.get_stage_next_free_path(stage, str(path), prepend_default_prim)
