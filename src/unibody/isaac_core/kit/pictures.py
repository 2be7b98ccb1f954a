"""Pictures of the stage: what its prims look like where they are, seen by a camera of the stage."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from pxr import Gf, Usd, UsdGeom, UsdShade

from unibody.core.assets.description import Pose, Shape
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd.shapes import ShapeReader
from unibody.core.assets.usd.units import Units
from unibody.core.render.backends import Renderer, make_renderer
from unibody.core.render.camera import (
    Camera,
    Frames,
    Light,
    Picture,
    Style,
    Wanted,
    parallel,
    sun_shadow,
)
from unibody.core.render.mesh import Part
from unibody.core.render.parts import parts_of
from unibody.core.render.stage import Stage
from unibody.core.render.visual_shapes import VisualShape
from unibody.errors import InvalidArgumentError

F64 = npt.NDArray[np.float64]
_SKY = (178.0, 190.0, 204.0)
_SUN = (-0.4, -0.5, 1.0)
_GREY = (0.6, 0.6, 0.6, 1.0)
_MM = 10.0  # apertures and focal lengths of USD are tenths of the stage's unit


class Pictures:
    """Takes pictures of a stage.

    Attributes:
        stage: The stage.
        paths: Of the prims that are shown; their numbers are the labels of pictures.
    """

    def __init__(self, stage: Usd.Stage) -> None:
        self.stage = stage
        self.paths: list[str] = []
        self._shown: tuple[Any, ...] = ()
        self._own: dict[Any, list[VisualShape]] = {}
        self._visuals = []
        self._parts: dict[int, list[Part]] = {}
        self._drawn, self._drawn_of = Stage(), self._visuals
        self._renderer: Renderer | None = None

    def take(self, camera: Camera, wanted: Wanted) -> Picture:
        """A picture of the stage as it is now."""
        frames = self._show()
        if self._renderer is None:
            self._renderer = make_renderer()
        return self._renderer.render(self._drawn, camera, frames, _style(frames), wanted)

    def look(self) -> tuple[list[VisualShape], Frames]:
        """What there is to see now, each on the frame of its prim, and where these are.

        The list is another one where something looks otherwise than before.
        """
        cache = UsdGeom.XformCache()
        seen: list[tuple[Usd.Prim, Pose, tuple[float, ...]]] = []
        for prim in _gprims(self.stage):
            pose, scale = _placed(cache.GetLocalToWorldTransform(prim))
            seen.append((prim, pose, scale))
        keys = tuple((str(prim.GetPath()), scale, _look_of(prim)) for prim, _, scale in seen)
        if keys != self._shown:
            self.paths = [key[0] for key in keys]
            self._visuals: list[VisualShape] = [
                replace(visual, frame=number, label=number)
                for number, (key, (prim, pose, _)) in enumerate(zip(keys, seen, strict=True))
                for visual in self._visuals_of(key, prim, pose)
            ]
            kept = set(keys)
            self._own = {key: own for key, own in self._own.items() if key in kept}
            self._shown = keys
        meters = UsdGeom.GetStageMetersPerUnit(self.stage)
        places = np.array([pose.pos for _, pose, _ in seen], float).reshape(-1, 3) * meters
        quats = np.array([pose.quat for _, pose, _ in seen], float).reshape(-1, 4)
        return self._visuals, Frames(places, quats)

    def _show(self) -> Frames:
        """Put the prims that are seen on the stage of the renderer, and tell where they are."""
        visuals, frames = self.look()
        if visuals is not self._drawn_of:
            shown: list[Part] = []
            for visual in visuals:
                surfaces = self._parts_of(visual)
                shown += [replace(p, frame=visual.frame, label=visual.label) for p in surfaces]
            self._drawn.show(shown)
            self._drawn_of = visuals
            kept = {id(visual.shape) for visual in visuals}
            self._parts = {key: own for key, own in self._parts.items() if key in kept}
        return frames

    def _parts_of(self, visual: VisualShape) -> list[Part]:
        """Its parts; a shape that stays is the same object."""
        key = id(visual.shape)
        if key not in self._parts:
            self._parts[key] = list(parts_of(visual))
        return self._parts[key]

    def _visuals_of(self, key: Any, prim: Usd.Prim, pose: Pose) -> list[VisualShape]:
        if key not in self._own:
            reader = ShapeReader(
                _units(self.stage), str(self.stage.GetRootLayer().identifier),
                SearchPath(()), DEFAULT_LIMITS, UsdGeom.XformCache(), decompose=False,
            )  # fmt: skip
            both = bool(UsdGeom.Gprim(prim).GetDoubleSidedAttr().Get())
            self._own[key] = [_visual(shape, both=both) for shape in reader.visuals(prim, pose)]
        return self._own[key]


def _units(stage: Usd.Stage) -> Units:
    """Poses stay in the stage's axes; only lengths become metres."""
    return Units("", UsdGeom.GetStageMetersPerUnit(stage), 1.0, (1.0, 0.0, 0.0, 0.0), "Z")


def _visual(shape: Shape, *, both: bool) -> VisualShape:
    return VisualShape(
        -1, shape, rgba=shape.rgba or _GREY, texture=shape.texture, double_sided=both
    )


def _gprims(stage: Usd.Stage) -> list[Usd.Prim]:
    """What is drawn: shapes that are visible, and neither guides nor proxies."""
    found: list[Usd.Prim] = []
    hidden = (UsdGeom.Tokens.guide, UsdGeom.Tokens.proxy)
    prims = iter(Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()))
    for prim in prims:
        image = UsdGeom.Imageable(prim)
        if not image:
            continue
        stated = image.GetVisibilityAttr().Get()
        if stated == UsdGeom.Tokens.invisible:
            prims.PruneChildren()
            continue
        if prim.IsA(UsdGeom.Gprim) and image.ComputePurpose() not in hidden:
            found.append(prim)
    return found


def _look_of(prim: Usd.Prim) -> Any:
    """What is looked at to see whether a prim looks as it did."""
    material = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
    colour = UsdGeom.Gprim(prim).GetDisplayColorAttr().Get()
    inputs: tuple[Any, ...] = ()
    if material:
        shaders = [one for one in Usd.PrimRange(material.GetPrim()) if one.IsA(UsdShade.Shader)]
        inputs = tuple(
            str(one.GetAttr().Get())
            for node in shaders
            for one in UsdShade.Shader(node).GetInputs()
        )
    sizes = tuple(
        str(prim.GetAttribute(name).Get()) for name in ("size", "radius", "height", "axis")
        if prim.HasAttribute(name)
    )  # fmt: skip
    if prim.IsA(UsdGeom.Mesh):  # its points may be simulated
        points = UsdGeom.Mesh(prim).GetPointsAttr().Get()
        sizes = (*sizes, hash(np.asarray(points).tobytes()) if points is not None else 0)
    return str(colour), str(material.GetPath()) if material else "", inputs, sizes


def _placed(matrix: Gf.Matrix4d) -> tuple[Pose, tuple[float, ...]]:
    """Pose of a prim in the unit of the stage, and its scale."""
    whole = Gf.Transform(matrix)
    at, turn = whole.GetTranslation(), whole.GetRotation().GetQuat().GetNormalized()
    imaginary = turn.GetImaginary()
    pose = Pose((at[0], at[1], at[2]), (turn.GetReal(), *imaginary))
    return pose, tuple(round(float(value), 6) for value in whole.GetScale())


def _style(frames: Frames) -> Style:
    """One sun, with shadows where the things are."""
    near = frames.positions[np.abs(frames.positions).max(axis=1) < 100.0]
    center = near.mean(axis=0) if len(near) else np.zeros(3)
    radius = max(2.0, float(np.linalg.norm(near - center, axis=1).max(initial=0.0)) + 1.0)
    middle = (float(center[0]), float(center[1]), float(center[2]))
    shadow = sun_shadow(_SUN, middle, radius, 2048)
    return Style((Light(_SUN, ambient=0.5, diffuse=0.5, specular=0.02, shadow=shadow),), _SKY)


def focal_pixels(prim: UsdGeom.Camera, width: int) -> float:
    """Focal length in pixels, which are square: as the aperture is as wide as the picture."""
    aperture = prim.GetHorizontalApertureAttr().Get()
    return width * prim.GetFocalLengthAttr().Get() / aperture


def camera_of(
    prim: Usd.Prim, size: tuple[int, int], center: tuple[float, float] | None = None,
    focal: tuple[float, float] | None = None,
) -> Camera:  # fmt: skip
    """A camera of the stage as the renderer has it.

    Args:
        prim: The camera.
        size: Width and height of its pictures [px].
        center: Where its axis meets the picture, from the upper left [px]; None: in the middle.
        focal: Focal lengths along rows and columns [px]; None: as the prim says, pixels are square.

    Raises:
        InvalidArgumentError: The prim is no camera.
    """
    usd = UsdGeom.Camera(prim)
    if not usd:
        raise InvalidArgumentError("prim_path", str(prim.GetPath()), "the path of a camera")
    meters = UsdGeom.GetStageMetersPerUnit(prim.GetStage())
    pose, _ = _placed(UsdGeom.XformCache().GetLocalToWorldTransform(prim))
    matrix = np.eye(4)
    turn = Gf.Matrix3d(Gf.Rotation(Gf.Quatd(pose.quat[0], *pose.quat[1:])))
    matrix[:3, :3] = np.array(turn).T
    matrix[:3, 3] = np.array(pose.pos) * meters
    view: F64 = np.asarray(np.linalg.inv(matrix), np.float64)
    near, far = (float(value) * meters for value in usd.GetClippingRangeAttr().Get())
    near = max(near, 1e-3)
    width, height = size
    if usd.GetProjectionAttr().Get() == UsdGeom.Tokens.orthographic:
        wide = usd.GetHorizontalApertureAttr().Get() / _MM * meters
        return Camera(width, height, view, parallel(wide, wide * height / width, near, far))
    fx, fy = focal or (focal_pixels(usd, width),) * 2
    cx, cy = center or (0.5 * width, 0.5 * height)
    projection = np.array(
        [
            [2.0 * fx / width, 0.0, 1.0 - 2.0 * cx / width, 0.0],
            [0.0, 2.0 * fy / height, 2.0 * cy / height - 1.0, 0.0],
            [0.0, 0.0, (near + far) / (near - far), 2.0 * far * near / (near - far)],
            [0.0, 0.0, -1.0, 0.0],
        ]
    )
    return Camera(width, height, view, projection)


_kept: list[Pictures] = []


def pictures_of(stage: Usd.Stage) -> Pictures:
    """What takes pictures of a stage; there is one for the stage in use."""
    if not _kept or _kept[0].stage != stage:
        _kept[:] = [Pictures(stage)]
    return _kept[0]
