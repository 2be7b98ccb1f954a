"""The bodies of a client as parts on a stage, and where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.bullet.cameras.meshes import mesh_of
from unibody.bullet.state.looks import Look
from unibody.bullet.visuals.images import image_of
from unibody.bullet.visuals.looks import looks_of, number_textures
from unibody.core.render.backends import Renderer, make_renderer
from unibody.core.render.camera import Frames
from unibody.core.render.mesh import Mesh, Part
from unibody.core.render.software import SoftwareRenderer
from unibody.core.render.stage import Stage
from unibody.errors import AssetError
from unibody.notices import tell

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client
    from unibody.bullet.handles.body import Body
    from unibody.core.assets.description import Pose, Shape
    from unibody.core.engine.world.world import World

BODY_BITS = 24  # a label is the body, and the link + 1 above these bits


class CameraState:
    """What a client's cameras work with.

    Attributes:
        client: The client.
        stage: Its bodies, as of the last ``refresh``.
        renderer: Takes the pictures that are to be TinyRenderer's.
        settings: Light settings that a call left for those after it, by argument name.
        near: Distance of the near plane of the last picture [m].
        far: Distance of the far plane of the last picture [m].
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.stage = Stage()
        self.renderer = SoftwareRenderer()
        self.settings: dict[str, Any] = {}
        self.near, self.far = 0.01, 1000.0
        self._shown: tuple[World | None, int, int] = (None, -1, -1)
        self._hardware: Renderer | None = None

    def hardware(self) -> Renderer:
        """Takes the pictures that are to be those of a graphics card, where there is one."""
        if self._hardware is None:
            self._hardware = make_renderer()
        return self._hardware

    def refresh(self) -> Frames:
        """Bring the stage up to date; where the frames are that its parts follow."""
        world = self.client.world
        world.kinematics()
        state = (world, world.generation, self.client.looks_version)
        if state != self._shown:
            self._show()
            self._shown = state
        return Frames(world.data.xpos, world.data.xquat)

    def _show(self) -> None:
        client = self.client
        number_textures(client)
        parts: list[Part] = []
        for body in client.bodies.values():
            for look, shape in zip(looks_of(client, body), placed_shapes(body), strict=True):
                mesh = self._mesh(shape)
                if mesh is not None:
                    frame = body.record.links[look.link + 1].body
                    parts.append(self._part(look, mesh, frame, shape.pose, body.id))
        self.stage.show(parts)

    def _mesh(self, shape: Shape) -> Mesh | None:
        try:
            return mesh_of(shape)
        except AssetError as problem:  # PyBullet draws the rest, too
            if self.client.say_once(str(problem)):
                tell(f"not drawn: {problem}")
            return None

    def _part(self, look: Look, mesh: Mesh, frame: int, pose: Pose, body: int) -> Part:
        texture = None
        if look.texture is not None and look.texture >= 0:
            texture = image_of(self.client, look.texture)
        label = int(
            np.int64(body + (look.link + 1 << BODY_BITS)).astype(np.int32)
        )  # wraps, as in C
        return Part(mesh, frame, pose, look.rgba, texture, label, look.double_sided)


def placed_shapes(body: Body) -> Iterator[Shape]:
    """The shapes of ``looks_of``, in the frames that links have in the engine."""
    for link in body.record.asset.links:
        yield from link.visuals or link.collisions
