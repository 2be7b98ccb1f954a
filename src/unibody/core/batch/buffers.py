"""The arrays of a batch: in host memory, and on the device where that is another."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.batch import tables
from unibody.core.batch.index import Index
from unibody.core.batch.layout import STATE_WIDTH, Control, StateLayout
from unibody.errors import InvalidArgumentError

_BY_DOF = ("dofs", "position_targets", "velocity_targets", "efforts")
STATES = ("dofs", "roots", "position_targets", "velocity_targets")  # kept when worlds are rebuilt


class Memory(NamedTuple):
    """An array of NumPy, torch or Warp.

    Attributes:
        array: The array.
        address: Where it is.
        ordinal: Of the CUDA device; -1: host memory.
        shape: Its shape.
        floats: It holds numbers of the layout's type, else int32.
    """

    array: Any
    address: int
    ordinal: int
    shape: tuple[int, ...]
    floats: bool


class Buffers:
    """Rows in the order of the environments; on the CPU they are NumPy arrays.

    ``host`` names the same in host memory: the very arrays on the CPU, else copies that ``to_host``
    and ``to_device`` bring up to date.

    Attributes:
        layout: Of the states.
        counts: Actors, bodies, degrees of freedom, sensors.
        roots: States of first bodies, (actors, 13).
        dofs: Positions and velocities, (dofs, 2).
        bodies: States of rigid bodies, (bodies, 13).
        contacts: Contact forces on rigid bodies, (bodies, 3).
        dof_forces: (dofs,).
        sensors: Forces and torques of sensors, (sensors, 6).
        efforts: Applied since the last step, (dofs,).
        stepped_efforts: Applied in the last step, (dofs,).
        position_targets, velocity_targets: Of the drives, (dofs,).
        reporting: Whose forces are wanted, bool (dofs,).
        controls: What degrees of freedom listen to, bits of ``Control``, int8 (dofs,).
        dof_table, body_table, surface_table: Properties, see ``tables``; in host memory alone.
    """

    def __init__(self, layout: StateLayout, counts: tuple[int, int, int, int], shapes: int) -> None:
        actors, bodies, dofs, sensors = counts
        self.layout = layout
        self.counts = counts
        self.roots: Any = self.zeros((actors, STATE_WIDTH))
        self.dofs: Any = self.zeros((dofs, 2))
        self.bodies: Any = self.zeros((bodies, STATE_WIDTH))
        self.contacts: Any = self.zeros((bodies, 3))
        self.dof_forces: Any = self.zeros((dofs,))
        self.sensors: Any = self.zeros((sensors, 6))
        self.efforts: Any = self.zeros((dofs,))
        self.stepped_efforts: Any = self.zeros((dofs,))
        self.position_targets: Any = self.zeros((dofs,))
        self.velocity_targets: Any = self.zeros((dofs,))
        self.reporting: Any = np.zeros(dofs, np.bool_)
        self.controls: Any = np.zeros(dofs, np.int8)
        self.dof_table: tables.Records = np.zeros(dofs, tables.DOF)
        self.body_table: tables.Records = np.zeros(bodies, tables.BODY)
        self.surface_table: tables.Records = np.zeros(shapes, tables.SURFACE)
        self._idle = True  # the last step was without efforts

    @property
    def host(self) -> Buffers:
        """The arrays in host memory."""
        return self

    def adopt(self, index: Index) -> None:
        """Take over states and properties of actors; their arrays become views of these."""
        host = self.host
        for actor in index.actors:
            host.roots[actor.index] = actor.root
            actor.root = host.roots[actor.index]
            rows = slice(actor.sim_dof, actor.sim_dof + len(actor.dof_records))
            host.reporting[rows] = actor.reports_forces
            for name in _BY_DOF:
                array = getattr(host, name)
                array[rows] = getattr(actor, name)
                setattr(actor, name, array[rows])
            for name, table, first in (
                ("dof_records", self.dof_table, actor.sim_dof),
                ("body_records", self.body_table, actor.sim_body),
                ("surface_records", self.surface_table, actor.sim_shape),
            ):
                own = table[first : first + len(getattr(actor, name))]
                own[:] = getattr(actor, name)
                setattr(actor, name, own)

    def to_host(self, name: str) -> None:
        """Copy an array from the device."""

    def to_device(self, name: str) -> None:
        """Copy an array to the device."""

    def controls_changed(self) -> None:
        """Take note of what degrees of freedom listen to, as the table says."""
        self.host.controls[:] = self.dof_table["controls"]
        self.to_device("controls")

    def indices(self, numbers: npt.NDArray[Any]) -> Any:
        """Numbers of actors or rows where the exchange wants them, int32."""
        return np.ascontiguousarray(numbers, np.int32)

    def zeros(self, shape: tuple[int, ...]) -> Any:
        """A further array."""
        return np.zeros(shape, self.layout.dtype)

    def targets(self, control: int) -> Any:
        """The targets of positions or of velocities."""
        return self.position_targets if control == Control.POSITION else self.velocity_targets

    def memory_of(self, name: str, memory: Memory) -> Any:
        """Somebody's memory as an array of the exchange's kind.

        Raises:
            InvalidArgumentError: It is on another device; ``name`` is that of the argument.
        """
        if memory.ordinal >= 0:
            raise InvalidArgumentError(f"{name}.device", f"cuda:{memory.ordinal}", "cpu")
        array: Any = memory.array
        return array.numpy() if hasattr(array, "numpy") else array

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
        of_host = isinstance(array, np.ndarray)
        given: Any = array
        if of_host and given.dtype == np.float64:
            return given.astype(self.layout.dtype, copy=False)
        return given

    def fetch(self, array: Any) -> Any:
        """The same in host memory."""
        return array

    def step_efforts(self, *, forced: bool, kept: bool = False) -> None:
        """Note the efforts of the step that is over, and begin anew unless they are kept."""
        if forced:
            self.stepped_efforts[:] = self.efforts
            if not kept:
                self.efforts[:] = 0.0
            self._idle = False
        elif not self._idle:
            self.stepped_efforts[:] = 0.0
            self._idle = True
