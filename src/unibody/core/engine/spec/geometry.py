"""Writing the collision shapes of a link into an ``MjSpec`` body, meshes shared by content."""

from __future__ import annotations

import functools
import math
from typing import Any

import mujoco
import numpy as np

from unibody.core.assets.description import HeightfieldData, Pose, Shape, ShapeKind, Vec3
from unibody.core.assets.mesh.load import load_mesh
from unibody.core.assets.mesh.types import TriMesh
from unibody.core.assets.transforms import pose_multiply, quat_multiply
from unibody.core.engine.mesh_contacts import registry
from unibody.core.engine.mesh_contacts.install import install
from unibody.core.engine.mesh_contacts.surface import TriangleSurface, surface_of
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.pair_filter import MESH_MARGIN
from unibody.errors import InvalidArgumentError
from unibody.notices import tell

_GEOM = mujoco.mjtGeom
PRIMITIVES = (
    ShapeKind.BOX, ShapeKind.SPHERE, ShapeKind.CAPSULE, ShapeKind.CYLINDER, ShapeKind.ELLIPSOID
)  # fmt: skip
_MIN_SIZE = 1e-9  # m
_SLAB = (200.0, 200.0, 2.0)  # m: what stands for an infinite plane that moves
_CACHE_BYTES = 32 << 20
_FILE_VERTICES = 16  # meshes of fewer vertices compile faster without a file
_CHUNK = 8000  # solids that are written together
_MANY_TRIANGLES = 20_000  # a concave mesh cut into solids says so, because it takes its time
_QUARTER_TURN = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))  # about z
_PLANE_SIZE = (0.0, 0.0, 1.0)  # infinite; the third number only spaces a grid when drawn


class MeshStore:
    """The mesh and height-field assets of one spec, counted by use.

    Args:
        spec: The MjSpec.
    """

    def __init__(self, spec: Any) -> None:
        self._spec = spec
        self._surfaces: dict[str, TriangleSurface] = {}
        self._uses: dict[str, int] = {}
        self._assets: dict[str, Any] = {}

    def add_mesh(self, key: str, vertices: Any, faces: Any) -> None:
        """Use the mesh ``key`` once more, adding it at the first use."""
        if key not in self._assets:
            if faces is not None and len(vertices) >= _FILE_VERTICES:
                file = f"{key}.msh"
                _bound_cache()
                self._spec.assets[file] = _msh(vertices, faces)
                asset = self._spec.add_mesh(name=key, file=file)
            else:
                asset = self._spec.add_mesh(name=key)
                asset.uservert = np.ascontiguousarray(vertices, dtype=np.float64).ravel()
                if faces is not None:
                    asset.userface = np.ascontiguousarray(faces, dtype=np.int32).ravel()
            asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
            self._assets[key] = asset
        self._uses[key] = self._uses.get(key, 0) + 1

    def add_heightfield(self, key: str, data: HeightfieldData) -> tuple[float, float]:
        """Use the height field ``key`` once more. Returns its lowest and highest height [m]."""
        heights = np.asarray(data.heights, dtype=np.float64)
        low, high = float(heights.min()), float(heights.max())
        if key not in self._assets:
            span = max(high - low, 1e-6)
            size = (
                0.5 * (data.columns - 1) * data.spacing[0],
                0.5 * (data.rows - 1) * data.spacing[1],
                span,
                max(0.1 * span, 0.1),
            )
            self._assets[key] = self._spec.add_hfield(
                name=key,
                nrow=data.rows,
                ncol=data.columns,
                size=size,
                userdata=(heights - low) / span,
            )
        self._uses[key] = self._uses.get(key, 0) + 1
        return low, high

    def add_surface(self, surface: TriangleSurface, skin: float = 0.0) -> str:
        """Use a triangle surface once more, as a height field of its size. Returns its key.

        Args:
            surface: The surface.
            skin: How much thicker it is, on both sides [m].
        """
        key = registry.name_of(surface, skin)
        if key not in self._assets:
            install()
            registry.enter(surface)
            x, y, z = np.maximum(surface.half, registry.BASE).tolist()
            size = (x, y, 2.0 * z, max(skin, registry.BASE))
            self._assets[key] = self._spec.add_hfield(
                name=key, nrow=2, ncol=2, size=size, userdata=np.zeros(4)
            )
            self._surfaces[key] = surface
        self._uses[key] = self._uses.get(key, 0) + 1
        return key

    def hold(self, model: Any) -> None:
        """Keep the surfaces for as long as a model lives that was compiled from the spec."""
        if self._surfaces:
            registry.hold(model, list(self._surfaces.values()))

    def take(self, meshes: list[Any]) -> list[str]:
        """Count meshes that were attached to the spec as used once; returns their keys."""
        names = [mesh.name for mesh in meshes]
        self._assets.update(zip(names, meshes, strict=True))
        self._uses.update(dict.fromkeys(names, 1))
        return names

    def release(self, key: str) -> None:
        """Give one use back; the last one removes the asset from the spec."""
        self._uses[key] -= 1
        if self._uses[key] == 0:
            del self._uses[key]
            self._spec.delete(self._assets.pop(key))
            self._surfaces.pop(key, None)
            self._spec.assets.pop(f"{key}.msh", None)


@functools.cache
def _bound_cache() -> None:
    """Let MuJoCo keep fewer of the meshes that it has read from files, 500 MB otherwise.

    A script that loads a mesh at a new scale in each episode never needs them again.
    """
    cache = mujoco.mj_getCache()
    mujoco.mj_setCacheCapacity(cache, min(mujoco.mj_getCacheCapacity(cache), _CACHE_BYTES))


def _msh(vertices: Any, faces: Any) -> bytes:
    """A mesh as a file of MuJoCo's own format.

    MuJoCo remembers what it made of a file, and spends a millisecond less on the mesh in the next
    compile. The key of the mesh, which is made of its content, is the name of the file.
    """
    corners = np.ascontiguousarray(vertices, dtype=np.float32)
    triangles = np.ascontiguousarray(faces, dtype=np.int32)
    sizes = np.array([len(corners), 0, 0, len(triangles)], dtype=np.int32)
    return sizes.tobytes() + corners.tobytes() + triangles.tobytes()


def write_shape(  # noqa: PLR0913 - two say what becomes of the shape
    body: Any,
    shape: Shape,
    store: MeshStore,
    used: list[str],
    *,
    moving: bool,
    triangles: bool,
    **geom: Any,
) -> list[Any]:
    """Add one collision shape to a spec body.

    Args:
        body: The MjsBody that gets the geoms.
        shape: What to add.
        store: Shared meshes of the spec.
        used: Keys of the meshes taken from the store are appended here.
        moving: The body can move. A plane on it becomes a very large box, as MuJoCo's planes
            stand still.
        triangles: A concave mesh is one geom of its triangles; else it is cut into convex solids.
        **geom: Parameters every geom of the shape gets.

    Returns:
        The new MjsGeom objects: one, or several for a mesh with several parts.

    Raises:
        AssetError: The mesh cannot be read.
        InvalidArgumentError: A size is not positive and finite.
    """
    common = dict(pos=shape.pose.pos, quat=shape.pose.quat, solimp=t.SOLIMP, margin=t.TOUCH, **geom)
    if shape.kind is ShapeKind.MESH:
        if shape.concave and triangles:
            return [_write_triangles(body, shape, store, used, common)]
        return _write_mesh(body, shape, store, used, common)
    if shape.kind is ShapeKind.HEIGHTFIELD and moving:
        raise InvalidArgumentError("shape", "a height field", "on a body that does not move")
    if shape.kind is ShapeKind.HEIGHTFIELD:
        return [_write_heightfield(body, shape, store, used, common)]
    if shape.kind is ShapeKind.PLANE and moving:
        shape = _slab(shape)
        common["pos"] = shape.pose.pos
    kind, size = primitive(shape)
    return [body.add_geom(type=kind, size=size, **common)]


def geom_count(shape: Shape) -> int:
    """How many geoms `write_shape` makes of a primitive or of convex meshes; 0 for all else."""
    if shape.kind is ShapeKind.MESH and shape.mesh is not None and not shape.concave:
        return len(load_mesh(shape.mesh))
    return int(shape.kind in PRIMITIVES)


def _slab(plane: Shape) -> Shape:
    """A box with its upper face in a plane."""
    down = Pose((0.0, 0.0, -0.5 * _SLAB[2]))
    return Shape(ShapeKind.BOX, _SLAB, pose=pose_multiply(plane.pose, down))


def primitive(shape: Shape) -> tuple[Any, tuple[float, ...]]:
    """MuJoCo's kind and sizes of a shape that needs no asset.

    A box with a negative size is that box mirrored, which is the same one.
    """
    least = -math.inf if shape.kind is ShapeKind.BOX else 0.0
    for value in shape.size:
        if not (math.isfinite(value) and value >= least):
            raise InvalidArgumentError(f"{shape.kind.value} size", shape.size, "positive numbers")
    size = tuple(max(abs(value), _MIN_SIZE) for value in shape.size)
    wider = shape.margin
    match shape.kind:
        case ShapeKind.BOX:
            return _GEOM.mjGEOM_BOX, tuple(0.5 * value for value in size)
        case ShapeKind.SPHERE:
            return _GEOM.mjGEOM_SPHERE, (size[0], 0.0, 0.0)
        case ShapeKind.CYLINDER:
            return _GEOM.mjGEOM_CYLINDER, (size[0] + wider, 0.5 * size[1] + wider, 0.0)
        case ShapeKind.CAPSULE:
            return _GEOM.mjGEOM_CAPSULE, (size[0], 0.5 * size[1], 0.0)
        case ShapeKind.ELLIPSOID:
            return _GEOM.mjGEOM_ELLIPSOID, size
        case _:
            return _GEOM.mjGEOM_PLANE, _PLANE_SIZE


def _write_triangles(
    body: Any, shape: Shape, store: MeshStore, used: list[str], common: dict[str, Any]
) -> Any:
    """Add a concave mesh as one geom, see ``mesh_contacts.registry``."""
    if shape.mesh is None:
        raise InvalidArgumentError("shape.mesh", None, "a MeshSource for a mesh shape")
    surface = surface_of(load_mesh(shape.mesh))
    key = store.add_surface(surface, shape.margin)
    used.append(key)
    x, y, z = surface.centre.tolist()
    common["pos"] = pose_multiply(shape.pose, Pose((x, y, z))).pos
    common["margin"] = MESH_MARGIN
    return body.add_geom(type=_GEOM.mjGEOM_HFIELD, hfieldname=key, **common)


def _write_mesh(
    body: Any, shape: Shape, store: MeshStore, used: list[str], common: dict[str, Any]
) -> list[Any]:
    from unibody.core.assets.mesh.hull import widened_hulls

    if shape.mesh is None:
        raise InvalidArgumentError("shape.mesh", None, "a MeshSource for a mesh shape")
    geoms: list[Any] = []
    parts = load_mesh(shape.mesh)
    if not shape.concave:
        for hull in widened_hulls(parts, shape.margin):
            store.add_mesh(hull.key, hull.vertices, hull.faces)
            used.append(hull.key)
            geoms.append(body.add_geom(type=_GEOM.mjGEOM_MESH, meshname=hull.key, **common))
        return geoms
    for part in parts:
        if len(part.faces) > _MANY_TRIANGLES:
            tell(
                f"cutting a concave mesh of {len(part.faces)} triangles into convex solids: "
                "a quarter of a minute for 100 000"
            )
        geoms += _write_solids(body, part, store, used, common)
    return geoms


def _write_solids(
    body: Any, part: TriMesh, store: MeshStore, used: list[str], common: dict[str, Any]
) -> list[Any]:
    """Add the convex solids of a concave mesh to a body, each one a geom.

    Every addition to a spec takes time in proportion to what the spec holds. Many solids are
    therefore written to specs of their own, by the thousand, and attached.
    """
    from unibody.core.assets.mesh.concave import convex_solids

    solids = convex_solids(part)
    if len(solids) <= _CHUNK:
        geoms: list[Any] = []
        for number, vertices in enumerate(solids):
            name = f"{part.key}/{number}"
            store.add_mesh(name, vertices, None)
            used.append(name)
            geoms.append(body.add_geom(type=_GEOM.mjGEOM_MESH, meshname=name, **common))
        return geoms
    geoms = []
    for begin in range(0, len(solids), _CHUNK):
        chunk = mujoco.MjSpec()
        chunk.nuser_geom = t.GEOM_USER_SIZE
        frame = chunk.worldbody.add_frame()
        meshes: list[Any] = []
        for number, vertices in enumerate(solids[begin : begin + _CHUNK]):
            mesh = chunk.add_mesh(name=str(number), uservert=vertices.ravel())
            mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
            meshes.append(mesh)
            geom = chunk.worldbody.add_geom(type=_GEOM.mjGEOM_MESH, meshname=mesh.name, **common)
            geom.set_frame(frame)
            geoms.append(geom)
        body.attach_frame(frame, f"{body.name}/{len(used)}/", "")  # the elements move over
        used += store.take(meshes)
    return geoms


def _write_heightfield(
    body: Any, shape: Shape, store: MeshStore, used: list[str], common: dict[str, Any]
) -> Any:
    data = shape.heightfield
    if data is None:
        raise InvalidArgumentError("shape.heightfield", None, "a HeightfieldData")
    quat = shape.pose.quat
    if data.falling:
        data, quat = _turned(data), quat_multiply(quat, _QUARTER_TURN)
        common["quat"] = quat
    key = f"hfield{hash((data.rows, data.columns, data.heights, data.spacing)):x}"
    low, _ = store.add_heightfield(key, data)
    used.append(key)
    rotation = np.empty(9)
    mujoco.mju_quat2Mat(rotation, np.asarray(quat, dtype=np.float64))
    offset = rotation.reshape(3, 3) @ np.array([0.0, 0.0, low])
    common["pos"] = tuple(np.asarray(shape.pose.pos) + offset)
    install()
    common["margin"] = MESH_MARGIN
    return body.add_geom(type=_GEOM.mjGEOM_HFIELD, hfieldname=key, **common)


def _turned(data: HeightfieldData) -> HeightfieldData:
    """The same field in a frame turned by 90 degrees about z: its cells are cut the other way."""
    heights = np.asarray(data.heights).reshape(data.rows, data.columns).T[::-1]
    spacing = data.spacing[1], data.spacing[0]
    return HeightfieldData(data.columns, data.rows, tuple(heights.ravel().tolist()), spacing)


def geom_user(
    restitution: float,
    stiffness: float,
    damping: float,
    anisotropy: Vec3 = (1.0, 1.0, 1.0),
    joined: bool = False,
) -> list[float]:
    """The numbers of ``geom_user`` (see rule_table)."""
    values = [0.0] * t.GEOM_USER_SIZE
    values[t.G_RESTITUTION] = restitution
    values[t.G_STIFFNESS] = stiffness
    values[t.G_DAMPING] = damping
    values[t.G_ANISOTROPY : t.G_ANISOTROPY + 3] = [factor - 1.0 for factor in anisotropy]
    values[t.G_JOINED] = float(joined)
    return values
