"""Robots from SDF files: written as URDF files."""

from __future__ import annotations

import hashlib
import logging
import math
import os
import tempfile
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import SubElement

from unibody.core.assets.xml import read_xml
from unibody.fleet.foundation.private_files import private_folder, write_whole
from unibody.fleet.models.sdf_text import (
    collada_color,
    material_color,
    mesh_scale,
    model_file,
    numbers,
    pose_numbers,
    text_of,
)

logger: logging.Logger = logging.getLogger("pybullet_fleet.sdf_loader")
_ENDLESS = 1e10  # rad: limits farther away are none
_TURN_EPS = 1e-9  # rad
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def write_urdf(sdf_path: str, model_yaw_offset: float, fuel: Callable[[str], str | None]) -> str:
    """Write the first model of an SDF file as a URDF file, and return its path.

    Args:
        sdf_path: The file.
        model_yaw_offset: Turn of the base link's shapes about z [rad].
        fuel: Where an address of Gazebo Fuel leads; None for others.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: There is no model in it.
        AssetError: It is not XML.
    """
    path = os.path.expanduser(sdf_path)
    if not os.path.isfile(path):
        raise FileNotFoundError(f"SDF file not found: {path}")
    model = next(read_xml(path, root="sdf").iter("model"), None)
    if model is None:
        raise ValueError(f"No <model> element found in {path}")
    robot = _Robot(model, os.path.dirname(path), model_yaw_offset, fuel).write()
    name = model.get("name", "unknown")
    handle, made = tempfile.mkstemp(suffix=".urdf", prefix=f"sdf_{_safe(name)}_")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(ElementTree.tostring(robot, encoding="unicode"))
    return made


def _safe(name: str) -> str:
    return "".join(c if c.isalnum() else "_" for c in name)


def _row(values: Any) -> str:
    return " ".join(f"{value:.12g}" for value in values)


class _Robot:
    def __init__(
        self, model: Any, folder: str, turn: float, fuel: Callable[[str], str | None]
    ) -> None:
        self.fuel = fuel
        self.model = model
        self.name = model.get("name", "unknown")
        self.folder = folder
        self.turn = turn
        self.links = {link.get("name", ""): link for link in model.findall("link")}
        self.joints = [j for j in model.findall("joint") if text_of(j.find("child"))]
        self.children = {text_of(j.find("child")) for j in self.joints}

    def write(self) -> Any:
        robot = ElementTree.Element("robot", name=self.name)
        for name, link in self.links.items():
            self._link(SubElement(robot, "link", name=name), name, link)
        for joint in self.joints:
            if text_of(joint.find("parent")):
                self._joint(robot, joint)
        return robot

    # --- links ---------------------------------------------------------------------------------

    def _link(self, out: Any, name: str, link: Any) -> None:
        turn = 0.0
        if name not in self.children:
            turn = self.turn + pose_numbers(link)[5]
        inertial = link.find("inertial")
        if inertial is not None:
            part = SubElement(out, "inertial")
            SubElement(part, "mass", value=text_of(inertial.find("mass")) or "1.0")
            self._origin(part, pose_numbers(inertial), 0.0)
            stated = inertial.find("inertia")
            moments = {
                key: (None if stated is None else text_of(stated.find(key)))
                or ("0" if key[1] != key[2] else "0.01")
                for key in _MOMENTS
            }
            SubElement(part, "inertia", moments)
        for tag in ("visual", "collision"):
            for shape in link.findall(tag):
                self._shape(out, tag, shape, turn)

    @staticmethod
    def _origin(out: Any, pose: list[float], turn: float) -> None:
        x, y, z, roll, pitch, yaw = pose
        if abs(turn) > _TURN_EPS:
            c, s = math.cos(turn), math.sin(turn)
            x, y, yaw = x * c - y * s, x * s + y * c, yaw + turn
        SubElement(out, "origin", xyz=_row((x, y, z)), rpy=_row((roll, pitch, yaw)))

    def _shape(self, out: Any, tag: str, shape: Any, turn: float) -> None:
        geometry = shape.find("geometry")
        if geometry is None:
            return
        made = self._geometry(geometry)
        if made is None:
            return
        content, color = made
        part = SubElement(out, tag)
        self._origin(part, pose_numbers(shape), turn)
        SubElement(part, "geometry").append(content)
        if tag != "visual":
            return
        name = shape.get("name", "visual")
        part.set("name", name)
        is_part = content.tag == "mesh" and color is None
        shown = material_color(shape) or color
        if shown and not (is_part and geometry.find(".//submesh") is not None):
            SubElement(SubElement(part, "material", name=f"{name}_mat"), "color", rgba=shown)

    def _geometry(self, geometry: Any) -> tuple[Any, str | None] | None:
        """The URDF element of a shape, and the colour of its file."""
        size = text_of(geometry.find("box/size"))
        if size:
            return ElementTree.Element("box", size=size), None
        radius = text_of(geometry.find("sphere/radius"))
        if radius:
            return ElementTree.Element("sphere", radius=radius), None
        radius = text_of(geometry.find("cylinder/radius"))
        length = text_of(geometry.find("cylinder/length"))
        if radius and length:
            return ElementTree.Element("cylinder", radius=radius, length=length), None
        mesh = geometry.find("mesh")
        uri = None if mesh is None else text_of(mesh.find("uri"))
        if not uri:
            return None
        file = model_file(uri, self.folder, self.name, self.fuel)
        part = self._submesh(mesh, file)
        color = None
        if part is None and file.lower().endswith(".dae") and os.path.isfile(file):
            color = collada_color(file)
        scale = _row(mesh_scale(mesh))
        return ElementTree.Element("mesh", filename=part or file, scale=scale), color

    @staticmethod
    def _submesh(mesh: Any, file: str) -> str | None:
        name = text_of(mesh.find("submesh/name"))
        if not name or not os.path.isfile(file):
            return None
        centred = (text_of(mesh.find("submesh/center")) or "").lower() in ("true", "1")
        return extract_submesh(file, name, centred)

    # --- joints --------------------------------------------------------------------------------

    def _joint(self, robot: Any, joint: Any) -> None:
        child, parent = text_of(joint.find("child")), text_of(joint.find("parent"))
        limits = [text_of(e) for e in (joint.find(".//lower"), joint.find(".//upper"))]
        kind = joint.get("type", "fixed")
        bounds = [float(value) for value in limits if value is not None]
        if kind == "revolute" and (len(bounds) < 2 or any(abs(b) > _ENDLESS for b in bounds)):
            kind = "continuous"
        out = SubElement(robot, "joint", name=joint.get("name", "joint"), type=kind)
        SubElement(out, "parent", link=str(parent))
        SubElement(out, "child", link=str(child))
        xyz, rpy = self._place(str(child), str(parent))
        SubElement(out, "origin", xyz=_row(xyz), rpy=_row(rpy))
        SubElement(out, "axis", xyz=text_of(joint.find(".//axis/xyz")) or "0 0 1")
        SubElement(out, "dynamics", damping="0.0", friction="0.0")
        if kind in ("revolute", "prismatic"):
            reach = "3.14159" if kind == "revolute" else "1.0"
            lower, upper = limits[0] or f"-{reach}", limits[1] or reach
            SubElement(out, "limit", lower=lower, upper=upper, effort="100", velocity="10")

    def _place(self, child: str, parent: str) -> tuple[list[float], list[float]]:
        own = pose_numbers(self.links.get(child))
        if parent not in self.children:
            return own[:3], own[3:]
        base = pose_numbers(self.links.get(parent))
        dx, dy, dz = (own[i] - base[i] for i in range(3))
        c, s = math.cos(-base[5]), math.sin(-base[5])
        turn = [own[i] - base[i] for i in range(3, 6)]
        return [dx * c - dy * s, dx * s + dy * c, dz], turn


# --- parts of mesh files -------------------------------------------------------------------------


def extract_submesh(file: str, name: str, centred: bool) -> str | None:
    """Write one named part of a mesh file as a file of its own.

    Args:
        file: The file.
        name: Of the part, or the end of it, in any case.
        centred: Move the middle of its bounding box to the origin.

    Returns:
        The new file; None if there is no such part, or the file cannot be read.
    """
    unit = _unit(file)
    stamp = f"{file};{os.path.getmtime(file)};{name};{centred};{unit}"
    key = hashlib.sha256(stamp.encode()).hexdigest()[:16]
    made = os.path.join(private_folder(), f"{_safe(name)}_{key}.obj")
    if os.path.isfile(made):
        return made
    import trimesh

    try:
        mesh = _part(trimesh.load(file, force="scene"), name.strip().lower())
        if mesh is None:
            logger.warning("Submesh '%s' not found in %s", name, file)
            return None
        if unit != 1.0:
            mesh.apply_scale(unit)
        if centred:
            mesh.apply_translation(-mesh.bounding_box.centroid)
        write_whole(made, [mesh.export(file_type="obj")])
    except Exception as problem:  # readers of mesh formats raise anything
        logger.warning("Failed to extract submesh '%s' from %s: %s", name, file, problem)
        return None
    return made


def _part(scene: Any, wanted: str) -> Any:
    placed = [(node, *scene.graph[node]) for node in scene.graph.nodes_geometry]
    for loose in (False, True):
        for node, transform, geometry in placed:
            names = (str(node).lower(), str(geometry).lower())
            if any(wanted in n if loose else n == wanted for n in names):
                mesh = scene.geometry[geometry].copy()
                mesh.apply_transform(transform)
                return mesh
    return None


def _unit(file: str) -> float:
    """Metres in a unit of a Collada file."""
    if not file.lower().endswith(".dae"):
        return 1.0
    unit = read_xml(file, root="COLLADA").find(".//unit")
    return 1.0 if unit is None else numbers(unit.get("meter", "1.0"))[0]
