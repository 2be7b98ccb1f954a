"""mujoco-warp's model and data, as scripts read them, of worlds that MuJoCo steps on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.engine.plain.worlds import PlainWorlds
from unibody.errors import NotSupportedError
from unibody.newton.solvers.mujoco.exchange import as_warp
from unibody.newton.solvers.mujoco.given import Given

_CONTACTS = 100  # room for contacts of a world that scripts are told, where none is stated


def _array(values: Any) -> Any:
    rows = np.asarray(values)
    if rows.dtype.kind == "f":
        return wp.array(rows.astype(np.float32), dtype=wp.float32, device="cpu")
    if rows.dtype.kind == "b":
        return wp.array(rows, dtype=wp.bool, device="cpu")
    return wp.array(rows.astype(np.int32), dtype=wp.int32, device="cpu")


_OF_ALL_WORLDS = ("site_size", "mesh_pos", "mesh_quat", "mesh_vert", "mesh_normal", "hfield_data")
"""Fields that mujoco-warp has once for all worlds."""


class OptionView:
    """Copies of options, (N, ...), as arrays of Warp; those without a dimension as numbers."""

    run_collision_detection = True

    def __init__(self, worlds: PlainWorlds, *, parallel_search: bool) -> None:
        self._worlds = worlds
        self.ls_parallel = parallel_search

    def __getattr__(self, name: str) -> Any:
        if name == "run_rne_postconstraint":
            return self._worlds.tells_bodies
        if name == "impratio_invsqrt":
            return _array(1.0 / np.sqrt(self._worlds.read("opt.impratio")))
        option = getattr(self._worlds.model.opt, name)
        if isinstance(option, int):
            return option
        return _array(self._worlds.read(f"opt.{name}"))


class ModelView:
    """Copies of fields of the model, (N, ...), as arrays of Warp; its sizes as numbers."""

    def __init__(self, worlds: PlainWorlds, *, parallel_search: bool) -> None:
        self._worlds = worlds
        self.opt: OptionView = OptionView(worlds, parallel_search=parallel_search)

    def __getattr__(self, name: str) -> Any:
        field = getattr(self._worlds.model, name)
        if not isinstance(field, np.ndarray):
            return field
        if name == "geom_dataid":  # which mujoco-warp has for each world, or once for all
            return _array(field[None])
        if field.dtype.kind != "f":
            return _array(field)
        if name in _OF_ALL_WORLDS:
            return _array(self._worlds.read(name)[0])
        return _array(self._worlds.read(name))


_LIVE = ("qpos", "qvel", "qacc_warmstart", "qfrc_applied", "xfrc_applied", "act", "ctrl")


class DataView:
    """Fields of the data, (N, ...), as arrays of Warp.

    What a step begins with are MuJoCo's own numbers in float64; all else are copies in float32.
    """

    def __init__(self, worlds: PlainWorlds, given: Given, first: Any) -> None:
        self._worlds, self._first = worlds, first
        self.nworld: int = worlds.count
        self.naconmax: int = (given.contacts or _CONTACTS) * worlds.count
        self.njmax_nnz: int | None = given.nonzeros
        if given.rows is not None:
            self.njmax: int = given.rows

    def __getattr__(self, name: str) -> Any:
        if name == "njmax":  # rows that mujoco-warp would have room for: the CPU has no limit
            from unibody.core.engine.worlds.warp_capacity import capacity

            return capacity(self._worlds.model, self._first)[1]
        if name == "eq_active":
            return _array(self._worlds.eq_active())
        if name == "nacon":
            return _array([len(self._worlds.contacts()[0])])
        if name == "overflow":
            return _array(np.zeros(self.nworld, np.int32))  # rooms grow on the CPU
        if name in {"contact", "efc"}:
            raise NotSupportedError(
                f"mjw_data.{name} on the CPU", "update_contacts writes contacts and their forces"
            )
        if name in _LIVE:  # what a script writes there counts
            return as_warp(self._worlds.output(name))
        rows = np.asarray(self._worlds.output(name))
        if name.endswith(("xmat", "ximat")):
            rows = rows.reshape(*rows.shape[:2], 3, 3)
        return _array(rows)
