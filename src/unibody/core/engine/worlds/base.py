"""What a set of worlds offers, whatever it runs on."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np

from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.worlds.solutions import PlainSolver, Solution, Wanted

Array = Any  # numpy.ndarray (float64) on "cpu", warp.array (float32) on a Warp device
Ids = Any  # sequence of world numbers, or None for all


class Worlds(abc.ABC):
    """``count`` worlds of one scene.

    All arrays are live: what is written into a state array is the state of the next step. They
    have MuJoCo's layout and order (quaternions ``wxyz``), the world first. Where bodies, joints
    and drives lie is told by the records of the scene (``record.body``, ``joint.qpos``, ...).

    Attributes:
        count: Number of worlds, N.
        device: "cpu", "cuda:0", "warp-cpu", ...
        model: The MjModel all worlds start from.
        records: Bodies of the scene by id.
        qpos: Coordinates, (N, nq) [m, rad].
        qvel: Velocities, (N, nv) [m/s, rad/s]; of free joints the angular part in the body frame.
        mocap_pos, mocap_quat: Poses of fixed bases, (N, nmocap, 3) [m] and (N, nmocap, 4); the row
            of a body is ``record.mocap``.
        drives: The drives' rules, (N, ndrive, DRIVE_SIZE); the columns are ``rule_table.D_*``, the
            row of a joint is ``joint.drive``.
        equalities: The constraints' rules, (N, constraints, EQUALITY_SIZE); the columns are
            ``rule_table.E_*``, the row of a constraint is ``constraint.index``.
        qfrc_applied: Generalised forces, (N, nv) [N, Nm]; they stay until overwritten.
        xfrc_applied: Force and torque on each body, (N, nbody, 6) [N, Nm], at its centre of mass
            in the world frame; they stay until overwritten.
        xpos, xquat: Poses of the body frames, (N, nbody, 3) [m] and (N, nbody, 4), as of the last
            ``kinematics``.
        xipos: Centres of mass, (N, nbody, 3) [m], as of the last ``kinematics``.
        linear, angular: Velocity of the centre of mass [m/s] and angular velocity [rad/s] in the
            world frame, (N, nbody, 3) each, as of the last ``kinematics``.
        contact_wrench: Force and torque of all contacts on each body, (N, nbody, 6) [N, Nm], at
            its centre of mass in the world frame, of the last substep.
        dof_force: What drives, limits, joint friction and other constraints without contacts
            exert on each degree of freedom, (N, nv) [N, Nm], of the last substep.
    """

    _plain_solver: PlainSolver | None = None
    count: int
    device: str
    model: Any
    records: dict[int, BodyRecord]
    qpos: Array
    qvel: Array
    mocap_pos: Array
    mocap_quat: Array
    drives: Array
    equalities: Array
    qfrc_applied: Array
    xfrc_applied: Array
    xpos: Array
    xquat: Array
    xipos: Array
    linear: Array
    angular: Array
    contact_wrench: Array
    dof_force: Array

    @abc.abstractmethod
    def step(self, substeps: int = 1) -> None:
        """Advance all worlds by ``substeps`` time steps."""

    def step_and_place(self, substeps: int = 1) -> None:
        """Do what ``step`` and then ``kinematics`` do."""
        self.step(substeps)
        self.kinematics()

    @abc.abstractmethod
    def kinematics(self) -> None:
        """Bring ``xpos``, ``xquat``, ``xipos``, ``linear`` and ``angular`` up to the state."""

    @abc.abstractmethod
    def jacobians(self, record: BodyRecord) -> Array:
        """Jacobians of the links of one body, as of the last ``kinematics``.

        Returns:
            (N, links, 6, nv of the body): velocity of the link's centre of mass over its angular
            velocity, world frame, by the body's degrees of freedom in MuJoCo's order (a free base
            comes first; its angular columns are in the base's frame).
        """

    @abc.abstractmethod
    def mass_matrices(self, record: BodyRecord) -> Array:
        """Joint-space inertia of one body, as of the last ``kinematics``, (N, nv, nv)."""

    @abc.abstractmethod
    def parameter(self, name: str) -> Array:
        """A model parameter with one value a world, (N, ...), live; MuJoCo's name and layout.

        ``"body_mass"``, ``"geom_friction"``, ``"tendon_frictionloss"``, ``"opt.gravity"``, ...;
        of the numbers of ``rule_table`` ``"geom_user"``, ``"jnt_user"`` and ``"body_user"``.
        Call ``parameters_changed`` after writing masses, inertias or sizes.
        """

    @abc.abstractmethod
    def parameters_changed(self, worlds: Ids = None) -> None:
        """Derive again what follows from masses, inertias, armatures and joint frames."""

    @abc.abstractmethod
    def set_home(self) -> None:
        """Take the present state as the one ``reset`` returns to."""

    @abc.abstractmethod
    def reset(self, worlds: Ids = None) -> None:
        """Put worlds back to their home state. Others are not touched.

        Args:
            worlds: World numbers, or a mask (N,) of bool; None: all.
        """

    @abc.abstractmethod
    def snapshot(self, out: Any = None) -> Any:
        """A copy of the whole state of all worlds.

        Args:
            out: What an earlier call gave, to be written anew; None: it is made.
        """

    @abc.abstractmethod
    def restore(self, state: Any) -> None:
        """Put back a state that ``snapshot`` gave, bit for bit."""

    @abc.abstractmethod
    def copy_into(self, world: int, model: Any, data: Any, states: Any = None) -> None:
        """Write the state and the parameters of one world into an MjModel and its MjData.

        Args:
            world: Its number.
            model: That is written.
            data: That is written.
            states: Of all worlds, as ``host_states`` gave them; None: the present ones.
        """

    def host_states(self) -> Any:
        """A copy of the states of all worlds in host memory, (N, size), float64."""
        found: Any = self.snapshot()
        return np.asarray(found if isinstance(found, np.ndarray) else found.numpy(), float)

    def solve(self, wanted: Wanted, states: Any = None) -> Solution:
        """What all worlds would step with: forces, accelerations, contacts.

        Args:
            wanted: What of it.
            states: As ``host_states`` gave them; None: the present ones.
        """
        if self._plain_solver is None:
            self._plain_solver = PlainSolver(self)
        return self._plain_solver.solve(wanted, self.host_states() if states is None else states)

    @abc.abstractmethod
    def memory(self) -> int:
        """Bytes held for all worlds together."""
