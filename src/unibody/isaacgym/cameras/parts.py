"""The parts of an environment: what there is to see, and how it looks."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import MeshSource, Shape, ShapeKind
from unibody.core.render import parts as drawing
from unibody.core.render.mesh import Mesh, Part, Texture, make_mesh
from unibody.core.render.parts import Surface, Surfaces, parts_of, texture_of_pixels
from unibody.core.render.patterns import chequers
from unibody.core.render.visual_shapes import Rgba, VisualShape
from unibody.isaacgym.types.enums import MeshType

if TYPE_CHECKING:
    from unibody.core.assets import description as core
    from unibody.isaacgym.batch.environment import Actor
    from unibody.isaacgym.batch.simulation import Simulation
    from unibody.isaacgym.batch.soft import SoftPart

_WHITE: Rgba = (1.0, 1.0, 1.0, 1.0)
_SOFT: Rgba = (0.89, 0.55, 0.42, 1.0)
_GROUND: Rgba = (0.75, 0.76, 0.78, 1.0)
_SQUARES = chequers((236, 236, 236), (255, 255, 255))  # of planes


class Piece(NamedTuple):
    """A part and what it is a part of.

    Attributes:
        part: Follows a MuJoCo body of the environment's world; its label is its number.
        visual: The shape. Its owner is (actor, body): numbers of the actor, and of its body there;
            of the ground -1, and the number of its part; of soft body n of an actor, the actor and
            -1 - n.
    """

    part: Part
    visual: VisualShape

    @property
    def actor(self) -> int:
        """Number of its actor; -1: of the ground."""
        return self.visual.owner[0]

    @property
    def body(self) -> int:
        """Number of its body there; of the ground, of its part of the ground."""
        return self.visual.owner[1]


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
            found += _pieces_of(_of_ground(shape, rows(-1, number), number), drawing.in_tiles)
    for actor in actors:
        number_of = {link: body for body, link in enumerate(actor.model.body_links)}
        surfaces = functools.partial(_solid, own_colors=actor.model.options.use_mesh_materials)
        for link, shapes in _shapes(actor.tree, collision):
            body = number_of.get(link, -1)
            row, owner = rows(actor.handle, link), (actor.handle, body)
            for shape in shapes if body >= 0 else ():
                color = _opaque(shape.rgba or _WHITE)
                found += _pieces_of(VisualShape(row, shape, color, shape.texture, owner), surfaces)
        found += [piece for part in actor.soft for piece in _soft(part)]
    return found


def _soft(part: SoftPart) -> list[Piece]:
    """The surface of a soft body; see `with_soft`."""
    info = part.info
    source = MeshSource(
        vertices=tuple(map(tuple, info.points.tolist())),
        faces=tuple(map(tuple, info.faces.tolist())),
    )
    owner = (part.actor.handle, -1 - part.actor.soft.index(part))
    shape = Shape(ShapeKind.MESH, mesh=source)
    visual = VisualShape(0, shape, _SOFT, owner=owner, double_sided=True, deforms=True)
    return _pieces_of(visual, drawing.whole)


def soft_mesh(part: SoftPart) -> Mesh:
    """The surface of a soft body as it is now, with smooth normals, in its environment's frame."""
    places = part.soft.state.positions
    return make_mesh(places, part.info.faces, part.info.normals(places))


def with_soft(pieces_: list[Piece], actors: list[Actor]) -> list[Piece]:
    """Pieces with those of soft bodies as they are now."""
    found: list[Piece] = []
    for piece in pieces_:
        part = soft_of(piece, actors)
        shown = piece.part if part is None else replace(piece.part, mesh=soft_mesh(part))
        found.append(piece._replace(part=shown))
    return found


def soft_of(piece: Piece, actors: list[Actor]) -> SoftPart | None:
    """The soft body that a piece is of; None: of another thing."""
    if piece.actor < 0 or not piece.visual.deforms:
        return None
    return actors[piece.actor].soft[-1 - piece.body]


def _pieces_of(visual: VisualShape, surfaces: Surfaces) -> list[Piece]:
    return [Piece(part, visual) for part in parts_of(visual, surfaces)]


def _of_ground(shape: Shape, row: int, number: int) -> VisualShape:
    texture = shape.texture or (_SQUARES if shape.kind is ShapeKind.PLANE else "")
    color = _opaque(shape.rgba or _GROUND)
    return VisualShape(row, shape, color, texture, (-1, number), double_sided=True)


def _shapes(tree: core.Asset, collision: bool) -> Iterator[tuple[int, list[Shape]]]:
    """The shapes of each link; an asset without any visual one shows its collision shapes."""
    blind = not any(link.visuals for link in tree.links)
    for number, link in enumerate(tree.links):
        yield number, link.collisions if collision or blind else link.visuals


def _solid(shape: Shape, *, own_colors: bool) -> Sequence[Surface]:
    """A shape as surfaces: one, or one for each material of its mesh."""
    if shape.rgba is not None and not own_colors:
        return drawing.whole(shape)
    return [
        surface if surface.rgba is None else surface._replace(rgba=_opaque(surface.rgba))
        for surface in drawing.by_material(shape)
    ]


def _opaque(rgba: Rgba) -> Rgba:
    """What is not hidden is solid."""
    return (rgba[0], rgba[1], rgba[2], 1.0 if rgba[3] > 0.0 else 0.0)


def texture_of(source: Any) -> Texture | None:
    """A texture from a file's name or from pixels (height, width, 4); None if it has no pixels."""
    return drawing.texture_of(source if isinstance(source, str) else texture_of_pixels(source))


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


def visuals(
    pieces_: list[Piece], colors: npt.NDArray[np.float32], skins: list[Texture | None]
) -> Iterator[VisualShape]:
    """The shapes that pieces are of, as pages show them: in the looks of their first pieces.

    The ground has no texture there, which leaves it the page's own.
    """
    before = None
    for piece, color, skin in zip(pieces_, colors.tolist(), skins, strict=True):
        if piece.visual is not before:
            red, green, blue, alpha = color
            yield replace(
                piece.visual,
                frame=max(piece.part.frame, 0),
                rgba=(red, green, blue, alpha),
                texture="" if skin is None or piece.actor < 0 else skin,
            )
        before = piece.visual


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
