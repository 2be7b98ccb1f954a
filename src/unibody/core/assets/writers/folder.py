"""The folder a description is written to: its meshes and images lie beside it."""

from __future__ import annotations

import io
import os
import re
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from unibody.core.assets.description import MeshSource
from unibody.core.assets.files import read_regular
from unibody.core.assets.images import image_size
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.mesh.hull import convex_hull
from unibody.core.assets.mesh.load import MeshMaterial, load_mesh, mesh_materials
from unibody.core.assets.mesh.types import TriMesh
from unibody.core.assets.whole_file import whole_file
from unibody.errors import AssetError

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class MeshPart:
    """One group of a mesh: its triangles and what its file says about their look."""

    mesh: TriMesh
    material: MeshMaterial | None


@dataclass(slots=True)
class OutputFolder:
    """Where a file and all that it refers to is written.

    Attributes:
        file: The file.
        limits: Bounds on the meshes and images that are read.
    """

    file: str
    limits: Limits = DEFAULT_LIMITS
    _taken: set[str] = field(default_factory=set[str])
    _written: dict[object, str] = field(default_factory=dict[object, str])

    @property
    def below(self) -> str:
        """Name of the folder of meshes and images, beside the file."""
        return f"{_safe(Path(self.file).stem)}_files"

    def parts(self, source: MeshSource) -> list[MeshPart]:
        """The groups of a mesh, without its scale.

        Raises:
            AssetError: It cannot be read.
        """
        plain = MeshSource(
            source.file, source.name, (1.0, 1.0, 1.0), source.vertices, source.faces,
            source.normals, source.uvs,
        )  # fmt: skip
        meshes = [_with_faces(mesh) for mesh in load_mesh(plain, self.limits)]
        if source.uvs or source.normals:  # of a mesh in memory
            uv = np.array(source.uvs) if source.uvs else None
            normals = np.array(source.normals) if source.normals else None
            meshes = [TriMesh(mesh.vertices, mesh.faces, uv, normals) for mesh in meshes]
        looks = mesh_materials(plain, self.limits)
        return [MeshPart(mesh, look) for mesh, look in zip(meshes, looks, strict=True)]

    def write_mesh(self, source: MeshSource, parts: list[MeshPart], *, looks: bool) -> str:
        """Write groups of a mesh as one .obj file.

        Args:
            source: Whose groups they are; it gives the file its name.
            parts: The groups.
            looks: With an .mtl file of their materials.

        Returns:
            The path of the file relative to that of the description.

        Raises:
            OSError: It cannot be written.
        """
        key = (looks, *(part.mesh.key for part in parts), *(part.material for part in parts))
        if key not in self._written:
            name = self._name(Path(source.file or source.name).stem or "mesh", ".obj")
            library = self._write_materials(source, name, parts) if looks else ""
            self._write(name, _obj_text(parts, library).encode())
            self._written[key] = f"{self.below}/{name}"
        return self._written[key]

    def write_image(self, path: str) -> str:
        """Write an image as a .png file.

        Returns:
            The path of the file relative to that of the description.

        Raises:
            AssetError: It cannot be read.
            OSError: It cannot be written.
        """
        if path not in self._written:
            image_size(path, self.limits)
            data = read_regular(path, self.limits.texture_bytes)
            if not data.startswith(b"\x89PNG"):
                data = _as_png(data, path)
            name = self._name(Path(path).stem, ".png")
            self._write(name, data)
            self._written[path] = f"{self.below}/{name}"
        return self._written[path]

    def write_text(self, text: str) -> None:
        """Write the description itself."""
        with whole_file(self.file) as stream:
            stream.write(text.encode())

    def write_bytes(self, data: bytes) -> None:
        """Write a description that is not text."""
        with whole_file(self.file) as stream:
            stream.write(data)

    def _write_materials(self, source: MeshSource, name: str, parts: list[MeshPart]) -> str:
        lines: list[str] = []
        for number, part in enumerate(parts):
            if part.material is None:
                continue
            *colour, alpha = part.material.rgba
            lines += [
                f"newmtl m{number}",
                f"Kd {' '.join(map(repr, colour))}",
                f"Ks {' '.join(map(repr, part.material.specular))}",
                f"d {alpha!r}",
            ]
            texture = os.path.join(os.path.dirname(source.file), part.material.texture)
            if part.material.texture and os.path.isfile(texture):
                lines.append(f"map_Kd {os.path.basename(self.write_image(texture))}")
        if not lines:
            return ""
        library = name.removesuffix(".obj") + ".mtl"
        self._write(library, ("\n".join(lines) + "\n").encode())
        return library

    def _name(self, stem: str, suffix: str) -> str:
        stem, number = _safe(stem), 1
        name = stem
        while name.lower() in self._taken:  # with one .mtl for each .obj, stems have to differ
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name.lower())
        return name + suffix

    def _write(self, name: str, data: bytes) -> None:
        folder = os.path.dirname(os.path.abspath(self.file))
        target = os.path.join(folder, self.below, name)
        inside = os.path.join(os.path.realpath(folder), "")
        if not os.path.realpath(target).startswith(inside):
            problem = f"{target} leads out of the folder of the file, by a link"
            raise AssetError(self.file, "", problem)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with whole_file(target) as stream:
            stream.write(data)


def _safe(name: str) -> str:
    return _UNSAFE.sub("_", name).strip("._-")[:80] or "mesh"


def _with_faces(mesh: TriMesh) -> TriMesh:
    """A cloud of points as its hull: files of meshes have triangles."""
    return mesh if len(mesh.faces) else convex_hull(mesh)


def _as_png(data: bytes, path: str) -> bytes:
    image: Any = import_module("PIL.Image")
    try:
        with image.open(io.BytesIO(data)) as opened:
            stream = io.BytesIO()
            opened.convert("RGBA").save(stream, "PNG")
    except (OSError, ValueError) as problem:
        raise AssetError(path, "", f"cannot be read as an image: {problem}") from problem
    return stream.getvalue()


def _obj_text(parts: list[MeshPart], library: str) -> str:
    lines = [f"mtllib {library}"] if library else []
    corners = uvs = normals = 0
    for number, part in enumerate(parts):
        mesh = part.mesh
        lines.append(f"o part{number}")
        if library and part.material is not None:
            lines.append(f"usemtl m{number}")
        arrays = (("v", mesh.vertices), ("vt", mesh.uv), ("vn", mesh.normals))
        for tag, array in arrays:
            if array is not None:
                lines += [f"{tag} {' '.join(map(repr, row))}" for row in array.tolist()]
        has_uvs, has_normals = mesh.uv is not None, mesh.normals is not None
        corner = [
            f"{i + corners}"
            + (f"/{i + uvs}" if has_uvs else "/" if has_normals else "")
            + (f"/{i + normals}" if has_normals else "")
            for i in range(1, len(mesh.vertices) + 1)
        ]
        lines += [f"f {corner[a]} {corner[b]} {corner[c]}" for a, b, c in mesh.faces.tolist()]
        corners += len(mesh.vertices)
        uvs += len(mesh.vertices) if has_uvs else 0
        normals += len(mesh.vertices) if has_normals else 0
    return "\n".join(lines) + "\n"
