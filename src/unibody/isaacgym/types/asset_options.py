"""How assets are loaded."""

from __future__ import annotations

from unibody.isaacgym.types.enums import MeshNormalMode
from unibody.isaacgym.types.fields import UINT32, Bool, Choice, Float, Int, Nested, Struct


class VhacdParams(Struct):
    """Parameters of the convex decomposition."""

    __slots__ = ()
    concavity: Float = Float(0.0)
    alpha: Float = Float(0.05)
    beta: Float = Float(0.05)
    min_volume_per_ch: Float = Float(0.0001)
    resolution: Int = Int(100_000, UINT32)
    max_num_vertices_per_ch: Int = Int(64, UINT32)
    plane_downsampling: Int = Int(4, UINT32)
    convex_hull_downsampling: Int = Int(4, UINT32)
    pca: Int = Int(0, UINT32)
    mode: Int = Int(0, UINT32)
    convex_hull_approximation: Bool = Bool(True)
    ocl_acceleration: Bool = Bool(True)
    max_convex_hulls: Int = Int(64, UINT32)
    project_hull_vertices: Bool = Bool(True)


class AssetOptions(Struct):
    """How an asset is loaded.

    Attributes:
        fix_base_link: The base does not move.
        collapse_fixed_joints: Links that a fixed joint connects become one.
        density: Where a file gives no mass [kg/m^3].
        armature: Added to the inertia of links or joints [kg m^2].
        use_physx_armature: It is added to joints, not to links.
        linear_damping: Of all links [1/s].
        angular_damping: Of all links [1/s].
        max_linear_velocity: Of all links [m/s].
        max_angular_velocity: Of all links [rad/s].
        default_dof_drive_mode: A ``DofDriveMode``, as a number.
    """

    __slots__ = ()
    fix_base_link: Bool = Bool(False)
    collapse_fixed_joints: Bool = Bool(False)
    use_mesh_materials: Bool = Bool(False)
    mesh_normal_mode: Choice[MeshNormalMode] = Choice(MeshNormalMode.FROM_ASSET)
    flip_visual_attachments: Bool = Bool(False)
    replace_cylinder_with_capsule: Bool = Bool(False)
    slices_per_cylinder: Int = Int(20, UINT32)
    density: Float = Float(1000.0)
    override_com: Bool = Bool(False)
    override_inertia: Bool = Bool(False)
    armature: Float = Float(0.0)
    use_physx_armature: Bool = Bool(True)
    linear_damping: Float = Float(0.0)
    angular_damping: Float = Float(0.5)
    max_linear_velocity: Float = Float(1000.0)
    max_angular_velocity: Float = Float(64.0)
    disable_gravity: Bool = Bool(False)
    enable_gyroscopic_forces: Bool = Bool(True)
    thickness: Float = Float(0.02)
    default_dof_drive_mode: Int = Int(0)
    tendon_limit_stiffness: Float = Float(1.0)
    min_particle_mass: Float = Float(1e-12)
    vhacd_enabled: Bool = Bool(False)
    vhacd_params: Nested[VhacdParams] = Nested(VhacdParams)
    convex_decomposition_from_submeshes: Bool = Bool(False)
