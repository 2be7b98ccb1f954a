"""Commands of Isaac Sim: they make, move, scale and delete prims."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core import handles, transforms
from unibody.isaac_core.functions import bounds, prims, stage, viewports
from unibody.isaac_core.kit import context
from unibody.isaac_core.kit.commands import command


@command("IsaacSimSpawnPrim")
def spawn(
    usd_path: str, prim_path: str, translation: Any = (0, 0, 0), rotation: Any = (1, 0, 0, 0)
) -> None:
    """Refer to a file from a new prim; rotation is w, x, y, z."""
    prim = stage.add_reference_to_stage(usd_path, prim_path)
    transforms.write(prim, translation, rotation)


@command("IsaacSimTeleportPrim")
def teleport(prim_path: str, translation: Any = (0, 0, 0), rotation: Any = (1, 0, 0, 0)) -> None:
    """Put a prim elsewhere to its parent; rotation is w, x, y, z."""
    transforms.write(handles.prim_at(prim_path), translation, rotation)


@command("IsaacSimScalePrim")
def scale_prim(prim_path: str, scale: Any = (0, 0, 0)) -> None:
    """Scale a prim."""
    transforms.write(handles.prim_at(prim_path), scale=scale)


@command("IsaacSimDestroyPrim")
def destroy(prim_path: str) -> None:
    """Delete a prim."""
    prims.delete_prim(prim_path)


@command("FramePrims")
def frame_prims(
    prim_to_move: Any,
    prims_to_frame: list[Any] | None = None,
    time_code: Usd.TimeCode | None = None,
    aspect_ratio: float = 1.0,
    zoom: float = 0.45,
) -> None:
    """Move a camera along its direction so that prims fill a part of its picture.

    Args:
        prim_to_move: The camera.
        prims_to_frame: What it looks at; None: all of the stage.
        time_code: Only the default one.
        aspect_ratio: Width of the picture over its height.
        zoom: Which part of the picture is filled.

    Raises:
        NotSupportedError: Another time was given.
        InvalidArgumentError: The prim is no camera, or there is nothing to look at.
    """
    if time_code is not None and not time_code.IsDefault():
        raise NotSupportedError("FramePrims at a time", "Usd.TimeCode.Default()")
    camera = UsdGeom.Camera(handles.prim_at(prim_to_move, "prim_to_move"))
    if not camera:
        raise InvalidArgumentError("prim_to_move", str(prim_to_move), "the path of a camera")
    paths = [str(path) for path in prims_to_frame or ["/"]]
    box = bounds.compute_combined_aabb(bounds.create_bbox_cache(), paths)
    size = 0.5 * float(np.linalg.norm(box[3:] - box[:3]))
    if not 0.0 < size < np.inf:
        raise InvalidArgumentError("prims_to_frame", paths, "prims with shapes")
    matrix = UsdGeom.XformCache().GetLocalToWorldTransform(camera.GetPrim())
    back = np.array(matrix)[2, :3]
    half = camera.GetHorizontalApertureAttr().Get() / camera.GetFocalLengthAttr().Get() / 2.0
    half = min(half, half / aspect_ratio)  # of the shorter side
    center = 0.5 * (box[:3] + box[3:])
    eye = center + back / np.linalg.norm(back) * size / (half * zoom)
    viewports.set_camera_view(eye, center, str(prim_to_move))


@command("AddRigidBodyMaterial")
def add_rigid_body_material(
    stage: Usd.Stage,
    path: str,
    staticFriction: float | None = None,
    dynamicFriction: float | None = None,
    restitution: float | None = None,
    density: float | None = None,
) -> None:
    """Make a material of rigid bodies; what is None is not written."""
    material = UsdShade.Material.Define(stage, str(path))
    physics = UsdPhysics.MaterialAPI.Apply(material.GetPrim())
    for create, value in (
        (physics.CreateStaticFrictionAttr, staticFriction),
        (physics.CreateDynamicFrictionAttr, dynamicFriction),
        (physics.CreateRestitutionAttr, restitution),
        (physics.CreateDensityAttr, density),
    ):
        if value is not None:
            create(float(value))


@command("CreatePreviewSurfaceMaterialPrim")
def create_preview_surface(mtl_path: str, select_new_prim: bool = True) -> None:
    """Make a material of USD's preview surface."""
    material = UsdShade.Material.Define(handles.current_stage(), str(mtl_path))
    shader = UsdShade.Shader.Define(handles.current_stage(), f"{mtl_path}/Shader")
    shader.CreateIdAttr("UsdPreviewSurface")
    material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    if select_new_prim:
        context.get_context().get_selection().set_selected_prim_paths([str(mtl_path)])
