"""vhacd: taking a mesh file apart into convex pieces."""

from __future__ import annotations

import os
import time

from unibody.bullet.clients.registry import get_client
from unibody.bullet.errors import error
from unibody.core.assets.description import MeshSource
from unibody.core.assets.mesh.decomposition import Decomposition, convex_pieces
from unibody.core.assets.mesh.load import TriMesh, load_mesh
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.whole_file import write_whole_text
from unibody.errors import AssetError
from unibody.notices import tell

_CONCAVITY = 0.001  # PyBullet's default; ours is the default of ``Decomposition``
_WITHOUT_COUNTERPART = (
    "alpha", "beta", "gamma", "minVolumePerCH", "planeDownsampling", "convexhullDownsampling",
    "pca", "mode", "convexhullApproximation",
)  # fmt: skip


def vhacd(
    fileNameIn: str,
    fileNameOut: str,
    fileNameLogging: str,
    concavity: float = -1,
    alpha: float = -1,
    beta: float = -1,
    gamma: float = -1,
    minVolumePerCH: float = -1,
    resolution: int = -1,
    maxNumVerticesPerCH: int = -1,
    depth: int = -1,
    planeDownsampling: int = -1,
    convexhullDownsampling: int = -1,
    pca: int = -1,
    mode: int = -1,
    convexhullApproximation: int = -1,
    physicsClientId: int = 0,
) -> None:
    """Take the mesh of a file apart into convex pieces and write them to an .obj file.

    PyBullet has V-HACD 2.2, this is V-HACD 4 with merging of our own: ``concavity`` (0.001 by
    default) is how reluctantly pieces are merged, ``resolution`` the number of voxels, ``depth``
    the number of cuts one after the other, 5 at most. The others have no counterpart and say so
    once. The pieces are the objects ``convex_0``, ``convex_1``, ... of the file.

    Raises:
        error: A file cannot be read or written.
    """
    others = (
        alpha, beta, gamma, minVolumePerCH, planeDownsampling, convexhullDownsampling, pca, mode,
        convexhullApproximation,
    )  # fmt: skip
    client = get_client(physicsClientId)
    for name, value in zip(_WITHOUT_COUNTERPART, others, strict=True):
        if value >= 0 and client.say_once(f"vhacd {name}"):
            tell(f"vhacd({name}={value!r}) has no effect: V-HACD 4 has no such option")
    plain = Decomposition()
    how = Decomposition(
        resolution=int(resolution) if resolution > 0 else plain.resolution,
        concavity=plain.concavity * (concavity / _CONCAVITY if concavity >= 0 else 1.0),
        depth=int(depth) if depth > 0 else plain.depth,
        max_vertices=int(maxNumVerticesPerCH) if maxNumVerticesPerCH > 0 else plain.max_vertices,
    )
    name = os.fspath(fileNameIn)
    found = SearchPath(client.search_path, confined=False).locate(name)
    if found is None:
        raise error(f"fileNameIn={name!r}: there is no such file")
    begin = time.perf_counter()
    try:
        pieces = convex_pieces(load_mesh(MeshSource(found, name)), how, name)
        write_whole_text(fileNameOut, _obj(pieces))
        write_whole_text(fileNameLogging, _log(name, how, pieces, time.perf_counter() - begin))
    except (AssetError, OSError) as problem:
        raise error(f"vhacd failed: {problem}") from problem


def _obj(pieces: list[TriMesh]) -> str:
    lines: list[str] = []
    first = 1
    for number, piece in enumerate(pieces):
        lines.append(f"o convex_{number}")
        lines += [f"v {x:f} {y:f} {z:f}" for x, y, z in piece.vertices.tolist()]
        lines += [f"f {a} {b} {c}" for a, b, c in (piece.faces + first).tolist()]
        first += len(piece.vertices)
    return "\n".join(lines) + "\n"


def _log(name: str, how: Decomposition, pieces: list[TriMesh], seconds: float) -> str:
    lines = [
        "V-HACD 4",
        f"input                   {name}",
        f"resolution              {how.resolution}",
        f"max. depth              {how.depth}",
        f"max. added volume       {100 * how.concavity:g} %",
        f"max. vertices per piece {how.max_vertices}",
        f"convex pieces           {len(pieces)}",
    ]
    lines += [
        f"  convex_{number}: {len(piece.vertices)} vertices, {len(piece.faces)} triangles"
        for number, piece in enumerate(pieces)
    ]
    return "\n".join([*lines, f"seconds                 {seconds:.1f}"]) + "\n"
