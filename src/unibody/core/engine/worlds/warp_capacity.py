# pyright: basic, reportInvalidTypeForm=false
"""How many contacts and constraint rows worlds on a Warp device have room for.

mujoco-warp takes memory for them once, leaves out what finds no place, and notes that by world. A
step never waits for that note: on a GPU it is copied to the host behind the step, and read before
the next one.
"""

from __future__ import annotations

from typing import Any

import mujoco_warp as mjw
import warp as wp

_FULL: Any = mjw.OverflowType
GROWS = int(
    _FULL.NEFC | _FULL.NJMAX_NNZ | _FULL.BROADPHASE | _FULL.NARROWPHASE | _FULL.CCD
)  # what more room helps against
OF_ROWS = int(_FULL.NEFC | _FULL.NJMAX_NNZ)
_WANTED: int = wp.constant(GROWS)


@wp.kernel(enable_backward=False)
def collect(overflow: wp.array(dtype=int), found: wp.array(dtype=int)):
    """Join what worlds have noted."""
    w = wp.tid()
    if overflow[w] & _WANTED:
        wp.atomic_or(found, 0, overflow[w] & _WANTED)


def capacity(model: Any, data: Any) -> tuple[int, int]:
    """Contacts and rows that a world begins with room for: more than it is likely to need."""
    moving = int((model.body_treeid[model.geom_bodyid] >= 0).sum())
    contacts = max(min(max(16, 8 * moving), 512), data.ncon)
    dims = int(model.geom_condim.max()) if model.ngeom else 1
    joints = int(model.jnt_limited.sum()) + model.nv  # friction may be switched on later
    rows = contacts * dims + joints + model.ntendon + 6 * model.neq
    return contacts, max(rows, data.nefc)


class Watch:
    """Notes for the host whether something found no place.

    Attributes:
        seen: Bits of ``mjw.OverflowType``, as of some step before; reading it waits for nothing.
    """

    def __init__(self, device: Any) -> None:
        self._found = wp.zeros(1, dtype=int)
        self._copy = wp.zeros(1, dtype=int, device="cpu", pinned=device.is_cuda)
        self._view = self._copy.numpy()

    @property
    def seen(self) -> int:  # noqa: D102
        return int(self._view[0])

    def __call__(self, d: Any) -> None:
        """Look, behind a step; can be recorded."""
        wp.launch(collect, dim=d.nworld, inputs=[d.overflow, self._found])
        wp.copy(self._copy, self._found)
