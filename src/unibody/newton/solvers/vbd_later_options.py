"""Options of SolverVBD that releases after 1.0 have added: taken, or refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.exceptions import warn

_SHARE = 0.85
_OLD = "particle_conservative_bound_relaxation"
_NEW = "dat_conservative_bound_relaxation"
_TAKEN = ("deterministic", "enable_fast_math")  # results are always the same, of one accuracy
_MATERIALS = ("shape_material_ke", "shape_material_kd", "shape_material_mu")


def take(
    options: dict[str, Any], pipeline: Any, model: Any, old_share: float
) -> tuple[float, bool]:
    """Take what is said of accuracy, contacts of particles and bounds out of a script's options.

    Args:
        options: What the script states beside the document's; what is taken goes.
        pipeline: The solver's; None: it has none.
        model: The model.
        old_share: `particle_conservative_bound_relaxation`, as stated or by default.

    Returns:
        Of its way to another side a particle may go until the next search, as a share; and whether
        bodies and particles keep off one another in that way, too.

    Raises:
        ValueError: A share is not between 0 and 1, or what is asked for lacks its pipeline.
        NotSupportedError: Barriers for contacts are asked for.
    """
    for name in _TAKEN:
        options.pop(name, None)
    share = options.pop(_NEW, None)
    if is_after_first_of_1() and old_share != _SHARE:
        over = "" if share is None else f", and overrides {_NEW}"
        warn(f"{_OLD} is deprecated{over}: {_NEW} means the same", DeprecationWarning)
    elif share is not None:
        old_share = share
    if share is not None or is_after_first_of_1():
        chosen = float(old_share)
        if not 0.0 < chosen < 1.0:
            raise ValueError(f"{_NEW}={chosen} must be in (0, 1)")
    if options.pop("rigid_soft_contact_use_log_barrier", False):
        raise NotSupportedError(
            "SolverVBD(rigid_soft_contact_use_log_barrier=True)", "False: contacts are springs"
        )
    return float(old_share), _takes_bounds(options, pipeline, model)


def _takes_bounds(options: dict[str, Any], pipeline: Any, model: Any) -> bool:
    """Whether motion is bounded; ways of bodies are certified whether that is asked for or not."""
    options.pop("rigid_soft_dat_use_interval_arithmetic", None)
    if not options.pop("rigid_soft_enable_dat", False):
        return False
    if pipeline is None:
        raise ValueError(
            "rigid_soft_enable_dat=True requires collision_pipeline=, the solver's own"
        )
    if model.particle_count and model.shape_count:
        least = model.particle_radius.numpy().min() + model.shape_thickness.numpy().min()
        if not pipeline.soft_contact_margin + least > 0.0:
            raise ValueError(
                "rigid_soft_enable_dat=True requires a positive minimum rigid-soft query radius:"
                " a particle's radius, a shape's margin and soft_contact_gap sum to 0"
            )
    return True


def check_materials(model: Any) -> None:
    """Check materials of shapes that particles may touch, in releases after 1.0.

    Args:
        model: The model.

    Raises:
        InvalidArgumentError: One is negative or not finite.
    """
    if not is_after_first_of_1() or not model.particle_count or not model.shape_count:
        return
    for name in _MATERIALS:
        values = getattr(model, name).numpy()
        wrong = np.flatnonzero(~(np.isfinite(values) & (values >= 0.0)))
        if len(wrong):
            at = int(wrong[0])
            raise InvalidArgumentError(
                f"model.{name}[{at}]", float(values[at]), "a finite number, not negative"
            )
