"""Worlds that must be alike, where a script asks for one plain model of all of them.

Worlds that differ are stepped in groups unless a script states ``separate_worlds=True``, which in
the original means that each world is a copy of the first one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError
from unibody.newton.enums import ActuatorKind, GeoType
from unibody.newton.solvers.mujoco.attributes import values_of

_MESHES = (GeoType.MESH, GeoType.CONVEX_MESH)
_MOTOR = int(ActuatorKind.DCMOTOR)
_TEMPLATE = ("damping", "dampingpoly", "armature", "ctrlspec")
"""What of actuators a plain model has once."""
_OF_MOTORS = ("gainprm", "biasprm", "dynprm", "dyntype", "gaintype", "biastype", "actdim")
_OF_MOTORS += ("actearly", "forcerange", "forcelimited")
_ENTITIES = {
    "bodies": "body_world",
    "joints": "joint_world",
    "equality constraints": "equality_constraint_world",
    "mimic constraints": "constraint_mimic_world",
}


def check(model: Any) -> None:
    """Check that the worlds of a model can be copies of one.

    Args:
        model: A model of several worlds.

    Raises:
        InvalidArgumentError: They differ in more than numbers and meshes.
    """
    worlds = {kind: getattr(model, name).numpy() for kind, name in _ENTITIES.items()}
    for kind, world in worlds.items():
        counts = np.bincount(world, minlength=model.num_worlds)
        _check_counts(kind, counts)
    _check_alike(model, worlds["joints"], "joint_type", "Joint types")
    _check_alike(model, worlds["joints"], "joint_dof_dim", "Joint DOF counts")
    for name in ("parent", "child"):
        _check_bodies(model, worlds["joints"], worlds["bodies"], name)
    equalities = worlds["equality constraints"]
    _check_alike(model, equalities, "equality_constraint_type", "Equality constraint types")
    _check_shapes(model, worlds["bodies"])


def check_actuators(model: Any) -> None:
    """Check that actuators of all worlds are alike in what a plain model has once.

    Raises:
        InvalidArgumentError: They are not.
    """
    rows = _actuators_of_worlds(model)
    if rows is None:
        return
    if len({len(own) for own in rows}) > 1:
        raise _refused("matching actuator layouts", [len(own) for own in rows])
    table = np.stack(rows)
    kinds = values_of(model, "ctrl_type")
    motors = np.zeros(table.shape, bool) if kinds is None else kinds[table] == _MOTOR
    if (motors != motors[0]).any():
        raise _refused("matching high-level DC-motor actuator layouts", motors.tolist())
    for told, names, chosen in (
        ("actuator template", _template(model), table),
        ("high-level DC-motor", _OF_MOTORS, table[:, motors[0]]),
    ):
        for name in names:
            values = values_of(model, f"actuator_{name}")
            if values is not None and (values[chosen] != values[chosen[0]]).any():
                found = values[chosen].tolist()
                text = f"identical {told} parameters (mujoco:actuator_{name}) across worlds"
                raise _refused(text, found)


def actuator_signatures(model: Any) -> list[NDArray[Any]] | None:
    """What a plain model has once of the actuators of each world, as whole numbers."""
    rows = _actuators_of_worlds(model)
    if rows is None:
        return None
    kinds = values_of(model, "ctrl_type")
    found = []
    for own in rows:
        motors = own[:0] if kinds is None else own[kinds[own] == _MOTOR]
        parts = [np.array([len(own), len(motors)])]
        for names, chosen in ((_template(model), own), (_OF_MOTORS, motors)):
            for name in names:
                values = values_of(model, f"actuator_{name}")
                if values is not None:
                    parts.append(values[chosen].astype(np.float64).view(np.int64).ravel())
        found.append(np.concatenate(parts))
    return found


def _template(model: Any) -> tuple[str, ...]:
    """What a plain model has once of all actuators; the gear, where damping depends on speeds."""
    poly = values_of(model, "actuator_dampingpoly")
    return _TEMPLATE if poly is None or not poly.any() else (*_TEMPLATE, "gear")


def _actuators_of_worlds(model: Any) -> list[NDArray[Any]] | None:
    """The actuators of each world, in their order; None where worlds have none of their own."""
    worlds = values_of(model, "actuator_world")
    if worlds is None or not (worlds >= 0).any():
        return None
    return [np.flatnonzero(worlds == world) for world in range(model.num_worlds)]


def _check_counts(kind: str, counts: NDArray[Any], more: str = "") -> None:
    other = np.flatnonzero(counts != counts[0])
    if len(other):
        world = int(other[0])
        found = f"World 0 has {counts[0]} {kind}, but world {world} has {counts[world]}"
        raise _refused(f"homogeneous worlds. {found}{more}", counts.tolist())


def _of_worlds(model: Any, worlds: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    """Values of entities with the world as the first axis."""
    order = np.argsort(worlds, kind="stable")
    return values[order].reshape(model.num_worlds, -1, *values.shape[1:])


def _check_alike(model: Any, worlds: NDArray[Any], name: str, told: str) -> None:
    if not len(worlds):
        return
    rows = _of_worlds(model, worlds, getattr(model, name).numpy())
    differ = (rows != rows[0]).reshape(*rows.shape[:2], -1).any(axis=(0, 2))
    if differ.any():
        place = int(np.argmax(differ))
        found = f"{told} mismatch at position {place}: world 0 has {rows[0, place].tolist()}"
        raise _refused(f"homogeneous worlds. {found}", rows[:, place].tolist())


def _check_bodies(model: Any, worlds: NDArray[Any], bodies: NDArray[Any], name: str) -> None:
    """Check that joints of all worlds are between the same bodies of them."""
    if not len(worlds):
        return
    local = _local(model, bodies)
    rows = _of_worlds(model, worlds, local[getattr(model, f"joint_{name}").numpy()])
    differ = (rows != rows[0]).any(axis=0)
    if differ.any():
        place = int(np.argmax(differ))
        found = f"joint_{name} mismatch at position {place}"
        raise _refused(f"homogeneous worlds. {found}", rows[:, place].tolist())


def _local(model: Any, bodies: NDArray[Any]) -> NDArray[Any]:
    """Body -> its place in its world; the last entry is that of the world itself."""
    count = model.body_count // model.num_worlds
    found = np.full(model.body_count + 1, -1)
    order = np.argsort(bodies, kind="stable")
    found[order] = np.tile(np.arange(count), model.num_worlds)
    return found


def _check_shapes(model: Any, bodies: NDArray[Any]) -> None:
    """Check that each shape has its like in all worlds; meshes may be there more or less often."""
    worlds, types = model.shape_world.numpy(), model.shape_type.numpy()
    local = _local(model, bodies)[model.shape_body.numpy()]
    slots: dict[Any, dict[int, int]] = {}
    seen: dict[Any, int] = {}
    for shape in np.flatnonzero(worlds >= 0).tolist():
        key = (int(local[shape]), int(types[shape]))
        number = seen[(worlds[shape], key)] = seen.get((worlds[shape], key), -1) + 1
        slots.setdefault((*key, number), {})[int(worlds[shape])] = shape
    counts = np.bincount(worlds[worlds >= 0], minlength=model.num_worlds)
    for place, (key, found) in enumerate(slots.items()):
        missing = sorted(set(range(model.num_worlds)) - set(found))
        if missing and key[1] not in _MESHES:
            more = ". Only mesh geoms support differing counts"
            _check_counts("shapes", counts, more)
            label = model.shape_key[next(iter(found.values()))]
            told = f"Shape types mismatch at position {place}: world {missing[0]} has nothing like"
            raise _refused(f"homogeneous worlds. {told} {label!r}{more}", counts.tolist())
    _check_filters(model, local, list(slots.values()))


def _check_filters(model: Any, local: NDArray[Any], slots: list[dict[int, int]]) -> None:
    """Check that the worlds filter the same pairs of shapes of different bodies."""
    slot_of = {shape: number for number, found in enumerate(slots) for shape in found.values()}
    pairs = {tuple(sorted(pair)) for pair in model.shape_collision_filter_pairs}
    wanted = {
        tuple(sorted((slot_of[a], slot_of[b])))
        for a, b in pairs
        if a in slot_of and b in slot_of and local[a] != local[b]
    }
    for first, second in wanted:
        for world in slots[first].keys() & slots[second].keys():
            if tuple(sorted((slots[first][world], slots[second][world]))) not in pairs:
                told = f"the same filters in all worlds: collision filters differ in world {world}"
                raise _refused(told, "other filters")


def _refused(told: str, found: Any) -> InvalidArgumentError:
    return InvalidArgumentError(
        "separate_worlds",
        True,
        f"None for worlds that differ ({found}): SolverMuJoCo with separate_worlds=True requires"
        f" {told}",
    )
