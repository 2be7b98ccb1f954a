"""States of robots, or what is wanted of them: joints, root, links and sites."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.experimental.motion.fields import (
    Field,
    Given,
    check_array,
    check_given,
    check_names,
    rows_of,
    values_of,
)

Array: TypeAlias = "wp.array[Any] | None"


class JointState:
    """Positions, velocities and efforts of some of the joints of a robot.

    Args:
        robot_joint_space: Names of all joints.
        data_array: (3, joints) positions, velocities and efforts.
        valid_array: (3, joints) which of them are known.

    Raises:
        InvalidArgumentError: An array has another type or shape, or a name is there twice.
    """

    def __init__(self, robot_joint_space: list[str], data_array: Any, valid_array: Any) -> None:
        shape = (3, len(robot_joint_space))
        data = check_array("data_array", data_array, wp.float32, shape)
        valid = check_array("valid_array", valid_array, wp.bool, shape)
        check_names("robot_joint_space", robot_joint_space)
        self._space, self._data, self._valid = robot_joint_space, data_array, valid_array
        self._fields = [Field(robot_joint_space, data[i], valid[i]) for i in range(3)]

    @classmethod
    def from_name(
        cls,
        robot_joint_space: list[str],
        positions: Given = None,
        velocities: Given = None,
        efforts: Given = None,
    ) -> JointState:
        """What is known of joints by their names, each a list of names and their values.

        Raises:
            InvalidArgumentError: Nothing is given, or what is does not fit the joints.
        """
        given = {"positions": positions, "velocities": velocities, "efforts": efforts}
        return cls._made(robot_joint_space, given, named=True)

    @classmethod
    def from_index(
        cls,
        robot_joint_space: list[str],
        positions: Given = None,
        velocities: Given = None,
        efforts: Given = None,
    ) -> JointState:
        """What is known of joints by their numbers, each an array of numbers and their values.

        Raises:
            InvalidArgumentError: Nothing is given, or what is does not fit the joints.
        """
        given = {"positions": positions, "velocities": velocities, "efforts": efforts}
        return cls._made(robot_joint_space, given, named=False)

    @classmethod
    def _made(cls, space: list[str], given: dict[str, Given], *, named: bool) -> JointState:
        check_given(given)
        data = np.zeros((3, len(space)), np.float32)
        valid = np.zeros((3, len(space)), bool)
        for row, (name, one) in enumerate(given.items()):
            if one is not None:
                which = rows_of(name, space, one[0], named=named)
                data[row, which] = values_of(name, one[1], (len(which),))
                valid[row, which] = True
        return cls(space, _floats(data), _flags(valid))

    @property
    def robot_joint_space(self) -> list[str]:
        """Names of all joints."""
        return self._space

    @property
    def position_names(self) -> list[str]:
        """Joints whose positions are known."""
        return self._fields[0].names

    @property
    def position_indices(self) -> wp.array[Any]:
        """Their numbers."""
        return self._fields[0].indices

    @property
    def positions(self) -> Array:
        """Their positions [rad or m]; None if none are known."""
        return self._fields[0].values

    @property
    def velocity_names(self) -> list[str]:
        """Joints whose velocities are known."""
        return self._fields[1].names

    @property
    def velocity_indices(self) -> wp.array[Any]:
        """Their numbers."""
        return self._fields[1].indices

    @property
    def velocities(self) -> Array:
        """Their velocities [rad/s or m/s]; None if none are known."""
        return self._fields[1].values

    @property
    def effort_names(self) -> list[str]:
        """Joints whose efforts are known."""
        return self._fields[2].names

    @property
    def effort_indices(self) -> wp.array[Any]:
        """Their numbers."""
        return self._fields[2].indices

    @property
    def efforts(self) -> Array:
        """Their efforts [Nm or N]; None if none are known."""
        return self._fields[2].values

    @property
    def data_array(self) -> wp.array[Any]:
        """(3, joints) positions, velocities and efforts."""
        return self._data

    @property
    def valid_array(self) -> wp.array[Any]:
        """(3, joints) which of them are known."""
        return self._valid


_KINDS = {"positions": 3, "orientations": 4, "linear_velocities": 3, "angular_velocities": 3}


class SpatialState:
    """Poses and velocities of some frames, such as those of links.

    Args:
        spatial_space: Names of all frames.
        position_data: (frames, 3) [m].
        linear_velocity_data: (frames, 3) [m/s].
        orientation_data: (frames, 4) w, x, y, z.
        angular_velocity_data: (frames, 3) [rad/s].
        valid_array: (frames, 4) whether positions, orientations, velocities and angular
            velocities are known.

    Raises:
        InvalidArgumentError: An array has another type or shape, or a name is there twice.
    """

    def __init__(
        self,
        spatial_space: list[str],
        position_data: Any,
        linear_velocity_data: Any,
        orientation_data: Any,
        angular_velocity_data: Any,
        valid_array: Any,
    ) -> None:
        check_names("spatial_space", spatial_space)
        count = len(spatial_space)
        valid = check_array("valid_array", valid_array, wp.bool, (count, 4))
        self._space, self._valid = spatial_space, valid_array
        self._data = (
            position_data, orientation_data, linear_velocity_data, angular_velocity_data
        )  # fmt: skip
        names = ("position_data", "orientation_data", "linear_velocity_data",
                 "angular_velocity_data")  # fmt: skip
        self._fields = [
            Field(spatial_space, check_array(name, one, wp.float32, (count, width)), valid[:, i])
            for i, (name, one, width) in enumerate(
                zip(names, self._data, _KINDS.values(), strict=True)
            )
        ]

    @classmethod
    def from_name(
        cls,
        spatial_space: list[str],
        positions: Given = None,
        orientations: Given = None,
        linear_velocities: Given = None,
        angular_velocities: Given = None,
    ) -> SpatialState:
        """What is known of frames by their names, each a list of names and rows of values.

        Raises:
            InvalidArgumentError: Nothing is given, or what is does not fit the frames.
        """
        given = (positions, orientations, linear_velocities, angular_velocities)
        return cls._made(spatial_space, dict(zip(_KINDS, given, strict=True)), named=True)

    @classmethod
    def from_index(
        cls,
        spatial_space: list[str],
        positions: Given = None,
        orientations: Given = None,
        linear_velocities: Given = None,
        angular_velocities: Given = None,
    ) -> SpatialState:
        """What is known of frames by their numbers, each an array of numbers and rows of values.

        Raises:
            InvalidArgumentError: Nothing is given, or what is does not fit the frames.
        """
        given = (positions, orientations, linear_velocities, angular_velocities)
        return cls._made(spatial_space, dict(zip(_KINDS, given, strict=True)), named=False)

    @classmethod
    def _made(cls, space: list[str], given: dict[str, Given], *, named: bool) -> SpatialState:
        check_given(given)
        valid = np.zeros((len(space), 4), bool)
        data = {name: np.zeros((len(space), width), np.float32) for name, width in _KINDS.items()}
        for column, (name, one) in enumerate(given.items()):
            if one is not None:
                which = rows_of(name, space, one[0], named=named)
                data[name][which] = values_of(name, one[1], (len(which), _KINDS[name]))
                valid[which, column] = True
        return cls._of(space, list(data.values()), valid)

    @classmethod
    def _of(cls, space: list[str], data: list[np.ndarray], valid: np.ndarray) -> SpatialState:
        place, turn, speed, spin = (_floats(one) for one in data)
        return cls(space, place, speed, turn, spin, _flags(valid))

    @property
    def spatial_space(self) -> list[str]:
        """Names of all frames."""
        return self._space

    @property
    def position_names(self) -> list[str]:
        """Frames whose positions are known."""
        return self._fields[0].names

    @property
    def position_indices(self) -> wp.array[Any]:
        """Their numbers."""
        return self._fields[0].indices

    @property
    def positions(self) -> Array:
        """(..., 3) their positions; None if none are known."""
        return self._fields[0].values

    @property
    def orientation_names(self) -> list[str]:
        """Frames whose orientations are known."""
        return self._fields[1].names

    @property
    def orientation_indices(self) -> wp.array[Any]:
        """Their numbers."""
        return self._fields[1].indices

    @property
    def orientations(self) -> Array:
        """(..., 4) their orientations, w, x, y, z; None if none are known."""
        return self._fields[1].values

    @property
    def linear_velocity_names(self) -> list[str]:
        """Frames whose velocities are known."""
        return self._fields[2].names

    @property
    def linear_velocity_indices(self) -> wp.array[Any]:
        """Their numbers."""
        return self._fields[2].indices

    @property
    def linear_velocities(self) -> Array:
        """(..., 3) their velocities; None if none are known."""
        return self._fields[2].values

    @property
    def angular_velocity_names(self) -> list[str]:
        """Frames whose angular velocities are known."""
        return self._fields[3].names

    @property
    def angular_velocity_indices(self) -> wp.array[Any]:
        """Their numbers."""
        return self._fields[3].indices

    @property
    def angular_velocities(self) -> Array:
        """(..., 3) their angular velocities; None if none are known."""
        return self._fields[3].values

    @property
    def position_data(self) -> wp.array[Any]:
        """(frames, 3) positions."""
        return self._data[0]

    @property
    def orientation_data(self) -> wp.array[Any]:
        """(frames, 4) orientations."""
        return self._data[1]

    @property
    def linear_velocity_data(self) -> wp.array[Any]:
        """(frames, 3) velocities."""
        return self._data[2]

    @property
    def angular_velocity_data(self) -> wp.array[Any]:
        """(frames, 3) angular velocities."""
        return self._data[3]

    @property
    def valid_array(self) -> wp.array[Any]:
        """(frames, 4) what is known."""
        return self._valid


_ROOT = {"position": 3, "orientation": 4, "linear_velocity": 3, "angular_velocity": 3}


class RootState:
    """Pose and velocities of the root of a robot.

    Args:
        position: (3,) [m].
        orientation: (4,) w, x, y, z.
        linear_velocity: (3,) [m/s].
        angular_velocity: (3,) [rad/s].

    Raises:
        InvalidArgumentError: All are None, or one has another shape.
    """

    def __init__(
        self,
        position: Array = None,
        orientation: Array = None,
        linear_velocity: Array = None,
        angular_velocity: Array = None,
    ) -> None:
        given = dict(
            zip(_ROOT, (position, orientation, linear_velocity, angular_velocity), strict=True)
        )
        check_given(given)  # type: ignore[arg-type]
        self._parts: dict[str, Array] = {}
        for name, one in given.items():
            if one is not None and (not isinstance(one, wp.array) or one.ndim != 1):
                raise InvalidArgumentError(name, one, f"an array of Warp of {_ROOT[name]} floats")
            plain = None if one is None else values_of(name, one, (_ROOT[name],))
            self._parts[name] = (
                None if one is None else wp.array(plain, dtype=wp.float32, device=one.device)
            )

    @property
    def position(self) -> Array:
        """(3,) where it is; None: not known."""
        return self._parts["position"]

    @property
    def orientation(self) -> Array:
        """(4,) w, x, y, z; None: not known."""
        return self._parts["orientation"]

    @property
    def linear_velocity(self) -> Array:
        """(3,) velocity; None: not known."""
        return self._parts["linear_velocity"]

    @property
    def angular_velocity(self) -> Array:
        """(3,) angular velocity; None: not known."""
        return self._parts["angular_velocity"]


class RobotState:
    """What is known or wanted of a robot.

    Args:
        joints: Of its joints; None: nothing.
        root: Of its root.
        links: Of its links.
        sites: Of other frames, such as those of tools.

    Raises:
        InvalidArgumentError: One is of another type.
    """

    def __init__(
        self,
        joints: JointState | None = None,
        root: RootState | None = None,
        links: SpatialState | None = None,
        sites: SpatialState | None = None,
    ) -> None:
        kinds = {"joints": JointState, "root": RootState, "links": SpatialState,
                 "sites": SpatialState}  # fmt: skip
        for (name, kind), one in zip(kinds.items(), (joints, root, links, sites), strict=True):
            if one is not None and not isinstance(one, kind):
                raise InvalidArgumentError(name, one, f"a {kind.__name__}")
        self._joints, self._root, self._links, self._sites = joints, root, links, sites

    @property
    def joints(self) -> JointState | None:
        """Of its joints."""
        return self._joints

    @property
    def root(self) -> RootState | None:
        """Of its root."""
        return self._root

    @property
    def links(self) -> SpatialState | None:
        """Of its links."""
        return self._links

    @property
    def sites(self) -> SpatialState | None:
        """Of other frames."""
        return self._sites


class _ClashError(Exception):
    """Two states say something of the same joint, frame or root, or have other names."""


def combine_robot_states(
    robot_state_1: RobotState | None, robot_state_2: RobotState | None
) -> RobotState | None:
    """What two states say together; None where both speak of the same, or one is None."""
    one, two = robot_state_1, robot_state_2
    if one is None or two is None:
        return None
    try:
        return RobotState(
            _joined(one.joints, two.joints, _joints),
            _joined(one.root, two.root, _roots),
            _joined(one.links, two.links, _frames),
            _joined(one.sites, two.sites, _frames),
        )
    except _ClashError:
        return None


def _joined(one: Any, two: Any, join: Any) -> Any:
    return (one or two) if one is None or two is None else join(one, two)


def _known(one: Any, two: Any, names: tuple[list[str], list[str]]) -> tuple[Any, Any]:
    first, second = one.valid_array.numpy(), two.valid_array.numpy()
    if names[0] != names[1] or (first & second).any():
        raise _ClashError
    return first, first | second


def _joints(one: JointState, two: JointState) -> JointState:
    first, valid = _known(one, two, (one.robot_joint_space, two.robot_joint_space))
    data = np.where(first, one.data_array.numpy(), two.data_array.numpy())
    return JointState(one.robot_joint_space, _floats(data), _flags(valid))


def _frames(one: SpatialState, two: SpatialState) -> SpatialState:
    first, valid = _known(one, two, (one.spatial_space, two.spatial_space))
    data = [
        np.where(first[:, [i]], a.numpy(), b.numpy())
        for i, (a, b) in enumerate(zip(one._data, two._data, strict=True))
    ]
    return SpatialState._of(one.spatial_space, data, valid)


def _roots(one: RootState, two: RootState) -> RootState:
    pairs = {name: (one._parts[name], two._parts[name]) for name in _ROOT}
    if any(a is not None and b is not None for a, b in pairs.values()):
        raise _ClashError
    return RootState(**{name: b if a is None else a for name, (a, b) in pairs.items()})


def _floats(values: np.ndarray) -> wp.array[Any]:
    return wp.array(np.ascontiguousarray(values), dtype=wp.float32, device="cpu")


def _flags(values: np.ndarray) -> wp.array[Any]:
    return wp.array(np.ascontiguousarray(values), dtype=wp.bool, device="cpu")
