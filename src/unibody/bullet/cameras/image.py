"""getCameraImage and renderImage, drawn as TinyRenderer draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.bullet import constants as c
from unibody.bullet.arguments.optional import optional_vector
from unibody.bullet.arguments.vectors import real
from unibody.bullet.cameras.stage import CameraState
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import get_client
from unibody.bullet.debug.visualizer import getDebugVisualizerCamera
from unibody.bullet.errors import error
from unibody.bullet.maths import camera_matrices
from unibody.bullet.visuals.visual_shapes import BODY_BITS
from unibody.core.render.camera import Camera, Light, Matrix, Picture, ShadowMap, Style, Wanted
from unibody.errors import InvalidArgumentError
from unibody.notices import tell

if TYPE_CHECKING:
    from unibody.core.assets.description import Vec3
    from unibody.core.render.backends import Renderer

_Image = tuple[int, int, NDArray[np.uint8], NDArray[np.float32], NDArray[np.int32]]
_RENDERERS = (-1, c.ER_TINY_RENDERER, c.ER_BULLET_HARDWARE_OPENGL)
_OLD_FORMS = (2, 4, 7, 8, 11)  # numbers of arguments of renderImage
_WHITE = (255.0, 255.0, 255.0)
_UP = (0.0, 0.0, 1.0)
_BODY = (1 << BODY_BITS) - 1
# TinyRenderer's lights and shadows
_LIGHT: dict[str, Any] = {
    "lightDirection": (-50.0, 30.0, 100.0),
    "lightColor": (1.0, 1.0, 1.0),
    "lightDistance": 2.0,
    "shadow": 0,
    "lightAmbientCoeff": 0.6,
    "lightDiffuseCoeff": 0.35,
    "lightSpecularCoeff": 0.05,
}
_SHADOW_REST, _SHADOW_BIAS = 0.8, 0.05
_LEAST_AREA = 0.01  # pixels^2: it leaves out triangles of half this area
# TinyRenderer's camera where a call states none: distance [m], yaw, pitch, roll [degrees]
_CIRCLING = (1.5, -80.0, -10.0, 0.0)
_ASPECT = 640.0 / 480.0


def getCameraImage(
    width: int,
    height: int,
    viewMatrix: Sequence[float] | None = None,
    projectionMatrix: Sequence[float] | None = None,
    lightDirection: Sequence[float] | None = None,
    lightColor: Sequence[float] | None = None,
    lightDistance: float = -1.0,
    shadow: int = -1,
    lightAmbientCoeff: float = -1.0,
    lightDiffuseCoeff: float = -1.0,
    lightSpecularCoeff: float = -1.0,
    renderer: int = -1,
    flags: int = -1,
    projectiveTextureView: Sequence[float] | None = None,
    projectiveTextureProj: Sequence[float] | None = None,
    physicsClientId: int = 0,
) -> _Image:
    """Take a picture of the world.

    Light settings hold for later pictures too, until they are stated anew; what is negative or left
    out stays as it was. With only one of the two matrices, as with none, the camera is the
    visualizer's, or TinyRenderer's own without a window.

    Args:
        width: [pixels].
        height: [pixels].
        viewMatrix: 16 numbers, column by column.
        projectionMatrix: 16 numbers, column by column.
        lightDirection: To the light, world frame.
        lightColor: Red, green and blue, 1 is full.
        lightDistance: From the origin to where shadows are seen from [m].
        shadow: 1 draws shadows, 0 does not.
        lightAmbientCoeff: Share of the light that comes from everywhere.
        lightDiffuseCoeff: Share that surfaces facing the light send back.
        lightSpecularCoeff: Share of their gloss.
        renderer: ``ER_TINY_RENDERER`` or ``ER_BULLET_HARDWARE_OPENGL``. The second, with ``GUI``,
            makes colours see-through, and with ``GUI`` or ``eglRendererPlugin`` draws on the
            graphics card if there is one; else both are drawn by the same code.
        flags: ``ER_SEGMENTATION_MASK_OBJECT_AND_LINKINDEX``, ``ER_NO_SEGMENTATION_MASK``,
            ``ER_USE_PROJECTIVE_TEXTURE``.
        projectiveTextureView: View matrix of the projector of ``ER_USE_PROJECTIVE_TEXTURE``; left
            out, the camera's.
        projectiveTextureProj: Its projection matrix.
        physicsClientId: The client.

    Returns:
        Width, height, and new arrays with rows from the top: RGBA (height, width, 4), uint8; depth
        as in OpenGL's depth buffer (height, width), float32; segmentation (height, width), int32:
        the body, with the link + 1 in the bits above 24 if the flag asks for it, or -1; zeros with
        ``ER_NO_SEGMENTATION_MASK``.

    Raises:
        error: Not connected, a negative or too large size, an argument with the wrong number of
            values.
    """
    client = get_client(physicsClientId)
    width, height = index(width), index(height)
    if width < 0 or height < 0:
        raise error(f"getCameraImage: width={width}, height={height} must not be negative")
    renderer, flags = index(renderer), max(0, index(flags))
    if renderer not in _RENDERERS:  # scripts give COV_ENABLE_TINY_RENDERER, too
        if client.say_once("getCameraImage renderer"):
            tell(f"getCameraImage passes over renderer={renderer}: expected an ER_ renderer")
        renderer = -1
    view = _matrix(client, "viewMatrix", viewMatrix)
    projection = _matrix(client, "projectionMatrix", projectionMatrix)
    projector = (
        _matrix(client, "projectiveTextureView", projectiveTextureView),
        _matrix(client, "projectiveTextureProj", projectiveTextureProj),
    )
    settings = {
        "lightDirection": _vector(client, "lightDirection", lightDirection),
        "lightColor": _vector(client, "lightColor", lightColor),
        "lightDistance": _stated(real(lightDistance)),
        "shadow": _stated(index(shadow)),
        "lightAmbientCoeff": _stated(real(lightAmbientCoeff)),
        "lightDiffuseCoeff": _stated(real(lightDiffuseCoeff)),
        "lightSpecularCoeff": _stated(real(lightSpecularCoeff)),
    }
    if width * height == 0:
        return _empty(width, height)
    cameras = client.cameras
    if not isinstance(cameras, CameraState):
        cameras = client.cameras = CameraState(client)
    try:
        camera = Camera(width, height, *_matrices(client, cameras, view, projection))
    except InvalidArgumentError as problem:
        raise error(f"getCameraImage: {problem}") from problem
    cameras.settings.update({name: v for name, v in settings.items() if v is not None})
    see_through = renderer == c.ER_BULLET_HARDWARE_OPENGL and client.method == c.GUI
    style = Style(
        (_light(cameras, camera),),
        _background(client) if see_through else _WHITE,
        see_through,
        least_area=_LEAST_AREA,
        projector=_projector(camera, projector) if flags & c.ER_USE_PROJECTIVE_TEXTURE else None,
    )
    on_card = renderer != c.ER_TINY_RENDERER and (see_through or _has_egl_plugin(client))
    # OpenGL as MuJoCo uses it has no projectors
    artist = cameras.hardware() if on_card and style.projector is None else cameras.renderer
    picture = _take(cameras, artist, camera, style, flags)
    if client.window is not None:
        client.window.previews.take(camera, picture)
    return width, height, picture.color, picture.depth, picture.segmentation


def renderImage(*args: Any) -> _Image:
    """Take a picture with the only client, the way PyBullet did before getCameraImage.

    Behind the width and the height there may be nothing; a view and a projection matrix; the
    camera's position, its target, what is up, near and far plane, and perhaps the field of view;
    or target, distance, yaw, pitch, roll, up axis, near and far plane, and field of view. The
    ratio of the sizes is taken as a whole number, as in PyBullet.

    Raises:
        error: Not connected, or another number of arguments.
    """
    get_client(0)
    if len(args) not in _OLD_FORMS:
        raise error("Invalid number of args passed to renderImage.")
    width, height, *camera = args
    width, height = index(width), index(height)
    aspect = width // height if height else 0
    match len(camera):
        case 0:
            return getCameraImage(width, height)
        case 2:
            return getCameraImage(width, height, *camera)
        case 5:
            *points, near, far = camera
            sides = (-aspect * near, aspect * near, -near, near)
            projection = camera_matrices.computeProjectionMatrix(*sides, near, far)
            view = camera_matrices.computeViewMatrix(*points)
        case 6:
            *points, near, far, fov = camera
            projection = camera_matrices.computeProjectionMatrixFOV(fov, aspect, near, far)
            view = camera_matrices.computeViewMatrix(*points)
        case _:
            *circle, near, far, fov = camera
            projection = camera_matrices.computeProjectionMatrixFOV(fov, aspect, near, far)
            view = camera_matrices.computeViewMatrixFromYawPitchRoll(*circle)
    return getCameraImage(width, height, view, projection)


def _has_egl_plugin(client: Client) -> bool:
    return client.plugins is not None and client.plugins.find("eglRendererPlugin") is not None


def _take(
    cameras: CameraState, artist: Renderer, camera: Camera, style: Style, flags: int
) -> Picture:
    per_link = flags & c.ER_SEGMENTATION_MASK_OBJECT_AND_LINKINDEX
    without = flags & c.ER_NO_SEGMENTATION_MASK
    wanted = Wanted(segmentation=not without, label_bits=-1 if per_link else _BODY)
    frames = cameras.refresh()
    picture = artist.render(cameras.stage, camera, frames, style, wanted)
    if without:
        nothing = np.zeros((camera.height, camera.width), dtype=np.int32)
        picture = picture._replace(segmentation=nothing)
    return picture


def _empty(width: int, height: int) -> _Image:
    shape = (height, width)
    color = np.zeros((*shape, 4), dtype=np.uint8)
    return width, height, color, np.zeros(shape, np.float32), np.zeros(shape, np.int32)


def _stated(value: Any) -> Any:
    return value if value >= 0 else None


def _matrix(client: Client, name: str, values: Sequence[float] | None) -> Matrix | None:
    """16 numbers, column by column, as a matrix; PyBullet keeps them in single precision."""
    numbers = optional_vector(client, "getCameraImage", name, values, 16)
    return (
        None
        if numbers is None
        else np.asarray(numbers, np.float32).astype(np.float64).reshape(4, 4).T
    )


def _vector(client: Client, name: str, values: Sequence[float] | None) -> Vec3 | None:
    numbers = optional_vector(client, "getCameraImage", name, values, 3)
    if numbers is None:
        return None
    x, y, z = np.asarray(numbers, np.float32).tolist()
    return (x, y, z)


def _matrices(
    client: Client, cameras: CameraState, view: Matrix | None, projection: Matrix | None
) -> tuple[Matrix, Matrix]:
    """View and projection of a picture, as stated or else those of the camera there is."""
    if view is None or projection is None:
        if client.method == c.GUI:
            seen = getDebugVisualizerCamera(client.id)
            view, projection = (np.reshape(m, (4, 4)).T for m in seen[2:4])
        else:
            near, far = cameras.near, cameras.far
            frustum = (-_ASPECT * near, _ASPECT * near, -near, near, near, far)
            flat_view = camera_matrices.computeViewMatrixFromYawPitchRoll((0, 0, 0), *_CIRCLING, 2)
            flat = camera_matrices.computeProjectionMatrix(*frustum)
            view, projection = np.reshape(flat_view, (4, 4)).T, np.reshape(flat, (4, 4)).T
    slope, offset = float(projection[2, 2]), float(projection[2, 3])
    if abs(slope) != 1.0:  # TinyRenderer's own camera keeps the planes of the last picture
        cameras.near, cameras.far = offset / (slope - 1.0), offset / (slope + 1.0)
    return view, projection


def _light(cameras: CameraState, camera: Camera) -> Light:
    found = {**_LIGHT, **cameras.settings}
    if not any(found["lightDirection"]):  # TinyRenderer's light is then no number, and all is black
        return Light(ambient=0.0, diffuse=0.0, specular=0.0)
    shadow = None
    if found["shadow"]:
        shadow = _shadow(found["lightDirection"], found["lightDistance"], camera)
    return Light(
        found["lightDirection"],
        found["lightColor"],
        found["lightAmbientCoeff"],
        found["lightDiffuseCoeff"],
        found["lightSpecularCoeff"],
        shadow,
    )


def _shadow(direction: Vec3, distance: float, camera: Camera) -> ShadowMap | None:
    """TinyRenderer's: through the camera's projection, from a place near the origin.

    None where the light shines straight down or up: it then finds no up direction, and everything
    is lit.
    """
    length = math.hypot(*direction)
    along_up = direction[0] == 0.0 and direction[1] == 0.0
    if length == 0.0 or along_up or distance == 0.0 or not camera.sees():
        return None
    eye = [distance * value / length for value in direction]
    view = np.reshape(camera_matrices.computeViewMatrix(eye, (0.0, 0.0, 0.0), _UP), (4, 4)).T
    p = camera.projection
    if p[3, 2] == 0.0:
        row = (0.0, 0.0)
    else:
        scale = p[2, 2] / p[3, 2]
        row = (scale, p[2, 3] - scale * p[3, 3])
    return ShadowMap(
        p @ view, row, rest=_SHADOW_REST, z_weight=0.5, w_weight=0.5, bias=_SHADOW_BIAS
    )


def _background(client: Client) -> Vec3:
    red, green, blue = client.camera.get("rgbBackground", (1.0, 1.0, 1.0))
    return 255.0 * red, 255.0 * green, 255.0 * blue


def _projector(camera: Camera, given: tuple[Matrix | None, Matrix | None]) -> Matrix:
    """From world to texture coordinates, of the projector or else of the camera."""
    view, projection = given
    if view is None or projection is None:
        view, projection = camera.view, camera.projection
    return projection @ view
