"""Soft bodies among the bodies of a client: ids, names, what is drawn."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from unibody.bullet.bodies.loading import add_asset
from unibody.bullet.clients.client import Client
from unibody.bullet.soft.meshes import SoftMesh
from unibody.bullet.substeps.soft_bodies import SoftBodies, SoftRecord
from unibody.core.assets.description import Asset, MeshSource, Pose, Shape, ShapeKind
from unibody.core.deform.embedding import Embedding
from unibody.core.deform.modal import ModalBody
from unibody.core.deform.motion import mean_pose
from unibody.core.engine.soft.bodies import SoftBody

_TILES = 10.0  # repetitions of a texture on a metre


def register(
    client: Client,
    asset: Asset,
    mesh: SoftMesh,
    soft: SoftBody | ModalBody,
    rest: Any,
    drawing: Embedding | None,
) -> int:
    """Put a soft body among the bodies of a client, and return its body id.

    Args:
        client: The client.
        asset: Its names and file; its one link gets what is drawn.
        mesh: What is simulated and drawn.
        soft: The body.
        rest: Where its particles were when it was made, about their mass centre, (p, 3) [m].
        drawing: How the points that are drawn follow the particles; None: they are the particles.
    """
    link = dataclasses.replace(asset.links[0], visuals=[_visual(mesh)])
    asset = dataclasses.replace(asset, links=[link])
    pos, quat = mean_pose(rest, soft.state.positions, soft.masses)
    body = add_asset(client, asset, Pose(pos, quat), fixed=True, flags=0)
    if client.soft_bodies is None:
        client.soft_bodies = SoftBodies(deformable=client.deformable_world)
        client.ticks.append(client.soft_bodies)
    record = SoftRecord(
        body.id,
        soft,
        rest,
        mesh.faces,
        mesh.tetrahedra,
        mesh.drawn_faces,
        mesh.drawn_uvs,
        mesh.file,
        drawing,
    )
    if not mesh.file.lower().endswith(".obj"):  # PyBullet's, for files that have none
        corners = record.drawn_places()[mesh.drawn_faces.reshape(-1)]
        record.drawn_uvs = np.abs(_TILES * corners[:, :2])
    client.soft_bodies.add(record)
    client.soft_bodies.place(client, record)
    return body.id


def _visual(mesh: SoftMesh) -> Shape:
    """How it is drawn, before anything has moved."""
    points, faces = mesh.drawn_points.tolist(), mesh.drawn_faces.tolist()
    source = MeshSource(
        name=mesh.file, vertices=tuple(map(tuple, points)), faces=tuple(map(tuple, faces))
    )
    return Shape(ShapeKind.MESH, mesh=source, rgba=(1.0, 1.0, 1.0, 1.0))
