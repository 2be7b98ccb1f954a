"""The pass over edges and triangles of soft bodies of a CollisionPipeline."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton.enums import GeoType
from unibody.newton.model import Model

_FACETED = [int(kind) for kind in (GeoType.MESH, GeoType.CONVEX_MESH, GeoType.HFIELD)]


class FeaturePass:
    """Finds contacts of edges and triangles with shapes.

    Args:
        model: The model.

    Attributes:
        size: Pairs of an edge or triangle and a shape in worlds that meet: most contacts.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        particles, shapes = model.particle_world.numpy(), model.shape_world.numpy()
        edges = model.edge_indices.numpy()[:, 2] if model.edge_count else []
        corners = model.tri_indices.numpy()[:, 0] if model.tri_count else []
        self._edges = _pairs(particles[edges] if len(edges) else [], shapes, model.device)
        self._faces = _pairs(particles[corners] if len(corners) else [], shapes, model.device)
        self.size: int = len(self._edges) + len(self._faces)
        self._has_meshes = bool(np.isin(model.shape_type.numpy(), _FACETED).any())

    def find(self, state: Any, contacts: Any, gap: float) -> None:
        """Add contacts to those that were found.

        Args:
            state: Places of particles and poses of bodies.
            contacts: Gets them.
            gap: Distance from which they exist [m].
        """
        from unibody.newton.collision import feature_kernels as kernels

        model = self._model
        scene: Any = kernels.Scene()
        scene.particle_q, scene.particle_radius = state.particle_q, model.particle_radius
        if state.body_q is not None:
            scene.body_q = state.body_q
        for name in ("transform", "body", "type", "scale", "flags"):
            setattr(scene, f"shape_{name}", getattr(model, f"shape_{name}"))
        scene.shape_source, scene.shape_margin = model.shape_source_ptr, model.shape_thickness
        scene.gap = gap
        found: Any = kernels.Found()
        found.most, found.count = contacts.soft_contact_max, contacts.soft_contact_count
        for name in (
            *("particle", "indices", "barycentric", "shape"),
            *("body_pos", "body_vel", "normal"),
        ):
            setattr(found, name, getattr(contacts, f"soft_contact_{name}"))
        for kernel, pairs, rows in (
            (kernels.edge_contacts, self._edges, model.edge_indices),
            (kernels.face_contacts, self._faces, model.tri_indices),
        ):
            if len(pairs):
                inputs = [pairs, rows, scene, found]
                wp.launch(
                    kernel, dim=len(pairs), inputs=inputs, device=model.device, record_tape=False
                )
        if self._has_meshes and found.most:
            wp.launch(
                kernels.mesh_triangles,
                dim=found.most,
                inputs=[scene, found, contacts.soft_contact_rigid_indices],
                device=model.device,
                record_tape=False,
            )


def pair_count(model: Model) -> int:
    """How many pairs of a particle and a shape are in worlds that meet."""
    if not model.particle_count or not model.shape_count:
        return 0
    particles, shapes = model.particle_world.numpy(), model.shape_world.numpy()
    last = int(max(particles.max(), shapes.max(), 0))
    rows, columns = (np.bincount(worlds + 1, minlength=last + 2) for worlds in (particles, shapes))
    shared_rows, shared_columns = int(rows[0]), int(columns[0])
    apart = int((rows[1:].astype(np.int64) * columns[1:]).sum())
    every = shared_rows * int(columns.sum()) + int(rows[1:].sum()) * shared_columns
    return every + apart


def _pairs(worlds: Any, shapes: Any, device: Any) -> wp.array[Any]:
    """Numbers of features and shapes in worlds that meet; -1 is all worlds."""
    own, other = np.asarray(worlds, dtype=np.int64)[:, None], shapes[None]
    meets = (own == other) | (own < 0) | (other < 0)
    rows = np.argwhere(meets).astype(np.int32)
    return wp.array(rows, dtype=wp.vec2i, device=device)
