"""Surroundings from OpenUSD stages: every mesh becomes an object that stands still.

What is physics in a stage (bodies, joints, drives) is not looked at here; the meshes are placed
where they are. A mesh keeps its own coordinates, and the object gets the pose and one scale, where
the stage turns and scales it equally along all axes. Other transforms are baked into the vertices.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets import description
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.load import format_named
from unibody.core.assets.mesh.types import TriMesh
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd import open_stage
from unibody.core.assets.usd.geometry import matrix_of, quat_of, read_mesh
from unibody.core.assets.usd.library import pxr, reading
from unibody.core.assets.usd.looks import Look, read_look
from unibody.core.assets.usd.units import Units, read_units
from unibody.errors import AssetError, NotSupportedError
from unibody.fleet.foundation.types import CollisionMode
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.spawn_params import ShapeParams
from unibody.fleet.spatial.geometry import Pose
from unibody.fleet.world_files.usd_files import write_mesh

FloatArray = NDArray[np.float64]
_GREY = (0.55, 0.58, 0.62, 1.0)  # of what has no colour in the stage


@dataclass(frozen=True)
class UsdImportDiagnostic:
    """Something an import found out.

    Attributes:
        severity: "warning".
        code: A short name that does not change: "transform_baked", "mesh_without_geometry", ...
        message: For people.
        prim_path: What it is about.
        schema_type: Its type.
        asset_path: The file it is about.
    """

    severity: str
    code: str
    message: str
    prim_path: str | None = None
    schema_type: str | None = None
    asset_path: str | None = None


@dataclass(frozen=True)
class UsdImportOptions:
    """How a stage is imported.

    Attributes:
        collision: Meshes collide.
        collision_required: Refuse a stage with a mesh too fine to collide.
        include_invisible: Take what is hidden.
        include_point_instances: Take the instances of point instancers.
        point_instance_warning: Warn from so many instances on.
        max_point_instances: Refuse more.
        max_collision_triangles_per_mesh: Meshes with more are seen and do not collide.
        max_collision_triangles_total: The same for all together, in the order of the stage.
        texture_brightness: Factor on the brightness of textures.
    """

    collision: bool = True
    collision_required: bool = False
    include_invisible: bool = False
    include_point_instances: bool = True
    point_instance_warning: int = 1_000
    max_point_instances: int = 5_000
    max_collision_triangles_per_mesh: int = 50_000
    max_collision_triangles_total: int = 500_000
    texture_brightness: float = 1.0


@dataclass
class UsdImportReport:
    """What an import did; everything can be written as JSON.

    Attributes:
        source_stage: Absolute path.
        source_up_axis: "Y" or "Z".
        source_meters_per_unit: Of the stage.
        target_convention: Of the simulation.
        stage_to_pbf_transform: What was done to the stage's coordinates, for people.
        created_object_ids: Object number by the path of the prim; of an instance with its number.
        normalized_object_poses: Position and orientation (x, y, z, w) of those placed by a pose.
        normalized_world_transforms: (4, 4) of each.
        object_transform_modes: "pose" or "baked".
        diagnostics: In the order of the stage.
    """

    source_stage: str
    source_up_axis: str
    source_meters_per_unit: float
    target_convention: str = "Z-up metres"
    stage_to_pbf_transform: str = "identity"
    created_object_ids: dict[str, int] = field(default_factory=dict)
    normalized_object_poses: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    normalized_world_transforms: dict[str, list[list[float]]] = field(default_factory=dict)
    object_transform_modes: dict[str, str] = field(default_factory=dict)
    diagnostics: list[UsdImportDiagnostic] = field(default_factory=list)

    @property
    def objects_created(self) -> int:
        """How many objects there are."""
        return len(self.created_object_ids)

    def warn(self, code: str, message: str, path: str | None = None, kind: str = "Mesh") -> None:
        """Add a warning."""
        schema = None if path is None else kind
        self.diagnostics.append(UsdImportDiagnostic("warning", code, message, path, schema))


@dataclass(frozen=True)
class _Item:
    """One mesh at one place; ``world`` is (4, 4) in stage units, for column vectors."""

    path: str
    prim: Any
    world: FloatArray


def load_usd_world(
    usd_path: str | Path, *, sim_core: Any, options: UsdImportOptions | None = None
) -> UsdImportReport:
    """Make an object that stands still of every mesh of a stage.

    Args:
        usd_path: A .usd, .usda, .usdc or .usdz file. It may refer to layers and textures in its
            own folder and what is near it.
        sim_core: The simulation.
        options: See `UsdImportOptions`.

    Raises:
        ImportError: The package ``usd-core`` is not installed.
        FileNotFoundError: There is no such file.
        ValueError: An option that is not allowed, or a stage that is refused; nothing was made.
    """
    chosen = options or UsdImportOptions()
    _check(chosen)
    path = Path(usd_path).expanduser().resolve()
    if not path.is_file():
        raise FileNotFoundError(f"USD stage not found: {path}")
    stages = format_named("usd").suffixes
    if path.suffix.lower() not in stages:
        raise ValueError(f"{path}: suffix {path.suffix!r} is not one of {', '.join(stages)}")
    try:
        return _load(str(path), sim_core, chosen)
    except NotSupportedError as error:
        raise ImportError(str(error)) from error
    except AssetError as error:
        raise ValueError(str(error)) from error


def _check(options: UsdImportOptions) -> None:
    if options.point_instance_warning < 0 or options.max_point_instances < 1:
        raise ValueError(
            f"point_instance_warning={options.point_instance_warning} must not be negative, and "
            f"max_point_instances={options.max_point_instances} must be at least 1"
        )
    if options.point_instance_warning > options.max_point_instances:
        raise ValueError(
            f"point_instance_warning={options.point_instance_warning} must not exceed "
            f"max_point_instances={options.max_point_instances}"
        )
    for name in ("max_collision_triangles_per_mesh", "max_collision_triangles_total"):
        if getattr(options, name) < 1:
            raise ValueError(f"{name}={getattr(options, name)} must be at least 1")
    if not options.texture_brightness > 0.0:
        raise ValueError(f"texture_brightness must be positive, got {options.texture_brightness}")


def _load(path: str, sim_core: Any, options: UsdImportOptions) -> UsdImportReport:
    search = SearchPath()
    stage, missing = open_stage(path, search_path=search, limits=DEFAULT_LIMITS, skip_missing=True)
    with reading(path):
        units = read_units(stage, path)
        report = UsdImportReport(
            path, units.up, units.length, stage_to_pbf_transform=_description(units)
        )
        for layer in missing:
            report.diagnostics.append(
                UsdImportDiagnostic(
                    "warning", "layer_missing", f"{layer} is not there.", asset_path=layer
                )
            )
        items = _items(stage, options, report)
        colliding = _colliding(items, options, report)
        # All meshes are read before an object is made: a stage that is refused leaves nothing.
        meshes: dict[str, TriMesh | None] = {}
        for item in items:
            source = str(item.prim.GetPath())
            if source not in meshes:
                meshes[source] = read_mesh(item.prim, DEFAULT_LIMITS, path, with_uvs=True)
        looks = {name: read_look(stage.GetPrimAtPath(name), path, search) for name in meshes}
        batch = sim_core.batch_spawn() if sim_core is not None else contextlib.nullcontext()
        with batch:
            for item in items:
                source = str(item.prim.GetPath())
                _spawn(
                    item,
                    meshes[source],
                    looks[source],
                    units,
                    sim_core=sim_core,
                    options=options,
                    collides=item.path in colliding,
                    report=report,
                )
    return report


def _description(units: Units) -> str:
    axes = "(x, y, z) -> (x, -z, y)" if units.up == "Y" else "identity"
    return f"{axes}; scale={units.length:g} metres per stage unit"


def _items(stage: Any, options: UsdImportOptions, report: UsdImportReport) -> list[_Item]:
    """The meshes that are seen, in the order of the stage, and the instances of instancers."""
    modules = pxr()
    geom = modules.UsdGeom
    predicate = modules.Usd.TraverseInstanceProxies()
    prims = list(modules.Usd.PrimRange(stage.GetPseudoRoot(), predicate))
    instancers = [geom.PointInstancer(prim) for prim in prims if prim.IsA(geom.PointInstancer)]
    _count_instances(instancers, options, report)
    prototypes = {
        str(target)
        for instancer in instancers
        for target in instancer.GetPrototypesRel().GetTargets()
    }
    transforms = geom.XformCache()
    found: list[_Item] = []
    for prim in prims:
        if prim.IsA(geom.PointInstancer):
            if options.include_point_instances:
                found += _instances(geom.PointInstancer(prim), stage, report, transforms)
            continue
        path = str(prim.GetPath())
        if prim.IsA(geom.Mesh) and path not in prototypes and _is_seen(prim, options):
            world = np.array(transforms.GetLocalToWorldTransform(prim), dtype=float).T
            found.append(_Item(path, prim, world))
    return found


def _is_seen(prim: Any, options: UsdImportOptions) -> bool:
    geom = pxr().UsdGeom
    imageable = geom.Imageable(prim)
    hidden = imageable.ComputeVisibility() == geom.Tokens.invisible
    if hidden and not options.include_invisible:
        return False
    return imageable.ComputePurpose() in (geom.Tokens.default_, geom.Tokens.render)


def _count_instances(
    instancers: list[Any], options: UsdImportOptions, report: UsdImportReport
) -> None:
    if not options.include_point_instances:
        return
    count = sum(len(item.GetProtoIndicesAttr().Get() or ()) for item in instancers)
    if count > options.max_point_instances:
        raise ValueError(
            f"point_instance_limit_exceeded: stage expands to {count} instances "
            f"(limit {options.max_point_instances})"
        )
    if count >= options.point_instance_warning:
        report.warn("point_instance_warning", f"Stage expands to {count} PointInstancer instances.")


def _instances(instancer: Any, stage: Any, report: UsdImportReport, transforms: Any) -> list[_Item]:
    """The meshes of a point instancer."""
    modules = pxr()
    prim = instancer.GetPrim()
    now = modules.Usd.TimeCode.Default()
    indices = [int(index) for index in instancer.GetProtoIndicesAttr().Get() or ()]
    places = instancer.ComputeInstanceTransformsAtTime(now, now)
    targets = instancer.GetPrototypesRel().GetTargets()
    name, kind = str(prim.GetPath()), str(prim.GetTypeName())
    if len(indices) != len(places):
        message = f"{len(indices)} prototype indices and {len(places)} transforms."
        report.warn("point_instance_transform_mismatch", message, name, kind)
    # The instances are placed in the instancer's frame.
    above = np.array(transforms.GetLocalToWorldTransform(prim), dtype=float).T
    found: list[_Item] = []
    for number, (index, place) in enumerate(zip(indices, places, strict=False)):
        path = f"{name}[{number}]"
        if not 0 <= index < len(targets):
            message = f"Prototype index {index} is outside the prototype relation."
            report.warn("point_instance_invalid_prototype", message, path, kind)
            continue
        mesh = stage.GetPrimAtPath(targets[index])
        if not mesh or not mesh.IsA(modules.UsdGeom.Mesh):
            message = "Only Mesh PointInstancer prototypes are supported."
            report.warn(
                "point_instance_unsupported_prototype", message, path, str(mesh.GetTypeName())
            )
            continue
        found.append(_Item(path, mesh, above @ np.array(place, dtype=float).T))
    return found


def _colliding(items: list[_Item], options: UsdImportOptions, report: UsdImportReport) -> set[str]:
    """Paths of the meshes that are not too fine to collide."""
    if not options.collision:
        return set()
    found: set[str] = set()
    refused: list[str] = []
    total = 0
    for item in items:
        counts = pxr().UsdGeom.Mesh(item.prim).GetFaceVertexCountsAttr().Get()
        triangles = int(np.maximum(np.asarray(counts or [], dtype=np.int64) - 2, 0).sum())
        too_many = triangles > options.max_collision_triangles_per_mesh
        if too_many or total + triangles > options.max_collision_triangles_total:
            refused.append(item.path)
            report.warn(
                "collision_mesh_unavailable",
                f"{triangles} triangles exceed the budget of collision triangles; the mesh is "
                "imported visual-only.",
                item.path,
            )
            continue
        found.add(item.path)
        total += triangles
    if options.collision_required and refused:
        raise ValueError(
            "collision_mesh_unavailable: collision_required=True but "
            f"{len(refused)} mesh(es) exceed the configured collision triangle budget"
        )
    return found


def _spawn(
    item: _Item,
    mesh: TriMesh | None,
    look: Look,
    units: Units,
    *,
    sim_core: Any,
    options: UsdImportOptions,
    collides: bool,
    report: UsdImportReport,
) -> None:
    """Make the object of one mesh."""
    if mesh is None:
        message = "Mesh has no points or faces and was skipped."
        report.warn("mesh_without_geometry", message, item.path)
        return
    matrix = _upright(units) @ item.world
    placed = _rigid(matrix)
    if placed is None:
        message = "The transform has unequal scales, mirrors or shears; it is in the vertices."
        report.warn("transform_baked", message, item.path)
        vertices = mesh.vertices @ matrix[:3, :3].T + matrix[:3, 3]
        mirrors = np.linalg.det(matrix[:3, :3]) < 0.0
        faces = mesh.faces[:, ::-1] if mirrors else mesh.faces
        mesh = TriMesh(vertices, np.ascontiguousarray(faces), mesh.uv, name=mesh.name)
        pose, scale = Pose.from_xyz(0.0, 0.0, 0.0), 1.0
    else:
        pose, scale = placed
    color = look.rgba or _GREY
    file = write_mesh(mesh, color, look.texture, options.texture_brightness)
    data: dict[str, Any] = {
        "usd_prim_path": item.path,
        "usd_transform_mode": "pose" if placed else "baked",
        "usd_normalized_world_transform": matrix.tolist(),
    }
    # A texture is drawn in the colours of the mesh's file; PyBullet's colour would hide them.
    seen = None if look.texture and mesh.uv is not None else list(color)
    made = SimObject.from_mesh(
        visual_shape=ShapeParams("mesh", file, [scale] * 3, rgba_color=seen),
        collision_shape=ShapeParams("mesh", file, [scale] * 3) if collides else None,
        pose=pose,
        mass=0.0,
        pickable=False,
        sim_core=sim_core,
        collision_mode=CollisionMode.STATIC if collides else CollisionMode.DISABLED,
        name=str(item.prim.GetName()),
        user_data=data,
    )
    report.created_object_ids[item.path] = made.object_id
    report.normalized_world_transforms[item.path] = matrix.tolist()
    report.object_transform_modes[item.path] = data["usd_transform_mode"]
    if placed is not None:
        stated = {"position": list(pose.position), "orientation": list(pose.orientation)}
        data["usd_normalized_world_pose"] = stated
        made.user_data["usd_normalized_world_pose"] = stated
        report.normalized_object_poses[item.path] = stated


def _upright(units: Units) -> FloatArray:
    """(4, 4) from the stage's world to metres with z up."""
    matrix = matrix_of(description.Pose(quat=units.turn))
    matrix[:3, :3] *= units.length
    return matrix


def _rigid(matrix: FloatArray) -> tuple[Pose, float] | None:
    """Pose and scale, where the matrix is nothing else."""
    linear = matrix[:3, :3]
    scales = np.linalg.norm(linear, axis=0)
    if np.any(scales <= 1e-12) or not np.allclose(scales, scales[0], rtol=1e-6, atol=1e-9):
        return None
    turn = linear / scales[0]
    if not np.allclose(turn.T @ turn, np.eye(3), rtol=1e-6, atol=1e-9):
        return None
    if np.linalg.det(turn) <= 0.0:
        return None
    w, x, y, z = quat_of(turn)
    return Pose(matrix[:3, 3].tolist(), [x, y, z, w]), float(scales[0])
