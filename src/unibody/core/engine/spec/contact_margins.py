"""How far ahead shapes find what they are about to touch."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Vec3
from unibody.core.assets.rotations import rotations
from unibody.core.engine.records.rule_table import G_JOINED, TOUCH
from unibody.core.engine.rules.pair_filter import MESH_MARGIN, SKIN

_PLANE, _BOX = int(mujoco.mjtGeom.mjGEOM_PLANE), int(mujoco.mjtGeom.mjGEOM_BOX)
_FIELD = int(mujoco.mjtGeom.mjGEOM_HFIELD)
_FLAT = 1e-3  # of its size: a field that is lower has no edges
_MESH = int(mujoco.mjtGeom.mjGEOM_MESH)
_FREE_DOFS = 6
_FAR = 1e9  # m: beyond all bodies


def write_reach(model: Any, share: float, first: int = 0) -> None:
    """Set the margins of the geoms from ``first`` on; see ``reaches``."""
    if first < model.ngeom:
        model.geom_margin[first:] = reaches(model, share, slice(first, None))


def reaches(model: Any, share: float, geoms: slice) -> NDArray[np.float64]:
    """How far ahead geoms find contacts [m].

    A contact at a distance keeps its gap from being crossed in the step: what comes in slowly
    enough stops at the surface, where it would otherwise be pushed out again of the depth that it
    reached within the step. The distance is Bullet's, a share of the size of a body that can move
    (``btCollisionShape::getContactBreakingThreshold``): of how far its bounding box reaches at
    most from its centre of mass. ``rules.pair_filter`` leaves out pairs for which there is none;
    boxes and joined shapes have only some with planes.

    Meshes of triangles keep their own margin.

    Args:
        model: The compiled model.
        share: Of the size of a body.
        geoms: All geoms of some bodies.
    """
    body = model.geom_bodyid[geoms]
    least = np.where(model.geom_margin[geoms] == MESH_MARGIN, MESH_MARGIN, TOUCH)
    if share <= 0.0:
        return least
    ahead = (model.body_treeid[body] >= 0) & (least != MESH_MARGIN)
    most = np.full(len(body), np.inf)
    if not (model.geom_type == _PLANE).any():
        joined = model.geom_user[geoms, G_JOINED] != 0.0
        most[joined] = SKIN
        hull = model.geom_type[geoms] == _MESH
        ahead &= (model.geom_type[geoms] != _BOX) & (hull | ~joined)
    if not ahead.any():
        return least
    turn = rotations(model.geom_quat[geoms])
    aabb = model.geom_aabb[geoms]
    half = np.einsum("nij,nj->ni", np.abs(turn), aabb[:, 3:])
    middle = np.einsum("nij,nj->ni", turn, aabb[:, :3])
    middle += model.geom_pos[geoms] - model.body_ipos[body]
    low = np.full((model.nbody, 3), np.inf)
    high = -low
    np.minimum.at(low, body, middle - half)
    np.maximum.at(high, body, middle + half)
    low, high = low[body], high[body]
    size = 0.5 * (np.linalg.norm(low + high, axis=1) + np.linalg.norm(high - low, axis=1))
    return np.where(ahead, np.maximum(np.minimum(share * size, most), TOUCH), least)


def hide_planes(model: Any) -> None:
    """Keep planes out of MuJoCo's sorting of boxes: it pairs what is held with all others anyway.

    MuJoCo counts the pairs that it finds both ways twice, and has no room for that where two planes
    lie in many bodies. A box around a plane of a negative radius meets no other.
    """
    model.geom_rbound[model.geom_type == _PLANE] = -_FAR


def show_planes(model: Any) -> None:
    """Undo ``hide_planes``, for mujoco-warp, which knows planes by their radius of 0."""
    model.geom_rbound[model.geom_type == _PLANE] = 0.0


def let_pairs_follow(model: Any) -> None:
    """Let the pairs that collide whatever their contact bits say find what all others would.

    MuJoCo keeps margins and dimensions of contacts for each of these pairs, beside those of the
    geoms, which change while the world runs.
    """
    first, second = model.pair_geom1, model.pair_geom2
    model.pair_margin[:] = model.geom_margin[first] + model.geom_margin[second]
    model.pair_dim[:] = np.maximum(model.geom_condim[first], model.geom_condim[second])


def centred_reach(model: Any, share: float, geom: int, half: Vec3) -> float:
    """The same for the only geom of a body, a primitive whose frame is that of the body's masses.

    Args:
        model: The compiled model.
        share: Of the size of a body.
        geom: Number of the geom.
        half: Half sizes of the box around it [m].
    """
    if share <= 0.0 or model.body_treeid[model.geom_bodyid[geom]] < 0:
        return TOUCH
    if not (model.geom_type == _PLANE).any() and (
        model.geom_type[geom] == _BOX or model.geom_user[geom, G_JOINED] != 0.0
    ):
        return TOUCH
    x, y, z = (value + value for value in half)
    return max(share * (0.5 * math.sqrt(x * x + y * y + z * z)), TOUCH)


def see_ahead(model: Any, distance: float, *, joined: bool = False) -> None:
    """Let bodies without joints find contacts before they touch [m].

    What comes in stops at the surface then, and bounces by its restitution alone. Bodies with
    joints are left as they are unless they are ``joined`` in: they land on many shapes, and each
    contact costs time. So is everything where there are uneven height fields or meshes of
    triangles, which show the edges between their cells to what is ahead of them.
    """
    if distance <= 0.0 or not model.ntree or _has_edges(model):
        return
    tree = model.body_treeid[model.geom_bodyid]
    free = (tree >= 0) & (joined | (model.tree_dofnum[tree] == _FREE_DOFS))
    model.geom_margin[free] = np.maximum(model.geom_margin[free], distance)


def _has_edges(model: Any) -> bool:
    """Whether a height field or mesh of triangles, which stands as one, is not flat."""
    rough = (model.geom_type == _FIELD) | (model.geom_margin == MESH_MARGIN)
    for geom in np.flatnonzero(rough):
        if model.geom_type[geom] != _FIELD:
            return True
        across, along, high, _ = model.hfield_size[model.geom_dataid[geom]]
        if high > _FLAT * max(across, along):
            return True
    return False
