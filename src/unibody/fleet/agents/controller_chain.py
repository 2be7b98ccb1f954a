"""The controllers of an agent, as they are stated when it is made."""

from __future__ import annotations

from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.fleet.foundation.types import MotionMode
from unibody.fleet.parameters.controller_params import ControllerParams


def chain_of(stated: Any, mode: MotionMode) -> tuple[ControllerParams, list[Any]]:
    """The limits and the controllers of an agent, that of the base first.

    Args:
        stated: A name, a mapping, a list of them, `ControllerParams`, or a `Controller`.
        mode: How the base moves where nothing says.
    """
    from unibody.fleet.controllers.controller import Controller, KinematicController

    if isinstance(stated, Controller):
        preset = getattr(stated, "params", None)
        return (preset if isinstance(preset, ControllerParams) else ControllerParams()), [stated]
    if isinstance(stated, ControllerParams):
        return stated, [default_controller(mode, stated)]
    entries: list[Any] = []
    if isinstance(stated, (list, tuple)):
        entries = list(stated)
    elif stated is not None:
        entries = [stated]
    base: KinematicController | None = None
    above: list[Any] = []
    settings: dict[str, Any] = {}
    for entry in entries:
        made = controller_of_entry(entry)
        said: dict[str, Any] = {} if isinstance(entry, str) else entry
        if isinstance(made, KinematicController):
            base, settings = made, said
            continue
        settings = settings or said
        if made is not None:
            above.append(made)
    if base is not None:
        return base.params, [base, *above]
    params = ControllerParams.from_dict(settings)
    return params, [default_controller(mode, params), *above]


def default_controller(mode: MotionMode, params: ControllerParams) -> Any:
    """What drives a base where nothing else is stated."""
    from unibody.fleet.controllers.controller import DifferentialController, OmniController

    omni = mode is MotionMode.OMNIDIRECTIONAL
    return (OmniController if omni else DifferentialController)(params)


def controller_of_entry(entry: str | dict[str, Any]) -> Any:
    """A controller as a configuration states it; None if that states none but its limits."""
    from unibody.fleet.controllers.batch_base import BATCH_CONTROLLER_REGISTRY
    from unibody.fleet.controllers.controller import (
        create_controller,
        create_controller_from_entry,
    )

    if not isinstance(entry, (str, dict)):
        raise InvalidArgumentError("controller", entry, "names of controllers or dictionaries")
    stated = {"type": entry} if isinstance(entry, str) else entry
    if stated.get("class") is not None:
        config = {key: value for key, value in stated.items() if key != "class"}
        return create_controller_from_entry({"class": stated["class"], "config": config})
    kind = stated.get("type")
    if not kind:
        return None
    if not isinstance(kind, str):
        raise InvalidArgumentError("type", kind, "the name of a controller")
    if kind.lower() in BATCH_CONTROLLER_REGISTRY:
        raise ValueError(
            f"controller.type={kind!r} is a batch controller type. Batch controllers must be "
            "used through AgentManager: AgentManager(sim_core=sim, fleet_controller={'type': "
            "'batch_differential'})."
        )
    return create_controller(kind, stated)
