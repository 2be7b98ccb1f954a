"""The batch backend for GPUs: mujoco-warp traces one ray a pixel, for all worlds at once.

It runs on Warp's CPU device too, where it is meant for tests. What it does not have is refused:
a projector of textures, wireframes and translucency. There is no near plane. Shadows are hard, and
a shadow map only says that they are wanted.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.batch import Shot
from unibody.core.render.camera import EVERYTHING, PLAIN, Camera, Frames, Picture, Style, Wanted
from unibody.core.render.software import blank
from unibody.core.render.stage import Stage
from unibody.core.render.staged_model import StagedModel
from unibody.errors import InvalidArgumentError, NotSupportedError

_MM = 1e-3  # focal lengths and sensors are told in units of this


class WarpBatchRenderer:
    """Takes pictures of many worlds that show the same parts.

    Args:
        device: Of Warp, such as "cuda:0" or "cpu".

    Raises:
        NotSupportedError: mujoco-warp is not installed.
    """

    def __init__(self, device: str = "cuda:0") -> None:
        if importlib.util.find_spec("mujoco_warp") is None:
            raise NotSupportedError(
                "pictures on a GPU without mujoco-warp", 'install it: pip install "unibody[gpu]"'
            )
        self._wp: Any = importlib.import_module("warp")
        self._device = self._wp.get_device(device)
        self._key: tuple[Any, ...] = ()
        self._loaded: _Loaded | None = None

    def render(
        self,
        stage: Stage,
        shots: Sequence[Shot],
        frames: Frames,
        style: Style = PLAIN,
        wanted: Wanted = EVERYTHING,
    ) -> Picture:
        """Take pictures; see ``BatchRenderer.render``.

        Raises:
            InvalidArgumentError: No shot, cameras of several sizes or projections, no such world,
                or a part follows a frame that has no pose.
            NotSupportedError: A parallel projection, or a style that cannot be drawn.
        """
        camera = _check(stage, shots, frames, style)
        picture = blank(camera, wanted, len(shots))
        _empty(picture, style)
        if not stage.parts or not camera.sees():
            return picture
        shadows = any(light.shadow is not None for light in style.lights)
        size = camera.width, camera.height
        key = (len(shots), size, len(style.lights), shadows)
        with self._wp.ScopedDevice(self._device):
            loaded = self._loaded
            if loaded is None or self._key != key or loaded.parts is not stage.parts:
                loaded = self._loaded = _Loaded(self._wp, stage, *key)
                self._key = key
            loaded.set(stage, shots, frames, style)
            loaded.take(picture, camera, stage.labels, wanted)
        return picture


class _Loaded:
    """A stage on the device."""

    def __init__(
        self, wp: Any, stage: Stage, worlds: int, size: tuple[int, int], lights: int, shadows: bool
    ) -> None:
        mjw: Any = importlib.import_module("mujoco_warp")
        self._wp, self._mjw, self.parts = wp, mjw, stage.parts
        self._staged = StagedModel(stage, max(1, lights))
        model = self._staged.model
        model.cam_sensorsize[:] = _MM * size[0], _MM * size[1]
        self._model = mjw.put_model(model)
        self._data = mjw.make_data(model, nworld=worlds)
        self._context = mjw.create_render_context(
            model,
            nworld=worlds,
            cam_res=size,
            render_rgb=True,
            render_depth=True,
            render_seg=True,
            use_shadows=shadows,
            use_precomputed_rays=False,
            shadow_light_fraction=0.0,
        )
        self._size = size

    def set(self, stage: Stage, shots: Sequence[Shot], frames: Frames, style: Style) -> None:
        """Write poses, cameras, colours and lights."""
        worlds = [shot.world for shot in shots]
        chosen = Frames(np.asarray(frames.positions)[worlds], np.asarray(frames.quats)[worlds])
        positions, rotations = self._staged.place(chosen)
        data, model = self._data, self._model
        self._write(data.geom_xpos, positions)
        self._write(data.geom_xmat, rotations)
        eyes = np.linalg.inv([shot.camera.view for shot in shots])
        self._write(data.cam_xpos, eyes[:, None, :3, 3])
        self._write(data.cam_xmat, eyes[:, None, :3, :3])
        self._write(model.cam_intrinsic, _intrinsic(shots[0].camera)[None, None])
        colors = stage.instances.colors[self._staged.parts].astype(np.float32)
        solid = np.column_stack([colors[:, :3], np.where(colors[:, 3] != 0.0, 1.0, 0.0)])
        self._write(model.geom_rgba, solid[None])
        self._light(style)

    def _light(self, style: Style) -> None:
        count = max(1, len(style.lights))
        rows = np.zeros((4, count, 3))
        casts = np.zeros((1, count), dtype=bool)
        for k, light in enumerate(style.lights):
            toward = np.asarray(light.direction, dtype=np.float64)
            rows[0, k] = -toward / (np.linalg.norm(toward) or 1.0)
            rows[1, k] = light.ambient
            rows[2, k] = light.diffuse * np.asarray(light.color)
            rows[3, k] = light.specular * np.asarray(light.color)
            casts[0, k] = light.shadow is not None
        worlds = self._data.nworld
        self._write(self._data.light_xdir, np.repeat(rows[:1], worlds, axis=0))
        model = self._model
        self._write(model.light_ambient, rows[1:2])
        self._write(model.light_diffuse, rows[2:3])
        self._write(model.light_specular, rows[3:4])
        self._write(model.light_castshadow, casts)

    def _write(self, array: Any, values: NDArray[Any]) -> None:
        """Write values; an array with one row for all worlds gets the first one."""
        array.assign(self._wp.array(values[: array.shape[0]], dtype=array.dtype))

    def take(self, picture: Picture, camera: Camera, labels: Any, wanted: Wanted) -> None:
        mjw, context = self._mjw, self._context
        mjw.refit_bvh(self._model, self._data, context)
        mjw.render(self._model, self._data, context)
        worlds, (width, height) = self._data.nworld, self._size
        shape = (worlds, height, width)
        z = context.depth_data.numpy().reshape(shape)
        geoms = context.seg_data.numpy().reshape(*shape, 2)[..., 0]
        p = camera.projection
        with np.errstate(divide="ignore"):
            depth = 0.5 + 0.5 * (p[2, 2] * -z + p[2, 3]) / z
        hit = (geoms >= 0) & (depth < 1.0)
        if wanted.color:
            packed = context.rgb_data.numpy().reshape(shape)
            channels = np.stack([packed >> 16, packed >> 8, packed], axis=-1) & 255
            picture.color[..., :3][hit] = channels[hit]
        if wanted.depth:
            picture.depth[hit] = depth[hit]
        if wanted.segmentation:
            picture.segmentation[hit] = labels[self._staged.parts[geoms[hit]]] & wanted.label_bits


def _intrinsic(camera: Camera) -> NDArray[np.float64]:
    """Focal lengths and principal point, in metres of the sensor."""
    p, width, height = camera.projection, _MM * camera.width, _MM * camera.height
    # a pixel is seen at its lower left corner, as in the software backend, not at its middle
    shift_x, shift_y = p[0, 2] - 1.0 / camera.width, p[1, 2] - 1.0 / camera.height
    return np.array(
        [0.5 * width * p[0, 0], 0.5 * height * p[1, 1], 0.5 * width * shift_x,
         -0.5 * height * shift_y]
    )  # fmt: skip


def _empty(picture: Picture, style: Style) -> None:
    if len(picture.color):
        picture.color[..., :3] = np.clip(style.background, 0.0, 255.0)
        picture.color[..., 3] = 255
    if len(picture.depth):
        picture.depth[:] = 1.0
    if len(picture.segmentation):
        picture.segmentation[:] = -1


def _check(stage: Stage, shots: Sequence[Shot], frames: Frames, style: Style) -> Camera:
    if not shots:
        raise InvalidArgumentError("shots", 0, "at least one")
    camera = shots[0].camera
    for shot in shots:
        other = shot.camera
        if (other.width, other.height) != (camera.width, camera.height):
            raise InvalidArgumentError("shots", (other.width, other.height), "cameras of one size")
        if not np.array_equal(other.projection, camera.projection):
            raise InvalidArgumentError("shots", "several projections", "one projection")
        if not 0 <= shot.world < len(frames.positions):
            allowed = f"worlds from 0 to {len(frames.positions) - 1}"
            raise InvalidArgumentError("shots", shot.world, allowed)
    if stage.last_frame >= frames.positions.shape[1]:
        count = frames.positions.shape[1]
        raise InvalidArgumentError("frames", count, f"a pose for frame {stage.last_frame}")
    if camera.projection[3, 2] == 0.0:
        raise NotSupportedError("a parallel projection on a GPU", "use BatchRenderer")
    for name, is_on in (
        ("a projector of textures", style.projector is not None),
        ("a wireframe", style.wireframe),
        ("translucency", style.translucent and len(stage.translucent) > 0),
    ):
        if is_on:
            raise NotSupportedError(f"{name} on a GPU", "use BatchRenderer")
    return camera
