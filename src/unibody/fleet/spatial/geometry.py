"""Poses, paths, and quaternion functions of the fleet API.

Positions are metres in the world frame, quaternions (x, y, z, w), angles radians.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError
from unibody.fleet.convert import (
    IDENTITY_QUAT,
    Quat,
    Vec3,
    euler_from_quat,
    quat_apply,
    quat_from_euler,
    quat_normalized,
    quat_product,
)
from unibody.fleet.spatial.debug_drawing import without_simulation

Array = NDArray[np.float64]
ScalarOrAxes = float | Sequence[float] | Array
_SHORT = 1e-6  # m: a shorter way has no direction
_MOST_POINTS = 10**6  # of a path, and numbers of a limit
_TURN = 2.0 * math.pi


def is_scalar(v: ScalarOrAxes) -> bool:
    """Whether a limit is one number, not one an axis."""
    if isinstance(v, (int, float, np.number)):
        return True
    return isinstance(v, np.ndarray) and v.ndim == 0


def as_axes(v: ScalarOrAxes, dim: int = 3) -> Array:
    """A limit as one number an axis, (dim,).

    Raises:
        ValueError: Neither one number nor ``dim`` of them.
    """
    if not 1 <= dim <= _MOST_POINTS:
        raise InvalidArgumentError("dim", dim, f"1 to {_MOST_POINTS}")
    if is_scalar(v):
        return np.full(dim, float(v))  # type: ignore[arg-type]
    axes = np.asarray(v, dtype=float)
    if axes.shape != (dim,):
        raise ValueError(f"Expected scalar or length-{dim} sequence; got shape {axes.shape}.")
    return axes


def projected_axis_limit(limit: ScalarOrAxes, direction_unit: Array) -> float:
    """The largest length along a direction of which no axis exceeds its limit."""
    if is_scalar(limit):
        return float(limit)  # type: ignore[arg-type]
    reach = math.inf
    direction = np.atleast_1d(direction_unit)
    for part, bound in zip(direction, as_axes(limit, len(direction)), strict=True):
        if part != 0.0:
            reach = min(reach, bound / abs(part))
    return float(reach)


def clamp_vec_to_limit(vec: Array, limit: ScalarOrAxes) -> Array:
    """A vector no longer than a limit; with a limit an axis, every axis within its own."""
    vec = np.atleast_1d(np.asarray(vec, dtype=np.float64))
    if not is_scalar(limit):
        bound = as_axes(limit, vec.shape[0])
        return np.clip(vec, -bound, bound)
    longest = float(limit)  # type: ignore[arg-type]
    if longest < 0.0:
        raise InvalidArgumentError("limit", limit, "not less than 0")
    length = float(np.linalg.norm(vec))
    return vec * (longest / length) if length > longest else vec


@dataclass
class Pose:
    """Position [m] and orientation (x, y, z, w) in the world frame."""

    position: list[float]
    orientation: list[float] = field(default_factory=lambda: list(IDENTITY_QUAT))

    @property
    def x(self) -> float:
        """Position along x [m]."""
        return self.position[0]

    @property
    def y(self) -> float:
        """Position along y [m]."""
        return self.position[1]

    @property
    def z(self) -> float:
        """Position along z [m]."""
        return self.position[2]

    @property
    def roll(self) -> float:
        """Angle about x [rad]."""
        return euler_from_quat(self.orientation)[0]

    @property
    def pitch(self) -> float:
        """Angle about y [rad]."""
        return euler_from_quat(self.orientation)[1]

    @property
    def yaw(self) -> float:
        """Angle about z [rad]."""
        return euler_from_quat(self.orientation)[2]

    def __str__(self) -> str:
        yaw = math.degrees(self.yaw)
        return f"Pose(x={self.x:.2f}, y={self.y:.2f}, z={self.z:.2f}, yaw={yaw:.1f}°)"

    @classmethod
    def from_xyz(cls, x: float, y: float, z: float) -> Pose:
        """A pose without rotation."""
        return cls(position=[x, y, z])

    @classmethod
    def from_euler(
        cls,
        x: float,
        y: float,
        z: float,
        roll: float = 0.0,
        pitch: float = 0.0,
        yaw: float = 0.0,
    ) -> Pose:
        """A pose from fixed-axis angles [rad]."""
        for name, angle in (("roll", roll), ("pitch", pitch), ("yaw", yaw)):
            if math.isinf(angle):
                raise InvalidArgumentError(name, angle, "a finite angle [rad]")
        return cls([x, y, z], list(quat_from_euler(roll, pitch, yaw)))

    @classmethod
    def from_yaw(cls, x: float, y: float, z: float, yaw: float) -> Pose:
        """A pose that is turned about z [rad]."""
        return cls.from_euler(x, y, z, yaw=yaw)

    @classmethod
    def from_pybullet(cls, position: Sequence[float], orientation: Sequence[float]) -> Pose:
        """A pose from what ``getBasePositionAndOrientation`` gives."""
        return cls(list(position), list(orientation))

    def as_position(self) -> list[float]:
        """The position."""
        return self.position

    def as_orientation(self) -> list[float]:
        """The orientation."""
        return self.orientation

    def as_position_orientation(self) -> tuple[list[float], list[float]]:
        """Position and orientation."""
        return self.position, self.orientation

    def as_tuple(self) -> tuple[list[float], list[float]]:
        """Position and orientation."""
        return self.position, self.orientation

    def as_euler(self) -> Vec3:
        """Roll, pitch and yaw [rad]."""
        return euler_from_quat(self.orientation)


@dataclass
class Path:
    """Waypoints, to be visited in order."""

    waypoints: list[Pose]

    def __str__(self) -> str:
        lines = [f"Path({len(self.waypoints)} waypoints):"]
        lines += [f"  [{number}] {pose}" for number, pose in enumerate(self.waypoints)]
        return "\n".join(lines)

    def __len__(self) -> int:
        return len(self.waypoints)

    def __getitem__(self, index: int) -> Pose:
        return self.waypoints[index]

    def __iter__(self) -> Iterator[Pose]:
        return iter(self.waypoints)

    def __add__(self, other: Path) -> Path:
        return Path([*self.waypoints, *other.waypoints])

    @classmethod
    def from_positions(
        cls, positions: list[list[float]], orientation: list[float] | None = None
    ) -> Path:
        """A path with the same orientation everywhere."""
        quat = IDENTITY_QUAT if orientation is None else orientation
        return cls([Pose(list(position), list(quat)) for position in positions])

    @classmethod
    def from_paths(cls, paths: Iterable[Path]) -> Path:
        """One path after the other."""
        return cls([waypoint for path in paths for waypoint in path.waypoints])

    @classmethod
    def create_rectangle(
        cls,
        center: list[float],
        width: float,
        height: float,
        rpy: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> Path:
        """Around a rectangle, back to its first corner.

        Args:
            center: Its middle [m].
            width: Along its own x axis [m].
            height: Along its own y axis [m].
            rpy: How its plane is turned: about x, then the turned y, then the turned z [rad].
        """
        x, y = 0.5 * width, 0.5 * height
        corners = [(-x, -y), (x, -y), (x, y), (-x, y), (-x, -y)]
        return cls._in_plane(corners, center, rpy, "create_rectangle")

    @classmethod
    def create_square(
        cls, center: list[float], side_length: float, rpy: Sequence[float] = (0.0, 0.0, 0.0)
    ) -> Path:
        """Around a square, back to its first corner."""
        return cls.create_rectangle(center, side_length, side_length, rpy)

    @classmethod
    def create_ellipse(
        cls,
        center: list[float],
        radius_x: float,
        radius_y: float,
        num_points: int = 16,
        rpy: Sequence[float] = (0.0, 0.0, 0.0),
        start_angle: float = 0.0,
        end_angle: float = _TURN,
    ) -> Path:
        """Along an ellipse, in ``num_points`` straight pieces.

        Args:
            center: Its middle [m].
            radius_x: Half axis along its own x axis [m].
            radius_y: Half axis along its own y axis [m].
            num_points: Number of pieces.
            rpy: How its plane is turned, see `create_rectangle`.
            start_angle: Where it begins [rad].
            end_angle: Where it ends [rad].
        """
        if not 1 <= num_points <= _MOST_POINTS:
            raise InvalidArgumentError("num_points", num_points, f"1 to {_MOST_POINTS}")
        span = end_angle - start_angle
        angles = [start_angle + span * (i / float(num_points)) for i in range(num_points + 1)]
        points = [(radius_x * math.cos(a), radius_y * math.sin(a)) for a in angles]
        return cls._in_plane(points, center, rpy, "create_ellipse")

    @classmethod
    def create_circle(
        cls,
        center: list[float],
        radius: float,
        num_points: int = 16,
        rpy: Sequence[float] = (0.0, 0.0, 0.0),
        start_angle: float = 0.0,
        end_angle: float = _TURN,
    ) -> Path:
        """Along a circle, in ``num_points`` straight pieces."""
        return cls.create_ellipse(center, radius, radius, num_points, rpy, start_angle, end_angle)

    @classmethod
    def _in_plane(
        cls,
        points: list[tuple[float, float]],
        center: Sequence[float],
        rpy: Sequence[float],
        maker: str,
    ) -> Path:
        if len(center) != 3:
            raise ValueError(f"Path.{maker}: center must be [x, y, z]")
        if len(rpy) != 3:
            raise ValueError(f"Path.{maker}: rpy must be [roll, pitch, yaw]")
        turn = _intrinsic_matrix(*rpy)
        middle = np.asarray(center, dtype=float)
        positions = [middle + turn @ np.array([x, y, 0.0]) for x, y in points]
        waypoints: list[Pose] = []
        for i, position in enumerate(positions):
            ahead = positions[(i + 1) % len(positions)] - position
            if float(np.linalg.norm(ahead)) > _SHORT:
                quat = _facing(ahead, turn[:, 2])
            else:
                quat = list(waypoints[-1].orientation) if waypoints else list(IDENTITY_QUAT)
            waypoints.append(Pose(position.tolist(), quat))
        return cls(waypoints)

    def append(self, other: Path) -> None:
        """Put another path behind this one."""
        self.waypoints.extend(other.waypoints)

    def get_total_distance(self) -> float:
        """Length of the straight lines between the waypoints [m]."""
        pairs = zip(self.waypoints, self.waypoints[1:], strict=False)
        return math.fsum(math.dist(a.position, b.position) for a, b in pairs)

    def visualize(
        self,
        show_lines: bool = True,
        line_color: list[float] | None = None,
        line_width: float = 2.0,
        show_waypoints: bool = False,
        show_axes: bool = False,
        axis_length: float = 0.3,
        show_points: bool = False,
        point_size: float = 0.05,
        lifetime: float = 0.0,
    ) -> list[int]:
        """Draw the path in the viewer.

        Returns:
            Numbers of the items drawn; -1 each where there is no viewer.
        """
        color = [0.5, 0.5, 0.5] if line_color is None else line_color
        pairs = zip(self.waypoints, self.waypoints[1:], strict=False)
        items = [
            without_simulation.line(a.position, b.position, color, line_width, lifetime)
            for a, b in (pairs if show_lines else ())
        ]
        if show_waypoints:
            items += self.visualize_waypoints(
                show_axes, axis_length, show_points, point_size, lifetime
            )
        return items

    def visualize_waypoints(
        self,
        show_axes: bool = True,
        axis_length: float = 0.3,
        show_points: bool = True,
        point_size: float = 0.05,
        lifetime: float = 0.0,
    ) -> list[int]:
        """Draw the waypoints: a small cross, three axes and a number each."""
        items: list[int] = []
        units = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
        for number, waypoint in enumerate(self.waypoints):
            origin = waypoint.position
            if show_points:
                for unit in units:
                    for sign in (-point_size, point_size):
                        end = [o + sign * u for o, u in zip(origin, unit, strict=True)]
                        items.append(without_simulation.line(origin, end, [1, 1, 1], 3.0, lifetime))
            if show_axes:
                for unit in units:
                    axis = quat_apply(waypoint.orientation, unit)
                    end = [o + axis_length * a for o, a in zip(origin, axis, strict=True)]
                    items.append(without_simulation.line(origin, end, unit, 5.0, lifetime))
                place = [origin[0], origin[1], origin[2] + 1.2 * axis_length]
                items.append(
                    without_simulation.text(f"WP{number}", place, [1, 1, 1], 1.0, lifetime)
                )
        return items


def _intrinsic_matrix(roll: float, pitch: float, yaw: float) -> Array:
    """``Rx(roll) Ry(pitch) Rz(yaw)``."""
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    return about_x @ about_y @ about_z


def _facing(direction: Array, up: Array) -> list[float]:
    """The quaternion whose x axis points along ``direction`` and whose z axis is nearest ``up``."""
    x = direction / np.linalg.norm(direction)
    y = np.cross(up / np.linalg.norm(up), x)
    if float(np.linalg.norm(y)) < _SHORT:
        y = np.cross(up, [1.0, 0.0, 0.0] if abs(x[0]) < 0.9 else [0.0, 1.0, 0.0])
    y = y / np.linalg.norm(y)
    return list(quat_from_matrix(np.column_stack([x, y, np.cross(x, y)])))


def quat_from_matrix(matrix: Array) -> Quat:
    """Quaternion of a rotation matrix, by its largest component (Shoemake), which is positive."""
    m = np.asarray(matrix)
    if m.shape != (3, 3):
        raise InvalidArgumentError("matrix", matrix, "three rows of three numbers")
    choice = [m[0, 0], m[1, 1], m[2, 2], m[0, 0] + m[1, 1] + m[2, 2]]
    i = int(np.argmax(choice))
    quat = [0.0] * 4
    if i == 3:
        quat = [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1.0 + choice[3]]
    else:
        j, k = (i + 1) % 3, (i + 2) % 3
        quat[i] = 1.0 - choice[3] + 2.0 * m[i, i]
        quat[j] = m[j, i] + m[i, j]
        quat[k] = m[k, i] + m[i, k]
        quat[3] = m[k, j] - m[j, k]
    x, y, z, w = (float(value) for value in quat)
    return quat_normalized((x, y, z, w))


def quat_to_rot_matrix(
    quat: Sequence[float],
) -> tuple[float, float, float, float, float, float, float, float, float]:
    """The rotation matrix of a quaternion of any length, row by row.

    Raises:
        ValueError: The quaternion has length zero.
    """
    x, y, z, w = quat_normalized(quat)
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w),
        2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w),
        2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


def rotate_vector(vec: Sequence[float], quat: Sequence[float]) -> Vec3:
    """Rotate a vector by a quaternion of any length."""
    return quat_apply(quat_normalized(quat), vec)


def quat_from_rotvec(rotvec: Sequence[float]) -> Quat:
    """Quaternion of a rotation vector: axis times angle [rad]."""
    x, y, z = rotvec
    angle = math.sqrt(x * x + y * y + z * z)
    if angle < 1e-12:
        return IDENTITY_QUAT
    if not math.isfinite(angle):
        raise InvalidArgumentError("rotvec", rotvec, "three finite numbers [rad]")
    scale = math.sin(0.5 * angle) / angle
    return x * scale, y * scale, z * scale, math.cos(0.5 * angle)


def quat_multiply(q1: Sequence[float], q2: Sequence[float]) -> Quat:
    """Hamilton product: ``q2`` is applied first."""
    return quat_product(q1, q2)


def quat_angle_between(q0: Sequence[float], q1: Sequence[float]) -> float:
    """Angle of the rotation from one orientation to another, 0 to pi [rad].

    Raises:
        ValueError: A quaternion has length zero.
    """
    a, b = quat_normalized(q0), quat_normalized(q1)
    return 2.0 * math.acos(min(1.0, abs(sum(p * q for p, q in zip(a, b, strict=True)))))


class SlerpPrecomp(NamedTuple):
    """What stays the same along a slerp between two orientations."""

    dot: float
    theta_0: float
    sin_theta_0: float
    needs_flip: bool


def quat_slerp_precompute(q0: Array, q1: Array) -> SlerpPrecomp:
    """Prepare `quat_slerp` between two unit quaternions, the short way round."""
    for name, quat in (("q0", q0), ("q1", q1)):
        if np.shape(quat) != (4,):
            raise InvalidArgumentError(name, quat, "4 numbers")
    dot = float(np.dot(q0, q1))
    cosine = min(abs(dot), 1.0)
    angle = math.acos(cosine)
    return SlerpPrecomp(cosine, angle, math.sin(angle), dot < 0.0)


def quat_slerp(q0: Array, q1: Array, t: float, precomp: SlerpPrecomp) -> Array:
    """The orientation at ``t`` between two, 0 to 1."""
    end = -np.asarray(q1) if precomp.needs_flip else np.asarray(q1)
    if precomp.sin_theta_0 < 1e-8:
        mixed = q0 + t * (end - q0)
        return mixed / np.linalg.norm(mixed)
    angle = precomp.theta_0 * t
    share = math.sin(angle) / precomp.sin_theta_0
    return (math.cos(angle) - precomp.dot * share) * np.asarray(q0) + share * end


def quat_slerp_batch(
    q0: Array, q1: Array, t: Array, dot: Array, theta0: Array, sin_theta0: Array
) -> Array:
    """`quat_slerp` of many pairs, whose second quaternions have been flipped where needed.

    Args:
        q0: From where, (n, 4).
        q1: Where to, (n, 4).
        t: Where between, (n,).
        dot: Inner products, (n,), not negative.
        theta0: Their arc cosines, (n,).
        sin_theta0: The sines of those, (n,).

    Returns:
        Unit quaternions, (n, 4).
    """
    count = len(np.atleast_1d(t))
    for name, given, shape in (
        ("q0", q0, (count, 4)), ("q1", q1, (count, 4)), ("t", t, (count,)), ("dot", dot, (count,)),
        ("theta0", theta0, (count,)), ("sin_theta0", sin_theta0, (count,)),
    ):  # fmt: skip
        if np.shape(given) != shape:
            raise InvalidArgumentError(name, given, f"an array of the shape {shape}")
    q0, q1, t, dot, theta0 = (np.asarray(given) for given in (q0, q1, t, dot, theta0))
    near = np.asarray(sin_theta0) <= 1e-8
    angle = theta0 * t
    share = np.sin(angle) / np.where(near, 1.0, sin_theta0)
    arc = (np.cos(angle) - dot * share)[:, None] * q0 + share[:, None] * q1
    chord = q0 + t[:, None] * (q1 - q0)
    length = np.linalg.norm(chord, axis=1, keepdims=True)
    chord = chord / np.where(length > 1e-12, length, 1.0)
    return np.where(near[:, None], chord, arc)
