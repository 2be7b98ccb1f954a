"""Arguments of the wrong kind, and numbers that are not finite, are refused by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.isaacgym.scenes import ROBOT, Stage, open_stage
from unibody.errors import InvalidArgumentError
from unibody.isaacgym import gymapi, gymtorch
from unibody.isaacgym.errors import ArgumentTypeError

Call = Callable[[Any, Stage, int], object]
UNEVEN = [[1, 2, 3], [4, 5]]
PIXELS = [0, 255, 0, 255]


@pytest.fixture
def stage(tmp_path: Path) -> Any:
    s = open_stage(tmp_path, 1)
    yield s
    s.gym.destroy_sim(s.sim)


KINDS: dict[str, tuple[str, Call]] = {
    "environments": ("envs", lambda g, s, a: g.get_vec_rigid_transform(0.5, [0])),
    "environments of DOF states": ("envs", lambda g, s, a: g.get_vec_actor_dof_states(1, a, 3)),
    "environments of forces": ("envs", lambda g, s, a: g.get_vec_env_rigid_contact_forces(1.0)),
    "handles of bodies": (
        "rigid body handles", lambda g, s, a: g.get_vec_rigid_transform(s.envs, 0.5)),
    "handles of actors": ("actor handles", lambda g, s, a: g.create_aggregate(s.envs[0], 1.0)),
    "the space of a force": (
        "space", lambda g, s, a: g.apply_body_forces(s.envs[0], 0, gymapi.Vec3(), None, "x")),
    "the space of forces": (
        "space", lambda g, s, a: g.apply_rigid_body_force_tensors(s.sim, None, None, math.inf)),
    "a texture": (
        "buffer", lambda g, s, a: g.create_texture_from_buffer(s.sim, 1, 1, "abcd")),
    "a kind of mesh": (
        "mesh type", lambda g, s, a: g.get_rigid_body_texture(s.envs[0], a, 0, "visual")),
    "vertices": (
        "vertices", lambda g, s, a: g.add_triangle_mesh(s.sim, UNEVEN, [0], _mesh())),
    "triangles": (
        "triangles", lambda g, s, a: g.add_triangle_mesh(s.sim, [0.0] * 9, "012", _mesh())),
    "heights": ("heightSamples", lambda g, s, a: g.add_heightfield(s.sim, UNEVEN, _heights())),
    "states": (
        "states", lambda g, s, a: g.set_env_rigid_body_states(s.envs[0], UNEVEN, 3)),
    "offsets": ("offsets", lambda g, s, a: gymtorch.wrap_tensor(_tensor(), 1, (1, 1))),
    "an offset": ("offsets", lambda g, s, a: gymtorch.wrap_tensor(_tensor(), (0.5, "1"))),
    "points": ("arg0", lambda g, s, a: gymapi.Transform().transform_points(UNEVEN)),
    "vectors": ("arg0", lambda g, s, a: gymapi.dot(UNEVEN, UNEVEN)),
    "a flag": (
        "self_collisions", lambda g, s, a: g.begin_aggregate(s.envs[0], 1, 1, np.zeros((2, 3)))),
    "a tendon's coefficients": (
        "props", lambda g, s, a: g.set_actor_tendon_properties(s.envs[0], a, 1.0)),
    "properties of joints": (
        "props", lambda g, s, a: g.set_actor_dof_properties(s.envs[0], a, UNEVEN)),
    "a domain": (
        "domain", lambda g, s, a: g.get_actor_index(s.envs[0], a, math.inf)),
    "a radius": ("radius", lambda g, s, a: g.create_sphere(s.sim, "1", gymapi.AssetOptions())),
}  # fmt: skip


@pytest.mark.parametrize("of", KINDS)
def test_an_argument_of_the_wrong_kind_is_refused_by_its_name(stage: Any, of: str) -> None:
    (actor,) = stage.actors(stage.asset(ROBOT))
    name, call = KINDS[of]
    with pytest.raises(ArgumentTypeError, match=f"^{name}="):
        call(stage.gym, stage, actor)


VALUES: dict[str, Call] = {
    "targets": lambda g, s, a: g.set_actor_dof_position_targets(s.envs[0], a, [math.nan, 0.0]),
    "target": lambda g, s, a: g.set_dof_target_position(s.envs[0], 0, 1e308),
    "efforts": lambda g, s, a: g.apply_actor_dof_efforts(s.envs[0], a, [1e308, 0.0]),
    "effort": lambda g, s, a: g.apply_dof_effort(s.envs[0], 0, math.nan),
    "states": lambda g, s, a: g.set_actor_dof_states(s.envs[0], a, [[1e308, 0.0]] * 2, 3),
    "radius": lambda g, s, a: g.create_sphere(s.sim, 1e308, gymapi.AssetOptions()),
    "vertices": lambda g, s, a: g.add_triangle_mesh(s.sim, [math.nan] * 9, [0, 1, 2], _mesh()),
    "buffer": lambda g, s, a: g.create_texture_from_buffer(s.sim, 1, 1, [0, 300, 0, 0]),
    "mesh type": lambda g, s, a: g.get_rigid_body_texture(s.envs[0], a, 0, 4),
    "rigid body handles": lambda g, s, a: g.get_vec_rigid_transform(s.envs, [0, 1]),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_number_outside_of_what_is_allowed_is_refused_and_the_world_steps_on(
    stage: Any, name: str
) -> None:
    (actor,) = stage.actors(stage.asset(ROBOT))
    with pytest.raises(InvalidArgumentError, match=f"^{name}="):
        VALUES[name](stage.gym, stage, actor)
    stage.step(2)
    assert np.isfinite(stage.refreshed("rigid_body_state")).all()


def test_sequences_of_any_library_are_taken_as_lists(stage: Any) -> None:
    (actor,) = stage.actors(stage.asset(ROBOT))
    gym, envs = stage.gym, stage.envs
    one = gym.get_vec_rigid_transform(envs, [1])
    for handles in (1, np.int64(1), np.array([1]), torch.tensor([1]), (1,)):
        np.testing.assert_array_equal(gym.get_vec_rigid_transform(tuple(envs), handles), one)
    assert gym.create_aggregate(envs[0], np.array([actor]))
    for pixels in (PIXELS, np.array(PIXELS), np.array(PIXELS, np.uint8), torch.tensor(PIXELS)):
        assert gym.create_texture_from_buffer(stage.sim, 1, 1, pixels) >= 0


def _mesh() -> Any:
    params = gymapi.TriangleMeshParams()
    params.nb_vertices, params.nb_triangles = 3, 1
    return params


def _heights() -> Any:
    params = gymapi.HeightFieldParams()
    params.nbRows = params.nbColumns = 2
    return params


def _tensor() -> Any:
    return gymtorch.unwrap_tensor(torch.zeros(2, 2))
