"""Turns an MJCF document into one that MuJoCo can be handed without risk.

MuJoCo's own reader opens any file a document names and builds whatever it asks for. Here included
files are put in place by our own rules first, and of the result only the elements that say
something about bodies, joints, geoms and motors are kept, without any reference to a file and
with numbers within bounds. Mesh files are noted by name for our own reader.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field, replace
from xml.etree import ElementTree

from unibody.core.assets.limits import Limits
from unibody.core.assets.urdf.node import Node
from unibody.core.assets.xml import Element, read_xml
from unibody.errors import AssetError

_MOTORS = ("motor", "position", "velocity", "general", "damper", "intvelocity")

_MOTORS_OF_MODELS = ("muscle", "dcmotor", "cylinder")

# Children that are kept, by the tag of the parent. A tag with no entry keeps no children.
_BODY = ("body", "frame", "joint", "freejoint", "geom", "inertial", "replicate")
_KEPT: dict[str, tuple[str, ...]] = {
    "mujoco": ("compiler", "default", "asset", "worldbody", "contact", "tendon", "actuator"),
    "compiler": ("lengthrange",),
    "default": ("default", "joint", "geom", "mesh", "material", "tendon", *_MOTORS),
    "asset": ("mesh", "material"),
    "worldbody": _BODY,
    "body": _BODY,
    "frame": _BODY,
    "replicate": _BODY,
    "contact": ("exclude",),
    "tendon": ("fixed",),
    "fixed": ("joint",),
    "actuator": _MOTORS,
}
# What only a whole model has: constraints, places, pairs and the options of the solver.
_KEPT_OF_MODELS: dict[str, tuple[str, ...]] = {
    "mujoco": ("equality", "option"),
    "option": ("flag",),
    "default": ("equality", "site", "pair", "body", *_MOTORS_OF_MODELS),
    "equality": ("connect", "weld", "joint", "tendon"),
    "actuator": _MOTORS_OF_MODELS,
    "contact": ("pair",),
    "asset": ("hfield",),
    "tendon": ("spatial",),
    "spatial": ("site", "geom", "pulley"),
    **dict.fromkeys(("worldbody", "body", "frame", "replicate"), ("site",)),
}
# Attributes that name a file, a folder or something that is not kept.
_SITES = ("site", "refsite", "cranksite", "slidersite")  # of actuators
_DROPPED = {"file", "meshdir", "texturedir", "assetdir", "texture", "content_type"}.union(
    {"plugin", "hfield", "user", *_SITES[1:]}
)
_LARGEST = 1e12  # MuJoCo bounds state at 1e10; files in use state damping up to 1e11
LOCKED_RANGE = 1e-9  # rad, m or degrees: what is left to a joint that a file locks
_JOINT_TARGETS = ("joint", "jointinparent")
_TARGETS_OF_MODELS = (*_JOINT_TARGETS, "tendon", "body", "site", "cranksite")
_REFERENCES = (*_JOINT_TARGETS, "body1", "body2")


@dataclass(slots=True)
class CleanDocument:
    """A document for MuJoCo and what was taken out of it.

    Attributes:
        root: The ``<mujoco>`` element.
        meshes: Resolved path of the file of each mesh that has one, by the name of the mesh.
        references: The same files as the document writes them.
        fields: Resolved path of the file of each height field that has one.
    """

    root: ElementTree.Element
    meshes: dict[str, str] = field(default_factory=dict[str, str])
    references: dict[str, str] = field(default_factory=dict[str, str])
    fields: dict[str, str] = field(default_factory=dict[str, str])


def clean_document(root: Node, *, whole: bool = False) -> CleanDocument:
    """Copies what is safe and needed of a ``<mujoco>`` element.

    Args:
        root: The element; files are resolved relative to the file of its context.
        whole: Whether constraints, sites, pairs of geoms and options are needed, too.

    Raises:
        AssetError: Includes that are missing, nested too deeply or too many; a number out of
            bounds; a replication or a mesh file beyond the limits.
    """
    document = CleanDocument(ElementTree.Element("mujoco"))
    kept = dict(_KEPT)
    if whole:
        kept |= {tag: (*_KEPT.get(tag, ()), *more) for tag, more in _KEPT_OF_MODELS.items()}
    return _Cleaner(document, root, kept, whole=whole).run()


class _Cleaner:
    """One pass over a document and the files it includes."""

    def __init__(
        self, document: CleanDocument, root: Node, kept: dict[str, tuple[str, ...]], *, whole: bool
    ) -> None:
        self.document = document
        self.kept, self.whole = kept, whole
        self.source = root
        self.elements = 0
        self.mesh_folder = ""
        self.keep_path = True

    def run(self) -> CleanDocument:
        """Copies the document."""
        expanded = [self.source, *self._included(self.source, ())]
        for node in expanded:
            for compiler in node.children("compiler"):
                self._read_folders(compiler)
        self._copy_children(self.source, self.document.root, "mujoco", (), 1)
        self._drop_unknown_materials()
        self._drop_what_refers_to_nothing()
        self._rename_repeated_joints()
        return self.document

    def _drop_unknown_materials(self) -> None:
        """A material that does not exist changes no physics: the file is read without it."""
        root = self.document.root
        known = {element.get("name") for element in root.iterfind("asset/material")}
        for element in root.iter():
            if element.tag != "material" and element.get("material", "") not in known | {""}:
                del element.attrib["material"]

    def _drop_what_refers_to_nothing(self) -> None:
        """Objects include the file of a hand for its materials, with tendons of its joints."""
        root = self.document.root
        if root.find(".//replicate") is not None:  # whose copies get names of their own
            return
        names = {
            tag: {element.get("name") for element in root.iterfind(f"worldbody//{tag}")}
            for tag in ("joint", "freejoint", "body")
        }
        sites = ["", *(site.get("name") for site in root.iterfind("worldbody//site"))]
        joints = names["joint"] | names["freejoint"]
        bodies = names["body"] | {"world"}
        for group, known in (("tendon", joints), ("actuator", joints), ("contact", bodies)):
            for part in root.iterfind(group):
                for element in list(part):
                    lost = _unknown_names(element, known)
                    if group == "actuator" and self.whole:
                        named = [element.get(key, "") for key in _SITES]
                        lost += [name for name in named if name not in sites]
                    if lost:
                        part.remove(element)
                        self._tell_dropped(element, lost)

    def _tell_dropped(self, element: ElementTree.Element, lost: list[str]) -> None:
        name = element.get("name")
        label = f"<{element.tag}>" if name is None else f"<{element.tag}> {name!r}"
        self.source.warn(f"{label} refers to {', '.join(lost[:3])}, not in the file: left out")

    def _rename_repeated_joints(self) -> None:
        """Only references need a name to be unique, and they mean the first joint that has it."""
        world = self.document.root.find("worldbody")
        joints = [] if world is None else [j for j in world.iter("joint") if j.get("name")]
        names = {joint.attrib["name"] for joint in joints}
        seen: set[str] = set()
        for joint in joints:
            name, number = joint.attrib["name"], 1
            if name in seen:
                while f"{name}_{number}" in names:
                    number += 1
                joint.set("name", f"{name}_{number}")
            seen.add(joint.attrib["name"])
            names.add(joint.attrib["name"])

    def _read_folders(self, compiler: Node) -> None:
        self.mesh_folder = compiler.get("assetdir") or self.mesh_folder
        self.mesh_folder = compiler.get("meshdir") or self.mesh_folder
        self.keep_path = compiler.get("strippath") != "true"

    def _included(self, node: Node, above: tuple[str, ...]) -> list[Node]:
        """The roots of the files that a document includes at its top level, all levels deep."""
        roots: list[Node] = []
        for include in node.children("include"):
            if self.whole and not include.get("file"):
                continue
            inner = self._open(include, above)
            roots += [inner, *self._included(inner, (*above, inner.context.referrer))]
        return roots

    def _open(self, include: Node, above: tuple[str, ...]) -> Node:
        context = include.context
        reference = include.require("file")
        # MuJoCo resolves all names relative to the main file; nearer files are found as well.
        for origin in (self.source.context.referrer, context.referrer):
            found = context.search_path.resolve(reference, referrer=origin, element=include.label())
            if found is not None:
                break
        else:
            raise include.error(f"file {reference!r} not found")
        if found in above or found == self.source.context.referrer:
            raise include.error(f"file {reference!r} includes itself")
        if len(above) >= context.limits.xml_depth // 4:
            raise include.error(f"includes nested deeper than {context.limits.xml_depth // 4}")
        try:
            root = _read_either(found, context.limits)
        except AssetError as error:
            raise include.error(str(error)) from error
        return Node(root, "", replace(context, file=found, referrer=found))

    def _copy_children(
        self, node: Node, target: ElementTree.Element, tag: str, above: tuple[str, ...], copies: int
    ) -> None:
        for child in node.element:
            inner = replace(node, element=child)  # pyright: ignore[reportArgumentType]
            if child.tag == "include":
                if self.whole and not child.get("file"):
                    node.warn("<include> names no file: left out")
                    continue
                opened = self._open(inner, above)
                path = opened.context.referrer
                self._copy_children(opened, target, tag, (*above, path), copies)
            elif child.tag in self.kept.get(tag, ()):
                self._copy(inner, target, above, copies)

    def _copy(
        self, node: Node, target: ElementTree.Element, above: tuple[str, ...], copies: int
    ) -> None:
        tag = node.element.tag
        limits = node.context.limits
        if tag == "replicate":
            copies *= max(1, int(node.number("count", 1.0)))
        self.elements += copies
        if self.elements > limits.xml_elements // 10:
            raise node.error(f"more than {limits.xml_elements // 10} elements after replication")
        if tag in _MOTORS or tag in _MOTORS_OF_MODELS:
            kinds = _TARGETS_OF_MODELS if self.whole else _JOINT_TARGETS
            if target.tag == "actuator" and not any(node.get(name) for name in kinds):
                return
        attributes = {key: text for key, text in node.element.attrib.items() if self._keeps(key)}
        for key, text in attributes.items():
            self._check(node, key, text)
        if tag == "joint" and attributes.get("limited") == "true":
            _open_locked_range(attributes)
        copy = ElementTree.SubElement(target, tag, attributes)
        if tag == "mesh" and target.tag == "asset":
            self._note_mesh(node, copy)
        elif tag == "hfield":
            self._note_field(node, copy)
        self._copy_children(node, copy, tag, above, copies)

    def _keeps(self, key: str) -> bool:
        if self.whole and key in {"hfield", *_SITES}:
            return True
        return key not in _DROPPED and not key.startswith("xmlns")

    def _check(self, node: Node, key: str, text: str) -> None:
        if len(text) > node.context.limits.mesh_bytes // 16 or "\0" in text:
            raise node.error(f"{key} of {len(text)} characters")
        for token in text.split():
            try:
                value = float(token)
            except ValueError:
                continue
            if not math.isfinite(value) and key not in ("name", "class"):
                raise node.error(f"{key}={text[:80]!r} has a number that is not finite")
            if abs(value) > _LARGEST:
                raise node.error(f"{key}={text[:80]!r} has a number beyond {_LARGEST:g}")

    def _note_field(self, node: Node, copy: ElementTree.Element) -> None:
        reference = node.get("file")
        if reference:
            name = node.get("name") or os.path.splitext(os.path.basename(reference))[0]
            copy.set("name", name)
            self.document.fields[name] = self._resolved(node, reference)

    def _note_mesh(self, node: Node, copy: ElementTree.Element) -> None:
        reference = node.get("file")
        if not reference:
            return
        name = node.get("name") or os.path.splitext(os.path.basename(reference))[0]
        copy.set("name", name)
        self.document.meshes[name] = self._resolved(node, reference)
        self.document.references[name] = reference

    def _resolved(self, node: Node, reference: str) -> str:
        plain = reference if self.keep_path else os.path.basename(reference)
        context = node.context
        # included files may say of their own meshes where they are
        for folder in dict.fromkeys((self.mesh_folder, "")):
            for origin in (self.source.context.referrer, context.referrer):
                found = context.search_path.resolve(
                    os.path.join(folder, plain), referrer=origin, element=node.label()
                )
                if found is not None:
                    return found
        raise node.error(f"{node.element.tag} file {reference!r} not found")


def _read_either(file: str, limits: Limits) -> Element:
    """The root of an included file, which is a model or a list of parts."""
    try:
        return read_xml(file, limits, root="mujoco")
    except AssetError as error:
        if "expected a <mujoco>" not in str(error):
            raise
        return read_xml(file, limits, root="mujocoinclude")


def _open_locked_range(attributes: dict[str, str]) -> None:
    """MuJoCo takes no range without an extent: a locked joint gets one that is too small to see."""
    try:
        low, high = (float(token) for token in attributes.get("range", "").split())
    except ValueError:
        return
    if low == high:
        attributes["range"] = f"{low!r} {low + LOCKED_RANGE * max(1.0, abs(low))!r}"


def _unknown_names(element: ElementTree.Element, known: set[str | None]) -> list[str]:
    """Names of joints or bodies that a tendon, a motor or an exclusion says in vain."""
    return sorted(
        value
        for part in (element, *element)
        for key, value in part.items()
        if key in _REFERENCES and value not in known
    )
