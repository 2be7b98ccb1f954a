"""Where entities of a model are in its plain model, for all worlds of a group."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.plain.spec import names_to_numbers
from unibody.newton.enums import JointType
from unibody.newton.solvers.mujoco.groups import Group
from unibody.newton.solvers.mujoco.tendons import rows_of
from unibody.newton.solvers.mujoco.tree import carrying_joints
from unibody.newton.solvers.mujoco.writer import Writer

Numbers = NDArray[np.int32]


class Maps(NamedTuple):
    """Entity of a plain model -> that of the model, by world; -1: none.

    Attributes:
        body: (K, nbody).
        geom: (K, ngeom).
        site: (K, nsite).
        joint: (K, njnt).
        joint_dof: (K, njnt), the first degree of freedom.
        dof: (K, nv).
        equality: (K, neq).
        equality_joint: (K, neq).
        mimic: (K, neq).
        follower: (K, neq), the joint that follows another.
        mocap: (K, nmocap), the joint that holds the body.
        ordered_joints: (K, joints) joints of the model that have coordinates.
        qpos: Where those begin in qpos, (joints,).
        qvel: Where those begin in qvel, (joints,).
        control: (K, nu): degree of freedom, or number of a control.
        row: (K, nu): actuator of the model that states ranges.
        source: (nu,): 0 a position, 1 a velocity, 2 a control of the script.
        tendon: (K, ntendon).
    """

    body: Numbers
    geom: Numbers
    site: Numbers
    joint: Numbers
    joint_dof: Numbers
    dof: Numbers
    equality: Numbers
    equality_joint: Numbers
    mimic: Numbers
    follower: Numbers
    mocap: Numbers
    ordered_joints: Numbers
    qpos: Numbers
    qvel: Numbers
    control: Numbers
    row: Numbers
    source: Numbers
    tendon: Numbers

    def actuator_sources(self) -> Numbers:
        """For each actuator 1 where a control of the script drives it, else 0, (nu,)."""
        return (self.source == _SOURCES["control"]).astype(np.int32)

    def actuator_rows(self) -> Numbers:
        """For each actuator of the first world the actuator of the model, or -1, (nu,)."""
        return self.row[0] if len(self.row) else self.row.reshape(-1)

    def actuator_numbers(self) -> Numbers:
        """For each actuator of the first world what it follows, (nu,): see `SolverMuJoCo`."""
        first = self.control[0] if len(self.control) else self.control.reshape(-1)
        return np.where(self.source == _SOURCES["velocity"], -(first + 2), first).astype(np.int32)


_SOURCES = {"position": 0, "velocity": 1, "control": 2}


def find(
    model: Any,
    group: Group,
    writer: Writer,
    tendons: dict[int, str],
    compiled: Any,
    controls: int,
) -> Maps:
    """Find where all is.

    Args:
        model: The model.
        group: Worlds that are alike.
        writer: Has written the first of them.
        tendons: Tendon -> its name in the compiled model.
        compiled: The MjModel.
        controls: Controls of scripts in each world.
    """
    starts = model.joint_qd_start.numpy()
    body = _spread(group.bodies, _by_name(compiled, "body", writer.bodies, compiled.nbody))
    geom = _spread(group.shapes, _by_name(compiled, "geom", writer.shapes.geoms, compiled.ngeom))
    site = _spread(group.shapes, _by_name(compiled, "site", writer.shapes.sites, compiled.nsite))
    joint_of = np.full(compiled.njnt, -1, np.int32)
    axis_of = np.zeros(compiled.njnt, np.int32)
    for number, names in writer.joints.items():
        for axis, place in enumerate(names_to_numbers(compiled, "joint", names)):
            joint_of[place], axis_of[place] = number, axis
    joint = _spread(group.joints, joint_of)
    joint_dof = starts[joint] + axis_of
    dof_axis = np.arange(compiled.nv) - compiled.jnt_dofadr[compiled.dof_jntid]
    dof = joint_dof[:, compiled.dof_jntid] + dof_axis
    firsts = np.flatnonzero(axis_of == 0)
    held = np.full(compiled.nmocap, -1, np.int32)
    types, parents = model.joint_type.numpy(), model.joint_parent.numpy()
    carrying, children = np.flatnonzero(carrying_joints(model)), model.joint_child.numpy()
    child = {int(children[j]): int(j) for j in carrying}
    for number in np.flatnonzero(compiled.body_mocapid >= 0):
        held[compiled.body_mocapid[number]] = child[int(body[0, number])]
    assert all(types[j] == JointType.FIXED and parents[j] < 0 for j in held)
    return Maps(
        body,
        geom,
        site,
        joint,
        joint_dof.astype(np.int32),
        dof.astype(np.int32),
        _equalities(writer, "eq", group.equalities, group),
        _equalities(writer, "joint", group.joints, group),
        _equalities(writer, "mimic", group.mimics, group),
        _equalities(writer, "follower", group.joints, group),
        _spread(group.joints, held),
        joint[:, firsts],
        compiled.jnt_qposadr[firsts].astype(np.int32),
        compiled.jnt_dofadr[firsts].astype(np.int32),
        _controls(model, group, writer, controls),
        _rows(group, writer, controls),
        np.array([_SOURCES[servo.source] for servo in writer.servos], np.int32),
        _tendons(model, group, _by_name(compiled, "tendon", tendons, compiled.ntendon)),
    )


def _tendons(model: Any, group: Group, first: Numbers) -> Numbers:
    rows = [rows_of(model, int(world)) for world in group.worlds]
    alike = [row[: len(rows[0])] for row in rows]
    return _spread(np.stack(alike), first)


def _by_name(compiled: Any, kind: str, names: dict[int, str], count: int) -> Numbers:
    found = np.full(count, -1, np.int32)
    places = names_to_numbers(compiled, kind, list(names.values()))
    for number, place in zip(names, places, strict=True):
        found[place] = number
    return found


def _spread(rows: Numbers, first: Numbers) -> Numbers:
    """Numbers of the first world as those of all, (K, n)."""
    if not rows.shape[1]:
        return np.full((len(rows), len(first)), -1, np.int32)
    order = np.argsort(rows[0])
    places = order[np.minimum(np.searchsorted(rows[0], first, sorter=order), len(order) - 1)]
    return np.where(first >= 0, rows[:, places], -1).astype(np.int32)


def _equalities(writer: Writer, kind: str, rows: Numbers, group: Group) -> Numbers:
    first = [number if what == kind else -1 for what, number in writer.equalities]
    return _spread(rows.reshape(len(group.worlds), -1), np.array(first, np.int32))


def _rows(group: Group, writer: Writer, controls: int) -> Numbers:
    first = np.array([servo.row for servo in writer.servos], np.int32)
    starts = np.maximum(group.worlds, 0)[:, None] * controls
    return np.where(first >= 0, starts + first, -1).astype(np.int32)


def _controls(model: Any, group: Group, writer: Writer, controls: int) -> Numbers:
    starts = model.joint_qd_start.numpy()
    joint_of = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    rows = np.zeros((len(group.worlds), len(writer.servos)), np.int32)
    for i, servo in enumerate(writer.servos):
        if servo.source == "control":
            rows[:, i] = np.maximum(group.worlds, 0) * controls + servo.dof
            continue
        joint = joint_of[servo.dof]
        own = _spread(group.joints, np.array([joint], np.int32))[:, 0]
        rows[:, i] = starts[own] + servo.dof - starts[joint]
    return rows
