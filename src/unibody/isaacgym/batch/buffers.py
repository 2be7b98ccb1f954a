"""The tensors of a simulation: in host memory, and on the device where that is another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError
from unibody.isaacgym.batch.actor import Actor
from unibody.isaacgym.types.enums import DofDriveMode
from unibody.isaacgym.types.tensors import CPU, Tensor

F32 = npt.NDArray[np.float32]
_BY_DOF = ("dofs", "position_targets", "velocity_targets", "efforts")


class Buffers:
    """Rows in the order of the environments, float32; on the CPU they are NumPy arrays.

    ``host`` names the same in host memory: the very arrays on the CPU, else copies that ``to_host``
    and ``to_device`` bring up to date.

    Attributes:
        counts: Actors, bodies, degrees of freedom, sensors.
        roots: States of first bodies, (actors, 13).
        dofs: Positions and velocities, (dofs, 2).
        bodies: States of rigid bodies, (bodies, 13).
        contacts: Contact forces on rigid bodies, (bodies, 3).
        dof_forces: (dofs,).
        sensors: Forces and torques of sensors, (sensors, 6).
        efforts: Applied since the last step, (dofs,).
        stepped_efforts: Applied in the last step, (dofs,).
        position_targets, velocity_targets: As set for single actors, (dofs,).
        reporting: Whose forces are wanted, bool (dofs,).
    """

    def __init__(self, actors: int, bodies: int, dofs: int, sensors: int) -> None:
        self.counts = (actors, bodies, dofs, sensors)
        self.roots: Any = np.zeros((actors, 13), np.float32)
        self.dofs: Any = np.zeros((dofs, 2), np.float32)
        self.bodies: Any = np.zeros((bodies, 13), np.float32)
        self.contacts: Any = np.zeros((bodies, 3), np.float32)
        self.dof_forces: Any = np.zeros(dofs, np.float32)
        self.sensors: Any = np.zeros((sensors, 6), np.float32)
        self.efforts: Any = np.zeros(dofs, np.float32)
        self.stepped_efforts: Any = np.zeros(dofs, np.float32)
        self.position_targets: Any = np.zeros(dofs, np.float32)
        self.velocity_targets: Any = np.zeros(dofs, np.float32)
        self.reporting: Any = np.zeros(dofs, np.bool_)
        self._idle = True  # the last step was without efforts

    @property
    def host(self) -> Buffers:
        """The tensors in host memory."""
        return self

    def adopt(self, actors: Sequence[Actor]) -> None:
        """Take over the states of actors; their arrays become views of these."""
        host = self.host
        for actor in actors:
            host.roots[actor.index] = actor.root
            actor.root = host.roots[actor.index]
            rows = slice(actor.sim_dof, actor.sim_dof + len(actor.dof_table))
            host.reporting[rows] = actor.reports_forces
            for name in _BY_DOF:
                array = getattr(host, name)
                array[rows] = getattr(actor, name)
                setattr(actor, name, array[rows])

    def to_host(self, name: str) -> None:
        """Copy a tensor from the device."""

    def to_device(self, name: str) -> None:
        """Copy a tensor to the device."""

    def modes_changed(self, modes: npt.NDArray[np.int8]) -> None:
        """Take note of the drive modes of all degrees of freedom."""

    def indices(self, numbers: npt.NDArray[np.int32]) -> Any:
        """Numbers of actors where the exchange wants them."""
        return numbers

    def zeros(self, shape: tuple[int, ...]) -> Any:
        """A further tensor."""
        return np.zeros(shape, np.float32)

    def targets(self, mode: int) -> Any:
        """The targets of a drive mode."""
        position = mode == int(DofDriveMode.DOF_MODE_POS)
        return self.position_targets if position else self.velocity_targets

    def own(self, name: str, tensor: Tensor) -> Any:
        """The memory of a script's tensor as an array of the exchange's kind.

        Raises:
            InvalidArgumentError: It is on another device.
        """
        if tensor.device != CPU:
            raise InvalidArgumentError(f"{name}.device", f"cuda:{tensor.device}", "cpu")
        array = tensor.array
        return array if isinstance(array, np.ndarray) else array.numpy()

    def checked(self, name: str, indices: Any, count: int) -> Any:
        """Indices that are all from 0 to ``count`` - 1.

        Raises:
            InvalidArgumentError: One is not.
        """
        signed = indices.view(np.int32)
        if signed.size and not 0 <= signed.min() <= signed.max() < count:
            bad = signed[(signed < 0) | (signed >= count)][0]
            raise InvalidArgumentError(name, int(bad), f"numbers of actors, 0 to {count - 1}")
        return signed

    def put(self, array: Any) -> Any:
        """An array as the exchange takes it."""
        return array

    def fetch(self, array: Any) -> Any:
        """The same in host memory."""
        return array

    def step_efforts(self, *, forced: bool) -> None:
        """Note the efforts of the step that is over, and begin anew."""
        if forced:
            self.stepped_efforts[:] = self.efforts
            self.efforts[:] = 0.0
            self._idle = False
        elif not self._idle:
            self.stepped_efforts[:] = 0.0
            self._idle = True


def make_buffers(device: str, actors: int, bodies: int, dofs: int, sensors: int) -> Buffers:
    """Tensors of zeros on a device of the engine."""
    if device == "cpu" or not actors:
        return Buffers(actors, bodies, dofs, sensors)
    from unibody.isaacgym.batch.warp_buffers import WarpBuffers

    return WarpBuffers(device, actors, bodies, dofs, sensors)
