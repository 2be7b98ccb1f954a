"""Functions whose calls are sorted by the arguments that they give, once the engine is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unibody.bullet import constraints, dynamics, dynamics_forms, settings, shapes, visuals
from unibody.core.engine.builtins import functions
from unibody.core.engine.builtins.forms import Form, make_sorter

SORTED: dict[Callable[..., Any], tuple[Form, ...]] = {
    dynamics.changeDynamics: dynamics_forms.FORMS,
    visuals.changeVisualShape: visuals.FORMS,
    constraints.changeConstraint: constraints.FORMS,
    settings.setPhysicsEngineParameter: settings.FORMS,
    shapes.createVisualShape: shapes.VISUAL_FORMS,
}


def install(namespace: dict[str, Any]) -> None:
    """Put builtins that sort arguments into a namespace, in place of the Python functions."""
    if not functions.layout_is_known():
        return
    for function, forms in SORTED.items():
        names = [name for name, value in namespace.items() if value is function]  # one has two
        if names:
            builtin = make_sorter(function, namespace["__name__"], forms)
            namespace.update(dict.fromkeys(names, builtin))
