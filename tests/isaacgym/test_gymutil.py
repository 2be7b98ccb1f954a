"""Command lines, configurations, wire frames and randomisation."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from unibody.core.engine.library import devices
from unibody.errors import EngineError, InvalidArgumentError
from unibody.isaacgym import arguments, gymapi, gymutil
from unibody.isaacgym.types.records import DOF_PROPERTIES


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Say whether there is a GPU: ``gpu("")`` for yes, else why not."""

    def pretend(reason: str) -> None:
        monkeypatch.setattr(devices, "why_no_gpu", lambda: reason)
        devices._tell_once.cache_clear()

    monkeypatch.delenv(devices.REQUIRE_GPU_VARIABLE, raising=False)
    return pretend


@pytest.fixture
def parse(monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(*line: str, **options: Any) -> Any:
        monkeypatch.setattr(sys, "argv", ["script.py", *line])
        return gymutil.parse_arguments(**options)

    return run


def test_without_arguments_a_gpu_is_asked_for(gpu: Any, parse: Any) -> None:
    gpu("")
    found = vars(parse())
    found.pop("require_gpu")
    assert found == {
        "sim_device": "cuda:0",
        "sim_device_type": "cuda",
        "compute_device_id": 0,
        "graphics_device_id": 0,
        "pipeline": "gpu",
        "use_gpu_pipeline": True,
        "use_gpu": True,
        "physics_engine": gymapi.SIM_PHYSX,
        "flex": False,
        "physx": False,
        "num_threads": 0,
        "subscenes": 0,
        "slices": 0,
    }


def test_without_a_gpu_the_cpu_takes_its_place_and_one_line_says_so(
    gpu: Any, parse: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    gpu("no CUDA device was found")
    for _ in range(2):
        args = parse("--sim_device", "cuda:1")
        assert (args.sim_device, args.sim_device_type, args.pipeline) == ("cpu", "cpu", "cpu")
        assert (args.compute_device_id, args.use_gpu, args.use_gpu_pipeline) == (0, False, False)
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "sim_device='cuda:1': no CUDA device was found" in lines[0]


def test_a_required_gpu_that_is_not_there_is_an_error(
    gpu: Any, parse: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpu("no CUDA device was found")
    with pytest.raises(EngineError, match="GPU is required"):
        parse("--require-gpu")
    monkeypatch.setenv(devices.REQUIRE_GPU_VARIABLE, "1")
    with pytest.raises(EngineError, match="GPU is required"):
        parse()


def test_a_simulation_on_the_cpu_has_its_tensors_there(gpu: Any, parse: Any) -> None:
    gpu("")
    args = parse("--sim_device=cpu", "--pipeline=gpu")
    assert (args.use_gpu, args.use_gpu_pipeline, args.pipeline) == (False, False, "cpu")
    args = parse("--pipeline=cpu")
    assert (args.use_gpu, args.use_gpu_pipeline) == (True, False)


def test_options_of_the_script_are_parsed_with_the_others(gpu: Any, parse: Any) -> None:
    gpu("")
    custom = [
        {"name": "--num_envs", "type": int, "default": 64, "help": "how many"},
        {"name": "--task", "type": str},
        {"name": "--resume", "action": "store_true"},
        {"name": "--trace", "type": gymutil.parse_bool, "const": True, "default": False},
    ]
    line = ("--headless", "--num_envs", "8", "--trace", "--flex", "--subscenes", "4")
    args = parse(*line, headless=True, custom_parameters=custom)
    assert (args.num_envs, args.task, args.resume, args.trace) == (8, None, False, True)
    assert args.headless
    assert args.physics_engine == gymapi.SIM_FLEX
    assert args.slices == 4
    assert parse("--trace", "no", custom_parameters=custom).trace is False


def test_an_option_of_the_script_takes_the_place_of_one_of_the_same_name(
    gpu: Any, parse: Any
) -> None:
    gpu("")
    own = [{"name": "--sim_device", "type": str, "default": "cuda:1"}]
    found = parse(custom_parameters=own)
    assert (found.sim_device_type, found.compute_device_id) == ("cuda", 1)
    assert parse("--sim_device", "cpu", custom_parameters=own).sim_device_type == "cpu"


def test_no_graphics_means_no_viewer(gpu: Any, parse: Any) -> None:
    gpu("")
    assert parse("--nographics", no_graphics=True).headless


@pytest.mark.parametrize(
    "line",
    [
        ("--sim_device", "tpu"),
        ("--pipeline", "both"),
        ("--flex", "--physx"),
        ("--num_threads", "many"),
    ],
)
def test_a_wrong_argument_ends_the_script_with_a_message(
    gpu: Any, parse: Any, line: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    gpu("")
    with pytest.raises(SystemExit) as ended:
        parse(*line)
    assert ended.value.code == 2
    assert line[0] in capfd.readouterr().err


def test_a_custom_parameter_needs_a_name(gpu: Any, parse: Any) -> None:
    gpu("")
    with pytest.raises(InvalidArgumentError, match="custom_parameters"):
        parse(custom_parameters=[{"type": int}])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cpu", ("cpu", 0)),
        ("CPU", ("cpu", 0)),
        ("cuda", ("cuda", 0)),
        ("cuda:3", ("cuda", 3)),
        ("gpu:1", ("cuda", 1)),
    ],
)
def test_devices_are_written_as_in_torch(text: str, expected: tuple[str, int]) -> None:
    assert gymutil.parse_device_str(text) == expected


@pytest.mark.parametrize("text", ["", "cuda:", "cuda:x", "cuda:-1", "cpu:2", "mps", None, 0])
def test_what_is_no_device_is_refused(text: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="device_str"):
        gymutil.parse_device_str(text)


def test_words_for_true_and_false_are_read() -> None:
    assert [gymutil.parse_bool(word) for word in ("True", "yes", "1", True)] == [True] * 4
    assert [gymutil.parse_bool(word) for word in ("False", "no", "0", False)] == [False] * 4
    with pytest.raises(InvalidArgumentError):
        gymutil.parse_bool("perhaps")


def test_the_driver_is_asked_for_devices() -> None:
    assert devices.cuda_devices() >= 0
    assert bool(devices.why_no_gpu()) or devices.cuda_devices() > 0
    assert arguments.use_gpu is devices.use_gpu


def test_a_configuration_sets_nested_parameters() -> None:
    params = gymapi.SimParams()
    gymutil.parse_sim_config(
        {
            "dt": 0.005,
            "substeps": 1,
            "gravity": [0.0, 0.0, -9.81],
            "up_axis": 1,
            "physx": {"num_threads": 10, "rest_offset": 0.0, "contact_collection": 2},
            "flex": {"solver_type": 3},
        },
        params,
    )
    assert params.dt == pytest.approx(0.005)
    assert params.gravity.z == pytest.approx(-9.81)
    assert params.up_axis == gymapi.UP_AXIS_Z
    assert (params.physx.num_threads, params.physx.rest_offset) == (10, 0.0)
    assert params.physx.contact_collection == gymapi.CC_ALL_SUBSTEPS
    assert params.flex.solver_type == 3
    gymutil.parse_sim_config({"up_axis": "y"}, params)
    assert params.up_axis == gymapi.UP_AXIS_Y


@pytest.mark.parametrize(
    "config",
    [
        {"dt": 0.5, "gravity": [1, 2]},
        {"dt": 0.5, "up_axis": "x"},
        {"dt": 0.5, "up_axis": 7},
        {"dt": 0.5, "physx": {"num_threads": "all"}},
        {"dt": 0.5, "physx": {"contact_collection": 9}},
        {"dt": 0.5, "substeps": 1.5},
    ],
)
def test_a_configuration_with_a_wrong_value_changes_nothing(config: dict[str, Any]) -> None:
    params = gymapi.SimParams()
    with pytest.raises(InvalidArgumentError):
        gymutil.parse_sim_config(config, params)
    assert params.dt == pytest.approx(1.0 / 60.0)


def test_a_parameter_nobody_knows_is_told_with_the_nearest_name(
    capfd: pytest.CaptureFixture[str],
) -> None:
    gymutil.parse_sim_config({"physx": {"num_thread": 3}}, gymapi.SimParams())
    message = capfd.readouterr().err
    assert "'num_thread'" in message
    assert "num_threads" in message


class Recorder:
    """Stands for a Gym that draws."""

    def __init__(self) -> None:
        self.drawn: list[tuple[Any, ...]] = []

    def add_lines(self, viewer: Any, env: Any, count: int, ends: Any, colors: Any) -> None:
        self.drawn.append((viewer, env, count, ends, colors))


def numbers(records: Any) -> np.ndarray[Any, Any]:
    return np.stack([records[axis] for axis in "xyz"], axis=-1)


def test_axes_are_red_green_and_blue() -> None:
    axes = gymutil.AxesGeometry(0.5, gymapi.Transform(gymapi.Vec3(1, 0, 0)))
    np.testing.assert_allclose(numbers(axes.vertices())[:, 0], [[1, 0, 0]] * 3)
    np.testing.assert_allclose(numbers(axes.vertices())[:, 1], np.eye(3) * 0.5 + [1, 0, 0])
    np.testing.assert_allclose(numbers(axes.colors()), np.eye(3))


def test_a_box_has_twelve_edges_along_the_axes() -> None:
    box = gymutil.WireframeBoxGeometry(1.0, 2.0, 3.0, color=(0, 1, 1))
    ends = numbers(box.vertices())
    assert box.num_lines() == 12
    edges = ends[:, 1] - ends[:, 0]
    assert np.count_nonzero(edges, axis=1).tolist() == [1] * 12
    assert sorted(np.abs(edges).sum(1).tolist()) == [1.0] * 4 + [2.0] * 4 + [3.0] * 4
    assert len(np.unique(ends.reshape(-1, 3), axis=0)) == 8
    np.testing.assert_allclose(numbers(box.colors()), [[0, 1, 1]] * 12)
    bounds = gymutil.WireframeBBoxGeometry(([0, 0, 0], [1, 2, 3]))
    assert numbers(bounds.vertices()).max(axis=(0, 1)).tolist() == [1, 2, 3]


def test_a_sphere_is_made_of_points_at_its_radius() -> None:
    sphere = gymutil.WireframeSphereGeometry(0.3, 6, 4, color=(1, 0, 0), color2=(0, 1, 0))
    assert sphere.num_lines() == 2 * 6 * 4
    # Single precision of 0.3.
    np.testing.assert_allclose(np.linalg.norm(numbers(sphere.vertices()), axis=-1), 0.3, atol=1e-7)
    assert {tuple(color) for color in numbers(sphere.colors())} == {(1, 0, 0), (0, 1, 0)}


@pytest.mark.parametrize(
    "make",
    [
        lambda: gymutil.WireframeSphereGeometry(1.0, 0, 4),
        lambda: gymutil.WireframeBBoxGeometry([[0, 0], [1, 1]]),
        lambda: gymutil.WireframeBoxGeometry(color=(1, 0)),
    ],
)
def test_a_wire_frame_of_nothing_is_refused(make: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        make()


def test_lines_are_drawn_at_a_pose() -> None:
    gym = Recorder()
    pose = gymapi.Transform(gymapi.Vec3(0, 0, 1), r=None)
    gymutil.draw_lines(gymutil.AxesGeometry(1.0), gym, "viewer", "env", pose)
    viewer, env, count, ends, colors = gym.drawn[0]
    assert (viewer, env, count, ends.shape, colors.shape) == ("viewer", "env", 3, (3, 2), (3,))
    np.testing.assert_allclose(numbers(ends)[:, 0], [[0, 0, 1]] * 3)
    red = gymapi.Vec3(1, 0, 0)
    gymutil.draw_line(gymapi.Vec3(1, 2, 3), gymapi.Vec3(4, 5, 6), red, gym, "viewer", None)
    assert numbers(gym.drawn[1][3]).tolist() == [[[1, 2, 3], [4, 5, 6]]]


def test_a_geometry_of_a_script_needs_vertices_and_colors_only() -> None:
    class Line(gymutil.LineGeometry):
        def vertices(self) -> Any:
            return np.zeros((1, 2), gymapi.Vec3.dtype)

        def colors(self) -> Any:
            return np.ones(1, gymapi.Vec3.dtype)

    gym = Recorder()
    gymutil.draw_lines(Line(), gym, None, None, gymapi.Transform(gymapi.Vec3(1, 1, 1)))
    assert numbers(gym.drawn[0][3]).tolist() == [[[1, 1, 1], [1, 1, 1]]]


def test_xml_is_laid_out_in_place() -> None:
    root = ElementTree.fromstring("<a><b/><c><d/></c></a>")
    gymutil._indent_xml(root)
    expected = "<a>\n  <b />\n  <c>\n    <d />\n  </c>\n</a>"
    assert ElementTree.tostring(root, "unicode") == expected


def description(**changes: Any) -> dict[str, Any]:
    return {"range": [0.5, 1.5], "distribution": "uniform", "operation": "scaling", **changes}


@pytest.mark.parametrize("distribution", ["uniform", "loguniform"])
def test_samples_are_in_their_range(distribution: str) -> None:
    found = gymutil.generate_random_samples(description(distribution=distribution), 1000, 0)
    assert found.shape == (1000,)
    assert 0.5 <= found.min() < 0.6
    assert 1.4 < found.max() <= 1.5


def test_a_schedule_begins_with_no_change() -> None:
    linear = description(schedule="linear", schedule_steps=10)
    assert gymutil.generate_random_samples(linear, 5, 0).tolist() == [1.0] * 5
    halfway = gymutil.generate_random_samples(linear, 1000, 5)
    assert 0.75 <= halfway.min() < halfway.max() <= 1.25
    constant = description(schedule="constant", schedule_steps=10, operation="additive")
    assert gymutil.generate_random_samples(constant, 5, 9).tolist() == [0.0] * 5
    assert gymutil.generate_random_samples(constant, 5, 10).min() >= 0.5
    gaussian = description(distribution="gaussian", schedule="linear", schedule_steps=4)
    assert gymutil.generate_random_samples(gaussian, 3, 0).tolist() == [1.0] * 3


def test_a_sample_from_outside_takes_the_schedule_too() -> None:
    linear = description(schedule="linear", schedule_steps=10)
    assert gymutil.generate_random_samples(linear, 1, 5, np.array([3.0])).tolist() == [2.0]


@pytest.mark.parametrize(
    "changes", [{"distribution": "flat"}, {"operation": "power"}, {"schedule": "later"}]
)
def test_a_description_with_an_unknown_word_is_refused(changes: dict[str, Any]) -> None:
    params = {"schedule_steps": 1, **description(**changes)}
    with pytest.raises(InvalidArgumentError, match=next(iter(changes))):
        gymutil.generate_random_samples(params, 1, 0)


def test_a_value_falls_into_the_bucket_below() -> None:
    params = description(range=[0.0, 1.0], num_buckets=4)
    assert gymutil.get_bucketed_val(0.3, params) == 0.25
    assert gymutil.get_bucketed_val(-5.0, params) == 0.0
    assert gymutil.get_bucketed_val(np.array([0.5, 0.99]), params).tolist() == [0.5, 0.75]


def test_properties_are_changed_from_their_original_values() -> None:
    dofs = np.zeros(3, DOF_PROPERTIES)
    original = {"damping": np.full(3, 2.0)}
    for _ in range(3):
        gymutil.apply_random_samples(dofs, original, "damping", description(), 0)
    assert dofs["damping"].min() >= 1.0
    assert dofs["damping"].max() <= 3.0
    body = gymapi.RigidBodyProperties()
    exact = description(range=[2.0, 2.0], operation="additive")
    gymutil.apply_random_samples(body, {"mass": 1.5}, "mass", exact, 0)
    assert body.mass == 3.5
    shape = gymapi.RigidShapeProperties()
    bucketed = description(range=[0.0, 1.0], num_buckets=2)
    gymutil.apply_random_samples(shape, {"friction": 1.0}, "friction", bucketed, 0)
    assert shape.friction in (0.0, 0.5)


def test_gravity_and_rest_offset_of_a_simulation_are_randomised() -> None:
    params = gymapi.SimParams()
    exact = description(range=[2.0, 2.0])
    gymutil.apply_random_samples(params, {"gravity": gymapi.Vec3(1, 2, 3)}, "gravity", exact, 0)
    assert params.gravity.__getstate__() == (2.0, 4.0, 6.0)
    gymutil.apply_random_samples(params, {}, "rest_offset", exact, 0)
    assert params.physx.rest_offset == 2.0
    with pytest.raises(InvalidArgumentError, match="attr"):
        gymutil.apply_random_samples(params, {}, "dt", exact, 0)


class Actors:
    """Stands for a Gym with one actor of many shapes in each environment."""

    def __init__(self, shapes: int) -> None:
        self.shapes = shapes

    def get_actor_count(self, env: Any) -> int:
        return 1

    def get_actor_handle(self, env: Any, index: int) -> int:
        return index

    def get_actor_name(self, env: Any, actor: int) -> str:
        return "robot"

    def get_actor_rigid_shape_count(self, env: Any, actor: int) -> int:
        return self.shapes


def test_too_many_materials_are_an_error() -> None:
    def materials(**friction: Any) -> dict[str, Any]:
        return {"actor_params": {"robot": {"rigid_shape_properties": {"friction": friction}}}}

    gymutil.check_buckets(Actors(10), range(10), materials())
    gymutil.check_buckets(Actors(10_000), range(10), materials(num_buckets=250))
    with pytest.raises(EngineError, match="100000 shapes"):
        gymutil.check_buckets(Actors(10_000), range(10), materials())
    with pytest.raises(EngineError, match="70000 materials"):
        gymutil.check_buckets(Actors(1), range(1), materials(num_buckets=70_000))


def test_the_maps_of_getters_and_setters_have_the_methods_of_gym() -> None:
    kinds = ("dof", "tendon", "rigid_body", "rigid_shape")
    names = [f"{verb}_actor_{kind}_properties" for verb in ("get", "set") for kind in kinds]
    gym = SimpleNamespace(**{name: name for name in (*names, "get_sim_params", "set_sim_params")})
    getters = gymutil.get_property_getter_map(gym)
    setters = gymutil.get_property_setter_map(gym)
    assert getters["dof_properties"] == "get_actor_dof_properties"
    assert setters["rigid_shape_properties"] == "set_actor_rigid_shape_properties"
    assert set(getters) == set(setters) == set(gymutil.get_default_setter_args(gym))
    assert gymutil.get_default_setter_args(gym)["rigid_body_properties"] == [True]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: gymutil.get_property_getter_map(3), r"gym=3 .*a Gym"),
        (lambda: gymutil.draw_line(1, 2, 3, None, None, None), r"p1=1 .*a Vec3"),
        (lambda: gymutil.WireframeBBoxGeometry([["a"]]), r"bbox=\[\['a'\]\].*two corners"),
        (lambda: gymutil.WireframeSphereGeometry(1.0, 10**6, 10**6), r"num_lats, num_lons="),
        (lambda: gymutil.parse_sim_config(3, gymapi.SimParams()), r"config=3 .*a dict"),
        (lambda: gymutil.generate_random_samples({}, 1, 0), r"a dict with 'distribution'"),
        (lambda: gymutil.generate_random_samples(description(range=["a", 1]), 1, 0), r"range="),
        (
            lambda: gymutil.generate_random_samples(description(), 1, 0, "abc"),
            r"extern_sample='abc' .*numbers",
        ),
        (lambda: gymutil.generate_random_samples(description(), -1, 0), r"shape=-1"),
        (
            lambda: gymutil.apply_random_samples(np.zeros(1), {}, "damping", description(), 0),
            r"prop=.*properties of an actor",
        ),
        (
            lambda: gymutil.apply_random_samples(
                np.zeros(1, DOF_PROPERTIES), {}, "damping", description(), 0
            ),
            r"og_prop=\{\}.*'damping' among them",
        ),
        (lambda: gymutil.check_buckets(None, [], {}), r"dr_params=\{\}.*'actor_params'"),
    ],
)
def test_arguments_that_do_not_fit_are_named(call: Any, said: str) -> None:
    with pytest.raises(InvalidArgumentError, match=said):
        call()
