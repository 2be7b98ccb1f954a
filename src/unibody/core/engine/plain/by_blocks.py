"""Steps of a large plain model, where the solver by blocks takes the place of MuJoCo's.

It solves the same problem to the same tolerance; a model or an option that it does not know is
left to ``mj_step``.
"""

from __future__ import annotations

import ctypes
from typing import Any

import mujoco

from unibody.core.engine.library.jacobian import SPARSE_FROM
from unibody.core.engine.rules.callbacks import libmujoco
from unibody.core.engine.solver.settings import new_solver
from unibody.mechanisms import is_plain

_NEWTON = int(mujoco.mjtSolver.mjSOL_NEWTON)
_DENSE = int(mujoco.mjtJacobian.mjJAC_DENSE)
_EULER, _IMPLICIT, _IMPLICIT_FAST = (
    int(getattr(mujoco.mjtIntegrator, f"mjINT_{name}"))
    for name in ("EULER", "IMPLICIT", "IMPLICITFAST")
)
_INTEGRATORS = {
    _EULER: mujoco.mj_Euler,
    _IMPLICIT: mujoco.mj_implicit,
    _IMPLICIT_FAST: mujoco.mj_implicit,
}
_NO_ISLANDS = int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
_NO_ACTUATION = int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_DISABLED = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT) | int(mujoco.mjtDisableBit.mjDSBL_WARMSTART)


def fits(model: Any) -> bool:
    """Whether a model is large, and has nothing that belongs to other stages of a step."""
    others = model.nsensor + model.nplugin + model.nflex
    return not is_plain("solver") and model.nv >= SPARSE_FROM and others == 0


class BlockSteps:
    """Steps of one model that `fits`.

    Args:
        model: The MjModel; scripts may change its options between steps.
    """

    def __init__(self, model: Any) -> None:
        self._model, self._options = model, model.opt
        self._solver = new_solver()
        self._control = ctypes.c_void_p.in_dll(libmujoco(), "mjcb_control")

    def _knows_options(self) -> bool:
        opt = self._options
        return (
            opt.solver == _NEWTON
            and opt.jacobian != _DENSE
            and opt.integrator in _INTEGRATORS
            and not opt.noslip_iterations
            and not opt.enableflags
            and not opt.disableflags & _DISABLED
            and mujoco.get_mjcb_control() is None
        )

    def _call_control(self, data: Any) -> None:
        """Call what another library wrote into MuJoCo's slot, as ``mj_step`` would."""
        address = self._control.value
        if address and not self._options.disableflags & _NO_ACTUATION:
            _CALLBACK(address)(self._model._address, data._address)

    def step(self, data: Any) -> None:
        """Advance by one time step."""
        if not self._knows_options():
            mujoco.mj_step(self._model, data)
            return
        model, opt = self._model, self._options
        flags = int(opt.disableflags)
        mujoco.mj_checkPos(model, data)
        mujoco.mj_checkVel(model, data)
        opt.disableflags = flags | _NO_ISLANDS  # the solver finds them by itself
        try:
            mujoco.mj_fwdPosition(model, data)
        finally:
            opt.disableflags = flags
        mujoco.mj_fwdVelocity(model, data)
        self._call_control(data)
        mujoco.mj_fwdActuation(model, data)
        mujoco.mj_fwdAcceleration(model, data)
        self._solver.solve(model, data)
        mujoco.mj_checkAcc(model, data)
        _INTEGRATORS[int(opt.integrator)](model, data)
