"""What a picture is taken with: a camera, lights and a style; and the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Vec3
from unibody.errors import InvalidArgumentError

Matrix = NDArray[np.float64]  # (4, 4), acts on columns
MAX_PIXELS = 1 << 26


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """A camera in the world, after OpenGL's conventions.

    Attributes:
        width: [pixels].
        height: [pixels].
        view: From world to camera coordinates (x right, y up, z back), (4, 4).
        projection: From camera to clip coordinates, perspective or parallel, (4, 4).

    Raises:
        InvalidArgumentError: A size is not positive, or there are too many pixels.
    """

    width: int
    height: int
    view: Matrix
    projection: Matrix

    def __post_init__(self) -> None:
        for name, size in (("width", self.width), ("height", self.height)):
            if size < 1:
                raise InvalidArgumentError(name, size, "a positive number of pixels")
        if self.width * self.height > MAX_PIXELS:
            size = f"{self.width} x {self.height}"
            raise InvalidArgumentError("width, height", size, f"at most {MAX_PIXELS} pixels")

    def eye(self) -> NDArray[np.float64]:
        """The camera's place and 1; the direction to it and 0 where it projects in parallel."""
        if self.projection[3, 2] == 0.0:
            return np.array([*self.view[2, :3], 0.0])
        return np.array([*np.linalg.inv(self.view)[:3, 3], 1.0])

    def sees(self) -> bool:
        """False if its matrices cannot be those of a camera."""
        rotation = self.view[:3, :3]
        return bool(
            np.isfinite(self.view).all()
            and np.isfinite(self.projection).all()
            and abs(np.linalg.det(rotation)) > 0.0
        )

    def distances(self, depth: NDArray[np.float32]) -> NDArray[np.float64]:
        """Distances along the direction of view [m] of a picture's depth, inf behind the far plane.

        Args:
            depth: As in ``Picture.depth``, any shape.
        """
        near_to_far = 2.0 * np.asarray(depth, dtype=np.float64) - 1.0
        p = self.projection
        z = (p[2, 3] - near_to_far * p[3, 3]) / (near_to_far * p[3, 2] - p[2, 2])
        return np.where(np.asarray(depth) >= 1.0, np.inf, -z)


@dataclass(frozen=True, slots=True, eq=False)
class ShadowMap:
    """How a light looks at the scene to find what it does not reach.

    A point with clip coordinates z and w is lit if the nearest thing on its line to the light has
    a clip coordinate above ``z_weight * z + w_weight * w - bias``.

    Attributes:
        matrix: From world to clip coordinates of the light, (4, 4).
        depth_row: Of its projection: scale and offset in ``z = scale * w + offset``; 0 and 0 for a
            parallel one.
        width: Of the map [pixels]; 0: as the image.
        height: Of the map [pixels]; 0: as the image.
        rest: Share of the light that reaches a shadow.
        z_weight: See above.
        w_weight: See above.
        bias: See above.
    """

    matrix: Matrix
    depth_row: tuple[float, float] = (0.0, 0.0)
    width: int = 0
    height: int = 0
    rest: float = 0.8
    z_weight: float = 1.0
    w_weight: float = 0.0
    bias: float = 0.01


@dataclass(frozen=True, slots=True)
class Light:
    """A light that shines from one direction.

    A surface of colour c with unit normal n sends back ``c * (ambient + color * (diffuse * (n.d) +
    specular * h^2))``, where d is the direction to the light and h how far d mirrored at the
    surface points up.

    Attributes:
        direction: To the light, world frame, of any length.
        color: Red, green and blue, 1 is full.
        ambient: Light from everywhere, white or red, green and blue.
        diffuse: Of a surface that faces the light.
        specular: Of a surface that mirrors it upwards.
        shadow: Where shadows fall; None: nowhere.
    """

    direction: Vec3 = (-50.0, 30.0, 100.0)
    color: Vec3 = (1.0, 1.0, 1.0)
    ambient: float | Vec3 = 0.6
    diffuse: float = 0.35
    specular: float = 0.05
    shadow: ShadowMap | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Style:
    """How a picture is drawn.

    Attributes:
        lights: What shines on the scene.
        background: Red, green and blue where nothing is, 0 to 255.
        translucent: Parts with an opacity below 1 let shine through what is behind them; else they
            are drawn solid. Depth and segmentation show them either way.
        wireframe: Edges of triangles only.
        least_area: Triangles with no more than this are not drawn [pixels^2, twice the area].
        projector: From world to texture coordinates (rows of x, y, -, w), for all textures in
            place of the coordinates of the meshes, (4, 4); or None.
    """

    lights: tuple[Light, ...] = (Light(),)
    background: Vec3 = (255.0, 255.0, 255.0)
    translucent: bool = False
    wireframe: bool = False
    least_area: float = 0.0
    projector: Matrix | None = None


class Wanted(NamedTuple):
    """Which images a picture has: what is not wanted costs nothing and has no rows.

    Attributes:
        color: See ``Picture``.
        depth: See ``Picture``.
        segmentation: See ``Picture``.
        label_bits: Bits of the labels that the segmentation shows.
    """

    color: bool = True
    depth: bool = True
    segmentation: bool = True
    label_bits: int = -1


class Frames(NamedTuple):
    """Where the frames are that parts follow.

    Attributes:
        positions: World frame, (n, 3) [m]; of many worlds (worlds, n, 3).
        quats: Orientations wxyz, (n, 4); of many worlds (worlds, n, 4).
    """

    positions: NDArray[np.float64]
    quats: NDArray[np.float64]


class Picture(NamedTuple):
    """The images of one camera, rows from the top; with many cameras, the camera is the first axis.

    Attributes:
        color: Red, green, blue and 255, (height, width, 4).
        depth: As in OpenGL's depth buffer: 0 on the near plane, 1 on the far plane and where
            nothing is, (height, width). ``Camera.distances`` makes metres of it.
        segmentation: Labels of the parts, -1 where nothing is, (height, width).
    """

    color: NDArray[np.uint8]
    depth: NDArray[np.float32]
    segmentation: NDArray[np.int32]

    def of(self, camera: int) -> Picture:
        """The images of one of many cameras; they share memory with these."""
        return Picture(
            self.color[camera] if len(self.color) else self.color,
            self.depth[camera] if len(self.depth) else self.depth,
            self.segmentation[camera] if len(self.segmentation) else self.segmentation,
        )


PLAIN = Style()
EVERYTHING = Wanted()


def look_at(eye: Vec3, target: Vec3, up: Vec3 = (0.0, 0.0, 1.0)) -> Matrix:
    """A view matrix from three points of the world: where the camera is, looks, and has its top.

    Raises:
        InvalidArgumentError: The camera looks at itself, or straight along ``up``.
    """
    forward = np.subtract(target, eye).astype(np.float64)
    side = np.cross(forward, up)
    if not np.linalg.norm(side) > 0.0:
        raise InvalidArgumentError("target", target, f"a point beside the line up from {eye}")
    forward /= np.linalg.norm(forward)
    side /= np.linalg.norm(side)
    view = np.eye(4)
    view[:3, :3] = side, np.cross(side, forward), -forward
    view[:3, 3] = -view[:3, :3] @ np.asarray(eye, dtype=np.float64)
    return view


def perspective(fov: float, aspect: float, near: float, far: float) -> Matrix:
    """A perspective projection.

    Args:
        fov: Vertical field of view [rad].
        aspect: Width over height.
        near: Distance of the near plane [m].
        far: Distance of the far plane [m].
    """
    scale = 1.0 / np.tan(0.5 * fov)
    depth = near - far
    return np.array(
        [
            [scale / aspect, 0.0, 0.0, 0.0],
            [0.0, scale, 0.0, 0.0],
            [0.0, 0.0, (near + far) / depth, 2.0 * far * near / depth],
            [0.0, 0.0, -1.0, 0.0],
        ]
    )


def parallel(width: float, height: float, near: float, far: float) -> Matrix:
    """A parallel projection of a box: its size and the distances of its two ends [m]."""
    depth = near - far
    matrix = np.diag([2.0 / width, 2.0 / height, 2.0 / depth, 1.0])
    matrix[2, 3] = (near + far) / depth
    return matrix


def sun_shadow(direction: Vec3, center: Vec3, radius: float, size: int = 1024) -> ShadowMap:
    """The shadow map of a light that is far away.

    Args:
        direction: To the light, world frame.
        center: Of the sphere in which shadows fall [m].
        radius: Of that sphere [m].
        size: Of the map [pixels].
    """
    to_light = np.asarray(direction, dtype=np.float64)
    to_light = to_light / np.linalg.norm(to_light)
    up = (0.0, 0.0, 1.0) if abs(to_light[2]) < 0.99 else (1.0, 0.0, 0.0)
    eye = np.asarray(center) + 2.0 * radius * to_light
    view = look_at((eye[0], eye[1], eye[2]), center, up)
    matrix = parallel(2.0 * radius, 2.0 * radius, 0.0, 4.0 * radius) @ view
    bias = 6.0 / size  # a few texels, in clip coordinates over the depth of 4 radii
    return ShadowMap(matrix, (0.0, 0.0), size, size, bias=bias)
