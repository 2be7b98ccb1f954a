"""Arguments of the surface: none is accepted and then does nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import NotSupportedError
from unibody.newton.solvers import (
    SolverFeatherstone,
    SolverMuJoCo,
    SolverSemiImplicit,
    SolverVBD,
    SolverXPBD,
)

ROOT = Path(newton.__file__).parent

EXEMPT = {
    "viewer/base.py": "a viewer without a window shows nothing; the others override these",
    "ik/objectives.py": "one interface of objectives, each of which needs a part of it",
    "controllers/joint_impedance_model_free.py:step:dt": "a law without memory, as it says",
    "solvers/base.py": "SolverBase declares what solvers override",
    "solvers/vbd.py": "numbers of self-contact, which is refused, and of how a GPU shares work",
    "solvers/xpbd.py:update_contacts:state": "contacts carry the forces of the last step",
    "solvers/xpbd.py:reset:flags": "the original resets tendons whatever flags ask for",
    "viewer/page.py": "what raises whatever it is called with",
    "builder/rods.py:first:nodes": "a tree of the first releases begins with its first segment",
    "viewer/file.py:set_visible_worlds": "what raises whatever it is called with",
    "window/picture.py:draw:seconds": "pictures are drawn when they are asked for",
    "builder/absent.py": "what raises whatever it is called with",
    "later_api.py:refuse": "what raises whatever it is called with",
    "builder/shapes.py:add_shape_sdf": "what raises whatever it is called with",
}
"""File, function and parameter, or the beginning of that -> why it is not read."""


DECLARING = {"overload", "abstractmethod"}
"""Decorators of functions without a body, which others have: those are looked at."""


def _functions() -> Iterator[tuple[str, ast.FunctionDef, ast.Module]]:
    for file in sorted(ROOT.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_kernel"):
                continue
            words = {word.id for word in node.decorator_list if isinstance(word, ast.Name)}
            if not words & DECLARING:
                yield file.relative_to(ROOT).as_posix(), node, tree


def _unread(function: ast.FunctionDef, tree: ast.Module) -> list[str]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
    inside = [node for part in function.body for node in ast.walk(part)]
    names = {n.id for n in inside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    if "locals" in names:  # then a table of the module names them
        names |= {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant)}
        names |= _options() if "attributes" in names else set()
    return [a.arg for a in every if a.arg not in names and a.arg not in {"self", "cls"}]


def _options() -> set[str]:
    from unibody.newton.solvers.mujoco.attributes import OPTIONS

    return set(OPTIONS)


def test_every_parameter_of_a_public_function_is_read() -> None:
    found = [
        f"{file}:{function.name}:{name}"
        for file, function, tree in _functions()
        for name in _unread(function, tree)
        if (not function.name.startswith("_") or function.name == "__init__")
        and not file.endswith("kernels.py")
        and file not in {"solvers/host_steps.py", "collision/soft_contacts.py"}
    ]
    left = [one for one in found if not any(one.startswith(exempt) for exempt in EXEMPT)]
    assert left == []


def test_every_exemption_still_has_a_parameter() -> None:
    found = [
        f"{file}:{function.name}:{name}"
        for file, function, tree in _functions()
        for name in _unread(function, tree)
    ]
    assert [key for key in EXEMPT if not any(one.startswith(key) for one in found)] == []


def _with_muscle() -> newton.ModelBuilder:
    builder = newton.ModelBuilder(gravity=0.0)
    for x in (0.0, 1.0):
        body = builder.add_body(xform=((x, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)))
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    builder.add_muscle([0, 1], [(0.0, 0.1, 0.0), (0.0, 0.1, 0.0)], 1.0, 1.0, 1.0, 1.0, 1.0)
    return builder


@pytest.mark.parametrize("solver", [SolverMuJoCo, SolverXPBD, SolverVBD])
def test_a_solver_without_muscles_refuses_a_model_that_has_some(solver: type) -> None:
    with pytest.raises(NotSupportedError, match="muscles"):
        solver(_with_muscle().finalize(device="cpu"))


@pytest.mark.parametrize("solver", [SolverSemiImplicit, SolverFeatherstone])
def test_a_muscle_pulls_its_bodies_together_with_its_activation(solver: type) -> None:
    builder = _with_muscle()
    builder.muscle_activations[0] = 3.0
    model = builder.finalize(device="cpu")
    before, after = model.state(), model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, before)
    solver(model, angular_damping=0.0).step(before, after, model.control(), None, 0.01)
    mass, inertia = builder.body_mass[0], builder.body_inertia[0][2, 2]
    moved = after.body_qd.numpy()
    # one explicit step: v = F dt / m, and w = (0.1 m * F) dt / I about the centre of mass
    speed, spin = 3.0 * 0.01 / mass, -0.1 * 3.0 * 0.01 / inertia
    np.testing.assert_allclose(moved[0], [speed, 0, 0, 0, 0, spin], rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(moved[1], [-speed, 0, 0, 0, 0, -spin], rtol=1e-3, atol=1e-6)


def test_names_and_attributes_of_worlds_are_kept() -> None:
    builder = newton.ModelBuilder()
    builder.begin_world(key="left", attributes={"seed": 3})
    builder.end_world()
    builder.begin_world()
    builder.end_world()
    assert builder.world_keys == {0: "left", 1: "world_1"}
    assert builder.world_attributes == {0: {"seed": 3}, 1: {}}


def test_numbers_of_a_search_that_is_not_made_are_refused() -> None:
    model = newton.ModelBuilder().finalize(device="cpu")
    with pytest.raises(NotSupportedError, match="edge_sdf_iter=20"):
        newton.CollisionPipeline.from_model(model, edge_sdf_iter=20)
    with pytest.raises(NotSupportedError, match="iterate_mesh_vertices"):
        newton.CollisionPipeline.from_model(model, iterate_mesh_vertices=False)


def test_an_mjcf_file_is_read_with_lines_when_they_are_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = """<mujoco><worldbody><body name="arm"><joint name="hinge"/><geom size="0.1"/></body>
    <body name="leg"><joint/><geom size="0.1"/></body></worldbody>
    <contact><exclude body1="arm" body2="leg"/></contact></mujoco>"""
    newton.ModelBuilder().add_mjcf(text)
    assert capsys.readouterr().out == ""
    newton.ModelBuilder().add_mjcf(text, verbose=True)
    lines = capsys.readouterr().out
    assert "Parsed collision exclude: worldbody/arm and worldbody/leg" in lines
    assert "Added joint 0: worldbody/arm/hinge, REVOLUTE from the world to worldbody/arm" in lines


def test_a_script_may_call_an_attribute_of_its_own_like_a_later_one() -> None:
    builder = newton.ModelBuilder()
    frequency = newton.Model.AttributeFrequency.SHAPE
    attribute = builder.CustomAttribute(name="shape_color", frequency=frequency, dtype=wp.int32)
    builder.add_custom_attribute(attribute)
    builder.add_shape_box(-1, custom_attributes={"shape_color": 7})
    assert builder.finalize(device="cpu").shape_color.numpy().tolist() == [7]


def test_a_width_of_cells_may_be_an_integer_of_any_size() -> None:
    builder = newton.ModelBuilder()
    whole = {"pos": (0.0, 0.0, 0.0), "rot": wp.quat_identity(), "vel": (0.0, 0.0, 0.0)}
    builder.add_cloth_grid(**whole, dim_x=1, dim_y=1, cell_x=2**63, cell_y=1, mass=1)
    builder.add_soft_grid(
        **whole, dim_x=1, dim_y=1, dim_z=1, cell_x=2**63, cell_y=1, cell_z=1,
        density=1, k_mu=1, k_lambda=1, k_damp=0,
    )  # fmt: skip
    builder.add_particle_grid(
        **whole, dim_x=2, dim_y=1, dim_z=1, cell_x=2**63, cell_y=1, cell_z=1, mass=1, jitter=0
    )
    starts = (0, 4, 12)
    assert [builder.particle_q[start + 1][0] for start in starts] == [2.0**63] * 3
