"""Parameters of a simulation."""

from __future__ import annotations

from unibody.isaacgym.types.enums import ContactCollection, UpAxis
from unibody.isaacgym.types.fields import UINT32, Bool, Choice, Float, Int, Nested, Struct
from unibody.isaacgym.types.vectors import Vec3


class PhysXParams(Struct):
    """Parameters that PhysX has; ``docs/coverage.md`` says which have an effect here."""

    __slots__ = ()
    solver_type = Int(1)
    num_position_iterations = Int(4, UINT32)
    num_velocity_iterations = Int(1, UINT32)
    num_threads = Int(0, UINT32)
    use_gpu = Bool(False)
    num_subscenes = Int(0)
    contact_offset = Float(0.02)
    rest_offset = Float(0.001)
    bounce_threshold_velocity = Float(0.01)
    max_depenetration_velocity = Float(100.0)
    friction_offset_threshold = Float(0.04)
    friction_correlation_distance = Float(0.025)
    default_buffer_size_multiplier = Float(1.0)
    max_gpu_contact_pairs = Int(1024 * 1024, UINT32)
    always_use_articulations = Bool(False)
    contact_collection = Choice(ContactCollection.CC_ALL_SUBSTEPS)


class FlexParams(Struct):
    """Parameters that FleX has: kept, and without effect here but for those of soft bodies.

    Attributes:
        shape_collision_distance: How far surfaces of soft bodies stay from what they touch [m].
        dynamic_friction: Of soft bodies; that of a contact is times the shape's own.
    """

    __slots__ = ()
    solver_type = Int(5)
    num_outer_iterations = Int(4, UINT32)
    num_inner_iterations = Int(20, UINT32)
    relaxation = Float(0.75)
    warm_start = Float(0.8)
    geometric_stiffness = Float(0.0)
    contact_regularization = Float(1e-6)
    deterministic_mode = Bool(False)
    shape_collision_distance = Float(0.0)
    shape_collision_margin = Float(0.01)
    static_friction = Float(1.0)
    dynamic_friction = Float(1.0)
    particle_friction = Float(0.0)
    friction_mode = Int(2)
    max_rigid_contacts = Int(65536, UINT32)
    max_soft_contacts = Int(65536, UINT32)
    return_contacts = Bool(True)


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
    dt = Float(1.0 / 60.0)
    substeps = Int(2, UINT32)
    up_axis = Choice(UpAxis.UP_AXIS_Y)
    gravity = Nested(_down)
    use_gpu_pipeline = Bool(False)
    num_client_threads = Int(0)
    enable_actor_creation_warning = Bool(True)
    stress_visualization = Bool(False)
    stress_visualization_min = Float(0.0)
    stress_visualization_max = Float(1e5)
    physx = Nested(PhysXParams)
    flex = Nested(FlexParams)
