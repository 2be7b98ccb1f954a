"""Options of SolverVBD's rigid bodies, and how its joints and contacts hold with them."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.exceptions import NewtonDeprecationWarning, warn

GROWING, COMPLIANT, HARD, SOFT = range(4)
"""How joints and contacts hold: by stiffness that grows (0.2, 1.0), or as options of 1.x say."""

_OLD = (
    *("rigid_avbd_beta", "rigid_avbd_linear_beta", "rigid_avbd_angular_beta"),
    *("rigid_contact_hard", "rigid_contact_k_start"),
    *("rigid_joint_linear_k_start", "rigid_joint_angular_k_start"),
)
"""Options that the compliant scheme of 1.x has no use for."""

_FIRST = {
    "rigid_avbd_beta": 1.0e5,
    "rigid_avbd_gamma": 0.99,
    "rigid_joint_linear_k_start": 1.0e4,
    "rigid_joint_linear_ke": 1.0e9,
    "rigid_joint_angular_ke": 1.0e9,
}
"""Defaults of 0.2 and 1.0, where they are not those of 1.x after it."""

_LATER = {
    "rigid_avbd_beta": 0.0,
    "rigid_avbd_gamma": 0.999,
    "rigid_contact_hard": True,
    "rigid_contact_history": False,
    "rigid_contact_k_start": 1.0e2,
    "rigid_joint_linear_k_start": 1.0e2,
    "rigid_joint_angular_k_start": 1.0e1,
    "rigid_joint_linear_ke": 1.0e5,
    "rigid_joint_angular_ke": 1.0e5,
    "rigid_joint_linear_kd": 0.0,
    "rigid_joint_angular_kd": 0.0,
}


@dataclasses.dataclass
class RigidOptions:
    """Options of the rigid bodies. What is None has the default of the version in use.

    Args:
        rigid_compliant_alm: Whether joints and contacts hold by an augmented Lagrangian with
            compliance, as in 1.x after 1.0: each row's multiplier goes to its stiffness times its
            error, however stiff it is. Else stiffness grows in 0.2 and 1.0, and in 1.x joints and
            contacts have multipliers without compliance.
        rigid_avbd_alpha: Share of the error at a step's begin that stays (1.x).
        rigid_avbd_joint_alpha: That of joints alone.
        rigid_avbd_contact_alpha: That of contacts alone.
        rigid_avbd_beta: By how much a joint's stiffness grows in a round, for each meter or radian
            of its error; without the compliant scheme alone.
        rigid_avbd_linear_beta: That for places alone.
        rigid_avbd_angular_beta: That for turns alone.
        rigid_avbd_gamma: Share of a joint's stiffness, in 1.x of the multipliers, that lasts into
            the next step.
        rigid_contact_hard: Whether contacts have multipliers without the compliant scheme (1.x).
        rigid_contact_k_start: Stiffness that contacts begin with in 0.2, to grow as joints do
            [N/m]; in 1.x they have that of their shapes from the first round.
        rigid_joint_linear_k_start: Stiffness that joints begin with, for places [N/m].
        rigid_joint_angular_k_start: That for turns [N m/rad].
        rigid_joint_linear_ke: Stiffness of joints that are no cables, for places [N/m].
        rigid_joint_angular_ke: That for turns [N m/rad].
        rigid_joint_linear_kd: Damping of those: a share of the stiffness [s], in 1.x [N s/m].
        rigid_joint_angular_kd: That for turns [s], in 1.x [N m s/rad].
        rigid_body_contact_buffer_size: Accepted: lists of contacts are as long as they need to be.
        rigid_body_particle_contact_buffer_size: Accepted likewise.
        rigid_contact_history: Whether multipliers of matched contacts go on from the step before
            (1.x).
        rigid_enable_dahl_friction: Not supported: bending without hysteresis.
    """

    rigid_compliant_alm: Any = dataclasses.field(default_factory=is_after_first_of_1)
    rigid_avbd_alpha: float | None = None
    rigid_avbd_joint_alpha: float | None = None
    rigid_avbd_contact_alpha: float | None = None
    rigid_avbd_beta: Any = None
    rigid_avbd_linear_beta: Any = None
    rigid_avbd_angular_beta: Any = None
    rigid_avbd_gamma: Any = None
    rigid_contact_hard: Any = None
    rigid_contact_k_start: Any = None
    rigid_joint_linear_k_start: Any = None
    rigid_joint_angular_k_start: Any = None
    rigid_joint_linear_ke: Any = None
    rigid_joint_angular_ke: Any = None
    rigid_joint_linear_kd: Any = None
    rigid_joint_angular_kd: Any = None
    rigid_body_contact_buffer_size: int = 64
    rigid_body_particle_contact_buffer_size: int = 256
    rigid_enable_dahl_friction: bool = False
    rigid_contact_history: Any = None

    def __post_init__(self) -> None:
        if self.rigid_enable_dahl_friction:
            raise NotSupportedError(
                "SolverVBD(rigid_enable_dahl_friction=True)", "cables bend without hysteresis"
            )
        if self.rigid_compliant_alm is None:
            raise TypeError("rigid_compliant_alm is None: expected True or False")
        self._later = is_after_first_of_1()
        old = [name for name in _OLD if getattr(self, name) is not None]
        defaults = _LATER if self._later else _LATER | _FIRST
        for name, value in defaults.items():
            if getattr(self, name) is None:
                setattr(self, name, value)
        for name in ("rigid_avbd_linear_beta", "rigid_avbd_angular_beta"):
            if getattr(self, name) is None:
                setattr(self, name, self.rigid_avbd_beta)
        self._check()
        if not self._later:
            return
        if not self.rigid_compliant_alm:
            old.insert(0, "rigid_compliant_alm=False")
        if old:
            warn(
                f"VBD options {', '.join(old)} are deprecated: the compliant scheme, the default, "
                "takes the stiffness of joints and shapes as it is",
                NewtonDeprecationWarning,
            )

    @property
    def scheme(self) -> int:
        """How joints hold."""
        if self.rigid_compliant_alm:
            return COMPLIANT
        return HARD if self._later else GROWING

    @property
    def contact_scheme(self) -> int:
        """How contacts hold."""
        return SOFT if self.scheme == HARD and not self.rigid_contact_hard else self.scheme

    def alpha(self, own: float | None) -> float:
        """The share of first errors that stays in joints or contacts, which may have their own."""
        if own is None:
            own = self.rigid_avbd_alpha
        if own is None:
            own = 0.95 if self.scheme == HARD else 0.0
        return own

    def _check(self) -> None:
        for field in dataclasses.fields(self):
            name, value = field.name, getattr(self, field.name)
            if value is None or isinstance(value, bool):
                continue
            damping = name.endswith("_kd") and self._later
            if damping and self.rigid_compliant_alm and not np.isfinite(value):
                raise InvalidArgumentError(name, value, "a finite number")
            if damping:
                setattr(self, name, max(float(value), 0.0))
            elif not value >= 0.0:
                raise InvalidArgumentError(name, value, "zero or a positive number")
            elif name.endswith(("alpha", "gamma")) and value > 1.0:
                raise InvalidArgumentError(name, value, "a number of 0 to 1")
            elif name.endswith("_ke") and self.rigid_compliant_alm and not np.isfinite(value):
                raise InvalidArgumentError(name, value, "a finite number")


def check_materials(model: Any, options: RigidOptions) -> None:
    """Refuse materials of shapes and joints that rows with compliance cannot have.

    Raises:
        InvalidArgumentError: One is negative or not finite.
    """
    if options.scheme != COMPLIANT:
        return
    for name in (
        *("shape_material_ke", "shape_material_kd", "shape_material_mu"),
        *("joint_target_ke", "joint_target_kd", "joint_limit_ke", "joint_limit_kd"),
    ):
        array = getattr(model, name)
        if array is None or not array.size:
            continue
        values = array.numpy()
        wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0.0)))
        if len(wrong):
            at = int(wrong[0])
            raise InvalidArgumentError(
                f"model.{name}[{at}]", float(values[at]), "a finite number, not negative"
            )
