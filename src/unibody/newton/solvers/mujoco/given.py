"""What a SolverMuJoCo is made with, and where it runs."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from unibody.core.engine.plain import spec as plain
from unibody.errors import InvalidArgumentError
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.solvers.mujoco import attributes

_DEFAULTS: dict[str, Any] = {
    "iterations": 100,
    "ls_iterations": 50,
    "solver": "newton",
    "integrator": "implicitfast",
    "cone": "pyramidal",
    "jacobian": "auto",
}
_SPARSE, _AUTO = (plain.OPTIONS["jacobian"][name] for name in ("sparse", "auto"))
_MOST_DENSE = 32  # degrees of freedom of models that mujoco-warp holds dense


class Given:
    """What a solver was made with."""

    def __init__(self, device: str, stated: dict[str, Any]) -> None:
        self.device = device
        self.stated: dict[str, Any] = {
            name: value for name, value in stated.items() if value is not None
        }
        self.sites = self.visual = True
        self.no_contacts = self.parallel_search = self.reports = False
        self.contacts: int | None = None
        self.rows: int | None = None
        self.nonzeros: int | None = None
        self.flags: dict[str, bool | None] = {}

    def disable(self, **flags: bool | None) -> None:
        """Set what MuJoCo leaves out, by its names; None: as it is."""
        self.flags = flags

    def raise_rooms(self, model: Any, data: Any) -> None:
        """Raise stated rooms to what the first state needs, and tell so.

        Raises:
            ValueError: The room for entries of the sparse Jacobian is too small.
        """
        if not is_after_first_of_1():
            return
        self._check_nonzeros(model, data)
        for own, name, needed in (("contacts", "nconmax", data.ncon), ("rows", "njmax", data.nefc)):
            room = getattr(self, own)
            if room is not None and room < needed:
                warnings.warn(
                    f"Value for {name} is changed from {room} to {needed}, which the first state"
                    " needs",
                    UserWarning,
                    stacklevel=6,
                )
                setattr(self, own, int(needed))

    def _check_nonzeros(self, model: Any, data: Any) -> None:
        sparse = int(model.opt.jacobian) == _SPARSE
        sparse |= int(model.opt.jacobian) == _AUTO and model.nv > _MOST_DENSE
        if self.nonzeros is None or not sparse:
            return
        present = int(np.count_nonzero(data.efc_J)) if data.nefc else 0
        if self.nonzeros < max(present, 1):
            raise ValueError(
                f"njmax_nnz={self.nonzeros} is too small: the model needs a capacity of at least"
                f" {max(present, 1)}; the initial Jacobian contains {present} nonzeros"
            )

    def flags_of(self, model: Any) -> tuple[dict[str, bool | None], dict[str, bool | None]]:
        """What MuJoCo leaves out, and what it adds: as stated, else as attributes of the model say.

        In later releases of 1.x several points of convex collisions are left out by default.
        """
        off, on = dict(self.flags), {}
        if not is_after_first_of_1():
            return off, on
        for name, usual in attributes.FLAGS.items():
            values = attributes.values_of(model, f"flag_{name}")
            value = usual if values is None else bool(values[0])
            if name in attributes.ENABLED_BY_FLAGS:
                on[name] = value
            elif off.get(name) is None and (values is not None or name == "multiccd"):
                off[name] = not value
        return off, on

    def options(self, model: Any) -> dict[str, Any]:
        """Options: as stated, else as attributes of the model say, else defaults."""
        found = dict(_DEFAULTS)
        for name in attributes.OPTIONS:
            values = attributes.values_of(model, name)
            if name == "impratio" and values is not None and not values[0] > 0.0:
                continue  # no ratio: MuJoCo's own
            if values is not None:
                found[name] = values[0] if np.ndim(values[0]) else values[0].item()
        return found | self.stated


def device_of(model: Any, use_cpu: bool, own_contacts: bool, backend: str | None) -> str:
    """Where the worlds of a solver run: "cpu", or a Warp device.

    Raises:
        InvalidArgumentError: The backend is unknown, or cannot do with given contacts.
    """
    if backend not in {None, "cpu", "warp"}:
        raise InvalidArgumentError("backend", backend, "'cpu', 'warp' or None")
    if model.device.is_cuda and not use_cpu:
        return str(model.device)
    if use_cpu or backend == "cpu":
        if not own_contacts:
            raise InvalidArgumentError(
                "use_mujoco_contacts", False, "True where MuJoCo itself steps on the CPU"
            )
        return "cpu"
    return "warp-cpu" if backend == "warp" or not own_contacts else "cpu"
