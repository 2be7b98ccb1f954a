"""The callbacks on the CPU, and their installation in MuJoCo.

MuJoCo calls ``mjcb_control`` after the velocity stage and before the constraint solve; there the
rows of drives, limits, contacts and constraints are rewritten by the rules of ``rule_table``. It
calls ``mjcb_sensor`` after the solve; there slipping contacts are settled, forces reported and
speeds limited, of models that ask for it. And it asks ``mjcb_contactfilter`` about pairs of geoms
before it looks closer.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib
import importlib.util
import logging
import os
from pathlib import Path
from typing import Any

import mujoco

from unibody.core.assets import transforms
from unibody.core.engine.library import jacobian
from unibody.core.engine.library.layout import Layout, layout, self_check
from unibody.core.engine.library.process_wide import made_once
from unibody.core.engine.records import rule_table
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules import (
    box_contacts,
    capsule_box_contacts,
    hull_contacts,
    position_corrections,
    slipping,
    smooth_acceleration,
    upright_cylinders,
)
from unibody.core.engine.rules.contacts import apply_contacts
from unibody.core.engine.rules.damping import apply_damping
from unibody.core.engine.rules.drives import apply_friction_rows, apply_limits
from unibody.core.engine.rules.elimination_order import order_islands
from unibody.core.engine.rules.equalities import apply_equalities
from unibody.core.engine.rules.force_reports import STAGE_ACC, report_forces
from unibody.core.engine.rules.joint_creep import creep
from unibody.core.engine.rules.joint_load_friction import apply_loads
from unibody.core.engine.rules.ownership import is_world
from unibody.core.engine.rules.pair_filter import apart, excluded, filtered, part_centres
from unibody.core.engine.rules.position_corrections import correct_limits, loosen_wedged
from unibody.core.engine.rules.speed_limits import BY_TORQUES, hold_speeds, limit_speeds
from unibody.core.engine.rules.thread_tasks import run_task
from unibody.errors import EngineError
from unibody.machine_code import numba, pointers, types
from unibody.machine_code.compiled import telling
from unibody.machine_code.jit import inlined
from unibody.machine_code.kept import kept_entry, provide_symbol
from unibody.machine_code.pointers import Pointer, f64_array, int_at, pointer_f64

_CONTROL = types.void(types.int64, types.int64)
_SENSOR = types.void(types.int64, types.int64, types.int32)
_FILTER = types.int32(types.int64, types.int64, types.int32, types.int32)


@inlined
def apply_rules(m: int, d: int, lay: Layout) -> None:
    """Rewrite all rows of one world; models that are not ours are left alone, but for tasks."""
    if not is_world(m, lay):
        run_task(m, d, lay)
        return
    params = f64_array(m, lay.m_numeric_data)
    dt = pointer_f64(m + lay.m_opt + lay.o_timestep)[0]
    if params[t.N_DAMPING] != 0.0:
        apply_damping(m, d, lay, dt)
    if int_at(d, lay.d_nefc) == 0:
        return
    _forget_lost_solution(m, d, lay)
    apply_friction_rows(m, d, lay, params, dt)
    if params[t.N_JOINT_LOADS] != 0.0:
        apply_loads(m, d, lay, params, dt)
    apply_limits(d, lay, params, dt)
    apply_contacts(m, d, lay, params, dt)
    apply_equalities(m, d, lay, params, dt)
    if params[t.N_ISLAND_ORDER] != 0.0:
        order_islands(m, d, lay)


@inlined
def _forget_lost_solution(m: int, d: int, lay: Layout) -> None:
    """Let the solver begin anew where the last solution is not finite: it would not leave that."""
    last, lost = f64_array(d, lay.d_qacc_warmstart), 0.0
    for i in range(int_at(m, lay.m_nv)):
        lost += 0.0 * last[i]
    if lost != 0.0:
        for i in range(int_at(m, lay.m_nv)):
            last[i] = 0.0


@inlined
def after_solve(m: int, d: int, stage: int, lay: Layout) -> None:
    """Settle what slips, note forces and limit speeds of one world.

    Models that are not ours are left alone.
    """
    if stage != STAGE_ACC or not is_world(m, lay):
        return
    params = f64_array(m, lay.m_numeric_data)
    dt = pointer_f64(m + lay.m_opt + lay.o_timestep)[0]
    if params[t.N_SLIPPING] != 0.0:
        by_mass = params[t.N_SLIP_BY_MASS] != 0.0
        slipping.settle_slipping(m, d, lay, params[t.N_SLIPPING], dt, by_mass)
    if params[t.N_CORRECTIONS] != 0.0 and int_at(d, lay.d_nefc) > 0:
        loosen_wedged(m, d, lay, params, dt)
    if params[t.N_SPEED_LIMIT] == BY_TORQUES:
        hold_speeds(m, d, lay, params, dt)
    if params[t.N_CORRECTIONS] != 0.0 and int_at(d, lay.d_nefc) > 0:
        correct_limits(m, d, lay, params, dt)
    report_and_limit(m, d, lay, params, dt)
    if params[t.N_JOINT_MOVES] > 1.0:
        creep(m, d, lay, dt)


@inlined
def report_and_limit(m: int, d: int, lay: Layout, params: Pointer, dt: float) -> None:
    """Note forces and limit speeds, where a world asks for it."""
    if params[t.N_REPORT] != 0.0:
        report_forces(m, d, lay, params)
    if params[t.N_SPEED_LIMIT] != 0.0:
        limit_speeds(m, d, lay, dt)


def _build_control(lay: Layout, digest: str) -> Any:
    """Compile ``mjcb_control``, or load it from numba's cache.

    ``lay`` and ``digest`` are closure variables, and so part of the cache's key: another MuJoCo
    or a changed rule never finds old machine code.
    """

    @kept_entry(_CONTROL)
    def callback(m: int, d: int) -> None:
        if len(digest) > 0:
            apply_rules(m, d, lay)

    return callback


def _chain_control(lay: Layout, previous: int) -> Any:
    """``mjcb_control``, followed by one that was installed before it."""
    call_previous = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(previous)

    @numba.cfunc(_CONTROL)
    def callback(m: int, d: int) -> None:
        apply_rules(m, d, lay)
        call_previous(m, d)

    return callback


def _build_sensor(lay: Layout, digest: str) -> Any:
    """Compile ``mjcb_sensor``, or load it from numba's cache."""

    @kept_entry(_SENSOR)
    def callback(m: int, d: int, stage: int) -> None:
        if len(digest) > 0:
            after_solve(m, d, stage, lay)

    return callback


def _chain_sensor(lay: Layout, previous: int) -> Any:
    """``mjcb_sensor``, followed by one that was installed before it."""
    call_previous = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_int32)(previous)

    @numba.cfunc(_SENSOR)
    def callback(m: int, d: int, stage: int) -> None:
        after_solve(m, d, stage, lay)
        call_previous(m, d, stage)

    return callback


@inlined
def _not_touching(m: int, d: int, lay: Layout, a: int, b: int) -> bool:
    """Whether two geoms need no closer look; makes those ready that do."""
    if excluded(m, lay, a, b) or apart(m, d, lay, a, b):
        return True
    part_centres(m, d, lay, a, b)
    return False


def _build_filter(lay: Layout, digest: str) -> Any:
    """Compile ``mjcb_contactfilter``, or load it from numba's cache."""

    @kept_entry(_FILTER)
    def callback(m: int, d: int, a: int, b: int) -> int:
        if len(digest) == 0 or filtered(m, lay, a, b):
            return 1
        return 1 if is_world(m, lay) and _not_touching(m, d, lay, a, b) else 0

    return callback


def _chain_filter(lay: Layout, previous: int) -> Any:
    """``mjcb_contactfilter``, followed by one that was installed before it."""
    call_previous = ctypes.CFUNCTYPE(
        ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_int32, ctypes.c_int32
    )(previous)

    @numba.cfunc(_FILTER)
    def callback(m: int, d: int, a: int, b: int) -> int:
        ours = is_world(m, lay)
        if ours and (filtered(m, lay, a, b) or _not_touching(m, d, lay, a, b)):
            return 1
        return call_previous(m, d, a, b)

    return callback


@functools.cache
def rules_digest() -> str:
    """Hash of the sources that rules and solver are compiled from."""
    engine = Path(__file__).parents[1]
    rooms = [engine / room for room in ("rules", "block_solver", "solver")]
    sources = [source for room in rooms for source in room.glob("*.py")]
    sources = [source for source in sources if not source.name.startswith("warp")]
    sources += [Path(str(m.__file__)) for m in (transforms, rule_table, jacobian, pointers)]
    digest = hashlib.sha1(usedforsecurity=False)
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()


class _Slot:
    """One callback pointer of libmujoco, and what we put into it."""

    def __init__(self, name: str, build: Any, chain: Any) -> None:
        self._pointer = ctypes.c_void_p.in_dll(libmujoco(), name)
        self._build = build
        self._chain = chain
        self._ours: list[Any] = []  # compiled callbacks are kept alive for ever
        self._address = 0
        self.call: Any = None  # the callback, for Python

    def ensure(self) -> int:
        """Install the callback, or put it back in front of one that replaced it.

        Returns:
            Its address.
        """
        current = self._pointer.value or 0
        if current == self._address and current:
            return current
        with telling("the constraint rules", kept=not current):
            if current and current not in {c.address for c in self._ours}:
                callback = self._chain(layout(), current)
            else:
                callback = self._build(layout(), rules_digest())
        self._ours.append(callback)
        self.call = callback.ctypes
        self._address = callback.address
        self._pointer.value = self._address
        return self._address


def compile_control() -> None:
    """Compile ``mjcb_control``, for processes to come."""
    _build_control(layout(), rules_digest())


def compile_sensor() -> None:
    """Compile ``mjcb_sensor``, for processes to come."""
    _build_sensor(layout(), rules_digest())


def compile_others() -> None:
    """Compile what is asked about pairs of geoms, for processes to come."""
    _build_filter(layout(), rules_digest())
    upright_cylinders.build(layout(), rules_digest())
    box_contacts.build(layout(), rules_digest())
    hull_contacts.build_all(rules_digest())
    capsule_box_contacts.build(layout(), rules_digest())


@made_once
def provide_functions() -> None:
    """Give the addresses of MuJoCo's functions that rules call; whoever compiles these needs it."""
    rules = (slipping, smooth_acceleration, position_corrections)
    called = [name for rule in rules for name in rule.MUJOCO_FUNCTIONS]
    for name in (
        *called,
        upright_cylinders.COLLIDE,
        *box_contacts.CALLED,
        *capsule_box_contacts.CALLED,
    ):
        address = ctypes.cast(libmujoco()[name], ctypes.c_void_p).value
        provide_symbol(name, int(address or 0))


class _Installation:
    """The process-wide callbacks.

    Attributes:
        clock: Where MuJoCo has the address of its clock for ``MjData.timer``. Reading it takes a
            fifth of a small step, so that our worlds step without.
    """

    def __init__(self) -> None:
        self_check()
        provide_functions()
        self._control = _Slot("mjcb_control", _build_control, _chain_control)
        self._sensor = _Slot("mjcb_sensor", _build_sensor, _chain_sensor)
        self._filter = _Slot("mjcb_contactfilter", _build_filter, _chain_filter)
        self._filter.ensure()
        self._standing = upright_cylinders.build(layout(), rules_digest())
        upright_cylinders.install(libmujoco(), self._standing)
        self._boxes = box_contacts.words(libmujoco())
        self._clipping = box_contacts.build(layout(), rules_digest())
        box_contacts.install(self._clipping, self._boxes)
        self._hulls = hull_contacts.install(libmujoco(), rules_digest())
        self._capsules = capsule_box_contacts.build(layout(), rules_digest())
        capsule_box_contacts.install(libmujoco(), self._capsules)
        if mujoco.get_mju_user_warning() is None:
            mujoco.set_mju_user_warning(_log_warning)
        self.clock = ctypes.c_void_p.in_dll(libmujoco(), "mjcb_time")
        self.ensure = self._control.ensure
        self.ensure_reports = self._sensor.ensure

    def control(self, model: Any, data: Any) -> None:
        """Do for one world what ``mjcb_control`` does in a step."""
        self._control.call(model._address, data._address)

    def after_solve(self, model: Any, data: Any) -> None:
        """Do for one world what ``mjcb_sensor`` does in a step."""
        self._sensor.ensure()
        self._sensor.call(model._address, data._address, STAGE_ACC)


def _log_warning(message: str) -> None:
    """MuJoCo's warnings go to the log instead of a file in the working directory."""
    logging.getLogger("unibody.engine").warning("MuJoCo: %s", message)


def libmujoco() -> ctypes.CDLL:
    """The libmujoco that the Python bindings have loaded."""
    package = importlib.util.find_spec("mujoco")
    folder = os.path.dirname(package.origin) if package and package.origin else ""
    for name in sorted(os.listdir(folder)):
        if name.startswith(("libmujoco.", "mujoco.dll")):
            return ctypes.CDLL(os.path.join(folder, name))
    raise EngineError(f"no MuJoCo library found in {folder!r}: reinstall the package mujoco")


@made_once
def installation() -> _Installation:
    """The one installation of this process."""
    return _Installation()
