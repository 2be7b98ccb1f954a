"""Soft bodies as cameras see them: their particles, with smooth normals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unibody.bullet.handles.soft_records import soft_record
from unibody.bullet.visuals.images import file_texture
from unibody.core.deform.motion import moved
from unibody.core.deform.topology import normals
from unibody.core.render.mesh import Mesh, Texture, make_mesh

if TYPE_CHECKING:
    from unibody.bullet.handles.body import Body
    from unibody.bullet.state.client_state import ClientState
    from unibody.bullet.substeps.soft_bodies import SoftRecord

_HERE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


def soft_mesh(client: ClientState, body: Body) -> Mesh | None:
    """The surface of a soft body now, in the frame of its base; None for any other body."""
    record = soft_record(client, body)
    if record is None:
        return None
    mesh, uvs = _mesh_of(record), record.drawn_uvs
    if uvs is None:
        return mesh
    rows = mesh.faces.reshape(-1)  # a corner of its own for each: textures have seams
    faces = np.arange(len(rows), dtype=np.int32).reshape(-1, 3)
    return make_mesh(mesh.vertices[rows], faces, mesh.normals[rows], uvs)


def soft_texture(client: ClientState, body: Body) -> Texture | None:
    """The texture of a soft body that no script has given one; None for any other body."""
    record = soft_record(client, body)
    return None if record is None else file_texture(record.file)


def soft_meshes(client: ClientState) -> dict[tuple[int, int], Mesh]:
    """The surfaces of all soft bodies where they were after the last step, by owner.

    Nothing is changed: the thread of a window may call it while a script runs.
    """
    found = client.soft_bodies
    records = [] if found is None else list(found.records.items())
    return {(number, -1): _mesh_of(record) for number, record in records}


def _mesh_of(record: SoftRecord) -> Mesh:
    """The surface of a soft body, in the frame of its base."""
    points = moved(record.drawn_places(), record.place, _HERE)
    faces = np.asarray(record.drawn_faces)
    return make_mesh(points, faces, normals(points, faces))
