"""The lens of a camera: lengths, apertures, and points in its pictures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pxr import Gf, Usd

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.sensors.lens import Lens

_TENTHS = 10.0  # apertures and focal lengths of USD are tenths of the stage's unit
_PINHOLE = ("pinhole", "opencvPinhole")


class OpticsMixin:
    """Numbers of a lens, kept in the attributes of the prim; lengths are in the stage's unit."""

    _resolution: tuple[int, int]
    _taken: Any
    _opencv: tuple[float, float, float, float, list[float]] | None = None

    def _number(self, name: str) -> float:
        return float(_prim_of(self).GetAttribute(name).Get())

    def _write(self, name: str, value: Any) -> None:
        _prim_of(self).GetAttribute(name).Set(value)
        self._taken = None

    def get_focal_length(self) -> float:
        """Focal length."""
        return self._number("focalLength") / _TENTHS

    def set_focal_length(self, value: float) -> None:
        """Set the focal length."""
        self._write("focalLength", _positive("value", value) * _TENTHS)

    def get_focus_distance(self) -> float:
        """Distance that is in focus; pictures are sharp everywhere."""
        return self._number("focusDistance")

    def set_focus_distance(self, value: float) -> None:
        """Write the distance that is in focus into the stage; pictures are sharp everywhere."""
        self._write("focusDistance", float(value))

    def get_lens_aperture(self) -> float:
        """The f-number."""
        return self._number("fStop")

    def set_lens_aperture(self, value: float) -> None:
        """Write the f-number into the stage; pictures are sharp everywhere."""
        self._write("fStop", float(value))

    def get_horizontal_aperture(self) -> float:
        """Width of the sensor."""
        return self._number("horizontalAperture") / _TENTHS

    def set_horizontal_aperture(self, value: float, maintain_square_pixels: bool = True) -> None:
        """Set the width of the sensor; the height may follow."""
        self._write("horizontalAperture", _positive("value", value) * _TENTHS)
        if maintain_square_pixels:
            self._square_pixels(by_height=False)

    def get_vertical_aperture(self) -> float:
        """Height of the sensor."""
        return self._number("verticalAperture") / _TENTHS

    def set_vertical_aperture(self, value: float, maintain_square_pixels: bool = True) -> None:
        """Set the height of the sensor; the width may follow."""
        self._write("verticalAperture", _positive("value", value) * _TENTHS)
        if maintain_square_pixels:
            self._square_pixels(by_height=True)

    def get_clipping_range(self) -> tuple[float, float]:
        """Distances of the nearest and the farthest that is seen."""
        near, far = _prim_of(self).GetAttribute("clippingRange").Get()
        return float(near), float(far)

    def set_clipping_range(
        self, near_distance: float | None = None, far_distance: float | None = None
    ) -> None:
        """Set distances of the nearest and the farthest that is seen; what is None stays."""
        near, far = self.get_clipping_range()
        near = near if near_distance is None else float(near_distance)
        far = far if far_distance is None else float(far_distance)
        if not 0.0 < near < far:
            raise InvalidArgumentError("near_distance", near, f"between 0 and {far}")
        self._write("clippingRange", Gf.Vec2f(near, far))

    def get_projection_mode(self) -> str:
        """Kind of the projection: "perspective" or "orthographic"."""
        return str(_prim_of(self).GetAttribute("projection").Get())

    def set_projection_mode(self, value: str) -> None:
        """Choose "perspective" or "orthographic"."""
        if value not in ("perspective", "orthographic"):
            raise InvalidArgumentError("value", value, "'perspective' or 'orthographic'")
        self._write("projection", value)

    def get_lens_distortion_model(self) -> str:
        """Name of the model of the lens."""
        return "opencvPinhole" if self._opencv else "pinhole"

    def set_lens_distortion_model(self, value: str) -> None:
        """Choose the model of the lens: "pinhole".

        Raises:
            NotSupportedError: It is another one.
        """
        if value not in _PINHOLE:
            raise NotSupportedError(f"the lens {value!r}", "'pinhole'")
        if value == "pinhole":
            self._opencv = None

    def set_opencv_pinhole_properties(
        self,
        cx: float | None = None,
        cy: float | None = None,
        fx: float | None = None,
        fy: float | None = None,
        pinhole: list[float] | None = None,
    ) -> None:
        """Set the lens as OpenCV writes it; what is None stays.

        Args:
            cx: Where its axis meets the picture, from the left [px].
            cy: The same from the top [px].
            fx: Focal length along rows [px].
            fy: The same along columns [px].
            pinhole: Distortion k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4 of
                OpenCV's model, which pictures are drawn with. Absent ones are 0.
        """
        before = self.get_opencv_pinhole_properties()
        given = (cx, cy, fx, fy)
        numbers = [
            own if one is None else float(one) for own, one in zip(before[:4], given, strict=True)
        ]
        for name, one in zip(("fx", "fy"), numbers[2:], strict=True):
            _positive(name, one)
        lens = list(before[4]) if pinhole is None else [float(value) for value in pinhole]
        if len(lens) > 12 or not np.isfinite(lens).all():
            raise InvalidArgumentError("pinhole", pinhole, "at most 12 finite numbers")
        a, b, c, d = numbers
        self._opencv = (a, b, c, d, lens)
        self._taken = None

    def get_opencv_pinhole_properties(self) -> tuple[float, float, float, float, list[float]]:
        """cx, cy, fx, fy [px] and the distortion."""
        if self._opencv is not None:
            return self._opencv
        matrix = self.get_intrinsics_matrix()
        return (
            float(matrix[0, 2]), float(matrix[1, 2]), float(matrix[0, 0]), float(matrix[1, 1]),
            [0.0] * 12,
        )  # fmt: skip

    def _lens(self) -> Lens:
        """Where pictures show which ray."""
        if self._opencv is not None:
            cx, cy, fx, fy, distortion = self._opencv
            return Lens((fx, fy), (cx, cy), (*distortion, *[0.0] * (12 - len(distortion))))
        width, height = self._resolution
        fx = width * self.get_focal_length() / self.get_horizontal_aperture()
        fy = height * self.get_focal_length() / self.get_vertical_aperture()
        return Lens((fx, fy), (0.5 * width, 0.5 * height))

    def get_intrinsics_matrix(self) -> np.ndarray:
        """Focal lengths and centre [px], (3, 3); what an OpenCV lens distorts is not in it."""
        lens = self._lens()
        (fx, fy), (cx, cy) = lens.focal, lens.center
        return np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]], np.float32)

    def get_horizontal_fov(self) -> float:
        """Field of view from left to right [rad]."""
        return 2.0 * math.atan(self.get_horizontal_aperture() / (2.0 * self.get_focal_length()))

    def get_vertical_fov(self) -> float:
        """Field of view from top to bottom [rad]."""
        return self.get_horizontal_fov() * self._resolution[1] / self._resolution[0]

    def get_image_coords_from_world_points(self, points_3d: Any) -> np.ndarray:
        """Pixels of points of the world, (n, 2), counted from the upper left."""
        points = np.atleast_2d(np.asarray(points_3d, float))
        view: np.ndarray = self.get_view_matrix_ros()  # type: ignore[attr-defined]
        x, y, depth = view[:3, :3] @ points.T + view[:3, 3:]
        return self._lens().pixels(x / depth, y / depth)

    def get_camera_points_from_image_coords(self, points_2d: Any, depth: Any) -> np.ndarray:
        """Points in the camera's axes z forward and y down, (n, 3).

        Args:
            points_2d: Pixels, (n, 2).
            depth: Distances from the plane of the camera, (n,).
        """
        rays = self._lens().rays(np.atleast_2d(np.asarray(points_2d, float)))
        whole = np.column_stack([rays, np.ones(len(rays))])
        return whole * np.asarray(depth, float).reshape(-1, 1)

    def get_world_points_from_image_coords(self, points_2d: Any, depth: Any) -> np.ndarray:
        """Points of the world, (n, 3); see `get_camera_points_from_image_coords`."""
        own = self.get_camera_points_from_image_coords(points_2d, depth)
        view = np.linalg.inv(self.get_view_matrix_ros())  # type: ignore[attr-defined]
        return own @ view[:3, :3].T + view[:3, 3]

    def _square_pixels(self, *, by_height: bool) -> None:
        width, height = self._resolution
        if by_height:
            wide = self._number("verticalAperture") * width / height
            self._write("horizontalAperture", wide)
        else:
            self._write("verticalAperture", self._number("horizontalAperture") * height / width)


def _positive(name: str, value: float) -> float:
    if not float(value) > 0.0:
        raise InvalidArgumentError(name, value, "a positive number")
    return float(value)


def _prim_of(camera: Any) -> Usd.Prim:
    return camera.prim
