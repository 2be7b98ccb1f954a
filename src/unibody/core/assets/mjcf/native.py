"""The MJCF reader with MuJoCo's rules: what a file means, through MuJoCo's own compiler.

The document is cleaned first (``clean``) and its meshes are read by our own readers, so
MuJoCo opens no file. Spatial tendons, equalities, sensors and keyframes have no place in an
``Asset``.
"""

from __future__ import annotations

import math
from dataclasses import replace
from importlib import import_module
from typing import Any
from xml.etree import ElementTree

import numpy as np

from unibody.core.assets.description import (
    Asset,
    ContactParameters,
    Inertial,
    Joint,
    JointType,
    Link,
    MeshSource,
    Pose,
    Shape,
    ShapeKind,
    Vec3,
)
from unibody.core.assets.mesh.load import load_mesh
from unibody.core.assets.mjcf.clean import CleanDocument, clean_document
from unibody.core.assets.mjcf.motors import read_actuators, read_tendons
from unibody.core.assets.transforms import (
    IDENTITY,
    pose_inverse,
    pose_multiply,
    quat_conjugate,
    quat_rotate,
)
from unibody.core.assets.urdf.node import Node
from unibody.errors import AssetError

# Geoms of the groups above are hidden in MuJoCo's viewer: shapes for collision only.
_VISIBLE_GROUPS = 2


def read_native(root: Node) -> list[Asset]:
    """Reads a ``<mujoco>`` element as MuJoCo does: one asset for each top-level body.

    A body with one joint in its origin is one link. Other joints are a link without mass each,
    named "body/joint", at the joint's anchor; the body is then fixed to the last one, so that its
    frame is the one of the file. Joint values count from the pose of the file: limits and spring
    references are given relative to ``ref``.

    Args:
        root: The ``<mujoco>`` element.

    Raises:
        AssetError: MuJoCo refuses the model, or it exceeds a limit.
    """
    document = clean_document(root)
    spec = parsed(document, root)
    fill_meshes(spec, document, root)
    try:
        model = spec.compile()
    except ValueError as error:
        raise AssetError(root.context.file, "", f"MuJoCo refuses the model: {error}") from error
    if model.nbody + model.njnt > root.context.limits.links:
        problem = f"{model.nbody} bodies and {model.njnt} joints"
        raise AssetError(
            root.context.file, "", f"{problem}, the limit is {root.context.limits.links}"
        )
    reader = _Reader(model, document, root)
    world = reader.world()
    bodies = [
        reader.asset(body) for body in range(1, model.nbody) if model.body_parentid[body] == 0
    ]
    return [*([] if world is None else [world]), *bodies]


def parsed(document: CleanDocument, root: Node) -> Any:
    """MuJoCo's spec of a document, without the meshes of files."""
    mujoco: Any = import_module("mujoco")
    text = ElementTree.tostring(document.root, encoding="unicode")
    try:
        return mujoco.MjSpec.from_string(text)
    except ValueError as error:
        raise AssetError(root.context.file, "", f"MuJoCo refuses the model: {error}") from error


def fill_meshes(spec: Any, document: CleanDocument, root: Node) -> None:
    """Put the meshes of a document's files into its spec."""
    for name, path in document.meshes.items():
        mesh = spec.mesh(name)
        parts = load_mesh(MeshSource(path, document.references[name]), root.context.limits)
        if not sum(len(part.vertices) for part in parts):
            raise AssetError(path, f"mesh {name!r}", "it has no vertices")
        starts = np.cumsum([0, *(len(part.vertices) for part in parts)])
        faces = [part.faces + start for part, start in zip(parts, starts[:-1], strict=True)]
        mesh.uservert = np.concatenate([part.vertices for part in parts]).ravel()
        if sum(map(len, faces)):
            mesh.userface = np.concatenate(faces).ravel().astype(np.int32)


class _Reader:
    """A compiled model, read body by body."""

    def __init__(self, model: Any, document: CleanDocument, root: Node) -> None:
        self.mujoco: Any = import_module("mujoco")
        self.model = model
        self.document = document
        self.root = root
        self.name = root.get("model") or ""
        self.efforts = self._efforts()
        self.children: dict[int, list[int]] = {}
        for body in range(1, model.nbody):
            self.children.setdefault(int(model.body_parentid[body]), []).append(body)

    def world(self) -> Asset | None:
        """The geoms of the world, None where there are none."""
        link = Link("world", inertial=Inertial(stated=False))
        self._shapes(0, link)
        if not link.collisions and not link.visuals:
            return None
        return Asset("world", [link], fixed_base=True, static=True)

    def asset(self, body: int) -> Asset:
        """A top-level body and all below it."""
        model = self.model
        joints = self._joints_of(body)
        free = self.mujoco.mjtJoint.mjJNT_FREE
        floating = bool(joints) and int(model.jnt_type[joints[0]]) == int(free)
        pose = self._pose(model.body_pos[body], model.body_quat[body])
        links: list[Link] = []
        if floating or not joints:
            links.append(self._body_link(body, Joint(), -1))
        else:
            links.append(Link(f"{self._name('body', body)}/root", inertial=Inertial(stated=False)))
            self._add_body(body, Pose(), 0, links)
        # Depth first with an explicit stack: a chain of bodies may be long.
        stack = [(child, len(links) - 1) for child in reversed(self.children.get(body, []))]
        while stack:
            child, parent = stack.pop()
            placed = self._pose(model.body_pos[child], model.body_quat[child])
            self._add_body(child, placed, parent, links)
            place = len(links) - 1
            stack += [(inner, place) for inner in reversed(self.children.get(child, []))]
        names = {link.joint.name for link in links}
        efforts = {name: limit for name, limit in self.efforts.items() if name in names}
        actuators = [a for a in read_actuators(model, self._name) if a.joint in names]
        bodies = {link.name for link in links}
        excluded = [pair for pair in self._excluded() if bodies.issuperset(pair)]
        tendons = [t for t in read_tendons(model, self._name) if names.issuperset(t.joints)]
        return Asset(
            self.name or links[0].name,
            links,
            pose=pose,
            fixed_base=not floating,
            joint_efforts=efforts,
            actuators=actuators,
            tendons=tendons,
            excluded=excluded,
        )

    def _excluded(self) -> list[tuple[str, str]]:
        """Bodies that do not collide with each other."""
        pairs = [divmod(int(signature), 1 << 16) for signature in self.model.exclude_signature]
        return [(self._name("body", one), self._name("body", other)) for one, other in pairs]

    def _add_body(self, body: int, placed: Pose, parent: int, links: list[Link]) -> None:
        """Adds the links of a body whose frame is at ``placed`` in the parent link."""
        joints = self._joints_of(body)
        simple = len(joints) == 1 and not np.any(self.model.jnt_pos[joints[0]])
        if simple or not joints:
            joint = self._joint(joints[0], placed) if joints else Joint(origin=placed)
            links.append(self._body_link(body, joint, parent))
            return
        here = Pose()  # frame of the last link in the body's frame
        for number in joints:
            anchor = Pose(_vec3(self.model.jnt_pos[number]))
            before = placed if number == joints[0] else pose_inverse(here)
            joint = self._joint(number, pose_multiply(before, anchor))
            name = f"{self._name('body', body)}/{joint.name}"
            links.append(Link(name, parent, joint, Inertial(stated=False)))
            parent, here = len(links) - 1, anchor
        fixed = Joint(f"{self._name('body', body)}/fixed", JointType.FIXED, pose_inverse(here))
        links.append(self._body_link(body, fixed, parent))

    def _body_link(self, body: int, joint: Joint, parent: int) -> Link:
        model = self.model
        link = Link(self._name("body", body), parent, joint)
        xx, yy, zz = _vec3(model.body_inertia[body])
        pose = self._pose(model.body_ipos[body], model.body_iquat[body])
        link.inertial = Inertial(float(model.body_mass[body]), pose, (xx, yy, zz, 0.0, 0.0, 0.0))
        self._shapes(body, link)
        return link

    def _joint(self, number: int, origin: Pose) -> Joint:
        model, kinds = self.model, self.mujoco.mjtJoint
        kind = int(model.jnt_type[number])
        dof, value = int(model.jnt_dofadr[number]), int(model.jnt_qposadr[number])
        limited = bool(model.jnt_limited[number])
        joint = Joint(self._name("joint", number), origin=origin)
        joint.axis = _vec3(model.jnt_axis[number])
        joint.damping = float(model.dof_damping[dof])
        joint.friction = float(model.dof_frictionloss[dof])
        joint.armature = float(model.dof_armature[dof])
        joint.stiffness = float(model.jnt_stiffness[number])
        joint.effort = self._effort(number)
        low, high = (float(bound) for bound in model.jnt_range[number])
        if kind == int(kinds.mjJNT_BALL):
            joint.type = JointType.SPHERICAL
            joint.lower, joint.upper = (0.0, high) if limited else (0.0, -1.0)
            return joint
        zero = float(model.qpos0[value])
        joint.spring_reference = float(model.qpos_spring[value]) - zero
        if kind == int(kinds.mjJNT_SLIDE):
            joint.type = JointType.PRISMATIC
        else:
            joint.type = JointType.REVOLUTE if limited else JointType.CONTINUOUS
        if limited:
            joint.lower, joint.upper = low - zero, high - zero
        return joint

    def _effort(self, number: int) -> float:
        limit = math.inf
        if self.model.jnt_actfrclimited[number]:
            limit = float(np.abs(self.model.jnt_actfrcrange[number]).max())
        limit = min(limit, self.efforts.get(self._name("joint", number), math.inf))
        return limit if math.isfinite(limit) else 0.0

    def _efforts(self) -> dict[str, float]:
        """Largest force of the motors on each joint that has one; infinite: not limited."""
        model, kinds = self.model, self.mujoco
        on_joint = {int(kinds.mjtTrn.mjTRN_JOINT), int(kinds.mjtTrn.mjTRN_JOINTINPARENT)}
        efforts: dict[str, float] = {}
        for motor in range(model.nu):
            if int(model.actuator_trntype[motor]) not in on_joint:
                continue
            gear = abs(float(model.actuator_gear[motor][0]))
            plain = int(model.actuator_biastype[motor]) == int(kinds.mjtBias.mjBIAS_NONE)
            limit = math.inf
            if model.actuator_forcelimited[motor]:
                limit = gear * float(np.abs(model.actuator_forcerange[motor]).max())
            elif model.actuator_ctrllimited[motor] and plain:
                gain = abs(float(model.actuator_gainprm[motor][0]))
                limit = gear * gain * float(np.abs(model.actuator_ctrlrange[motor]).max())
            name = self._name("joint", int(model.actuator_trnid[motor][0]))
            efforts[name] = efforts.get(name, 0.0) + limit
        return efforts

    def _shapes(self, body: int, link: Link) -> None:
        model = self.model
        begin = int(model.body_geomadr[body])
        for geom in range(begin, begin + int(model.body_geomnum[body])):
            shape = self._shape(geom)
            shape.name = self._name("geom", geom)
            material = int(model.geom_matid[geom])
            colour = model.geom_rgba[geom] if material < 0 else model.mat_rgba[material]
            red, green, blue, alpha = (float(value) for value in colour)
            shape.rgba = (red, green, blue, alpha)
            shape.group = int(model.geom_contype[geom])
            shape.mask = int(model.geom_conaffinity[geom])
            slide, spin, roll = (float(value) for value in model.geom_friction[geom])
            shape.friction = (slide, spin, roll)
            if shape.group or shape.mask:
                if not link.collisions:
                    link.contact = ContactParameters(slide, roll, spin)
                link.collisions.append(shape)
            if int(model.geom_group[geom]) <= _VISIBLE_GROUPS:
                link.visuals.append(replace(shape))

    def _shape(self, geom: int) -> Shape:
        model, kinds = self.model, self.mujoco.mjtGeom
        a, b, c = _vec3(model.geom_size[geom])
        pose = self._pose(model.geom_pos[geom], model.geom_quat[geom])
        kind = int(model.geom_type[geom])
        if kind == int(kinds.mjGEOM_MESH):
            return self._mesh(int(model.geom_dataid[geom]), pose)
        forms: dict[int, tuple[ShapeKind, tuple[float, ...]]] = {
            int(kinds.mjGEOM_PLANE): (ShapeKind.PLANE, ()),
            int(kinds.mjGEOM_SPHERE): (ShapeKind.SPHERE, (a,)),
            int(kinds.mjGEOM_CAPSULE): (ShapeKind.CAPSULE, (a, 2 * b)),
            int(kinds.mjGEOM_CYLINDER): (ShapeKind.CYLINDER, (a, 2 * b)),
            int(kinds.mjGEOM_ELLIPSOID): (ShapeKind.ELLIPSOID, (a, b, c)),
            int(kinds.mjGEOM_BOX): (ShapeKind.BOX, (2 * a, 2 * b, 2 * c)),
        }
        if kind not in forms:
            problem = f"type {kinds(kind).name} has no counterpart"
            raise AssetError(self.root.context.file, f"geom {self._name('geom', geom)!r}", problem)
        form, size = forms[kind]
        return Shape(form, size, pose)

    def _mesh(self, mesh: int, pose: Pose) -> Shape:
        model = self.model
        name = self._name("mesh", mesh)
        if name not in self.document.meshes:  # stated by its vertices, or built in
            begin, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
            vertices = tuple(map(_vec3, model.mesh_vert[begin : begin + count]))
            begin, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
            faces = tuple((int(i), int(j), int(k)) for i, j, k in model.mesh_face[begin:][:count])
            source = MeshSource(name=name, vertices=vertices, faces=faces)
            return Shape(ShapeKind.MESH, pose=pose, mesh=source)
        # MuJoCo moves a mesh into its own frame of inertia and the geom with it.
        inertial = self._pose(model.mesh_pos[mesh], model.mesh_quat[mesh])
        placed = pose_multiply(pose, pose_inverse(inertial))
        x, y, z = _vec3(model.mesh_scale[mesh])
        placed = pose_multiply(placed, self._reference(name, (x, y, z)))
        source = MeshSource(
            self.document.meshes[name], self.document.references[name], scale=(x, y, z)
        )
        return Shape(ShapeKind.MESH, pose=placed, mesh=source)

    def _reference(self, name: str, scale: Vec3) -> Pose:
        """Pose of the scaled vertices of a file in the mesh's frame: ``refpos``, ``refquat``."""
        meshes = self.document.root.iterfind("asset/mesh")
        element = next(item for item in meshes if item.get("name") == name)
        pos = [float(value) for value in element.get("refpos", "0 0 0").split()]
        quat = [float(value) for value in element.get("refquat", "1 0 0 0").split()]
        length = math.hypot(*quat) or 1.0
        w, i, j, k = (value / length for value in quat)
        turn = quat_conjugate((w, i, j, k))
        if turn != IDENTITY and len(set(scale)) > 1:
            problem = "refquat together with a scale that differs between axes is not supported"
            raise AssetError(self.root.context.file, f"mesh {name!r}", problem)
        px, py, pz = (-value * factor for value, factor in zip(pos, scale, strict=True))
        return Pose(quat_rotate(turn, (px, py, pz)), turn)

    def _joints_of(self, body: int) -> list[int]:
        begin = int(self.model.body_jntadr[body])
        return list(range(begin, begin + int(self.model.body_jntnum[body])))

    def _name(self, kind: str, number: int) -> str:
        objects = {
            "body": self.mujoco.mjtObj.mjOBJ_BODY,
            "joint": self.mujoco.mjtObj.mjOBJ_JOINT,
            "geom": self.mujoco.mjtObj.mjOBJ_GEOM,
            "mesh": self.mujoco.mjtObj.mjOBJ_MESH,
            "actuator": self.mujoco.mjtObj.mjOBJ_ACTUATOR,
            "tendon": self.mujoco.mjtObj.mjOBJ_TENDON,
        }
        name = self.mujoco.mj_id2name(self.model, objects[kind], number)
        return name or f"{kind}{number}"

    @staticmethod
    def _pose(pos: Any, quat: Any) -> Pose:
        w, x, y, z = (float(value) for value in quat)
        return Pose(_vec3(pos), (w, x, y, z))


def _vec3(values: Any) -> Vec3:
    x, y, z = (float(value) for value in values)
    return (x, y, z)
