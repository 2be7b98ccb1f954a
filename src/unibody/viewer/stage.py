"""The bodies on the page: equal shapes share one mesh, and only what moved is sent."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Pose
from unibody.core.render.mesh import Mesh, Part, Texture
from unibody.core.render.parts import parts_of
from unibody.core.render.visual_shapes import Deformed, VisualShape
from unibody.viewer.chequers import patterned
from unibody.viewer.colors import linear_bytes

Array = NDArray[np.float64]
_LEAST_VOLUME = 1e-5  # of a solid, over its area to the power 3/2: a ball has 0.09
_LARGE = 512  # pixels
_GroupKey = tuple[Any, ...]  # mesh, texture and what else one group shares


class _Group:
    """All instances of one mesh."""

    def __init__(self, server: Any, name: str, drawn: Part, parts: list[VisualShape]) -> None:
        self.parts = parts
        self._drawn = drawn
        self._frames = np.array([part.frame for part in parts])
        self._offset = offsets([part.shape.pose for part in parts])
        self._sent: tuple[Array, Array] | None = None
        self._server, self._name, self._mesh = server, name, drawn.mesh
        self.handle: Any = None

    def place(self, positions: Array, quats: Array, deformed: Deformed) -> None:
        """Follow the frames, and deform; nothing is sent if nothing moved."""
        if self.parts[0].deforms:
            self._deform(deformed.get(self.parts[0].owner, self._mesh))
        frame_quats = quats[self._frames]
        at = positions[self._frames] + turned(frame_quats, self._offset[0])
        spun = product(frame_quats, self._offset[1])
        sent = self._sent
        self._sent = at, spun
        if sent is None:
            self.handle = self._add(at, spun)
            return
        if not np.array_equal(at, sent[0]):
            self.handle.batched_positions = at.astype(np.float32)
        if not np.array_equal(spun, sent[1]):
            self.handle.batched_wxyzs = spun.astype(np.float32)

    def _deform(self, mesh: Mesh) -> None:
        before, self._mesh = self._mesh, mesh
        if self.handle is not None and not np.array_equal(mesh.vertices, before.vertices):
            self.handle.vertices = mesh.vertices

    def _add(self, at: Array, spun: Array) -> Any:
        mesh, scene = self._mesh, self._server.scene
        # what is drawn from both sides lies in its own shadow in the browser
        solid = is_solid(mesh)
        texture = self._drawn.texture
        if texture is not None and not self.parts[0].wireframe and not self.parts[0].deforms:
            return scene.add_batched_meshes_trimesh(
                self._name,
                _textured(self._drawn, texture, double_sided=not solid),
                spun.astype(np.float32),
                at.astype(np.float32),
                cast_shadow=solid,
            )
        colors = np.array([part.rgba[:3] for part in self.parts])
        opacities = np.array([part.rgba[3] for part in self.parts], dtype=np.float32)
        return scene.add_batched_meshes_simple(
            self._name,
            mesh.vertices,
            mesh.faces,
            spun.astype(np.float32),
            at.astype(np.float32),
            batched_colors=linear_bytes(colors),
            # the browser sorts and blends whatever has opacities, opaque or not
            batched_opacities=None if opacities.min() >= 1.0 else opacities,
            wireframe=self.parts[0].wireframe,
            side="front" if solid else "double",
            cast_shadow=solid,
        )


class Stage:
    """The meshes of all bodies on a viser server."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._groups: dict[_GroupKey, _Group] = {}
        self._count = 0

    def show(self, parts: list[VisualShape]) -> dict[Any, list[VisualShape]]:
        """Replace what is on stage; groups that did not change stay as they are.

        Returns:
            The parts of each new group by viser's handle, in the order of their instances; handles
            exist once the group was placed, so the key is the group.
        """
        wanted: dict[_GroupKey, tuple[Part, list[VisualShape]]] = {}
        for part in parts:
            if part.rgba[3] <= 0.0:
                continue
            for drawn in parts_of(patterned(part)):
                textured = drawn.texture is not None and not (part.wireframe or part.deforms)
                tinted = part.rgba if textured else part.rgba[3] < 1.0
                own = part.owner if part.deforms else None
                key = (drawn.mesh.key, part.texture, tinted, part.wireframe, own, part.movable)
                wanted.setdefault(key, (drawn, []))[1].append(part)
        for key in [key for key, group in self._groups.items() if key not in wanted]:
            self._remove(key)
        new: dict[Any, list[VisualShape]] = {}
        for key, (drawn, group_parts) in wanted.items():
            known = self._groups.get(key)
            if known is not None and known.parts == group_parts:
                continue
            if known is not None:
                self._remove(key)
            self._count += 1
            group = _Group(self._server, f"/bodies/{self._count}", drawn, group_parts)
            self._groups[key] = group
            new[group] = group_parts
        return new

    def place(self, positions: Array, quats: Array, deformed: Deformed) -> None:
        """Put every part where its frame is, and deform those that do.

        Args:
            positions: World frame, (n, 3) [m].
            quats: Orientations wxyz, (n, 4).
            deformed: How parts that deform look.
        """
        with self._server.atomic():
            for group in self._groups.values():
                group.place(positions, quats, deformed)

    def _remove(self, key: _GroupKey) -> None:
        group = self._groups.pop(key)
        if group.handle is not None:
            group.handle.remove()


def offsets(poses: list[Pose]) -> tuple[Array, Array]:
    """Positions (n, 3) and quaternions wxyz (n, 4) of poses."""
    positions = np.array([pose.pos for pose in poses]).reshape(-1, 3)
    return positions, np.array([pose.quat for pose in poses]).reshape(-1, 4)


def turned(quats: Array, vectors: Array) -> Array:
    """Vectors (n, 3) turned by quaternions (n, 4)."""
    axis = quats[:, 1:]
    t = 2.0 * np.cross(axis, vectors)
    return vectors + quats[:, :1] * t + np.cross(axis, t)


def product(a: Array, b: Array) -> Array:
    """Products of quaternions (n, 4) wxyz: ``b`` is applied first."""
    w = a[:, 0] * b[:, 0] - np.sum(a[:, 1:] * b[:, 1:], axis=1)
    v = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])
    return np.column_stack([w, v])


def is_solid(mesh: Mesh) -> bool:
    """Whether a mesh has an inside and shows its outside: sheets and inside-out meshes do not."""
    corners = mesh.vertices.astype(np.float64)[mesh.faces]
    if not len(corners):
        return False
    a, b, c = np.moveaxis(corners - corners.mean(axis=(0, 1)), 1, 0)
    normals = np.cross(b - a, c - a)
    area = 0.5 * float(np.linalg.norm(normals, axis=1).sum())
    volume = float(np.einsum("ni,ni->", a, normals)) / 6.0
    return volume > _LEAST_VOLUME * area**1.5


def _textured(part: Part, texture: Texture, *, double_sided: bool) -> Any:
    import trimesh
    from PIL import Image
    from trimesh.visual import TextureVisuals
    from trimesh.visual.material import PBRMaterial

    mesh = part.mesh
    image = Image.fromarray(texture.texels[::-1])
    if max(image.size) > _LARGE:
        image.format = "JPEG"  # how trimesh writes it: PNG takes half a second for a large one
    factor = [*linear_bytes(part.rgba[:3]).tolist(), int(255 * min(max(part.rgba[3], 0.0), 1.0))]
    material = PBRMaterial(
        baseColorTexture=image,
        baseColorFactor=factor,
        roughnessFactor=0.9,
        metallicFactor=0.0,
        alphaMode="BLEND" if part.rgba[3] < 1.0 else "OPAQUE",
        doubleSided=double_sided,
    )
    visual = TextureVisuals(uv=mesh.uvs, material=material)
    return trimesh.Trimesh(
        mesh.vertices, mesh.faces, vertex_normals=mesh.normals, visual=visual, process=False
    )
