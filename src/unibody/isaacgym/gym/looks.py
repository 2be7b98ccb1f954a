"""Methods of ``Gym``: colours, textures and numbers in segmentation images."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from unibody.core.assets.images import image_size
from unibody.errors import AssetError, InvalidArgumentError
from unibody.isaacgym import handles
from unibody.isaacgym.gym.checks import actor_of, index_of, numbers_of, sim_of, text_of, vector_of
from unibody.isaacgym.types.enums import MeshType
from unibody.isaacgym.types.fields import to_choice, to_int
from unibody.isaacgym.types.vectors import Vec3
from unibody.notices import tell_once

_MOST_PIXELS = 64_000_000
_LARGEST_BYTE = 255


class LookCalls:
    """Looks."""

    def set_rigid_body_color(
        self, arg0: handles.Env, arg1: int, arg2: int, arg3: MeshType, arg4: Vec3
    ) -> None:
        """Give a body of an actor a colour, for its visual or collision meshes or both.

        Programs colour bodies by numbers that a smaller robot does not have. That is no error, but
        told once.
        """
        actor = actor_of(arg0, arg1)
        color, kinds = vector_of("color", arg4), _kinds(arg3)
        number, count = to_int("body index", arg2), len(actor.model.body_links)
        if not 0 <= number < count:
            tell_once(f"set_rigid_body_color: {actor.name!r} has no body {number}, but {count}")
            return
        look = actor.look(number)
        for kind in kinds:
            look.color[kind] = Vec3(color.x, color.y, color.z)
        actor.env.sim.looks_changed(actor)

    def get_rigid_body_color(self, arg0: handles.Env, arg1: int, arg2: int, arg3: MeshType) -> Vec3:
        """Return the colour of a body: that which was set, else its first shape's."""
        actor = actor_of(arg0, arg1)
        number = index_of("body index", arg2, len(actor.model.body_links))
        kind = _kinds(arg3)[0]
        found = actor.look(number).color.get(kind)
        if found is not None:
            return Vec3(found.x, found.y, found.z)
        link = actor.model.tree.links[actor.model.body_links[number]]
        shapes = link.visuals if kind == MeshType.MESH_VISUAL else link.collisions
        rgba = shapes[0].rgba if shapes and shapes[0].rgba else (1.0, 1.0, 1.0, 1.0)
        return Vec3(*rgba[:3])

    def set_rigid_body_texture(
        self, arg0: handles.Env, arg1: int, arg2: int, arg3: MeshType, arg4: int
    ) -> None:
        """Give a body of an actor a texture; -1 takes it away."""
        actor = actor_of(arg0, arg1)
        look = actor.look(index_of("body index", arg2, len(actor.model.body_links)))
        texture = to_int("texture", arg4)
        if texture != -1 and texture not in actor.env.sim.textures:
            raise InvalidArgumentError("texture", arg4, "-1, or what create_texture_* returned")
        for kind in _kinds(arg3):
            look.texture[kind] = texture
        actor.env.sim.looks_changed(actor)

    def get_rigid_body_texture(
        self, arg0: handles.Env, arg1: int, arg2: int, arg3: MeshType
    ) -> int:
        """Return the texture that a body was given; -1: none."""
        actor = actor_of(arg0, arg1)
        look = actor.look(index_of("body index", arg2, len(actor.model.body_links)))
        return look.texture.get(_kinds(arg3)[0], -1)

    def reset_actor_materials(self, arg0: handles.Env, arg1: int, arg2: MeshType) -> None:
        """Take back the colours and textures that an actor's bodies were given."""
        actor = actor_of(arg0, arg1)
        for look in actor.looks.values():
            for kind in _kinds(arg2):
                look.color.pop(kind, None)
                look.texture.pop(kind, None)
        actor.env.sim.looks_changed(actor)

    def set_rigid_body_segmentation_id(
        self, arg0: handles.Env, arg1: int, arg2: int, arg3: int
    ) -> None:
        """Give a body of an actor a number in segmentation images."""
        actor = actor_of(arg0, arg1)
        look = actor.look(index_of("body index", arg2, len(actor.model.body_links)))
        look.segmentation = to_int("segmentation id", arg3)
        actor.env.sim.looks_changed(actor)

    def get_rigid_body_segmentation_id(self, arg0: handles.Env, arg1: int, arg2: int) -> int:
        """Return the number of a body in segmentation images."""
        actor = actor_of(arg0, arg1)
        return actor.look(index_of("body index", arg2, len(actor.model.body_links))).segmentation

    def create_texture_from_file(self, arg0: handles.Sim, arg1: str) -> int:
        """Load an image file as a texture; return its handle.

        Raises:
            InvalidArgumentError: There is no such file, or it is no image.
        """
        sim = sim_of(arg0)
        file = os.path.abspath(os.path.expanduser(text_of("filename", arg1)))
        if not os.path.isfile(file):
            raise InvalidArgumentError("filename", arg1, "an image file")
        try:
            image_size(file)
        except AssetError as error:
            raise InvalidArgumentError("filename", arg1, f"an image file ({error})") from error
        return sim.add_texture(file)

    def create_texture_from_buffer(self, arg0: handles.Sim, arg1: int, arg2: int, arg3: Any) -> int:
        """Make a texture of ``arg1`` by ``arg2`` pixels, 4 bytes RGBA each; return its handle."""
        sim = sim_of(arg0)
        width, height = to_int("width", arg1), to_int("height", arg2)
        if width < 1 or height < 1 or width * height > _MOST_PIXELS:
            raise InvalidArgumentError("width, height", (arg1, arg2), f"1 to {_MOST_PIXELS} pixels")
        pixels = numbers_of("buffer", arg3)
        if pixels.size != 4 * width * height:
            allowed = f"4 * {width} * {height} bytes"
            raise InvalidArgumentError("buffer", f"{pixels.size} bytes", allowed)
        if pixels.min() < 0 or pixels.max() > _LARGEST_BYTE:
            raise InvalidArgumentError("buffer", arg3, "numbers from 0 to 255")
        return sim.add_texture(pixels.astype(np.uint8).reshape(height, width, 4))

    def free_texture(self, arg0: handles.Sim, arg1: int) -> None:
        """Forget a texture; bodies that have it look as without."""
        sim = sim_of(arg0)
        if to_int("texture", arg1) not in sim.textures:
            raise InvalidArgumentError("texture", arg1, "what create_texture_* returned")
        sim.remove_texture(arg1)


def _kinds(value: Any) -> list[int]:
    """The single kinds of meshes that a ``MeshType`` names."""
    wanted = "a gymapi.MESH_* other than MESH_NONE"
    chosen = to_choice("mesh type", value, MeshType, wanted)
    if chosen is MeshType.MESH_NONE:
        raise InvalidArgumentError("mesh type", value, wanted)
    return [int(kind) for kind in (MeshType.MESH_VISUAL, MeshType.MESH_COLLISION) if chosen & kind]
