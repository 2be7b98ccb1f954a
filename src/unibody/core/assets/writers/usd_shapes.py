"""Shapes of a stage: what is drawn, what collides, and what both are made of."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np

from unibody.core.assets.description import (
    ContactParameters,
    Link,
    Pose,
    Shape,
    ShapeKind,
    SurfaceMaterial,
    Vec3,
)
from unibody.core.assets.mesh.types import TriMesh
from unibody.core.assets.terrain.grids import points_of, triangles_of
from unibody.core.assets.usd.library import pxr
from unibody.core.assets.writers.folder import MeshPart, OutputFolder
from unibody.core.assets.writers.losses import Losses
from unibody.core.assets.writers.usd_looks import Look, LookWriter
from unibody.core.assets.writers.usd_names import Names, apply_schema, place, set_token

_ONE: Vec3 = (1.0, 1.0, 1.0)
_FRICTION = 0.5  # static and dynamic, of shapes whose file states only something else: PhysX's


class ShapeWriter:
    """Writes the shapes of the links of a model.

    Args:
        stage: The stage.
        path: Of the model's prim.
        folder: Where images lie.
        losses: What shapes cannot say is noted there.
    """

    def __init__(self, stage: Any, path: str, folder: OutputFolder, losses: Losses) -> None:
        self.stage = stage
        self.path = path
        self.folder = folder
        self.losses = losses
        self.looks: LookWriter = LookWriter(stage, path, folder)
        self.materials: dict[SurfaceMaterial, Any] = {}

    def write(self, path: str, link: Link) -> None:
        """Write the shapes of a link below its prim."""
        modules = pxr()
        for tag, shapes in (("visuals", link.visuals), ("collisions", link.collisions)):
            if not shapes:
                continue
            scope = modules.UsdGeom.Xform.Define(self.stage, f"{path}/{tag}")
            if tag == "collisions":  # seen by those who ask for guides
                scope.CreatePurposeAttr(modules.UsdGeom.Tokens.guide)
            names = Names()
            for shape in shapes:
                where = f"{tag.removesuffix('s')} of link {link.name!r}"
                for prim, part in self._prims(scope.GetPath(), names, shape, tag):
                    if tag == "visuals":
                        self.looks.bind(prim, self._look(shape, part))
                    else:
                        self._collide(prim, link, shape)
                if tag == "collisions":
                    self._collision_losses(shape, where)
        self._contact_losses(link)

    def _prims(
        self, above: Any, names: Names, shape: Shape, tag: str
    ) -> list[tuple[Any, MeshPart | None]]:
        """The prims that a shape becomes: a mesh has one for each of its groups."""
        plain = tag == "collisions"  # nothing is drawn of it
        wanted = shape.name or shape.kind.value
        if shape.kind is ShapeKind.HEIGHTFIELD and shape.heightfield is not None:
            field = shape.heightfield
            mesh = TriMesh(points_of(field), triangles_of(field))
            return [(self._mesh(f"{above}/{names.free(wanted)}", mesh, shape.pose, _ONE), None)]
        if shape.kind is ShapeKind.MESH and shape.mesh is not None:
            scale = shape.mesh.scale
            found: list[tuple[Any, MeshPart | None]] = []
            for part in self.folder.parts(shape.mesh):
                mesh = TriMesh(part.mesh.vertices, part.mesh.faces) if plain else part.mesh
                path = f"{above}/{names.free(wanted)}"
                found.append((self._mesh(path, mesh, shape.pose, scale), part))
            return found
        return [(self._primitive(f"{above}/{names.free(wanted)}", shape), None)]

    def _primitive(self, path: str, shape: Shape) -> Any:
        geom, kind, size = pxr().UsdGeom, shape.kind, shape.size
        scale = _ONE
        if kind is ShapeKind.BOX:
            form = geom.Cube.Define(self.stage, path)
            form.CreateSizeAttr(1.0)
            x, y, z = size
            scale = (x, y, z)
        elif kind in (ShapeKind.SPHERE, ShapeKind.ELLIPSOID):
            form = geom.Sphere.Define(self.stage, path)
            form.CreateRadiusAttr(float(size[0]) if kind is ShapeKind.SPHERE else 1.0)
            if kind is ShapeKind.ELLIPSOID:
                x, y, z = size
                scale = (x, y, z)
        elif kind is ShapeKind.PLANE:
            form = geom.Plane.Define(self.stage, path)
            form.CreateAxisAttr("Z")
        else:
            form = (geom.Cylinder if kind is ShapeKind.CYLINDER else geom.Capsule).Define(
                self.stage, path
            )
            form.CreateAxisAttr("Z")
            form.CreateRadiusAttr(float(size[0]))
            form.CreateHeightAttr(float(size[1]))
        place(form.GetPrim(), shape.pose, scale)
        self._extend(form)
        return form.GetPrim()

    def _extend(self, form: Any) -> None:
        """State how far a shape reaches, so that others need not find out."""
        modules = pxr()
        box = modules.UsdGeom.Boundable.ComputeExtentFromPlugins(
            form, modules.Usd.TimeCode.Default()
        )
        if box:
            form.CreateExtentAttr(box)

    def _mesh(self, path: str, mesh: TriMesh, pose: Pose, scale: Vec3) -> Any:
        modules = pxr()
        vt, form = modules.Vt, modules.UsdGeom.Mesh.Define(self.stage, path)
        form.CreateSubdivisionSchemeAttr(modules.UsdGeom.Tokens.none)
        form.CreatePointsAttr(vt.Vec3fArray.FromNumpy(_single(mesh.vertices)))
        counts = np.full(len(mesh.faces), 3, dtype=np.int32)
        form.CreateFaceVertexCountsAttr(vt.IntArray.FromNumpy(counts))
        indices = np.ascontiguousarray(mesh.faces, dtype=np.int32).ravel()
        form.CreateFaceVertexIndicesAttr(vt.IntArray.FromNumpy(indices))
        if mesh.normals is not None:
            form.CreateNormalsAttr(vt.Vec3fArray.FromNumpy(_single(mesh.normals)))
            form.SetNormalsInterpolation(modules.UsdGeom.Tokens.vertex)
        if mesh.uv is not None:
            primvars = modules.UsdGeom.PrimvarsAPI(form)
            kind = modules.Sdf.ValueTypeNames.TexCoord2fArray
            coordinates = primvars.CreatePrimvar("st", kind, modules.UsdGeom.Tokens.vertex)
            coordinates.Set(vt.Vec2fArray.FromNumpy(_single(mesh.uv)))
        place(form.GetPrim(), pose, scale)
        self._extend(form)
        return form.GetPrim()

    def _look(self, shape: Shape, part: MeshPart | None) -> Look:
        """The look of a shape, or that of the file of its mesh where it states none itself."""
        look = Look(shape.material, shape.rgba, shape.specular, shape.texture)
        own = None if part is None else part.material
        if own is None or shape.rgba is not None:
            return look
        beside = "" if shape.mesh is None else os.path.dirname(shape.mesh.file)
        texture = os.path.join(beside, own.texture) if own.texture else ""
        return replace(
            look,
            name=look.name or own.name,
            rgba=own.rgba,
            specular=look.specular or own.specular,
            texture=look.texture or (texture if os.path.isfile(texture) else ""),
        )

    def _collide(self, prim: Any, link: Link, shape: Shape) -> None:
        physics = pxr().UsdPhysics
        physics.CollisionAPI.Apply(prim)
        if shape.kind in (ShapeKind.MESH, ShapeKind.HEIGHTFIELD):
            concave = shape.concave or shape.kind is ShapeKind.HEIGHTFIELD
            collision = physics.MeshCollisionAPI.Apply(prim)
            stated = dict(shape.notes).get("approximation", "")
            usual = physics.Tokens.none if concave else physics.Tokens.convexHull
            collision.CreateApproximationAttr(stated or usual)
        surface = shape.surface or _surface_of(link.contact, shape)
        if surface is not None:
            shade = pxr().UsdShade
            shade.MaterialBindingAPI.Apply(prim).Bind(
                self._material(surface), shade.Tokens.weakerThanDescendants, "physics"
            )

    def _material(self, surface: SurfaceMaterial) -> Any:
        if surface not in self.materials:
            modules, scope = pxr(), f"{self.path}/physics_materials"
            modules.UsdGeom.Scope.Define(self.stage, scope)
            path = f"{scope}/material_{len(self.materials)}"
            material = modules.UsdShade.Material.Define(self.stage, path)
            prim = material.GetPrim()
            stated = modules.UsdPhysics.MaterialAPI.Apply(prim)
            stated.CreateStaticFrictionAttr(float(surface.static_friction))
            stated.CreateDynamicFrictionAttr(float(surface.dynamic_friction))
            stated.CreateRestitutionAttr(float(surface.restitution))
            if surface.density:
                stated.CreateDensityAttr(float(surface.density))
            for name, value in (
                ("physxMaterial:frictionCombineMode", surface.friction_combine),
                ("physxMaterial:restitutionCombineMode", surface.restitution_combine),
            ):
                if value:
                    apply_schema(prim, "PhysxMaterialAPI")
                    set_token(prim, name, value)
            self.materials[surface] = material
        return self.materials[surface]

    def _collision_losses(self, shape: Shape, where: str) -> None:
        if (shape.group, shape.mask) not in ((None, None), (1, 1)):
            self.losses.add("groups and masks of collisions are not written", where)
        if shape.margin:
            self.losses.add("USD has no margin of a shape, left out", where)

    def _contact_losses(self, link: Link) -> None:
        where, contact = f"link {link.name!r}", link.contact
        rolls = [contact.rolling_friction, contact.spinning_friction]
        rolls += [part for shape in link.collisions for part in (shape.friction or ())[1:]]
        for what, lost in (
            ("rolling or spinning friction", any(rolls)),
            ("stiffness of contacts", contact.stiffness is not None),
            ("contact_cfm or contact_erp", contact.cfm is not None or contact.erp is not None),
            ("friction anchor", contact.friction_anchor),
            ("scaling of inertia", contact.inertia_scaling is not None),
        ):
            if lost:
                self.losses.add(f"USD has no {what}, left out", where)


def _surface_of(contact: ContactParameters, shape: Shape) -> SurfaceMaterial | None:
    """A material for what a link or a shape says of friction; None: they say nothing."""
    friction = contact.lateral_friction if shape.friction is None else shape.friction[0]
    if friction is None and contact.restitution is None:
        return None
    friction = _FRICTION if friction is None else friction
    return SurfaceMaterial(friction, friction, contact.restitution or 0.0)


def _single(values: Any) -> Any:
    return np.ascontiguousarray(values, dtype=np.float32)
