"""Reader of Wavefront .obj files and their .mtl materials.

One mesh for each ``g`` or ``o`` group that has faces, as the reader PyBullet uses splits them:
``usemtl`` alone does not start a group, and a group's material is the last one named before the
group ends. Polygons become fans. Triangles with a corner that is not a number are left out:
exporters write such corners, and nothing can be drawn or hit there.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Vec3
from unibody.core.assets.files import read_regular
from unibody.core.assets.limits import Limits
from unibody.core.assets.mesh.lines import Lines, corners_in, numbers_in
from unibody.core.assets.mesh.types import FloatArray, IntArray, TriMesh, check_counts
from unibody.core.assets.paths import SearchPath
from unibody.errors import AssetError

_MARKER = re.compile(rb"^[ \t]*(g|o|usemtl|mtllib)[ \t]([^\n]*)", re.MULTILINE)
_FACE = re.compile(rb"^[ \t]*f[ \t]+([^\n#]*)", re.MULTILINE)
_LINES = {
    tag: re.compile(rb"^[ \t]*" + tag + rb"[ \t]+([^\n#]*)", re.MULTILINE)
    for tag in (b"v", b"vt", b"vn")
}

_SHORT = 4096  # bytes of a group whose faces are read one by one

Indices = NDArray[np.int64]


@dataclass(slots=True, frozen=True)
class MeshMaterial:
    """What an .mtl file says about one group.

    Attributes:
        name: Name of the material.
        rgba: Diffuse colour and opacity.
        specular: Specular colour.
        texture: Path of the diffuse texture beside the .obj file, or "".
    """

    name: str
    rgba: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 1.0)
    specular: Vec3 = (0.0, 0.0, 0.0)
    texture: str = ""


def read_obj(data: bytes, file: object, limits: Limits) -> list[TriMesh]:
    """Reads the groups of an .obj file.

    A file without a usable face gives no mesh and a warning: PyBullet loads it as a shape that
    touches nothing.

    Args:
        data: Content of the file.
        file: Name used in error messages.
        limits: Bounds on the number of vertices and faces.

    Raises:
        AssetError: A number or an index cannot be read, or a bound is exceeded.
    """
    data = _normalized(data)
    table = _Table(data, file, limits)
    meshes: list[TriMesh] = []
    for name, material, begin, end in _groups(data, table.lines):
        corners = table.corners(begin, end)
        if len(corners):
            meshes.append(table.mesh(corners, name, material))
    if not meshes:
        warnings.warn(
            f"{file}: has no face with three finite corners; the shape is left out", stacklevel=2
        )
    return meshes


class SurfaceMesh(NamedTuple):
    """The triangles of a group, whose vertices are those of the file.

    Attributes:
        points: Each once, up to the last that is used, (v, 3) [m].
        faces: (f, 3).
        uvs: Texture coordinates of the corners of the triangles, (3 f, 2); None: there are none.
    """

    points: FloatArray
    faces: IntArray
    uvs: FloatArray | None


def read_surface(data: bytes, file: object, limits: Limits) -> SurfaceMesh:
    """Reads the triangles of the first group of an .obj file that has any.

    Args:
        data: Content of the file.
        file: Name used in error messages.
        limits: Bounds on the number of vertices and faces.

    Raises:
        AssetError: As in `read_obj`, or there is no triangle.
    """
    data = _normalized(data)
    table = _Table(data, file, limits)
    for _, _, begin, end in _groups(data, table.lines):
        corners = table.corners(begin, end)
        if len(corners):
            used, at = corners[:, 0], corners[:, 1]
            stated = bool(((at >= 0) & (at < len(table.uv))).all())
            return SurfaceMesh(
                table.positions[: used.max() + 1], used.reshape(-1, 3).astype(np.int32),
                table.uv[at] if stated else None,
            )  # fmt: skip
    raise AssetError(file, "", "has no triangle")


def read_materials(data: bytes, file: Path, limits: Limits) -> dict[str, MeshMaterial]:
    """Reads the materials of the .mtl libraries that an .obj file names.

    A library or a texture that does not exist is passed over, as every reader does: the geometry
    does not need it.

    Args:
        data: Content of the .obj file.
        file: Path of the .obj file; libraries and textures are looked for relative to it.
        limits: Bound on the size of a library.

    Raises:
        AssetError: A library or texture lies outside the folders the file may refer to.
    """
    materials: dict[str, MeshMaterial] = {}
    for match in _MARKER.finditer(_normalized(data)):
        if match[1] == b"mtllib":
            path = _beside(file, _text(match[2]))
            if path and Path(path).stat().st_size <= limits.file_bytes:
                for material in _materials(read_regular(path, limits.file_bytes), file):
                    materials.setdefault(material.name, material)
    return materials


def _normalized(data: bytes) -> bytes:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.replace(b"\\\n", b" ") if b"\\\n" in data else data


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").strip()


def _groups(data: bytes, lines: Lines) -> Iterator[tuple[str, str, int, int]]:
    """Name, material, begin and end of each stretch of the file that is one group."""
    name, material, begin = "", "", 0
    for match in _markers(data, lines):
        if match[1] in (b"g", b"o"):
            yield name, material, begin, match.start()
            name = (_text(match[2]).split() or [""])[0]
            begin = match.end()
        elif match[1] == b"usemtl":
            material = (_text(match[2]).split() or [""])[0]
    yield name, material, begin, len(data)


def _markers(data: bytes, lines: Lines) -> Iterator[re.Match[bytes]]:
    if not lines.plain:
        yield from _MARKER.finditer(data)
        return
    for begin in lines.beginning_with(b"goum"):
        if match := _MARKER.match(data, begin):
            yield match


class _Table:
    """Positions, texture coordinates and normals of a file, which its groups share."""

    def __init__(self, data: bytes, file: object, limits: Limits) -> None:
        self.data = data
        self.lines = Lines(data)
        self.file = file
        self.limits = limits
        self.positions = self._floats(b"v", 3)
        self.all_finite = bool(np.isfinite(self.positions).all())
        self.uv = self._floats(b"vt", 2)
        self.normals = self._floats(b"vn", 3)

    def corners(self, begin: int, end: int) -> Indices:
        """Corners of the triangles of a stretch of the file: (3 * F, 3) indices of v, vt, vn.

        A corner without vt or vn has -1 there.
        """
        sizes, corners = self._stated(begin, end)
        starts = np.cumsum(sizes) - sizes
        triangles = np.maximum(sizes - 2, 0)
        check_counts(0, int(triangles.sum()), self.file, "", self.limits)
        if (sizes == 3).all():
            return self._finite(corners)
        first = np.repeat(starts, triangles)
        step = np.arange(len(first)) - np.repeat(np.cumsum(triangles) - triangles, triangles)
        fans = np.stack([first, first + step + 1, first + step + 2], axis=1)
        return self._finite(corners[fans.ravel()])

    def _stated(self, begin: int, end: int) -> tuple[Indices, Indices]:
        """How many corners each face has, and the corners, of any number a face."""
        long = end - begin > _SHORT
        if long and self.lines.plain and (text := self.lines.of(b"f", begin, end)):
            check_counts(0, text[1], self.file, "", self.limits)
            quick = corners_in(*text)
            if quick is not None and quick.numbers[:, 0].all():
                return quick.sizes, np.maximum(quick.numbers - 1, -1)
        found = list(_FACE.finditer(self.data, begin, end))
        lines = [match[1].split() for match in found]
        offsets = np.array([match.start() for match in found], dtype=np.int64)
        sizes = np.array([len(line) for line in lines], dtype=np.int64)
        flat = list(chain.from_iterable(lines))
        return sizes, self._indices(flat, np.repeat(offsets, sizes))

    def _finite(self, corners: Indices) -> Indices:
        count = len(self.positions)
        used = corners[:, 0]
        if used.size and (used.min() < 0 or used.max() >= count):
            bad = int(used.max()) + 1 if used.max() >= count else int(used.min())
            raise AssetError(self.file, "<f>", f"vertex {bad} does not exist, the file has {count}")
        if self.all_finite:
            return corners
        fits = np.isfinite(self.positions[used]).reshape(-1, 9)
        return corners[np.repeat(np.all(fits, axis=1), 3)]

    def mesh(self, corners: Indices, name: str, material: str) -> TriMesh:
        """The triangles of ``corners`` with only the vertices they use."""
        counts = (len(self.positions), len(self.uv), len(self.normals))
        # An index beyond the texture coordinates or normals is read as "none": viewers differ
        # there, and the shape does not depend on it.
        vt = np.where(corners[:, 1] < counts[1], corners[:, 1], -1)
        vn = np.where(corners[:, 2] < counts[2], corners[:, 2], -1)
        has_uv, has_normals = bool((vt >= 0).any()), bool((vn >= 0).all())
        code = corners[:, 0].copy()
        code = code * (counts[1] + 1) + vt if has_uv else code
        code = code * counts[2] + vn if has_normals else code
        _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
        return TriMesh(
            vertices=self.positions[corners[first, 0]],
            faces=inverse.reshape(-1, 3).astype(np.int32),
            uv=np.where(vt[first, None] < 0, 0.0, self.uv[vt[first]]) if has_uv else None,
            normals=self.normals[vn[first]] if has_normals else None,
            name=name,
            material=material,
        )

    def _floats(self, tag: bytes, width: int) -> FloatArray:
        if self.lines.plain and (text := self.lines.of(tag)):
            check_counts(text[1], 0, self.file, f"<{tag.decode()}>", self.limits)
            quick = numbers_in(text[0])
            if quick is not None and len(quick) == width * text[1]:
                return quick.reshape(-1, width)
        lines = _LINES[tag].findall(self.data)
        check_counts(len(lines), 0, self.file, f"<{tag.decode()}>", self.limits)
        tokens = b" ".join(lines).split()
        try:
            if len(tokens) != width * len(lines):  # colours behind a position, a third coordinate
                rows = [line.split()[:width] for line in lines]
                if any(len(row) < width for row in rows):
                    raise ValueError(f"needs {width} numbers")
                tokens = list(chain.from_iterable(rows))
            values = np.array(list(map(float, tokens)), dtype=np.float64)
        except ValueError as error:
            raise AssetError(self.file, f"<{tag.decode()}>", str(error)) from error
        return values.reshape(-1, width)

    def _indices(self, tokens: list[bytes], offsets: NDArray[np.int64]) -> Indices:
        result = np.zeros((len(tokens), 3), dtype=np.int64)  # 0: not stated
        slashes = np.array([token.count(b"/") for token in tokens], dtype=np.int64)
        try:
            for count in np.unique(slashes).tolist():  # one pass for all corners of a form
                rows = np.flatnonzero(slashes == count)
                every = len(rows) == len(tokens)
                result[rows] = _numbers_of(tokens if every else [tokens[k] for k in rows.tolist()])
        except (ValueError, OverflowError) as error:
            raise AssetError(self.file, "<f>", f"is not a face index: {error}") from error
        if tokens and not result[:, 0].all():
            raise AssetError(self.file, "<f>", "face index 0: indices count from 1")
        return self._from_zero(result, offsets)

    def _from_zero(self, indices: Indices, offsets: NDArray[np.int64]) -> Indices:
        """Turns indices that count from 1, or backwards from the line they stand on; 0 into -1."""
        absolute = np.maximum(indices - 1, -1)
        for column, tag in enumerate((b"v", b"vt", b"vn")):
            rows = indices[:, column] < 0
            if rows.any():
                starts = [match.start() for match in _LINES[tag].finditer(self.data)]
                seen = np.searchsorted(np.array(starts, dtype=np.int64), offsets[rows])
                absolute[rows, column] = np.maximum(seen + indices[rows, column], -1)
        return absolute


def _numbers_of(tokens: list[bytes]) -> Indices:
    """The up to three numbers of corners that have equally many slashes, (N, 3); 0: not stated."""
    result = np.zeros((len(tokens), 3), dtype=np.int64)
    joined = b" ".join(tokens)
    if b"//" in joined or b"/ " in joined or joined.endswith(b"/"):
        rows = [[*token.split(b"/"), b"", b""][:3] for token in tokens]
        for column in range(3):
            result[:, column] = [int(row[column] or 0) for row in rows]
        return result
    width = tokens[0].count(b"/") + 1
    numbers = list(map(int, joined.replace(b"/", b" ").split()))
    columns = np.array(numbers, dtype=np.int64).reshape(len(tokens), width)
    result[:, : min(width, 3)] = columns[:, :3]
    return result


def _materials(data: bytes, file: Path) -> Iterator[MeshMaterial]:
    values: dict[str, str] = {}
    for raw in _normalized(data).split(b"\n"):
        key, _, value = _text(raw).replace("\t", " ").partition(" ")
        if key == "newmtl":
            if "newmtl" in values:
                yield _material(values, file)
            values = {}
        values[key] = value.strip()
    if "newmtl" in values:
        yield _material(values, file)


def _material(values: dict[str, str], file: Path) -> MeshMaterial:
    opacity = _numbers(values.get("d", values.get("Tr", "1")), 1, 1.0)[0]
    red, green, blue = _numbers(values.get("Kd", ""), 3, 0.0)
    specular = _numbers(values.get("Ks", ""), 3, 0.0)
    texture = _beside(file, values.get("map_Kd", ""))
    return MeshMaterial(
        name=(values["newmtl"].split() or [""])[0],
        rgba=(red, green, blue, opacity),
        specular=(specular[0], specular[1], specular[2]),
        texture=texture,
    )


def _numbers(text: str, count: int, default: float) -> list[float]:
    try:
        numbers = [float(token) for token in text.split()[:count]]
    except ValueError:
        numbers = []
    return numbers if len(numbers) == count and np.isfinite(numbers).all() else [default] * count


def _beside(file: Path, name: str) -> str:
    """Path of the file ``name`` beside ``file``, also where it starts with a slash; "": none."""
    relative = name.replace("\\", "/").lstrip("/")
    if not relative:
        return ""
    return SearchPath().resolve(str(file.parent / relative), referrer=file, element=name) or ""
