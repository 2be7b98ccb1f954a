"""How things look, as JSON: triangles and colours, without textures."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import MeshSource, Pose, Shape, ShapeKind
from unibody.core.render.mesh import Mesh
from unibody.core.render.parts import parts_of
from unibody.core.render.visual_shapes import VisualShape

_PLANE = "plane"


def written(parts: Sequence[VisualShape]) -> dict[str, Any]:
    """Looks as JSON can hold them; equal meshes are there once.

    Args:
        parts: What there is to see.
    """
    meshes: dict[str, dict[str, str]] = {}
    shapes: list[dict[str, Any]] = []
    for visual in parts:
        if visual.shape.kind is ShapeKind.PLANE:
            pose = visual.shape.pose
            shapes.append(_entry(visual.frame, pose, visual.rgba, _PLANE))
            continue
        for part in parts_of(visual):
            key = part.mesh.key
            if key not in meshes:
                meshes[key] = _mesh(part.mesh)
            shapes.append(_entry(part.frame, part.pose, part.rgba, key))
    return {"meshes": meshes, "shapes": shapes}


def read(looks: dict[str, Any]) -> list[VisualShape]:
    """The parts that were written."""
    meshes = {key: _source(found) for key, found in looks["meshes"].items()}
    parts: list[VisualShape] = []
    for entry in looks["shapes"]:
        pose = Pose(tuple(entry["position"]), tuple(entry["quat_wxyz"]))
        rgba = tuple(entry["rgba"])
        if entry["mesh"] == _PLANE:
            shape = Shape(ShapeKind.PLANE, pose=pose)
        else:
            shape = Shape(ShapeKind.MESH, pose=pose, mesh=meshes[entry["mesh"]])
        parts.append(VisualShape(entry["frame"], shape, rgba))
    return parts


def arrays(mesh: dict[str, str]) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Vertices (V, 3) [m] and faces (F, 3) of a mesh."""
    vertices = np.frombuffer(base64.b64decode(mesh["vertices"]), "<f4").reshape(-1, 3)
    return vertices, np.frombuffer(base64.b64decode(mesh["faces"]), "<i4").reshape(-1, 3)


def _entry(frame: int, pose: Pose, rgba: Sequence[float], mesh: str) -> dict[str, Any]:
    return {
        "frame": int(frame), "position": [float(x) for x in pose.pos],
        "quat_wxyz": [float(x) for x in pose.quat], "rgba": [float(x) for x in rgba], "mesh": mesh,
    }  # fmt: skip


def _mesh(mesh: Mesh) -> dict[str, str]:
    vertices, faces = mesh.vertices.astype("<f4"), mesh.faces.astype("<i4")
    return {
        "vertices": base64.b64encode(vertices.tobytes()).decode(),
        "faces": base64.b64encode(faces.tobytes()).decode(),
    }


def _source(mesh: dict[str, str]) -> MeshSource:
    vertices, faces = arrays(mesh)
    points: list[Any] = vertices.astype(float).tolist()
    corners: list[Any] = faces.tolist()
    return MeshSource(vertices=tuple(map(tuple, points)), faces=tuple(map(tuple, corners)))
