"""What UsdPhysics finds in a stage, sorted by body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unibody.core.assets.description import Inertial, Pose, Shape, SurfaceMaterial
from unibody.core.assets.usd.joints import UsdJoint, read_joint
from unibody.core.assets.usd.library import pxr
from unibody.core.assets.usd.masses import read_inertial
from unibody.core.assets.usd.merged import merge_joints
from unibody.core.assets.usd.shapes import ShapeReader, read_material
from unibody.core.assets.usd.tendons import TendonAxis, tendon_axes
from unibody.errors import AssetError

if TYPE_CHECKING:
    from unibody.core.assets.limits import Limits
    from unibody.core.assets.usd.units import Units

_MOST_GROUPS = 30  # bits of a mask, one of them for what is in no group


@dataclass(slots=True)
class UsdBody:
    """A rigid body of a stage.

    Attributes:
        path: Of its prim.
        name: That the stage gives it in place of its prim's, "": none.
        pose: Of its frame in the stage's world, in stage units.
        inertial: Its mass, in metres and kilograms.
        fixed: It is kinematic, or switched off: it moves only as it is told.
        visuals: In its frame, in metres.
        collisions: The same.
        notes: Facts that a surface may want, in stage units.
    """

    path: str
    pose: Pose
    inertial: Inertial = field(default_factory=Inertial)
    fixed: bool = False
    visuals: list[Shape] = field(default_factory=list[Shape])
    collisions: list[Shape] = field(default_factory=list[Shape])
    notes: tuple[tuple[str, str], ...] = ()
    name: str = ""


@dataclass(slots=True)
class Articulation:
    """An articulation. It begins at the prim that says so, where that is a body or a joint."""

    path: str
    bodies: set[str]
    self_collision: bool | None


@dataclass(slots=True)
class Contents:
    """Everything of a stage that an Asset has a place for."""

    bodies: dict[str, UsdBody] = field(default_factory=dict[str, UsdBody])
    world: UsdBody = field(default_factory=lambda: UsdBody("", Pose(), fixed=True))
    joints: list[UsdJoint] = field(default_factory=list[UsdJoint])
    articulations: list[Articulation] = field(default_factory=list[Articulation])
    filtered: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    tendon_axes: list[TendonAxis] = field(default_factory=list[TendonAxis])


_SHAPES = ("Cube", "Sphere", "Capsule", "Capsule1", "Cylinder", "Cylinder1", "Cone", "Plane")
_OTHER_SHAPES = ("Mesh", "SpherePoints", "Custom")
_SITES = {"MjcSiteAPI", "NewtonSiteAPI"}
_JOINTS = ("Fixed", "Revolute", "Prismatic", "Spherical", "D6", "Distance", "Custom")
_FACTS = (
    "physics:startsAsleep",
    "physics:velocity",
    "physics:angularVelocity",
    "physxRigidBody:linearDamping",
    "physxRigidBody:angularDamping",
    "physxRigidBody:maxLinearVelocity",
    "physxRigidBody:maxAngularVelocity",
    "physxRigidBody:disableGravity",
)


class StageReader:
    """Reads one composed stage.

    Args:
        stage: The ``Usd.Stage``.
        root: Path of the prim to read; "/" is everything.
        shapes: Reads its shapes, and knows its units and limits.
        with_visuals: Read what is drawn.
        with_sites: Read prims with ``MjcSiteAPI`` or ``NewtonSiteAPI``.
        excluded: Paths of prims that are left out, with all below them.
        renamed: Take the names that Isaac Sim's attributes give bodies and joints.
        plain: Read colliders that are switched off, leave out masses, filters and collision
            groups, and make one joint of several with one axis between the same bodies.
        with_paths: Shapes note the paths of their prims; with sites they always do.
    """

    def __init__(  # noqa: PLR0913 - the parts of a stage that a caller may choose
        self,
        stage: Any,
        root: str,
        shapes: ShapeReader,
        *,
        with_visuals: bool,
        with_sites: bool = False,
        excluded: Sequence[str] = (),
        renamed: bool = False,
        plain: bool = False,
        with_paths: bool = False,
    ) -> None:
        self.stage = stage
        self.root = root
        self.excluded: list[str] = list(excluded)
        self.units: Units = shapes.units
        self.shapes = shapes
        self.limits: Limits = shapes.limits
        self.with_visuals = with_visuals
        self.with_sites = with_sites
        self.with_paths: bool = with_paths or with_sites
        self.renamed = renamed
        self.plain = plain
        self.contents: Contents = Contents()
        self.found: Any = self._parse([root], self.excluded)

    def read(self) -> Contents:
        """Everything."""
        self._read_bodies()
        materials = self._materials()
        groups = {} if self.plain else self._groups()
        parts: dict[str, dict[str, tuple[Pose, list[Shape]]]] = {}
        owners: dict[str, str] = {}
        filters: list[tuple[str, str]] = []
        for kind in (*_SHAPES, *_OTHER_SHAPES):
            for path, desc in self._of(f"{kind}Shape"):
                if not desc.collisionEnabled and not self.plain:
                    continue
                prim = self.stage.GetPrimAtPath(path)
                body = self._owner(prim, str(desc.rigidBody))
                found = self.shapes.collisions(desc, prim, body.pose)
                material = next((str(m) for m in desc.materials if str(m) in materials), None)
                for shape in found:
                    shape.notes += self._path_note(path)
                    shape.notes += () if desc.collisionEnabled else (("off", "1"),)
                    shape.surface = None if material is None else materials[material]
                    group = next((str(g) for g in desc.collisionGroups if str(g) in groups), None)
                    if groups:
                        shape.group, shape.mask = groups[group or ""]
                owners[str(path)] = body.path
                filters += [(str(path), str(other)) for other in desc.filteredCollisions]
                self._add(body.collisions, found, path)
                local = self.units.pose(desc.localPos, desc.localRot, path, "localPos")
                parts.setdefault(body.path, {})[str(path)] = (local, found)
        if not self.plain:
            for path, body in self.contents.bodies.items():
                prim = self.stage.GetPrimAtPath(path)
                body.inertial = read_inertial(prim, parts.get(path, {}), self.units, self.limits)
        if self.with_visuals or self.with_sites:
            self._read_visuals()
        self._read_joints()
        self._read_articulations()
        if self.plain:
            self.contents.filtered.clear()
        else:
            self._filter(filters, owners)
        return self.contents

    def _parse(self, roots: list[str], excluded: list[str]) -> Any:
        physics = pxr().UsdPhysics
        # The function was called so until OpenUSD 26; the names say the same.
        load = getattr(physics, "UsdPhysicsLoadStageFromPrimRange", None)
        parse = load or physics.LoadUsdPhysicsFromRange
        return parse(self.stage, roots, excluded)

    def _of(self, name: str) -> list[tuple[Any, Any]]:
        """Paths and descriptions of one kind of object that are sound."""
        return _sound(self.found, name)

    def _read_bodies(self) -> None:
        bodies = self._of("RigidBody")
        if len(bodies) > self.limits.links:
            problem = f"{len(bodies)} bodies, the limit is {self.limits.links}"
            raise AssetError(self.units.file, "", problem)
        for path, desc in bodies:
            pose = Pose(
                self.units.vector(desc.position, path, "position"),
                self.units.quat(desc.rotation, path, "rotation"),
            )
            prim = self.stage.GetPrimAtPath(path)
            body = UsdBody(str(path), pose, fixed=desc.kinematicBody or not desc.rigidBodyEnabled)
            body.name = self._given_name(prim, "isaac:nameOverride")
            body.notes = (("prim_path", str(path)), *_facts(prim))
            self.contents.bodies[str(path)] = body
            for other in desc.filteredCollisions:
                self.contents.filtered.add((str(path), str(other)))

    def _owner(self, prim: Any, named: str = "") -> UsdBody:
        """The body a prim belongs to: the nearest one above it, or the world."""
        bodies = self.contents.bodies
        if named in bodies:
            return bodies[named]
        while prim and not prim.IsPseudoRoot():
            body = bodies.get(str(prim.GetPath()))
            if body is not None:
                return body
            prim = prim.GetParent()
        return self.contents.world

    def _add(self, shapes: list[Shape], found: list[Shape], path: object) -> None:
        shapes += found
        if len(shapes) > self.limits.shapes:
            problem = f"more than {self.limits.shapes} shapes on one body"
            raise AssetError(self.units.file, str(path), problem)

    def _materials(self) -> dict[str, SurfaceMaterial]:
        """Surfaces by the paths of materials, those that shapes have from elsewhere among them."""
        kinds = [f"{kind}Shape" for kind in (*_SHAPES, *_OTHER_SHAPES)]
        used = {
            str(path) for kind in kinds for _, desc in self._of(kind) for path in desc.materials
        }
        found = self._of("RigidBodyMaterial")
        elsewhere = sorted(used - {str(path) for path, _ in found})
        if elsewhere:
            found += _sound(self._parse(elsewhere, []), "RigidBodyMaterial")
        return {
            str(path): read_material(
                self.stage.GetPrimAtPath(path), desc, self.units, weighs=not self.plain
            )
            for path, desc in found
        }

    def _groups(self) -> dict[str, tuple[int, int]]:
        """Group and mask of each collision group; "" is what is in none.

        Groups that no shape of this reading is in are left out: a stage with many environments
        has one for each.
        """
        kinds = [f"{kind}Shape" for kind in (*_SHAPES, *_OTHER_SHAPES)]
        used = {
            str(path) for kind in kinds for _, d in self._of(kind) for path in d.collisionGroups
        }
        descs = {str(path): d for path, d in self._of("CollisionGroup") if str(path) in used}
        if len(descs) > _MOST_GROUPS:
            problem = f"{len(descs)} collision groups, at most {_MOST_GROUPS} have a bit"
            raise AssetError(self.units.file, "", problem)
        bits = {path: 2 << number for number, path in enumerate(descs)}
        everything = (2 << len(descs)) - 1
        masks = dict.fromkeys(descs, everything)
        all_inverted = bool(descs) and self._filters_are_inverted()
        for path, desc in descs.items():
            named = {str(other) for other in desc.filteredGroups if str(other) in bits}
            group = pxr().UsdPhysics.CollisionGroup(self.stage.GetPrimAtPath(path))
            if group.GetInvertFilteredGroupsAttr().Get():  # meets nothing but those it names
                named = set(descs) - named
                masks[path] &= ~1
            elif all_inverted:
                named = set(descs) - named
            for other in named:
                masks[path] &= ~bits[other]
                masks[other] &= ~bits[path]
        if not descs:
            return {}
        return {"": (1, everything)} | {path: (bits[path], masks[path]) for path in descs}

    def _filters_are_inverted(self) -> bool:
        """Whether groups of the stage meet those they name, and no others."""
        scenes = (prim for prim in self.stage.Traverse() if prim.GetTypeName() == "PhysicsScene")
        stated = (scene.GetAttribute("physxScene:invertCollisionGroupFilter") for scene in scenes)
        return any(attribute and attribute.Get() for attribute in stated)

    def _read_visuals(self) -> None:
        modules = pxr()
        geom = modules.UsdGeom
        drawn = (geom.Tokens.default_, geom.Tokens.render)
        predicate = modules.Usd.TraverseInstanceProxies()
        hidden = self._prototypes() | set(self.excluded)
        for prim in modules.Usd.PrimRange(self.stage.GetPrimAtPath(self.root), predicate):
            if not prim.IsA(geom.Gprim) or _is_below(str(prim.GetPath()), hidden):
                continue
            is_site = self.with_sites and not _SITES.isdisjoint(_schemas(prim))
            if not is_site and not self.with_visuals:
                continue
            imageable = geom.Imageable(prim)
            if imageable.ComputeVisibility() == geom.Tokens.invisible and not is_site:
                continue
            if imageable.ComputePurpose() not in drawn and not is_site:
                continue
            body = self._owner(prim)
            found = self.shapes.visuals(prim, body.pose)
            for shape in found:
                shape.notes += self._path_note(prim.GetPath())
                shape.notes += (("site", "1"),) if is_site else ()
            self._add(body.visuals, found, prim.GetPath())

    def _path_note(self, path: object) -> tuple[tuple[str, str], ...]:
        return (("prim_path", str(path)),) if self.with_paths else ()

    def _prototypes(self) -> set[str]:
        """Paths of what stands in the stage only to be multiplied by point instancers."""
        geom = pxr().UsdGeom
        return {
            str(target)
            for prim in self.stage.Traverse()
            if prim.IsA(geom.PointInstancer)
            for target in geom.PointInstancer(prim).GetPrototypesRel().GetTargets()
        }

    def _read_joints(self) -> None:
        for kind in _JOINTS:
            for path, desc in self._of(f"{kind}Joint"):
                if desc.jointEnabled:
                    prim = self.stage.GetPrimAtPath(path)
                    self.contents.joints.append(read_joint(desc, prim, self.units))
                    axes = tendon_axes(prim, _schemas(prim), self.units)
                    self.contents.tendon_axes += axes
        self._rename_joints()
        if self.plain:
            self.contents.joints = merge_joints(self.contents.joints)
        order = {path: number for number, path in enumerate(self.contents.bodies)}
        self.contents.joints.sort(key=lambda joint: order.get(joint.second, len(order)))

    def _given_name(self, prim: Any, attribute: str) -> str:
        """A name that a prim has instead of its own, which may have fewer kinds of letters."""
        found = prim.GetAttribute(attribute) if self.renamed else None
        return str((found.Get() if found else None) or "")

    def _rename_joints(self) -> None:
        """Give joints, and what mimics them, their names in place of those of their prims."""
        names: dict[str, str] = {}
        for joint in self.contents.joints:
            prim = self.stage.GetPrimAtPath(joint.path)
            given = self._given_name(prim, "isaac:NameOverride")
            if given:
                names[joint.name], joint.name = given, given
        for joint in self.contents.joints:
            for mimic in (freedom.joint.mimic for freedom in joint.freedoms):
                if mimic is not None:
                    mimic.joint = names.get(mimic.joint, mimic.joint)

    def _read_articulations(self) -> None:
        for path, desc in self._of("Articulation"):
            prim = self.stage.GetPrimAtPath(path)
            own = prim.GetAttribute("physxArticulation:enabledSelfCollisions")
            value = own.Get() if own else None
            self.contents.articulations.append(
                Articulation(
                    str(path),
                    self._articulated(str(path), desc),
                    None if value is None else bool(value),
                )
            )

    def _articulated(self, root: str, desc: Any) -> set[str]:
        """Bodies of an articulation.

        OpenUSD names none where a joint holds one to the world, and none without a joint.
        """
        found = {str(body) for body in desc.articulatedBodies if not body.isEmpty}
        if not found:
            paths = {str(path) for path in desc.articulatedJoints}
            own = [joint for joint in self.contents.joints if joint.path in paths]
            found = {path for joint in own for path in (joint.first, joint.second) if path}
        return found or ({root} & self.contents.bodies.keys())

    def _filter(self, filters: list[tuple[str, str]], owners: dict[str, str]) -> None:
        """Shapes that do not collide: a description has a place for whole bodies."""
        for first, second in filters:
            pair = owners.get(first, first), owners.get(second, second)
            if all(path in self.contents.bodies for path in pair) and pair[0] != pair[1]:
                self.contents.filtered.add(pair)


def _sound(parsed: Any, name: str) -> list[tuple[Any, Any]]:
    """Paths and descriptions of one kind of object that are sound."""
    kind = getattr(pxr().UsdPhysics.ObjectType, name, None)
    if kind is None or kind not in parsed:
        return []
    return [(path, desc) for path, desc in zip(*parsed[kind], strict=True) if desc.isValid]


def _schemas(prim: Any) -> list[str]:
    """The schemas that a prim applies, those that no plugin defines included."""
    own = prim.GetPrimInPrototype() if prim.IsInstanceProxy() else prim
    stated = own.GetMetadata("apiSchemas")
    return [] if stated is None else list(stated.GetAddedOrExplicitItems())


def _facts(prim: Any) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for name in _FACTS:
        attribute = prim.GetAttribute(name)
        if attribute and attribute.HasAuthoredValue():
            found.append((name, str(attribute.Get())))
    return tuple(found)


def _is_below(path: str, roots: set[str]) -> bool:
    return any(path == root or path.startswith(root + "/") for root in roots)
