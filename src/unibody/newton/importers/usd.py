"""USD stages into builders."""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import tempfile
import warnings
from collections.abc import Iterator
from typing import Any

from unibody.core.assets.description import Asset
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd import UsdOptions, load_usd
from unibody.core.assets.usd.layers import open_stage
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import Axis
from unibody.newton.exceptions import warn
from unibody.newton.importers import verbose as verbose_lines
from unibody.newton.importers.attachment import Attachment, keep_apart
from unibody.newton.importers.deformables import Deformables
from unibody.newton.importers.shapes import ShapeAdder
from unibody.newton.importers.usd_assets import StageAdder
from unibody.newton.importers.usd_attributes import StageAttributes
from unibody.newton.importers.usd_equalities import Equalities
from unibody.newton.importers.usd_filters import add_filters
from unibody.newton.importers.usd_joints import JointFields
from unibody.newton.importers.usd_masses import BodyMasses
from unibody.newton.importers.usd_mujoco import add_mujoco_prims
from unibody.newton.importers.usd_prims import Prims

_ORDERS = ("dfs", "bfs")
_SWITCHES = {  # argument -> the value that works
    "only_load_enabled_rigid_bodies": False,
    "only_load_enabled_joints": True,
    "apply_up_axis_from_stage": False,
    "schema_resolvers": None,
}


def add_usd(
    self: Any,
    source: Any,
    *,
    xform: Any = None,
    floating: bool | None = None,
    base_joint: dict[str, Any] | None = None,
    parent_body: int = -1,
    only_load_enabled_rigid_bodies: bool = False,
    only_load_enabled_joints: bool = True,
    joint_drive_gains_scaling: float = 1.0,
    verbose: bool = False,
    ignore_paths: list[str] | None = None,
    collapse_fixed_joints: bool = False,
    enable_self_collisions: bool = True,
    apply_up_axis_from_stage: bool = False,
    root_path: str = "/",
    joint_ordering: str | None = "dfs",
    bodies_follow_joint_ordering: bool = True,
    skip_mesh_approximation: bool = False,
    load_sites: bool = True,
    load_visual_shapes: bool = True,
    hide_collision_shapes: bool = False,
    parse_mujoco_options: bool = True,
    mesh_maxhullvert: int | None = None,
    schema_resolvers: Any = None,
    force_position_velocity_actuation: bool = False,
    override_root_xform: bool = False,
    load_static_visual_shapes: bool = True,
    return_deformable_results: bool = False,
) -> dict[str, Any]:
    """Add what a USD stage holds by UsdPhysics.

    Args:
        self: The builder.
        source: Path of the stage, or a stage.
        xform: Pose of the stage.
        floating: Whether roots that the stage leaves free are; None: they are.
        base_joint: Arguments of `add_joint` for the joints of roots.
        parent_body: Body that roots are attached to, or -1 for the world.
        only_load_enabled_rigid_bodies: Not supported but for False.
        only_load_enabled_joints: Not supported but for True.
        joint_drive_gains_scaling: Factor on stiffness and damping of drives.
        verbose: Whether what was added is printed.
        ignore_paths: Patterns; prims whose paths begin with one are left out, with all below.
        collapse_fixed_joints: Whether links of fixed joints are merged.
        enable_self_collisions: Whether shapes of an articulation collide with one another.
        apply_up_axis_from_stage: Not supported: the stage is turned to the builder's axis.
        root_path: Prim that is read, with all below it.
        joint_ordering: "dfs" or "bfs".
        bodies_follow_joint_ordering: Whether bodies are in that order, too; else as in the stage.
        skip_mesh_approximation: Whether meshes are not taken apart where the stage says so.
        load_sites: Whether prims with ``MjcSiteAPI`` or ``NewtonSiteAPI`` are sites; else they are
            left out.
        load_visual_shapes: Whether what is only drawn is read.
        hide_collision_shapes: Whether shapes that collide are not seen.
        parse_mujoco_options: Whether the builder's attributes of worlds are read from scenes.
        mesh_maxhullvert: Most vertices of hulls; None: 64.
        schema_resolvers: Not supported but for None.
        force_position_velocity_actuation: Whether joints with both gains follow both targets.
        override_root_xform: Whether articulations are at `xform`, wherever the stage has them.
        load_static_visual_shapes: Whether what is only drawn and belongs to no body is read.

        return_deformable_results: Whether what is returned has ``path_cable_map``,
            ``path_cloth_map``, ``path_soft_map``, ``path_deformable_visual_map`` and
            ``path_attachment_map``, and ``path_cable_attrs`` and so on: what became of deformable
            bodies, and what their prims state.

    Returns:
        Maps of paths of prims: ``path_body_map``, ``path_joint_map``, ``path_shape_map`` and
        ``path_shape_scale``; and of the stage ``up_axis``, ``linear_unit``, ``mass_unit``, ``fps``,
        ``duration``, ``physics_dt``, ``max_solver_iterations`` and ``scene_attributes``.

    Raises:
        AssetError: The file cannot be read.
        NotSupportedError: usd-core is not installed, or an argument is not supported.
    """
    _refuse(locals())
    with contextlib.suppress(ImportError):
        importlib.import_module("newton_usd_schemas")  # tells OpenUSD that they exist
    if joint_ordering not in _ORDERS:
        raise InvalidArgumentError("joint_ordering", joint_ordering, " or ".join(_ORDERS))
    before = verbose_lines.sizes(self)
    place = Attachment(
        self, xform, Axis.Z, floating, base_joint, parent_body, override=override_root_xform
    )
    if hasattr(source, "GetCompositionErrors"):
        Prims(source).check("source")
    with _file(source, ignore_paths) as (file, search_path, whole):
        stage, _ = open_stage(file, search_path=search_path, limits=DEFAULT_LIMITS)
        soft = None
        if is_after_first_of_1():
            soft = Deformables(self, whole or stage, root_path, ignore_paths or ())
        options = UsdOptions(
            root=root_path,
            visuals=load_visual_shapes,
            decompose=not skip_mesh_approximation,
            sites=True,
            empty=True,
            metric=False,
            plain=is_after_first_of_1(),
            excluded=() if soft is None else tuple(soft.apart),
        )
        assets = load_usd(file, search_path=search_path, options=options)
        prims = Prims(stage)
        _warn_of_units(stage)
        shapes = ShapeAdder(self, 1.0, mesh_maxhullvert)
        fields = JointFields(self, stage)
        adder = StageAdder(self, place, shapes, prims, fields)
        adder.gains = fields.gains(joint_drive_gains_scaling)
        adder.both = force_position_velocity_actuation
        adder.static_visuals = load_static_visual_shapes
        adder.show_colliders, adder.sites = not hide_collision_shapes, load_sites
        adder.breadth_first = joint_ordering == "bfs"
        adder.bodies_follow = bodies_follow_joint_ordering
        if soft is not None:
            soft.place(place.xform, adder.bodies, adder.colliding, prims.configure)
        _add_all(adder, assets, soft, collide=enable_self_collisions)
        if soft is not None:
            _add_later_parts(adder, stage, fields, soft, collide=enable_self_collisions)
        prims.add_mimics(self, _followers(adder, stage), adder.merged, adder.joints)
        add_mujoco_prims(self, stage, adder.joints)
        if not is_after_first_of_1():
            _warn_of_orphans(adder.orphans, articulated=prims.has_articulations())
        attributes = StageAttributes(self, stage, root_path)
        found = _maps(adder) | attributes.scene()
        attributes.read(found, adder.merged, options=parse_mujoco_options)
    if verbose:
        verbose_lines.report(self, before)
    merged = self.collapse_fixed_joints() if collapse_fixed_joints else None
    if soft is not None and return_deformable_results:
        found |= soft.results(merged)
    return found


def _refuse(given: dict[str, Any]) -> None:
    """Refuse arguments that are not supported."""
    for name, works in _SWITCHES.items():
        if given[name] != works:
            raise NotSupportedError(f"add_usd({name}={given[name]!r})", f"{name}={works!r} works")
    if given["return_deformable_results"] and not is_after_first_of_1():
        feature = "add_usd(return_deformable_results=True) before the later releases of 1.x"
        raise NotSupportedError(feature, "--newton-api 1 reads deformable bodies of stages")


def _followers(adder: StageAdder, stage: Any) -> dict[str, int]:
    """Add the equalities that joints state in later releases; the joints that state none."""
    if not is_after_first_of_1():
        return adder.joints
    equalities = Equalities(adder.builder, stage, adder.joints, adder.merged)
    equalities.add()
    return {path: joint for path, joint in adder.joints.items() if path not in equalities}


def _add_all(
    adder: StageAdder, assets: list[Asset], soft: Deformables | None, *, collide: bool
) -> None:
    """Add the assets of a stage, whose shapes collide with one another or do not."""
    for asset in assets:
        first, known = adder.builder.shape_count, len(adder.bodies)
        adder.add(asset)
        if soft is not None:
            soft.hang_on([*adder.bodies][known:])
        if not collide or asset.self_collision is False:
            keep_apart(adder.builder, first)


def _maps(adder: StageAdder) -> dict[str, Any]:
    """What was added, by the paths of prims."""
    return {
        "path_body_map": adder.bodies,
        "path_joint_map": adder.joints,
        "path_shape_map": adder.shape_paths,
        "path_shape_scale": adder.scales(),
        "up_axis": adder.builder.up_axis,
    }


def _add_later_parts(
    adder: StageAdder, stage: Any, fields: JointFields, soft: Deformables, *, collide: bool
) -> None:
    """Add what later releases of 1.x read from the prims themselves."""
    builder, place = adder.builder, adder.place.xform
    still = Attachment(builder, None, Axis.Z, None, None, -1).xform
    fields.set_gravity(still if adder.place.override else place)
    BodyMasses(builder, stage, adder.colliders).write(adder.bodies)
    fields.set_velocities(adder.bodies, place)
    soft.add(collide=collide)
    add_filters(builder, stage, adder.bodies, adder.colliding(), soft)


def _warn_of_orphans(joints: list[str], *, articulated: bool) -> None:
    if not joints:
        return
    found = f"{len(joints)} joints were not included in any articulation"
    if not articulated:
        found = f"No articulation was found but {len(joints)} joints were parsed"
    warnings.warn(
        f"{found}: {', '.join(joints)}. A prim with PhysicsArticulationRootAPI above them makes"
        " them one; without it, finalize(skip_validation_joints=True) makes a model of them",
        stacklevel=3,
    )


def _warn_of_units(stage: Any) -> None:
    """Warn, in later releases of 1.x, that numbers of a stage count as metres and kilograms."""
    from pxr import UsdGeom, UsdPhysics

    length = 1.0  # where a stage says nothing, and not OpenUSD's centimetres
    if UsdGeom.StageHasAuthoredMetersPerUnit(stage):
        length = UsdGeom.GetStageMetersPerUnit(stage)
    units = {
        "linear units are not supported: metersPerUnit": length,
        "mass units are not supported: kilogramsPerUnit": UsdPhysics.GetStageKilogramsPerUnit(
            stage
        ),
    }
    for name, value in units.items():
        if value != 1.0 and is_after_first_of_1():
            warn(f"USD stages with non-unit {name} is {value}, and is not applied")


@contextlib.contextmanager
def _file(source: Any, ignored: list[str] | None) -> Iterator[tuple[str, SearchPath, Any]]:
    """A file with what is read of a source, and the stage that it came of, or None."""
    if not hasattr(source, "Flatten"):
        name = os.path.abspath(os.fspath(source))
        anywhere = SearchPath((os.path.dirname(name),), confined=False)
        if not ignored:
            yield name if os.path.isabs(os.fspath(source)) else os.fspath(source), anywhere, None
            return
        source, _ = open_stage(name, search_path=anywhere, limits=DEFAULT_LIMITS, skip_missing=True)
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "stage.usda")
        (_without(source, ignored) if ignored else source.Flatten()).Export(name)
        yield name, SearchPath((os.getcwd(),), confined=False), source


def _without(source: Any, ignored: list[str]) -> Any:
    """A stage without the prims whose paths begin with one of some patterns, nor their joints."""
    from pxr import Usd, UsdPhysics

    stage = Usd.Stage.Open(source.Flatten())
    found = [
        prim.GetPath()
        for prim in stage.Traverse()
        if any(re.match(pattern, str(prim.GetPath())) for pattern in ignored)
    ]
    for path in found:
        prim = stage.GetPrimAtPath(path)
        if prim:
            prim.SetActive(False)
    for prim in [prim for prim in stage.Traverse() if prim.IsA(UsdPhysics.Joint)]:
        joint = UsdPhysics.Joint(prim)
        bodies = [*joint.GetBody0Rel().GetTargets(), *joint.GetBody1Rel().GetTargets()]
        if not all((body := stage.GetPrimAtPath(path)) and body.IsActive() for path in bodies):
            prim.SetActive(False)
    return stage
