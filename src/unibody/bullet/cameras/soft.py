"""Soft bodies as cameras see them: their particles, with smooth normals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unibody.bullet.handles.soft_records import soft_record
from unibody.core.deform.motion import moved
from unibody.core.deform.topology import normals
from unibody.core.render.mesh import Mesh, make_mesh

if TYPE_CHECKING:
    from unibody.bullet.handles.body import Body
    from unibody.bullet.state.client_state import ClientState

_HERE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


def soft_mesh(client: ClientState, body: Body) -> Mesh | None:
    """The surface of a soft body now, in the frame of its base; None for any other body."""
    record = soft_record(client, body)
    if record is None:
        return None
    points = moved(record.drawn_places(), record.place, _HERE)
    faces = np.asarray(record.drawn_faces)
    return make_mesh(points, faces, normals(points, faces))
