"""What the functions cost that scripts of Isaac core call most."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.isaac_core.scenes import Scene

HEAD = f"{'call':<46} {'processor time':>16}"
_LEAST = 5  # calls
_RATE = 60.0  # steps a second


def _chosen(scene: Scene) -> Iterator[tuple[str, Callable[[], Any]]]:
    view = scene.view
    positions, velocities = view.get_joint_positions(), view.get_joint_velocities()
    places, turns = view.get_world_poses()
    speeds = view.get_velocities()
    half = np.arange(0, scene.count, 2)
    pattern = f"/World/envs/*/Robot/{scene.robot.body}"
    ground = "/World/defaultGroundPlane/GroundPlane/CollisionPlane"
    filters = {"filter_patterns": [ground], "max_contact_data_count": 8 * scene.count}
    touched = scene.world.physics_sim_view.create_rigid_contact_view(pattern, **filters)
    yield "get_joint_positions", view.get_joint_positions
    yield "get_joint_velocities", view.get_joint_velocities
    yield "get_world_poses", view.get_world_poses
    yield "get_velocities", view.get_velocities
    yield "get_body_masses", view.get_body_masses
    yield "get_applied_actions", view.get_applied_actions
    yield "get_jacobians", view.get_jacobians
    yield "get_mass_matrices", view.get_mass_matrices
    yield "set_joint_position_targets", lambda: view.set_joint_position_targets(positions)
    yield "set_joint_velocity_targets", lambda: view.set_joint_velocity_targets(velocities)
    yield "set_joint_efforts", lambda: view.set_joint_efforts(0.0 * positions)
    yield "set_joint_positions", lambda: view.set_joint_positions(positions)
    yield (
        "set_joint_positions, of half",
        lambda: view.set_joint_positions(positions[half], indices=half),
    )
    yield "set_joint_velocities", lambda: view.set_joint_velocities(velocities)
    yield "set_world_poses", lambda: view.set_world_poses(places, turns)
    yield "set_velocities", lambda: view.set_velocities(speeds)

    def after_step(call: Callable[[], Any]) -> Callable[[], Any]:
        def both() -> None:
            scene.world.step(render=False)
            call()

        return both

    yield "step", lambda: scene.world.step(render=False)
    yield "step, get_net_contact_forces", after_step(lambda: touched.get_net_contact_forces(_RATE))
    yield (
        "step, get_contact_force_matrix",
        after_step(lambda: touched.get_contact_force_matrix(1.0 / _RATE)),
    )
    yield (
        "step, get_measured_joint_forces",
        after_step(view.get_measured_joint_forces),
    )
    yield (
        "step, get_coriolis_and_centrifugal_forces",
        after_step(view.get_coriolis_and_centrifugal_forces),
    )


def lines(scene: Scene, seconds: float) -> Iterator[str]:
    """Rows of the table.

    Args:
        scene: That is called.
        seconds: Least processor time of a row.
    """
    for name, call in _chosen(scene):
        call()
        count, start = 0, time.process_time()
        while count < _LEAST or time.process_time() - start < seconds:
            call()
            count += 1
        yield f"{name:<46} {(time.process_time() - start) / count * 1e6:13.1f} us"
