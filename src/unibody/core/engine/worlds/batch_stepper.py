"""Steps of many worlds by MuJoCo's own batch, where no threads are borrowed from one."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from unibody.core.engine.worlds import kernels


class BatchStepper:
    """Has a batch step its worlds; see ``Stepper``.

    Attributes:
        report: ``sensordata`` after the last step, (N, numbers).
    """

    def __init__(self, batch: Any) -> None:
        self._batch = batch
        self.report: NDArray[Any] = batch.bind("sensordata")

    def use_fields(self, fields: dict[str, NDArray[Any]]) -> None:
        """See ``Stepper``: a batch knows what was expanded."""

    def step(self, substeps: int, after_solve: int, places: int) -> None:
        """Advance all worlds.

        Args:
            substeps: Time steps.
            after_solve: MuJoCo calls ``mjcb_sensor`` by itself.
            places: Address of what the kinematics are about; 0: they are not wanted.

        Raises:
            SimulationError: MuJoCo raised an error in some worlds.
        """
        self._batch.step(nstep=substeps)
        if places:
            kernels.place(0, self._batch.nsim, places)
