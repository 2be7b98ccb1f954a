"""Where the images of all cameras of a simulation are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import Pose, Vec3
from unibody.core.assets.transforms import pose_multiply
from unibody.core.render.backends import ManyRenderer, make_batch_renderer
from unibody.core.render.batch import Job
from unibody.core.render.camera import Frames, Light, Picture, Style, sun_shadow
from unibody.core.render.mesh import Part, Texture
from unibody.core.render.stage import Stage
from unibody.isaacgym.cameras import flow, optics, parts
from unibody.isaacgym.cameras.sensor import CameraSensor, Scene, Taken
from unibody.isaacgym.types.enums import ImageType, UpAxis

if TYPE_CHECKING:
    from unibody.core.batch.group import Group
    from unibody.isaacgym.batch.environment import Environment
    from unibody.isaacgym.batch.simulation import Simulation

SKY = (178.0, 190.0, 204.0)
LIGHTS = 4
_SHADOW_MAP = 2048  # pixels
_NO_COLOR = np.empty((0, 0, 4), np.uint8)
_NO_DEPTH = np.empty((0, 0), np.float64)
_NO_LABELS = np.empty((0, 0), np.int32)
_NOWHERE = Frames(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]))


@dataclass
class _Set:
    """The parts that environments of one group have in common, and their looks in each."""

    pieces: list[parts.Piece]
    stage: Stage
    scenes: dict[Any, tuple[Any, Scene]] = field(default_factory=dict[Any, tuple[Any, Scene]])


class Studio:
    """Takes the pictures.

    Attributes:
        lights: Of all pictures.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim
        up = (0.3, 1.0, 0.5) if sim.params.up_axis == UpAxis.UP_AXIS_Y else (-0.4, -0.5, 1.0)
        dark = Light((0.0, 0.0, 0.0), ambient=0.0, diffuse=0.0, specular=0.0)
        key = Light(up, ambient=0.5, diffuse=0.5, specular=0.0)
        self.lights: list[Light] = [key] + [dark] * (LIGHTS - 1)
        self._sets: dict[tuple[Any, bool], _Set] = {}
        self._built: tuple[Any, ...] = ()
        self._together: tuple[Any, Scene] | None = None
        self._textures: dict[int, tuple[Any, Texture | None]] = {}
        self._renderer: ManyRenderer | None = None

    def close(self) -> None:
        """Give back what draws."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None

    def set_light(self, number: int, color: Vec3, ambient: Vec3, direction: Vec3) -> None:
        """Replace one of the lights."""
        self.lights[number] = Light(direction, color, ambient, 1.0, 0.0)

    # --- scenes --------------------------------------------------------------------------------

    def scene(self, env: Environment, collision: bool) -> Scene:
        """What there is to see in an environment; its worlds are built."""
        self._clear_if_rebuilt()
        key = self._key(env)
        found = self._sets.get((key, collision))
        if found is None:
            found = self._sets[key, collision] = self._new_set(env, collision)
        kept, state = found.scenes.get(env), self._look(env)
        if kept is None or kept[0] != state:
            if _deforms(env):
                found.pieces = parts.with_soft(found.pieces, env.actors)
                found.stage.show([piece.part for piece in found.pieces])
            kept = found.scenes[env] = (state, self._dressed(found, env, collision))
        return kept[1]

    def _look(self, env: Environment) -> tuple[int, int]:
        """What is another one where an environment looks different."""
        return env.looks, self._sim.version if _deforms(env) else -1

    def _clear_if_rebuilt(self) -> None:
        """Forget what was made for worlds that are no more."""
        built = (*self._sim.groups, len(self._sim.grounds))
        if built != self._built:
            self._built = built
            self._sets.clear()
            self._together = None

    def _key(self, env: Environment) -> Any:
        """What environments with the same parts have in common."""
        if not env.actors or _deforms(env):
            return env
        return int(self._sim.actor_places[env.actor_base, 0])

    def _new_set(self, env: Environment, collision: bool) -> _Set:
        sim = self._sim
        if env.actors:
            group = sim.group_of(env.actors[0])

            def row(actor: int, link: int) -> int:
                if actor < 0:
                    return group.scene.bodies[link].body
                return group.exchange.record(actor).body + link

            pieces = parts.pieces(sim, env.actors, row, collision)
        else:
            pieces = [
                _placed(piece, self._ground_pose(env, piece))
                for piece in parts.pieces(sim, [], lambda _actor, _link: -1, collision)
            ]
        pieces = [
            piece._replace(part=replace(piece.part, label=number))
            for number, piece in enumerate(pieces)
        ]
        stage = Stage()
        stage.show([piece.part for piece in pieces])
        return _Set(pieces, stage)

    def _ground_pose(self, env: Environment, piece: parts.Piece) -> Pose:
        """Where a part of the ground is in an environment that has no world."""
        ground = self._sim.grounds[piece.body]
        pose = pose_multiply(ground.pose, piece.part.pose)
        if ground.level:
            return pose
        x, y, z = pose.pos
        return Pose((x - env.origin.x, y - env.origin.y, z - env.origin.z), pose.quat)

    def _dressed(self, found: _Set, env: Environment, collision: bool) -> Scene:
        colors, skins = parts.dress(found.pieces, env.actors, self._skins(), collision)
        numbers = parts.segmentation(self._sim, found.pieces, env.actors)
        return Scene(found.stage.dressed(colors, skins), numbers, found.stage.frames)

    def _skins(self) -> dict[int, Texture | None]:
        """The simulation's textures, each made once."""
        sources = self._sim.textures
        for handle in [h for h, kept in self._textures.items() if kept[0] is not sources.get(h)]:
            del self._textures[handle]
        for handle, source in sources.items():
            if handle not in self._textures:
                self._textures[handle] = source, parts.texture_of(source)
        return {handle: kept[1] for handle, kept in self._textures.items()}

    def dressed_pieces(
        self, env: Environment, collision: bool
    ) -> tuple[list[parts.Piece], npt.NDArray[np.float32], list[Texture | None]]:
        """The parts of an environment, with its colours and textures."""
        self.scene(env, collision)
        pieces = self._sets[self._key(env), collision].pieces
        return pieces, *parts.dress(pieces, env.actors, self._skins(), collision)

    def together(self, envs: Sequence[Environment], collision: bool) -> Scene:
        """What there is to see in several environments; the ground is that of the first."""
        self._clear_if_rebuilt()
        state = (collision, *((env, self._look(env)) for env in envs))
        if self._together is None or self._together[0] != state:
            self._together = state, self._joined(envs, collision)
        return self._together[1]

    def shown(self, envs: Sequence[Environment], collision: bool) -> tuple[Any, ...]:
        """What is another one where other parts or looks are to be shown on a page."""
        self._clear_if_rebuilt()
        return (self._built, collision, *((env, env.looks) for env in envs))

    def _joined(self, envs: Sequence[Environment], collision: bool) -> Scene:
        shown: list[Part] = []
        numbers: list[int] = []
        first = 0
        for env in envs:
            pieces, colors, skins = self.dressed_pieces(env, collision)
            own = parts.segmentation(self._sim, pieces, env.actors)
            for number, piece in enumerate(pieces):
                if piece.actor < 0 and env is not envs[0]:
                    continue
                red, green, blue, alpha = (float(value) for value in colors[number])
                part = replace(
                    piece.part,
                    frame=first + max(piece.part.frame, 0),
                    rgba=(red, green, blue, alpha),
                    texture=skins[number],
                    label=len(shown),
                )
                shown.append(part)
                numbers.append(int(own[number]))
            first += self.frame_count(env)
        stage = Stage()
        stage.show(shown)
        return Scene(stage, np.array([*numbers, 0], np.int32), stage.frames)

    # --- poses ---------------------------------------------------------------------------------

    def frame_count(self, env: Environment) -> int:
        """How many frames an environment has."""
        return int(self._sim.group_of(env.actors[0]).worlds.model.nbody) if env.actors else 1

    def body_rows(self, envs: Sequence[Environment]) -> npt.NDArray[np.int64]:
        """Rows of the rigid bodies among ``frames_of``."""
        rows: list[Any] = []
        first = 0
        for env in envs:
            if env.actors:
                rows.append(first + self._sim.group_of(env.actors[0]).places.bodies)
            first += self.frame_count(env)
        return np.concatenate(rows or [[]]).astype(np.int64)

    def frames_of(self, envs: Sequence[Environment]) -> Frames:
        """Poses of all bodies of environments one after the other, in the simulation's frame."""
        sim = self._sim
        sim.kinematics()
        groups = [self._frames(group) for group in sim.groups]
        found = [self._own_frames(env, groups) for env in envs]
        origins = [np.array([env.origin.x, env.origin.y, env.origin.z]) for env in envs]
        if not envs:
            return _NOWHERE
        return Frames(
            np.concatenate([f.positions + o for f, o in zip(found, origins, strict=True)]),
            np.concatenate([f.quats for f in found]),
        )

    def _own_frames(self, env: Environment, groups: list[Frames]) -> Frames:
        """Of the world of one environment."""
        if not env.actors:
            return _NOWHERE
        group, world, _ = (int(v) for v in self._sim.actor_places[env.actor_base])
        return Frames(groups[group].positions[world], groups[group].quats[world])

    def _frames(self, group: Group) -> Frames:
        return Frames(_numbers(group.worlds.xpos), _numbers(group.worlds.xquat))

    # --- pictures ------------------------------------------------------------------------------

    def render(self, cameras: Sequence[CameraSensor]) -> None:
        """Note what cameras see now, and draw those of their images that are wanted."""
        self._sim.kinematics()
        groups = [self._frames(group) for group in self._sim.groups]
        for sensor in cameras:
            positions, quats = self._own_frames(sensor.env, groups)
            frames = Frames(positions.copy(), quats.copy())
            scene = self.scene(sensor.env, sensor.properties.use_collision_geometry)
            self._take(sensor, scene, frames, optics.view(*sensor.pose_at(frames)))
        self.draw([(sensor, sensor.wanted) for sensor in cameras if sensor.wanted])

    def look(self, sensor: CameraSensor, envs: Sequence[Environment]) -> None:
        """Note what a camera of the simulation's frame sees of several environments now."""
        frames = self.frames_of(envs)
        scene = self.together(envs, sensor.properties.use_collision_geometry)
        self._take(sensor, scene, frames, sensor.view())

    def _take(self, sensor: CameraSensor, scene: Scene, frames: Frames, view: Any) -> None:
        camera = optics.camera(sensor.properties, view)
        sensor.before, sensor.taken = sensor.taken, Taken(scene, frames, camera)
        sensor.drawn = set()

    def draw(
        self,
        jobs: Sequence[tuple[CameraSensor, set[ImageType]]],
        shade: tuple[Vec3, float] | None = None,
    ) -> None:
        """Draw images of what cameras saw last.

        Args:
            jobs: Cameras, and the images of each.
            shade: Centre and radius of the sphere in which the first light casts shadows [m].
        """
        if not jobs:
            return
        lights = [light for light in self.lights if _shines(light)]
        if shade is not None and lights and any(lights[0].direction):
            shadow = replace(sun_shadow(lights[0].direction, *shade, size=_SHADOW_MAP), rest=0.3)
            lights[0] = replace(lights[0], shadow=shadow)
        style = Style(tuple(lights), SKY)

        if self._renderer is None:
            self._renderer = make_batch_renderer(device=self._sim.device)
        drawn = [
            (_picture(sensor, kinds), sensor.taken, sensor, kinds)
            for sensor, kinds in jobs
            if sensor.taken is not None
        ]
        self._renderer.draw(
            [
                Job(picture, taken.scene.stage, taken.camera, taken.frames)
                for picture, taken, _, _ in drawn
            ],
            style,
        )
        for picture, taken, sensor, kinds in drawn:
            _write(picture, taken, sensor, kinds)
        for sensor, kinds in jobs:
            sensor.copy_to_device(kinds)


def _deforms(env: Environment) -> bool:
    return any(actor.soft for actor in env.actors)


def _placed(piece: parts.Piece, pose: Pose) -> parts.Piece:
    return piece._replace(part=replace(piece.part, pose=pose))


def _shines(light: Light) -> bool:
    return light.ambient != 0.0 or light.diffuse > 0.0


def _numbers(array: Any) -> npt.NDArray[np.float64]:
    return array if isinstance(array, np.ndarray) else array.numpy().astype(np.float64)


def _picture(sensor: CameraSensor, kinds: set[ImageType]) -> Picture:
    """Arrays for what images of a camera are made of; colours are in their memory already."""
    p, flows = sensor.properties, ImageType.IMAGE_OPTICAL_FLOW in kinds
    across, down = p.supersampling_horizontal, p.supersampling_vertical
    shape = (p.height * down, p.width * across)
    color = _NO_COLOR
    if ImageType.IMAGE_COLOR in kinds:
        single = across == down == 1
        color = sensor.image(ImageType.IMAGE_COLOR) if single else np.empty((*shape, 4), np.uint8)
    # With single precision and near planes of a millimetre nothing would be left at ten metres.
    has_depth = flows or ImageType.IMAGE_DEPTH in kinds
    depth: Any = np.empty(shape, np.float64) if has_depth else _NO_DEPTH
    has_labels = flows or ImageType.IMAGE_SEGMENTATION in kinds
    return Picture(color, depth, np.empty(shape, np.int32) if has_labels else _NO_LABELS)


def _write(picture: Picture, taken: Taken, sensor: CameraSensor, kinds: set[ImageType]) -> None:
    """Write images of a camera from a picture of what it saw."""
    p = sensor.properties
    across, down = p.supersampling_horizontal, p.supersampling_vertical
    if ImageType.IMAGE_COLOR in kinds and not across == down == 1:
        blocks = picture.color.reshape(p.height, down, p.width, across, 4)
        sensor.image(ImageType.IMAGE_COLOR)[:] = np.rint(blocks.mean(axis=(1, 3)))
    distances = taken.camera.distances(picture.depth[down // 2 :: down, across // 2 :: across])
    labels = picture.segmentation[down // 2 :: down, across // 2 :: across]
    if ImageType.IMAGE_DEPTH in kinds:
        sensor.image(ImageType.IMAGE_DEPTH)[:] = -distances
    if ImageType.IMAGE_SEGMENTATION in kinds:
        sensor.image(ImageType.IMAGE_SEGMENTATION)[:] = taken.scene.segmentation[labels]
    if ImageType.IMAGE_OPTICAL_FLOW in kinds:
        sensor.image(ImageType.IMAGE_OPTICAL_FLOW)[:] = flow.between(
            sensor.before, taken, p, distances, labels
        )
    sensor.drawn |= kinds
