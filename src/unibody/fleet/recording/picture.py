"""Pictures of a simulation, and of a recorded run, for films."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Shape, ShapeKind
from unibody.core.render.camera import (
    Camera,
    Frames,
    Light,
    Style,
    Wanted,
    look_at,
    perspective,
)
from unibody.core.render.parts import parts_of
from unibody.core.render.patterns import chequers
from unibody.core.render.software import SoftwareRenderer
from unibody.core.render.stage import Stage
from unibody.core.render.visual_shapes import Rgba, VisualShape
from unibody.fleet.bodies.object_visuals import ObjectVisuals
from unibody.fleet.recording.event_reader import LoggedObject, LoggedState

Image = NDArray[np.uint8]
_FIELD_OF_VIEW = math.radians(50.0)
_NEAR, _FAR = 0.1, 500.0  # m
_SKY = (235.0, 240.0, 245.0)
_LIGHT = Light((-0.4, -0.5, 1.0), ambient=0.55, diffuse=0.45, specular=0.0)
_STYLE = Style((_LIGHT,), _SKY, translucent=True)
_WANTED = Wanted(depth=False, segmentation=False)
_SIZES = (1e-3, 1e5)  # m
_FLOOR = VisualShape(-1, Shape(ShapeKind.PLANE), texture=chequers((226, 230, 234), (240, 243, 246)))


class FilmCamera:
    """Takes pictures of shapes on frames, as long as one film runs."""

    def __init__(self) -> None:
        self._stage = Stage()
        self._renderer = SoftwareRenderer()

    def show(self, visuals: Sequence[VisualShape], *, floor: bool) -> None:
        """Replace what there is to see; ``floor`` adds a plane at height 0."""
        wanted = [_FLOOR, *visuals] if floor else visuals
        self._stage.show([part for visual in wanted for part in parts_of(visual)])

    def picture(
        self, frames: Frames, eye: Sequence[float], target: Sequence[float], size: tuple[int, int]
    ) -> Image:
        """A picture, (height, width, 3).

        Args:
            frames: Where the frames are that the shapes follow.
            eye: Where the camera is [m].
            target: What it looks at [m].
            size: Width and height [pixels].
        """
        width, height = size
        from_above = math.hypot(target[0] - eye[0], target[1] - eye[1]) < 1e-9
        up = (0.0, 1.0, 0.0) if from_above else (0.0, 0.0, 1.0)
        (a, b, c), (x, y, z) = eye, target
        far = max(_FAR, 4.0 * math.dist(eye, target))
        camera = Camera(
            width,
            height,
            look_at((a, b, c), (x, y, z), up),
            perspective(_FIELD_OF_VIEW, width / height, _NEAR, far),
        )
        found = self._renderer.render(self._stage, camera, frames, _STYLE, _WANTED)
        return np.ascontiguousarray(found.color[..., :3])


class SimulationCamera:
    """Takes pictures of a simulation.

    Args:
        sim_core: The simulation.
    """

    def __init__(self, sim_core: Any) -> None:
        self._core = sim_core
        self._camera = FilmCamera()
        self._objects: list[Any] | None = None
        self._colors: dict[int, Rgba] = {}
        self._visuals = ObjectVisuals(())

    def picture(
        self, eye: Sequence[float], target: Sequence[float], size: tuple[int, int]
    ) -> Image:
        """A picture of all objects as they are now; see ``FilmCamera.picture``."""
        core = self._core
        core._physics_world.read()
        if self._objects != core.sim_objects or self._colors != core._physics_world.colors:
            self._objects = list(core.sim_objects)
            self._colors = dict(core._physics_world.colors)
            self._visuals = ObjectVisuals(self._objects)
            self._camera.show(list(self._colored()), floor=core.params.enable_floor)
        positions, quats = self._visuals.frames(core._tables)
        frames = Frames(positions, quats[:, [3, 0, 1, 2]])
        return self._camera.picture(frames, eye, target, size)

    def _colored(self) -> Iterator[VisualShape]:
        """The shapes, those of bodies that were given a colour in that."""
        objects = self._objects or []
        for place, visual in self._visuals.visuals():
            color = self._colors.get(objects[place].body_id)
            yield visual if color is None else dataclasses.replace(visual, rgba=color)


# --- recorded runs -------------------------------------------------------------------------------


def logged_visuals(ids: Sequence[int], objects: Sequence[LoggedObject]) -> list[VisualShape]:
    """The objects of a log as boxes, as large as they were when they appeared, each on a frame."""
    return [
        VisualShape(place, _box(one), _rgba(one), owner=(number, 0))
        for place, (number, one) in enumerate(zip(ids, objects, strict=True))
    ]


def logged_frames(state: LoggedState) -> Frames:
    """Where they are at the end of a step."""
    quats = unit_quats(state.orientations)[:, [3, 0, 1, 2]]
    return Frames(np.nan_to_num(state.positions), quats)


def unit_quats(quats: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quaternions (x, y, z, w) at unit length; the identity where there is none."""
    lengths = np.linalg.norm(quats, axis=1, keepdims=True)
    good = np.isfinite(lengths) & (lengths > 0.0)
    return np.where(good, quats / np.where(good, lengths, 1.0), (0.0, 0.0, 0.0, 1.0))


def _box(one: LoggedObject) -> Shape:
    edges = np.clip(np.nan_to_num([*one.size, 0.0, 0.0, 0.0][:3]), *_SIZES).tolist()
    return Shape(ShapeKind.BOX, (edges[0], edges[1], edges[2]))


def _rgba(one: LoggedObject) -> tuple[float, float, float, float]:
    shade = np.clip(np.nan_to_num([*one.color, 0.5, 0.5, 0.5][:3]), 0.0, 1.0).tolist()
    return (shade[0], shade[1], shade[2], 1.0)
