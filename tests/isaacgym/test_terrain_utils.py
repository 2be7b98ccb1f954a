"""Kinds of terrain, and meshes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import trimesh

from unibody.errors import InvalidArgumentError
from unibody.isaacgym import terrain_utils
from unibody.isaacgym.terrain_utils import SubTerrain

KINDS: dict[str, dict[str, Any]] = {
    "random_uniform_terrain": {"min_height": -0.05, "max_height": 0.05, "step": 0.005},
    "sloped_terrain": {"slope": 0.3},
    "pyramid_sloped_terrain": {"slope": 0.4, "platform_size": 3.0},
    "discrete_obstacles_terrain": {
        "max_height": 0.2,
        "min_size": 1.0,
        "max_size": 2.0,
        "num_rects": 20,
        "platform_size": 3.0,
    },
    "wave_terrain": {"num_waves": 3, "amplitude": 0.5},
    "stairs_terrain": {"step_width": 0.31, "step_height": 0.1},
    "pyramid_stairs_terrain": {"step_width": 0.31, "step_height": 0.1, "platform_size": 3.0},
    "stepping_stones_terrain": {
        "stone_size": 1.0,
        "stone_distance": 0.2,
        "max_height": 0.05,
        "platform_size": 4.0,
    },
}


def make(kind: str, shape: tuple[int, int] = (80, 80), **changes: Any) -> Any:
    terrain = SubTerrain("hill", *shape, vertical_scale=0.005, horizontal_scale=0.1)
    np.random.seed(0)  # noqa: NPY002 - the generator these functions draw from
    found = getattr(terrain_utils, kind)(terrain, **{**KINDS[kind], **changes})
    assert found is terrain
    return terrain.height_field_raw


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(80, 80), (60, 90), (90, 60)])
def test_every_kind_is_a_field_of_small_integers_that_a_seed_repeats(
    kind: str, shape: tuple[int, int]
) -> None:
    field = make(kind, shape)
    assert field.shape == shape
    assert field.dtype == np.int16
    assert np.ptp(field) > 0
    np.testing.assert_array_equal(field, make(kind, shape))


def test_random_heights_are_multiples_of_the_step_on_the_grid_and_linear_in_between() -> None:
    kind = "random_uniform_terrain"
    fine = make(kind, step=0.01)
    assert set(np.unique(fine)) == set(range(-10, 11, 2))
    # 80 samples over 20 points of the coarse grid: few of them coincide, none is outside.
    coarse = make(kind, downsampled_scale=0.4)
    assert np.abs(coarse).max() <= 10
    assert np.abs(np.diff(coarse, axis=0)).mean() < 0.5 * np.abs(np.diff(fine, axis=0)).mean()


def test_a_slope_climbs_as_told() -> None:
    field = make("sloped_terrain")
    # 0.3 over 79 samples of 0.1 m, in units of 5 mm.
    assert field[-1, 0] - field[0, 0] == pytest.approx(0.3 * 7.9 / 0.005, abs=1)
    assert (field == field[:, :1]).all()


def test_a_pyramid_is_flat_at_the_top_and_a_pit_is_its_mirror_image() -> None:
    hill = make("pyramid_sloped_terrain")
    assert (hill[26:54, 26:54] == hill.max()).all()
    assert hill.min() == 0
    pit = make("pyramid_sloped_terrain", slope=-0.4)
    np.testing.assert_array_equal(pit, -hill)


def test_obstacles_leave_the_middle_flat() -> None:
    field = make("discrete_obstacles_terrain")
    assert (field[25:55, 25:55] == 0).all()
    assert set(np.unique(field)) <= {-40, -20, 0, 20, 40}


def test_waves_have_their_amplitude_and_number() -> None:
    field = make("wave_terrain")
    assert field.max() == pytest.approx(2 * 50, abs=2)
    above = field[0] > field[0].mean()
    # Three waves cross their middle six times; the last crossing may fall on the edge.
    assert int(np.count_nonzero(np.diff(above))) in (5, 6)
    assert (make("wave_terrain", num_waves=0) == 0).all()


def test_stairs_climb_by_a_step_each() -> None:
    field = make("stairs_terrain")
    assert field[:9, 0].tolist() == [20] * 3 + [40] * 3 + [60] * 3
    assert (field[78:] == 0).all()


def test_pyramid_stairs_are_rings_around_a_platform() -> None:
    field = make("pyramid_stairs_terrain")
    assert (field[:3] == 0).all()
    assert (field[3:6, 3:-3] == 20).all()
    assert (field == field.T).all()
    top = np.argwhere(field == field.max())
    edge = np.ptp(top[:, 0]) + 1
    assert 30 - 6 <= edge <= 30


def test_stones_have_gaps_to_the_depth_and_a_platform() -> None:
    field = make("stepping_stones_terrain", depth=-1.0)
    assert (field[20:60, 20:60] == 0).all()
    assert field.min() == -200
    assert set(np.unique(field)) <= {-200, *range(-11, 11)}
    gaps = (field[:, 0] == -200).sum()
    # Gaps of 2 in periods of 12 samples.
    assert 10 <= gaps <= 16


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("stairs_terrain", {"step_width": 0.05}),
        ("pyramid_stairs_terrain", {"step_width": 0.0}),
        ("stepping_stones_terrain", {"stone_size": 0.01}),
        ("random_uniform_terrain", {"downsampled_scale": 0.01}),
    ],
)
def test_sizes_below_the_resolution_are_refused(kind: str, changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=next(iter(changes))):
        make(kind, **changes)


@pytest.mark.parametrize("changes", [{"width": 0}, {"vertical_scale": 0.0}])
def test_a_terrain_of_nothing_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError, match=next(iter(changes))):
        SubTerrain(**changes)


def test_a_mesh_has_the_heights_and_faces_up() -> None:
    field = make("random_uniform_terrain", (20, 30))
    vertices, triangles = terrain_utils.convert_heightfield_to_trimesh(field, 0.1, 0.005)
    assert (vertices.dtype, triangles.dtype) == (np.float32, np.uint32)
    assert triangles.shape == (2 * 19 * 29, 3)
    np.testing.assert_allclose(vertices[:, 2].reshape(20, 30), field * 0.005, atol=1e-6)
    np.testing.assert_allclose(vertices[31], [0.1, 0.1, field[1, 1] * 0.005], atol=1e-6)
    mesh = trimesh.Trimesh(vertices, triangles, process=False)
    assert (mesh.face_normals[:, 2] > 0).all()
    np.testing.assert_allclose(mesh.bounds[1, :2], [1.9, 2.9], atol=1e-6)


def test_a_steep_step_becomes_a_wall_under_its_top() -> None:
    field = np.zeros((4, 4), np.int16)
    field[2:] = 100
    vertices, _ = terrain_utils.convert_heightfield_to_trimesh(field, 0.1, 0.005, 0.75)
    x = vertices[:, 0].reshape(4, 4)
    np.testing.assert_allclose(x[1], 0.2, atol=1e-7)
    np.testing.assert_allclose(x[2], 0.2, atol=1e-7)
    gentle, _ = terrain_utils.convert_heightfield_to_trimesh(field, 0.1, 0.005, 10.0)
    np.testing.assert_allclose(gentle[:, 0].reshape(4, 4)[1], 0.1, atol=1e-7)


def test_a_mesh_needs_a_field() -> None:
    with pytest.raises(InvalidArgumentError, match="height_field_raw"):
        terrain_utils.convert_heightfield_to_trimesh(np.zeros(4), 0.1, 0.1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda t: terrain_utils.sloped_terrain(None, 0.1), r"terrain=None .*a SubTerrain"),
        (lambda t: terrain_utils.sloped_terrain(t, float("nan")), r"slope=nan .*a finite number"),
        (lambda t: terrain_utils.sloped_terrain(t, 1e308), r"slope=1e\+308 .*less than"),
        (lambda t: terrain_utils.wave_terrain(t, 1, "high"), r"amplitude='high' .*a finite number"),
        (lambda t: terrain_utils.stairs_terrain(t, 1e300, 1.0), r"distance=1e\+300 .*less than"),
        (
            lambda t: terrain_utils.discrete_obstacles_terrain(t, 1.0, 0.1, 0.2, 10**9),
            r"num_rects=1000000000 .*at most one a sample",
        ),
        (
            lambda t: terrain_utils.random_uniform_terrain(t, 0.0, -0.5),
            r"min_height=0.0 .*at most max_height",
        ),
        (
            lambda t: terrain_utils.discrete_obstacles_terrain(t, 4242.0, 0.1, 0.2, 4),
            r"max_height=4242.0 .*up to 32767 units",
        ),
        (
            lambda t: terrain_utils.pyramid_stairs_terrain(t, 0.2, 150.0, 0.1),
            r"step_height=150.0 .*up to 32767 units",
        ),
        (
            lambda t: terrain_utils.stepping_stones_terrain(t, 0.3, 0.1, 4242.0, 0.1, -1.0),
            r"max_height=4242.0 .*up to 32767 units",
        ),
        (lambda t: SubTerrain(width=10**6, length=10**6), r"width, length=.*samples"),
        (
            lambda t: terrain_utils.convert_heightfield_to_trimesh([[1]], 1.0, 1.0),
            r"height_field_raw=\[\[1\]\].*an array of numbers",
        ),
    ],
)
def test_arguments_of_terrains_are_finite_numbers_within_reason(call: Any, said: str) -> None:
    terrain = SubTerrain("t", 16, 16, 0.01, 0.1)
    with pytest.raises(InvalidArgumentError, match=said):
        call(terrain)
    assert not terrain.height_field_raw.any()


def test_a_platform_of_negative_size_has_none() -> None:
    made = [
        terrain_utils.pyramid_sloped_terrain(SubTerrain("t", 16, 16, 0.01, 0.1), 1.0, size)
        for size in (0.0, -50.0)
    ]
    assert np.array_equal(*(one.height_field_raw for one in made))


def test_stepping_stones_that_do_not_fit_into_heights_are_refused():
    terrain = terrain_utils.SubTerrain()
    with pytest.raises(InvalidArgumentError, match="max_height"):
        terrain_utils.stepping_stones_terrain(terrain, 1.0, 0.5, -2.0, 1.0, -1.0)
    with pytest.raises(InvalidArgumentError, match="depth"):
        terrain_utils.stepping_stones_terrain(terrain, 1.0, 1.0, 0.0, 1.0, 1e6)
