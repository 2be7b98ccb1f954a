"""Height fields and equality constraints of MJCF files in the 1.x dialect."""

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


def test_equality_constraints_are_refused_where_1_x_is_told_to_convert_them() -> None:
    found = found_later("""
        from unibody.errors import NotSupportedError
        arms = "".join(
            f"<body><joint name='{name}' axis='0 1 0'/><geom size='0.1'/></body>" for name in "ab"
        )
        robot = f"<mujoco><worldbody>{arms}</worldbody>%s</mujoco>"
        coupled = robot % "<equality><joint joint1='a' joint2='b'/></equality>"

        def count(text, **options):
            builder = newton.ModelBuilder()
            builder.add_mjcf(text, **options)
            return builder.count("equality_constraint")

        told = {"convert_mjc_equality_constraints": True}
        found = [count(coupled), count(coupled, convert_mjc_equality_constraints=False)]
        found += [count(robot % "", **told), count(coupled, skip_equality_constraints=True, **told)]
        try:
            count(coupled, **told)
        except NotSupportedError as error:
            found.append(str(error))
    """)
    assert found[:4] == [1, 1, 0, 0]
    assert len(found) == 5, "a constraint stayed one, and the call went well"
    assert "convert_mjc_equality_constraints=True) of 1 constraints" in found[4]
    assert "convert_mjc_equality_constraints=False works" in found[4]


def test_couplings_of_slides_have_the_lengths_of_the_builder() -> None:
    found = found_later("""
        arms = "".join(
            f"<body><joint name='{name}' type='{kind}'/><geom size='0.1'/></body>"
            for name, kind in (("h", "hinge"), ("s", "slide"))
        )
        found = []
        for ends in ("hs", "sh"):
            row = f"<joint joint1='{ends[0]}' joint2='{ends[1]}' polycoef='0.1 0.5 0.3'/>"
            builder = newton.ModelBuilder()
            text = f"<mujoco><worldbody>{arms}</worldbody><equality>{row}</equality></mujoco>"
            builder.add_mjcf(text, scale=2.0)
            found.append(list(builder.equality_constraint_polycoef[0]))
    """)
    # h = 0.1 + 0.5 s + 0.3 s^2 with s = S / 2, and S = 2 s = 2 (0.1 + 0.5 h + 0.3 h^2)
    assert found == [[0.1, 0.25, 0.075, 0.0, 0.0], [0.2, 1.0, 0.6, 0.0, 0.0]]
