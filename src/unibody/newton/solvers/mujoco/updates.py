"""What scripts change in a model, taken over into its plain model."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.engine.plain.worlds import PlainWorlds
from unibody.newton import poses
from unibody.newton.dialect import in_use, is_after_first_of_1
from unibody.newton.enums import MAXVAL, ActuatorMode, GeoType, JointType
from unibody.newton.solvers.flags import ModelFlags
from unibody.newton.solvers.held import kinematic_bodies, kinematic_dofs
from unibody.newton.solvers.mujoco.attributes import values_of
from unibody.newton.solvers.mujoco.maps import Maps
from unibody.newton.solvers.mujoco.meshes import are_meshes
from unibody.newton.solvers.mujoco.shapes import field_offset, sizes, solref
from unibody.newton.solvers.mujoco.tendons import UPDATED
from unibody.newton.solvers.mujoco.tree import carrying_joints
from unibody.newton.solvers.mujoco.writer import equality_data

_ROUNDING = 1e-6  # of poses in single precision
_HOLDING = 1e10  # armature, as the original has it: what no force moves
_WORLD_OPTIONS = (
    "impratio",
    "tolerance",
    "ls_tolerance",
    "ccd_tolerance",
    "density",
    "viscosity",
    "wind",
    "magnetic",
)
_ON_JOINT, _ON_TENDON = 0, 3  # what MuJoCo's actuators act on
_CONTROL = 2  # of Maps.source


class Updates:
    """Writes a model's numbers into the worlds of a group.

    Args:
        model: The model.
        worlds: The group's worlds.
        maps: Where all is.
        numbers: The worlds' numbers in the model; -1: all in one.
        fixed_options: Options that the solver was given, which hold for all worlds.
    """

    def __init__(
        self, model: Any, worlds: PlainWorlds, maps: Maps, numbers: Any, fixed_options: set[str]
    ) -> None:
        self._model, self._worlds, self._maps = model, worlds, maps
        self._numbers = np.maximum(numbers, 0)
        self._fixed = fixed_options
        self._armature = model.joint_armature.numpy()
        self._first_scale: Any = model.shape_scale.numpy().copy() if model.shape_count else None
        self._rest = model.joint_rest_q.numpy().copy()  # that springs of joints have now
        self.holds = bool(kinematic_bodies(model).any())

    def _set(self, name: str, entity: Any, values: Any, where: Any = None) -> bool:
        """Write rows of entities, (K, n, ...), where there are some."""
        present = self._worlds.read(name)
        if present.size == 0:
            return False
        chosen = entity >= 0 if where is None else (entity >= 0) & where
        rows = np.asarray(values)[np.maximum(entity, 0)]
        mask = chosen.reshape(*chosen.shape, *(1,) * (present.ndim - chosen.ndim))
        wanted = np.where(mask, rows.reshape((*chosen.shape, *rows.shape[2:])), present)
        return self._worlds.write(name, wanted)

    def _attribute(self, name: str, entity: Any, attribute: str) -> bool:
        values = values_of(self._model, attribute)
        return values is not None and self._set(name, entity, values)

    def moves_inertial_frames(self) -> bool:
        """Whether a body is to get another centre of mass, or other principal axes."""
        body, model = self._maps.body, self._model
        rows = np.maximum(body, 0)
        heavy = (body >= 0) & (model.body_mass.numpy()[rows] > 0.0)
        moved = np.abs(model.body_com.numpy()[rows] - self._worlds.read("body_ipos"))
        if (moved.max(axis=-1)[heavy] > 1e-7).any():
            return True
        return bool(self._turned()[1][heavy].any())

    def _turned(self) -> tuple[Any, Any]:
        """Inertias in the present inertial frames, and which are not along their axes."""
        rows = np.maximum(self._maps.body, 0)
        frames = _matrices(self._worlds.read("body_iquat"))
        wanted = self._model.body_inertia.numpy()[rows].astype(float)
        turned = np.einsum("...ji,...jk,...kl->...il", frames, wanted, frames)
        # what was written in float32 comes back with its rounding
        scale = 1e-5 * np.abs(wanted).max(axis=(-2, -1), keepdims=True) + 1e-17
        return turned, (np.abs(turned) * (1.0 - np.eye(3)) > scale).any(axis=(-2, -1))

    def inertias(self) -> bool:
        """Masses, centres and inertias of bodies."""
        body, model = self._maps.body, self._model
        if not model.body_count:
            return False
        mass = model.body_mass.numpy()
        heavy = mass[np.maximum(body, 0)] > 0.0
        changed = self._set("body_mass", body, mass, heavy)
        changed |= self._set("body_ipos", body, model.body_com.numpy(), heavy)
        self._attribute("body_gravcomp", body, "gravcomp")
        moments, axes = self._worlds.read("body_inertia"), self._worlds.read("body_iquat")
        turned, aside = self._turned()
        chosen = (body >= 0) & heavy
        along = np.diagonal(turned, axis1=-2, axis2=-1)
        rounding = 1e-5 * np.abs(moments).max(axis=-1, keepdims=True) + 1e-17
        other = chosen & (aside | (np.abs(along - moments) > rounding).any(axis=-1))
        if other.any():
            moments[other] = along[other]
            aside &= other
            wanted = model.body_inertia.numpy()[body[aside]]
            moments[aside], axes[aside] = poses.principal(wanted)
            self._worlds.write("body_inertia", moments)
            self._worlds.write("body_iquat", axes)
            changed = True
        return changed

    def dofs(self, flags: int) -> bool:
        """Properties of degrees of freedom.

        Args:
            flags: Which ones, as bits of `ModelFlags`.
        """
        if not self._model.joint_dof_count:
            return False
        every = bool(flags & ModelFlags.JOINT_DOF_PROPERTIES)
        changed = False
        if every or flags & (ModelFlags.JOINT_DOF_INERTIAL_PROPERTIES | ModelFlags.BODY_PROPERTIES):
            if every or flags & ModelFlags.JOINT_DOF_INERTIAL_PROPERTIES:
                self._armature = self._model.joint_armature.numpy()
            changed |= self._armatures()
        force = every or flags & ModelFlags.JOINT_DOF_FORCE_PROPERTIES
        if force or flags & ModelFlags.JOINT_REFERENCE_POSE_PROPERTIES:
            self._limits()
        if force:
            self._resistances()
            self._gains()
        if every or flags & ModelFlags.JOINT_REFERENCE_POSE_PROPERTIES:
            changed |= self._references()
        return changed

    def _resistances(self) -> None:
        """Friction and damping."""
        maps, model = self._maps, self._model
        kinds = model.joint_type.numpy()
        in_tree = kinds[np.maximum(self._joint_of_dof(), 0)] != JointType.FREE
        self._set("dof_frictionloss", maps.dof, model.joint_friction.numpy(), in_tree)
        self._set("dof_damping", maps.dof, self._passive("damping"))
        for name, attribute in (
            ("dof_solref", "solreffriction"),
            ("dof_solimp", "solimpfriction"),
        ):
            self._attribute(name, maps.dof, attribute)

    def _armatures(self) -> bool:
        """Armatures: as stated, none of free joints, and so large that kinematic bodies keep on."""
        model = self._model
        held = kinematic_dofs(model)
        self.holds: bool = bool(held.any())
        of_dof = np.repeat(model.joint_type.numpy(), np.diff(model.joint_qd_start.numpy()))
        stated = np.where(of_dof == JointType.FREE, 0.0, self._armature)
        return self._set("dof_armature", self._maps.dof, np.where(held, _HOLDING, stated))

    def _joint_of_dof(self) -> Any:
        return self._maps.joint[:, self._worlds.model.dof_jntid]

    def _axes(self) -> Any:
        """Which joints of the plain model have one axis, (K, njnt)."""
        kinds = self._model.joint_type.numpy()[np.maximum(self._maps.joint, 0)]
        return (kinds != JointType.FREE) & (kinds != JointType.BALL)

    def _limits(self) -> None:
        model, dof, axes = self._model, self._maps.joint_dof, self._axes()
        lower, upper = model.joint_limit_lower.numpy(), model.joint_limit_upper.numpy()
        ref = values_of(model, "dof_ref")
        if ref is not None and in_use() == "1":  # limits count from there, as positions do
            lower = np.where(lower > -MAXVAL, lower + ref, lower)
            upper = np.where(upper < MAXVAL, upper + ref, upper)
        self._set("jnt_range", dof, np.stack([lower, upper], axis=-1), axes)
        ke, kd = model.joint_limit_ke.numpy(), model.joint_limit_kd.numpy()
        stiff = ke[np.maximum(dof, 0)] > 0.0
        self._set("jnt_solref", dof, np.stack([-ke, -kd], axis=-1), axes & stiff)
        effort = model.joint_effort_limit.numpy()
        self._set("jnt_actfrcrange", dof, np.stack([-effort, effort], axis=-1), axes)
        for name, attribute in (
            ("jnt_solimp", "solimplimit"),
            ("jnt_margin", "limit_margin"),
        ):
            values = values_of(model, attribute)
            if values is not None:
                self._set(name, dof, values, axes)
        kinds = model.joint_type.numpy()[np.maximum(self._maps.joint, 0)]
        self._set("jnt_stiffness", dof, self._passive("stiffness"), kinds != JointType.FREE)

    def _passive(self, name: str) -> Any:
        """Stiffness or damping of the joints themselves and of MuJoCo's attribute, together."""
        own = getattr(self._model, f"joint_{name}").numpy()
        stated = values_of(self._model, f"dof_passive_{name}")
        return own if stated is None else own + stated

    def _gains(self) -> None:
        maps, model = self._maps, self._model
        if not len(maps.source):
            return
        ke, kd = model.joint_target_ke.numpy(), model.joint_target_kd.numpy()
        both = model.joint_act_mode.numpy() == ActuatorMode.POSITION_VELOCITY
        dof = np.where(maps.source == _CONTROL, 0, maps.control)
        position, velocity = maps.source == 0, maps.source == 1
        gain = self._worlds.read("actuator_gainprm")
        bias = self._worlds.read("actuator_biasprm")
        gain[..., 0] = np.where(position, ke[dof], np.where(velocity, kd[dof], gain[..., 0]))
        bias[..., 1] = np.where(position, -ke[dof], bias[..., 1])
        damped = velocity | (position & ~both[dof])
        bias[..., 2] = np.where(damped, -kd[dof], bias[..., 2])
        self._worlds.write("actuator_gainprm", gain)
        self._worlds.write("actuator_biasprm", bias)

    def _references(self) -> bool:
        model, maps = self._model, self._maps
        changed = False
        plain = self._worlds.model
        axes = self._axes()
        for name, attribute in (("qpos0", "dof_ref"), ("qpos_spring", "dof_springref")):
            values = values_of(model, attribute)
            if name == "qpos_spring" and is_after_first_of_1():
                values = self._rests(values)
            if values is None:
                continue
            rows = self._worlds.read(name)
            columns = plain.jnt_qposadr
            wanted = np.where(axes, values[np.maximum(maps.joint_dof, 0)], rows[:, columns])
            rows[:, columns] = wanted
            changed |= self._worlds.write(name, rows)
        self._rest = model.joint_rest_q.numpy().copy()
        return changed | self._first_poses() | self._spring_rests()

    def _rests(self, stated: Any) -> Any:
        """Where springs of degrees of freedom are at rest, those that an attribute states first."""
        model = self._model
        place, ref = model._coordinate_of_dof.numpy(), values_of(model, "dof_ref")
        if not len(place):
            return stated
        rests = model.joint_rest_q.numpy()[np.maximum(place, 0)] + (0.0 if ref is None else ref)
        return rests if stated is None else np.where(stated != 0.0, stated, rests)

    def _first_poses(self) -> bool:
        """Where bodies of free joints are at first."""
        model, maps = self._model, self._maps
        kinds = model.joint_type.numpy()
        free = np.flatnonzero(kinds[maps.joint[0]] == JointType.FREE) if maps.joint.size else []
        if not len(free) or not is_after_first_of_1():
            return False
        rows = self._worlds.read("qpos0")
        body_q, child = model.body_q.numpy(), model.joint_child.numpy()
        for joint in free:
            poses_now = body_q[child[maps.joint[:, joint]]]
            start = self._worlds.model.jnt_qposadr[joint]
            wanted = np.concatenate([poses_now[:, :3], poses.to_wxyz(poses_now[:, 3:])], axis=-1)
            present = rows[:, start : start + 7]
            moved = np.abs(wanted - present).max(axis=-1, keepdims=True) > _ROUNDING
            rows[:, start : start + 7] = np.where(moved, wanted, present)
        return self._worlds.write("qpos0", rows)

    def _spring_rests(self) -> bool:
        """Where the joints' own springs are at rest, in the present frames of the joints."""
        model, maps, plain = self._model, self._maps, self._worlds.model
        stiffness, coordinate = model.joint_stiffness.numpy(), model._coordinate_of_dof.numpy()
        if not stiffness.any():
            return False
        rest, ref = self._rest, values_of(model, "dof_ref")
        frames = model.joint_X_c.numpy()[:, 3:].astype(float)
        rows = self._worlds.read("qpos_spring")
        dofs = np.maximum(maps.joint_dof, 0)
        for world, joint in np.argwhere((maps.joint_dof >= 0) & (stiffness[dofs] > 0.0)):
            dof, column = dofs[world, joint], plain.jnt_qposadr[joint]
            place = coordinate[dof]
            if place >= 0:
                rows[world, column] = rest[place] + (0.0 if ref is None else ref[dof])
            else:
                start = (-1 - place) // 4
                frame = frames[maps.joint[world, joint]]  # of the child's anchor: MuJoCo has none
                rows[world, column] = rest[start + 3]
                rows[world, column + 1 : column + 4] = poses.rotate(frame, rest[start : start + 3])
        return self._worlds.write("qpos_spring", rows)

    def joints(self) -> bool:
        """Frames and axes of joints, and poses of what is fixed to the world."""
        maps, model = self._maps, self._model
        if not model.joint_count:
            return False
        X_p, X_c = model.joint_X_p.numpy(), model.joint_X_c.numpy()
        links = poses.multiply(X_p.astype(float), poses.inverse(X_c.astype(float)))
        joint_of = np.full(max(model.body_count, 1), -1)
        tree = carrying_joints(model)
        joint_of[model.joint_child.numpy()[tree]] = np.flatnonzero(tree)
        joint = np.where(maps.body >= 0, joint_of[np.maximum(maps.body, 0)], -1)
        kinds = model.joint_type.numpy()
        placed = (joint >= 0) & (kinds[np.maximum(joint, 0)] != JointType.FREE)
        changed = self._set("body_pos", joint, links[:, :3], placed)
        changed |= self._set("body_quat", joint, poses.to_wxyz(links[:, 3:]), placed)
        if maps.mocap.shape[1]:
            held = links[maps.mocap]
            self._fill(self._worlds.mocap_pos, held[..., :3])
            self._fill(self._worlds.mocap_quat, poses.to_wxyz(held[..., 3:]))
        if maps.joint.shape[1]:
            changed |= self._spring_rests()
            axes = self._axes()
            free = kinds[np.maximum(maps.joint, 0)] == JointType.FREE
            changed |= self._set("jnt_pos", maps.joint, X_c[:, :3], ~free)
            turn = X_c[np.maximum(maps.joint, 0)][..., 3:].astype(float)
            axis = model.joint_axis.numpy()[np.maximum(maps.joint_dof, 0)]
            present = self._worlds.read("jnt_axis")
            turned = np.where(axes[..., None], poses.rotate(turn, axis), present)
            if np.abs(turned - present).max(initial=0.0) > 1e-6:
                changed |= self._worlds.write("jnt_axis", turned)
        return changed

    @staticmethod
    def _fill(array: Any, values: Any) -> None:
        if isinstance(array, np.ndarray):
            array[...] = values
        else:
            array.assign(np.asarray(values, np.float32))

    def geoms(self, *, own_contacts: bool) -> bool:
        """Friction, softness, sizes and poses of geoms; whether some have moved.

        Args:
            own_contacts: Whether MuJoCo finds the contacts.

        Raises:
            ValueError: It does, and a shape that it holds as a mesh has got another size.
        """
        maps, model = self._maps, self._model
        geom = maps.geom
        if not geom.shape[1] or not model.shape_count:
            return False
        names = ("mu", "torsional_friction", "rolling_friction")
        friction = [getattr(model, f"shape_material_{name}").numpy() for name in names]
        self._set("geom_friction", geom, np.stack(friction, axis=-1))
        ke, kd = model.shape_material_ke.numpy(), model.shape_material_kd.numpy()
        self._set("geom_solref", geom, solref(ke, kd))
        self._set("geom_margin", geom, model.shape_thickness.numpy())
        for name in ("geom_solimp", "geom_solmix", "geom_gap"):
            self._attribute(name, geom, name)
        plain, scale, first = self._worlds.model, model.shape_scale.numpy(), self._first_scale
        shapes = np.maximum(geom, 0)
        kinds = model.shape_type.numpy()[shapes]
        meshes = are_meshes(kinds, first[shapes])
        if own_contacts:
            self._refuse_sizes(shapes[meshes & (geom >= 0)], scale)
        sized = (
            ~meshes & (kinds != GeoType.HFIELD) & (scale[shapes] != 0.0).any(axis=-1)
        )  # else no end
        if self._set("geom_size", geom, scale, sized):
            self._bounds(kinds)
        frames = model.shape_transform.numpy().astype(float)[np.maximum(geom, 0)]
        own = np.zeros((plain.ngeom, 7))
        own[:, 6] = 1.0
        is_mesh = (plain.geom_dataid >= 0) & meshes[0]
        number = plain.geom_dataid[is_mesh]
        own[is_mesh, :3] = plain.mesh_pos[number]
        own[is_mesh, 3:] = poses.to_xyzw(plain.mesh_quat[number])
        for field in np.flatnonzero(kinds[0] == GeoType.HFIELD):
            shape = geom[0, field]
            own[field, 2] = field_offset(model.shape_source[shape], first[shape])  # as compiled
        frames = poses.multiply(frames, np.broadcast_to(own, frames.shape))
        moved = self._near("geom_pos", frames[..., :3], geom >= 0)
        return self._near("geom_quat", poses.to_wxyz(frames[..., 3:]), geom >= 0) | moved

    def _refuse_sizes(self, shapes: Any, scale: Any) -> None:
        resized = shapes[(scale[shapes] != self._first_scale[shapes]).any(axis=-1)]
        if len(resized):
            label = self._model.shape_key[resized[0]]
            raise ValueError(
                f"shape {resized[0]} ({label!r}) has another size, and MuJoCo holds it as a mesh,"
                " which is compiled. Recreate the solver after resizing it"
            )

    def sites(self) -> bool:
        """Sizes and poses of sites; whether some have moved."""
        site, model = self._maps.site, self._model
        if not (site >= 0).any():
            return False
        frames, scale = model.shape_transform.numpy()[site].astype(float), model.shape_scale.numpy()
        moved = self._near("site_pos", frames[..., :3], site >= 0)
        moved |= self._near("site_quat", poses.to_wxyz(frames[..., 3:]), site >= 0)
        stated = (site >= 0) & (scale[site] > 0.0).any(axis=-1)
        self._set("site_size", site, sizes(scale), stated)
        return moved

    def _near(self, name: str, wanted: Any, where: Any) -> bool:
        """Write rows that differ by more than what MuJoCo's compiler rounds; whether some do."""
        present = self._worlds.read(name)
        other = where & (np.abs(wanted - present).max(axis=-1) > 1e-6)
        if other.any():
            self._worlds.write(name, np.where(other[..., None], wanted, present))
        return bool(other.any())

    def _bounds(self, kinds: Any) -> None:
        """Radii of the balls around geoms, which the broad phase goes by."""
        size, present = self._worlds.read("geom_size"), self._worlds.read("geom_rbound")
        x, y = size[..., 0], size[..., 1]
        radius = {
            GeoType.SPHERE: x,
            GeoType.CAPSULE: x + y,
            GeoType.CYLINDER: np.hypot(x, y),
            GeoType.BOX: np.linalg.norm(size, axis=-1),
            GeoType.ELLIPSOID: size.max(axis=-1),
        }
        for kind, values in radius.items():
            present = np.where(kinds == kind, values, present)
        self._worlds.write("geom_rbound", present)

    def constraints(self) -> bool:
        """Equality and mimic constraints; whether anchors are others."""
        maps, model = self._maps, self._model
        if not self._worlds.model.neq:
            return False
        moved = False
        data, active = self._worlds.read("eq_data"), self._worlds.eq_active()
        rows = maps.equality
        if (rows >= 0).any():
            stated, enabled = self._equality_rows()
            chosen = rows >= 0
            seconds = data[:, self._worlds.connected, 3:6]
            firsts = data[:, self._worlds.connected, :3]
            data[chosen, :11] = stated[rows[chosen]]
            data[:, self._worlds.connected, 3:6] = seconds
            moved = not np.array_equal(firsts, data[:, self._worlds.connected, :3])
            active[chosen] = enabled[rows[chosen]]
            self._attribute("eq_solref", rows, "eq_solref")
            self._attribute("eq_solimp", rows, "eq_solimp")
        chosen = maps.mimic >= 0
        if chosen.any():
            numbers = maps.mimic[chosen]
            data[chosen] = 0.0
            data[chosen, 0] = model.constraint_mimic_coef0.numpy()[numbers]
            data[chosen, 1] = model.constraint_mimic_coef1.numpy()[numbers]
            active[chosen] = model.constraint_mimic_enabled.numpy()[numbers]
        chosen = maps.follower >= 0
        if chosen.any():
            data[chosen, :2] = model.joint_mimic_coeffs.numpy()[maps.follower[chosen]]
        self._worlds.write("eq_data", data)
        self._worlds.set_eq_active(active)
        return moved

    def _equality_rows(self) -> tuple[Any, Any]:
        names = "type body1 body2 anchor torquescale relpose polycoef enabled"
        of = {
            name: getattr(self._model, f"equality_constraint_{name}").numpy()
            for name in names.split()
        }
        body_q = self._model.body_q.numpy() if len(of["type"]) else None
        present = np.zeros((len(of["type"]), 11))
        for i in range(len(present)):
            present[i] = equality_data(of, i, body_q)
        return present, of["enabled"]

    def tendons(self) -> bool:
        """Springs, dampers, friction and limits of tendons; whether inertias are others."""
        if not self._worlds.model.ntendon:
            return False
        changed = {
            field: self._attribute(field, self._maps.tendon, attribute)
            for field, attribute in UPDATED.items()
        }
        return changed["tendon_armature"]

    def resolve_ratios(self) -> None:
        """Work dampings out of ratios of critical damping, by the inertias as they are now.

        The inertia that an actuator sees is 1 / (J M^-1 J'), which MuJoCo has at the first pose.
        """
        stated, driven = values_of(self._model, "actuator_biasprm"), self._driven()
        plain = self._worlds.model
        if stated is None or not (driven >= 0).any() or self.holds:
            return
        rows = stated[np.maximum(driven, 0)]
        ratio = np.where((driven >= 0) & (rows[..., 1] < 0.0), rows[..., 2], 0.0)
        kinds, target = plain.actuator_trntype, plain.actuator_trnid[:, 0]
        joint, tendon = kinds == _ON_JOINT, kinds == _ON_TENDON
        if not (ratio[:, joint | tendon] > 0.0).any():
            return
        weight = np.zeros(ratio.shape)
        of_dofs = self._worlds.read("dof_invweight0")
        weight[:, joint] = of_dofs[:, plain.jnt_dofadr[target[joint]]]
        if tendon.any():
            weight[:, tendon] = self._worlds.read("tendon_invweight0")[:, target[tendon]]
        weight = weight * self._worlds.read("actuator_gear")[..., 0] ** 2
        gain, bias = (self._worlds.read(f"actuator_{name}prm") for name in ("gain", "bias"))
        known = (ratio > 0.0) & (weight > 0.0)
        damping = 2.0 * ratio * np.sqrt(gain[..., 0] / np.where(known, weight, 1.0))
        bias[..., 2] = np.where(known, -damping, bias[..., 2])
        self._worlds.write("actuator_biasprm", bias)

    def _driven(self) -> Any:
        """The control of the script that drives each actuator, (K, nu), or -1."""
        return np.where(self._maps.source == _CONTROL, self._maps.control, -1)

    def actuators(self) -> bool:
        """Gains, biases and ranges of actuators that controls of the script drive.

        Returns:
            Whether dampings are to be worked out of ratios.
        """
        maps, ratios = self._maps, False
        driven = self._driven()
        if not (maps.row >= 0).any():
            return False
        for name in ("gainprm", "biasprm", "dynprm", "gear"):
            values = values_of(self._model, f"actuator_{name}")
            if values is not None:
                present = self._worlds.read(f"actuator_{name}")
                rows = values[:, : present.shape[-1]][np.maximum(driven, 0)]
                if name == "biasprm":  # a ratio, which the compiler has made a damping of
                    unresolved = (rows[..., 2] > 0.0) & (rows[..., 1] < 0.0)
                    ratios = bool((unresolved & (driven >= 0)).any())
                    rows[..., 2] = np.where(unresolved, present[..., 2], rows[..., 2])
                chosen = (driven >= 0)[..., None]
                self._worlds.write(f"actuator_{name}", np.where(chosen, rows, present))
        for name in ("ctrlrange", "forcerange"):
            stated = values_of(self._model, f"actuator_has_{name}")
            if stated is not None:  # what is not limited has no range until a script states one
                given = (stated[np.maximum(maps.row, 0)] != 0) | is_after_first_of_1()
                values = values_of(self._model, f"actuator_{name}")
                self._set(f"actuator_{name}", maps.row, values, given)
        if is_after_first_of_1():
            for name in ("actuator_actrange", "actuator_cranklength"):
                self._attribute(name, driven, name)
        return ratios

    def options(self) -> None:
        """Gravity, and what attributes say of the worlds' solvers."""
        self._worlds.write("opt.gravity", self._model.gravity.numpy()[self._numbers])
        for name in _WORLD_OPTIONS:
            values = values_of(self._model, name)
            if values is not None and name not in self._fixed:
                rows = values[self._numbers]
                if name == "impratio":
                    if self._worlds.device != "cpu":
                        continue  # mujoco-warp holds the inverse of its root, made with the model
                    rows = np.where(rows > 0.0, rows, self._worlds.read("opt.impratio"))
                self._worlds.write(f"opt.{name}", rows)


def _matrices(q: Any) -> Any:
    """Rotation matrices of quaternions wxyz, (..., 3, 3)."""
    turned = [poses.rotate(poses.to_xyzw(q), axis) for axis in np.eye(3)]
    return np.stack(turned, axis=-1)
