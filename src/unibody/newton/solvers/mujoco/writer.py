"""A group's first world as a spec of plain MuJoCo."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from unibody.core.engine.plain import spec as plain
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton import poses
from unibody.newton.dialect import in_use, is_after_first_of_1
from unibody.newton.enums import MAXVAL, ActuatorMode, BodyFlags, EqType, JointType
from unibody.newton.exceptions import warn
from unibody.newton.solvers.mujoco import filters as collision_filters
from unibody.newton.solvers.mujoco.attributes import values_of
from unibody.newton.solvers.mujoco.groups import Group
from unibody.newton.solvers.mujoco.shapes import ShapeWriter, wxyz
from unibody.newton.solvers.mujoco.tree import carrying_joints

if TYPE_CHECKING:
    from unibody.newton.solvers.mujoco.filters import Filters

_ASIDE = 1e-3
_KINEMATIC = int(BodyFlags.KINEMATIC)
# MuJoCo wants a mass of all that has a joint; what it weighs is of no account
_LAST_DIGIT = 1e-6  # of numbers in single precision
_NEARLY_NOTHING = {"mass": 1e-9, "inertia": (1e-9, 1e-9, 1e-9), "explicitinertial": True}
_KINDS = {JointType.FREE: "free", JointType.BALL: "ball"}
_SCALE = 10  # where MuJoCo has the weight of a weld's rotation, 1 where nothing is stated
_PIN = 0.05  # half the distance between the points of a hinge that closes a loop [m]
_SCALAR = (JointType.REVOLUTE, JointType.PRISMATIC, JointType.D6)
# attribute of a joint in MuJoCo -> of a model
_DOF_ATTRIBUTES = {
    "margin": "limit_margin",
    "solimp_limit": "solimplimit",
    "solref_friction": "solreffriction",
    "solimp_friction": "solimpfriction",
    "stiffness": "dof_passive_stiffness",
    "damping": "dof_passive_damping",
    "springref": "dof_springref",
    "ref": "dof_ref",
    "actgravcomp": "jnt_actgravcomp",
}


def _balanced(inertia: np.ndarray) -> np.ndarray:
    """An inertia of single precision that MuJoCo takes.

    That of a flat body has a moment that is the sum of the two others, and may miss that by its
    last digit.
    """
    low, middle, high = np.linalg.eigvalsh(inertia)
    lack = high - low - middle
    return inertia + lack * np.eye(3) if 0.0 < lack < _LAST_DIGIT * high else inertia


class Servo:
    """What an actuator follows: a target of a degree of freedom, or a control of the script.

    Attributes:
        dof: The degree of freedom of the model's first world, or the number of the control.
        source: "position", "velocity" or "control".
        first: First degree of freedom of the joint, where a ball joint's axes share an actuator.
        row: Actuator of the model, counted in its world, that states ranges; -1: none.
    """

    def __init__(self, dof: int, source: str, *, first: int = -1) -> None:
        self.dof: int = dof
        self.source: str = source
        self.first: int = dof if first < 0 else first
        self.row: int = dof if source == "control" else -1


class Writer:
    """Writes the first world of a group.

    Args:
        model: The model.
        group: The worlds.
        sites: Whether sites are written.
        visual: Whether shapes that do not collide are.
        general: Whether inertial frames are to be changed later.

    Attributes:
        model: The model.
        spec: The spec.
        bodies: Body of the model -> name in the spec.
        joints: Joint of the model -> names of its joints in the spec, one a degree of freedom
            unless it is a free or ball joint.
        servos: What each actuator follows, in the spec's order.
        equalities: Of each equality constraint in the spec, "eq", "mimic", "follower", "joint" or
            "loop" (a weld in place of a joint), and its number in the model.
    """

    def __init__(
        self, model: Any, group: Group, *, sites: bool, visual: bool, general: bool
    ) -> None:
        self.model: Any = model
        self._group = group
        self._general = general
        self.spec: Any = plain.new_spec()
        self.bodies: dict[int, str] = {-1: "world"}
        self.joints: dict[int, list[str]] = {}
        self.servos: list[Servo] = []
        self.equalities: list[tuple[str, int]] = []
        self._loop_ends: dict[int, Any] = {}  # equality constraint -> the child's anchor
        self._carries = carrying_joints(model)
        self._places: dict[int, Any] = {-1: self.spec.worldbody}
        self._used: set[str] = {"world"}
        names = "type parent child X_p X_c qd_start dof_dim axis articulation armature friction"
        names += " limit_lower limit_upper limit_ke limit_kd target_ke target_kd act_mode"
        names += " effort_limit damping stiffness rest_q"
        self._coordinate = model._coordinate_of_dof.numpy()
        self._joint = {name: getattr(model, f"joint_{name}").numpy() for name in names.split()}
        names = "type body1 body2 anchor torquescale relpose joint1 joint2 polycoef enabled"
        self._equality = {
            name: getattr(model, f"equality_constraint_{name}").numpy() for name in names.split()
        }
        names = "q mass inertia com flags"
        self._body = {name: getattr(model, f"body_{name}").numpy() for name in names.split()}
        found = {to: values_of(model, name) for to, name in _DOF_ATTRIBUTES.items()}
        self._attributes = {to: rows for to, rows in found.items() if rows is not None}
        self.filters: Filters = collision_filters.find(model, group.shapes[0])
        self.shapes: ShapeWriter = ShapeWriter(
            model, self.spec, self.filters, sites=sites, visual=visual
        )
        self._shapes = {int(shape) for shape in group.shapes[0]}

    def write(self) -> None:
        """Write bodies, joints, shapes, actuators and constraints."""
        self._write_shapes(-1)
        for joint in self._tree():
            self._write_link(joint)
        missing = [int(b) for b in self._group.bodies[0] if int(b) not in self.bodies]
        if missing:
            raise InvalidArgumentError(
                "model",
                self.model.body_key[missing[0]],
                "bodies that each have an incoming joint that is part of an articulation, or that"
                " is one to the world; bodies that other joints outside articulations hold have no"
                " place, and the number of bodies in the MuJoCo model does not match",
            )
        self._write_excludes()
        self._write_equalities()
        self._write_loops()
        self._write_mimics()
        self._write_followers()

    def _tree(self) -> list[int]:
        """Joints that carry bodies, parents first, depth first."""
        children: dict[int, list[int]] = {}
        for joint in self._group.joints[0]:
            if self._carries[joint]:
                children.setdefault(int(self._joint["parent"][joint]), []).append(int(joint))
        order: list[int] = []
        waiting = list(reversed(children.get(-1, [])))
        while waiting:
            joint = waiting.pop()
            order.append(joint)
            waiting.extend(reversed(children.get(int(self._joint["child"][joint]), [])))
        return order

    def _unique(self, key: Any, fallback: str) -> str:
        name = base = str(key or fallback).replace("/", "_")
        count = 1
        while name in self._used:
            count += 1
            name = f"{base}_{count}"
        self._used.add(name)
        return name

    def _write_link(self, joint: int) -> None:
        parent, child = int(self._joint["parent"][joint]), int(self._joint["child"][joint])
        kind = JointType(int(self._joint["type"][joint]))
        if kind in {JointType.DISTANCE, JointType.CABLE, JointType.ROD}:
            raise NotSupportedError(
                f"Joint type {kind.name} in SolverMuJoCo",
                "an equality constraint of two bodies, or SolverXPBD, takes its place",
            )
        if child in self.bodies:
            raise InvalidArgumentError(
                "joint_child", child, f"bodies of one joint each: body {child} already exists"
            )
        pose = self._body["q"][child] if kind == JointType.FREE else self._link_pose(joint)
        name = self._unique(self.model.body_key[child], f"body_{child}")
        given: dict[str, Any] = {"name": name, "pos": pose[:3], "quat": wxyz(pose[3:])}
        kept = self._joint["articulation"][joint] >= 0 or self._body["flags"][child] & _KINEMATIC
        given["mocap"] = parent == -1 and kind == JointType.FIXED and bool(kept)
        mass = float(self._body["mass"][child])
        if mass <= 0.0 and kind != JointType.FIXED and self._body["flags"][child] & _KINEMATIC:
            given |= _NEARLY_NOTHING
        elif mass <= 0.0 and is_after_first_of_1():  # else its shapes had MuJoCo's density
            given |= {"mass": 0.0, "inertia": np.zeros(3), "explicitinertial": True}
        if mass > 0.0:
            inertia = _balanced(self._body["inertia"][child].astype(float))
            given["mass"], given["ipos"] = mass, self._body["com"][child].astype(float)
            if self._general:
                # MuJoCo compiles inertial frames that are the body's in a form that holds no
                # other; the true numbers are written into the compiled model
                given["ipos"] = given["ipos"] + _ASIDE
                inertia = inertia + _ASIDE * np.diag(inertia).min() * (1.0 - np.eye(3))
            products = [inertia[0, 1], inertia[0, 2], inertia[1, 2]]
            if any(products):
                given["fullinertia"] = [*np.diag(inertia), *products]
            else:  # MuJoCo keeps the frame of the body, and its faster form of such bodies
                given["inertia"] = np.diag(inertia)
            given["explicitinertial"] = True
        body = self._places[parent].add_body(**given)
        gravcomp = values_of(self.model, "gravcomp")
        if gravcomp is not None:
            body.gravcomp = float(gravcomp[child])
        self.bodies[child], self._places[child] = name, body
        self._write_joint(body, joint, kind)
        self._write_shapes(child)

    def _link_pose(self, joint: int) -> Any:
        X_p = wp.transform(*self._joint["X_p"][joint].tolist())
        X_c = wp.transform(*self._joint["X_c"][joint].tolist())
        return np.array(X_p * wp.transform_inverse(X_c), dtype=float)

    def _write_shapes(self, body: int) -> None:
        for shape in self.model.body_shapes.get(body, ()):
            if shape in self._shapes:
                self.shapes.write(self._places[body], body, shape)

    def _write_joint(self, body: Any, joint: int, kind: JointType) -> None:
        base = self._unique(self.model.joint_key[joint], f"joint_{joint}")
        first = int(self._joint["qd_start"][joint])
        X_c = self._joint["X_c"][joint].astype(float)
        names = self.joints[joint] = []
        if kind == JointType.FREE:
            body.add_joint(name=base, type=plain.JOINTS["free"], limited=False)
            names.append(base)
        elif kind == JointType.BALL:
            added = body.add_joint(
                name=base,
                type=plain.JOINTS["ball"],
                pos=X_c[:3],
                limited=False,
                armature=float(self._joint["armature"][first]),
                frictionloss=float(self._joint["friction"][first]),
            )
            self._write_passive(added, first)
            names.append(base)
            for axis in range(3):
                self._write_servos(base, first + axis, axis, ball=X_c[3:])
        elif kind in _SCALAR:
            linear, angular = (int(v) for v in self._joint["dof_dim"][joint])
            for i in range(linear + angular):
                slide = i < linear
                name = _axis_name(base, i if slide else i - linear, linear, angular, slide)
                self._write_axis(body, name, first + i, X_c, "slide" if slide else "hinge")
                names.append(name)
                self._write_servos(name, first + i, 0)

    def _write_axis(self, body: Any, name: str, dof: int, X_c: Any, kind: str) -> None:
        turn = wp.quat(*X_c[3:].tolist())
        axis = wp.quat_rotate(turn, wp.vec3(*self._joint["axis"][dof].tolist()))
        lower, upper = (float(self._joint[f"limit_{end}"][dof]) for end in ("lower", "upper"))
        limited = not (lower <= -MAXVAL and upper >= MAXVAL)
        if limited and in_use() == "1" and "ref" in self._attributes:
            ref = float(self._attributes["ref"][dof])  # limits count from there
            lower, upper = lower + ref, upper + ref
        effort = float(self._joint["effort_limit"][dof])
        added = body.add_joint(
            name=name,
            type=plain.JOINTS[kind],
            axis=np.array(axis, dtype=float),
            pos=X_c[:3],
            armature=float(self._joint["armature"][dof]),
            frictionloss=float(self._joint["friction"][dof]),
            limited=limited,
            range=(lower, upper),
            actfrclimited=True,
            actfrcrange=(-effort, effort),
        )
        ke, kd = (float(self._joint[f"limit_{gain}"][dof]) for gain in ("ke", "kd"))
        if ke > 0.0:
            added.solref_limit[:2] = (-ke, -kd)
        for to, rows in self._attributes.items():
            present = getattr(added, to)
            value = rows[dof]
            if np.ndim(present):  # polynomials of stiffness and damping have their first here
                present[: np.size(value)] = value
            else:
                setattr(added, to, value.item())
        self._write_passive(added, dof)
        if self._joint["stiffness"][dof] or is_after_first_of_1():
            rest = float(self._joint["rest_q"][self._coordinate[dof]])
            added.springref = rest + float(np.ravel(added.ref)[0])

    def _write_passive(self, added: Any, dof: int) -> None:
        """Stiffness and damping of the joint itself, beside those of attributes."""
        for name in ("stiffness", "damping"):
            own, present = float(self._joint[name][dof]), getattr(added, name)
            if own and np.ndim(present):
                present[0] += own
            elif own:
                setattr(added, name, present + own)

    def _write_servos(self, joint: str, dof: int, axis: int, *, ball: Any = None) -> None:
        """Servos of a degree of freedom.

        Args:
            joint: Name in the spec.
            dof: The degree of freedom.
            axis: Which one of a ball joint.
            ball: Rotation of the child's anchor of a ball joint, (x, y, z, w), else None.
        """
        mode = int(self._joint["act_mode"][dof])
        ke, kd = float(self._joint["target_ke"][dof]), float(self._joint["target_kd"][dof])
        limit = float(self._joint["effort_limit"][dof])
        wanted: list[tuple[str, float, float, float]] = []
        if mode == ActuatorMode.POSITION:
            wanted.append(("position", ke, kd, ke))
        elif mode == ActuatorMode.POSITION_VELOCITY:
            wanted.append(("position", ke, 0.0, ke))
        if mode in {ActuatorMode.VELOCITY, ActuatorMode.POSITION_VELOCITY}:
            wanted.append(("velocity", 0.0, kd, kd))
        for source, position, velocity, target in wanted:
            actuator = plain.add_servo(self.spec, joint, axis, position, velocity, target)
            if ball is not None:  # a ball joint has no range for what acts on it
                actuator.gear[:3] = poses.rotate(ball, np.eye(3)[axis])
                actuator.forcelimited = True
                actuator.forcerange[:] = (-limit, limit)
            self.servos.append(Servo(dof, source, first=dof - axis))

    def _write_excludes(self) -> None:
        for first, second in self.filters.excludes:
            self.spec.add_exclude(bodyname1=self.bodies[first], bodyname2=self.bodies[second])

    def _write_equalities(self) -> None:
        of = self._equality
        for i in (int(row) for row in self._group.equalities[0]):
            kind = EqType(int(of["type"][i]))
            if kind == EqType.TENDON:
                continue  # its tendons are written later
            if kind == EqType.JOINT:
                ends = [self._coupled(i, end) for end in (1, 2)]
            else:
                ends = [self.bodies[int(of[n][i])] for n in ("body1", "body2")]
            self.add_equality(i, kind.name.lower(), *ends)

    def rows_of_equalities(self, kind: EqType) -> list[int]:
        """The equality constraints of a kind in this world."""
        rows = [int(row) for row in self._group.equalities[0]]
        return [row for row in rows if self._equality["type"][row] == kind]

    def add_equality(self, i: int, kind: str, first: str, second: str) -> None:
        """Add an equality constraint of the model.

        Args:
            i: Its number.
            kind: "connect", "weld", "joint" or "tendon".
            first: Name of what it holds.
            second: Name of what it is held to; "": nothing.
        """
        of = self._equality
        active = bool(of["enabled"][i])
        added = plain.add_equality(self.spec, kind, first, second, active=active)
        added.data[:11] = equality_data(of, i, self._body["q"])
        for name, count in (("solref", 2), ("solimp", 5)):
            stated = values_of(self.model, f"eq_{name}")
            if stated is not None:
                getattr(added, name)[:count] = stated[i]
        self.equalities.append(("eq", i))

    def _coupled(self, i: int, end: int) -> str:
        """Name of a joint of one degree of freedom, or of a chosen one of several; "": none."""
        joint = int(self._equality[f"joint{end}"][i])
        chosen = values_of(self.model, f"equality_constraint_joint{end}_dof")
        dof = -1 if chosen is None else int(chosen[i])
        if joint < 0 and dof >= 0:
            raise ValueError(f"equality {i}: endpoint {end} selects DoF {dof} but has no joint")
        if joint < 0:
            return ""
        names = self.joints.get(joint, [])  # none of one that closes a loop
        kind = JointType(int(self._joint["type"][joint]))
        if kind in _SCALAR and dof >= 0:
            number = dof - int(self._joint["qd_start"][joint])
            if not 0 <= number < len(names):
                raise ValueError(
                    f"equality {i}: endpoint {end} selects DoF {dof}, which does not belong to"
                    f" joint {joint}"
                )
            return names[number]
        if kind not in _SCALAR or len(names) != 1:
            raise NotSupportedError(
                f"an equality constraint of the {kind.name} joint {joint}",
                "couplings are between joints of one degree of freedom, or chosen ones of several"
                f" (mujoco:equality_constraint_joint{end}_dof)",
            )
        return names[0]

    def _write_loops(self) -> None:
        """Joints that close a loop: two points that stay together, or what their kinds ask for."""
        for joint in (int(row) for row in self._group.joints[0]):
            if self._carries[joint]:
                continue
            ends = [int(self._joint[n][joint]) for n in ("parent", "child")]
            if is_after_first_of_1():
                self._write_loop_by_kind(joint, *(self.bodies[end] for end in ends))
                continue
            for body, other, frame in ((*ends, "X_p"), (*reversed(ends), "X_c")):
                names = (self.bodies[body], self.bodies[other])
                added = plain.add_equality(self.spec, "connect", *names, active=True)
                added.data[:3] = self._joint[frame][joint][:3]
                self.equalities.append(("joint", joint))

    def _write_loop_by_kind(self, joint: int, parent: str, child: str) -> None:
        """A weld, two points of the axis of a hinge, or the point of a ball joint."""
        anchors = [[self._joint[frame][joint][:3]] for frame in ("X_p", "X_c")]
        kind = JointType(int(self._joint["type"][joint]))
        linear, angular = self._joint["dof_dim"][joint]
        if kind == JointType.FIXED:
            added = plain.add_equality(self.spec, "weld", parent, child, active=True)
            added.data[:11] = 0.0  # the relative pose is the first one
            added.data[:3], added.data[10] = self._joint["X_c"][joint][:3], 1.0
            self.equalities.append(("loop", joint))
            return
        if (linear, angular) == (0, 1):
            axis = self._joint["axis"][int(self._joint["qd_start"][joint])]
            for points, frame in zip(anchors, ("X_p", "X_c"), strict=True):
                aside = _PIN * poses.rotate(self._joint[frame][joint][3:], axis)
                points[:] = [points[0] - aside, points[0] + aside]
        elif (linear, angular) != (0, 3):
            axes = f"{linear} linear and {angular} angular axes"
            warn(f"SolverMuJoCo leaves loop joint {joint} open: {kind.name} with {axes}")
            return
        for mine, other in zip(*anchors, strict=True):
            added = plain.add_equality(self.spec, "connect", parent, child, active=True)
            added.data[:3] = mine
            self._loop_ends[len(self.equalities)] = other
            self.equalities.append(("joint", joint))

    def close_loops(self, compiled: Any) -> None:
        """Hold loops at the children's anchors: MuJoCo takes those of the first poses instead."""
        for row, anchor in self._loop_ends.items():
            compiled.eq_data[row, 3:6] = anchor

    def _write_mimics(self) -> None:
        model = self.model
        joints = [getattr(model, f"constraint_mimic_joint{i}").numpy() for i in (0, 1)]
        coefficients = [getattr(model, f"constraint_mimic_coef{i}").numpy() for i in (0, 1)]
        enabled = model.constraint_mimic_enabled.numpy()
        for i in (int(row) for row in self._group.mimics[0]):
            names = [self.joints.get(int(rows[i]), []) for rows in joints]
            kinds = [JointType(int(self._joint["type"][rows[i]])) for rows in joints]
            if any(kind not in _SCALAR for kind in kinds) or len(names[0]) != len(names[1]):
                raise NotSupportedError(
                    f"mimic constraint {i} of a {kinds[0].name} and a {kinds[1].name} joint",
                    "joints with as many axes as one another follow one another",
                )
            for follower, leader in zip(*names, strict=True):
                added = plain.add_equality(
                    self.spec, "joint", follower, leader, active=bool(enabled[i])
                )
                added.data[:5] = (coefficients[0][i], coefficients[1][i], 0.0, 0.0, 0.0)
                self.equalities.append(("mimic", i))

    def _write_followers(self) -> None:
        """Joints that follow others, axis by axis."""
        leaders = self.model.joint_mimic_joint.numpy()
        coefficients = self.model.joint_mimic_coeffs.numpy()
        for joint in (int(row) for row in self._group.joints[0]):
            if leaders[joint] < 0:
                continue
            names = [self.joints.get(int(j)) for j in (joint, leaders[joint])]
            if names[0] is None or names[1] is None or len(names[0]) != len(names[1]):
                raise NotSupportedError(
                    f"SolverMuJoCo with joint {joint}, which follows joint {leaders[joint]}",
                    "joints of articulations with as many axes as one another follow one another",
                )
            for follower, leader in zip(*names, strict=True):
                added = plain.add_equality(self.spec, "joint", follower, leader, active=True)
                added.data[:5] = (*coefficients[joint].tolist(), 0.0, 0.0, 0.0)
                self.equalities.append(("follower", joint))


def equality_data(of: dict[str, Any], i: int, body_q: Any) -> Any:
    """MuJoCo's numbers of an equality constraint.

    Args:
        of: Columns of the equality constraints.
        i: The constraint.
        body_q: First poses of all bodies, for welds that hold them where they are.
    """
    data = np.zeros(11)
    if of["type"][i] in {EqType.JOINT, EqType.TENDON}:
        data[:5], data[_SCALE] = of["polycoef"][i], 1.0
        return data
    data[:3], data[_SCALE] = of["anchor"][i], 1.0
    if of["type"][i] == EqType.WELD:
        pose = of["relpose"][i]
        if not np.any(pose[3:]):  # no rotation: bodies stay as they are
            first, second = (_pose_of(body_q, int(of[n][i])) for n in ("body1", "body2"))
            pose = np.array(wp.transform_inverse(first) * second)
        data[3:6], data[6:10] = pose[:3], wxyz(pose[3:])
        data[_SCALE] = of["torquescale"][i]
    return data


def _pose_of(body_q: Any, body: int) -> wp.transform:
    return wp.transform(*body_q[body].tolist()) if body >= 0 else wp.transform()


def _axis_name(base: str, number: int, linear: int, angular: int, slide: bool) -> str:
    if linear + angular == 1:
        return base
    name = base + ("_lin" if slide else "_ang")
    return name + str(number) if (linear if slide else angular) > 1 else name
