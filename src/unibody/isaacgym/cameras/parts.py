"""The parts of an environment: what there is to see, and how it looks."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import MeshSource, Shape, ShapeKind
from unibody.core.assets.meshes import load_mesh, mesh_materials
from unibody.core.render.mesh import Mesh, Part, Texture, load_texture, make_mesh
from unibody.core.render.shapes import mesh_of_shape
from unibody.core.render.tiles import tiles_of
from unibody.errors import AssetError
from unibody.isaacgym.types.enums import MeshType
from unibody.notices import tell

if TYPE_CHECKING:
    from unibody.core.assets import description as core
    from unibody.isaacgym.batch.actor import Actor
    from unibody.isaacgym.batch.simulation import Simulation

Color = tuple[float, float, float, float]
_WHITE: Color = (1.0, 1.0, 1.0, 1.0)
_GROUND: Color = (0.75, 0.76, 0.78, 1.0)
_said: set[str] = set()


class Piece(NamedTuple):
    """A part and whose it is.

    Attributes:
        part: Follows a MuJoCo body of the environment's world; its label is its number.
        actor: Number of its actor; -1: of the ground.
        body: Number of its body there; of the ground, of its part of the ground.
        shape: What it is a part of.
    """

    part: Part
    actor: int
    body: int
    shape: Shape


def pieces(sim: Simulation, actors: list[Actor], rows: Any, collision: bool) -> list[Piece]:
    """All parts of an environment.

    Args:
        sim: With the grounds.
        actors: Of the environment.
        rows: Gives the body's row among the poses of a link of an actor: ``rows(actor, link)``;
            of a part of the ground: ``rows(-1, number)``.
        collision: Collision shapes instead of visual ones.
    """
    found: list[Piece] = []
    for number, ground in enumerate(sim.grounds):
        for shape in ground.asset.links[0].visuals:
            found += _of_shape(shape, rows(-1, number), -1, number, _GROUND, own_colors=False)
    for actor in actors:
        number_of = {link: body for body, link in enumerate(actor.model.body_links)}
        for link, shapes in _shapes(actor.tree, collision):
            body = number_of.get(link, -1)
            row, own = rows(actor.handle, link), actor.model.options.use_mesh_materials
            for shape in shapes if body >= 0 else ():
                found += _of_shape(shape, row, actor.handle, body, _WHITE, own_colors=own)
    return found


def _shapes(tree: core.Asset, collision: bool) -> Iterator[tuple[int, list[Shape]]]:
    """The shapes of each link; an asset without any visual one shows its collision shapes."""
    blind = not any(link.visuals for link in tree.links)
    for number, link in enumerate(tree.links):
        yield number, link.collisions if collision or blind else link.visuals


def _of_shape(
    shape: Shape, row: int, actor: int, body: int, plain: Color, *, own_colors: bool
) -> list[Piece]:
    """A shape as parts: one, or one for each material of its mesh."""
    source = shape.mesh if shape.kind is ShapeKind.MESH else None
    try:
        if actor < 0:
            skins = tuple((mesh, None, "") for mesh in tiles_of(shape))
        elif source is not None and source.file and (own_colors or shape.rgba is None):
            skins = _skins(source)
        else:
            mesh = mesh_of_shape(shape)
            skins = () if mesh is None else ((mesh, None, ""),)
    except AssetError as problem:
        _say(f"not drawn: {problem}")
        return []
    found: list[Piece] = []
    for mesh, color, file in skins:
        rgba = color or shape.rgba or plain
        image = texture_of(file or shape.texture)
        if image is None and actor < 0:
            image = _grid() if shape.kind is ShapeKind.PLANE else None
        solid = (rgba[0], rgba[1], rgba[2], 1.0 if rgba[3] > 0.0 else 0.0)
        part = Part(mesh, row, shape.pose, solid, image, double_sided=actor < 0)
        found.append(Piece(part, actor, body, shape))
    return found


def _skins(source: MeshSource) -> tuple[tuple[Mesh, Color | None, str], ...]:
    """Meshes of a file by material, with colour and texture as far as it states them."""
    return _skins_of(source, tuple(load_mesh(source)))


@functools.lru_cache(maxsize=512)
def _skins_of(
    source: MeshSource, meshes: tuple[Any, ...]
) -> tuple[tuple[Mesh, Color | None, str], ...]:
    found: list[tuple[Mesh, Color | None, str]] = []
    for mesh, material in zip(meshes, mesh_materials(source), strict=True):
        if not len(mesh.faces):
            continue
        drawn = make_mesh(mesh.vertices, mesh.faces, mesh.normals, mesh.uv)
        color = None if material is None else material.rgba
        found.append((drawn, color, "" if material is None else material.texture))
    return tuple(found)


def texture_of(source: Any) -> Texture | None:
    """A texture from a file's name or from pixels (height, width, 4); None if it has no pixels."""
    if isinstance(source, str):
        if not source:
            return None
        try:
            return load_texture(source)
        except (AssetError, OSError) as problem:
            _say(f"drawn without its texture: {problem}")
            return None
    return Texture(np.ascontiguousarray(source[::-1, :, :3]))


def dress(
    pieces_: list[Piece], actors: list[Actor], textures: dict[int, Texture | None], collision: bool
) -> tuple[npt.NDArray[np.float32], list[Texture | None]]:
    """Colours (parts, 4) and textures of the parts of an environment."""
    kind = int(MeshType.MESH_COLLISION if collision else MeshType.MESH_VISUAL)
    colors = np.array([piece.part.rgba for piece in pieces_], np.float32).reshape(-1, 4)
    skins = [piece.part.texture for piece in pieces_]
    for number, piece in enumerate(pieces_):
        look = actors[piece.actor].looks.get(piece.body) if piece.actor >= 0 else None
        if look is None:
            continue
        texture, color = look.texture.get(kind), look.color.get(kind)
        if texture is not None:
            skins[number] = textures.get(texture)
            colors[number, :3] = 1.0
        if color is not None:
            colors[number, :3] = color.x, color.y, color.z
    return colors, skins


def segmentation(
    sim: Simulation, pieces_: list[Piece], actors: list[Actor]
) -> npt.NDArray[np.int32]:
    """Numbers of the parts in segmentation images, and 0 for nothing at the end."""
    numbers: list[int] = []
    for piece in pieces_:
        if piece.actor < 0:
            numbers.append(sim.grounds[piece.body].segmentation)
            continue
        actor = actors[piece.actor]
        look = actor.looks.get(piece.body)
        numbers.append(actor.segmentation if look is None else look.segmentation)
    return np.array([*numbers, 0], np.int64).astype(np.int32)


@functools.cache
def _grid() -> Texture:
    """Squares of half a metre for planes."""
    image = np.full((64, 64, 3), 255, np.uint8)
    image[:32, :32] = image[32:, 32:] = 236
    return Texture(image)


def _say(line: str) -> None:
    if line not in _said:
        _said.add(line)
        tell(line)
