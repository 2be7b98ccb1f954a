"""Between the worlds of a group and the arrays of a batch, whatever the device."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import Quat
from unibody.core.batch.buffers import Buffers
from unibody.core.batch.environment import Environment
from unibody.core.batch.index import Index
from unibody.core.batch.joint_wrenches import WANTED, Solved, solved_of
from unibody.core.batch.parameters import Change
from unibody.core.batch.places import Places
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.worlds import Worlds
from unibody.core.engine.worlds.contacts import ContactFinder, Contacts
from unibody.core.engine.worlds.solutions import Solution, Wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tensor = Any  # numpy.ndarray on the CPU, warp.array on a Warp device
Which = slice | npt.NDArray[np.int64]  # worlds


def on_host(array: Any) -> npt.NDArray[Any]:
    """An array of a batch in host memory."""
    numpy_of: Any = getattr(array, "numpy", None)
    return np.asarray(array if numpy_of is None else numpy_of())


class Members(NamedTuple):
    """The environments of a group, and where their rows are.

    Attributes:
        group: Number of the group.
        envs: One a world.
        places: Where the parts of an environment lie.
        who: Who is where in the batch.
        buffers: The arrays of the batch.
    """

    group: int
    envs: Sequence[Environment]
    places: Places
    who: Index
    buffers: Buffers


class Exchange(abc.ABC):
    """Reads states into arrays, and writes states and controls from them.

    Arrays have the rows of the whole batch; a group reads and writes its own. ``actors`` and
    ``rows`` are numbers of actors and of degrees of freedom in the batch, int32, that have been
    checked.

    Attributes:
        group: Number of the group.
        places: Where the parts of an environment lie.
        worlds: The engine's.
        count: Number of worlds.
        origins: Of the environments in the world, (worlds, 3) [m].
        actor_base, body_base, dof_base: First rows of each world, (worlds,).
    """

    def __init__(self, of: Members, worlds: Worlds) -> None:
        envs = of.envs
        self.group: int = of.group
        self.places: Places = of.places
        self.worlds = worlds
        self.count: int = len(envs)
        self._index = of.who
        self._buffers = of.buffers
        self._finder: ContactFinder | None = None
        self._noted: Any = None  # states before the last step
        self._solutions: dict[Wanted, Solution] = {}
        self.origins: NDArray[Any] = np.array([env.position for env in envs], float)
        self.actor_base: NDArray[np.int32] = np.array([env.actor_base for env in envs], np.int32)
        self.body_base: NDArray[np.int32] = np.array([env.body_base for env in envs], np.int32)
        self.dof_base: NDArray[np.int32] = np.array([env.dof_base for env in envs], np.int32)

    def close(self) -> None:
        """Let go of the worlds."""
        self._finder = self._noted = None
        self._solutions.clear()
        del self.worlds

    @abc.abstractmethod
    def parameter(self, name: str, worlds: slice = slice(None)) -> npt.NDArray[np.float64]:
        """A parameter of some worlds: (worlds, ...), or (1, ...) where all share it."""

    @abc.abstractmethod
    def put_parameter(self, change: Change, worlds: Which) -> None:
        """Write a change into some worlds."""

    @abc.abstractmethod
    def put_whole(self, name: str, values: npt.NDArray[np.float64]) -> None:
        """Write a whole parameter, (worlds, ...)."""

    @abc.abstractmethod
    def put_mocap(self, row: int, positions: npt.NDArray[np.float64], quat: Quat) -> None:
        """Place an immovable body: (worlds, 3) [m], and the same rotation in all worlds."""

    @abc.abstractmethod
    def put_spring(self, world: int, number: int, rule: Sequence[float]) -> None:
        """Write the rule of a constraint of one world, from ``rule_table.E_SPRING`` on."""

    @abc.abstractmethod
    def put_drives(self, local: int, rows: npt.NDArray[np.float64], worlds: Which) -> None:
        """Write the drives of an actor of some worlds, (worlds, dofs, DRIVE_SIZE)."""

    @abc.abstractmethod
    def reader(self, name: str) -> Callable[[], None]:
        """What brings the rows of this group in an array up to its worlds.

        Args:
            name: Of the array in the buffers: "dofs", "roots", "bodies" (as of the last
                ``kinematics``) or "contacts" (of the last step).
        """

    @abc.abstractmethod
    def read_dof_forces(self, wanted: Tensor, efforts: Tensor, out: Tensor) -> None:
        """Read forces of degrees of freedom, (dofs,), with the efforts; 0 where not ``wanted``."""

    @abc.abstractmethod
    def write_dofs(self, actors: Tensor, values: Tensor, parts: int) -> None:
        """Set positions and velocities of the degrees of freedom of actors."""

    @abc.abstractmethod
    def write_dof_rows(self, rows: Tensor, values: Tensor, parts: int) -> None:
        """Set positions and velocities of single degrees of freedom; those of a ball together."""

    @abc.abstractmethod
    def write_roots(self, actors: Tensor, values: Tensor, parts: int) -> None:
        """Set states of first bodies."""

    @abc.abstractmethod
    def write_targets(self, actors: Tensor, values: Tensor, control: int) -> None:
        """Set targets of positions or velocities, (dofs,), where they are listened to."""

    @abc.abstractmethod
    def write_target_rows(self, rows: Tensor, values: Tensor, control: int) -> None:
        """Do the same for single degrees of freedom."""

    @abc.abstractmethod
    def write_efforts(self, actors: Tensor, values: Tensor) -> None:
        """Set efforts, (dofs,), where they are listened to, and note them."""

    @abc.abstractmethod
    def write_effort_rows(self, rows: Tensor, values: Tensor) -> None:
        """Do the same for single degrees of freedom."""

    @abc.abstractmethod
    def add_wrenches(
        self,
        forces: Tensor,
        torques: Tensor,
        points: Tensor,
        space: int,
        world: int | None = None,
    ) -> None:
        """Add forces and torques to bodies, (bodies, 3) or None, in a ``Space``.

        In all worlds, or in one.
        """

    @abc.abstractmethod
    def clear_forces(self, *, efforts: bool = True) -> None:
        """Take back all forces, and efforts."""

    def contacts(self, world: int) -> Contacts:
        """The contacts of one world."""
        if self._finder is None:
            self._finder = ContactFinder(self.worlds)
        return self._finder.find(world)

    def note_step(self) -> None:
        """Note the states, efforts and forces that the next step begins with."""
        self._noted = self.worlds.snapshot(self._noted)
        self._solutions.clear()

    def solution(self, wanted: Wanted) -> Solution:
        """What the step that was noted last found; if there is none, what the next one will."""
        if self._noted is None:
            return self.worlds.solve(wanted)
        if wanted not in self._solutions:
            states = on_host(self._noted).astype(float, copy=False)
            self._solutions[wanted] = self.worlds.solve(wanted, states)
        return self._solutions[wanted]

    def solved(self) -> Solved:
        """Forces between bodies and accelerations in that step."""
        return solved_of(self.worlds.model, self.parameter, self.solution(WANTED))

    def record(self, local: int) -> BodyRecord:
        """The engine's record of an actor of an environment."""
        return self.worlds.records[self.places.actors[local].record]

    @abc.abstractmethod
    def link_frame(self, local: int, link: int, world: int) -> tuple[Any, Any]:
        """Position (3,) and orientation wxyz (4,) of a link of an actor's tree in one world."""
