"""Masses that no body can have, by the rules of 1.x."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parent))
from later import found_later

_FINALIZE = """
def finalized(mass, moments, **settings):
    builder = newton.ModelBuilder()
    flags = {k: settings.pop(k) for k in list(settings) if k.startswith("skip")}
    for name, value in settings.items():
        setattr(builder, name, value)
    builder.add_body(mass=mass, inertia=wp.mat33(*np.diag(moments).reshape(-1).tolist()))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            model = builder.finalize(device="cpu", **flags)
        except ValueError as error:
            return str(error)
    inertia = model.body_inertia.numpy()[0].diagonal().tolist()
    return [float(model.body_mass.numpy()[0]), inertia, len(told), builder.body_mass[0]]
nan = float("nan")
"""


def test_what_is_no_body_is_corrected_by_tolerances_that_scripts_set() -> None:
    found = found_later(
        _FINALIZE
        + """
found = [
    finalized(1.0, [nan, 1, 1]),
    finalized(0.0, [1, 1, 1], bound_mass=0.1),
    finalized(1.0, [0, 0, 0], inertia_absolute_tolerance=1e-12, inertia_correction=2e-12),
    finalized(1.0, [0.1, 0.1, 10.0], inertia_correction=0.25),
    finalized(0.0035, [4.74e-7, 3.65e-7, 1.24e-7]),
    finalized(-1.0, [1, 1, 4], skip_validation_inertia=True),
    finalized(-1.0, [1, 1, 1], validate_inertia_detailed=True),
    finalized(1.0, [1, 1, 1], inertia_correction=-1.0),
]
"""
    )
    unknown, unbounded, empty, flat, light, skipped, detailed, refused = found
    assert unknown[:3] == [0.0, [0.0, 0.0, 0.0], 1]
    assert unbounded[0] == 0.0
    assert np.allclose(empty[1], 3e-12, rtol=1e-6, atol=0.0)
    assert flat[1] == pytest.approx([10.15, 10.15, 20.05])
    assert np.allclose(light[1], [4.74e-7, 3.65e-7, 1.24e-7], rtol=1e-6, atol=0.0)
    assert light[2] == 0
    assert skipped[:3] == [-1.0, [1.0, 1.0, 4.0], 0]
    assert detailed[0] == 0.0
    assert detailed[3] == -1.0, "the builder was changed"
    assert "inertia_correction=-1.0" in refused
