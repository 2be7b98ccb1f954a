"""What scenes and joints say for SolverVBD after 1.0: one process finds all of it, as a dialect is
chosen once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.newton.later import found_later

SCRIPT = """
found = {"told": {}}
VBD = newton.solvers.SolverVBD

def model(bodies=1, rod=False, **scene):
    builder = newton.ModelBuilder()
    VBD.register_custom_attributes(builder)
    for _ in range(bodies):
        body = builder.add_link(mass=1.0)
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
        add = builder.add_joint_rod if rod else builder.add_joint_fixed
        builder.add_articulation([add(-1, body)])
    builder.color()
    made = builder.finalize(device="cpu")
    for name, value in scene.items():
        getattr(made.vbd, name).fill_(value)
    return made

def told(name, call):
    try:
        call()
    except (ValueError, NotImplementedError) as problem:
        found["told"][name] = str(problem)

def pipeline(of, **more):
    return VBD(of, collision_pipeline=newton.CollisionPipeline(of), **more)

found["iterations"] = [VBD(model()).iterations, VBD(model(max_solver_iterations=23)).iterations,
                       VBD(model(max_solver_iterations=23), iterations=10).iterations]
told("iterations", lambda: VBD(model(max_solver_iterations=0)))
authored = model(rigid_joint_linear_ke=120.0, rigid_joint_angular_kd=3.0)
found["scene"] = [VBD(authored).rigid_joint_linear_ke, VBD(authored).rigid_joint_angular_kd,
                  VBD(authored, rigid_joint_linear_ke=7.0).rigid_joint_linear_ke]
found["stiffness"] = float(VBD(authored).joint_material_k.numpy()[0])
told("stiffness", lambda: VBD(model(rigid_joint_linear_ke=-1.0)))
told("stated", lambda: VBD(model(rigid_joint_linear_ke=-1.0), rigid_joint_linear_ke=1.0))
history = dict(rigid_contact_history=True)
found["history"] = [VBD(model(**history)).rigid_contact_history,
                    pipeline(model(0, **history)).rigid_contact_history,
                    pipeline(model(**history), integrate_with_external_rigid_solver=True)
                    .rigid_contact_history]
told("history", lambda: pipeline(model(**history)))
told("stated_history", lambda: pipeline(model(), **history))
told("hard", lambda: VBD(model(joint_is_hard=2)))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    solver = VBD(model(joint_is_hard=0))
found["warned"] = [str(w.message) for w in caught]
told("dahl", lambda: VBD(model(rod=True, dahl_eps_max=0.5, dahl_tau=1.0)))
told("half_dahl", lambda: VBD(model(rod=True, dahl_eps_max=0.5)))
told("no_rod", lambda: VBD(model(dahl_eps_max=0.5, dahl_tau=1.0)))
"""


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return found_later(SCRIPT)


def test_scenes_state_iterations_where_scripts_do_not(found: dict[str, Any]) -> None:
    assert found["iterations"] == [10, 23, 10]
    assert "newton:maxSolverIterations" in found["told"]["iterations"]


def test_scenes_state_how_joints_hold_where_scripts_do_not(found: dict[str, Any]) -> None:
    assert found["scene"] == [120.0, 3.0, 7.0]
    assert found["stiffness"] == np.float32(120.0)
    assert "newton:vbd:rigid:jointLinearStiffness" in found["told"]["stiffness"]
    assert "stated" not in found["told"]


def test_scenes_give_contacts_a_history_where_bodies_move(found: dict[str, Any]) -> None:
    assert found["history"] == [True, False, False]


def test_histories_need_contacts_that_are_matched(found: dict[str, Any]) -> None:
    assert "newton:vbd:rigid:contactHistory" in found["told"]["history"]
    assert found["told"]["stated_history"].startswith("rigid_contact_history")


def test_joints_are_hard_or_soft(found: dict[str, Any]) -> None:
    assert "joint_is_hard[0]=2" in found["told"]["hard"]
    assert any("legacy AVBD still honors it" in text for text in found["warned"])


def test_rods_with_hysteresis_are_refused(found: dict[str, Any]) -> None:
    assert "dahl_eps_max" in found["told"]["dahl"]
    assert not {"half_dahl", "no_rod"} & set(found["told"])
