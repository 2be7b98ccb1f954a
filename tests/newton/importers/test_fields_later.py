"""Height fields of MJCF files in the 1.x dialect."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
from later import found_later


def test_the_base_of_a_height_field_does_not_move_its_surface() -> None:
    found = found_later(
        """
        mjcf = '''<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="5 5 1 0.1"/></asset>
        <worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>'''
        builder = newton.ModelBuilder()
        builder.add_mjcf(mjcf)
        field = builder.shape_source[0]
        found = [field.min_z, field.max_z]
        """
    )
    assert found == [0.0, 1.0]
