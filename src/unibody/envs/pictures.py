"""Pictures of the worlds of a task."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import ShapeKind
from unibody.core.render.batch import BatchRenderer, Shot, jobs_of
from unibody.core.render.camera import (
    Camera,
    Frames,
    Light,
    Picture,
    Style,
    Wanted,
    look_at,
    perspective,
    sun_shadow,
)
from unibody.core.render.mesh import Part
from unibody.core.render.parts import parts_of
from unibody.core.render.software import blank
from unibody.core.render.stage import Stage
from unibody.core.render.visual_shapes import visuals_of_scene
from unibody.envs.building import TaskScene
from unibody.envs.simulation import Simulation
from unibody.envs.task import View

_SUN = (3.0, -4.0, 10.0)
_FOV = math.radians(45.0)
_NEAR, FAR = 0.05, 60.0  # m


class Pictures:
    """Takes a picture of each world; nothing is made ready before the first."""

    def __init__(self, scene: TaskScene, view: View) -> None:
        self._scene = scene
        self.view: View = view
        self._renderer: BatchRenderer | None = None
        self._parts: list[Part] = []
        self._stages: list[Stage] = []

    def of(self, sim: Simulation, *, shadows: bool) -> tuple[NDArray[np.uint8], ...]:
        """Pictures of all worlds, (height, width, 3) each; shadows are those of a single world."""
        shadow = None
        if shadows and sim.count == 1:
            x, y = self._middles(sim)[0, :2].tolist()
            shadow = sun_shadow(_SUN, (x, y, 0.0), 6.0)
        picture = self._taken(sim, Wanted(depth=False, segmentation=False), shadow)[0]
        return tuple(np.ascontiguousarray(color[..., :3]) for color in picture.color)

    def colors(self, sim: Simulation) -> NDArray[np.uint8]:
        """What a camera sees, without shadows, (N, height, width, 3)."""
        picture, _ = self._taken(sim, Wanted(depth=False, segmentation=False))
        return np.ascontiguousarray(picture.color[..., :3])

    def distances(self, sim: Simulation) -> NDArray[np.float32]:
        """Distances along the view, at most 60 m, (N, height, width) [m]."""
        picture, camera = self._taken(sim, Wanted(color=False, segmentation=False))
        return np.minimum(camera.distances(picture.depth), FAR).astype(np.float32)

    def _middles(self, sim: Simulation) -> NDArray[Any]:
        """How far the camera has moved along, (N, 3) [m]."""
        at = np.zeros((sim.count, 3))
        if self.view.follow:
            at[:, :2] = sim.xpos[:, sim.link(self.view.follow), :2]
        return at

    def _taken(self, sim: Simulation, wanted: Wanted, shadow: Any = None) -> tuple[Picture, Camera]:
        """Pictures of all worlds, and a camera of theirs."""
        if self._renderer is None:
            self._renderer = BatchRenderer()
            shapes = visuals_of_scene(self._scene.scene)
            drawn = [each for each in shapes if each.shape.kind is not ShapeKind.PLANE]
            self._parts = [part for each in drawn for part in parts_of(each)]
            self._stages = [Stage() for _ in range(1 if sim.soft is None else sim.count)]
            self._stages[0].show(self._parts)
        view, shots = self.view, list[Shot]()
        lens = perspective(_FOV, view.width / view.height, _NEAR, FAR)
        for world, at in enumerate(self._middles(sim)):
            eye, target = np.add(view.eye, at), np.add(view.target, at)
            matrix = look_at(tuple(eye.tolist()), tuple(target.tolist()))
            shots.append(Shot(Camera(view.width, view.height, matrix, lens), world))
        if sim.soft is not None:
            for world, stage in enumerate(self._stages):
                stage.show([*self._parts, sim.soft.part(world)])
        picture = blank(shots[0].camera, wanted, len(shots))
        jobs = jobs_of(picture, self._stages[0], shots, Frames(sim.xpos, sim.xquat))
        if sim.soft is not None:
            jobs = [job._replace(stage=self._stages[k]) for k, job in enumerate(jobs)]
        style = Style((Light(_SUN, shadow=shadow),), background=(214.0, 226.0, 240.0))
        self._renderer.draw(jobs, style)
        return picture, shots[0].camera

    def close(self) -> None:
        """End the threads."""
        if self._renderer is not None:
            self._renderer.close()
