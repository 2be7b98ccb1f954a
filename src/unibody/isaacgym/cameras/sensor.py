"""A camera of an environment, with its images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.render.camera import Camera, Frames
from unibody.core.render.stage import Stage
from unibody.isaacgym.cameras import optics
from unibody.isaacgym.cameras.poses import Follow, Pose
from unibody.isaacgym.types.enums import ImageType
from unibody.isaacgym.types.viewing import CameraProperties

if TYPE_CHECKING:
    from unibody.isaacgym.batch.environment import Environment
    from unibody.isaacgym.batch.simulation import Simulation

Array = npt.NDArray[np.float64]
_CHANNELS: dict[ImageType, tuple[tuple[int, ...], type[Any], float]] = {
    ImageType.IMAGE_COLOR: ((4,), np.uint8, 0),
    ImageType.IMAGE_DEPTH: ((), np.float32, -np.inf),
    ImageType.IMAGE_SEGMENTATION: ((), np.int32, 0),
    ImageType.IMAGE_OPTICAL_FLOW: ((2,), np.int16, 0),
}


class Scene(NamedTuple):
    """What cameras see of an environment.

    Attributes:
        stage: The parts; the label of each is its number.
        segmentation: Number of each part in segmentation images, and 0 at the end for nothing.
        bodies: The frame that each part follows; -1: none.
    """

    stage: Stage
    segmentation: npt.NDArray[np.int32]
    bodies: npt.NDArray[np.int32]


class Taken(NamedTuple):
    """Everything that images of one moment are made of.

    Attributes:
        scene: What was there.
        frames: Where its frames were; copies.
        camera: What it was seen with.
    """

    scene: Scene
    frames: Frames
    camera: Camera


class CameraSensor:
    """A camera.

    Attributes:
        env: The environment that it sees.
        properties: Its own copy.
        placed: Where a script put it, in the environment's frame.
        offset: From the body that it follows.
        follow: That body, or None.
        wanted: Images to be drawn with every rendering; others are drawn when they are asked for.
        images: Those that there are, always in the same memory: colours (height, width, 4),
            depths and segmentation (height, width), flow (height, width, 2).
        tensors: Copies of images on the GPU of the worlds, for those a script has asked for.
        taken: Of the last rendering.
        before: Of the one before it.
        drawn: Images of the last rendering that have been drawn.
    """

    def __init__(self, env: Environment, properties: CameraProperties) -> None:
        self.env = env
        self.properties = properties
        self.placed = Pose(np.zeros(3), np.eye(3))
        self.offset: Pose = self.placed
        self.follow: Follow | None = None
        self.wanted: set[ImageType] = set()
        self.images: dict[ImageType, npt.NDArray[Any]] = {}
        self.tensors: dict[ImageType, Any] = {}
        self.taken: Taken | None = None
        self.before: Taken | None = None
        self.drawn: set[ImageType] = set()

    @property
    def sim(self) -> Simulation:
        """The simulation."""
        return self.env.sim

    def origin(self) -> Array:
        """Of the environment's frame, in the simulation's [m]."""
        origin = self.env.origin
        return np.array([origin.x, origin.y, origin.z])

    def pose(self) -> Pose:
        """Where it is now, in the environment's frame.

        One that follows a body keeps its place until the worlds are built.
        """
        sim = self.env.sim
        if self.follow is not None and sim.built:
            sim.kinematics()
            actor, link = self.follow.actor, self.follow.link
            group = sim.group_of(actor)
            world = group.world_of(self.env)
            self.placed = self.follow.place(
                self.offset, *group.exchange.link_frame(actor.handle, link, world)
            )
        return self.placed

    def pose_at(self, frames: Frames) -> Pose:
        """The same, with the poses of the environment's bodies at hand."""
        if self.follow is not None:
            row = self.follow.row
            self.placed: Pose = self.follow.place(
                self.offset, frames.positions[row], frames.quats[row]
            )
        return self.placed

    def image(self, kind: ImageType) -> npt.NDArray[Any]:
        """The memory of an image; before the first rendering it shows nothing."""
        if kind not in self.images:
            channels, number, nothing = _CHANNELS[kind]
            shape = (self.properties.height, self.properties.width, *channels)
            self.images[kind] = np.full(shape, nothing, number)
        return self.images[kind]

    def view(self) -> Array:
        """From the simulation's frame to that of the image, acting on columns, (4, 4)."""
        pose = self.pose()
        return optics.view(pose.position + self.origin(), pose.rotation)

    def tensor(self, kind: ImageType, device: str) -> Any:
        """The array of an image that stays the same: in host memory, or on a CUDA device."""
        host = self.image(kind)
        self.wanted.add(kind)
        if not device.startswith("cuda"):
            return host
        if kind not in self.tensors:
            import torch

            self.tensors[kind] = torch.from_numpy(host).to(device)
        return self.tensors[kind]

    def copy_to_device(self, kinds: set[ImageType]) -> None:
        """Bring images that were drawn to where scripts read them."""
        for kind in kinds & set(self.tensors):
            import torch

            self.tensors[kind].copy_(torch.from_numpy(self.images[kind]))
