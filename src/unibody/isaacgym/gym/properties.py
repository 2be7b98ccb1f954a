"""Methods of ``Gym``: properties of actors: degrees of freedom, masses, surfaces, size."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.batch.tables import Records, has_products
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaacgym import handles
from unibody.isaacgym.batch.environment import Actor
from unibody.isaacgym.batch.properties import SHAPE_FIELDS
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.gym.checks import actor_of, dof_of
from unibody.isaacgym.types import records
from unibody.isaacgym.types.constants import RIGID_BODY_DISABLE_SIMULATION
from unibody.isaacgym.types.enums import DofDriveMode
from unibody.isaacgym.types.fields import to_flag, to_float
from unibody.isaacgym.types.properties import RigidBodyProperties, RigidShapeProperties
from unibody.isaacgym.types.vectors import Mat33, Vec3

_NOT_NEGATIVE = ("effort", "stiffness", "damping", "friction", "armature", "velocity")
_MODES = [int(mode) for mode in DofDriveMode]


class PropertyCalls:
    """Properties."""

    # --- degrees of freedom --------------------------------------------------------------------

    def get_actor_dof_properties(self, arg0: handles.Env, arg1: int) -> Any:
        """Return a copy of the properties of an actor's degrees of freedom.

        Returns:
            Records with hasLimits, lower, upper [m, rad], driveMode, velocity [m/s, rad/s],
            effort [N, Nm], stiffness, damping, friction (a share) and armature [kg, kg m^2].
        """
        return actor_of(arg0, arg1).dof_table.copy()

    def set_actor_dof_properties(self, arg0: handles.Env, arg1: int, arg2: Any) -> bool:
        """Change the properties of all degrees of freedom of an actor.

        Raises:
            ArgumentTypeError: These are no records of that kind.
            InvalidArgumentError: Their number, or one of the values, is not allowed.
        """
        actor = actor_of(arg0, arg1)
        actor.take_dofs(_dof_records(actor, arg2))
        return True

    # --- masses --------------------------------------------------------------------------------

    def get_actor_rigid_body_properties(
        self, arg0: handles.Env, arg1: int
    ) -> list[RigidBodyProperties]:
        """Return copies of the mass properties of an actor's bodies."""
        return [_body(record) for record in actor_of(arg0, arg1).body_records]

    def set_actor_rigid_body_properties(
        self,
        env: handles.Env,
        actorHandle: int,
        props: list[RigidBodyProperties],
        recomputeInertia: bool = False,
    ) -> bool:
        """Change the mass properties of all bodies of an actor.

        Args:
            env: The environment.
            actorHandle: The actor.
            props: One a body. ``invMass`` and ``invInertia`` follow from the others.
            recomputeInertia: The inertias grow with the masses, whatever ``props`` says of them.

        Raises:
            InvalidArgumentError: The number is wrong, or a mass or an inertia is not positive.
            NotSupportedError: One of several bodies is to take no part in the simulation.
        """
        actor = actor_of(env, actorHandle)
        _expect("props", props, len(actor.body_records), RigidBodyProperties)
        scaled = to_flag("recomputeInertia", recomputeInertia)
        table = actor.body_records.copy()
        for number, (record, given) in enumerate(zip(table, props, strict=True)):
            if not given.mass >= 0.0:
                raise InvalidArgumentError(f"props[{number}].mass", given.mass, "not negative [kg]")
            ratio = given.mass / record["mass"] if record["mass"] > 0.0 else 1.0
            record["mass"] = given.mass
            record["com"] = given.com.x, given.com.y, given.com.z
            if scaled:
                record["inertia"] *= ratio
            else:
                record["inertia"] = _matrix(f"props[{number}].inertia", given.inertia)
            record["flags"] = given.flags
        _check_disabled(table)
        old = actor.body_records
        moved = not np.array_equal(old["com"], table["com"])
        turned = bool(np.any(has_products(table["inertia"]) & ~has_products(old["inertia"])))
        actor.off_centre |= moved or turned
        if bool(np.any((table["flags"] ^ old["flags"]) & RIGID_BODY_DISABLE_SIMULATION)):
            actor.env.sim.edited()
        actor.body_records[:] = table
        actor.env.sim.bodies_changed(actor)
        return True

    # --- surfaces ------------------------------------------------------------------------------

    def get_actor_rigid_shape_properties(
        self, arg0: handles.Env, arg1: int
    ) -> list[RigidShapeProperties]:
        """Return copies of the surfaces of an actor's collision shapes."""
        return [_shape(record) for record in actor_of(arg0, arg1).shape_table]

    def set_actor_rigid_shape_properties(
        self, arg0: handles.Env, arg1: int, arg2: list[RigidShapeProperties]
    ) -> bool:
        """Change the surfaces of all collision shapes of an actor.

        Raises:
            InvalidArgumentError: The number is wrong, or a coefficient is negative.
        """
        actor = actor_of(arg0, arg1)
        _expect("props", arg2, len(actor.shape_table), RigidShapeProperties)
        table = actor.shape_table.copy()
        for number, (record, given) in enumerate(zip(table, arg2, strict=True)):
            for name in ("friction", "restitution"):
                if not getattr(given, name) >= 0.0:
                    label = f"props[{number}].{name}"
                    raise InvalidArgumentError(label, getattr(given, name), "not negative")
            for name in (*SHAPE_FIELDS, "filter"):
                record[name] = getattr(given, name)
        if not np.array_equal(table["filter"], actor.shape_table["filter"]):
            actor.env.sim.edited()
        actor.take_shapes(table)
        return True

    # --- size ----------------------------------------------------------------------------------

    def get_actor_scale(self, arg0: handles.Env, arg1: int) -> float:
        """Return the size of an actor as a multiple of its asset's."""
        return actor_of(arg0, arg1).scale

    def set_actor_scale(self, arg0: handles.Env, arg1: int, arg2: float) -> bool:
        """Change the size of an actor.

        Masses grow with its third power, inertias with the fifth; limits and positions of
        sliding joints with the first.
        """
        actor = actor_of(arg0, arg1)
        scale = to_float("scale", arg2)
        if not 0.0 < scale < np.inf:
            raise InvalidArgumentError("scale", arg2, "a positive number")
        if scale != actor.scale:
            if not actor.kind.resizable:
                actor.env.sim.edited()
            actor.rescale(scale)
            actor.env.sim.scale_changed(actor)
        return True

    # --- force reports -------------------------------------------------------------------------

    def enable_actor_dof_force_sensors(self, arg0: handles.Env, arg1: int) -> bool:
        """Have the forces of an actor's degrees of freedom in the tensor of them."""
        actor = actor_of(arg0, arg1)
        actor.env.sim.forces_wanted_of(actor)
        return True

    def get_actor_dof_forces(self, arg0: handles.Env, arg1: int) -> Any:
        """Return the forces of an actor's degrees of freedom in the last step, float32 (dofs,)."""
        actor = actor_of(arg0, arg1)
        self.enable_actor_dof_force_sensors(arg0, arg1)
        sim = actor.env.sim
        sim.read_dof_forces()
        sim.buffers.to_host("dof_forces")
        rows = slice(actor.sim_dof, actor.sim_dof + len(actor.dof_table))
        return sim.buffers.host.dof_forces[rows].copy()

    def get_dof_target_position(self, arg0: handles.Env, arg1: int) -> float:
        """Return the position target of a degree of freedom."""
        actor, number = dof_of(arg0, arg1)
        return float(actor.position_targets[number])

    def get_dof_target_velocity(self, arg0: handles.Env, arg1: int) -> float:
        """Return the velocity target of a degree of freedom."""
        actor, number = dof_of(arg0, arg1)
        return float(actor.velocity_targets[number])


def _dof_records(actor: Actor, value: Any) -> Records:
    wanted = "what get_actor_dof_properties returns"
    table = records.to_array("props", value, wanted)
    names = set(table.dtype.names or ())
    if names != set(records.DOF_PROPERTIES.names or ()):
        raise ArgumentTypeError("props", value, wanted)
    table = table.ravel().astype(records.DOF_PROPERTIES)
    if len(table) != len(actor.dof_table):
        allowed = f"{len(actor.dof_table)} records, one a DOF"
        raise InvalidArgumentError("props", f"{len(table)} records", allowed)
    for name in _NOT_NEGATIVE:
        bad = ~(table[name] >= 0.0)
        if bad.any():
            raise InvalidArgumentError(f"props[{name!r}]", table[name].tolist(), "not negative")
    if not np.isin(table["driveMode"], _MODES).all():
        raise InvalidArgumentError("props['driveMode']", table["driveMode"].tolist(), f"{_MODES}")
    return table


def _body(record: Any) -> RigidBodyProperties:
    props = RigidBodyProperties()
    props.mass = record["mass"]
    props.com = Vec3(*(float(value) for value in record["com"]))
    props.inertia = _mat33(record["inertia"])
    props.invMass = 1.0 / record["mass"] if record["mass"] > 0.0 else 0.0
    invertible = abs(np.linalg.det(record["inertia"])) > 0.0
    inverse = np.linalg.inv(record["inertia"]) if invertible else np.zeros((3, 3))
    props.invInertia = _mat33(inverse)
    props.flags = int(record["flags"])
    return props


def _check_disabled(table: Records) -> None:
    """PhysX takes single bodies out of a simulation, and no links of articulations."""
    if len(table) > 1 and bool(np.any(table["flags"] & RIGID_BODY_DISABLE_SIMULATION)):
        raise NotSupportedError(
            "RIGID_BODY_DISABLE_SIMULATION of an actor of several bodies",
            "make the body an actor of its own, or fix the base and keep the shapes from colliding "
            "by a filter",
        )


def _mat33(matrix: Any) -> Mat33:
    found = Mat33()
    for name, row in zip(("x", "y", "z"), matrix, strict=True):
        setattr(found, name, Vec3(*(float(value) for value in row)))
    return found


def _matrix(name: str, value: Mat33) -> Any:
    rows = [[row.x, row.y, row.z] for row in (value.x, value.y, value.z)]
    matrix = np.array(rows, float)
    matrix = 0.5 * (matrix + matrix.T)
    if not np.isfinite(matrix).all() or np.linalg.eigvalsh(matrix).min() < 0.0:
        raise InvalidArgumentError(name, rows, "a symmetric matrix with no negative moment")
    return matrix


def _shape(record: Any) -> RigidShapeProperties:
    props = RigidShapeProperties()
    for name in (*SHAPE_FIELDS, "filter"):
        setattr(props, name, record[name].item())
    return props


def _expect(name: str, values: Any, count: int, kind: type) -> None:
    if not isinstance(values, (list, tuple)) or not all(isinstance(v, kind) for v in values):
        raise ArgumentTypeError(name, values, f"a list of {kind.__name__}")
    if len(values) != count:
        raise InvalidArgumentError(name, f"{len(values)} items", f"{count} items")
