"""Shapes: what is drawn and what collides."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unibody.core.assets.description import (
    MeshSource,
    Pose,
    Quat,
    Shape,
    ShapeKind,
    SurfaceMaterial,
    Vec3,
)
from unibody.core.assets.limits import Limits
from unibody.core.assets.mesh.decomposition import Decomposition, convex_pieces
from unibody.core.assets.mesh.types import TriMesh
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import pose_multiply
from unibody.core.assets.usd.geometry import (
    FloatArray,
    Placement,
    cone,
    inverse_matrix_of,
    read_mesh,
    source_of,
    take_apart,
)
from unibody.core.assets.usd.library import pxr
from unibody.core.assets.usd.looks import read_look
from unibody.core.assets.usd.units import Units
from unibody.errors import NotSupportedError

_HALF = math.sqrt(0.5)
# Rotation that takes z to the axis a primitive lies along.
_ALONG: dict[str, Quat] = {
    "X": (_HALF, 0.0, _HALF, 0.0),
    "Y": (_HALF, -_HALF, 0.0, 0.0),
    "Z": (1.0, 0.0, 0.0, 0.0),
}
_CONCAVE = ("none", "meshSimplification", "sdf")


@dataclass(slots=True)
class ShapeReader:
    """Reads the shapes of one stage.

    Attributes:
        units: Of the stage.
        file: The stage.
        search_path: Where textures may lie.
        limits: Bounds on meshes.
        transforms: A ``UsdGeom.XformCache``.
        decompose: Take meshes with the approximation "convexDecomposition" apart.
        widest: Radii grow with the larger factor across the axis, not with their mean.
    """

    units: Units
    file: str
    search_path: SearchPath
    limits: Limits
    transforms: Any
    decompose: bool
    widest: bool = False

    def placement(self, prim: Any, body: Pose) -> Placement:
        """Where a prim is in the frame of a body, in stage units."""
        world = np.array(self.transforms.GetLocalToWorldTransform(prim), dtype=np.float64).T
        for row in world:
            self.units.vector(row[:3], prim.GetPath(), "transform")
        return take_apart(inverse_matrix_of(body) @ world)

    def visuals(self, prim: Any, body: Pose) -> list[Shape]:
        """What is drawn of a ``UsdGeom.Gprim``, in the frame of a body; [] where it is no shape."""
        place = self.placement(prim, body)
        shapes = self._parts(prim, place)
        if shapes is None:
            shape = self._primitive(prim, place)
            if shape is None:
                return []
            look = read_look(prim, self.file, self.search_path)
            shape.rgba, shape.texture, shape.material = look.rgba, look.texture, look.name
            shapes = [shape]
        for shape in shapes:
            shape.name = str(prim.GetName())
        return shapes

    def _parts(self, prim: Any, place: Placement) -> list[Shape] | None:
        """A mesh, in one shape for each material; None where the prim is no mesh."""
        if not prim.IsA(pxr().UsdGeom.Mesh):
            return None
        mesh = read_mesh(prim, self.limits, self.file, with_uvs=True)
        if mesh is None:
            return []
        shapes: list[Shape] = []
        for part, owner in self._subsets(prim, mesh):
            look = read_look(owner, self.file, self.search_path)
            shape = self.mesh_shape(part, place)
            shape.rgba, shape.texture, shape.material = look.rgba, look.texture, look.name
            shape.notes = () if owner == prim else (("subset", str(owner.GetPath())),)
            shapes.append(shape)
        return shapes

    def _subsets(self, prim: Any, mesh: TriMesh) -> list[tuple[TriMesh, Any]]:
        """The triangles of each subset with a material of its own, then those in none."""
        shade = pxr().UsdShade
        subsets = shade.MaterialBindingAPI(prim).GetMaterialBindSubsets()
        if not subsets:
            return [(mesh, prim)]
        counts = np.asarray(prim.GetAttribute("faceVertexCounts").Get(), dtype=np.int64)
        holes = prim.GetAttribute("holeIndices").Get()
        triangles = np.maximum(counts - 2, 0)
        if holes:
            triangles[[hole for hole in holes if 0 <= hole < len(counts)]] = 0
        face_of = np.repeat(np.arange(len(counts)), triangles)
        free = np.ones(len(mesh.faces), dtype=bool)
        found: list[tuple[TriMesh, Any]] = []
        for subset in subsets:
            chosen = free & np.isin(face_of, np.asarray(subset.GetIndicesAttr().Get() or []))
            free &= ~chosen
            if chosen.any():
                found.append((_only(mesh, chosen), subset.GetPrim()))
        if free.any():
            found.append((_only(mesh, free), prim))
        return found

    def mesh_shape(self, mesh: TriMesh, place: Placement) -> Shape:
        """A mesh at a place; its scale is left to whoever loads it, so that copies can share."""
        factor = self.units.length
        x, y, z = place.scale
        if place.shear is None:
            source = source_of(mesh, np.eye(3), (x * factor, y * factor, z * factor))
        else:
            source = source_of(mesh, place.shear * factor)
        return Shape(ShapeKind.MESH, pose=self.metres(place.pose), mesh=source)

    def metres(self, pose: Pose) -> Pose:
        """A pose in stage units, in metres."""
        x, y, z = pose.pos
        factor = self.units.length
        return Pose((x * factor, y * factor, z * factor), pose.quat)

    def _primitive(self, prim: Any, place: Placement) -> Shape | None:
        geom = pxr().UsdGeom
        kind = str(prim.GetTypeName())
        pose = self.metres(place.pose)
        if kind == "Cube":
            size = self._attribute(prim, "size", 2.0)
            if place.shear is not None:
                return self.mesh_shape(_cube(size), place)
            return Shape(ShapeKind.BOX, self._scaled(place, size), pose)
        if kind == "Sphere":
            radius = self._attribute(prim, "radius", 1.0)
            x, y, z = self._scaled(place, radius)
            round_ = math.isclose(x, y, rel_tol=1e-5) and math.isclose(y, z, rel_tol=1e-5)
            if round_:
                return Shape(ShapeKind.SPHERE, (x,), pose)
            return Shape(ShapeKind.ELLIPSOID, (x, y, z), pose)
        axis = str(prim.GetAttribute("axis").Get() or "Z") if prim.HasAttribute("axis") else "Z"
        turned = pose_multiply(pose, Pose(quat=_ALONG.get(axis, _ALONG["Z"])))
        if kind == "Plane" and prim.IsA(geom.Plane):
            return Shape(ShapeKind.PLANE, (), turned)
        return self._turned(prim, kind, place, axis, turned)

    def _turned(
        self, prim: Any, kind: str, place: Placement, axis: str, pose: Pose
    ) -> Shape | None:
        """A shape around an axis, with the factor along the axis and one across; see `widest`."""
        index = max("XYZ".find(axis), 0)
        factors = list(self._scaled(place, 1.0))
        along = factors.pop(index)
        across = max(factors) if self.widest else math.sqrt(math.prod(factors))
        if kind not in ("Cylinder", "Capsule", "Cone", "Cylinder_1", "Capsule_1"):
            return None
        default = 1.0 if kind.startswith("Capsule") else 2.0
        height = self._attribute(prim, "height", default) * along
        if kind.endswith("_1"):
            bottom = self._attribute(prim, "radiusBottom", 1.0) * across
            top = self._attribute(prim, "radiusTop", 1.0) * across
            return _tapered(kind, bottom, top, height, pose)
        radius = self._attribute(prim, "radius", 0.5 if kind == "Capsule" else 1.0) * across
        if kind == "Cone":
            return _mesh(cone(radius, 0.0, 0.5 * height), pose)
        form = ShapeKind.CYLINDER if kind == "Cylinder" else ShapeKind.CAPSULE
        return Shape(form, (radius, height), pose)

    def _scaled(self, place: Placement, size: float) -> Vec3:
        """Lengths along the axes of a shape [m]; along its sheared axes where it is sheared."""
        factors = np.abs(np.asarray(place.scale))
        if place.shear is not None:
            factors = np.linalg.norm(place.shear, axis=0)
        x, y, z = (factors * (size * self.units.length)).tolist()
        return (x, y, z)

    def _attribute(self, prim: Any, name: str, default: float) -> float:
        attribute = prim.GetAttribute(name)
        value = attribute.Get() if attribute else None
        if value is None:
            return default
        return abs(self.units.number(value, prim.GetPath(), name))

    def collisions(self, desc: Any, prim: Any, body: Pose) -> list[Shape]:
        """What collides of a prim with UsdPhysics' collision API.

        Args:
            desc: The ``UsdPhysics.ShapeDesc``.
            prim: The prim.
            body: Pose of the body's frame in the stage's world, in stage units.

        Raises:
            NotSupportedError: It is geometry of somebody's own.
        """
        kinds = pxr().UsdPhysics.ObjectType
        if desc.type == kinds.MeshShape:
            shapes = self._mesh_collisions(desc, prim, body)
        elif desc.type == kinds.SpherePointsShape:
            shapes = self._points(desc, prim)
        elif desc.type == kinds.CustomShape:
            raise NotSupportedError(
                f"{self.file}: {prim.GetPath()}: collision geometry of type {prim.GetTypeName()!r}",
                "a mesh, box, sphere, capsule, cylinder, cone or plane is",
            )
        else:
            shape = self._primitive(prim, self.placement(prim, body))
            shapes = [] if shape is None else [shape]
        for shape in shapes:
            shape.name = str(prim.GetName())
        return shapes

    def _points(self, desc: Any, prim: Any) -> list[Shape]:
        where = prim.GetPath()
        local = self.units.pose(desc.localPos, desc.localRot, where, "localPos")
        shapes: list[Shape] = []
        for point in desc.spherePoints:
            centre = Pose(self.units.lengths(point.center, where, "points"))
            radius = self.units.number(point.radius, where, "radius") * self.units.length
            shapes.append(Shape(ShapeKind.SPHERE, (radius,), pose_multiply(local, centre)))
        return shapes

    def _mesh_collisions(self, desc: Any, prim: Any, body: Pose) -> list[Shape]:
        mesh = read_mesh(prim, self.limits, self.file)
        if mesh is None:
            return []
        place = self.placement(prim, body)
        approximation = str(desc.approximation)
        if approximation in ("boundingCube", "boundingSphere"):
            return [self._bound(mesh, place, approximation)]
        shape = self.mesh_shape(mesh, place)
        shape.concave = approximation in _CONCAVE
        shape.notes = (("approximation", approximation),)
        if approximation == "convexDecomposition" and self.decompose and shape.mesh is not None:
            # In metres: how fine the cuts are depends on the size.
            scaled = TriMesh(mesh.vertices, mesh.faces).scaled(shape.mesh.scale)
            pieces = convex_pieces([scaled], Decomposition(), self.file)
            return [
                replace(shape, mesh=source_of(replace_name(piece, mesh.name), np.eye(3)))
                for piece in pieces
            ]
        return [shape]

    def _bound(self, mesh: TriMesh, place: Placement, approximation: str) -> Shape:
        factors = np.diag(place.scale) if place.shear is None else place.shear
        points = mesh.vertices[np.unique(mesh.faces)] @ factors.T * self.units.length
        low, high = points.min(axis=0), points.max(axis=0)
        middle: Vec3 = tuple((0.5 * (low + high)).tolist())
        pose = pose_multiply(self.metres(place.pose), Pose(middle))
        if approximation == "boundingCube":
            return Shape(ShapeKind.BOX, tuple((high - low).tolist()), pose)
        radius = float(np.linalg.norm(points - middle, axis=1).max())
        return Shape(ShapeKind.SPHERE, (radius,), pose)


def read_material(prim: Any, desc: Any, units: Units, *, weighs: bool = True) -> SurfaceMaterial:
    """A physics material: what UsdPhysics says, and how PhysX combines it with another's.

    Args:
        prim: The material.
        desc: Its ``UsdPhysics.RigidBodyMaterialDesc``.
        units: Of the stage.
        weighs: Whether a density has to be one; else that which is none is 0, not stated.
    """
    where = prim.GetPath()
    density = desc.density if weighs or math.isfinite(desc.density) else 0.0
    return SurfaceMaterial(
        static_friction=units.number(desc.staticFriction, where, "staticFriction"),
        dynamic_friction=units.number(desc.dynamicFriction, where, "dynamicFriction"),
        restitution=units.number(desc.restitution, where, "restitution"),
        density=units.number(density, where, "density") * units.mass / units.length**3,
        friction_combine=_token(prim, "physxMaterial:frictionCombineMode"),
        restitution_combine=_token(prim, "physxMaterial:restitutionCombineMode"),
    )


def _token(prim: Any, name: str) -> str:
    """What the stage says; "" where it says nothing, though a schema may have a fallback."""
    attribute = prim.GetAttribute(name)
    value = attribute.Get() if attribute and attribute.HasAuthoredValue() else None
    return "" if value is None else str(value)


def replace_name(mesh: TriMesh, name: str) -> TriMesh:
    """The same mesh under another name."""
    return TriMesh(mesh.vertices, mesh.faces, name=name)


def _only(mesh: TriMesh, chosen: Any) -> TriMesh:
    faces = mesh.faces[chosen]
    used, numbers = np.unique(faces, return_inverse=True)
    uv = None if mesh.uv is None else mesh.uv[used]
    faces = numbers.reshape(-1, 3).astype(np.int32)
    return TriMesh(mesh.vertices[used], faces, uv, name=mesh.name)


def _mesh(mesh: TriMesh, pose: Pose) -> Shape:
    source: MeshSource = source_of(mesh, np.eye(3))
    return Shape(ShapeKind.MESH, pose=pose, mesh=source)


def _tapered(kind: str, bottom: float, top: float, height: float, pose: Pose) -> Shape:
    """A cylinder or capsule with two radii: the plain one where they are equal."""
    if math.isclose(bottom, top, rel_tol=1e-6):
        form = ShapeKind.CYLINDER if kind.startswith("Cylinder") else ShapeKind.CAPSULE
        return Shape(form, (bottom, height), pose)
    if kind.startswith("Cylinder"):
        return _mesh(cone(bottom, top, 0.5 * height), pose)
    raise NotSupportedError("a capsule with two radii", "one with equal radii is, or a mesh")


def _cube(size: float) -> TriMesh:
    half = 0.5 * size
    corners: FloatArray = np.array(
        [(x, y, z) for x in (-half, half) for y in (-half, half) for z in (-half, half)]
    )
    faces = [
        (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
        (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
    ]  # fmt: skip
    return TriMesh(corners, np.array(faces, dtype=np.int32))
