"""Prims of sensors: IMU, Contact and Raycast. What reads them is in ``runtime``."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from pxr import Gf, Usd, Vt

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.experimental import stage as stages
from unibody.isaac_core.experimental.arguments import Array
from unibody.isaac_core.experimental.sensors.interface import body_above
from unibody.isaac_core.experimental.xform_prim import XformPrim
from unibody.isaac_core.schemas import physx_schema, sensor_schema


class NoParentError(InvalidArgumentError, RuntimeError):
    """A sensor was to be made below nothing."""


class SensorPrim(XformPrim):
    """The prim of a sensor: the one that is there, or one that is made.

    Args:
        path: Of the prim.
        options: Attributes by their names on the prim; those that are None stay as they are.
        **placed: What `XformPrim` takes.

    Raises:
        InvalidArgumentError: Several prims have such a path, one of another type has it, or both
            positions and translations are there.
    """

    _TYPE: ClassVar[str]
    _DEFAULTS: ClassVar[dict[str, Any]]

    def __init__(self, path: str, options: dict[str, Any], **placed: Any) -> None:
        if placed.get("positions") is not None and placed.get("translations") is not None:
            raise InvalidArgumentError("translations", placed["translations"], "None, as positions")
        there, free = XformPrim.resolve_paths(path)
        if len(there) + len(free) != 1:
            raise InvalidArgumentError("path", path, f"the path of one {self._TYPE}")
        schema = getattr(sensor_schema, self._TYPE)
        if there:
            prim = handles.prim_at(there[0])
            if prim.GetTypeName() != self._TYPE:
                allowed = f"the path of a prim of the type {self._TYPE}"
                raise InvalidArgumentError("path", path, allowed)
            self._check_place(prim)
        else:
            self._check_place(handles.current_stage().GetPrimAtPath(path.rpartition("/")[0]), True)
            prim = schema.Define(handles.current_stage(), path).GetPrim()
        self._isaac_sensor_prim = schema(prim)
        given = {name: value for name, value in options.items() if value is not None}
        if not there:
            self._isaac_sensor_prim.CreateEnabledAttr(True)
            given = self._DEFAULTS | given
        for name, value in given.items():
            prim.GetAttribute(name).Set(value)
        placed.setdefault("reset_xform_op_properties", True)
        super().__init__(str(prim.GetPath()), resolve_paths=False, **placed)

    def _check_place(self, prim: Usd.Prim, above: bool = False) -> None:
        """Refuse prims that could not be read.

        Args:
            prim: The sensor's.
            above: Whether it is that above it.
        """

    @classmethod
    def create(cls, path: str, **options: Any) -> Self:
        """Make a new sensor.

        Args:
            path: Where; with a number behind it where something is.
            **options: What the class takes.

        Raises:
            NoParentError: It would be below nothing.
        """
        wanted = path.rstrip("/")
        if not wanted.rpartition("/")[0]:
            raise NoParentError("path", path, f"a path below a prim, such as /World/body{wanted}")
        return cls(stages.generate_next_free_path(wanted, prepend_default_prim=False), **options)


class IMU(SensorPrim):
    """The prim of an IMU.

    Args:
        path: Of the prim; one that is there, or a free one.
        linear_acceleration_filter_size: Steps that accelerations of a new one are averaged over.
        angular_velocity_filter_size: The same of its turning.
        orientation_filter_size: The same of its orientation.
        **placed: What `XformPrim` takes.
    """

    _TYPE = "IsaacImuSensor"
    _DEFAULTS: ClassVar[dict[str, Any]] = {}

    def __init__(
        self,
        path: str,
        *,
        linear_acceleration_filter_size: int | None = 1,
        angular_velocity_filter_size: int | None = 1,
        orientation_filter_size: int | None = 1,
        **placed: Any,
    ) -> None:
        sizes = {
            "linearAccelerationFilterWidth": linear_acceleration_filter_size,
            "angularVelocityFilterWidth": angular_velocity_filter_size,
            "orientationFilterWidth": orientation_filter_size,
        }
        there = bool(handles.current_stage().GetPrimAtPath(path))
        widths = {} if there else {name: max(int(n or 1), 1) for name, n in sizes.items()}
        super().__init__(path, widths, **placed)


class Contact(SensorPrim):
    """The prim of a contact sensor.

    Args:
        path: Of the prim; one that is there, or a free one, below a body.
        min_threshold: Force below which nothing is felt [N]; None: 0, or as it is.
        max_threshold: The greatest force that is read [N]; None: 100000, or as it is.
        radius: Of the ball in which contacts are felt; negative: everywhere; None: that, or as
            it is.
        color: Of a new one, red, green, blue and opacity.
        **placed: What `XformPrim` takes.

    Raises:
        InvalidArgumentError: No body that moves is above it.
    """

    _TYPE = "IsaacContactSensor"
    _DEFAULTS: ClassVar[dict[str, Any]] = {
        "threshold": Gf.Vec2f(0.0, 100000.0),
        "radius": -1.0,
    }

    def __init__(
        self,
        path: str,
        *,
        min_threshold: float | None = None,
        max_threshold: float | None = None,
        radius: float | None = None,
        color: Any = (1.0, 1.0, 1.0, 1.0),
        **placed: Any,
    ) -> None:
        there = bool(handles.current_stage().GetPrimAtPath(path))
        shown = None if there else Gf.Vec4f(*map(float, color))
        super().__init__(path, {"radius": radius, "color": shown}, **placed)
        if min_threshold is not None:
            self.set_min_threshold(min_threshold)
        if max_threshold is not None:
            self.set_max_threshold(max_threshold)
        if not there:
            body = handles.prim_at(body_above(self.prims[0]))
            report = physx_schema.PhysxContactReportAPI.Apply(body)
            report.CreateThresholdAttr(float(min_threshold or 0.0))

    def _check_place(self, prim: Usd.Prim, above: bool = False) -> None:
        while above and prim and not prim.IsPseudoRoot():
            enabled = prim.GetAttribute("physics:rigidBodyEnabled")
            if enabled and enabled.Get():
                return
            prim = prim.GetParent()
        if above or not body_above(prim):
            path = str(prim.GetPath()) if prim else "/"
            raise InvalidArgumentError("path", path, "a path below a body that moves")

    def get_radius(self) -> float | None:
        """Of the ball in which contacts are felt; negative: everywhere."""
        return self.prims[0].GetAttribute("radius").Get()

    def set_radius(self, value: float) -> None:
        """Set that of the ball in which contacts are felt; negative: everywhere."""
        self._isaac_sensor_prim.CreateRadiusAttr().Set(float(value))

    def get_min_threshold(self) -> float | None:
        """Force below which nothing is felt [N]."""
        return self._threshold()[0]

    def set_min_threshold(self, value: float) -> None:
        """Set the force below which nothing is felt [N]."""
        found = Gf.Vec2f(float(value), self._threshold()[1])
        self._isaac_sensor_prim.CreateThresholdAttr().Set(found)

    def get_max_threshold(self) -> float | None:
        """The greatest force that is read [N]."""
        return self._threshold()[1]

    def set_max_threshold(self, value: float) -> None:
        """Set the greatest force that is read [N]."""
        found = Gf.Vec2f(self._threshold()[0], float(value))
        self._isaac_sensor_prim.CreateThresholdAttr().Set(found)

    def _threshold(self) -> tuple[float, float]:
        least, most = self.prims[0].GetAttribute("threshold").Get()
        return float(least), float(most)


class Raycast(SensorPrim):
    """The prim of a sensor of rays. Values that are None stay, or are as the schema says.

    Args:
        path: Of the prim; one that is there, or a free one.
        min_range: Where rays begin, from their origins.
        max_range: Where they end.
        ray_origins: (rays, 3) in the sensor's frame; a new one needs them.
        ray_directions: (rays, 3) the same.
        ray_time_offsets: (rays,) when in a sweep each ray is cast [s].
        output_frame: "SENSOR" or "WORLD": what hits are reported in.
        report_hit_prim_paths: Whether paths of what is hit are reported.
        **placed: What `XformPrim` takes.

    Raises:
        InvalidArgumentError: There are not as many of one as of another, or a new one has no rays.
    """

    _TYPE = "IsaacRaycastSensor"
    _DEFAULTS: ClassVar[dict[str, Any]] = {
        "minRange": 0.4,
        "maxRange": 100.0,
        "outputFrameOfReference": "SENSOR",
        "reportHitPrimPaths": False,
    }

    def __init__(
        self,
        path: str,
        *,
        min_range: float | None = None,
        max_range: float | None = None,
        ray_origins: Array | None = None,
        ray_directions: Array | None = None,
        ray_time_offsets: Array | None = None,
        output_frame: str | None = None,
        report_hit_prim_paths: bool | None = None,
        **placed: Any,
    ) -> None:
        rows = {"ray_origins": ray_origins, "ray_directions": ray_directions,
                "ray_time_offsets": ray_time_offsets}  # fmt: skip
        counts = {name: len(one) for name, one in rows.items() if one is not None}
        if len(set(counts.values())) > 1:
            raise InvalidArgumentError(", ".join(counts), counts, "as many of one as of another")
        there = bool(handles.current_stage().GetPrimAtPath(path))
        missing = ray_origins is None or ray_directions is None
        if not there and missing:
            raise InvalidArgumentError("ray_origins", ray_origins, "rays, with ray_directions")
        told = counts.get("ray_origins", counts.get("ray_directions"))
        options = {
            "minRange": min_range,
            "maxRange": max_range,
            "rayOrigins": _vectors(ray_origins),
            "rayDirections": _vectors(ray_directions),
            "rayTimeOffsets": None
            if ray_time_offsets is None
            else Vt.FloatArray([float(one) for one in ray_time_offsets]),
            "numRays": told,
            "outputFrameOfReference": output_frame,
            "reportHitPrimPaths": report_hit_prim_paths,
        }
        super().__init__(path, options, **placed)


def _vectors(rows: Array | None) -> Vt.Vec3fArray | None:
    if rows is None:
        return None
    return Vt.Vec3fArray([Gf.Vec3f(*map(float, row)) for row in np.asarray(rows)])
