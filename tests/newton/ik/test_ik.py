"""Inverse kinematics: links reach their targets, by both optimizers and all objectives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton import ik


def _arm(floating: bool = False) -> Any:
    builder = newton.ModelBuilder()
    links = [builder.add_link(mass=1.0, com=(0.1, 0.0, 0.0)) for _ in range(4)]
    place = {"parent_xform": wp.transform((0.5, 0.0, 0.0), wp.quat_identity())}
    config = newton.ModelBuilder.JointDofConfig
    first = (
        builder.add_joint_free(links[0])
        if floating
        else builder.add_joint_revolute(-1, links[0], axis="z")
    )
    joints = [
        first,
        builder.add_joint_revolute(
            links[0], links[1], axis="y", limit_lower=-1.5, limit_upper=1.5, **place
        ),
        builder.add_joint_d6(
            links[1], links[2], [config(axis="x")], [config(axis="y"), config(axis="z")], **place
        ),
        builder.add_joint_ball(links[2], links[3], **place),
    ]
    builder.add_articulation(joints)
    return builder.finalize(device="cpu")


def _targets(model: Any, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Poses of the last link at coordinates that are drawn."""
    rng = np.random.default_rng(7)
    found = []
    for _ in range(count):
        q = model.joint_q.numpy() + rng.uniform(-0.6, 0.6, model.joint_coord_count)
        q[-4:] /= np.linalg.norm(q[-4:])
        if model.joint_coord_count > model.joint_dof_count + 1:
            q[3:7] /= np.linalg.norm(q[3:7])
        state = model.state()
        coordinates = wp.array(q.astype(np.float32), dtype=float, device="cpu")
        newton.eval_fk(model, coordinates, model.joint_qd, state)
        found.append(state.body_q.numpy()[3])
    start = np.tile(model.joint_q.numpy(), (count, 1))
    poses = np.array(found)
    return poses[:, :3], poses[:, 3:], start


def _solved(model: Any, objectives: list[Any], start: np.ndarray, **options: Any) -> Any:
    solver = ik.IKSolver(model, len(start), objectives, **options)
    q = wp.array(start.astype(np.float32), dtype=float, device="cpu")
    solver.step(q, q, iterations=200 if options.get("optimizer") == "lbfgs" else 60)
    return solver, q.numpy()


@pytest.mark.parametrize("optimizer", ["lm", "lbfgs"])
@pytest.mark.parametrize("floating", [False, True])
def test_a_link_reaches_the_pose_of_its_target(optimizer: str, floating: bool) -> None:
    model = _arm(floating)
    places, turns, start = _targets(model, 5)
    objectives = [
        ik.IKObjectivePosition(3, wp.vec3(), wp.array(places, dtype=wp.vec3, device="cpu")),
        ik.IKObjectiveRotation(3, wp.quat_identity(), wp.array(turns, dtype=wp.vec4, device="cpu")),
    ]
    solver, q = _solved(model, objectives, start, optimizer=optimizer)
    # float32: metres to 1e-4, squared and summed over six residuals.
    assert solver.costs.numpy().max() < 1e-6
    for row, place in zip(q, places, strict=True):
        state = model.state()
        newton.eval_fk(model, wp.array(row, dtype=float, device="cpu"), model.joint_qd, state)
        assert state.body_q.numpy()[3, :3] == pytest.approx(place, abs=1e-3)


class _Height(ik.IKObjective):
    """An objective of a script: a link's height, without a Jacobian of its own."""

    def __init__(self, target: float) -> None:
        super().__init__()
        self.target = target

    def residual_dim(self) -> int:
        return 1

    def compute_residuals(
        self,
        body_q: Any,
        joint_q: Any,
        model: Any,
        residuals: Any,
        start_idx: int,
        problem_idx: Any,
    ) -> None:
        rows = residuals.numpy()
        rows[:, start_idx] = body_q.numpy()[:, 3, 2] - self.target
        residuals.assign(rows)


def test_an_objective_without_a_jacobian_is_met_by_differences() -> None:
    model = _arm()
    _, _, start = _targets(model, 2)
    solver, _ = _solved(model, [_Height(0.3)], start)
    assert solver.costs.numpy().max() < 1e-8


def test_joints_outside_their_limits_come_back() -> None:
    model = _arm()
    _, _, start = _targets(model, 2)
    start[:, 1] = (2.0, -2.5)
    limits = ik.IKObjectiveJointLimit(model.joint_limit_lower, model.joint_limit_upper, weight=1.0)
    _, q = _solved(model, [limits], start)
    assert q[:, 1] == pytest.approx([1.5, -1.5], abs=1e-3)


def test_limits_of_further_robots_do_not_count() -> None:
    model = _arm()
    _, _, start = _targets(model, 2)
    start[:, 1] = (2.0, -2.5)
    lower, upper = (
        wp.array(np.tile(limit.numpy(), 3), dtype=float, device="cpu")
        for limit in (model.joint_limit_lower, model.joint_limit_upper)
    )
    limits = ik.IKObjectiveJointLimit(lower, upper, weight=1.0)
    assert limits.residual_dim() == 3 * model.joint_dof_count
    _, q = _solved(model, [limits], start)
    assert q[:, 1] == pytest.approx([1.5, -1.5], abs=1e-3)


@pytest.mark.parametrize("sampler", ["gauss", "uniform", "roberts"])
def test_the_best_of_all_seeds_is_kept(sampler: str) -> None:
    model = _arm()
    places, _, start = _targets(model, 3)
    target = wp.array(places, dtype=wp.vec3, device="cpu")
    objective = ik.IKObjectivePosition(3, wp.vec3(), target)
    solver, _ = _solved(model, [objective], start, sampler=sampler, n_seeds=6)
    costs = solver.costs.numpy().reshape(3, 6)
    best = solver.best_indices.numpy()
    assert (costs[np.arange(3), best] == costs.min(axis=1)).all()
    assert costs.min(axis=1).max() < 1e-6


def test_targets_can_be_changed_and_wrong_numbers_are_named() -> None:
    model = _arm()
    objective = ik.IKObjectivePosition(3, wp.vec3(), wp.zeros(2, dtype=wp.vec3, device="cpu"))
    objective.set_target_position(1, wp.vec3(1.0, 2.0, 3.0))
    assert objective.target_positions.numpy()[1].tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="problem_idx"):
        objective.set_target_position(2, wp.vec3())
    with pytest.raises(ValueError, match="link_index"):
        ik.IKSolver(model, 1, [ik.IKObjectivePosition(9, wp.vec3(), objective.target_positions)])
    with pytest.raises(ValueError, match="n_seeds == 1"):
        ik.IKSolver(model, 1, [objective], n_seeds=2)
