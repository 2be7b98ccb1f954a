"""One body's tree as arrays: geometry from its description, inertias from its record."""

from __future__ import annotations

import functools
import struct
import sys
import time
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from unibody.core.assets.description import JointType, Link, Pose, Quat
from unibody.core.assets.link_order import parents_first
from unibody.core.assets.transforms import pose_inverse
from unibody.core.engine.kinematics import algorithms as algo
from unibody.core.engine.kinematics import ik
from unibody.core.engine.kinematics.algorithms import Array
from unibody.core.engine.kinematics.compiled import algorithms
from unibody.core.engine.records.body import BodyRecord, LinkRecord
from unibody.machine_code import numba

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KINDS = {
    JointType.FIXED: algo.FIXED,
    JointType.FLOATING: algo.FIXED,
    JointType.REVOLUTE: algo.REVOLUTE,
    JointType.CONTINUOUS: algo.REVOLUTE,
    JointType.PRISMATIC: algo.PRISMATIC,
}
_SLOW_COMPILE = 1.0  # s
DEFAULT_DAMPING = 0.5
_POINT, _TURN = struct.Struct("=3d"), struct.Struct("=8d")
_NULL_ROWS = 4
Rows = tuple[tuple[float, ...], ...]
_AS_FIXED = (JointType.SPHERICAL, JointType.PLANAR)


class _Goal(NamedTuple):
    """Where numbers of links and their targets are, for inverse kinematics."""

    links: struct.Struct
    targets: struct.Struct
    memory: Array
    bytes: Any
    address: int


class _Kernels:
    """The algorithms, compiled or loaded from numba's cache when they are first used."""

    @functools.cached_property
    def jacobian(self) -> Any:
        return _compile(algo.jacobian, "i2 f2 f1 i f1 i i1 f2 f2")

    @functools.cached_property
    def mass_matrix(self) -> Any:
        return _compile(algo.mass_matrix, "i2 f2 f2 f1 i i1 f2 f2")

    @functools.cached_property
    def inverse_dynamics(self) -> Any:
        return _compile(algo.inverse_dynamics, "i2 f2 f2 f1 i i1 f2 f2 f1")


def _compile(kernel: Any, arguments: str) -> Any:
    """Compile a kernel for integers (``i``), and arrays of one or two axes of them or of floats."""
    integer, number = numba.int64, numba.float64
    kinds = {
        "i": integer, "i1": integer[::1], "i2": integer[:, ::1],
        "f1": number[::1], "f2": number[:, ::1],
    }  # fmt: skip
    begin = time.perf_counter()
    kernel.compile(tuple(kinds[name] for name in arguments.split()))
    seconds = time.perf_counter() - begin
    if seconds > _SLOW_COMPILE:
        name = kernel.__name__
        text = f"unibody: compiled {name} in {seconds:.1f} s (cached for the next start)"
        print(text, file=sys.stderr)  # noqa: T201 - a start that takes long says why
    return kernel


_kernels = _Kernels()


class Chain:
    """The tree of one body, apart from the world it lives in.

    All results are in the inertial frame of the base (at its centre of mass, along its principal
    axes), whatever the pose of the base in the world. Joints with one axis count, in the order of
    the links; a floating joint below the base is rigid.

    Attributes:
        dofs: Joints that move.
        base: 6 if the base moves, else 0: columns and forces before those of the joints.
        unsupported: Types of joints that the chain cannot move; it takes them for rigid.
        q, marked, frames: Memory for the algorithms.
    """

    def __init__(self, record: BodyRecord) -> None:
        links = record.asset.links
        count = len(links)
        self.base = 0 if record.fixed else algo.BASE_DOFS
        self.unsupported: tuple[JointType, ...] = tuple(
            link.joint.type for link in links if link.joint.type in _AS_FIXED
        )
        self.tree: NDArray[np.int64] = np.zeros((count, algo.TREE_SIZE), np.int64)
        self.geometry: NDArray[np.float64] = np.zeros((count, algo.GEOMETRY_SIZE))
        self.inertials: NDArray[np.float64] = np.zeros((count, algo.INERTIAL_SIZE))
        self.frames: NDArray[np.float64] = np.zeros((count, algo.FRAME_SIZE))
        self.marked: NDArray[np.int64] = np.zeros(count, np.int64)
        self.dofs: int = 0
        self._row_of = _rows_of(links)
        for index, link in enumerate(links):
            row = self._row_of[index]
            above = -1 if link.parent < 0 else self._row_of[link.parent]
            kind = _KINDS.get(link.joint.type, algo.FIXED) if index else algo.FIXED
            dof = -1
            if kind != algo.FIXED:
                dof = self.dofs
                self.dofs += 1
            self.tree[row] = (above, kind, dof)
            _write_pose(self.geometry[row], link.joint.origin)
            self.geometry[row, 12:] = link.joint.axis
        size = self.base + self.dofs
        self.q: NDArray[np.float64] = np.zeros(self.dofs)
        self._local = np.zeros(6)
        self._motion = np.zeros(self.dofs + 2 * size + 3)
        self._jacobian = np.zeros((6, size))
        self._mass = np.zeros((size, size))
        self._forces = np.zeros(size)
        self._work = np.zeros((count, algo.WORK_SIZE))
        # bytes: packing and unpacking take half the time of conversions from and to lists
        self._bytes_q = _bytes(self.q)
        self._bytes_local = _bytes(self._local)
        self._bytes_motion = _bytes(self._motion)
        self._bytes_jacobian = _bytes(self._jacobian)
        self._bytes_mass = _bytes(self._mass)
        self._bytes_forces = _bytes(self._forces)
        self._numbers = struct.Struct(f"={self.dofs}d")
        self._motion_numbers = struct.Struct(f"={len(self._motion)}d")
        self._row = struct.Struct(f"={size}d")
        self._damping = np.full(self.dofs, DEFAULT_DAMPING)
        self._damping_at = self._damping.ctypes.data
        self._goals: dict[int, _Goal] = {}  # by how many links there are
        self._goal = np.zeros(8 + (1 + _NULL_ROWS) * self.dofs)  # turn, damping and null space
        self._goal_at, self._goal_bytes = self._goal.ctypes.data, _bytes(self._goal)
        arrays = (
            self.tree, self.geometry, self.inertials, self.marked, self.frames, self.q,
            self._local, self._motion, self._jacobian, self._mass, self._forces, self._work,
        )  # fmt: skip
        at = [array.ctypes.data for array in arrays]
        self._numbers_of_chain = np.array([count, self.dofs, self.base, *at], np.int64)
        self._at = self._numbers_of_chain.ctypes.data
        self._compiled = algorithms()
        self._known: list[Any] = []
        self.refresh(record.links)

    def refresh(self, links: Sequence[LinkRecord]) -> None:
        """Take over masses, inertias and mass centres that changed since the last call."""
        present = [value for s in links for value in (s.com, s.mass, s.inertia)]
        if present == self._known:
            return
        self._known = present
        _write_pose(self.geometry[0], pose_inverse(links[0].com))
        for index, state in enumerate(links):
            axes = rotation_matrix(state.com.quat)
            row = self.inertials[self._row_of[index]]
            row[0] = state.mass
            row[1:4] = state.com.pos
            row[4:] = (axes @ np.diag(state.inertia) @ axes.T).ravel()

    def jacobian(self, q: Sequence[float], link: int, point: Sequence[float]) -> Rows:
        """Velocity of a point of a link per unit of each coordinate, 6 rows of base + dofs.

        Args:
            q: Joint positions [rad or m], (dofs,).
            link: Index of the link, 0 is the base.
            point: In the link frame [m].

        Returns:
            Three rows of linear and three of angular velocity. The columns of a moving base are
            its angular, then its linear velocity.

        Raises:
            struct.error: A sequence has the wrong length, or something in it is no number.
        """
        link = self._row_of[link]
        found = self._compiled.jacobian(self._at, q, link, point)
        if found is not None:
            return found
        self._numbers.pack_into(self._bytes_q, 0, *q)
        _POINT.pack_into(self._bytes_local, 0, *point)
        _kernels.jacobian(
            self.tree,
            self.geometry,
            self.q,
            link,
            self._local,
            self.base,
            self.marked,
            self.frames,
            self._jacobian,
        )
        return tuple(self._row.iter_unpack(self._bytes_jacobian))

    def mass_matrix(self, q: Sequence[float]) -> Rows:
        """Joint-space inertia, square, in the order of the Jacobian's columns.

        Raises:
            struct.error: A sequence has the wrong length, or something in it is no number.
        """
        found = self._compiled.mass_matrix(self._at, q)
        if found is not None:
            return found
        self._numbers.pack_into(self._bytes_q, 0, *q)
        _kernels.mass_matrix(
            self.tree,
            self.geometry,
            self.inertials,
            self.q,
            self.base,
            self.marked,
            self.frames,
            self._mass,
        )
        return tuple(self._row.iter_unpack(self._bytes_mass))

    def inverse_dynamics(
        self,
        q: Sequence[float],
        velocities: Sequence[float],
        accelerations: Sequence[float],
        gravity: Sequence[float],
    ) -> tuple[float, ...]:
        """Forces that make a body move as given, (base + dofs,) [Nm or N].

        Args:
            q: Joint positions, (dofs,).
            velocities: Of the base (angular, linear), then of the joints, (base + dofs,).
            accelerations: The same.
            gravity: [m/s^2], in the inertial frame of the base.

        Raises:
            struct.error: A sequence has the wrong length, or something in it is no number.
        """
        found = self._compiled.inverse_dynamics(self._at, q, velocities, accelerations, gravity)
        if found is not None:
            return found
        self._motion_numbers.pack_into(
            self._bytes_motion, 0, *q, *velocities, *accelerations, *gravity
        )
        _kernels.inverse_dynamics(
            self.tree,
            self.geometry,
            self.inertials,
            self._motion,
            self.base,
            self.marked,
            self.frames,
            self._work,
            self._forces,
        )
        return self._row.unpack_from(self._bytes_forces)

    def _new_goal(self, count: int) -> _Goal:
        """Memory for links and their targets."""
        links, targets = struct.Struct(f"={count}q"), struct.Struct(f"={3 * count}d")
        memory = np.zeros(4 * count)
        goal = _Goal(links, targets, memory, _bytes(memory), memory.ctypes.data)
        self._goals[count] = goal
        return goal

    def inverse_kinematics(  # noqa: PLR0913 - what the method has to know
        self,
        start: Sequence[float],
        links: Sequence[int],
        targets: Sequence[Sequence[float]],
        *,
        turn: tuple[Quat, Quat] | None = None,
        damping: Sequence[float] | None = None,
        null: Sequence[Sequence[float]] | None = None,
        iterations: int = 20,
        threshold: float = 1e-4,
    ) -> tuple[float, ...]:
        """Joint positions that bring links to targets, (dofs,); see ik.damped_least_squares.

        Args:
            start: Joint positions to start from, (dofs,).
            links: Indices of the links, (k,), 0 is the base.
            targets: Where the origins of their frames should be [m], (k, 3).
            turn: Orientation wanted for the one link, and the frame in it that should have it.
            damping: Of each joint, (dofs,); 0.5 each by default.
            null: Lower limits, upper limits, ranges and rest pose, (4, dofs).
            iterations: At most so many.
            threshold: Stop once all links were closer than this [m].

        Raises:
            struct.error: Something has the wrong length, or something in it is no number.
        """
        self._numbers.pack_into(self._bytes_q, 0, *start)
        goal = self._goals.get(len(links)) or self._new_goal(len(links))
        goal.links.pack_into(goal.bytes, 0, *[self._row_of[link] for link in links])
        goal.targets.pack_into(goal.bytes, goal.links.size, *chain.from_iterable(targets))
        at = goal.address, goal.address + goal.links.size
        turn_at, damping_at, null_at = 0, self._damping_at, 0
        if turn is not None:
            turn_at = self._goal_at
            _TURN.pack_into(self._goal_bytes, 0, *turn[0], *turn[1])
        if damping is not None:
            damping_at = self._goal_at + _TURN.size
            self._numbers.pack_into(self._goal_bytes, _TURN.size, *damping)
        if null is not None:
            begin = _TURN.size + self._numbers.size
            null_at = self._goal_at + begin
            for row in range(_NULL_ROWS):
                place = begin + row * self._numbers.size
                self._numbers.pack_into(self._goal_bytes, place, *null[row])
        ik.damped_least_squares()(
            self._at, at[0], len(links), at[1], turn_at, damping_at, null_at, iterations, threshold
        )
        return self._numbers.unpack_from(self._bytes_q)


def rotation_matrix(quat: Quat) -> Array:
    """Rotation matrix of a unit quaternion (w, x, y, z), (3, 3)."""
    w, x, y, z = quat
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )


def _rows_of(links: Sequence[Link]) -> list[int]:
    """Which row of the arrays is about each link: algorithms take parents first."""
    rows = [0] * len(links)
    for row, index in enumerate(parents_first(links)):
        rows[index] = row
    return rows


def _write_pose(row: Array, pose: Pose) -> None:
    row[:9] = rotation_matrix(pose.quat).ravel()
    row[9:12] = pose.pos


def _bytes(array: Array) -> Any:
    """The memory of an array."""
    return memoryview(array.data).cast("B") if array.size else bytearray()
