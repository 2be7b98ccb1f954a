"""What Newton makes of a stage's units, articulations, loops and schemas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton.importers.usd_prims import CompositionError
from unibody.newton.solvers import SolverMuJoCo

Usd = pytest.importorskip("pxr.Usd")

BOX = """    def Cube "{name}" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    ) {{
        double size = 0.2
        double3 xformOp:translate = ({x}, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
"""
JOINT = """    def PhysicsRevoluteJoint "{name}" {{
        rel physics:body0 = {first}
        rel physics:body1 = {second}
        uniform token physics:axis = "Z"
        {more}
    }}
"""
ROOT = '(prepend apiSchemas = ["PhysicsArticulationRootAPI"])'


def stage(inside: str, *, root: str = ROOT, at: float = 0.0) -> Any:
    made = Usd.Stage.CreateInMemory()
    made.GetRootLayer().ImportFromString(
        f'#usda 1.0\n(upAxis = "Z")\ndef Xform "r" {root} {{\n'
        f"    double3 xformOp:translate = ({at}, 0, 0)\n"
        f'    uniform token[] xformOpOrder = ["xformOp:translate"]\n{inside}}}\n'
    )
    return made


def boxes(*names: str) -> str:
    return "".join(BOX.format(name=n, x=i) for i, n in enumerate(names))


def joint(name: str, first: str, second: str, more: str = "") -> str:
    ends = [f"</r/{body}>" if body else "[]" for body in (first, second)]
    return JOINT.format(name=name, first=ends[0], second=ends[1], more=more)


def test_a_stage_is_read_in_its_own_units() -> None:
    builder = newton.ModelBuilder()
    # a stage that states no unit is in centimetres for OpenUSD
    found = builder.add_usd(stage(boxes("a"), at=2.5))
    assert found["linear_unit"] == 0.01
    assert found["max_solver_iterations"] == -1
    assert builder.shape_scale == [pytest.approx((0.1, 0.1, 0.1))]
    assert builder.body_q[0][0] == pytest.approx(2.5)


def test_a_body_without_the_schema_of_masses_weighs_what_its_shapes_do() -> None:
    builder = newton.ModelBuilder()
    builder.default_shape_cfg.density = 50.0
    builder.add_usd(stage(boxes("a")))
    assert builder.body_mass == [pytest.approx(50.0 * 0.2**3)]


def test_joints_of_no_articulation_belong_to_none_and_are_named() -> None:
    builder = newton.ModelBuilder()
    with pytest.warns(UserWarning, match="No articulation was found but 1 joints"):
        builder.add_usd(stage(boxes("a", "b") + joint("j", "a", "b"), root=""))
    assert builder.joint_key == ["/r/j"]
    assert builder.joint_articulation == [-1]
    with pytest.raises(ValueError, match="/r/j"):
        builder.finalize(device="cpu")
    assert builder.finalize(device="cpu", skip_validation_joints=True).joint_count == 1


def test_a_joint_that_closes_a_loop_is_a_joint_of_no_articulation() -> None:
    loop = "bool physics:excludeFromArticulation = true"
    inside = boxes("a", "b") + joint("one", "", "a") + joint("two", "", "b")
    builder = newton.ModelBuilder()
    builder.add_usd(stage(inside + joint("loop", "a", "b", loop)))
    assert builder.body_key == ["/r/a", "/r/b"]
    assert builder.joint_key == ["/r/one", "/r/two", "/r/loop"]
    assert builder.joint_articulation == [0, 0, -1]
    solver = SolverMuJoCo(builder.finalize(device="cpu"))
    assert solver.mj_model.neq > 0


def test_joints_and_bodies_come_depth_first_or_breadth_first() -> None:
    inside = boxes("a", "b", "c", "d") + "".join(
        joint(*ends) for ends in (("ab", "a", "b"), ("bc", "b", "c"), ("ad", "a", "d"))
    )
    orders: dict[tuple[str, bool], list[str]] = {}
    for order in ("dfs", "bfs"):
        for follow in (True, False):
            builder = newton.ModelBuilder()
            builder.add_usd(
                stage(inside), joint_ordering=order, bodies_follow_joint_ordering=follow
            )
            assert [k[-2:] for k in builder.joint_key[1:]] == (
                ["ab", "bc", "ad"] if order == "dfs" else ["ab", "ad", "bc"]
            )
            orders[order, follow] = [key[-1] for key in builder.body_key]
    assert orders["dfs", True] == orders["dfs", False] == orders["bfs", False] == [*"abcd"]
    assert orders["bfs", True] == [*"abdc"]


def test_a_joint_from_child_to_parent_is_refused_by_its_path() -> None:
    inside = boxes("a", "b", "c") + joint("ab", "a", "b") + joint("back", "c", "b")
    with pytest.raises(ValueError, match="/r/back"):
        newton.ModelBuilder().add_usd(stage(inside))


def test_a_stage_that_refers_to_what_is_not_there_is_refused() -> None:
    with pytest.raises(CompositionError, match="composition errors") as refusal:
        newton.ModelBuilder().add_usd(stage("", root="(references = @nowhere.usda@)"))
    assert isinstance(refusal.value, RuntimeError)


def test_margins_hulls_and_mimicry_of_newtons_schemas_are_read() -> None:
    follow = (
        "rel newton:mimicJoint = </r/ab>\n        float newton:mimicCoef0 = 0.5\n"
        "        float newton:mimicCoef1 = 2"
    )
    made = stage(boxes("a", "b", "c") + joint("ab", "a", "b") + joint("bc", "b", "c", follow))
    from pxr import Sdf

    prim = made.GetPrimAtPath("/r/b")
    prim.CreateAttribute("newton:contactMargin", Sdf.ValueTypeNames.Float).Set(0.05)
    builder = newton.ModelBuilder()
    found = builder.add_usd(made)
    shape = found["path_shape_map"]["/r/b"]
    assert builder.shape_thickness[shape] == pytest.approx(0.05)
    joints = found["path_joint_map"]
    assert builder.constraint_mimic_joint0 == [joints["/r/bc"]]
    assert builder.constraint_mimic_joint1 == [joints["/r/ab"]]
    assert builder.constraint_mimic_coef0 == [pytest.approx(0.5)]
    assert builder.constraint_mimic_coef1 == [pytest.approx(2.0)]


def test_roots_are_where_the_script_says_so_wherever_their_file_has_them() -> None:
    place = wp.transform((5.0, 0.0, 0.0), wp.quat_identity())
    apart = "point3f physics:localPos0 = (1, 0, 0)"
    made = stage(boxes("a", "b") + joint("ab", "a", "b", apart), at=100.0)
    mjcf = (
        '<mujoco><worldbody><body name="a" pos="10 20 30"><freejoint/><geom size="1"/>'
        '<body name="b" pos="1 0 0"><geom size="1"/></body></body></worldbody></mujoco>'
    )
    for add, source in (("add_usd", made), ("add_mjcf", mjcf)):
        builder: Any = newton.ModelBuilder()
        getattr(builder, add)(source, xform=place, override_root_xform=True)
        model = builder.finalize(device="cpu")
        state = model.state()
        newton.eval_fk(model, model.joint_q, model.joint_qd, state)
        found = state.body_q.numpy()[:, :3]
        np.testing.assert_allclose(found, [[5.0, 0.0, 0.0], [6.0, 0.0, 0.0]], atol=1e-6)
        with pytest.raises(ValueError, match="requires xform"):
            getattr(newton.ModelBuilder(), add)(source, override_root_xform=True)


def test_a_body_that_moves_as_it_is_told_is_kinematic() -> None:
    inside = boxes("a").replace("double size", "bool physics:kinematicEnabled = 1\n double size")
    builder = newton.ModelBuilder()
    builder.add_usd(stage(inside))
    assert builder.body_flags == [int(newton.BodyFlags.KINEMATIC)]
    assert [int(kind) for kind in builder.joint_type] == [int(newton.JointType.FREE)]


def test_a_root_that_a_joint_holds_to_a_prim_is_where_the_joint_puts_it() -> None:
    ground = '    def Xform "ground" {\n        double3 xformOp:translate = (0, 0, 0.5)\n'
    ground += '        uniform token[] xformOpOrder = ["xformOp:translate"]\n    }\n'
    held = '    def PhysicsFixedJoint "hold" {\n        rel physics:body0 = </r/ground>\n'
    held += "        rel physics:body1 = </r/a>\n"
    held += "        point3f physics:localPos1 = (0, 0, 0.1)\n    }\n"
    builder = newton.ModelBuilder()
    builder.add_usd(stage(boxes("a") + ground + held, at=2.0))
    assert tuple(builder.body_q[0])[:3] == pytest.approx((2.0, 0.0, 0.4))


def test_scales_of_shapes_are_those_of_their_prims_with_their_signs() -> None:
    scaled = """    def Xform "turned" {{
        double3 xformOp:scale = (-2, 1, 1)
        double xformOp:rotateZ = 90
        uniform token[] xformOpOrder = ["xformOp:rotateZ", "xformOp:scale"]
        def Cube "{name}" (prepend apiSchemas = ["PhysicsCollisionAPI"]) {{
            double size = 0.2
            double3 xformOp:scale = (1, 0.5, -1.5)
            uniform token[] xformOpOrder = ["xformOp:scale"]
        }}
    }}
"""
    found = newton.ModelBuilder().add_usd(stage(scaled.format(name="box")))
    scale = found["path_shape_scale"]["/r/turned/box"]
    np.testing.assert_allclose(scale, [-2.0, 0.5, -1.5], atol=1e-6)


def test_a_stiffness_of_pressure_that_is_no_number_is_named_and_left_out() -> None:
    text = boxes("a").replace(
        "double size", "custom float newton:hydroelasticStiffness = nan\n        double size"
    )
    builder = newton.ModelBuilder()
    stated = builder.default_shape_cfg.k_hydro
    with pytest.warns(UserWarning, match=r"/r/a: newton:hydroelasticStiffness must be finite"):
        builder.add_usd(stage(text))
    assert builder.shape_material_k_hydro == [stated]
