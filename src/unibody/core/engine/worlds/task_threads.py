"""Threads that do parts of a task, written in compiled code.

They are those of a ``mujoco.batch.Batch`` of models with nothing in them, see ``thread_tasks``.
Unlike Python's own, these do not ask for the interpreter's lock when they begin, and they give back
errors that MuJoCo raises.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from mujoco.batch import Batch, SimulationError

from unibody.core.engine.rules import thread_tasks

_NO_ERRORS: dict[int, str] = {}


class TaskThreads:
    """Some threads, the caller's among them, and their task.

    A task has as many parts as there are threads. One thread does several if others have to wait
    for a core, so what can be shared should not belong to one part.

    Args:
        threads: How many.
        function: Address of a compiled function of ``arguments`` and the number of a part.
        arguments: An address, as a rule.
    """

    def __init__(self, threads: int, function: int, arguments: int) -> None:
        self._batch = Batch(_empty_model(), nsim=threads, nthread=threads)
        task = self._batch.bind("userdata")
        task[:, thread_tasks.FUNCTION] = function
        task[:, thread_tasks.ARGUMENTS] = arguments
        task[:, thread_tasks.PART] = np.arange(threads)
        self._step = self._batch.step

    def run(self) -> dict[int, str]:
        """Do all parts of the task.

        Returns:
            What MuJoCo raised, by the parts that were not done to their ends.
        """
        try:
            self._step()
        except SimulationError as error:
            return {int(part): self._batch.error(int(part)) for part in error.ids}
        return _NO_ERRORS


def _empty_model() -> Any:
    spec = mujoco.MjSpec()
    spec.nuserdata = thread_tasks.SIZE
    spec.add_numeric(name="task", data=[0.0], size=1)
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model: Any = spec.compile()
    model.numeric_data[0] = thread_tasks.MAGIC
    return model
