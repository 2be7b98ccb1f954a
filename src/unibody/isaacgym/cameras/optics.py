"""From the properties of a camera to matrices.

The frame of a camera has x forward, y left and z up. What images are made of is OpenGL's: x right,
y up, z back. Matrices here act on columns; those that scripts get act on rows.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from unibody.core.render.camera import MAX_PIXELS, Camera
from unibody.errors import InvalidArgumentError
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.types.viewing import CameraProperties

Array = npt.NDArray[np.float64]
_TO_IMAGE = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])  # from forward-left-up


def checked(value: CameraProperties) -> CameraProperties:
    """A copy of the properties of a camera that can be.

    Raises:
        ArgumentTypeError: They are something else.
        InvalidArgumentError: One is out of its range.
    """
    if not isinstance(value, CameraProperties):
        raise ArgumentTypeError("camera properties", value, "a gymapi.CameraProperties")
    for name in ("width", "height", "supersampling_horizontal", "supersampling_vertical"):
        if getattr(value, name) < 1:
            raise InvalidArgumentError(name, getattr(value, name), "at least 1")
    wide, high = samples(value)
    if wide * high > MAX_PIXELS:
        size = f"{wide} x {high}"
        raise InvalidArgumentError("width, height", size, f"at most {MAX_PIXELS} samples")
    if not 0.0 < value.horizontal_fov < 180.0:
        fov = value.horizontal_fov
        raise InvalidArgumentError("horizontal_fov", fov, "between 0 and 180 degrees")
    planes = (value.near_plane, value.far_plane)
    if not 0.0 < planes[0] < planes[1] < math.inf:
        raise InvalidArgumentError("near_plane, far_plane", planes, "0 < near_plane < far_plane")
    own = CameraProperties()
    own.assign("camera properties", value)
    return own


def samples(properties: CameraProperties) -> tuple[int, int]:
    """Samples along a row and a column of the image."""
    return (
        properties.width * properties.supersampling_horizontal,
        properties.height * properties.supersampling_vertical,
    )


def focal(properties: CameraProperties) -> tuple[float, float]:
    """First two numbers of the diagonal of the projection; pixels are square."""
    x = 1.0 / math.tan(0.5 * math.radians(properties.horizontal_fov))
    return x, x * properties.width / properties.height


def vertical_fov(properties: CameraProperties) -> float:
    """The field of view from top to bottom [rad]."""
    return 2.0 * math.atan(1.0 / focal(properties)[1])


def row_projection(properties: CameraProperties) -> npt.NDArray[np.float32]:
    """The projection that scripts get: reversed depth without end, for rows of numbers.

    A point (x, y, z, 1) of the image's frame becomes (x fx, y fy, near, -z).
    """
    matrix = np.zeros((4, 4), np.float32)
    matrix[0, 0], matrix[1, 1] = focal(properties)
    matrix[2, 3], matrix[3, 2] = -1.0, properties.near_plane
    return matrix


def view(position: Array, rotation: Array) -> Array:
    """From the frame that a camera's pose is in to that of its image."""
    matrix = np.eye(4)
    matrix[:3, :3] = _TO_IMAGE @ rotation.T
    matrix[:3, 3] = -matrix[:3, :3] @ position
    return matrix


def camera(properties: CameraProperties, view_: Array) -> Camera:
    """The camera that draws.

    The renderer samples a pixel at its corner; half a pixel aside that is its middle.
    """
    wide, high = samples(properties)
    x, y = focal(properties)
    near, far = properties.near_plane, properties.far_plane
    gap = near - far
    projection = np.array(
        [
            [x, 0.0, 1.0 / wide, 0.0],
            [0.0, y, 1.0 / high, 0.0],
            [0.0, 0.0, (near + far) / gap, 2.0 * far * near / gap],
            [0.0, 0.0, -1.0, 0.0],
        ]
    )
    return Camera(wide, high, view_, projection)


def looking(position: Array, target: Array, up: Array) -> Array:
    """Rotation (3, 3) of a camera that looks at a target, with its top as far up as can be.

    Looking straight along ``up``, its top points along x; at itself, it looks along x.
    """
    forward = target - position
    distance = float(np.linalg.norm(forward))
    forward = forward / distance if distance > 0.0 else np.array([1.0, 0.0, 0.0])
    left = np.cross(up, forward)
    length = float(np.linalg.norm(left))
    if length < 1e-6:
        left = np.cross([1.0, 0.0, 0.0], forward)
        length = float(np.linalg.norm(left))
    left /= length
    return np.column_stack([forward, left, np.cross(forward, left)])
