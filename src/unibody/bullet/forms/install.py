"""Functions that get arguments of the kinds they take, and are chosen by them.

Once the engine is loaded, all functions of the API are builtins that look at the arguments before
the Python functions get them. On an interpreter whose objects compiled code cannot read, Python
functions do that.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from unibody.bullet.api import MODULE_OF
from unibody.bullet.arguments.kinds import converting, kinds_of
from unibody.bullet.bodies import dynamics
from unibody.bullet.clients.client import Client
from unibody.bullet.clients.registry import clients
from unibody.bullet.constraints import constraints
from unibody.bullet.forms import dynamics as dynamics_forms
from unibody.bullet.forms import short as short_forms
from unibody.bullet.joints import motors
from unibody.bullet.kinematics import kinematics
from unibody.bullet.shapes import creation as shapes
from unibody.bullet.shapes import plain_forms
from unibody.bullet.visuals import looks as visuals
from unibody.bullet.worlds import settings
from unibody.machine_code.calls import functions
from unibody.machine_code.calls.argument_forms import Form, Guard, Tables, make_sorter
from unibody.mechanisms import is_plain
from unibody.notices import tell_once

SORTED: dict[Callable[..., Any], tuple[Form, ...]] = {
    dynamics.changeDynamics: dynamics_forms.FORMS,
    kinematics.calculateInverseDynamics: kinematics.DYNAMICS_FORMS,
    motors.setJointMotorControl2: motors.FORMS,
    visuals.changeVisualShape: visuals.FORMS,
    constraints.changeConstraint: constraints.FORMS,
    settings.setPhysicsEngineParameter: settings.FORMS,
    shapes.createCollisionShape: plain_forms.COLLISION_FORMS,
    shapes.createVisualShape: plain_forms.VISUAL_FORMS,
    **short_forms.FORMS,
}

_TABLES = Tables(clients, (Client, "bodies"))


def install(namespace: dict[str, Any]) -> None:
    """Put functions that look at arguments into a namespace, in place of those that do not."""
    known = functions.builtins_work()
    if not known and not is_plain("calls"):
        tell_once("calls take longer on this Python than on CPython with its lock")
    made: dict[Callable[..., Any], Callable[..., Any]] = {}  # one function has two names
    for name in MODULE_OF:
        function = namespace[name]
        if isinstance(function, FunctionType):
            if function not in made:
                module = namespace["__name__"]
                made[function] = _guarded(function, module) if known else converting(function)
            namespace[name] = made[function]


def _guarded(function: Callable[..., Any], module: str) -> Callable[..., Any]:
    """A function that is called with arguments of the kinds that its parameters take, only."""
    guard = Guard(kinds_of(function), converting(function))
    return make_sorter(function, module, SORTED.get(function, ()), guard, _TABLES)
