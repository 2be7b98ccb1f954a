"""What is seen of a stage: its prims where they are, and the camera that a script looks through."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from pxr import Usd, UsdGeom

from unibody.isaac_core import handles
from unibody.isaac_core.functions.viewports import centre_of_interest, put_camera
from unibody.isaac_core.kit import viewports
from unibody.isaac_core.kit.cameras import PERSPECTIVE, is_where_it_was_put
from unibody.isaac_core.kit.pictures import pictures_of
from unibody.isaac_core.sensors.beams import Beams, shown
from unibody.isaac_core.simulation import seam

if TYPE_CHECKING:
    from unibody.core.render.camera import Frames
    from unibody.core.render.visual_shapes import VisualShape
    from unibody.viewer.items import Vec3


_ROUNDED = 1e-4  # of the distance between eye and target


class Look(NamedTuple):
    """How a camera of the stage looks.

    Attributes:
        eye: Where it stands [m].
        target: What is 1 m ahead of it.
        fov: Vertical field of view [rad].
        centre: What the view turns about: the centre of interest of a camera that was made to look
            at something, else the point of its axis that is nearest to the origin [m].
    """

    eye: Vec3
    target: Vec3
    fov: float
    centre: Vec3


class Place(NamedTuple):
    """Where somebody looks from and at, in the world [m]."""

    eye: Vec3
    target: Vec3


class Seen(NamedTuple):
    """What there is to see.

    Attributes:
        parts: How prims look; another list where one looks otherwise than before.
        frames: Where the prims are.
        paths: Of the prims.
    """

    parts: list[VisualShape]
    frames: Frames
    paths: list[str]


def seen() -> Seen:
    """What there is to see now."""
    seam.flush()
    pictures = pictures_of(handles.current_stage())
    return Seen(*pictures.look(), pictures.paths)


def beams() -> list[Beams]:
    """Those of lidars of the stage that were asked to draw them."""
    stage = handles.current_stage()
    return [some for some in shown if stage.GetPrimAtPath(some.path)]


def environments() -> list[str]:
    """Paths of the environments of the stage, in its order."""
    return seam.environments(handles.current_stage())


def is_y_up() -> bool:
    """Whether y is the axis that is up; else z is."""
    return UsdGeom.GetStageUpAxis(handles.current_stage()) == UsdGeom.Tokens.y


def look() -> Look | None:
    """How the camera of the first viewport looks.

    Returns:
        None while it is the perspective that nobody has moved, and for parallel projections.
    """
    viewport = viewports.windows()[0].viewport_api
    stage, path = handles.current_stage(), str(viewport.get_active_camera())
    prim = stage.GetPrimAtPath(path)
    if not prim or not prim.IsA(UsdGeom.Camera):
        return None
    if path == PERSPECTIVE and is_where_it_was_put(stage, path):
        return None
    camera = UsdGeom.Camera(prim)
    if camera.GetProjectionAttr().Get() == UsdGeom.Tokens.orthographic:
        return None
    matrix = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(prim))
    unit = UsdGeom.GetStageMetersPerUnit(stage)
    eye = matrix[3, :3] * unit
    ahead = -matrix[2, :3] / np.linalg.norm(matrix[2, :3])
    interest = centre_of_interest(prim)
    distance = max(1.0, float(-eye @ ahead)) if interest is None else interest * unit
    width, height = viewport.get_texture_resolution()
    fov = _vertical_fov(camera, width / height)
    return Look(_point(eye), _point(eye + ahead), fov, _point(eye + distance * ahead))


def differ(one: Place, other: Place) -> bool:
    """Whether two views differ by more than what a page rounds."""
    distance = math.dist(one.eye, one.target)
    moved = max(math.dist(one.eye, other.eye), math.dist(one.target, other.target))
    return moved > _ROUNDED * distance


def move_camera(place: Place) -> None:
    """Let the camera of the first viewport look from there, as its window lets somebody do.

    Parallel projections stay: a page has none.
    """
    stage = handles.current_stage()
    path = str(viewports.windows()[0].viewport_api.get_active_camera())
    camera = UsdGeom.Camera(stage.GetPrimAtPath(path))
    if not camera or camera.GetProjectionAttr().Get() == UsdGeom.Tokens.orthographic:
        return
    eye, target = np.array(place) / UsdGeom.GetStageMetersPerUnit(stage)
    up = (0.0, 1.0, 0.0) if is_y_up() else (0.0, 0.0, 1.0)
    put_camera(camera.GetPrim(), eye, target, up)


def _vertical_fov(camera: UsdGeom.Camera, aspect: float) -> float:
    """Of a picture as wide as the aperture, whose pixels are squares [rad]."""
    wide = camera.GetHorizontalApertureAttr().Get(Usd.TimeCode.Default())
    focal = camera.GetFocalLengthAttr().Get(Usd.TimeCode.Default())
    return 2.0 * math.atan(0.5 * wide / (aspect * focal))


def _point(values: np.ndarray) -> Vec3:
    x, y, z = (float(value) for value in values)
    return x, y, z
