"""A stage as a MuJoCo model that is only looked at: one geom a part, and one camera.

Renderers that come with MuJoCo draw models. This one has neither joints nor collisions; whoever
draws it writes the places of its geoms, from ``StagedModel.place``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.render.camera import Frames
from unibody.core.render.mesh import Mesh, Texture
from unibody.core.render.stage import Stage

F64 = NDArray[np.float64]
_APART = 1e-5  # m between the two sides of a mesh, for rays to meet one first
_FEW = 4  # MuJoCo takes no mesh with fewer vertices


class StagedModel:
    """A model with a geom for every part of a stage that can be drawn.

    Attributes:
        model: The MjModel; a geom's material has its number.
        textures: Number of the texture of each image of the stage; -1: none, and so is the last.
        parts: Row of the stage's parts of each geom, (G,).
    """

    def __init__(self, stage: Stage, lights: int = 1, textures: Sequence[int] = ()) -> None:
        """Compile the model of a stage.

        Args:
            stage: What there is to see.
            lights: How many directional lights the model has room for.
            textures: Rows of further images of the stage that are to be in the model.
        """
        spec = mujoco.MjSpec()
        spec.visual.headlight.active = 0
        spec.worldbody.add_camera(name="camera")
        for _ in range(lights):
            spec.worldbody.add_light(type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, pos=(0, 0, 1))
        self._spec: Any = spec
        self._meshes: dict[tuple[str, bool], str] = {}
        rows = sorted({int(row) for row in (*stage.instances.texture, *textures) if row >= 0})
        self._textures = [stage.images[row] for row in rows]
        self.textures: NDArray[np.int32] = np.full(len(stage.images) + 1, -1, dtype=np.int32)
        for number, (row, texture) in enumerate(zip(rows, self._textures, strict=True)):
            self.textures[row] = number
            self._add_texture(f"texture{number}", texture)
        chosen: list[int] = []
        for row, part in enumerate(stage.parts):
            if not len(part.mesh.faces):
                continue
            material = f"{row}"
            look = spec.add_material(name=material, rgba=part.rgba, specular=1.0, shininess=0.5)
            if part.texture is not None:
                name = f"texture{self.textures[stage.instances.texture[row]]}"
                look.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
            spec.worldbody.add_geom(
                type=mujoco.mjtGeom.mjGEOM_MESH,
                meshname=self._mesh_name(part.mesh, part.double_sided),
                material=material,
                rgba=part.rgba,
                contype=0,
                conaffinity=0,
            )
            chosen.append(row)
        self.model: Any = spec.compile()
        self._fill_textures()
        self.parts: NDArray[np.int64] = np.array(chosen, dtype=np.int64)
        self._frames = stage.frames[self.parts] if chosen else np.zeros(0, dtype=np.int32)
        local = stage.local[self.parts].reshape(-1, 3, 4)
        # MuJoCo turns meshes into their principal axes
        model = self.model
        offsets = model.geom_pos if chosen else np.zeros((0, 3))
        turns = _matrices(model.geom_quat) if chosen else np.zeros((0, 3, 3))
        self._rotations = local[:, :, :3] @ turns
        self._positions = np.einsum("nij,nj->ni", local[:, :, :3], offsets) + local[:, :, 3]

    def _mesh_name(self, mesh: Mesh, double_sided: bool) -> str:
        key = (mesh.key, double_sided)
        if key not in self._meshes:
            self._meshes[key] = f"mesh{len(self._meshes)}"
            faces, vertices = mesh.faces, mesh.vertices
            normals, uvs = mesh.normals, mesh.uvs
            if double_sided:
                faces = np.vstack([faces, faces[:, ::-1] + len(vertices)])
                vertices = np.vstack([vertices, vertices - _APART * normals])
                normals, uvs = np.vstack([normals, -normals]), np.vstack([uvs, uvs])
            if len(vertices) < _FEW:
                more = _FEW - len(vertices)
                vertices, normals, uvs = (
                    np.vstack([rows, np.repeat(rows[:1], more, axis=0)])
                    for rows in (vertices, normals, uvs)
                )
            corners = faces.ravel()
            self._spec.add_mesh(
                name=self._meshes[key],
                uservert=vertices.ravel(),
                userface=corners,
                usernormal=normals.ravel(),
                userfacenormal=corners,
                usertexcoord=uvs.ravel(),
                userfacetexcoord=corners,
                inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
            )
        return self._meshes[key]

    def _add_texture(self, name: str, texture: Texture) -> None:
        height, width, channels = texture.texels.shape
        self._spec.add_texture(
            name=name,
            type=mujoco.mjtTexture.mjTEXTURE_2D,
            builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
            width=width,
            height=height,
            nchannel=channels,
        )

    def _fill_textures(self) -> None:
        """Write the texels: a spec takes them as a list of numbers, which takes seconds."""
        model = self.model
        for number, texture in enumerate(self._textures):
            start = model.tex_adr[number]
            model.tex_data[start : start + texture.texels.size] = texture.texels.ravel()

    def place(self, frames: Frames) -> tuple[F64, F64]:
        """Where the geoms are.

        Args:
            frames: Poses of one world, or of many.

        Returns:
            Positions (..., G, 3) [m] and rotation matrices (..., G, 3, 3).
        """
        positions = np.asarray(frames.positions, dtype=np.float64)
        rotations = _matrices(np.asarray(frames.quats, dtype=np.float64))
        shape = positions.shape[:-2]
        world = np.zeros((*shape, 1, 3)), np.broadcast_to(np.eye(3), (*shape, 1, 3, 3))
        # frame -1, the world, is the last row
        at = np.concatenate([positions, world[0]], axis=-2)[..., self._frames, :]
        turn = np.concatenate([rotations, world[1]], axis=-3)[..., self._frames, :, :]
        return at + np.einsum("...nij,nj->...ni", turn, self._positions), turn @ self._rotations


def _matrices(quats: F64) -> F64:
    """Rotation matrices (..., 3, 3) of quaternions wxyz (..., 4)."""
    lengths = np.linalg.norm(quats, axis=-1, keepdims=True)
    unit = quats / np.where(lengths > 0.0, lengths, 1.0)
    w, x, y, z = np.moveaxis(unit, -1, 0)
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return np.stack(rows, axis=-1).reshape(*w.shape, 3, 3)
