"""MuJoCo's own actuators and contact pairs, which builders hold as attributes."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.engine.plain import spec as plain
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.solvers.mujoco.attributes import values_of
from unibody.newton.solvers.mujoco.writer import Servo, Writer

_JOINT, _JOINT_IN_PARENT, _TENDON, _SITE, _BODY, _CRANK = range(6)
_KINDS = {_JOINT: "joint", _JOINT_IN_PARENT: "jointinparent", _SITE: "site", _BODY: "body"}
_KINDS[_CRANK] = "slidercrank"
_SECOND = {_SITE: "refsite", _CRANK: "slidersite"}
"""What the second number of ``actuator_trnid`` is."""
_KINDS[_TENDON] = "tendon"
_AUTO = 2
_OF_ACTIVATION = ("actlimited", "actrange", "has_actrange", "actdim", "actearly")
_TYPES = ("dyntype", "gaintype", "biastype", "gear", "dynprm", "gainprm", "biasprm")
_PASSIVE = ("cranklength", "lengthrange", "damping", "dampingpoly", "armature", "ctrlspec")
_MOTOR = plain.actuator_kind("Gain", "dcmotor")
_INPUTS = (0, 1, 2, 8)  # none stated, a position, a velocity, a voltage
_DIRECT = 1  # ctrl_source: the script's control, not a target of the joint


def write_actuators(model: Any, writer: Writer, world: int, tendons: dict[int, str]) -> None:
    """Add the actuators of a world to a spec.

    Args:
        model: The model.
        writer: Writes the world.
        world: The world; -1: all.
        tendons: Tendon -> its name.
    """
    rows = values_of(model, "actuator_trnid")
    if rows is None:
        return
    names = ("trntype", "world", *_TYPES, "ctrllimited", "forcelimited", "ctrlrange", "forcerange")
    names += ("has_ctrlrange", "has_forcerange", *_OF_ACTIVATION, *_PASSIVE)
    of = {name: values_of(model, f"actuator_{name}") for name in names}
    source = values_of(model, "ctrl_source")
    number = 0
    for i, row in enumerate(rows):
        if world >= 0 and of["world"][i] not in {world, -1}:
            continue
        own, number = number, number + 1
        if source[i] != _DIRECT:
            continue  # a drive of the joint, which has its own servo
        trntype = int(of["trntype"][i])
        kind, target = _target(model, writer, tendons, trntype, int(row[0]))
        values: dict[str, Any] = {name: of[name][i] for name in _TYPES}
        if trntype in _SECOND and (row[1] >= 0 or trntype == _CRANK):
            values[_SECOND[trntype]] = _target(model, writer, tendons, trntype, int(row[1]))[1]
        _add_ranges(values, of, i)
        _add_activation(values, of, i)
        _add_passive(values, of, i)
        _check_input(values, i)
        plain.add_actuator(writer.spec, kind, target, values)
        writer.servos.append(Servo(own, "control"))


def refine_servos(model: Any, writer: Writer, world: int) -> None:
    """Give servos of joints the ranges and the damping of the actuators that ask for them.

    Args:
        model: The model.
        writer: Has written the joints of the world.
        world: The world; -1: all.
    """
    rows = values_of(model, "actuator_trnid")
    if rows is None or not is_after_first_of_1():
        return
    names = ("trntype", "world", "biasprm", "ctrllimited", "forcelimited", "ctrlrange")
    names += ("forcerange", "has_ctrlrange", "has_forcerange", *_PASSIVE)
    of = {name: values_of(model, f"actuator_{name}") for name in names}
    source, number, asking = values_of(model, "ctrl_source"), 0, {}
    for i, row in enumerate(rows):
        if world >= 0 and of["world"][i] not in {world, -1}:
            continue
        if source[i] != _DIRECT and int(of["trntype"][i]) == _JOINT:
            kind = "position" if of["biasprm"][i][1] != 0.0 else "velocity"
            asking[(int(row[0]), kind)] = i, number
        number += 1
    for servo, actuator in zip(writer.servos, writer.spec.actuators, strict=True):
        if (servo.first, servo.source) in asking:
            i, servo.row = asking[(servo.first, servo.source)]
            values: dict[str, Any] = {}
            _add_ranges(values, of, i)
            _add_passive(values, of, i, ("armature",))
            plain.set_actuator(actuator, values)


def _add_ranges(values: dict[str, Any], of: dict[str, Any], i: int) -> None:
    """Add the ranges of controls and forces that an actuator states."""
    for limit, span in (("ctrllimited", "ctrlrange"), ("forcelimited", "forcerange")):
        stated, given = int(of[limit][i]), bool(of[f"has_{span}"][i])
        values[limit] = given if stated == _AUTO else bool(stated)
        if given:
            values[span] = of[span][i]


def _add_activation(values: dict[str, Any], of: dict[str, Any], i: int) -> None:
    """Add what an actuator with a state of its own has, where the model knows it."""
    if of["actdim"] is None or int(values["dyntype"]) == 0:
        return
    stated, given = int(of["actlimited"][i]), bool(of["has_actrange"][i])
    values["actlimited"] = given if stated == _AUTO else bool(stated)
    values["actrange"], values["actearly"] = of["actrange"][i], bool(of["actearly"][i])
    values["actdim"] = int(of["actdim"][i])


def _add_passive(
    values: dict[str, Any],
    of: dict[str, Any],
    i: int,
    names: tuple[str, ...] = ("cranklength", "lengthrange", "armature", "ctrlspec"),
) -> None:
    """Add lengths, and the damping and inertia of an actuator, where the model knows them."""
    if of["damping"] is None:
        return
    values["damping"] = [of["damping"][i], *of["dampingpoly"][i]]
    for name in names:
        values[name] = of[name][i]


def _check_input(values: dict[str, Any], i: int) -> None:
    """Refuse a motor that has several inputs, or one that no control is for."""
    if int(values["gaintype"]) == _MOTOR and int(values.get("ctrlspec", 1)) not in _INPUTS:
        raise NotSupportedError(
            f"actuator {i} with actuator_ctrlspec={values['ctrlspec']}",
            f"one DC-motor control input is for one actuator: {_INPUTS}",
        )


def refer(model: Any, writer: Writer) -> None:
    """Have the sites written that actuators act on, whatever else is left out."""
    rows, kinds = values_of(model, "actuator_trnid"), values_of(model, "actuator_trntype")
    if rows is not None and kinds is not None:
        of_sites = np.isin(kinds, list(_SECOND))
        writer.shapes.referred |= {int(site) for site in rows[of_sites].ravel() if site >= 0}


def _target(
    model: Any, writer: Writer, tendons: dict[int, str], kind: int, number: int
) -> tuple[str, str]:
    if kind not in _KINDS:
        raise NotSupportedError(
            f"an actuator of trntype {kind}", f"actuators act on {', '.join(_KINDS.values())}"
        )
    if kind in {_JOINT, _JOINT_IN_PARENT}:
        starts = model.joint_qd_start.numpy()
        for joint, names in writer.joints.items():
            first, last = int(starts[joint]), int(starts[joint + 1])
            if first <= number < last:
                return _KINDS[kind], names[number - first if len(names) > 1 else 0]
    elif kind == _BODY and number in writer.bodies:
        return _KINDS[kind], writer.bodies[number]
    elif kind == _TENDON and number in tendons:
        return _KINDS[kind], tendons[number]
    elif kind in _SECOND and number in writer.shapes.sites:
        return _KINDS[kind], writer.shapes.sites[number]
    raise InvalidArgumentError("actuator_trnid", number, f"a {_KINDS[kind]} of the first world")


def write_pairs(model: Any, writer: Writer, world: int) -> None:
    """Add the explicit pairs of geoms of a world to a spec."""
    first = values_of(model, "pair_geom1")
    if first is None:
        return
    second, worlds = values_of(model, "pair_geom2"), values_of(model, "pair_world")
    names = ("condim", "solref", "solreffriction", "solimp", "margin", "gap", "friction")
    of = {name: values_of(model, f"pair_{name}") for name in names}
    for i in range(len(first)):
        geoms = [writer.shapes.geoms.get(int(rows[i])) for rows in (first, second)]
        if (world >= 0 and worlds[i] not in {world, -1}) or None in geoms:
            continue
        pair = writer.spec.add_pair(geomname1=geoms[0], geomname2=geoms[1])
        for name, rows in of.items():
            if rows[i].ndim:
                getattr(pair, name)[:] = rows[i]
            else:
                setattr(pair, name, rows[i].item())
