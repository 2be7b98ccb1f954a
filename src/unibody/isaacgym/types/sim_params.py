"""Parameters of a simulation."""

from __future__ import annotations

from unibody.isaacgym.types.enums import ContactCollection, UpAxis
from unibody.isaacgym.types.fields import UINT32, Bool, Choice, Float, Int, Nested, Struct
from unibody.isaacgym.types.vectors import Vec3


class PhysXParams(Struct):
    """Parameters that PhysX has; ``docs/coverage.md`` says which have an effect here."""

    __slots__ = ()
    solver_type: Int = Int(1)
    num_position_iterations: Int = Int(4, UINT32)
    num_velocity_iterations: Int = Int(1, UINT32)
    num_threads: Int = Int(0, UINT32)
    use_gpu: Bool = Bool(False)
    num_subscenes: Int = Int(0)
    contact_offset: Float = Float(0.02)
    rest_offset: Float = Float(0.001)
    bounce_threshold_velocity: Float = Float(0.01)
    max_depenetration_velocity: Float = Float(100.0)
    friction_offset_threshold: Float = Float(0.04)
    friction_correlation_distance: Float = Float(0.025)
    default_buffer_size_multiplier: Float = Float(1.0)
    max_gpu_contact_pairs: Int = Int(1024 * 1024, UINT32)
    always_use_articulations: Bool = Bool(False)
    contact_collection: Choice[ContactCollection] = Choice(ContactCollection.CC_ALL_SUBSTEPS)


class FlexParams(Struct):
    """Parameters that FleX has: kept, and without effect here but for those of soft bodies.

    Attributes:
        shape_collision_distance: How far surfaces of soft bodies stay from what they touch [m].
        dynamic_friction: Of soft bodies; that of a contact is times the shape's own.
    """

    __slots__ = ()
    solver_type: Int = Int(5)
    num_outer_iterations: Int = Int(4, UINT32)
    num_inner_iterations: Int = Int(20, UINT32)
    relaxation: Float = Float(0.75)
    warm_start: Float = Float(0.8)
    geometric_stiffness: Float = Float(0.0)
    contact_regularization: Float = Float(1e-6)
    deterministic_mode: Bool = Bool(False)
    shape_collision_distance: Float = Float(0.0)
    shape_collision_margin: Float = Float(0.01)
    static_friction: Float = Float(1.0)
    dynamic_friction: Float = Float(1.0)
    particle_friction: Float = Float(0.0)
    friction_mode: Int = Int(2)
    max_rigid_contacts: Int = Int(65536, UINT32)
    max_soft_contacts: Int = Int(65536, UINT32)
    return_contacts: Bool = Bool(True)


def _down() -> Vec3:
    return Vec3(0.0, -9.8, 0.0)


class SimParams(Struct):
    """Parameters of a simulation.

    Attributes:
        dt: Duration of one ``simulate`` [s].
        substeps: Physics steps in one ``simulate``.
        up_axis: The axis that points up; y, as it always was.
        gravity: Acceleration [m/s^2].
        use_gpu_pipeline: Whether tensors live on the compute device.
        physx: Parameters of PhysX.
        flex: Parameters of FleX.
    """

    __slots__ = ()
    dt: Float = Float(1.0 / 60.0)
    substeps: Int = Int(2, UINT32)
    up_axis: Choice[UpAxis] = Choice(UpAxis.UP_AXIS_Y)
    gravity: Nested[Vec3] = Nested(_down)
    use_gpu_pipeline: Bool = Bool(False)
    num_client_threads: Int = Int(0)
    enable_actor_creation_warning: Bool = Bool(True)
    stress_visualization: Bool = Bool(False)
    stress_visualization_min: Float = Float(0.0)
    stress_visualization_max: Float = Float(1e5)
    physx: Nested[PhysXParams] = Nested(PhysXParams)
    flex: Nested[FlexParams] = Nested(FlexParams)
