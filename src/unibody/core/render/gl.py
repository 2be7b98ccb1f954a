"""The OpenGL backend: MuJoCo's renderer, on a GPU through EGL, or on Mesa without one.

Shadows are drawn only where a light asks for them, and edges are not smoothed: Mesa is three times
as fast so. Lights are OpenGL's: their gloss follows the viewer, and a shadow map only says that
shadows are wanted.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import importlib.util
import threading
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.render.camera import EVERYTHING, PLAIN, Camera, Frames, Picture, Style, Wanted
from unibody.core.render.software import blank
from unibody.core.render.stage import Stage
from unibody.core.render.staged_model import StagedModel
from unibody.errors import InvalidArgumentError, NotSupportedError

# MuJoCo's modules and what they load. PyOpenGL stays with the first one that is imported.
_PLATFORMS = (("mujoco.egl", "libEGL.so.1"), ("mujoco.osmesa", "libOSMesa.so.8"))
_SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software")
_MAX_LIGHTS = 8
_SHADOW_SIZE = 2048  # pixels
_SMALL = 64  # pixels, of the first offscreen buffer


class GLRenderer:
    """Takes pictures of a stage with OpenGL.

    It may be used from one thread at a time.

    Attributes:
        device: What OpenGL says it draws on.

    Raises:
        NotSupportedError: There is no graphics library that draws without a display.
    """

    def __init__(self) -> None:
        self._context = _new_context()
        self._lock = threading.Lock()
        with self._current():
            library: Any = importlib.import_module("OpenGL.GL")
            name: bytes | None = library.glGetString(library.GL_RENDERER)
        self.device: str = name.decode(errors="replace") if name else ""
        self._stage: Stage | None = None
        self._parts: Any = None
        self._loaded: _Loaded | None = None
        atexit.register(self.close)

    @property
    def on_gpu(self) -> bool:
        """False where OpenGL is computed by the processor."""
        return not any(word in self.device.lower() for word in _SOFTWARE)

    def render(
        self,
        stage: Stage,
        camera: Camera,
        frames: Frames,
        style: Style = PLAIN,
        wanted: Wanted = EVERYTHING,
    ) -> Picture:
        """Take a picture; see ``SoftwareRenderer.render``.

        Raises:
            InvalidArgumentError: A part follows a frame that has no pose.
            NotSupportedError: The style has a projector of textures or more than 8 lights.
        """
        if stage.last_frame >= len(frames.positions):
            count = len(frames.positions)
            raise InvalidArgumentError("frames", count, f"a pose for frame {stage.last_frame}")
        _check(style)
        picture = blank(camera, wanted)
        with self._current():
            loaded = self._load(stage, style.translucent)
            loaded.fit(camera.width, camera.height)
            loaded.place(frames)
            if not camera.sees() or not loaded.has_geoms:
                _leave_empty(picture, style)
                return picture
            loaded.draw(camera, style, wanted, stage.labels, picture)
        return picture

    def _load(self, stage: Stage, translucent: bool) -> _Loaded:
        """The model of a stage; it is kept until another stage or other parts are shown."""
        fresh = self._loaded
        if fresh is None or self._stage is not stage or self._parts is not stage.parts:
            if fresh is not None:
                fresh.free()
            fresh = self._loaded = _Loaded(stage)
            self._stage, self._parts = stage, stage.parts
        fresh.color(stage, translucent)
        return fresh

    @contextlib.contextmanager
    def _current(self) -> Any:
        with self._lock:
            if self._context is None:
                raise NotSupportedError("a picture after close", "make a new GLRenderer")
            self._context.make_current()
            yield

    def close(self) -> None:
        """Give back what is held on the graphics device."""
        if self._context is None:
            return
        atexit.unregister(self.close)
        with self._current():
            if self._loaded is not None:
                self._loaded.free()
        context, self._context = self._context, None
        context.free()


class _Loaded:
    """A stage on the graphics device."""

    def __init__(self, stage: Stage) -> None:
        self._staged = StagedModel(stage)
        model = self._staged.model
        model.vis.global_.offwidth = model.vis.global_.offheight = _SMALL
        model.vis.quality.offsamples = 0
        model.vis.quality.shadowsize = _SHADOW_SIZE
        self._model = model
        self._data: Any = mujoco.MjData(model)
        self._option: Any = mujoco.MjvOption()
        self._view: Any = mujoco.MjvCamera()
        self._scene: Any = mujoco.MjvScene(model, maxgeom=max(1, model.ngeom))
        self._gl: Any = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._gl)
        mujoco.mj_kinematics(model, self._data)

    @property
    def has_geoms(self) -> bool:
        return bool(self._model.ngeom)

    def color(self, stage: Stage, translucent: bool) -> None:
        """Take over colours; without translucency what is not hidden is solid."""
        colors = stage.instances.colors[self._staged.parts].astype(np.float32)
        if not translucent:
            colors[:, 3] = np.where(colors[:, 3] != 0.0, 1.0, 0.0)
        if self.has_geoms:
            self._model.geom_rgba[:] = colors

    def fit(self, width: int, height: int) -> None:
        """Have room for an image."""
        if width > self._gl.offWidth or height > self._gl.offHeight:
            size = max(width, self._gl.offWidth), max(height, self._gl.offHeight)
            mujoco.mjr_resizeOffscreen(*size, self._gl)
            mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._gl)

    def place(self, frames: Frames) -> None:
        if self.has_geoms:
            positions, rotations = self._staged.place(frames)
            self._data.geom_xpos[:] = positions
            self._data.geom_xmat[:] = rotations.reshape(-1, 9)

    def draw(
        self, camera: Camera, style: Style, wanted: Wanted, labels: Any, picture: Picture
    ) -> None:
        model, scene = self._model, self._scene
        mujoco.mjv_updateScene(
            model, self._data, self._option, None, self._view,
            mujoco.mjtCatBit.mjCAT_ALL, scene,
        )  # fmt: skip
        aim(scene, camera)
        self._light(style)
        flags = scene.flags
        flags[:] = 0
        flags[mujoco.mjtRndFlag.mjRND_CULL_FACE] = 1
        flags[mujoco.mjtRndFlag.mjRND_WIREFRAME] = style.wireframe
        shadows = any(light.shadow is not None for light in style.lights)
        flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        mixed = style.translucent and bool((model.geom_rgba[:, 3] < 1.0).any())
        nothing = None
        if wanted.color or style.wireframe or (wanted.depth and not mixed):
            color, depth = self._shoot(camera)
            nothing = depth >= 1.0
            if wanted.color:
                picture.color[..., :3] = color
                picture.color[..., 3] = 255
                picture.color[nothing, :3] = np.clip(style.background, 0.0, 255.0)
            if wanted.depth:
                picture.depth[:] = depth
        if wanted.segmentation or (wanted.depth and mixed):
            flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = 1
            flags[mujoco.mjtRndFlag.mjRND_SHADOW] = 0
            color, depth = self._shoot(camera)
            if wanted.depth and mixed:
                picture.depth[:] = depth
            if wanted.segmentation:
                self._segment(color, labels, wanted.label_bits, picture.segmentation)
                if style.wireframe and nothing is not None:  # MuJoCo fills what it numbers
                    picture.segmentation[nothing] = -1

    def _light(self, style: Style) -> None:
        scene = self._scene
        center = self._model.stat.center
        scene.nlight = len(style.lights)
        for row, light in zip(scene.lights, style.lights, strict=False):
            direction = np.asarray(light.direction, dtype=np.float64)
            direction = direction / (np.linalg.norm(direction) or 1.0)
            tint = np.asarray(light.color, dtype=np.float64)
            row.type = int(mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)
            row.headlight, row.castshadow = 0, int(light.shadow is not None)
            row.dir[:] = -direction
            row.pos[:] = center + 2.0 * self._model.stat.extent * direction
            row.attenuation[:] = (1.0, 0.0, 0.0)
            row.ambient[:] = light.ambient
            row.diffuse[:] = light.diffuse * tint
            row.specular[:] = light.specular * tint

    def _shoot(self, camera: Camera) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        rect = mujoco.MjrRect(0, 0, camera.width, camera.height)
        mujoco.mjr_render(rect, self._scene, self._gl)
        color = np.empty((camera.height, camera.width, 3), dtype=np.uint8)
        depth = np.empty((camera.height, camera.width), dtype=np.float32)
        mujoco.mjr_readPixels(color, depth, rect, self._gl)
        return color[::-1], depth[::-1]

    def _segment(self, color: Any, labels: Any, bits: int, out: Any) -> None:
        """Labels from colours that say 1 + the number of a geom in the scene."""
        scene = self._scene
        number = color.astype(np.int32) @ np.array([1, 256, 65536], dtype=np.int32)
        label_of = np.full(scene.ngeom + 1, -1, dtype=np.int32)
        for geom in scene.geoms[: scene.ngeom]:
            label_of[geom.segid + 1] = labels[self._staged.parts[geom.objid]] & bits
        out[:] = label_of[np.minimum(number, scene.ngeom)]

    def free(self) -> None:
        self._gl.free()


def aim(scene: Any, camera: Camera) -> None:
    """Have a scene seen from a camera."""
    view, p = camera.view, camera.projection
    flat = p[3, 2] == 0.0
    if flat:
        near, far = (p[2, 3] + 1.0) / p[2, 2], (p[2, 3] - 1.0) / p[2, 2]
        wide, high = 1.0 / p[0, 0], 1.0 / p[1, 1]
        right, up = -p[0, 3] * wide, -p[1, 3] * high
    else:
        near, far = p[2, 3] / (p[2, 2] - 1.0), p[2, 3] / (p[2, 2] + 1.0)
        wide, high = near / p[0, 0], near / p[1, 1]
        right, up = p[0, 2] * wide, p[1, 2] * high
    # a pixel is seen at its lower left corner, as in the software backend, not at its middle
    right, up = right - wide / camera.width, up - high / camera.height
    for eye in scene.camera:
        eye.pos[:] = np.linalg.inv(view)[:3, 3]
        eye.forward[:], eye.up[:] = -view[2, :3], view[1, :3]
        eye.orthographic = int(flat)
        eye.frustum_center, eye.frustum_width = right, wide
        eye.frustum_bottom, eye.frustum_top = up - high, up + high
        eye.frustum_near, eye.frustum_far = near, far


def _check(style: Style) -> None:
    if style.projector is not None:
        raise NotSupportedError("a projector of textures in OpenGL", "use the software backend")
    if len(style.lights) > _MAX_LIGHTS:
        count = len(style.lights)
        raise NotSupportedError(f"{count} lights in OpenGL", f"at most {_MAX_LIGHTS} lights work")


def _leave_empty(picture: Picture, style: Style) -> None:
    if len(picture.color):
        picture.color[..., :3] = np.clip(style.background, 0.0, 255.0)
        picture.color[..., 3] = 255
    if len(picture.depth):
        picture.depth[:] = 1.0
    if len(picture.segmentation):
        picture.segmentation[:] = -1


def _load_torch_compiler() -> None:
    """Load Triton, where PyTorch has brought it, ahead of OpenGL.

    Both bring an LLVM. Triton's import after a picture drawn in software ends in a segmentation
    fault; the other way round both work.
    """
    if importlib.util.find_spec("triton") is not None:
        with contextlib.suppress(Exception):  # a broken one is not needed here
            importlib.import_module("triton")


def _new_context() -> Any:
    _load_torch_compiler()
    reasons: list[str] = []
    for name, library in _PLATFORMS:
        try:
            ctypes.CDLL(library)
            context = importlib.import_module(name).GLContext(_SMALL, _SMALL)
            context.make_current()
        except Exception as problem:  # PyOpenGL raises whatever the missing library leads to
            reasons.append(f"{library}: {problem}"[:120])
        else:
            return context
    raise NotSupportedError(
        f"OpenGL without a display ({'; '.join(reasons)})", "the software backend needs no library"
    )
