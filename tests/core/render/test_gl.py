"""The OpenGL backend beside the software one, and the choice between them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from unibody.core.assets.description import Pose, Shape, ShapeKind
from unibody.core.render import backends
from unibody.core.render.backends import make_renderer
from unibody.core.render.camera import (
    Camera,
    Frames,
    Light,
    Style,
    Wanted,
    look_at,
    parallel,
    perspective,
    sun_shadow,
)
from unibody.core.render.mesh import Part, Texture, make_mesh
from unibody.core.render.shapes import mesh_of_shape
from unibody.core.render.software import SoftwareRenderer
from unibody.core.render.stage import Stage
from unibody.errors import InvalidArgumentError, NotSupportedError

VIEW = look_at((1.4, -2.0, 1.5), (0.0, 0.0, 0.2))
ASIDE = np.zeros((4, 4))
ASIDE[:2, 2] = 0.2, -0.1
CAMERAS = {
    "perspective": Camera(96, 64, VIEW, perspective(0.9, 1.5, 0.1, 20.0)),
    "parallel": Camera(64, 96, VIEW, parallel(2.0, 3.0, 0.1, 20.0)),
    "off centre": Camera(80, 60, VIEW, perspective(0.8, 4 / 3, 0.1, 20.0) + ASIDE),
}
FRAMES = Frames(
    np.array([[0.0, 0.0, 0.3], [0.6, 0.3, 0.2]]), np.array([[0.8, 0.0, 0.6, 0.0], [1, 0, 0, 0]])
)
MATT = Light(direction=(1, -1, 2), ambient=0.3, diffuse=0.7, specular=0.0)
# A pixel whose sample lies within float32 of an edge may fall to the other side.
EDGES = 0.005
BOX = mesh_of_shape(Shape(ShapeKind.BOX, (0.4, 0.3, 0.6)))
BALL = mesh_of_shape(Shape(ShapeKind.SPHERE, (0.3,)))
FLOOR = make_mesh(
    [(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)], [(0, 1, 2), (0, 2, 3)],
    [(0, 0, 1)] * 4, [(0, 0), (2, 0), (2, 2), (0, 2)],
)  # fmt: skip
TRIANGLE = make_mesh([(0, 0, 0), (0, 0.5, 0), (0, 0, 0.5)], [(0, 1, 2)])
FOUR = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 0]]], dtype=np.uint8)
QUARTERS = Texture(FOUR.repeat(32, axis=0).repeat(32, axis=1))


def stage_of(opacity: float = 1.0) -> Stage:
    assert BOX is not None
    assert BALL is not None
    stage = Stage()
    stage.show(
        [
            Part(FLOOR, texture=QUARTERS, label=1),
            Part(BOX, 0, rgba=(1.0, 0.2, 0.1, opacity), label=2 + (3 << 24)),
            Part(BALL, 1, Pose((0.0, 0.1, 0.2), (0.7, 0.7, 0.0, 0.1)), (0.2, 0.9, 0.3, 1), label=4),
            Part(TRIANGLE, pose=Pose((-0.6, 0, 0)), label=5, double_sided=True),
            Part(BOX, 1, rgba=(1, 1, 1, 0), label=6),
        ]
    )
    return stage


@pytest.fixture(scope="module")
def gl() -> Iterator[Any]:
    from unibody.core.render.gl import GLRenderer

    try:
        renderer = GLRenderer()
    except NotSupportedError as problem:
        pytest.skip(str(problem))
    yield renderer
    renderer.close()


@pytest.mark.parametrize("name", CAMERAS)
def test_opengl_sees_what_the_software_backend_sees(gl: Any, name: str) -> None:
    camera, stage, style = CAMERAS[name], stage_of(), Style((MATT,))
    theirs = SoftwareRenderer().render(stage, camera, FRAMES, style)
    ours = gl.render(stage, camera, FRAMES, style)
    assert np.mean(ours.segmentation != theirs.segmentation) < EDGES
    assert set(np.unique(ours.segmentation)) == {-1, 1, 2 + (3 << 24), 4, 5}
    far_apart = np.abs(ours.depth - theirs.depth) > 1e-4
    assert np.mean(far_apart) < EDGES
    # textures are smoothed between texels here, and the corners of round shapes are shaded apart
    assert np.mean(np.abs(ours.color.astype(int) - theirs.color)) < 4.0


def test_opengl_follows_frames_stages_and_sizes(gl: Any) -> None:
    stage, camera = stage_of(), CAMERAS["perspective"]
    before = gl.render(stage, camera, FRAMES)
    moved = Frames(FRAMES.positions + np.array([0.0, 0.0, 0.3]), FRAMES.quats)
    after = gl.render(stage, camera, moved)
    rows = [np.argwhere(p.segmentation == 4)[:, 0].mean() for p in (before, after)]
    assert rows[1] < rows[0] - 3
    stage.show(stage.parts[:1])
    assert set(np.unique(gl.render(stage, camera, FRAMES).segmentation)) == {-1, 1}
    large = Camera(700, 300, VIEW, perspective(0.9, 7 / 3, 0.1, 20.0))
    assert gl.render(stage, large, FRAMES).color.shape == (300, 700, 4)
    stage.show(())
    assert (gl.render(stage, camera, FRAMES).segmentation == -1).all()


def test_what_is_behind_a_translucent_part_shows_through_and_its_depth_stays(gl: Any) -> None:
    camera, stage = CAMERAS["perspective"], stage_of(opacity=0.3)
    solid = gl.render(stage, camera, FRAMES, Style((MATT,)))
    mixed = gl.render(stage, camera, FRAMES, Style((MATT,), translucent=True))
    inside = solid.segmentation == 2 + (3 << 24)
    np.testing.assert_array_equal(mixed.segmentation, solid.segmentation)
    np.testing.assert_allclose(mixed.depth, solid.depth, atol=1e-6)
    assert np.abs(mixed.color[inside].astype(int) - solid.color[inside]).mean() > 20


def test_a_shadow_falls_where_the_light_is_blocked(gl: Any) -> None:
    sun = (0.3, 0.2, 1.0)
    light = Light(sun, ambient=0.2, diffuse=0.8, specular=0.0)
    shaded = Light(
        sun, ambient=0.2, diffuse=0.8, specular=0.0, shadow=sun_shadow(sun, (0, 0, 0), 3)
    )
    camera, stage = CAMERAS["perspective"], stage_of()
    lit = gl.render(stage, camera, FRAMES, Style((light,))).color.astype(int)
    dark = gl.render(stage, camera, FRAMES, Style((shaded,))).color.astype(int)
    share = np.mean(np.abs(lit - dark).max(axis=-1) > 30)
    assert 0.005 < share < 0.4


def test_a_wireframe_and_two_lights_and_a_background_are_drawn(gl: Any) -> None:
    camera, stage = CAMERAS["perspective"], stage_of()
    style = Style((MATT, Light((-1, 0, 1), (0, 0, 1), 0.0, 0.5, 0.0)), (10.0, 20.0, 30.0))
    plain = gl.render(stage, camera, FRAMES, style)
    assert (plain.color[plain.segmentation == -1] == (10, 20, 30, 255)).all()
    one = gl.render(stage, camera, FRAMES, Style((MATT,), (10.0, 20.0, 30.0)))
    assert plain.color[..., 2].astype(int).sum() > one.color[..., 2].astype(int).sum()
    edges = gl.render(stage, camera, FRAMES, Style((MATT,), wireframe=True)).segmentation
    assert 0 < np.sum(edges >= 0) < 0.5 * np.sum(plain.segmentation >= 0)


def test_only_the_images_that_are_wanted_are_made(gl: Any) -> None:
    picture = gl.render(
        stage_of(), CAMERAS["parallel"], FRAMES, wanted=Wanted(False, False, True, 0xFFFFFF)
    )
    assert picture.color.size == picture.depth.size == 0
    assert set(np.unique(picture.segmentation)) == {-1, 1, 2, 4, 5}


@pytest.mark.parametrize("style", [Style(projector=np.eye(4)), Style((Light(),) * 9)])
def test_a_style_that_opengl_cannot_draw_is_refused(gl: Any, style: Style) -> None:
    with pytest.raises(NotSupportedError):
        gl.render(stage_of(), CAMERAS["parallel"], FRAMES, style)


def test_a_camera_that_is_none_sees_nothing(gl: Any) -> None:
    camera = Camera(8, 8, np.full((4, 4), np.nan), np.eye(4))
    picture = gl.render(stage_of(), camera, FRAMES)
    assert (picture.segmentation == -1).all()
    assert (picture.depth == 1.0).all()


def test_a_closed_renderer_says_so() -> None:
    from unibody.core.render.gl import GLRenderer

    try:
        renderer = GLRenderer()
    except NotSupportedError as problem:
        pytest.skip(str(problem))
    renderer.close()
    renderer.close()
    with pytest.raises(NotSupportedError, match="close"):
        renderer.render(stage_of(), CAMERAS["parallel"], FRAMES)


def test_opengl_is_taken_by_itself_only_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(backends.VARIABLE, raising=False)
    monkeypatch.setattr(backends, "has_gpu", lambda: False)
    assert isinstance(make_renderer(), SoftwareRenderer)
    monkeypatch.setenv(backends.VARIABLE, "software")
    monkeypatch.setattr(backends, "has_gpu", lambda: True)
    assert isinstance(make_renderer(), SoftwareRenderer)


def test_a_backend_that_is_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidArgumentError, match=r"backend.*vulkan"):
        make_renderer("vulkan")
    monkeypatch.setenv(backends.VARIABLE, "metal")
    with pytest.raises(InvalidArgumentError, match=r"UNIBODY_RENDERER.*metal"):
        make_renderer()


# Hides the libraries from whoever looks for them, whatever way it takes.
HIDDEN = """
import ctypes, ctypes.util
real, names = ctypes.CDLL, ("EGL", "OSMesa", "libGL", "OpenGL", "GLX")
class Hidden(real):
    def __init__(self, name, *args, **options):
        if name and any(part in str(name) for part in names):
            raise OSError(f"{name}: cannot open shared object file")
        super().__init__(name, *args, **options)
ctypes.CDLL = ctypes.cdll._dlltype = Hidden
find = ctypes.util.find_library
ctypes.util.find_library = lambda name: None if name in ("GL", "EGL", "OSMesa") else find(name)
"""


def test_without_any_graphics_library_everything_is_drawn_and_opengl_says_what_is_missing() -> None:
    code = f"""{HIDDEN}
import numpy as np, unibody.bullet as p
from unibody.core.render.backends import has_gpu, make_renderer
from unibody.errors import NotSupportedError
assert not has_gpu()
assert type(make_renderer()).__name__ == "SoftwareRenderer"
try:
    make_renderer("gl")
except NotSupportedError as problem:
    print(problem)
p.connect(p.DIRECT)
p.loadPlugin("eglRendererPlugin")
p.createMultiBody(0, p.createCollisionShape(p.GEOM_SPHERE, radius=0.5))
view = p.computeViewMatrix((2, 0, 0), (0, 0, 0), (0, 0, 1))
projection = p.computeProjectionMatrixFOV(60, 1, 0.1, 10)
for renderer in (p.ER_TINY_RENDERER, p.ER_BULLET_HARDWARE_OPENGL):
    picture = p.getCameraImage(32, 32, view, projection, renderer=renderer)
    print((picture[4] == 0).sum() > 100, np.ptp(picture[2]) > 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    refusal, *drawn = done.stdout.splitlines()
    assert "EGL" in refusal
    assert "software" in refusal
    assert drawn == ["True True", "True True"]


def test_torch_compiles_after_a_picture_was_drawn() -> None:
    """Triton's LLVM beside that of OpenGL in software; the process ended with a fault."""
    pytest.importorskip("triton")
    code = """
from unibody.core.render.gl import GLRenderer
from unibody.errors import NotSupportedError
try:
    GLRenderer()
except NotSupportedError as problem:
    raise SystemExit(77)
import torch._dynamo
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if ran.returncode == 77:
        pytest.skip("no OpenGL here")
    assert ran.returncode == 0, ran.stderr[-1000:]
