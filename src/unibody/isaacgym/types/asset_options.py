"""How assets are loaded."""

from __future__ import annotations

from unibody.isaacgym.types.enums import MeshNormalMode
from unibody.isaacgym.types.fields import UINT32, Bool, Choice, Float, Int, Nested, Struct


class VhacdParams(Struct):
    """Parameters of the convex decomposition."""

    __slots__ = ()
    concavity = Float(0.0)
    alpha = Float(0.05)
    beta = Float(0.05)
    min_volume_per_ch = Float(0.0001)
    resolution = Int(100_000, UINT32)
    max_num_vertices_per_ch = Int(64, UINT32)
    plane_downsampling = Int(4, UINT32)
    convex_hull_downsampling = Int(4, UINT32)
    pca = Int(0, UINT32)
    mode = Int(0, UINT32)
    convex_hull_approximation = Bool(True)
    ocl_acceleration = Bool(True)
    max_convex_hulls = Int(64, UINT32)
    project_hull_vertices = Bool(True)


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
    fix_base_link = Bool(False)
    collapse_fixed_joints = Bool(False)
    use_mesh_materials = Bool(False)
    mesh_normal_mode = Choice(MeshNormalMode.FROM_ASSET)
    flip_visual_attachments = Bool(False)
    replace_cylinder_with_capsule = Bool(False)
    slices_per_cylinder = Int(20, UINT32)
    density = Float(1000.0)
    override_com = Bool(False)
    override_inertia = Bool(False)
    armature = Float(0.0)
    use_physx_armature = Bool(True)
    linear_damping = Float(0.0)
    angular_damping = Float(0.5)
    max_linear_velocity = Float(1000.0)
    max_angular_velocity = Float(64.0)
    disable_gravity = Bool(False)
    enable_gyroscopic_forces = Bool(True)
    thickness = Float(0.02)
    default_dof_drive_mode = Int(0)
    tendon_limit_stiffness = Float(1.0)
    min_particle_mass = Float(1e-12)
    vhacd_enabled = Bool(False)
    vhacd_params = Nested(VhacdParams)
    convex_decomposition_from_submeshes = Bool(False)
