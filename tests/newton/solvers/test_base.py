"""SolverBase, and how scripts reach solvers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import NotSupportedError
from unibody.newton import solvers

DT = 0.01


def test_a_script_reaches_solvers_by_each_way_of_importing_them(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import newton\nimport newton.solvers\nfrom newton.solvers import SolverNotifyFlags\n"
        "class Own(newton.solvers.SolverBase):\n    pass\n"
        "print(newton.solvers.SolverNotifyFlags is SolverNotifyFlags, int(SolverNotifyFlags.ALL))\n"
    )
    command = [sys.executable, "-m", "unibody", "run", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.stdout.split() == ["True", "511"], done.stderr


def test_a_solver_that_does_not_exist_names_the_nearest() -> None:
    assert issubclass(solvers.SolverKamino, solvers.SolverBase)  # scripts import it beside others
    with pytest.raises(NotSupportedError, match=r"SolverKamino.*SolverMuJoCo"):
        solvers.SolverKamino(newton.ModelBuilder().finalize(device="cpu"))
    absent: Any = solvers.SolverKamino
    with pytest.raises(NotSupportedError, match=r"SolverKamino\.Config.*SolverMuJoCo"):
        absent.Config()
    with pytest.raises(NotSupportedError, match=r"newton\.Gaussian.*Mesh"):
        newton.Gaussian()
    with pytest.raises(AttributeError, match="SolverNone"):
        solvers.SolverNone  # noqa: B018


def test_a_body_falls_and_turns_by_a_semi_implicit_step() -> None:
    builder = newton.ModelBuilder()
    builder.add_body(xform=wp.transform((0.0, 0.0, 1.0)), mass=2.0, com=wp.vec3(0.1, 0.0, 0.0))
    builder.body_inertia[0] = wp.mat33(*np.diag([1.0, 1.0, 1.0]).reshape(-1).tolist())
    builder.body_inv_inertia[0] = builder.body_inertia[0]
    model = builder.finalize()
    before, after = model.state(), model.state()
    before.body_qd.assign([[0.0, 0.0, 1.0, 0.0, 0.0, 2.0]])
    before.body_f.assign([[4.0, 0.0, 0.0, 0.0, 0.0, 3.0]])
    solvers.SolverBase(model).integrate_bodies(model, before, after, DT)
    velocity = after.body_qd.numpy()[0]
    # v + (f/m + g) dt, w + t/I dt: one step of Euler, to float32
    np.testing.assert_allclose(velocity, [0.02, 0.0, 1.0 - 9.81 * DT, 0.0, 0.0, 2.03], atol=1e-6)
    pose = after.body_q.numpy()[0]
    angle = 2.03 * DT
    centre = np.array([0.1 + 0.02 * DT, 0.0, 1.0 + velocity[2] * DT])
    arm = 0.1 * np.array([np.cos(angle), np.sin(angle), 0.0])
    # the quaternion step is right to the third order of the angle: 0.02^3 / 12 = 7e-7
    np.testing.assert_allclose(pose[:3], centre - arm, atol=1e-6)


def test_particles_without_mass_move_as_told_and_inactive_ones_stand_still() -> None:
    builder = newton.ModelBuilder()
    for mass, flags in ((1.0, 1), (0.0, 1), (1.0, 0)):
        builder.add_particle((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), mass=mass, flags=flags)
    model = builder.finalize()
    before, after = model.state(), model.state()
    solvers.SolverBase(model).integrate_particles(model, before, after, DT)
    fall = -9.81 * DT
    np.testing.assert_allclose(
        after.particle_qd.numpy(), [[1.0, 0.0, fall], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]], atol=1e-6
    )
    np.testing.assert_allclose(after.particle_q.numpy()[:, 0], [DT, DT, 0.0], atol=1e-6)


@pytest.mark.parametrize("name", ["SolverXPBD", "SolverSemiImplicit", "SolverFeatherstone"])
def test_what_belongs_to_all_worlds_has_the_gravity_of_the_first_one(name: str) -> None:
    builder = newton.ModelBuilder(gravity=-3.0)
    builder.add_body(mass=1.0, inertia=np.eye(3))
    for gravity in (-7.0, -5.0):
        builder.begin_world(gravity=(0.0, 0.0, gravity))
        builder.add_body(mass=1.0, inertia=np.eye(3))
        builder.end_world()
    model = builder.finalize(device="cpu")
    before, after = model.state(), model.state()
    getattr(solvers, name)(model).step(before, after, None, None, 0.1)
    # newton 0.2 does so, too: its gravity has no row for the world -1
    assert after.body_qd.numpy()[:, 2] == pytest.approx([-0.7, -0.7, -0.5])
