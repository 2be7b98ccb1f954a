"""Shapes as geoms and sites of a plain model."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.engine.plain.spec import GEOMS
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton import poses
from unibody.newton.enums import Axis, GeoType, ShapeFlags
from unibody.newton.mesh import Mesh, barrel_mesh
from unibody.newton.solvers.mujoco.attributes import values_of
from unibody.newton.solvers.mujoco.filters import Filters
from unibody.newton.solvers.mujoco.meshes import are_meshes
from unibody.notices import tell_once

_KINDS = {
    GeoType.PLANE: "plane",
    GeoType.SPHERE: "sphere",
    GeoType.CAPSULE: "capsule",
    GeoType.ELLIPSOID: "ellipsoid",
    GeoType.CYLINDER: "cylinder",
    GeoType.BOX: "box",
    GeoType.MESH: "mesh",
    GeoType.CONVEX_MESH: "mesh",
    GeoType.HFIELD: "hfield",
    GeoType.CONE: "mesh",
}
_SITES = ("sphere", "capsule", "cylinder", "box")
_WHOLE_PLANE = 5.0  # half extents that are drawn
_SITE_SIZE = 0.01
_BASE = 1.0  # m of ground below the lowest point of a height field
_ATTRIBUTES = {
    "condim": "condim",
    "priority": "geom_priority",
    "solimp": "geom_solimp",
    "solmix": "geom_solmix",
    "gap": "geom_gap",
    "group": "geom_group",
}


def wxyz(q: Any) -> list[float]:
    """A quaternion in MuJoCo's order."""
    return [float(q[3]), float(q[0]), float(q[1]), float(q[2])]


def solref(ke: Any, kd: Any) -> Any:
    """MuJoCo's time constant and damping ratio of a contact's stiffness and damping, (..., 2)."""
    ke, kd = np.asarray(ke, float), np.asarray(kd, float)
    given = (ke > 0.0) & (kd > 0.0)
    safe_ke, safe_kd = np.where(given, ke, 1.0), np.where(given, kd, 1.0)
    constant = np.where(given, 2.0 / safe_kd, 0.02)
    ratio = np.where(given, 0.5 * safe_kd / np.sqrt(safe_ke), 1.0)
    return np.stack([constant, ratio], axis=-1)


def sizes(scale: Any) -> Any:
    """MuJoCo's sizes: where a number is zero, the first that is not stands for it, (n, 3)."""
    rows = np.array(scale, dtype=float).reshape(-1, 3)
    for row in rows:
        given = row[row > 0.0]
        row[row <= 0.0] = given[0] if len(given) else _WHOLE_PLANE
    return rows


def field_offset(source: Any, scale: Any) -> float:
    """Height of the lowest elevation of a height field, in the frame of its shape [m]."""
    return float(source.min_z * scale[2])


def _faces(source: Any, scale: Any) -> np.ndarray:
    """The triangles of a mesh; those of one that is mirrored are wound the other way."""
    faces = np.asarray(source.indices, np.int32).reshape(-1, 3)
    return faces if np.prod(scale) > 0.0 else np.ascontiguousarray(faces[:, ::-1])


class ShapeWriter:
    """Writes shapes of a model into the bodies of a spec.

    Attributes:
        geoms: Shape -> name of its geom.
        sites: Shape -> name of its site.
    """

    def __init__(
        self, model: Any, spec: Any, filters: Filters, *, sites: bool, visual: bool
    ) -> None:
        self.geoms: dict[int, str] = {}
        self.sites: dict[int, str] = {}
        self._model, self._spec, self._filters = model, spec, filters
        self._with_sites, self._with_visual = sites, visual
        names = "type transform scale flags collision_group thickness material_mu material_ke"
        names += " material_kd material_torsional_friction material_rolling_friction"
        self._of = {name: getattr(model, f"shape_{name}").numpy() for name in names.split()}
        found = {to: values_of(model, name) for to, name in _ATTRIBUTES.items()}
        self._attributes = {to: rows for to, rows in found.items() if rows is not None}
        self._meshes: set[str] = set()
        self.referred: set[int] = set()
        """Shapes that something else needs, whatever their flags are."""

    def write(self, body: Any, number: int, shape: int) -> None:
        """Add a shape to a body.

        Args:
            body: The spec's body.
            number: The model's body; -1: the world.
            shape: The shape.
        """
        flags = int(self._of["flags"][shape])
        name = f"{self._model.shape_key[shape]}_{shape}"
        if flags & ShapeFlags.SITE:
            if self._with_sites or shape in self.referred:
                self._write_site(body, shape, name)
            return
        collides = bool(flags & ShapeFlags.COLLIDE_SHAPES)
        if collides or self._with_visual or shape in self.referred:
            self._write_geom(body, number, shape, name)

    def _pose(self, shape: int) -> dict[str, Any]:
        pose = self._of["transform"][shape]
        return {"pos": pose[:3].astype(float), "quat": wxyz(pose[3:])}

    def _write_site(self, body: Any, shape: int, name: str) -> None:
        kind = _KINDS.get(GeoType(int(self._of["type"][shape])), "sphere")
        scale = self._of["scale"][shape]
        size = sizes(scale)[0] if np.any(scale > 0.0) else [_SITE_SIZE] * 3
        visible = bool(self._of["flags"][shape] & int(ShapeFlags.VISIBLE))
        body.add_site(
            name=name,
            type=GEOMS[kind if kind in _SITES else "sphere"],
            size=size,
            rgba=[0.0, 1.0, 0.0, 0.5 if visible else 0.0],
            **self._pose(shape),
        )
        self.sites[shape] = name

    def _write_geom(self, body: Any, number: int, shape: int, name: str) -> None:
        kind = GeoType(int(self._of["type"][shape]))
        if kind not in _KINDS:
            raise NotSupportedError(
                f"a {kind.name} shape in SolverMuJoCo", "add_shape_mesh or add_shape_convex_hull"
            )
        if kind == GeoType.PLANE and number != -1:
            raise InvalidArgumentError(
                "body", number, "-1: Planes can only be attached to static bodies"
            )
        given = {"name": name, "type": GEOMS[_KINDS[kind]], **self._pose(shape)}
        scale = self._of["scale"][shape]
        given["size"] = sizes(scale)[0]
        if bool(are_meshes(kind, scale)):
            given["type"] = GEOMS["mesh"]
            given["meshname"] = self._mesh(shape)
        if kind == GeoType.HFIELD:
            if number != -1:
                raise InvalidArgumentError("body", number, "-1: height fields do not move")
            given["hfieldname"] = self._hfield(shape)
            given["pos"], given["size"] = self._hfield_origin(shape), np.zeros(3)
        contype, conaffinity = self._filters.masks.get(shape, (0, 0))
        of = self._of
        geom = body.add_geom(
            **given,
            contype=contype,
            conaffinity=conaffinity,
            friction=[
                float(of["material_mu"][shape]),
                float(of["material_torsional_friction"][shape]),
                float(of["material_rolling_friction"][shape]),
            ],
            margin=float(of["thickness"][shape]),
        )
        geom.solref[:2] = solref(of["material_ke"][shape], of["material_kd"][shape])
        for to, rows in self._attributes.items():
            if np.ndim(rows[shape]):
                getattr(geom, to)[:] = rows[shape]
            else:
                setattr(geom, to, rows[shape].item())
        self.geoms[shape] = name

    def _hfield_origin(self, shape: int) -> Any:
        """Where the lowest elevation is: MuJoCo counts from there."""
        pose = self._of["transform"][shape].astype(float)
        lift = field_offset(self._model.shape_source[shape], self._of["scale"][shape])
        return pose[:3] + poses.rotate(pose[3:], np.array([0.0, 0.0, lift]))

    def _hfield(self, shape: int) -> str:
        source = self._model.shape_source[shape]
        x, y, z = self._of["scale"][shape].astype(float)
        name = f"hfield_{shape}"
        rise = max((source.max_z - source.min_z) * z, 1e-6)  # MuJoCo refuses none
        self._spec.add_hfield(
            name=name,
            nrow=source.nrow,
            ncol=source.ncol,
            size=[source.hx * x, source.hy * y, rise, _BASE],
            userdata=np.asarray(source.data, np.float32).ravel(),
        )
        return name

    def _mesh(self, shape: int) -> str:
        source = self._model.shape_source[shape]
        scale = self._of["scale"][shape].astype(float)
        if getattr(source, "enable_surface_velocity", False):
            others = "SolverXPBD, SolverSemiImplicit, SolverFeatherstone and SolverVBD heed them"
            tell_once(f"SolverMuJoCo leaves out velocities of the surfaces of meshes: {others}")
        if source is None:  # a barrel or a cone, which MuJoCo does not have
            if self._of["type"][shape] == GeoType.CONE:
                source = Mesh.create_cone(*scale[:2], up_axis=Axis.Z)
            else:
                source = barrel_mesh(*scale)
            scale = np.ones(3)
        name = f"mesh_{hash((hash(source), tuple(scale))) & 0xFFFFFFFFFFFF:x}"
        if name not in self._meshes:
            self._meshes.add(name)
            points = np.asarray(source.vertices, dtype=float) * scale
            self._spec.add_mesh(
                name=name,
                uservert=points.ravel(),
                userface=_faces(source, scale).ravel(),
                maxhullvert=int(source.maxhullvert),
            )
        return name
