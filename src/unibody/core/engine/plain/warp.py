# pyright: basic
"""Worlds of a plain model on a Warp device: mujoco-warp, in float32."""

from __future__ import annotations

from typing import Any

import mujoco
import mujoco_warp as mjw
import numpy as np
import warp as wp
from numpy.typing import NDArray

from unibody.core.engine.plain.worlds import LIVE, PlainWorlds
from unibody.core.engine.worlds.warp_capacity import capacity
from unibody.errors import InvalidArgumentError, NotSupportedError

_OF_ALL_WORLDS = ("site_size",)  # which has no number of its own in each world
_FRICTION = mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF


class WarpPlainWorlds(PlainWorlds):
    """See ``PlainWorlds``.

    Attributes:
        mjw_model: mujoco-warp's model.
        mjw_data: mujoco-warp's data.
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        count: int,
        device: str,
        contacts: int | None,
        rows: int | None,
        parallel_search: bool,
        nonzeros: int | None = None,
    ) -> None:
        self.count: int = count
        self.device: str = device
        self.model: Any = model
        self._device = _find_device(device)
        room = capacity(model, data)
        with wp.ScopedDevice(self._device):
            try:
                self.mjw_model: Any = mjw.put_model(model)
                self.mjw_data: Any = mjw.put_data(
                    model,
                    data,
                    nworld=count,
                    nconmax=room[0] if contacts is None else max(contacts, data.ncon),
                    njmax=room[1] if rows is None else max(rows, data.nefc),
                    njmax_nnz=nonzeros,
                )
            except NotImplementedError as error:
                raise NotSupportedError(
                    f"this model on {device} ({error})", 'the device "cpu" runs it'
                ) from error
        if hasattr(self.mjw_model.opt, "ls_parallel"):
            self.mjw_model.opt.ls_parallel = parallel_search
        for name in LIVE:
            setattr(self, name, getattr(self.mjw_data, name))
        self._own: set[str] = set()
        self._timestep: float | None = None

    def step(self, dt: float) -> None:  # noqa: D102
        if dt != self._timestep:
            self._timestep = dt
            self.mjw_model.opt.timestep.fill_(dt)
        with wp.ScopedDevice(self._device):
            mjw.step(self.mjw_model, self.mjw_data)

    def _owner(self, name: str) -> tuple[Any, str]:
        if name.startswith("opt."):
            return self.mjw_model.opt, name[4:]
        return self.mjw_model, name

    def read(self, name: str) -> NDArray[Any]:  # noqa: D102
        owner, field = self._owner(name)
        values: Any = getattr(owner, field, None)
        if not isinstance(values, wp.array):
            raise InvalidArgumentError("name", name, "a field of mujoco-warp's Model")
        rows = values.numpy()
        if name in _OF_ALL_WORLDS:
            return np.array(np.broadcast_to(rows, (self.count, *rows.shape)))
        return (
            np.array(np.broadcast_to(rows[:1], (self.count, *rows.shape[1:])))
            if (rows.shape[0] != self.count)
            else rows.copy()
        )

    def write(self, name: str, values: NDArray[Any]) -> bool:  # noqa: D102
        present = self.read(name)
        wanted = np.asarray(values, dtype=present.dtype).reshape(present.shape)
        if np.array_equal(present, wanted):
            return False
        owner, field = self._owner(name)
        array = getattr(owner, field)
        if name in _OF_ALL_WORLDS:
            array.assign(wanted[0])
        elif array.shape[0] != self.count or array.strides[0] == 0:
            with wp.ScopedDevice(self._device):
                setattr(owner, field, wp.array(wanted, dtype=array.dtype))
        else:
            array.assign(wanted)
        return True

    def derive(self, *, keep_scale: bool = False) -> None:  # noqa: D102 - it has no such scale
        m = self.mjw_model
        with wp.ScopedDevice(self._device):
            for name in ("body_subtreemass", "body_invweight0", "dof_invweight0"):
                array = getattr(m, name)
                if array.shape[0] != self.count or array.strides[0] == 0:
                    setattr(m, name, wp.array(self.read(name), dtype=array.dtype))
            anchors, qpos = wp.clone(m.eq_data), wp.clone(self.mjw_data.qpos)
            mjw.set_const(m, self.mjw_data)
            if len(self.connected):
                anchors.assign(self._with_anchors(anchors.numpy(), m.eq_data.numpy()))
            wp.copy(m.eq_data, anchors)
            wp.copy(self.mjw_data.qpos, qpos)

    def output(self, name: str) -> Any:  # noqa: D102
        return getattr(self.mjw_data, name)

    def friction_forces(self) -> Any:  # noqa: D102
        d = self.mjw_data
        found = np.zeros((self.count, self.model.nv))
        kinds, places, forces = (getattr(d.efc, n).numpy() for n in ("type", "id", "force"))
        for world, count in enumerate(d.nefc.numpy()):
            own = np.flatnonzero(kinds[world, :count] == int(_FRICTION))
            np.add.at(found[world], places[world, own], forces[world, own])
        return found

    def eq_active(self) -> NDArray[np.bool_]:  # noqa: D102
        return self.mjw_data.eq_active.numpy().astype(bool)

    def set_eq_active(self, active: NDArray[np.bool_]) -> None:  # noqa: D102
        self.mjw_data.eq_active.assign(active)

    def contacts(self) -> tuple[NDArray[Any], ...]:  # noqa: D102
        d = self.mjw_data
        count = int(d.nacon.numpy()[0])
        c = d.contact
        world, address = c.worldid.numpy()[:count], c.efc_address.numpy()[:count]
        rows, dims = d.efc.force.numpy(), c.dim.numpy()[:count]
        pyramid = int(self.mjw_model.opt.cone) == 0
        force, friction = np.zeros((count, 3)), c.friction.numpy()[:count]
        for i in range(count):
            edges = pyramid and dims[i] > 1
            used = address[i, : 2 * (dims[i] - 1) if edges else dims[i]]
            if (used >= 0).all():
                found = rows[world[i], used]
                force[i, : min(dims[i], 3)] = _of_edges(found, friction[i]) if edges else found[:3]
        frame = c.frame.numpy()[:count].reshape(count, 3, 3)
        return (
            world,
            c.geom.numpy()[:count],
            frame[:, 0],
            c.pos.numpy()[:count],
            c.dist.numpy()[:count],
            np.einsum("nij,ni->nj", frame, force),
        )

    def place_shapes(self) -> None:  # noqa: D102
        with wp.ScopedDevice(self._device):
            mjw.kinematics(self.mjw_model, self.mjw_data)

    def reset(self, worlds: NDArray[np.bool_] | None = None) -> None:  # noqa: D102
        with wp.ScopedDevice(self._device):
            mask = None if worlds is None else wp.array(worlds, dtype=bool)
            mjw.reset_data(self.mjw_model, self.mjw_data, mask)


def _of_edges(force: Any, friction: Any) -> Any:
    """The normal force and the two across it of the edges of a pyramid of friction."""
    across = (force[0:4:2] - force[1:4:2]) * friction[: len(force[0:4:2])]
    return np.concatenate([[force.sum()], across])


def _find_device(name: str) -> Any:
    try:
        return wp.get_device("cpu" if name == "warp-cpu" else name)
    except (ValueError, RuntimeError) as error:
        known = ["cpu", "warp-cpu", *(d.alias for d in wp.get_cuda_devices())]
        raise InvalidArgumentError("device", name, f"one of {known}") from error
