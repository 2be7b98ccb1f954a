"""Worlds of a plain model on the CPU, in float64."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from mujoco.batch import Batch
from numpy.typing import NDArray

from unibody.core.engine.plain import by_blocks
from unibody.core.engine.plain.worlds import LIVE, PlainWorlds
from unibody.core.engine.worlds.selection import model_field
from unibody.errors import NotSupportedError

_DERIVED = frozenset(mujoco.MjModel._setconst_outputs)
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)

_FRAMES = {
    f"{kind}_{part}": f"{kind}_sameframe" for kind in ("geom", "site") for part in ("pos", "quat")
}
"""Field -> that which says where MuJoCo takes the frame of the body instead."""

_PLACES = frozenset(f"{kind}_{part}" for kind in ("geom", "site") for part in ("xpos", "xmat"))


class SingleWorld(PlainWorlds):
    """One world: an MjModel and its MjData, which scripts may change themselves."""

    def __init__(self, model: Any, data: Any) -> None:
        self.count: int = 1
        self.device: str = "cpu"
        self.model: Any = model
        self.data: Any = data
        self._options = model.opt
        self._blocks = by_blocks.BlockSteps(model) if by_blocks.fits(model) else None
        for name in LIVE:
            setattr(self, name, getattr(data, name)[None])
        self._home = _state_row(model, data)

    def step(self, dt: float) -> None:  # noqa: D102
        self._options.timestep = dt
        if self._blocks is None:
            mujoco.mj_step(self.model, self.data)
        else:
            self._blocks.step(self.data)

    def read(self, name: str) -> NDArray[Any]:  # noqa: D102
        return np.array(model_field(self.model, name))[None]

    def write(self, name: str, values: NDArray[Any]) -> bool:  # noqa: D102
        field = model_field(self.model, name)
        value = np.asarray(values)[0]
        if _same(field, value):
            return False
        if name in _FRAMES:  # no frame is the body's any more
            getattr(self.model, _FRAMES[name])[:] = 0
        if np.ndim(field):
            field[...] = value.reshape(field.shape)
        else:
            setattr(self.model.opt, name.removeprefix("opt."), value.item())
        return True

    def derive(self, *, keep_scale: bool = False) -> None:  # noqa: D102
        kept = self.model.eq_data.copy(), _state_row(self.model, self.data)
        scale = self.model.stat.meaninertia
        mujoco.mj_setConst(self.model, self.data)
        if keep_scale:
            self.model.stat.meaninertia = scale
        # MuJoCo takes all anchors from the first poses
        self.model.eq_data[:] = self._with_anchors(kept[0], self.model.eq_data)
        mujoco.mj_setState(self.model, self.data, kept[1], _STATE)

    def output(self, name: str) -> Any:  # noqa: D102
        return getattr(self.data, name)[None]

    def friction_forces(self) -> NDArray[Any]:  # noqa: D102
        return _friction(self.data, self.model.nv)[None]

    def eq_active(self) -> NDArray[np.bool_]:  # noqa: D102
        return self.data.eq_active.astype(bool)[None]

    def set_eq_active(self, active: NDArray[np.bool_]) -> None:  # noqa: D102
        self.data.eq_active[:] = active[0]

    def contacts(self) -> tuple[NDArray[Any], ...]:  # noqa: D102
        mujoco.mj_forward(self.model, self.data)
        return _joined([_contacts(0, self.model, self.data)])

    def place_shapes(self) -> None:  # noqa: D102
        mujoco.mj_kinematics(self.model, self.data)

    def reset(self, worlds: NDArray[np.bool_] | None = None) -> None:  # noqa: D102
        if worlds is None or worlds[0]:
            mujoco.mj_setState(self.model, self.data, self._home, _STATE)


class BatchWorlds(PlainWorlds):
    """Many worlds on all cores."""

    def __init__(self, model: Any, data: Any, count: int) -> None:
        self.count: int = count
        self.device: str = "cpu"
        self.model = model
        self._batch = Batch(model, nsim=count)
        self._batch.state[:] = _state_row(model, data)
        self._home = self._batch.state.copy()
        for name in LIVE:
            setattr(self, name, self._batch.bind(name))
        self._timestep: float | None = None
        self._derived = False
        self._expanded: dict[str, NDArray[Any]] = {}
        self._moved = self._stepped = False  # shapes, since the last step; worlds, at all
        self._watched: set[str] = set()
        self._placed: dict[str, NDArray[Any]] = {}

    def step(self, dt: float) -> None:  # noqa: D102
        if dt != self._timestep:
            self._timestep = dt
            self.model.opt.timestep = dt
            self._field("opt.timestep")[...] = dt
        self._moved, self._stepped, self._placed = False, True, {}
        self._batch.step()

    def _field(self, name: str) -> NDArray[Any]:
        if name not in self._expanded:
            self._expanded[name] = self._batch.expand(name)
        return self._expanded[name]

    def read(self, name: str) -> NDArray[Any]:  # noqa: D102
        if name in self._expanded or (self._derived and name in _DERIVED):
            return self._field(name).copy()
        field = np.asarray(model_field(self.model, name))
        return np.broadcast_to(field, (self.count, *field.shape)).copy()

    def write(self, name: str, values: NDArray[Any]) -> bool:  # noqa: D102
        if _same(self.read(name), values):
            return False
        field = self._field(name)
        field[...] = np.asarray(values).reshape(field.shape)
        return True

    def derive(self, *, keep_scale: bool = False) -> None:  # noqa: D102 - worlds keep it
        kept = self._field("eq_data").copy() if self.model.neq else None
        self._batch.set_const()
        self._derived = True
        if kept is not None:
            self._field("eq_data")[...] = self._with_anchors(kept, self._field("eq_data"))

    def output(self, name: str) -> Any:  # noqa: D102
        if name in self._placed:
            return self._placed[name]
        rows = self._batch.bind(name)
        late = self._stepped and name not in self._watched and not rows.flags.writeable
        self._watched.add(name)
        if late or (self._moved and name in _PLACES):
            rows = self._placed[name] = self._worked_out(name, rows)
        return rows

    def _worked_out(self, name: str, like: NDArray[Any]) -> NDArray[Any]:
        """What the last step did not tell, as nobody had asked: from the present state."""
        rows = like.copy()
        stage = mujoco.mj_kinematics if name in _PLACES else mujoco.mj_forward
        for world in range(self.count):
            data = self._batch.get_data(world)
            stage(self._batch.get_model(world), data)
            rows[world] = np.reshape(getattr(data, name), rows[world].shape)
        return rows

    def friction_forces(self) -> NDArray[Any]:  # noqa: D102
        raise NotSupportedError(
            "forces of dry friction of several worlds on the CPU", "one world, or backend='warp'"
        )

    def eq_active(self) -> NDArray[np.bool_]:  # noqa: D102
        return self._batch.bind("eq_active").astype(bool)

    def set_eq_active(self, active: NDArray[np.bool_]) -> None:  # noqa: D102
        self._batch.bind("eq_active")[...] = active

    def contacts(self) -> tuple[NDArray[Any], ...]:  # noqa: D102
        found: list[tuple[NDArray[Any], ...]] = []
        for world in range(self.count):
            model, data = self._batch.get_model(world), self._batch.get_data(world)
            mujoco.mj_forward(model, data)
            found.append(_contacts(world, model, data))
        return _joined(found)

    def place_shapes(self) -> None:  # noqa: D102
        self._moved, self._placed = True, {}

    def reset(self, worlds: NDArray[np.bool_] | None = None) -> None:  # noqa: D102
        chosen: Any = slice(None) if worlds is None else worlds
        self._batch.state[chosen] = self._home[chosen]


def _friction(data: Any, count: int) -> NDArray[np.float64]:
    """Forces of rows of dry friction, by degree of freedom."""
    found = np.zeros(count)
    rows = np.asarray(data.efc_type) == int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)
    np.add.at(found, np.asarray(data.efc_id)[rows], np.asarray(data.efc_force)[rows])
    return found


def _same(present: Any, values: Any) -> bool:
    """Whether values are what there is, to the precision that scripts give them in."""
    mine = np.asarray(present, dtype=np.float32)
    return np.array_equal(mine.ravel(), np.asarray(values, dtype=np.float32).ravel())


def _state_row(model: Any, data: Any) -> NDArray[np.float64]:
    row = np.zeros(mujoco.mj_stateSize(model, _STATE))
    mujoco.mj_getState(model, data, row, _STATE)
    return row


def _contacts(world: int, model: Any, data: Any) -> tuple[Any, ...]:
    contact, count = data.contact, data.ncon
    force = np.zeros((count, 6))
    for i in range(count):
        mujoco.mj_contactForce(model, data, i, force[i])
    frames = np.array(contact.frame).reshape(count, 3, 3)
    worlds: Any = np.full(count, world)
    return (
        worlds,
        np.array(contact.geom).reshape(count, 2),
        frames[:, 0],
        np.array(contact.pos).reshape(count, 3),
        np.array(contact.dist).reshape(count),
        np.einsum("nij,ni->nj", frames, force[:, :3]),
    )


def _joined(parts: list[tuple[NDArray[Any], ...]]) -> tuple[NDArray[Any], ...]:
    return tuple(np.concatenate(columns) for columns in zip(*parts, strict=True))
