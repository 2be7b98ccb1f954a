"""A model on a page in the browser."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np
import warp as wp
from numpy.typing import NDArray

from unibody import notices
from unibody.core.assets.description import MeshSource, Pose, Shape, ShapeKind
from unibody.core.deform.topology import normals
from unibody.core.render.mesh import make_mesh
from unibody.core.render.visual_shapes import Deformed, VisualShape
from unibody.newton.enums import GeoType, ShapeFlags
from unibody.newton.mesh import barrel_mesh
from unibody.viewer.display import Display

_SOFT = (-1, -1)  # owner of what is made of particles
_RED = (0.78, 0.32, 0.26, 1.0)
FOV = math.radians(45.0)  # vertical, of the original's cameras
_START = {1: (10.0, 2.0, 0.0)}  # of the original's camera, by the axis that is up [m]
_ELSE = (10.0, 0.0, 2.0)
_TURN = (0.0, -180.0)  # its pitch and yaw [degrees]


class Page:
    """Shows the shapes of a model.

    Args:
        port: First port to try.
        title: Of the page.
        tell: Whether the address is told.
    """

    def __init__(self, port: int, title: str, *, tell: bool) -> None:
        self._display = Display(port=port, title=title)
        self.url: str = self._display.url
        self._group: Any = None
        self._model: Any = None
        self._looked = False
        self._display.viewer.set_fov(FOV)
        self._display.viewer.controls.offer(())
        if tell:
            notices.tell(f"the simulation is shown at {self.url}")

    def show(self, model: Any, most: int | None, only: Collection[int] | None = None) -> None:
        """Put the shapes of a model on the page, in the place of those that are there.

        Args:
            model: The model.
            most: The first so many worlds; None: all.
            only: Of these the ones with such numbers; None: all.
        """
        if self._group is not None:
            self._display.remove(self._group)
        self._model = model
        if int(model.up_axis) == 1:
            self._display.viewer.set_up("y")
        if not self._looked:
            self.look(*start_of(int(model.up_axis)))
        self._group = self._display.add_parts(looks_of(model, most, only), model.body_count + 1)

    def update(self, state: Any, offsets: Any) -> None:
        """Say where the bodies are."""
        if self._group is None:
            return
        self._display.update_poses(self._group, poses_of(self._model, state, offsets))
        deformed = deformed_of(self._model, state)
        if deformed:
            self._display.deform(deformed)

    def look(self, position: Any, pitch: float, yaw: float, up: int) -> None:
        """Put the camera somewhere; angles in degrees."""
        self._looked = True
        target = tuple(p + d for p, d in zip(position, ahead_of(pitch, yaw, up), strict=True))
        self._display.look_at(tuple(position), target)

    def picture(self, width: int, height: int) -> NDArray[np.uint8]:
        """What a page would show, drawn here: (height, width, 3), red, green and blue."""
        return self._display.picture(width, height)

    def draw(self, seconds: float | None = None) -> None:
        """Send what has changed, and show it for a time in a recording [s]; None: by the clock."""
        self._display.draw(seconds)

    @property
    def paused(self) -> bool:
        """Whether the page says pause."""
        return self._display.viewer.controls.paused

    def take_step(self) -> bool:
        """Whether the page asked for a single step; each is told of once."""
        return self._display.viewer.controls.take_step()

    def record(self) -> None:
        """Keep what is shown from now on."""
        self._display.viewer.start_recording()

    def recorded(self) -> bytes:
        """End the recording; return it as a file of viser."""
        viewer = self._display.viewer
        recording, viewer.recording = viewer.recording, None
        return b"" if recording is None else recording.serialized()

    @property
    def closed(self) -> bool:
        """Whether a page was open and is closed."""
        return self._display.closed

    def close(self) -> None:
        """Close the page."""
        self._display.close()


def start_of(up: int) -> tuple[tuple[float, float, float], float, float, int]:
    """Where the original's camera begins [m], its pitch and yaw [degrees], and which axis is up."""
    return _START.get(up, _ELSE), *_TURN, up


def ahead_of(pitch: float, yaw: float, up: int) -> list[float]:
    """Where a camera looks, as a unit vector; angles in degrees."""
    a, b = math.radians(yaw), math.radians(pitch)
    ahead = [math.cos(a) * math.cos(b), math.sin(a) * math.cos(b)]
    ahead.insert(up, math.sin(b))
    return ahead


def looks_of(
    model: Any, most: int | None, only: Collection[int] | None = None
) -> list[VisualShape]:
    """`parts_of_model`, and after them what is made of particles."""
    parts, faces = parts_of_model(model, most, only), _faces(model)
    return [*parts, _sheet(model, faces)] if len(faces) else parts


def poses_of(model: Any, state: Any, offsets: Any = None) -> NDArray[np.float64]:
    """Where the world and the bodies of a model are, (bodies + 1, 7): position [m], quat xyzw.

    Args:
        model: The model.
        state: Where its bodies are.
        offsets: Of each world, (worlds, 3) [m]; None: none.
    """
    poses = np.zeros((model.body_count + 1, 7))
    poses[0, 6] = 1.0
    if state.body_q is not None:
        poses[1:] = state.body_q.numpy()
    if offsets is not None:
        worlds = model.body_world.numpy()
        own = worlds >= 0
        poses[1:][own, :3] += offsets[worlds[own]]
    return poses


def deformed_of(model: Any, state: Any) -> Deformed:
    """How what is made of particles looks now, by its owner."""
    faces = _faces(model)
    if not len(faces) or state.particle_q is None:
        return {}
    points = state.particle_q.numpy().astype(float)
    return {_SOFT: make_mesh(points, faces, normals(points, faces))}


def parts_of_model(
    model: Any, most: int | None, only: Collection[int] | None = None
) -> list[VisualShape]:
    """The shapes of a model that are seen, on frames of which the first is the world.

    Args:
        model: The model.
        most: The first so many worlds; None: all.
        only: Of these the ones with such numbers, and what belongs to none; None: all.
    """
    bodies, worlds = model.shape_body.numpy(), model.shape_world.numpy()
    flags = model.shape_flags.numpy()
    colors = _colors(model)
    return [
        VisualShape(int(bodies[i]) + 1, shape, rgba=tuple(colors[i].tolist()), owner=(int(i), -1))
        for i in range(model.shape_count)
        if flags[i] & int(ShapeFlags.VISIBLE)
        and (most is None or worlds[i] < most)
        and (only is None or worlds[i] < 0 or int(worlds[i]) in only)
        and (shape := _shape(model, i)) is not None
    ]


def _faces(model: Any) -> NDArray[np.int32]:
    """The triangles of cloth, and those around soft bodies, (n, 3)."""
    if model.tri_indices is None or not model.particle_count:
        return np.zeros((0, 3), np.int32)
    return model.tri_indices.numpy().reshape(-1, 3)


def _sheet(model: Any, faces: NDArray[np.int32]) -> VisualShape:
    """What is made of particles, as it is at the beginning."""
    points = model.particle_q.numpy().astype(float)
    source = MeshSource(
        vertices=tuple(map(tuple, points.tolist())), faces=tuple(map(tuple, faces.tolist()))
    )
    shape = Shape(ShapeKind.MESH, (), mesh=source)
    return VisualShape(0, shape, rgba=_RED, owner=_SOFT, deforms=True)


def _colors(model: Any) -> Any:
    """Color and opacity of each shape, white where a script means something else by the names."""
    found = np.ones((model.shape_count, 4))
    if model.shape_color.dtype == wp.vec3:
        found[:, :3] = model.shape_color.numpy()
    if model.shape_opacity.dtype == wp.float32:
        found[:, 3] = model.shape_opacity.numpy()
    return found


def _shape(model: Any, i: int) -> Shape | None:
    kind = GeoType(int(model.shape_type.numpy()[i]))
    pose = model.shape_transform.numpy()[i].astype(float)
    x, y, z = (float(v) for v in model.shape_scale.numpy()[i])
    place = Pose(tuple(pose[:3]), (pose[6], pose[3], pose[4], pose[5]))
    known: dict[GeoType, tuple[ShapeKind, tuple[float, ...]]] = {
        GeoType.BOX: (ShapeKind.BOX, (2 * x, 2 * y, 2 * z)),
        GeoType.SPHERE: (ShapeKind.SPHERE, (x,)),
        GeoType.CAPSULE: (ShapeKind.CAPSULE, (x, 2 * y)),
        GeoType.CYLINDER: (ShapeKind.CYLINDER, (x, 2 * y)),
        GeoType.ELLIPSOID: (ShapeKind.ELLIPSOID, (x, y, z)),
        GeoType.PLANE: (ShapeKind.PLANE, ()),
    }
    source = model.shape_source[i]
    if kind == GeoType.CYLINDER and z > 0.0:
        kind, source = GeoType.CONVEX_MESH, barrel_mesh(x, y, z)
        x = y = z = 1.0
    if kind in known:
        form, size = known[kind]
        return Shape(form, size, place)
    if kind not in {GeoType.MESH, GeoType.CONVEX_MESH} or source is None:
        return None
    points = np.asarray(source.vertices, float) * (x, y, z)
    faces = np.asarray(source.indices).reshape(-1, 3)
    if x * y * z < 0.0:  # mirrored
        faces = faces[:, ::-1]
    mesh = MeshSource(
        vertices=tuple(map(tuple, points.tolist())), faces=tuple(map(tuple, faces.tolist()))
    )
    return Shape(ShapeKind.MESH, (), place, mesh=mesh)
