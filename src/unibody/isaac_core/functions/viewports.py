"""Viewports: cameras that look, what their lenses are, and points behind pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.kit import context
from unibody.isaac_core.kit import viewports as records
from unibody.isaac_core.kit.vectors import Float3

_INTEREST = "omni:kit:centerOfInterest"  # the attribute's name in Kit; in the camera's frame


def set_camera_view(
    eye: np.ndarray,
    target: np.ndarray,
    camera_prim_path: str = "/OmniverseKit_Persp",
    viewport_api: Any = None,
) -> None:
    """Let a camera look at a place.

    Args:
        eye: (3,) where it stands, in the world.
        target: (3,) where it looks.
        camera_prim_path: The camera; the operations that say where it stands stay of their kinds.
        viewport_api: Whose stage it is on; None: the app's.

    Raises:
        InvalidArgumentError: There is no such camera, or the eye is at the target.
    """
    stage = handles.current_stage() if viewport_api is None else viewport_api.stage
    prim = stage.GetPrimAtPath(camera_prim_path)
    if not prim:
        raise InvalidArgumentError("camera_prim_path", camera_prim_path, "the path of a prim")
    put_camera(prim, np.asarray(eye, dtype=float), np.asarray(target, dtype=float))


def put_camera(
    prim: Usd.Prim,
    eye: np.ndarray,
    target: np.ndarray,
    up: tuple[float, float, float] = (0.0, 0.0, 1.0),
) -> None:
    """Let the prim of a camera look at a place.

    Args:
        prim: Its operations that say where it stands stay of their kinds.
        eye: (3,) where it stands, in the world.
        target: (3,) where it looks.
        up: Axis of the world that is up on its screen.

    Raises:
        InvalidArgumentError: The eye is at the target.
    """
    matrix = _looking(eye, target, up)
    above = UsdGeom.Xformable(prim.GetParent())
    if above:
        parent = above.ComputeLocalToWorldTransform(Usd.TimeCode.Default())
        matrix = matrix * parent.GetInverse()
    _write(prim, matrix)
    with Usd.EditContext(prim.GetStage(), _layer_of(prim)):
        kind = Sdf.ValueTypeNames.Vector3d
        interest = prim.CreateAttribute(_INTEREST, kind, True, Sdf.VariabilityUniform)
        interest.Set(Gf.Vec3d(0.0, 0.0, -float(np.linalg.norm(target - eye))))


def centre_of_interest(prim: Usd.Prim) -> float | None:
    """How far ahead of a camera lies what its view turns about [stage units]; None: not known."""
    value = prim.GetAttribute(_INTEREST).Get() if prim.HasAttribute(_INTEREST) else None
    return None if value is None else float(Gf.Vec3d(value).GetLength())


def _looking(eye: np.ndarray, target: np.ndarray, up: tuple[float, float, float]) -> Gf.Matrix4d:
    """The transform of a camera; one that looks along ``up`` has y, or z, ahead on its screen."""
    ahead = target - eye
    length = np.linalg.norm(ahead)
    if length == 0:
        raise InvalidArgumentError("target", target.tolist(), "a place that is not the eye's")
    if np.linalg.norm(np.cross(ahead / length, up)) < 1e-9:
        up = (0.0, up[2], up[1])
    places = (Gf.Vec3d(*eye.tolist()), Gf.Vec3d(*target.tolist()))
    view = Gf.Matrix4d().SetLookAt(*places, Gf.Vec3d(*up))
    return view.GetInverse()


def _layer_of(prim: Usd.Prim) -> Any:
    """Where values of a camera are written: those that every stage has are not saved with it."""
    stage = prim.GetStage()
    session = stage.GetSessionLayer()
    kept = session is not None and session.GetPrimAtPath(prim.GetPath()) is not None
    return session if kept else stage.GetEditTarget()


def _write(prim: Usd.Prim, matrix: Gf.Matrix4d) -> None:
    with Usd.EditContext(prim.GetStage(), _layer_of(prim)):
        xform = UsdGeom.Xformable(prim)
        rotation = matrix.ExtractRotation()
        for op in xform.GetOrderedXformOps():
            kind = op.GetOpType()
            if kind == UsdGeom.XformOp.TypeTranslate:
                op.Set(_vector(op, matrix.ExtractTranslation()))
            elif kind == UsdGeom.XformOp.TypeOrient:
                op.Set(type(op.Get() or Gf.Quatd())(matrix.ExtractRotationQuat()))
            elif kind == UsdGeom.XformOp.TypeTransform:
                op.Set(matrix)
            elif kind in _ORDERS:
                op.Set(_vector(op, Gf.Vec3d(*_angles(rotation, _ORDERS[kind]))))


_ORDERS = {
    UsdGeom.XformOp.TypeRotateXYZ: (0, 1, 2),
    UsdGeom.XformOp.TypeRotateXZY: (0, 2, 1),
    UsdGeom.XformOp.TypeRotateYXZ: (1, 0, 2),
    UsdGeom.XformOp.TypeRotateYZX: (1, 2, 0),
    UsdGeom.XformOp.TypeRotateZXY: (2, 0, 1),
    UsdGeom.XformOp.TypeRotateZYX: (2, 1, 0),
}


def _vector(op: UsdGeom.XformOp, value: Gf.Vec3d) -> Any:
    kinds = {UsdGeom.XformOp.PrecisionFloat: Gf.Vec3f, UsdGeom.XformOp.PrecisionHalf: Gf.Vec3h}
    return kinds.get(op.GetPrecision(), Gf.Vec3d)(value)


def _angles(rotation: Gf.Rotation, order: tuple[int, int, int]) -> list[float]:
    """Angles about x, y, z [deg] of a rotation about the axes in an order, of smallest sum."""
    axes = [Gf.Vec3d.XAxis(), Gf.Vec3d.YAxis(), Gf.Vec3d.ZAxis()]
    # Decompose takes the axis of the last rotation first.
    found = rotation.Decompose(*(axes[axis] for axis in reversed(order)))
    # Half a turn more about both outer axes, and the middle one mirrored, is the same rotation.
    other = (found[0] + 180.0, 180.0 - found[1], found[2] + 180.0)
    both = [[(angle + 180.0) % 360.0 - 180.0 for angle in one] for one in (found, other)]
    turns = [[180.0 if angle == -180.0 else angle for angle in one[:3]] for one in both]
    chosen = min(turns, key=lambda one: sum(abs(angle) for angle in one))
    angles = [0.0, 0.0, 0.0]
    for axis, angle in zip(reversed(order), chosen, strict=True):
        angles[axis] = angle
    return angles


def get_intrinsics_matrix(viewport_api: Any) -> np.ndarray:
    """(3, 3) matrix of the lens [px]; +x is right and +y down, pixels are squares."""
    width, height = viewport_api.get_texture_resolution()
    camera = UsdGeom.Camera(_camera(viewport_api))
    focal = camera.GetFocalLengthAttr().Get() * width / camera.GetHorizontalApertureAttr().Get()
    return np.array([[focal, 0.0, width * 0.5], [0.0, focal, height * 0.5], [0.0, 0.0, 1.0]])


def set_intrinsics_matrix(
    viewport_api: Any, intrinsics_matrix: np.ndarray, focal_length: float = 1.0
) -> None:
    """Set the lens of a viewport's camera; the centre of the picture stays in its middle.

    Args:
        viewport_api: The viewport.
        intrinsics_matrix: (3, 3) matrix [px].
        focal_length: Which the apertures are found for.

    Raises:
        ValueError: The matrix is not (3, 3), or there is no camera.
    """
    matrix = np.asarray(intrinsics_matrix)
    if matrix.shape != (3, 3):
        raise InvalidArgumentError("intrinsics_matrix", matrix.shape, "a matrix (3, 3)")
    prim = _camera(viewport_api)
    width, height = viewport_api.get_texture_resolution()
    with Usd.EditContext(prim.GetStage(), _layer_of(prim)):
        camera = UsdGeom.Camera(prim)
        camera.CreateFocalLengthAttr().Set(float(focal_length))
        camera.CreateHorizontalApertureAttr().Set(float(width * focal_length / matrix[0, 0]))
        camera.CreateVerticalApertureAttr().Set(float(height * focal_length / matrix[1, 1]))


def backproject_depth(
    depth_image: np.ndarray, viewport_api: Any, max_clip_depth: float
) -> np.ndarray:
    """(H * W, 3) points in front of a camera, in its frame, whose -z looks ahead.

    Args:
        depth_image: (H, W) distances along the line of sight.
        viewport_api: The viewport.
        max_clip_depth: Depths beyond it are taken as it.
    """
    depth = np.minimum(np.asarray(depth_image, dtype=float), max_clip_depth)
    height, width = depth.shape
    lens = get_intrinsics_matrix(viewport_api)
    columns, rows = np.meshgrid(np.arange(width), np.arange(height))
    x = (columns + 0.5 - lens[0, 2]) * depth / lens[0, 0]
    y = -(rows + 0.5 - lens[1, 2]) * depth / lens[1, 1]
    return np.stack([x, y, -depth], axis=-1).reshape(-1, 3)


def project_depth_to_worldspace(
    depth_image: np.ndarray, viewport_api: Any, max_clip_depth: float
) -> list[Float3]:
    """Points in the world behind the pixels of a picture of depths."""
    points = backproject_depth(depth_image, viewport_api, max_clip_depth)
    xform = UsdGeom.Xformable(_camera(viewport_api))
    matrix = np.array(xform.ComputeLocalToWorldTransform(Usd.TimeCode.Default()))
    return [Float3(*point) for point in points @ matrix[:3, :3] + matrix[3, :3]]


def get_viewport_names(usd_context_name: str | None = None) -> list[str]:
    """Titles of all windows; there is one context, whose name is "".

    Raises:
        InvalidArgumentError: Another context was named.
    """
    context.get_context(usd_context_name or "")
    return [window.title for window in records.windows()]


def get_id_from_index(index: int) -> Any:
    """Number of the viewport at a place in the list; None if there is none."""
    found = records.windows()
    return found[index].viewport_api.id if 0 <= index < len(found) else None


def get_window_from_id(id: Any, usd_context_name: str | None = None) -> Any:
    """The window of a viewport's number; None if there is none.

    Raises:
        InvalidArgumentError: A context was named that there is not.
    """
    context.get_context(usd_context_name or "")
    found = [one for one in records.windows() if one.viewport_api.id == id]
    return found[0] if found else None


def create_viewport_for_camera(
    viewport_name: str,
    camera_prim_path: str,
    width: int = 1280,
    height: int = 720,
    position_x: int = 0,
    position_y: int = 0,
) -> None:
    """Record a window of a title with a camera, or give the one of that title the camera."""
    found = records.get_active_viewport_window(viewport_name)
    if found is None:
        records.create_viewport_window(
            viewport_name, "", width, height, position_x, position_y, camera_prim_path
        )
        return
    found.viewport_api.set_active_camera(camera_prim_path)
    found.viewport_api.set_texture_resolution((width, height))
    found.position_x, found.position_y = position_x, position_y


def destroy_all_viewports(
    usd_context_name: str | None = None, destroy_main_viewport: bool = True
) -> None:
    """Forget all windows, or all but the first.

    Raises:
        InvalidArgumentError: A context was named that there is not.
    """
    context.get_context(usd_context_name or "")
    for window in records.windows()[0 if destroy_main_viewport else 1 :]:
        window.destroy()


def add_aov_to_viewport(viewport_api: Any, aov_name: str) -> None:
    """Record what a viewport draws, too."""
    if aov_name not in viewport_api.aovs:
        viewport_api.aovs.append(aov_name)


def _camera(viewport_api: Any) -> Usd.Prim:
    path = str(viewport_api.get_active_camera())
    prim = viewport_api.stage.GetPrimAtPath(path)
    if not prim or not prim.IsA(UsdGeom.Camera):
        raise InvalidArgumentError("viewport_api", path, "a viewport with a camera of the stage")
    return prim
