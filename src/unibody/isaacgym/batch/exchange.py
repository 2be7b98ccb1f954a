"""Between the worlds of a group and the tensors of a simulation, whatever the device."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.isaacgym.batch.actor import Actor
from unibody.isaacgym.batch.parameters import Change

if TYPE_CHECKING:
    from unibody.isaacgym.batch.derived import Part
    from unibody.isaacgym.batch.group import Group

Tensor = Any  # numpy.ndarray on the CPU, torch.Tensor on a Warp device
POSITIONS, VELOCITIES = 1, 2  # bits of ``parts``


class Exchange(abc.ABC):
    """Reads states into tensors, and writes states and controls from them.

    Tensors have the rows of the whole simulation; a group reads and writes its own. ``actors`` are
    numbers of actors in the simulation, int32, that have been checked.

    Attributes:
        origins: Of the environments in the simulation, (worlds, 3) [m].
    """

    def __init__(self, group: Group) -> None:
        self.group = group
        self.places = group.places
        self._finder: Any = None
        envs = group.envs
        self.origins = np.array([[e.origin.x, e.origin.y, e.origin.z] for e in envs], float)
        self.actor_base = np.array([env.actor_base for env in envs], np.int32)
        self.body_base = np.array([env.body_base for env in envs], np.int32)
        self.dof_base = np.array([env.dof_base for env in envs], np.int32)

    @abc.abstractmethod
    def parameter(self, name: str, worlds: slice = slice(None)) -> npt.NDArray[np.float64]:
        """A parameter of some worlds: (worlds, ...), or (1, ...) where all share it."""

    @abc.abstractmethod
    def put_parameter(self, change: Change, worlds: slice) -> None:
        """Write a change into some worlds."""

    @abc.abstractmethod
    def put_whole(self, name: str, values: npt.NDArray[np.float64]) -> None:
        """Write a whole parameter, (worlds, ...)."""

    @abc.abstractmethod
    def put_mocap(self, row: int, positions: npt.NDArray[np.float64]) -> None:
        """Place an immovable body, (worlds, 3) [m]."""

    @abc.abstractmethod
    def put_spring(self, world: int, number: int, rule: Sequence[float]) -> None:
        """Write the rule of a constraint of one world, from ``rule_table.E_SPRING`` on."""

    @abc.abstractmethod
    def put_drives(self, local: int, actors: Sequence[Actor], world: int | None = None) -> None:
        """Write the drives of one actor of all worlds, or of one world."""

    @abc.abstractmethod
    def reader(self, name: str) -> Callable[[], None]:
        """What brings the rows of this group in a tensor up to its worlds.

        Args:
            name: Of the tensor in the simulation's buffers: "dofs", "roots", "bodies" (as of the
                last ``kinematics``) or "contacts" (of the last step).
        """

    @abc.abstractmethod
    def read_dof_forces(self, wanted: Tensor, efforts: Tensor, out: Tensor) -> None:
        """Read forces of degrees of freedom, (dofs,), with the efforts; 0 where not ``wanted``."""

    @abc.abstractmethod
    def write_dofs(self, actors: Tensor, values: Tensor, parts: int) -> None:
        """Set positions and velocities."""

    @abc.abstractmethod
    def write_roots(self, actors: Tensor, values: Tensor, parts: int) -> None:
        """Set states of first bodies."""

    @abc.abstractmethod
    def write_targets(self, actors: Tensor, values: Tensor, mode: int) -> None:
        """Set the targets of the drives in a mode (1: position, 2: velocity), (dofs,)."""

    @abc.abstractmethod
    def write_efforts(self, actors: Tensor, values: Tensor) -> None:
        """Set the efforts of degrees of freedom in effort mode, (dofs,), and note them."""

    @abc.abstractmethod
    def add_wrenches(
        self,
        forces: Tensor,
        torques: Tensor,
        points: Tensor,
        space: int,
        world: int | None = None,
    ) -> None:
        """Add forces and torques to bodies, (bodies, 3) or None, in a ``CoordinateSpace``.

        In all worlds, or in one.
        """

    @abc.abstractmethod
    def clear_forces(self) -> None:
        """Take back all efforts and forces."""

    @abc.abstractmethod
    def read_jacobians(self, part: Part, out: Tensor) -> None:
        """Write the Jacobians of a part of a tensor, as of the last ``kinematics``."""

    @abc.abstractmethod
    def read_mass_matrices(self, part: Part, out: Tensor) -> None:
        """Write the mass matrices of a part of a tensor, as of the last ``kinematics``."""

    def contacts(self, world: int) -> Any:
        """The contacts of one world, ``core.engine.worlds.contacts.Contacts``."""
        if self._finder is None:
            from unibody.core.engine.worlds.contacts import ContactFinder

            self._finder = ContactFinder(self.group.worlds)
        return self._finder.find(world)

    @abc.abstractmethod
    def link_frame(self, local: int, link: int, world: int) -> tuple[Any, Any]:
        """Position (3,) and orientation wxyz (4,) of a link of an actor's tree in one world."""


def make_exchange(group: Group) -> Exchange:
    """The one for the device of a group's worlds."""
    if group.worlds.device == "cpu":
        from unibody.isaacgym.batch.cpu_exchange import CpuExchange

        return CpuExchange(group)
    from unibody.isaacgym.batch.warp_exchange import WarpExchange

    return WarpExchange(group)
