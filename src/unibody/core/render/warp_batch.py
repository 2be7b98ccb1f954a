"""The batch backend for GPUs: mujoco-warp traces one ray a pixel, for all worlds at once.

It runs on Warp's CPU device too, where it is meant for tests. What it does not have is refused:
a projector of textures, wireframes and translucency. There is no near plane. Shadows are hard, and
a shadow map only says that they are wanted.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.batch import Job, Shot, check_shots, jobs_of
from unibody.core.render.camera import EVERYTHING, PLAIN, Camera, Frames, Picture, Style, Wanted
from unibody.core.render.software import blank
from unibody.core.render.stage import Stage
from unibody.core.render.staged_model import StagedModel
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.extras import install_command

_MM = 1e-3  # focal lengths and sensors are told in units of this
_MOST_LOADED = 8  # stages on the device
_RGB = 1  # the column of colours among the textures of a material


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
                "pictures on a GPU without mujoco-warp", f"install it: {install_command('gpu')}"
            )
        self._wp: Any = importlib.import_module("warp")
        self._device = self._wp.get_device(device)
        self._loaded: OrderedDict[tuple[Any, ...], _Loaded] = OrderedDict()

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
        check_shots(stage, shots, frames)
        for shot in shots:
            if not np.array_equal(shot.camera.projection, shots[0].camera.projection):
                raise InvalidArgumentError("shots", "several projections", "one projection")
        picture = blank(shots[0].camera, wanted, len(shots))
        self.draw(jobs_of(picture, stage, shots, frames), style, wanted.label_bits)
        return picture

    def draw(
        self, jobs: Sequence[Job], style: Style = PLAIN, label_bits: int = EVERYTHING.label_bits
    ) -> None:
        """Draw pictures into their arrays; see ``BatchRenderer.draw``.

        Pictures of one size, one projection and the same parts are traced together, whatever their
        colours and textures are.

        Raises:
            InvalidArgumentError: A part follows a frame that has no pose.
            NotSupportedError: A parallel projection, or a style that cannot be drawn.
        """
        groups: dict[tuple[Any, ...], list[Job]] = {}
        for job in jobs:
            _check(job, style)
            _empty(job.picture, style)
            if job.stage.parts and job.camera.sees():
                camera = job.camera
                size = camera.width, camera.height
                key = (id(job.stage.parts), size, camera.projection.tobytes())
                groups.setdefault(key, []).append(job)
        with self._wp.ScopedDevice(self._device):
            for group in groups.values():
                loaded = self._load(group, style)
                loaded.set(group, style)
                loaded.take(group, label_bits)

    def close(self) -> None:
        """Forget what is on the device."""
        self._loaded.clear()

    def _load(self, jobs: list[Job], style: Style) -> _Loaded:
        """The stage of some pictures on the device; the last few stay there."""
        stage, camera = jobs[0].stage, jobs[0].camera
        textures = {int(row) for job in jobs for row in job.stage.instances.texture}
        shadows = any(light.shadow is not None for light in style.lights)
        size = camera.width, camera.height
        key = (id(stage.parts), len(jobs), size, len(style.lights), shadows)
        loaded = self._loaded.pop(key, None)
        if loaded is None or not textures <= loaded.images:
            loaded = _Loaded(self._wp, stage, *key[1:], textures)
        self._loaded[key] = loaded
        while len(self._loaded) > _MOST_LOADED:
            self._loaded.popitem(last=False)
        return loaded


class _Loaded:
    """A stage on the device.

    Attributes:
        images: Rows of the images of the stage that are there, and -1 for none.
    """

    def __init__(
        self,
        wp: Any,
        stage: Stage,
        worlds: int,
        size: tuple[int, int],
        lights: int,
        shadows: bool,
        images: set[int],
    ) -> None:
        mjw: Any = importlib.import_module("mujoco_warp")
        self._wp, self._mjw, self._stage, self._size = wp, mjw, stage, size
        self.images = {-1, *images, *stage.instances.texture.tolist()}
        self._staged = StagedModel(stage, max(1, lights), sorted(images))
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

    def set(self, jobs: list[Job], style: Style) -> None:
        """Write poses, cameras, colours, textures and lights."""
        positions, rotations = self._staged.place(
            Frames(
                np.stack([job.frames.positions for job in jobs]),
                np.stack([job.frames.quats for job in jobs]),
            )
        )
        data, model = self._data, self._model
        self._write(data.geom_xpos, positions)
        self._write(data.geom_xmat, rotations)
        eyes = np.linalg.inv([job.camera.view for job in jobs])
        self._write(data.cam_xpos, eyes[:, None, :3, 3])
        self._write(data.cam_xmat, eyes[:, None, :3, :3])
        self._write(model.cam_intrinsic, _intrinsic(jobs[0].camera)[None, None])
        self._dress([job.stage for job in jobs])
        self._light(style)

    def _dress(self, stages: list[Stage]) -> None:
        """Write colours and textures, of each world its own."""
        model, parts = self._model, self._staged.parts
        colors = np.stack([stage.instances.colors[parts] for stage in stages]).astype(np.float32)
        colors[..., 3] = np.where(colors[..., 3] != 0.0, 1.0, 0.0)
        # grey stands for the colour of the material
        for name in ("geom_rgba", "mat_rgba"):
            setattr(model, name, self._wp.array(colors, dtype=self._wp.vec4))
        textures = np.repeat(model.mat_texid.numpy()[:1], len(stages), axis=0)
        for row, stage in zip(textures, stages, strict=True):
            row[:, _RGB] = self._staged.textures[stage.instances.texture[parts]]
        model.mat_texid = self._wp.array(textures, dtype=int)

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

    def take(self, jobs: list[Job], label_bits: int) -> None:
        """Trace the pictures, and copy what is seen into their arrays."""
        mjw, context = self._mjw, self._context
        mjw.refit_bvh(self._model, self._data, context)
        mjw.render(self._model, self._data, context)
        worlds, (width, height) = self._data.nworld, self._size
        shape = (worlds, height, width)
        z = context.depth_data.numpy().reshape(shape)
        geoms = context.seg_data.numpy().reshape(*shape, 2)[..., 0]
        p = jobs[0].camera.projection
        with np.errstate(divide="ignore"):
            depth = 0.5 + 0.5 * (p[2, 2] * -z + p[2, 3]) / z
        hit = (geoms >= 0) & (depth < 1.0)
        packed = context.rgb_data.numpy().reshape(shape)
        for world, (picture, stage, _, _) in enumerate(jobs):
            seen = hit[world]
            if len(picture.color):
                rgb = packed[world][seen]
                picture.color[seen, :3] = np.stack([rgb >> 16, rgb >> 8, rgb], axis=-1) & 255
            if len(picture.depth):
                picture.depth[seen] = depth[world][seen]
            if len(picture.segmentation):
                labels = stage.labels[self._staged.parts[geoms[world][seen]]]
                picture.segmentation[seen] = labels & label_bits


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


def _check(job: Job, style: Style) -> None:
    stage, count = job.stage, len(job.frames.positions)
    if stage.last_frame >= count:
        raise InvalidArgumentError("frames", count, f"a pose for frame {stage.last_frame}")
    if job.camera.projection[3, 2] == 0.0:
        raise NotSupportedError("a parallel projection on a GPU", "use BatchRenderer")
    for name, is_on in (
        ("a projector of textures", style.projector is not None),
        ("a wireframe", style.wireframe),
        ("translucency", style.translucent and len(stage.translucent) > 0),
    ):
        if is_on:
            raise NotSupportedError(f"{name} on a GPU", "use BatchRenderer")
