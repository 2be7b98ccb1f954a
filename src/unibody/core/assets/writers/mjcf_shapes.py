"""Shapes as geoms of MJCF, with meshes, materials and textures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element, SubElement

from unibody.core.assets.description import Link, MeshSource, Pose, Shape, ShapeKind
from unibody.core.assets.transforms import IDENTITY, pose_multiply
from unibody.core.assets.writers.folder import MeshPart, OutputFolder
from unibody.core.assets.writers.losses import Losses
from unibody.core.assets.writers.numbers import text_of
from unibody.core.assets.writers.trees import can_write, unique

# Geoms of groups above 2 are hidden in MuJoCo's viewer, so nothing is drawn twice.
_DRAWN, _HIDDEN = "2", "3"
_FRICTION = (1.0, 0.005, 0.0001)  # MuJoCo's own: sliding, spinning, rolling
_FEWEST = 4  # vertices that MuJoCo takes for a mesh
_EXTENT = "0 0 1"  # of a plane: it has no end
_HERE = Pose()


@dataclass(frozen=True, slots=True)
class GeomPlace:
    """Where the geoms of a link stand.

    Attributes:
        body: The element of a body.
        static: The body never moves.
        pose: Of the link in the body.
    """

    body: Element
    static: bool
    pose: Pose = _HERE


class ShapeWriter:
    """Writes the shapes of links.

    Args:
        assets: The element of meshes, textures and materials.
        folder: Where meshes and images lie.
        losses: What geoms cannot say is noted there.
    """

    def __init__(self, assets: Element, folder: OutputFolder, losses: Losses) -> None:
        self.assets = assets
        self.folder = folder
        self.losses = losses
        self.names: set[str] = set()
        self.taken: set[str] = set()
        self.known: dict[object, str] = {}

    def write(self, place: GeomPlace, link: Link) -> None:
        """Write the geoms of a link."""
        for shape in link.visuals:
            self._shape(place, link, shape, visual=True)
        for shape in link.collisions:
            self._shape(place, link, shape, visual=False)
        self._contact_losses(link)

    def _shape(self, place: GeomPlace, link: Link, shape: Shape, *, visual: bool) -> None:
        where = f"{'visual' if visual else 'collision'} of link {link.name!r}"
        refused = (ShapeKind.HEIGHTFIELD,)
        if not place.static:  # MuJoCo's planes stand still
            refused = (*refused, ShapeKind.PLANE)
        if not can_write(shape, where, self.losses, refused):
            return
        pose = pose_multiply(place.pose, shape.pose) if place.pose != _HERE else shape.pose
        for form, part in self._forms(shape, where, visual=visual):
            geom = SubElement(place.body, "geom", form)
            if shape.name:
                geom.set("name", unique(shape.name, self.names))
            if any(pose.pos):
                geom.set("pos", text_of(pose.pos))
            if pose.quat != IDENTITY:
                geom.set("quat", text_of(pose.quat))
            geom.set("mass", "0")  # the body's inertial says it all
            if visual:
                self._look(geom, shape, part)
            else:
                self._surface(geom, link, shape, where)

    def _forms(
        self, shape: Shape, where: str, *, visual: bool
    ) -> list[tuple[dict[str, str], MeshPart | None]]:
        """Attributes of type and size, of each geom that a shape becomes."""
        size = shape.size
        if shape.kind is ShapeKind.MESH and shape.mesh is not None:
            return self._meshes(shape.mesh, where)
        if shape.kind is ShapeKind.BOX:
            size = tuple(0.5 * side for side in size)
        elif shape.kind in (ShapeKind.CYLINDER, ShapeKind.CAPSULE):
            size = (size[0], 0.5 * size[1])
        text = _EXTENT if shape.kind is ShapeKind.PLANE else text_of(size)
        if shape.kind is not ShapeKind.PLANE and not all(part > 0.0 for part in size):
            self.losses.add("MuJoCo takes no shape without an extent, left out", where)
            return []
        return [({"type": shape.kind.value, "size": text}, None)]

    def _meshes(
        self, source: MeshSource, where: str
    ) -> list[tuple[dict[str, str], MeshPart | None]]:
        """A mesh for each group, as each has a hull and a colour of its own."""
        forms: list[tuple[dict[str, str], MeshPart | None]] = []
        for part in self.folder.parts(source):
            if len(part.mesh.vertices) < _FEWEST or not any(source.scale):
                self.losses.add("MuJoCo takes no mesh of fewer than 4 vertices, left out", where)
                continue
            file = self.folder.write_mesh(source, [replace(part, material=None)], looks=False)
            key = (file, source.scale)
            if key not in self.known:
                self.known[key] = unique(file.rsplit("/")[-1].removesuffix(".obj"), self.taken)
                # As a shell: MuJoCo refuses meshes without a volume, and the mass is the body's.
                mesh = SubElement(self.assets, "mesh", name=self.known[key], file=file)
                mesh.set("inertia", "shell")
                if source.scale != (1.0, 1.0, 1.0):
                    mesh.set("scale", text_of(source.scale))
            forms.append(({"type": "mesh", "mesh": self.known[key]}, part))
        return forms

    def _look(self, geom: Element, shape: Shape, part: MeshPart | None) -> None:
        geom.set("contype", "0")
        geom.set("conaffinity", "0")
        geom.set("group", _DRAWN)
        rgba, texture, name = shape.rgba, shape.texture, shape.material
        specular = shape.specular
        if rgba is None and part is not None and part.material is not None:
            rgba, name = part.material.rgba, name or part.material.name
            texture = texture or part.material.texture
        if not (name or texture or specular):
            if rgba is not None:
                geom.set("rgba", text_of(rgba))
            return
        key = ("material", name, rgba, texture, specular)
        if key not in self.known:
            self.known[key] = unique(name or "material", self.taken)
            material = Element("material", name=self.known[key])
            if rgba is not None:
                material.set("rgba", text_of(rgba))
            if specular is not None:
                material.set("specular", repr(min(max(sum(specular) / 3.0, 0.0), 1.0)))
            if texture:
                material.set("texture", self._texture(texture))
            self.assets.append(material)
        geom.set("material", self.known[key])

    def _texture(self, path: str) -> str:
        key = ("texture", path)
        if key not in self.known:
            file = self.folder.write_image(path)
            self.known[key] = unique(file.rsplit("/")[-1].removesuffix(".png"), self.taken)
            SubElement(self.assets, "texture", type="2d", name=self.known[key], file=file)
        return self.known[key]

    def _surface(self, geom: Element, link: Link, shape: Shape, where: str) -> None:
        geom.set("group", _HIDDEN)
        for key, value in (("contype", shape.group), ("conaffinity", shape.mask)):
            if value is not None:
                # MuJoCo's bits are those of a signed number; -1 stands for all of them.
                geom.set(key, str(value if value >= 0 else value & 0x7FFFFFFF))
        if shape.group is not None or shape.mask is not None:
            self.losses.add("groups: two shapes meet in MuJoCo where one of them wants to", where)
        friction = shape.friction
        if friction is None:
            contact = link.contact
            stated = (
                contact.lateral_friction, contact.spinning_friction, contact.rolling_friction
            )  # fmt: skip
            if all(value is None for value in stated):
                return
            pairs = zip(stated, _FRICTION, strict=True)
            a, b, c = (usual if value is None else value for value, usual in pairs)
            friction = (a, b, c)
        geom.set("friction", text_of(friction))
        if friction[1] > 0.0 or friction[2] > 0.0:
            geom.set("condim", "6" if friction[2] > 0.0 else "4")

    def _contact_losses(self, link: Link) -> None:
        where = f"link {link.name!r}"
        contact = link.contact
        for what, lost in (
            ("restitution", bool(contact.restitution)),
            ("stiffness of contacts", contact.stiffness is not None),
            ("contact_cfm or contact_erp", contact.cfm is not None or contact.erp is not None),
            ("friction anchor", contact.friction_anchor),
            ("scaling of inertia", contact.inertia_scaling is not None),
            ("concave mesh, it collides as its hull", any(s.concave for s in link.collisions)),
            ("margin of a shape", any(shape.margin for shape in link.collisions)),
        ):
            if lost:
                self.losses.add(f"MJCF has no {what}", where)
        surfaces = [shape.surface for shape in link.collisions if shape.surface is not None]
        if any(surface.static_friction != surface.dynamic_friction for surface in surfaces):
            self.losses.add("MJCF has one friction, the sliding one is written", where)
