"""The constraint callback on the CPU, and its installation in MuJoCo.

MuJoCo calls ``mjcb_control`` after the velocity stage and before the constraint solve; there the
rows of drives, limits, contacts and constraints are rewritten by the rules of ``table``.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.util
import logging
import os
import time
from typing import Any

import mujoco
import numba
from numba import types

from unibody.core.engine.layout import Layout, layout, self_check
from unibody.core.engine.rows import table as t
from unibody.core.engine.rows.contacts import apply_contacts
from unibody.core.engine.rows.damping import apply_damping
from unibody.core.engine.rows.drives import apply_friction_rows, apply_limits
from unibody.core.engine.rows.equalities import apply_equalities
from unibody.core.engine.rows.pointers import f64_array, i32_array, int_at, pointer_f64
from unibody.errors import EngineError
from unibody.notices import tell

_SIGNATURE = types.void(types.int64, types.int64)


@numba.njit
def apply_rules(m: int, d: int, lay: Layout) -> None:
    """Rewrite all rows of one world; models that are not ours are left alone."""
    if int_at(m, lay.m_nnumeric) == 0 or i32_array(m, lay.m_numeric_size)[0] < t.NUMERIC_SIZE:
        return
    params = f64_array(m, lay.m_numeric_data)
    if params[t.N_MAGIC] != t.MAGIC:
        return
    dt = pointer_f64(m + lay.m_opt + lay.o_timestep)[0]
    if params[t.N_DAMPING] != 0.0:
        apply_damping(m, d, lay, dt)
    if int_at(d, lay.d_nefc) == 0:
        return
    apply_friction_rows(m, d, lay, params, dt)
    apply_limits(d, lay, params, dt)
    apply_contacts(m, d, lay, params, dt)
    apply_equalities(m, d, lay, params, dt)


def _build(lay: Layout, digest: str) -> Any:
    """Compile the callback, or load it from numba's cache.

    ``lay`` and ``digest`` are closure variables, and so part of the cache's key: another MuJoCo
    or a changed rule never finds old machine code.
    """

    @numba.cfunc(_SIGNATURE, cache=True)
    def callback(m: int, d: int) -> None:
        if len(digest) > 0:
            apply_rules(m, d, lay)

    return callback


def _build_chained(lay: Layout, previous: int) -> Any:
    """The callback, followed by one that was installed before it."""
    call_previous = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(previous)

    @numba.cfunc(_SIGNATURE)
    def callback(m: int, d: int) -> None:
        apply_rules(m, d, lay)
        call_previous(m, d)

    return callback


def _rules_digest() -> str:
    """Hash of the sources the callback is compiled from."""
    folder = os.path.dirname(__file__)
    digest = hashlib.sha1(usedforsecurity=False)
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(file.read())
    return digest.hexdigest()


class _Installation:
    """The process-wide ``mjcb_control`` slot of libmujoco and our callback in it."""

    def __init__(self) -> None:
        self_check()
        self._slot = ctypes.c_void_p.in_dll(_libmujoco(), "mjcb_control")
        self._ours: list[Any] = []  # compiled callbacks are kept alive for ever
        self._address = 0
        if mujoco.get_mju_user_warning() is None:
            mujoco.set_mju_user_warning(_log_warning)

    def ensure(self) -> None:
        """Install the callback, or put it back in front of one that replaced it."""
        current = self._slot.value or 0
        if current == self._address and current:
            return
        begin = time.perf_counter()
        if current and current not in {c.address for c in self._ours}:
            callback = _build_chained(layout(), current)
        else:
            callback = _build(layout(), _rules_digest())
        seconds = time.perf_counter() - begin
        if seconds > _SLOW_COMPILE:
            cached = " (cached for the next start)" if not current else ""
            tell(f"compiled the constraint rules in {seconds:.1f} s{cached}")
        self._ours.append(callback)
        self._address = callback.address
        self._slot.value = self._address


def _log_warning(message: str) -> None:
    """MuJoCo's warnings go to the log instead of a file in the working directory."""
    logging.getLogger("unibody.engine").warning("MuJoCo: %s", message)


_SLOW_COMPILE = 1.0  # s: a start that takes longer says why


def _libmujoco() -> ctypes.CDLL:
    """The libmujoco that the Python bindings have loaded."""
    package = importlib.util.find_spec("mujoco")
    folder = os.path.dirname(package.origin) if package and package.origin else ""
    for name in sorted(os.listdir(folder)):
        if name.startswith(("libmujoco.", "mujoco.dll")):
            return ctypes.CDLL(os.path.join(folder, name))
    raise EngineError(f"no MuJoCo library found in {folder!r}: reinstall the package mujoco")


@functools.cache
def installation() -> _Installation:
    """The one installation of this process."""
    return _Installation()
