"""Joints with several axes that turn, each turned by those before it."""

import numpy as np
import pytest
import warp as wp

from unibody import newton

AXES = {"xzy": (0.5, -0.4, 0.7), "xz": (0.5, 2.0), "xy": (0.0, 0.5 * np.pi)}


def one_body(axes: str, **gains: float) -> newton.Model:
    """A body that turns about some axes of the world."""
    builder = newton.ModelBuilder(gravity=0.0)
    link = builder.add_link(mass=1.0, inertia=wp.mat33(np.diag([0.1, 0.2, 0.15])))
    config = newton.ModelBuilder.JointDofConfig
    of = [config(axis=newton.Axis[a.upper()], armature=0.0, **gains) for a in axes]
    builder.add_articulation([builder.add_joint_d6(-1, link, angular_axes=of)])
    builder.color()
    return builder.finalize(device="cpu")


def stepped(model: newton.Model, solver: object, axes: str, force: object = None) -> newton.State:
    """The state 10 ms after the pose of a joint, as inverse kinematics reads it."""
    states, control = (model.state(), model.state()), model.control()
    states[0].joint_q.assign(np.array(AXES[axes], np.float32))
    newton.eval_fk(model, states[0].joint_q, states[0].joint_qd, states[0])
    if force is None:
        control.joint_target_pos.assign(np.array(AXES[axes], np.float32))
    else:
        control.joint_f.assign(np.array(force, np.float32))
    for i in range(10):
        solver.step(states[i % 2], states[1 - i % 2], control, None, 1e-3)
    newton.eval_ik(model, states[0], states[0].joint_q, states[0].joint_qd)
    return states[0]


@pytest.mark.parametrize("name", ["Featherstone", "SemiImplicit", "XPBD", "VBD"])
def test_a_joint_at_the_targets_of_its_axes_stays_there(name: str) -> None:
    model = one_body("xz", target_ke=1000.0, target_kd=10.0)
    given = {} if name == "VBD" else {"angular_damping": 0.0}
    found = stepped(model, getattr(newton.solvers, f"Solver{name}")(model, **given), "xz")
    # rotations are read in single precision, about whose root an arc sine would lose
    np.testing.assert_allclose(found.joint_q.numpy(), AXES["xz"], atol=1e-4)


@pytest.mark.parametrize("name", ["SemiImplicit", "XPBD", "VBD"])
@pytest.mark.parametrize(("axes", "force"), [("xzy", (0.0, 0.0, 1.0)), ("xy", (1.0, 0.0))])
def test_a_force_of_one_axis_moves_all_axes_as_the_generalized_equations_say(
    name: str, axes: str, force: tuple[float, ...]
) -> None:
    model, given = one_body(axes), {} if name == "VBD" else {"angular_damping": 0.0}
    exact = newton.solvers.SolverFeatherstone(model, angular_damping=0.0)
    other = getattr(newton.solvers, f"Solver{name}")(model, **given)
    wanted = stepped(model, exact, axes, force).joint_qd.numpy()
    # a step of 1 ms of speeds below 0.1: its square over the number of steps
    np.testing.assert_allclose(
        stepped(model, other, axes, force).joint_qd.numpy(), wanted, atol=2e-3
    )
