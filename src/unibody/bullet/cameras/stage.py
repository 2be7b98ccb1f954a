"""The bodies of a client as parts on a stage, and where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from unibody.bullet.cameras.meshes import mesh_of
from unibody.bullet.cameras.soft import soft_mesh, soft_texture
from unibody.bullet.handles.soft_records import has_soft_bodies
from unibody.bullet.visuals.looks import number_textures
from unibody.bullet.visuals.visual_shapes import visuals_of
from unibody.core.render.backends import Renderer, make_renderer
from unibody.core.render.camera import Frames
from unibody.core.render.mesh import Mesh, Part
from unibody.core.render.parts import Surface, parts_of
from unibody.core.render.software import SoftwareRenderer
from unibody.core.render.stage import Stage
from unibody.notices import tell

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client
    from unibody.core.assets.description import Shape
    from unibody.core.engine.world.world import World


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
        self.stage: Stage = Stage()
        self.renderer: SoftwareRenderer = SoftwareRenderer()
        self.settings: dict[str, Any] = {}
        self.near: float = 0.01
        self.far: float = 1000.0
        self._shown: tuple[World | None, int, int, int] = (None, -1, -1, 0)
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
        soft = has_soft_bodies(self.client)
        moves = world.version if soft else 0
        state = (world, world.generation, self.client.looks_version, moves)
        if state != self._shown:
            self._show()
            self._shown = state
        return Frames(world.data.xpos, world.data.xquat)

    def _show(self) -> None:
        client = self.client
        number_textures(client)
        parts: list[Part] = []
        for body in client.bodies.values():
            mesh = soft_mesh(client, body)
            surfaces = _surfaces if mesh is None else partial(_one, mesh)
            own = soft_texture(client, body) or ""
            for visual in visuals_of(client, body):
                drawn = visual
                if mesh is not None:  # both sides of soft bodies are seen
                    texture = visual.texture or own
                    drawn = replace(visual, texture=texture, double_sided=True)
                parts += parts_of(drawn, surfaces, self._say)
        self.stage.show(parts)

    def _say(self, line: str) -> None:
        if self.client.say_once(line):
            tell(line)


def _one(mesh: Mesh, shape: Shape) -> Sequence[Surface]:
    """A shape that is another mesh now."""
    del shape
    return (Surface(mesh),)


def _surfaces(shape: Shape) -> Sequence[Surface]:
    mesh = mesh_of(shape)
    return () if mesh is None else (Surface(mesh),)
