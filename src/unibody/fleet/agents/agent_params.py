"""What an agent is spawned from."""

from __future__ import annotations

import logging
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from unibody.fleet.foundation.defaults import AGENT, IK, SIM_OBJECT
from unibody.fleet.foundation.types import MotionMode
from unibody.fleet.parameters.spawn_params import SimObjectSpawnParams, spawn_fields
from unibody.fleet.parameters.yaml_reader import refuse

if TYPE_CHECKING:
    from unibody.fleet.controllers.controller import Controller
    from unibody.fleet.parameters.controller_params import ControllerParams

logger: logging.Logger = logging.getLogger("pybullet_fleet.agent")


_MOTION_MODE = MotionMode(AGENT["motion_mode"])


@dataclass(frozen=True)
class IKParams:
    """How inverse kinematics is solved: from several starts, each refined several times.

    Attributes:
        max_outer_iterations: Refinements of one start.
        convergence_threshold: Distance to the target that is good enough [m].
        max_inner_iterations: Iterations of the solver in one refinement.
        residual_threshold: Distance at which the solver stops [m].
        reachability_tolerance: Distance up to which a target counts as reachable [m].
        seed_quartiles: Further starts, as shares of the joint ranges.
        ik_joint_names: The joints that may move; None: all that have limits.
    """

    max_outer_iterations: int = IK["max_outer_iterations"]
    convergence_threshold: float = IK["convergence_threshold"]
    max_inner_iterations: int = IK["max_inner_iterations"]
    residual_threshold: float = IK["residual_threshold"]
    reachability_tolerance: float = IK["reachability_tolerance"]
    seed_quartiles: tuple[float, ...] = (0.25, 0.5, 0.75)
    ik_joint_names: tuple[str, ...] | None = None


@dataclass
class AgentSpawnParams(SimObjectSpawnParams):
    """What an `Agent` is spawned from: a URDF file, or shapes; without either it is invisible.

    Attributes:
        urdf_path: The file, or the name of a known model.
        mass: In kg; 0: it only moves when it is moved; None: as the file has it.
        motion_mode: How the base moves, where ``controller`` does not say.
        use_fixed_base: The base does not move.
        ik_params: How inverse kinematics is solved.
        controller: A name, a mapping, a list of them, `ControllerParams`, or a `Controller`.
        plugins: Entries of agent plugins.
    """

    urdf_path: str | None = None
    mass: float | None = SIM_OBJECT["mass"]  # type: ignore[assignment]
    motion_mode: MotionMode | str = _MOTION_MODE
    use_fixed_base: bool = AGENT["use_fixed_base"]
    ik_params: IKParams | None = None
    controller: (
        str | dict[str, Any] | list[dict[str, Any]] | ControllerParams | Controller | None
    ) = None
    plugins: list[dict[str, Any]] | None = None

    def __post_init__(self) -> None:
        if self.visual_shape is None and self.urdf_path is None:
            logger.warning(
                "AgentSpawnParams: Neither visual_shape nor urdf_path specified. "
                "This will create a virtual agent (invisible, no collision)."
            )
        if self.visual_shape is not None and self.urdf_path is not None:
            logger.warning(
                "AgentSpawnParams: Both visual_shape and urdf_path specified. "
                "visual_shape will be ignored - URDF will be used."
            )

    @classmethod
    def from_dict(cls, config: dict[str, Any]) -> Any:
        """Make one from a dictionary, as a file states it; see `SimObjectSpawnParams.from_dict`.

        Raises:
            ValueError: No name, or a value that is not allowed.
            TypeError: A shape of another type, or an unknown key of ``ik_params``.
        """
        return cls(**agent_fields(config))


def agent_fields(config: dict[str, Any]) -> dict[str, Any]:
    """The fields of `AgentSpawnParams` from a dictionary."""
    mode = config.get("motion_mode", AGENT["motion_mode"])
    allowed = [item.value for item in MotionMode]
    if mode not in allowed:
        refuse(config, "motion_mode", f"motion_mode={mode!r} is not allowed: one of {allowed}")
    ik = config.get("ik_params")
    if isinstance(ik, dict):
        known = {item.name for item in fields(IKParams)}
        for key in ik:
            if key not in known:
                refuse(ik, key, f"unknown key {key!r} in ik_params. Allowed: {sorted(known)}")
        ik = IKParams(**ik)
    return {
        **spawn_fields(config),
        "urdf_path": config.get("urdf_path"),
        "motion_mode": MotionMode(mode),
        "use_fixed_base": config.get("use_fixed_base", AGENT["use_fixed_base"]),
        "ik_params": ik,
        "controller": config.get("controller"),
        "plugins": list(config.get("plugins") or []) or None,
    }
