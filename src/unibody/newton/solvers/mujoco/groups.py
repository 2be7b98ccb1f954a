"""Which worlds of a model are alike, so that one plain model stands for all of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError
from unibody.newton.enums import MAXVAL, GeoType, ShapeFlags
from unibody.newton.solvers.mujoco.attributes import values_of
from unibody.newton.solvers.mujoco.homogeneous import actuator_signatures
from unibody.newton.solvers.mujoco.meshes import are_meshes

Indices = NDArray[np.int32]


class Group(NamedTuple):
    """Worlds that differ in numbers only.

    Attributes:
        worlds: Their numbers, K; -1: all there is, in one.
        bodies: Bodies of each, (K, bodies).
        joints: Joints of each.
        shapes: Shapes of each, those that belong to all worlds first.
        equalities: Equality constraints of each.
        mimics: Mimic constraints of each.
    """

    worlds: Indices
    bodies: Indices
    joints: Indices
    shapes: Indices
    equalities: Indices
    mimics: Indices


_ENTITIES = {
    "bodies": "body_world",
    "joints": "joint_world",
    "shapes": "shape_world",
    "equalities": "equality_constraint_world",
    "mimics": "constraint_mimic_world",
}


def whole(model: Any) -> Group:
    """All there is, as one world."""
    found = [np.arange(len(getattr(model, name)), dtype=np.int32) for name in _ENTITIES.values()]
    return Group(np.array([-1], np.int32), *(rows[None] for rows in found))


def check_shared(model: Any) -> None:
    """Check that only shapes are shared by all worlds.

    Raises:
        InvalidArgumentError: A body, joint or constraint is.
    """
    for kind, name in _ENTITIES.items():
        if kind == "shapes":
            continue
        shared = np.flatnonzero(getattr(model, name).numpy() < 0)
        if len(shared):
            what = {"equalities": "equality constraints", "mimics": "mimic constraints"}
            raise InvalidArgumentError(
                name,
                f"-1 of {len(shared)} {what.get(kind, kind)}",
                f"worlds of their own: Global world (-1) cannot contain {what.get(kind, kind)}",
            )


def separate(model: Any) -> list[Group]:
    """Groups of worlds that are alike, by their first worlds."""
    check_shared(model)
    rows = {kind: _by_world(model, name) for kind, name in _ENTITIES.items()}
    groups: dict[Any, list[int]] = {}
    signature = _Signature(model, rows)
    for world in range(model.num_worlds):
        groups.setdefault(signature(world), []).append(world)
    return [
        Group(
            np.array(worlds, np.int32),
            *(np.stack([rows[kind][w] for w in worlds]) for kind in _ENTITIES),
        )
        for worlds in groups.values()
    ]


def _by_world(model: Any, name: str) -> list[Indices]:
    worlds = getattr(model, name).numpy()
    order = np.argsort(worlds, kind="stable").astype(np.int32)
    edges = np.searchsorted(worlds[order], np.arange(model.num_worlds + 1))
    shared = order[: edges[0]]
    return [
        np.concatenate([shared, order[edges[w] : edges[w + 1]]]) for w in range(model.num_worlds)
    ]


class _Signature:
    """What worlds have in common where one plain model can stand for them."""

    def __init__(self, model: Any, rows: dict[str, list[Indices]]) -> None:
        self._rows = rows
        names = "type parent child dof_dim articulation mimic_joint"
        self._joint = {n: getattr(model, f"joint_{n}").numpy() for n in names.split()}
        starts = model.joint_qd_start.numpy()
        self._dofs = starts
        lower, upper = model.joint_limit_lower.numpy(), model.joint_limit_upper.numpy()
        limited = (lower > -MAXVAL) | (upper < MAXVAL)
        self._dof = np.stack([model.joint_act_mode.numpy(), limited.astype(np.int32)], axis=1)
        names = "type body flags collision_group"
        self._shape = {n: getattr(model, f"shape_{n}").numpy() for n in names.split()}
        scale = model.shape_scale.numpy().reshape(-1, 3)
        fixed = are_meshes(self._shape["type"], scale) | (self._shape["type"] == GeoType.HFIELD)
        self._compiled_size = np.where(fixed[:, None], scale.view(np.int32), 0)
        self._source = np.array([_content(source) for source in model.shape_source], np.int64)
        names = "type body1 body2 joint1 joint2"
        self._equality = {
            n: getattr(model, f"equality_constraint_{n}").numpy() for n in names.split()
        }
        self._chosen = [
            np.where(values >= 0, values - starts[self._equality[f"joint{end}"]], -1)
            for end in (1, 2)
            if (values := values_of(model, f"equality_constraint_joint{end}_dof")) is not None
        ]
        self._mimic = {
            n: getattr(model, f"constraint_mimic_{n}").numpy() for n in ("joint0", "joint1")
        }
        self._has_mass = model.body_mass.numpy() > 0.0
        self._filters = _filters(model)
        self._actuators = actuator_signatures(model)

    def __call__(self, world: int) -> bytes:
        bodies, joints = self._rows["bodies"][world], self._rows["joints"][world]
        shapes = self._rows["shapes"][world]
        equalities, mimics = self._rows["equalities"][world], self._rows["mimics"][world]
        body = _relative(bodies)
        joint = _relative(joints)
        parts: list[Any] = [[len(bodies), len(joints), len(shapes), len(equalities), len(mimics)]]
        parts += [self._joint["type"][joints], self._joint["dof_dim"][joints]]
        parts += [body(self._joint["parent"][joints]), body(self._joint["child"][joints])]
        parts += [self._joint["articulation"][joints] >= 0, self._has_mass[bodies]]
        parts += [self._dof[self._dofs[j] : self._dofs[j + 1]] for j in joints]
        parts += [self._shape[n][shapes] for n in ("type", "flags", "collision_group")]
        parts += [body(self._shape["body"][shapes]), self._source[shapes]]
        parts += [self._compiled_size[shapes]]
        parts += [self._equality["type"][equalities]]
        parts += [body(self._equality[n][equalities]) for n in ("body1", "body2")]
        parts += [joint(self._equality[n][equalities]) for n in ("joint1", "joint2")]
        parts += [values[equalities] for values in self._chosen]
        parts += [joint(values[mimics]) for values in self._mimic.values()]
        parts += [joint(self._joint["mimic_joint"][joints])]
        if self._actuators is not None:
            parts.append(self._actuators[world])
        pairs = self._filters.get(world)
        if pairs is not None:
            own = _relative(shapes)
            rows = np.stack([own(pairs[:, 0]), own(pairs[:, 1])], axis=1)
            parts.append(rows[np.lexsort(rows.T)])
        return b"".join(np.asarray(part, dtype=np.int64).tobytes() for part in parts)


def _relative(rows: Indices) -> Any:
    """A function from numbers of a model to places in the rows of a world."""

    def places(numbers: NDArray[Any]) -> NDArray[Any]:
        if not len(rows):
            return np.where(numbers < 0, numbers, -2)
        found = np.searchsorted(rows, numbers, sorter=None)
        return np.where(numbers < 0, numbers, found)

    return places


def _filters(model: Any) -> dict[int, NDArray[Any]]:
    pairs = np.array(sorted(model.shape_collision_filter_pairs), np.int64).reshape(-1, 2)
    if not len(pairs):
        return {}
    worlds = model.shape_world.numpy()[pairs].max(axis=1)
    return {int(w): pairs[worlds == w] for w in np.unique(worlds) if w >= 0}


def _content(source: Any) -> int:
    return 0 if source is None else hash((source, getattr(source, "maxhullvert", None)))


def colliding(model: Any, shapes: Indices) -> Indices:
    """Those of some shapes that can touch something."""
    flags = model.shape_flags.numpy()[shapes]
    groups = model.shape_collision_group.numpy()[shapes]
    return shapes[(flags & int(ShapeFlags.COLLIDE_SHAPES) != 0) & (groups != 0)]
