"""Properties of parts of an actor."""

from __future__ import annotations

from typing import Any

from unibody.isaacgym.types.enums import SoftMaterialType, TendonType
from unibody.isaacgym.types.fields import INT32, UINT32, Bool, Choice, Float, Int, Nested, Struct
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.vectors import Mat33, Vec3


class RigidBodyProperties(Struct):
    """Mass properties of a body.

    Attributes:
        mass: [kg]
        com: Centre of mass in the body's frame [m].
        inertia: About the centre of mass, in axes parallel to the body's [kg m^2].
        invMass: One over ``mass``, as the simulation has it [1/kg].
        invInertia: Inverse of ``inertia``, as the simulation has it.
        flags: ``RIGID_BODY_*`` bits.
    """

    __slots__ = ()
    mass: Float = Float()
    com: Nested[Vec3] = Nested(Vec3)
    inertia: Nested[Mat33] = Nested(Mat33)
    invMass: Float = Float()
    invInertia: Nested[Mat33] = Nested(Mat33)
    flags: Int = Int(0, UINT32)


class RigidShapeProperties(Struct):
    """Surface of a collision shape.

    Attributes:
        friction: Sliding friction; the pair has the mean.
        restitution: Share of the speed that is left after an impact.
        filter: Two shapes of one group collide where they share no bit.
        contact_offset: Distance at which contacts begin [m].
        rest_offset: Distance at which shapes rest [m].
    """

    __slots__ = ()
    friction: Float = Float(1.0)
    rolling_friction: Float = Float(0.0)
    torsion_friction: Float = Float(0.0)
    restitution: Float = Float(0.0)
    compliance: Float = Float(0.0)
    thickness: Float = Float(0.0)
    contact_offset: Float = Float(0.02)
    rest_offset: Float = Float(0.001)
    filter: Int = Int(0, (INT32[0], UINT32[1]))


class ActuatorProperties(Struct):
    """An actuator of an MJCF file."""

    __slots__ = ()
    control_limited: Bool = Bool(False)
    force_limited: Bool = Bool(False)
    kp: Float = Float()
    kv: Float = Float()
    lower_control_limit: Float = Float()
    upper_control_limit: Float = Float()
    lower_force_limit: Float = Float()
    upper_force_limit: Float = Float()
    motor_effort: Float = Float()
    _type: Int = Int(-1)

    @property
    def type(self) -> Any:
        """Kind of the actuator, as a number; -1 for none."""
        return self._type


class TendonProperties(Struct):
    """A tendon of an MJCF file.

    Attributes:
        stiffness: Of the spring [N/m or Nm/rad].
        damping: Of the spring.
        limit_stiffness: Of the spring that holds the limits.
        fixed_spring_rest_length: Length without force.
        is_fixed_limited: Whether the limits count.
        fixed_lower_limit: Smallest length.
        fixed_upper_limit: Greatest length.
    """

    __slots__ = ()
    stiffness: Float = Float()
    damping: Float = Float()
    limit_stiffness: Float = Float()
    is_fixed_limited: Bool = Bool(False)
    fixed_spring_rest_length: Float = Float()
    fixed_lower_limit: Float = Float()
    fixed_upper_limit: Float = Float()
    _type = Choice(TendonType.TENDON_FIXED)
    _num_joints: Int = Int(0)
    _num_attachments: Int = Int(0)

    @property
    def type(self) -> TendonType:
        """Kind of the tendon."""
        return self._type

    @property
    def num_joints(self) -> int:
        """Joints of a fixed tendon."""
        return self._num_joints

    @property
    def num_attachments(self) -> int:
        """Attachments of a spatial tendon."""
        return self._num_attachments


class AttractorProperties(Struct):
    """A spring that pulls a body to a pose.

    Attributes:
        rigid_handle: The body.
        axes: ``AXIS_*`` bits; none switches it off.
        target: The pose, in the environment's frame.
        offset: What is pulled, in the body's frame.
        stiffness: [N/m, Nm/rad]
        damping: [N s/m, Nm s/rad]
    """

    __slots__ = ()
    rigid_handle: Int = Int(-1)
    axes: Int = Int(0)
    target: Nested[Transform] = Nested(Transform)
    offset: Nested[Transform] = Nested(Transform)
    stiffness: Float = Float()
    damping: Float = Float()


class ForceSensorProperties(Struct):
    """What a force sensor reports.

    Attributes:
        enable_forward_dynamics_forces: External and inertial forces are part of it.
        enable_constraint_solver_forces: Contacts and drives are part of it.
        use_world_frame: In the axes of the world, not of the sensor.
    """

    __slots__ = ()
    enable_forward_dynamics_forces: Bool = Bool(True)
    enable_constraint_solver_forces: Bool = Bool(True)
    use_world_frame: Bool = Bool(False)


class SoftMaterial(Struct):
    """Material of a deformable body."""

    __slots__ = ()
    model: Choice[SoftMaterialType] = Choice(SoftMaterialType.MAT_COROTATIONAL)
    youngs: Float = Float()
    poissons: Float = Float()
    damping: Float = Float()
    activation: Float = Float()
    activationMax: Float = Float()
