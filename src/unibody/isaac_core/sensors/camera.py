"""Camera: pictures, distances and labels of what a camera of the stage sees."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdGeom

from unibody.core.render.camera import Picture, Wanted
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core import handles
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions import render_product
from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.kit.pictures import camera_of, pictures_of
from unibody.isaac_core.sensors.camera_frames import FrameMixin
from unibody.isaac_core.sensors.camera_optics import OpticsMixin
from unibody.isaac_core.sensors.camera_poses import CameraPose
from unibody.isaac_core.sensors.lens import source_of
from unibody.isaac_core.simulation import seam
from unibody.isaac_core.simulation.manager import simulation

_RESOLUTION = (128, 128)
_EVERYTHING = Wanted(color=True, depth=True, segmentation=True)


class Camera(OpticsMixin, FrameMixin, CameraPose):
    """A camera of the stage; it is made where nothing is at the path.

    Pictures are drawn when they are asked for, of the stage as it is then, by the rasterizer of
    the project: one sun, shadows, no reflections, and no lights of the stage.

    Args:
        prim_path: Of the camera.
        name: By which a scene finds it.
        frequency: Of its pictures, in simulated time [1/s]; None: one whenever asked.
        dt: Time between pictures [s], in its place.
        resolution: Width and height [px]; None: 128 x 128.
        position: In the world.
        orientation: w, x, y, z, of the axes x forward, y left and z up.
        translation: To the parent.
        render_product_path: Of a render product: it is of this camera from now on, and its
            resolution is the camera's unless one is given.
        annotator_device: Where arrays are: "cpu".

    Raises:
        InvalidArgumentError: The prim is no camera, or both frequency and dt were given.
        NotSupportedError: Another device was named.
        RuntimeError: There is no such render product.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "camera",
        frequency: int | None = None,
        dt: float | None = None,
        resolution: tuple[int, int] | None = None,
        position: Vector | None = None,
        orientation: Vector | None = None,
        translation: Vector | None = None,
        render_product_path: str | None = None,
        annotator_device: str | None = None,
    ) -> None:
        if frequency is not None and dt is not None:
            raise InvalidArgumentError("dt", dt, "None where frequency is given")
        if annotator_device not in (None, "cpu"):
            raise NotSupportedError(f"pictures on {annotator_device!r}", "annotator_device='cpu'")
        if not functions.is_prim_path_valid(prim_path):
            functions.define_prim(prim_path, "Camera")
        elif not functions.get_prim_at_path(prim_path).IsA(UsdGeom.Camera):
            raise InvalidArgumentError(
                "prim_path", prim_path, "the path of a camera, or of nothing"
            )
        super().__init__(prim_path, name)
        self._period = 1.0 / frequency if frequency else dt or 0.0
        self._resolution = _RESOLUTION
        if render_product_path is not None:
            render_product.set_camera_prim_path(render_product_path, prim_path)
            if resolution is None:
                resolution = render_product.get_resolution(render_product_path)
        self.set_resolution(resolution or _RESOLUTION)
        self._paused = False
        self._taken: Picture | None = None
        self._taken_at = (-np.inf, -1)
        if position is not None or orientation is not None:
            if translation is not None:
                raise InvalidArgumentError("translation", translation, "None with position")
            self.set_world_pose(position, orientation)
        elif translation is not None:
            self.set_local_pose(translation)
        self._begin_frames()

    def initialize(self, physics_sim_view: Any = None, attach_rgb_annotator: bool = True) -> None:
        """Begin to take pictures.

        Args:
            physics_sim_view: The view of the physics.
            attach_rgb_annotator: Whether colours are among what frames have.
        """
        super().initialize(physics_sim_view)
        if attach_rgb_annotator:
            self.attach_annotator("rgb")
        self.post_reset()

    def post_reset(self) -> None:
        """Forget the last picture."""
        self._taken, self._taken_at = None, (-np.inf, -1)
        self._begin_frames(keep=True)

    def destroy(self) -> None:
        """Take no more pictures."""
        self._taken = None
        self._wanted.clear()

    def set_frequency(self, value: int) -> None:
        """Set how often there is a new picture, in simulated time [1/s]."""
        if not value > 0:
            raise InvalidArgumentError("value", value, "a positive number")
        self._period = 1.0 / value

    def get_frequency(self) -> float:
        """How often there is a new picture [1/s]; that of the steps where none was stated."""
        return 1.0 / (self._period or simulation.physics_dt() or 1.0 / 60.0)

    def set_dt(self, value: float) -> None:
        """Set the time between pictures [s]."""
        if not value > 0.0:
            raise InvalidArgumentError("value", value, "a positive time in seconds")
        self._period = float(value)

    def get_dt(self) -> float:
        """Time between pictures [s]."""
        return 1.0 / self.get_frequency()

    def pause(self) -> None:
        """Keep the last picture."""
        self._paused = True

    def resume(self) -> None:
        """Take pictures again."""
        self._paused = False

    def is_paused(self) -> bool:
        """Whether the last picture is kept."""
        return self._paused

    def set_resolution(self, value: tuple[int, int], maintain_square_pixels: bool = True) -> None:
        """Set width and height [px].

        Args:
            value: Both.
            maintain_square_pixels: Whether the vertical aperture follows.
        """
        sides = tuple(int(side) for side in value)
        if len(sides) != 2 or min(sides) < 1:
            raise InvalidArgumentError("resolution", value, "two positive whole numbers")
        self._resolution = (sides[0], sides[1])
        self._taken = None
        if maintain_square_pixels:
            self._square_pixels(by_height=False)

    def get_resolution(self) -> tuple[int, int]:
        """Width and height [px]."""
        return self._resolution

    def get_aspect_ratio(self) -> float:
        """Width over height."""
        return self._resolution[0] / self._resolution[1]

    def _picture(self) -> Picture:
        """The last picture, or a new one if it is time for one."""
        now = simulation.time
        number = simulation.steps
        fresh = self._taken is not None and (
            self._paused or self._taken_at[0] <= now < self._taken_at[0] + self._period - 1e-9
        )
        if fresh and self._taken is not None:
            return self._taken
        seam.flush()
        taken = self._take()
        self._taken, self._taken_at = taken, (now, number)
        return taken

    def _take(self) -> Picture:
        pictures = pictures_of(handles.current_stage())
        lens = self._lens()
        if not lens.bends:
            return pictures.take(self._seen_by(), _EVERYTHING)
        if self.get_projection_mode() != "perspective":
            raise NotSupportedError("a distorted orthographic picture", "'perspective'")
        source = source_of(lens, *self._resolution)
        pinhole = camera_of(self.prim, source.size, source.center, source.focal)
        return source.read(pictures.take(pinhole, _EVERYTHING))

    def _seen_by(self) -> Any:
        """The pinhole of the lens; a distorted picture has the same distances."""
        lens = self._lens()
        return camera_of(self.prim, self._resolution, lens.center, lens.focal)


def get_all_camera_objects(root_prim: str = "/") -> list[Camera]:
    """A `Camera` for each camera below a prim."""
    found = functions.get_all_matching_child_prims(
        root_prim, lambda path: functions.get_prim_at_path(path).IsA(UsdGeom.Camera)
    )
    return [
        Camera(str(prim.GetPath()), str(prim.GetName()))
        for prim in found
        if not str(prim.GetPath()).startswith("/OmniverseKit")
    ]
