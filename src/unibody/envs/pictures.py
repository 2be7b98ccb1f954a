"""Pictures of the worlds of a task."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import ShapeKind
from unibody.core.render.batch import BatchRenderer, Shot
from unibody.core.render.camera import (
    Camera,
    Frames,
    Light,
    Style,
    Wanted,
    look_at,
    perspective,
    sun_shadow,
)
from unibody.core.render.parts import parts_of
from unibody.core.render.stage import Stage
from unibody.core.render.visual_shapes import visuals_of_scene
from unibody.envs.building import TaskScene
from unibody.envs.simulation import Simulation

_SUN = (3.0, -4.0, 10.0)
_FOV = math.radians(45.0)


class Pictures:
    """Takes a picture of each world; nothing is made ready before the first."""

    def __init__(self, scene: TaskScene, view: Any) -> None:
        self._scene, self._view = scene, view
        self._renderer: BatchRenderer | None = None
        self._stage = Stage()

    def of(self, sim: Simulation) -> tuple[NDArray[np.uint8], ...]:
        """Pictures of all worlds, (height, width, 3) each."""
        view = self._view
        if self._renderer is None:
            self._renderer = BatchRenderer()
            shapes = visuals_of_scene(self._scene.scene)
            drawn = [each for each in shapes if each.shape.kind is not ShapeKind.PLANE]
            self._stage.show([part for each in drawn for part in parts_of(each)])
        at = np.zeros((sim.count, 3))
        if view.follow:
            at[:, :2] = sim.xpos[:, sim.link(view.follow), :2]
        lens = perspective(_FOV, view.width / view.height, 0.05, 60.0)
        shots: list[Shot] = []
        for world in range(sim.count):
            eye, target = np.add(view.eye, at[world]), np.add(view.target, at[world])
            matrix = look_at(tuple(eye.tolist()), tuple(target.tolist()))
            shots.append(Shot(Camera(view.width, view.height, matrix, lens), world))
        shadow = sun_shadow(_SUN, (float(at[0, 0]), float(at[0, 1]), 0.0), 6.0)
        sun = Light(_SUN, shadow=shadow if sim.count == 1 else None)
        style = Style((sun,), background=(214.0, 226.0, 240.0))
        wanted = Wanted(depth=False, segmentation=False)
        frames = Frames(sim.xpos, sim.xquat)
        picture = self._renderer.render(self._stage, shots, frames, style, wanted)
        return tuple(np.ascontiguousarray(color[..., :3]) for color in picture.color)

    def close(self) -> None:
        """End the threads."""
        if self._renderer is not None:
            self._renderer.close()
