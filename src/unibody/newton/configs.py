"""What a degree of freedom and a shape are made with: JointDofConfig and ShapeConfig."""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton import convert
from unibody.newton.dialect import in_use, with_later_names
from unibody.newton.earlier_names import with_earlier_name
from unibody.newton.enums import MAXVAL, ActuatorMode, Axis, GeoType, ShapeFlags

_MOST_CELLS = 1 << 16  # of signed distances along an axis


class JointDofConfig:
    """One degree of freedom of a joint: its axis, limits and drive.

    Attributes:
        axis: Unit vector in the joint's parent anchor frame.
        limit_lower: m or rad.
        limit_upper: m or rad.
        limit_ke: Stiffness of the limits.
        limit_kd: Damping of the limits.
        target_q: Target position, `target_pos` before 1.8; the middle between the limits if it is
            outside of them.
        target_qd: Target velocity, `target_vel` before 1.8.
        target_ke: Stiffness of the drive.
        target_kd: Damping of the drive.
        armature: Inertia added about the axis.
        effort_limit: Largest force or torque.
        velocity_limit: Largest speed.
        friction: Of the joint.
        actuator_mode: What drives it; None: what the gains say.
        damping: Force against the velocity, whatever drives it [N s/m or N m s/rad].
        stiffness: Of a spring to `rest_q` [N/m or N m/rad].
        rest_q: Where the spring is at rest [m or rad]; None: 0.
    """

    @with_later_names
    def __init__(
        self,
        axis: Any = Axis.X,
        limit_lower: float = -MAXVAL,
        limit_upper: float = MAXVAL,
        limit_ke: float = 1e4,
        limit_kd: float = 1e1,
        target_pos: float = 0.0,
        target_vel: float = 0.0,
        target_ke: float = 0.0,
        target_kd: float = 0.0,
        armature: float = 1e-2,
        effort_limit: float = 1e6,
        velocity_limit: float = 1e6,
        friction: float = 0.0,
        actuator_mode: ActuatorMode | None = None,
        damping: float = 0.0,
        stiffness: float = 0.0,
        rest_q: float | None = None,
    ) -> None:
        self.axis: wp.vec3 = wp.normalize(convert.axis(axis))
        self.limit_lower = limit_lower
        self.limit_upper = limit_upper
        self.limit_ke = limit_ke
        self.limit_kd = limit_kd
        inside = not (target_pos > limit_upper or target_pos < limit_lower)
        self.target_q: float = target_pos if inside else 0.5 * (limit_lower + limit_upper)
        self.target_qd = target_vel
        self.target_ke = target_ke
        self.target_kd = target_kd
        self.armature = armature
        self.effort_limit = effort_limit
        self.velocity_limit = velocity_limit
        self.friction = friction
        self.actuator_mode = actuator_mode
        self.damping = damping
        self.stiffness = stiffness
        self.rest_q = rest_q

    @classmethod
    def create_unlimited(cls, axis: Any) -> JointDofConfig:
        """A degree of freedom without limits, armature and drive."""
        return cls(axis=axis, armature=0.0, limit_ke=0.0, limit_kd=0.0)

    target_pos: property = with_earlier_name("target_pos", "target_q")
    target_vel: property = with_earlier_name("target_vel", "target_qd")

    @property
    def mode(self) -> ActuatorMode:
        """The stated mode, or the one that the gains mean."""
        if self.actuator_mode is not None:
            return ActuatorMode(self.actuator_mode)
        drive = self.target_ke != 0.0 or self.target_kd != 0.0
        return ActuatorMode.from_gains(self.target_ke, self.target_kd, has_drive=drive)

    @property
    def bounds(self) -> tuple[float, float]:
        """The limits, with `MAXVAL` for what is infinite."""
        lower = self.limit_lower if np.isfinite(self.limit_lower) else -MAXVAL
        upper = self.limit_upper if np.isfinite(self.limit_upper) else MAXVAL
        return lower, upper


@dataclass(kw_only=True)
class MeshApproximationConfig:
    """How meshes are taken apart: `coacd_threshold` is the concavity that stays."""

    coacd_threshold: float = 0.05


@with_later_names
@dataclass
class ShapeConfig:
    """The physical properties of a shape."""

    density: float = 1000.0
    ke: float = 2500.0
    kd: float = 100.0
    kf: float = 1000.0
    ka: float = 0.0
    mu: float = 0.5
    restitution: float = 0.0
    torsional_friction: float = 0.25
    rolling_friction: float = 0.0005
    thickness: float = 1e-05
    contact_margin: float | None = None
    is_solid: bool = True
    collision_group: int = 1
    collision_filter_parent: bool = True
    has_shape_collision: bool = True
    has_particle_collision: bool = True
    is_visible: bool = True
    is_site: bool = False
    sdf_narrow_band_range: tuple[float, float] = (-0.1, 0.1)
    sdf_target_voxel_size: float | None = None
    sdf_max_resolution: int | None = None
    is_hydroelastic: bool = False
    k_hydro: float = 1e10
    gap: float | None = None
    sdf_padding: float | None = None

    @property
    def contact_distance(self) -> float | None:
        """From how far off contacts are looked for [m]; in 1.x what of it is beyond `thickness`."""
        inside = 0.0 if in_use() == "1" else self.thickness
        if self.gap is not None:
            return inside + self.gap
        return (
            None if self.contact_margin is None else self.contact_margin + inside - self.thickness
        )

    def mark_as_site(self) -> None:
        """Make the shape a site: without collisions, density and group."""
        self.is_site = True
        self.has_shape_collision = False
        self.has_particle_collision = False
        self.density = 0.0
        self.collision_group = 0

    def configure_sdf(
        self,
        *,
        max_resolution: int | None = None,
        target_voxel_size: float | None = None,
        is_hydroelastic: bool = False,
        kh: float = 1.0e10,
        texture_format: str | None = None,
        force_sdf: bool = False,
    ) -> None:
        """Say how signed distances are kept, and whether contacts are hydroelastic.

        Args:
            max_resolution: Most cells along an axis; takes the place of a size.
            target_voxel_size: Size of cells [m]; takes the place of a resolution.
            is_hydroelastic: Whether contacts are hydroelastic.
            kh: Stiffness of these [Pa/m].
            texture_format: Not supported but for None: distances are exact here.
            force_sdf: Not supported but for False.

        Raises:
            InvalidArgumentError: A resolution and a size are given.
            NotSupportedError: Another argument is not the default.
        """
        if max_resolution is not None and target_voxel_size is not None:
            alone = "None where target_voxel_size is stated"
            raise InvalidArgumentError("max_resolution", max_resolution, alone)
        if texture_format is not None or force_sdf:
            raise NotSupportedError(
                f"configure_sdf(texture_format={texture_format!r}, force_sdf={force_sdf})",
                "distances of shapes are exact without textures",
            )
        if max_resolution is not None or target_voxel_size is not None:
            self.sdf_max_resolution = max_resolution
            self.sdf_target_voxel_size = target_voxel_size
        self.is_hydroelastic: bool = is_hydroelastic
        self.kh: float = kh

    def validate(self, shape_type: int | None = None) -> None:
        """Check that the numbers fit one another.

        Raises:
            ValueError: They do not.
        """
        size, resolution = self.sdf_target_voxel_size, self.sdf_max_resolution
        if in_use() == "1":
            self._check_numbers()
        if size is not None and resolution is not None:
            both = "None where sdf_target_voxel_size is stated"
            raise InvalidArgumentError("sdf_max_resolution", resolution, both)
        if resolution is not None and resolution % 8 != 0:
            tiles = "a number divisible by 8, as distances are kept in tiles of 8x8x8"
            raise InvalidArgumentError("sdf_max_resolution", resolution, tiles)
        needs_one = shape_type in _WITH_OWN_DISTANCES and self.has_shape_collision
        if self.is_hydroelastic and needs_one and size is None and resolution is None:
            raise InvalidArgumentError(
                "is_hydroelastic",
                True,
                "sdf_max_resolution or sdf_target_voxel_size beside it: hydroelastic shapes"
                " require an SDF",
            )

    def _check_numbers(self) -> None:
        """Check what 1.x checks: the density, and how signed distances are kept."""
        if not (np.isfinite(self.density) and self.density >= 0.0):
            raise ValueError(f"density must be finite and >= 0, and is {self.density}")
        size = self.sdf_target_voxel_size
        if size is not None and not (np.isfinite(size) and size > 0.0):
            raise ValueError(f"sdf_target_voxel_size must be finite and > 0, and is {size}")
        padding = self.sdf_padding
        if padding is not None:
            if not (np.isfinite(padding) and padding >= 0.0):
                raise ValueError(f"sdf_padding must be finite and >= 0, and is {padding}")
            feature = f"ModelBuilder.ShapeConfig(sdf_padding={padding!r})"
            raise NotSupportedError(feature, "sdf_padding=None works")
        band = self.sdf_narrow_band_range
        if len(band) != 2 or not np.isfinite(band).all() or not band[0] < 0.0 < band[1]:
            within = "two finite distances: one below 0, one above"
            raise InvalidArgumentError("sdf_narrow_band_range", band, within)
        resolution = self.sdf_max_resolution
        if resolution is not None and not 0 < resolution < _MOST_CELLS:
            within = f"more than 0 and less than {_MOST_CELLS}"
            raise InvalidArgumentError("sdf_max_resolution", resolution, within)

    @property
    def flags(self) -> int:
        """The bits of `ShapeFlags`."""
        bits = 0
        for flag, attribute in _FLAGS.items():
            if getattr(self, attribute):
                bits |= int(flag)
        return bits

    @flags.setter
    def flags(self, value: int) -> None:
        self.is_visible = bool(value & ShapeFlags.VISIBLE)
        self.is_hydroelastic = bool(value & ShapeFlags.HYDROELASTIC)
        if value & ShapeFlags.SITE:
            self.mark_as_site()
            return
        self.is_site = False
        defaults: dict[str, Any] = {field.name: field.default for field in fields(self)}
        self.density = defaults["density"]
        self.collision_group = defaults["collision_group"]
        self.has_shape_collision = bool(value & ShapeFlags.COLLIDE_SHAPES)
        self.has_particle_collision = bool(value & ShapeFlags.COLLIDE_PARTICLES)

    def copy(self) -> ShapeConfig:
        """Another one with the same values."""
        return copy.copy(self)


_FLAGS = {
    ShapeFlags.VISIBLE: "is_visible",
    ShapeFlags.COLLIDE_SHAPES: "has_shape_collision",
    ShapeFlags.COLLIDE_PARTICLES: "has_particle_collision",
    ShapeFlags.SITE: "is_site",
    ShapeFlags.HYDROELASTIC: "is_hydroelastic",
}
_WITH_OWN_DISTANCES = (
    GeoType.SPHERE,
    GeoType.BOX,
    GeoType.CAPSULE,
    GeoType.CYLINDER,
    GeoType.ELLIPSOID,
    GeoType.CONE,
)
