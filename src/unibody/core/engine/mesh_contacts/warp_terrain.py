# pyright: basic
"""Terrain on a Warp device: which geoms may touch it, and what launches its contacts."""

from __future__ import annotations

from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp

from unibody.core.engine.mesh_contacts import warp_narrow_phase as k
from unibody.core.engine.mesh_contacts.clip import ROOM
from unibody.core.engine.mesh_contacts.contact_reduction import MOST_FOUND, ROW
from unibody.core.engine.mesh_contacts.warp_shapes import hulls_of
from unibody.core.engine.mesh_contacts.warp_surface import surface_on_device
from unibody.core.engine.mesh_contacts.warp_touch import Room
from unibody.errors import NotSupportedError

_GEOM = mujoco.mjtGeom
_CONVEX = tuple(
    int(kind)
    for kind in (
        _GEOM.mjGEOM_SPHERE, _GEOM.mjGEOM_CAPSULE, _GEOM.mjGEOM_ELLIPSOID,
        _GEOM.mjGEOM_CYLINDER, _GEOM.mjGEOM_BOX, _GEOM.mjGEOM_MESH,
    )
)  # fmt: skip
_MOST_THREADS = 16384  # each has 8 KB of memory
_EDGE = 4  # corners of an edge that is cut
_BODY_BITS = 16  # of the second body in MuJoCo's number of a pair


class Terrain:
    """Height fields and meshes of triangles; call it as ``m.callback.contactfilter``.

    Attributes:
        geoms: Their numbers; mujoco-warp must not collide them.

    Raises:
        NotSupportedError: One of them can move.
    """

    def __init__(self, model: Any, m: Any, d: Any) -> None:
        self.geoms: list[int] = terrain_of(model)
        if (model.body_treeid[model.geom_bodyid[self.geoms]] >= 0).any():
            raise NotSupportedError(
                "meshes of triangles that move on a Warp device", 'the device "cpu" has them'
            )
        self._surfaces: list[Any] = []
        for geom in self.geoms:
            others = _partners(model, geom)
            if not len(others):
                continue
            pairs = k.Pairs()
            pairs.geoms = wp.array(others, dtype=int)
            pairs.near = wp.zeros(d.nworld * len(others), dtype=wp.vec2i)
            pairs.count = wp.zeros(1, dtype=int)
            self._surfaces.append((surface_on_device(model, geom), pairs))
        most = max((len(pairs.near) for _, pairs in self._surfaces), default=0)
        self._threads = min(most, _MOST_THREADS)
        self._room = _room(self._threads)
        self._hulls = hulls_of(m)

    def __call__(self, m: Any, d: Any) -> None:
        """Add the contacts of all worlds."""
        mjw.com_vel(m, d)  # how far a step goes is a matter of the velocities of now
        geoms, out = _geoms_of(m, d), _out_of(d)
        for surface, pairs in self._surfaces:
            pairs.count.zero_()
            inputs = [geoms, surface, pairs]
            wp.launch(k.find_near, dim=(d.nworld, len(pairs.geoms)), inputs=inputs)
            inputs = [geoms, self._hulls, surface, pairs, self._room, out]
            wp.launch(k.collide, dim=self._threads, inputs=inputs)

    def memory(self) -> int:
        """Bytes held."""
        arrays = [self._room.found, self._room.side, self._room.other, self._room.over]
        arrays += [pairs.near for _, pairs in self._surfaces]
        return sum(array.capacity for array in arrays)


def terrain_of(model: Any) -> list[int]:
    """The geoms that are terrain."""
    return np.flatnonzero(model.geom_type == int(_GEOM.mjGEOM_HFIELD)).tolist()


def _partners(model: Any, geom: int) -> Any:
    """The geoms that collide with one that is terrain."""
    types, affinities = model.geom_contype, model.geom_conaffinity
    meets = (types & affinities[geom]) | (types[geom] & affinities)
    body = model.geom_bodyid
    meets = (meets != 0) & (model.body_treeid[body] >= 0) & np.isin(model.geom_type, _CONVEX)
    low, high = np.minimum(body, body[geom]), np.maximum(body, body[geom])
    meets &= ~np.isin((low << _BODY_BITS) + high, model.exclude_signature)
    return np.flatnonzero(meets).astype(np.int32)


def _room(threads: int) -> Any:
    room = Room()
    room.found = wp.zeros((threads, MOST_FOUND, ROW), dtype=float)
    room.side = wp.zeros((threads, ROOM), dtype=wp.vec3)
    room.other = wp.zeros((threads, ROOM), dtype=wp.vec3)
    room.spare = wp.zeros((threads, _EDGE), dtype=wp.vec3)
    room.over = wp.zeros((threads, ROOM), dtype=wp.vec4)
    return room


def _geoms_of(m: Any, d: Any) -> Any:
    g = k.Geoms()
    g.kind, g.mesh, g.body, g.dim = m.geom_type, m.geom_dataid, m.geom_bodyid, m.geom_condim
    g.root = m.body_rootid
    g.size, g.box, g.margin = m.geom_size, m.geom_aabb, m.geom_margin
    g.timestep = m.opt.timestep
    g.pos, g.mat = d.geom_xpos, d.geom_xmat
    g.cvel, g.centre = d.cvel, d.subtree_com
    return g


def _out_of(d: Any) -> Any:
    c, out = d.contact, k.Out()
    out.most, out.count = d.naconmax, d.nacon
    out.dist, out.pos, out.frame, out.margin = c.dist, c.pos, c.frame, c.includemargin
    out.friction, out.solref = c.friction, c.solref
    out.solreffriction, out.solimp = c.solreffriction, c.solimp
    out.dim, out.geom, out.row, out.world = c.dim, c.geom, c.efc_address, c.worldid
    out.kind, out.number, out.adhesion = c.type, c.geomcollisionid, c.adhesion
    return out
