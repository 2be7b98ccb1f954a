"""Newton's API: a builder of models, and what simulates them.

``unibody run script.py`` gives this package the name ``newton``. ``coverage.toml`` says what
exists; what does not raises ``NotSupportedError``.
"""

from __future__ import annotations

import importlib
from typing import Any

from unibody.newton.api import *  # noqa: F403
from unibody.newton.api import __all__ as _names

__version__ = "0.2.0"
_MODULES = {
    "examples": "unibody.newton.examples",
    "geometry": "unibody.newton.geometry",
    "ik": "unibody.newton.ik",
    "math": "unibody.newton.vectors",
    "selection": "unibody.newton.selection",
    "sensors": "unibody.newton.sensors",
    "solvers": "unibody.newton.solvers",
    "usd": "unibody.newton.usd",
    "utils": "unibody.newton.functions",
    "viewer": "unibody.newton.viewer",
}
"""Modules of the package that are loaded when they are asked for."""
_LATER = {
    "eval_rigid_contact_kinematics": (
        "unibody.newton.collision.kinematics",
        "eval_rigid_contact_kinematics",
    ),
    "BodyFlags": ("unibody.newton.enums", "BodyFlags"),
    "ModelFlags": ("unibody.newton.solvers.flags", "ModelFlags"),
    "eval_inverse_dynamics_passive": (
        "unibody.newton.inverse_dynamics",
        "eval_inverse_dynamics_passive",
    ),
    "eval_inverse_dynamics_force": (
        "unibody.newton.inverse_dynamics",
        "eval_inverse_dynamics_force",
    ),
    "eval_mimic": ("unibody.newton.mimics", "eval_mimic"),
    "NewtonDeprecationWarning": ("unibody.newton.exceptions", "NewtonDeprecationWarning"),
    **{
        name: ("unibody.newton.tendons", name)
        for name in ("TendonGuide", "TendonGuideFlags", "TendonGuideType")
    },
    "TetMesh": ("unibody.newton.tet_mesh", "TetMesh"),
    "Rod": ("unibody.newton.rod", "Rod"),
    "StateFlags": ("unibody.newton.solvers.flags", "StateFlags"),
    "NewtonWarning": ("unibody.newton.exceptions", "NewtonWarning"),
}
"""Names of 1.x alone -> where they are."""
_LATER_ABSENT = {
    "CollisionSubstepScheduler": "Model.collide finds contacts in each step",
    "Gaussian": "Mesh shows surfaces",
}
"""Classes of 1.x alone that do not exist here -> the nearest thing that does."""
__all__ = list(_names) + list(_MODULES)


def __getattr__(name: str) -> Any:
    from unibody.errors import NotSupportedError
    from unibody.newton.dialect import absent_names

    if name in ("actuators", "config", "controllers"):  # of 1.x
        return importlib.import_module(f"unibody.newton.{name}")
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name in _LATER:
        module, own = _LATER[name]
        return getattr(importlib.import_module(module), own)
    if name in _LATER_ABSENT:
        from unibody.newton.absent_classes import absent_class

        return globals().setdefault(name, absent_class("newton", name, _LATER_ABSENT[name]))
    absent = absent_names()
    if name in absent:
        raise NotSupportedError(f"newton.{name}", absent[name])
    raise AttributeError(f"module 'newton' has no attribute {name!r}")
