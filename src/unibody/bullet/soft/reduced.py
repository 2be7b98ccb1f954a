"""Bodies of a few modes of deformation: <reduced_deformable> of URDF files."""

from __future__ import annotations

import os

import numpy as np

from unibody.bullet.clients.client import Client
from unibody.bullet.soft.meshes import load_soft_mesh
from unibody.bullet.soft.registering import register
from unibody.core.assets.description import Asset, Pose, ReducedDeformable
from unibody.core.assets.mesh.modes import load_modes
from unibody.core.deform.modal import modal_body, shape_of
from unibody.core.deform.motion import turn_between
from unibody.errors import AssetError

_HERE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))


def load_reduced(
    client: Client, body: ReducedDeformable, asset: Asset, pose: Pose, scale: float
) -> int:
    """Put the reduced deformable body of a URDF file into the client's world.

    Its modes lie beside the file that is drawn. As in PyBullet it is scaled and turned about its
    mass centre, and modes are not scaled.

    Args:
        client: The client.
        body: What the file says of it.
        asset: Its names and file.
        pose: Where it goes.
        scale: Factor on the lengths of its mesh.

    Returns:
        Its body id.

    Raises:
        AssetError: Its mesh or modes cannot be read, or its mesh has no tetrahedra.
        InvalidArgumentError: If a number of the file is not allowed.
    """
    simulated = body.simulated or body.file
    mesh = load_soft_mesh(simulated, body.file)
    if not len(mesh.tetrahedra):
        raise AssetError(simulated, "", "reduced deformable bodies are made of .vtk files")
    modes = load_modes(os.path.dirname(body.file), body.modes, len(mesh.points))
    centre = modes.masses @ mesh.points / modes.masses.sum()
    shape = shape_of(
        mesh.points * scale, modes.masses, modes.shapes, body.stiffness * modes.stiffness, body.mass
    )
    soft = modal_body(
        shape, centre + np.array(pose.pos), turn_between(_HERE, ((), pose.quat)),
        radius=body.margin, friction=body.friction, damping=body.damping,
        correction=body.correction, softness=body.softness,
    )  # fmt: skip
    return register(client, asset, mesh, soft, shape.rest, mesh.drawing(scale))
