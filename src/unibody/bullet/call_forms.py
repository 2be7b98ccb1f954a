"""Functions that get arguments of the kinds they take, and are chosen by them.

Once the engine is loaded, all functions of the API are builtins that look at the arguments before
the Python functions get them.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from unibody.bullet import (
    constraints,
    dynamics,
    dynamics_forms,
    kinematics,
    motors,
    plain_shapes,
    settings,
    shapes,
    short_forms,
    visuals,
)
from unibody.bullet.api import MODULE_OF
from unibody.bullet.arguments import converting, kinds_of
from unibody.bullet.client import Client, clients
from unibody.core.engine.builtins import functions
from unibody.core.engine.builtins.forms import Form, Guard, Tables, make_sorter

SORTED: dict[Callable[..., Any], tuple[Form, ...]] = {
    dynamics.changeDynamics: dynamics_forms.FORMS,
    kinematics.calculateInverseDynamics: kinematics.DYNAMICS_FORMS,
    motors.setJointMotorControl2: motors.FORMS,
    visuals.changeVisualShape: visuals.FORMS,
    constraints.changeConstraint: constraints.FORMS,
    settings.setPhysicsEngineParameter: settings.FORMS,
    shapes.createCollisionShape: plain_shapes.COLLISION_FORMS,
    shapes.createVisualShape: plain_shapes.VISUAL_FORMS,
    **short_forms.FORMS,
}

_TABLES = Tables(clients, (Client, "bodies"))


def install(namespace: dict[str, Any]) -> None:
    """Put builtins that look at arguments into a namespace, in place of the Python functions."""
    if not functions.layout_is_known():
        return
    made: dict[Callable[..., Any], Callable[..., Any]] = {}  # one function has two names
    for name in MODULE_OF:
        function = namespace[name]
        if isinstance(function, FunctionType):
            if function not in made:
                made[function] = _guarded(function, namespace["__name__"])
            namespace[name] = made[function]


def _guarded(function: Callable[..., Any], module: str) -> Callable[..., Any]:
    """A function that is called with arguments of the kinds that its parameters take, only."""
    guard = Guard(kinds_of(function), converting(function))
    return make_sorter(function, module, SORTED.get(function, ()), guard, _TABLES)
