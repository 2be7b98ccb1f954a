"""Geoms and sites of MJCF files as shapes of a builder."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import warp as wp

from unibody.core.assets.mjcf.model import MjcfModel
from unibody.newton import inertia
from unibody.newton.dialect import in_use, is_after_first_of_1
from unibody.newton.enums import GeoType
from unibody.newton.exceptions import warn
from unibody.newton.importers import mjcf_leniency as leniency
from unibody.newton.importers.mjcf_fields import Fields
from unibody.newton.importers.mjcf_meshes import FlatMeshes, authored
from unibody.newton.importers.mjcf_options import MjcfOptions, matches, pose_of, stiffness_of
from unibody.newton.importers.mjcf_textures import Textures
from unibody.newton.importers.shapes import config_of
from unibody.newton.mesh import Mesh

_PLANE, _HFIELD, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = range(8)
_KINDS = {  # kind, and how many of MuJoCo's sizes it has
    _PLANE: (GeoType.PLANE, 2),
    _SPHERE: (GeoType.SPHERE, 1),
    _CAPSULE: (GeoType.CAPSULE, 2),
    _ELLIPSOID: (GeoType.ELLIPSOID, 3),
    _CYLINDER: (GeoType.CYLINDER, 2),
    _BOX: (GeoType.BOX, 3),
    _MESH: (GeoType.MESH, 0),
}
_SITES = {kind: _KINDS[kind][0] for kind in (_SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX)}
_ATTRIBUTES = {
    "condim": "geom_condim",
    "geom_priority": "geom_priority",
    "geom_solimp": "geom_solimp",
    "geom_solmix": "geom_solmix",
    "geom_gap": "geom_gap",
    "geom_group": "geom_group",
}
_GREY = (0.5, 0.5, 0.5, 1.0)  # what MuJoCo paints geoms whose file states no colour
_NEVER = 0  # compiler.inertiafromgeom: masses are stated
_WATER = 1000.0  # MuJoCo's density of geoms that state none [kg/m^3]
_LOGGER = logging.getLogger("newton")
_SMALLEST = 1e-12  # volume that no mass is spread over [m^3]


class BodyShapes:
    """Adds the geoms and sites of bodies.

    Attributes:
        by_name: "geom" and "site" -> name in the file -> shape.
        by_number: MuJoCo's geom -> shape.
        fields: The file's height fields.
        flat_meshes: The file's meshes without volume.
        textures: The file's textures.
    """

    fields: Fields
    flat_meshes: FlatMeshes
    textures: Textures

    def __init__(self, builder: Any, found: MjcfModel, options: MjcfOptions) -> None:
        self._builder, self._found, self._options = builder, found, options
        self._model = found.model
        self._meshes: dict[int, Mesh] = {}
        meshes = found.document.iterfind("asset/mesh")
        self._inline = {mesh.get("name") for mesh in meshes if mesh.get("vertex")}
        self.by_number: dict[int, int] = {}
        self.by_name: dict[str, dict[str, int]] = {"geom": {}, "site": {}}

    def add(self, number: int, body: int, label: str, frame: Any) -> None:
        """Add the shapes of a body.

        Args:
            number: MuJoCo's body.
            body: The builder's, or -1 for the world.
            label: In front of names.
            frame: Pose of MuJoCo's body in the builder's; None: the same.
        """
        model, options = self._model, self._options
        first, count = int(model.body_geomadr[number]), int(model.body_geomnum[number])
        visuals, colliders = self._parted(range(first, first + count))
        if options.parse_visuals_as_colliders:
            colliders = visuals
        elif options.parse_visuals:
            for geom in visuals:
                self._add_geom(
                    geom,
                    number,
                    body,
                    label,
                    frame,
                    collides=False,
                    visible=not options.hide_visuals,
                )
        seen = bool(visuals) and options.parse_visuals
        shown = options.force_show_colliders or options.parse_visuals_as_colliders or not seen
        for geom in colliders:
            self._add_geom(geom, number, body, label, frame, collides=True, visible=shown)
        if options.parse_sites:
            self._add_sites(number, body, label, frame)

    def _parted(self, geoms: Any) -> tuple[list[int], list[int]]:
        options, model = self._options, self._model
        paired = {*model.pair_geom1.tolist(), *model.pair_geom2.tolist()}
        visuals: list[int] = []
        colliders: list[int] = []
        for geom in geoms:
            cls = self._found.class_of("geom", geom)
            if options.ignores(self._found.name_of("geom", geom), cls):
                continue
            is_visual = bool(cls) and matches(options.visual_classes, cls)
            is_collider = bool(cls) and matches(options.collider_classes, cls)
            if not is_visual and not is_collider:
                collides = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
                collides |= is_after_first_of_1() and geom in paired
                is_collider = options.no_class_as_colliders and collides
                is_visual = not is_collider
            visuals += [geom] * is_visual
            colliders += [geom] * is_collider
        return visuals, colliders

    def _add_geom(
        self,
        geom: int,
        number: int,
        body: int,
        label: str,
        frame: Any,
        *,
        collides: bool,
        visible: bool,
    ) -> None:
        model, builder = self._model, self._builder
        kind = int(model.geom_type[geom])
        if kind == _MESH and not self._options.parse_meshes:
            return
        if kind == _HFIELD:
            self._add_field(geom, number, body, label, frame, collides=collides, visible=visible)
            return
        if kind not in _KINDS:
            return
        pose = self._pose(geom)
        shape, sizes = _KINDS[kind]
        scale = [float(v) * self._options.scale for v in model.geom_size[geom]]
        scale = [v if i < sizes else 0.0 for i, v in enumerate(scale)] if sizes else [1.0] * 3
        if kind == _PLANE and is_after_first_of_1():
            scale = [0.0] * 3  # the sizes of MuJoCo's planes are for drawing: they are endless
        source = self._mesh(int(model.geom_dataid[geom])) if kind == _MESH else None
        config = self._config(geom, collides=collides, visible=visible)
        if kind == _MESH and is_after_first_of_1() and self._is_flat(geom):
            name = self._found.name_of("geom", geom) or geom
            _LOGGER.warning("Mesh of geom %r has no volume and adds no mass", name)
            config.density = 0.0
        mass = self._found.geom_mass(geom)
        weighs = self._weighs(collides=collides) and self._is_counted(geom)
        weighs = weighs and not (kind == _MESH and is_after_first_of_1() and self._is_flat(geom))
        if mass is not None and weighs and kind != _PLANE:
            is_solid, wall = True, 0.0
            if is_after_first_of_1():
                is_solid, wall = config.is_solid, config.thickness
            solid = inertia.shape(shape, tuple(scale), source, 1.0, is_solid, wall)
            config.density = mass / solid.mass if solid.mass > _SMALLEST else 0.0
        added = builder.add_shape(
            body,
            shape,
            pose if frame is None else frame * pose,
            config,
            tuple(scale),
            source,
            key=f"{label}/{self._name(geom, number, collides=collides)}",
            custom_attributes=self._attributes(geom),
        )
        self.by_number[geom] = added
        self._paint(geom, added)
        if self._found.name_of("geom", geom):
            self.by_name["geom"][self._found.name_of("geom", geom)] = added

    def _paint(self, geom: int, shape: int) -> None:
        """Give a shape the colour that the file states for it, or for its material."""
        if not is_after_first_of_1():
            return
        model = self._model
        rgba, material = model.geom_rgba[geom], int(model.geom_matid[geom])
        if material >= 0 and np.allclose(rgba, _GREY):
            rgba = model.mat_rgba[material].astype(float)
            rgba[:3] *= self.textures.tint(str(model.material(material).name))
        elif np.allclose(rgba, _GREY):
            return
        opacity = float(rgba[3])
        if not 0.0 <= opacity <= 1.0:
            name = self._found.name_of("geom", geom) or geom
            warn(f"Clamping opacity {opacity:g} of geom {name!r} to a number from 0 to 1")
        self._builder.shape_color[shape] = tuple(float(v) for v in rgba[:3])
        self._builder.shape_opacity[shape] = min(max(opacity, 0.0), 1.0)

    def _add_field(
        self,
        geom: int,
        number: int,
        body: int,
        label: str,
        frame: Any,
        *,
        collides: bool,
        visible: bool,
    ) -> None:
        name = self._found.spec.hfields[int(self._model.geom_dataid[geom])].name
        pose = self._pose(geom)
        self.by_number[geom] = self._builder.add_shape(
            body,
            GeoType.HFIELD,
            pose if frame is None else frame * pose,
            self._config(geom, collides=collides, visible=visible),
            None,
            self.fields.source(name),
            is_static=True,
            key=f"{label}/{self._name(geom, number, collides=collides)}",
            custom_attributes=self._attributes(geom),
        )

    def _name(self, geom: int, number: int, *, collides: bool) -> str:
        name = self._found.name_of("geom", geom)
        if name:
            return name
        body = self._found.name_of("body", number) if number else "world"
        own = geom - int(self._model.body_geomadr[number])
        return f"{body}_geom_{own}{'' if collides else '_visual'}"

    def _config(self, geom: int, *, collides: bool, visible: bool) -> Any:
        model, default = self._model, self._builder.default_shape_cfg
        stated = self._found.geom_density(geom)
        density = default.density if stated is None else stated
        config = config_of(
            self._builder,
            collides=collides,
            visible=visible,
            density=density if self._weighs(collides=collides) and self._is_counted(geom) else 0.0,
        )
        if collides and not (model.geom_contype[geom] or model.geom_conaffinity[geom]):
            config.collision_group = 0
        names = ("mu", "torsional_friction", "rolling_friction")
        stated = leniency.is_stated(model.geom_friction[geom], leniency.FRICTION)
        for name, value, given in zip(names, model.geom_friction[geom], stated, strict=True):
            if given:
                setattr(config, name, float(value))
        if leniency.is_stated(model.geom_solref[geom], leniency.SOLREF).any():
            config.ke, config.kd = stiffness_of(model.geom_solref[geom])
        margin, gap = float(model.geom_margin[geom]), float(model.geom_gap[geom])
        if in_use() == "1" and gap:
            config.gap = gap * self._options.scale
            margin = max(margin - gap, 0.0) if self._options.legacy_margin_gap else margin
        if margin:
            config.thickness = margin * self._options.scale
        return config

    def _weighs(self, *, collides: bool) -> bool:
        """Whether a geom adds to the mass of its body: in 1.x those that are only seen do, too."""
        return collides or in_use() == "1"

    def _is_flat(self, geom: int) -> bool:
        mesh = self._found.spec.meshes[int(self._model.geom_dataid[geom])]
        return self.flat_meshes.get(mesh.name) is not None

    def are_weighed_by_mujoco(self, number: int) -> bool:
        """Whether the mass of a body is that which MuJoCo gives it, by its geoms.

        That is so where meshes have MuJoCo's ways to be weighed, or geoms are no shapes; and where
        it weighs as the builder does.
        """
        model, options, default = self._model, self._options, self._builder.default_shape_cfg
        first, count = int(model.body_geomadr[number]), int(model.body_geomnum[number])
        geoms = range(first, first + count)
        kinds = [int(model.geom_type[geom]) for geom in geoms]
        if not is_after_first_of_1() or options.scale != 1.0 or not default.is_solid:
            return False
        visuals, colliders = self._parted(geoms)
        meshes = [g for g, kind in zip(geoms, kinds, strict=True) if kind == _MESH]
        if len(visuals) + len(colliders) < count or (meshes and not options.parse_meshes):
            return False
        if any(kind not in _KINDS for kind in kinds) or any(map(self._is_flat, meshes)):
            return False
        stated = (self._found.geom_mass(g) or self._found.geom_density(g) for g in geoms)
        if default.density != _WATER and not all(stated):
            return False
        return bool(meshes) or not all(geom in self.by_number for geom in geoms)

    def _is_counted(self, geom: int) -> bool:
        """Whether a geom is of the groups whose masses the file counts."""
        if is_after_first_of_1() and int(self._found.spec.compiler.inertiafromgeom) == _NEVER:
            return False
        low, high = (int(v) for v in self._found.spec.compiler.inertiagrouprange)
        return not is_after_first_of_1() or low <= int(self._model.geom_group[geom]) <= high

    def _mesh(self, number: int) -> Mesh:
        """A mesh in the frame of its file; MuJoCo has moved it to its principal axes."""
        if number not in self._meshes:
            model = self._model
            first, count = int(model.mesh_vertadr[number]), int(model.mesh_vertnum[number])
            face, faces = int(model.mesh_faceadr[number]), int(model.mesh_facenum[number])
            points = model.mesh_vert[first : first + count].astype(float)
            w, x, y, z = (float(v) for v in model.mesh_quat[number])
            turn = np.array(wp.quat_to_matrix(wp.quat(x, y, z, w))).reshape(3, 3)
            points = points @ turn.T + model.mesh_pos[number]
            corners = model.mesh_face[face : face + faces]
            mesh = self._found.spec.meshes[number]
            stated = int(mesh.maxhullvert)
            flat = self.flat_meshes.get(mesh.name)
            normals = texcoords = None
            if flat is not None:
                points, corners = flat
            elif is_after_first_of_1() and mesh.name in self._inline:
                points, corners, normals, texcoords = authored(mesh)
            self._meshes[number] = Mesh(
                points * self._options.scale,
                corners,
                normals,
                texcoords,
                maxhullvert=stated if stated > 0 else self._options.mesh_maxhullvert,
            )
        return self._meshes[number]

    def _pose(self, geom: int) -> wp.transform:
        model = self._model
        pose = pose_of(model.geom_pos[geom] * self._options.scale, model.geom_quat[geom])
        number = int(model.geom_dataid[geom])
        if int(model.geom_type[geom]) == _MESH and number >= 0:
            own = pose_of(model.mesh_pos[number] * self._options.scale, model.mesh_quat[number])
            pose = pose * wp.transform_inverse(own)
        return pose

    def _attributes(self, geom: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, field in _ATTRIBUTES.items():
            attribute = self._builder.custom_attributes.get(f"mujoco:{name}")
            if attribute is not None:
                value = getattr(self._model, field)[geom]
                found[attribute.key] = attribute.dtype(*value) if np.ndim(value) else value.item()
        return found

    def _add_sites(self, number: int, body: int, label: str, frame: Any) -> None:
        model, scale = self._model, self._options.scale
        for place, site in enumerate(np.flatnonzero(model.site_bodyid == number)):
            pose = pose_of(model.site_pos[site] * scale, model.site_quat[site])
            size = model.site_size[site] * scale
            name = self._found.name_of("site", int(site))
            unnamed = f"{self._found.name_of('body', number) if number else 'world'}_site_{place}"
            added = self._builder.add_site(
                body,
                xform=pose if frame is None else frame * pose,
                type=_SITES.get(int(model.site_type[site]), GeoType.SPHERE),
                scale=tuple(float(v) for v in size),
                key=f"{label}/{name or unnamed}",
            )
            if name:
                self.by_name["site"][name] = added
