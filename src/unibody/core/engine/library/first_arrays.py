"""MuJoCo's bindings find NumPy while modules are loaded, and not at the first array of a world.

Each of its extension modules looks for NumPy once in a process, when it meets its first array. A
process that is forked while another thread is in the middle of that waits for it for ever.
"""

from __future__ import annotations

import mujoco
import numpy as np


def find_numpy() -> None:
    """Give an array to each extension module that a world is made and moved with."""
    spec = mujoco.MjSpec()
    spec.add_numeric(name="first", size=1, data=np.zeros(1))  # _specs
    spec.option.gravity = np.zeros(3)  # _structs
    mujoco.mju_norm3(np.zeros(3))  # _functions
