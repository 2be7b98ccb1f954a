"""The software backend: pictures without any graphics library."""

from __future__ import annotations

import time

import numpy as np

from unibody.core.render import raster as r
from unibody.core.render import shading as s
from unibody.core.render.arrays import F64, I32, Instances, Lighting, Raster
from unibody.core.render.camera import (
    EVERYTHING,
    PLAIN,
    Camera,
    Frames,
    Light,
    Matrix,
    Picture,
    Style,
    Wanted,
    look_at,
    perspective,
)
from unibody.core.render.mesh import Part, make_mesh
from unibody.core.render.stage import Stage
from unibody.errors import InvalidArgumentError
from unibody.machine_code.array_calls import keeps_code
from unibody.notices import tell

_SLOW = 2.0  # s: a start that takes longer says why
_NOT_WANTED = (
    np.empty((0, 0, 4), dtype=np.uint8),
    np.empty((0, 0), dtype=np.float32),
    np.empty((0, 0), dtype=np.int32),
)
_NO_PROJECTOR = np.empty((0, 4))
_NO_EYE = np.zeros(4)


class SoftwareRenderer:
    """Takes pictures of a stage.

    A renderer belongs to one thread at a time; it keeps its working memory between pictures.
    """

    def __init__(self) -> None:
        self._raster = _new_raster()
        if not _warm:
            _warm_up(self)

    def render(
        self,
        stage: Stage,
        camera: Camera,
        frames: Frames,
        style: Style = PLAIN,
        wanted: Wanted = EVERYTHING,
    ) -> Picture:
        """Take a picture.

        Args:
            stage: What there is to see.
            camera: The camera.
            frames: Where the frames are that parts follow.
            style: Lights, and how it is drawn.
            wanted: Which images.

        Returns:
            New arrays.

        Raises:
            InvalidArgumentError: A part follows a frame that has no pose, or lights have shadow
                maps of different sizes.
        """
        picture = blank(camera, wanted)
        self.render_into(picture, stage, camera, frames, style, wanted.label_bits)
        return picture

    def render_into(
        self,
        picture: Picture,
        stage: Stage,
        camera: Camera,
        frames: Frames,
        style: Style = PLAIN,
        label_bits: int = EVERYTHING.label_bits,
    ) -> None:
        """Take a picture as ``render`` does, into arrays that are there; no rows: not wanted."""
        if stage.last_frame >= len(frames.positions):
            count = len(frames.positions)
            raise InvalidArgumentError("frames", count, f"a pose for frame {stage.last_frame}")
        labels, bits = stage.labels, label_bits
        background = np.asarray(style.background, dtype=np.float64)
        instances = stage.instances._replace(models=np.empty((len(stage.parts), 12)))
        positions, quats = _plain(frames.positions), _plain(frames.quats)
        r.place(stage.frames, stage.local, positions, quats, instances.models)
        lighting = self._lighting(stage, instances, style.lights, camera)
        mixed = style.translucent and len(stage.translucent) > 0 and len(picture.color) > 0
        whole = self._drawn(stage, instances, stage.visible, camera, style)
        if not mixed:
            s.fill(labels, bits, whole, background, *picture)
            _shade(stage, instances, lighting, whole, style, picture, mix=False)
            return
        s.fill(labels, bits, whole, background, _NOT_WANTED[0], picture.depth, picture.segmentation)
        solid = self._drawn(stage, instances, stage.solid, camera, style)
        s.fill(labels, bits, solid, background, picture.color, *_NOT_WANTED[1:])
        _shade(stage, instances, lighting, solid, style, picture, mix=False)
        behind = solid.depth.copy()
        for part in _from_the_back(stage, instances, camera):
            layer = self._drawn(stage, instances, part, camera, style, behind)
            _shade(stage, instances, lighting, layer, style, picture, mix=True)

    def _drawn(
        self,
        stage: Stage,
        instances: Instances,
        chosen: I32,
        camera: Camera,
        style: Style,
        behind: F64 | None = None,
    ) -> Raster:
        """The raster with some parts drawn, in front of what lies ``behind``."""
        width, height = camera.width, camera.height
        raster = self._cleared(stage, width, height)
        if behind is not None:
            raster.depth[:] = behind
        if camera.sees():
            matrix = _to_pixels(camera.projection @ camera.view, width, height)
            r.draw(
                stage.geometry, instances, chosen, matrix, camera.eye(), width, height, raster,
                0, True, style.wireframe, style.least_area,
            )  # fmt: skip
        return raster

    def _cleared(self, stage: Stage, width: int, height: int) -> Raster:
        """The empty raster, with room for an image and a stage."""
        depth, number, edges, source, points = self._raster
        if len(depth) != width * height:
            depth = np.empty(width * height)
            number = np.empty(width * height, dtype=np.int32)
        if len(edges) < stage.most_faces:
            edges = np.empty((stage.most_faces, 9))
            source = np.empty((stage.most_faces, 2), dtype=np.int32)
        if len(points) < stage.most_points:
            points = np.empty((stage.most_points, r.POINT_SIZE))
        depth.fill(np.inf)
        number.fill(r.NOTHING)
        self._raster = Raster(depth, number, edges, source, points)
        return self._raster

    def _lighting(
        self, stage: Stage, instances: Instances, lights: tuple[Light, ...], camera: Camera
    ) -> Lighting:
        """The lights, with shadow maps drawn."""
        shadows = [light.shadow for light in lights if light.shadow is not None]
        sizes = {(m.width or camera.width, m.height or camera.height) for m in shadows}
        if len(sizes) > 1:
            raise InvalidArgumentError("lights", sorted(sizes), "shadow maps of one size")
        width, height = sizes.pop() if sizes else (1, 1)
        depths = np.empty((len(shadows), width * height))
        matrices = np.empty((len(shadows), 4, 4))
        maps = np.empty((len(shadows), s.SHADOW_SIZE))
        for row, shadow in enumerate(shadows):
            maps[row] = (
                *shadow.depth_row, shadow.z_weight, shadow.w_weight, shadow.bias, shadow.rest
            )  # fmt: skip
            matrices[row] = _to_pixels(shadow.matrix, width, height)
            raster = self._cleared(stage, width, height)
            r.draw(
                stage.geometry, instances, stage.all, matrices[row], _NO_EYE, width, height,
                raster, 0, False, False, 0.0,
            )  # fmt: skip
            depths[row] = raster.depth
        return Lighting(_light_rows(lights), maps, matrices, depths, width, height)


def blank(camera: Camera, wanted: Wanted, *more: int) -> Picture:
    """Arrays for the images that are wanted, with further axes in front."""
    shape = (*more, camera.height, camera.width)
    return Picture(
        np.empty((*shape, 4), dtype=np.uint8) if wanted.color else _NOT_WANTED[0],
        np.empty(shape, dtype=np.float32) if wanted.depth else _NOT_WANTED[1],
        np.empty(shape, dtype=np.int32) if wanted.segmentation else _NOT_WANTED[2],
    )


def _shade(
    stage: Stage,
    instances: Instances,
    lighting: Lighting,
    raster: Raster,
    style: Style,
    picture: Picture,
    *,
    mix: bool,
) -> None:
    if len(picture.color) and stage.parts:
        projector = _NO_PROJECTOR if style.projector is None else _plain(style.projector)
        s.shade(
            stage.geometry, instances, stage.textures, lighting, raster, projector,
            picture.color, mix,
        )  # fmt: skip


def _from_the_back(stage: Stage, instances: Instances, camera: Camera) -> list[I32]:
    """The translucent parts, each in an array of its own, the farthest first."""
    spheres = stage.geometry.spheres[instances.mesh[stage.translucent], :3]
    models = instances.models[stage.translucent].reshape(-1, 3, 4)
    centers = np.einsum("nij,nj->ni", models[:, :, :3], spheres) + models[:, :, 3]
    along = centers @ camera.view[2, :3]  # z points back, to the camera
    order = np.argsort(along, kind="stable")
    return [stage.translucent[i : i + 1] for i in order]


def _to_pixels(clip: Matrix, width: int, height: int) -> Matrix:
    """A matrix to clip coordinates as one to homogeneous pixels, y up."""
    matrix = _plain(clip)
    matrix[0] = 0.5 * width * (clip[0] + clip[3])
    matrix[1] = 0.5 * height * (clip[1] + clip[3])
    return matrix


def _plain(array: F64) -> F64:
    """A copy in the one memory layout that the kernels are compiled for."""
    return np.array(array, dtype=np.float64, order="C")


def _light_rows(lights: tuple[Light, ...]) -> F64:
    rows = np.zeros((len(lights), s.LIGHT_SIZE))
    maps = 0
    for row, light in zip(rows, lights, strict=True):
        direction = np.asarray(light.direction, dtype=np.float64)
        length = float(np.linalg.norm(direction))
        row[s.L_DIRECTION : s.L_DIRECTION + 3] = direction / length if length > 0.0 else 0.0
        row[s.L_COLOR : s.L_COLOR + 3] = light.color
        row[s.L_AMBIENT : s.L_AMBIENT + 3] = light.ambient
        row[s.L_DIFFUSE], row[s.L_SPECULAR] = light.diffuse, light.specular
        row[s.L_SHADOW] = -1.0
        if light.shadow is not None:
            row[s.L_SHADOW] = maps
            maps += 1
    return rows


def _new_raster() -> Raster:
    return Raster(
        np.empty(0), np.empty(0, dtype=np.int32), np.empty((0, 9)),
        np.empty((0, 2), dtype=np.int32), np.empty((0, r.POINT_SIZE)),
    )  # fmt: skip


_warm: list[bool] = []  # not empty once the kernels are compiled


def compile_kernels() -> None:
    """Compile what draws, for processes to come."""
    _warm_up(SoftwareRenderer())


def _warm_up(renderer: SoftwareRenderer) -> None:
    """Take a first picture, and say so if compiling for it took long."""
    _warm.append(True)
    begin = time.perf_counter()
    stage = Stage()
    stage.show([Part(make_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))])
    view = look_at((1.0, 1.0, 1.0), (0.0, 0.0, 0.0))
    camera = Camera(2, 2, view, perspective(1.0, 1.0, 0.1, 9.0))
    renderer.render(stage, camera, Frames(np.zeros((0, 3)), np.zeros((0, 4))))
    seconds = time.perf_counter() - begin
    if seconds > _SLOW:
        cached = " (cached for the next start)" if keeps_code() else ""
        tell(f"compiled the camera in {seconds:.1f} s{cached}")
