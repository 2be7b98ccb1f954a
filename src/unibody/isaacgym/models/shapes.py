"""Shapes of a loaded file as Isaac Gym collides and draws them."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np

from unibody.core.assets.description import (
    Asset,
    JointType,
    Link,
    MeshSource,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.assets.files import open_regular
from unibody.core.assets.mesh.cuts import convex_cuts
from unibody.core.assets.mesh.load import convex_hull, load_mesh
from unibody.core.assets.mesh.prisms import bored_pieces
from unibody.core.assets.mesh.types import TriMesh
from unibody.core.assets.transforms import pose_multiply
from unibody.errors import AssetError
from unibody.isaacgym.types.asset_options import AssetOptions, VhacdParams
from unibody.notices import tell

HULL_VERTICES = 64  # as many as PhysX takes on the GPU
_FINEST = 0.003  # of a mesh's diagonal: what lies less deep inside a hull is no concavity
_CONCAVITY = 0.008  # where the parameters say 0, their default
_CONVEX = 0.99  # of the hull's volume: what fills more of it has no bore
# By how much a bore may be narrower than in the file [m], and the bounds of that in diagonals.
_ERROR, _LEAST_ERROR, _LARGEST_ERROR = 5e-5, 5e-4, 2.5e-3
_MOST_FIELD_FACES = 10_000  # of a mesh with a signed distance field that is taken apart
_MOST_FIELD_PIECES = 64

_UP_AXIS = re.compile(rb"<up_axis>\s*([XYZ]_UP)")
_HEADER_BYTES = 1 << 16  # the axis stands in the first element of a .dae file

# Turns y up into z up.
_UPRIGHT = Pose(quat=(math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0))


def convert_shapes(tree: Asset, options: AssetOptions) -> None:
    """Change the shapes of all links in place.

    Collision meshes become convex hulls, one or several each, so that every shape of the result is
    one shape of the engine.

    Raises:
        AssetError: A size is negative or not finite, or a mesh cannot be read.
    """
    for link in tree.links:
        label = f"link {link.name!r}"
        static = options.fix_base_link and not _moves(tree.links, link)
        link.collisions = [
            part
            for shape in link.collisions
            for part in _colliders(shape, options, tree.file, label, static=static)
        ]
        for shape in link.visuals:
            _check(shape, tree.file, label)
            if options.flip_visual_attachments and _is_y_up(shape):
                shape.pose = pose_multiply(shape.pose, _UPRIGHT)


def _moves(links: list[Link], link: Link) -> bool:
    """Whether a link moves where its base does not."""
    while link.parent >= 0:
        if link.joint.type is not JointType.FIXED:
            return True
        link = links[link.parent]
    return False


def _is_y_up(shape: Shape) -> bool:
    """Whether a mesh is drawn with y up; a .dae file says so itself, others are taken to be.

    Isaac Gym's reader turns .dae files to y up before this option turns all meshes back.
    """
    if shape.kind is not ShapeKind.MESH or shape.mesh is None:
        return False
    if not shape.mesh.file.lower().endswith(".dae"):
        return True
    try:
        with open_regular(shape.mesh.file) as file:
            stated = _UP_AXIS.search(file.read(_HEADER_BYTES))
    except OSError:
        return False
    return stated is None or stated[1] == b"Y_UP"


def _check(shape: Shape, file: str, label: str) -> None:
    if not all(math.isfinite(value) and value >= 0.0 for value in shape.size):
        problem = f"{shape.kind.value} of size {shape.size}, expected positive numbers"
        raise AssetError(file, label, problem)


def _colliders(
    shape: Shape, options: AssetOptions, file: str, label: str, *, static: bool
) -> list[Shape]:
    _check(shape, file, label)
    plain = replace(shape, concave=False)
    if shape.kind is ShapeKind.CYLINDER and options.replace_cylinder_with_capsule:
        return [replace(plain, kind=ShapeKind.CAPSULE)]
    if shape.kind is not ShapeKind.MESH or shape.mesh is None:
        return [plain]
    parts = [part for part in load_mesh(shape.mesh) if len(part.vertices)]
    if not parts:
        tell(f"{file}: {label}: mesh {shape.mesh.name!r} has no vertices, it does not collide")
    if shape.concave and not options.vhacd_enabled:
        if static and parts:
            return [shape]
        return [replace(plain, mesh=piece) for piece in _field(parts, shape.mesh.name, file, label)]
    return [replace(plain, mesh=hull) for hull in _hulls(parts, shape, options)]


def _field(parts: list[TriMesh], name: str, file: str, label: str) -> list[MeshSource]:
    """What stands for a signed distance field: convex pieces, or a hull of a very fine mesh."""
    bored = _bored(parts)
    if bored:
        tell(f"{file}: {label}: convex pieces stand for its signed distance field")
        return [_in_memory(piece, name) for piece in bored]
    fine = sum(len(part.faces) for part in parts) > _MOST_FIELD_FACES
    tell(
        f"{file}: {label}: collision by signed distance is not supported; "
        + ("the convex hull of its mesh stands" if fine else "convex pieces stand")
        + " for it"
    )
    if not parts:
        return []
    if fine:
        return [_in_memory(_whole(parts), name)]
    params = VhacdParams()
    params.concavity, params.max_convex_hulls = _FINEST, _MOST_FIELD_PIECES
    params.max_num_vertices_per_ch = HULL_VERTICES
    return [_in_memory(piece, name) for piece in _decomposed(parts, params, name)]


def _bored(parts: list[TriMesh]) -> list[TriMesh] | None:
    """Pieces of a mesh that keep its bores; None where it is convex or has none that are known."""
    solid = [part for part in parts if len(part.faces)]
    if not solid:
        return None
    hull = convex_hull(_cloud(parts))
    if sum(_volume(part) for part in solid) > _CONVEX * _volume(hull):
        return None
    diagonal = float(np.linalg.norm(np.ptp(hull.vertices, axis=0)))
    error = max(min(_ERROR, _LARGEST_ERROR * diagonal), _LEAST_ERROR * diagonal)
    return bored_pieces(solid, error)


def _volume(mesh: TriMesh) -> float:
    """Enclosed volume, that of inner walls taken away [m^3]."""
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def _cloud(parts: list[TriMesh]) -> TriMesh:
    points = np.concatenate([part.vertices for part in parts])
    return TriMesh(points, np.zeros((0, 3), np.int32), source=parts[0].source)


def _whole(parts: list[TriMesh]) -> TriMesh:
    return convex_hull(_cloud(parts), HULL_VERTICES)


def _hulls(parts: list[TriMesh], shape: Shape, options: AssetOptions) -> list[MeshSource]:
    if not parts or shape.mesh is None:
        return []
    name = shape.mesh.name
    if options.convex_decomposition_from_submeshes:
        pieces = [convex_hull(part, HULL_VERTICES) for part in parts]
    elif options.vhacd_enabled:
        pieces = _decomposed(parts, options.vhacd_params, name)
    else:
        pieces = [_whole(parts)]
    return [_in_memory(piece, name) for piece in pieces]


def _decomposed(parts: list[TriMesh], params: VhacdParams, name: str) -> list[TriMesh]:
    return convex_cuts(
        parts,
        max(params.concavity or _CONCAVITY, _FINEST),
        most=max(params.max_convex_hulls, 1),
        max_vertices=max(params.max_num_vertices_per_ch, 4),
        file=name,
    )


def _in_memory(mesh: TriMesh, name: str) -> MeshSource:
    vertices = tuple((x, y, z) for x, y, z in mesh.vertices.tolist())
    faces = tuple((i, j, k) for i, j, k in mesh.faces.tolist())
    return MeshSource(name=name, vertices=vertices, faces=faces)
