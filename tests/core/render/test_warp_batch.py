"""The batch backend of mujoco-warp beside the software one; on Warp's CPU device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.core.render.test_gl import ASIDE, EDGES, FRAMES, MATT, QUARTERS, VIEW, stage_of
from unibody.core.render import backends
from unibody.core.render.backends import make_batch_renderer
from unibody.core.render.batch import BatchRenderer, Job, Shot
from unibody.core.render.camera import (
    EVERYTHING,
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
from unibody.core.render.mesh import Texture
from unibody.core.render.software import blank
from unibody.core.render.stage import Stage
from unibody.errors import InvalidArgumentError, NotSupportedError

pytest.importorskip("mujoco_warp")

PROJECTION = perspective(0.9, 1.5, 0.1, 20.0) + ASIDE
HERE = Camera(96, 64, VIEW, PROJECTION)
BEHIND = Camera(96, 64, look_at((-1.5, -1.0, 1.0), (0.0, 0.0, 0.2)), PROJECTION)
WORLDS = Frames(
    np.stack([FRAMES.positions, FRAMES.positions + np.array([0.0, 0.0, 0.4])]),
    np.stack([FRAMES.quats] * 2),
)


@pytest.fixture(scope="module")
def warp() -> Iterator[Any]:
    from unibody.core.render.warp_batch import WarpBatchRenderer

    yield WarpBatchRenderer("cpu")


def test_rays_meet_what_the_software_backend_draws(warp: Any) -> None:
    shots, style = [Shot(HERE, 0), Shot(BEHIND, 1), Shot(BEHIND, 0)], Style((MATT,))
    stage = stage_of()
    theirs = BatchRenderer(2).render(stage, shots, WORLDS, style)
    ours = warp.render(stage, shots, WORLDS, style)
    assert ours.color.shape == theirs.color.shape == (3, 64, 96, 4)
    assert np.mean(ours.segmentation != theirs.segmentation) < EDGES
    assert np.mean(np.abs(ours.depth - theirs.depth) > 1e-4) < EDGES
    # textures are smoothed between texels here, and normals between the corners of round shapes
    assert np.mean(np.abs(ours.color.astype(int) - theirs.color)) < 4.0
    again = warp.render(stage, shots[::-1], WORLDS, style)
    np.testing.assert_array_equal(again.segmentation, ours.segmentation[::-1])


def test_what_is_beyond_the_far_plane_or_not_wanted_is_not_there(warp: Any) -> None:
    near = Camera(96, 64, VIEW, perspective(0.9, 1.5, 0.1, 2.5) + ASIDE)
    shots = [Shot(near, 0)] * 3
    theirs = BatchRenderer(1).render(stage_of(), shots, WORLDS)
    wanted = Wanted(color=False, depth=False, label_bits=0xFFFFFF)
    ours = warp.render(stage_of(), shots, WORLDS, wanted=wanted)
    assert ours.color.size == ours.depth.size == 0
    masked = np.where(theirs.segmentation < 0, -1, theirs.segmentation & 0xFFFFFF)
    assert np.mean(ours.segmentation != masked) < EDGES


def test_a_shadow_falls_where_the_light_is_blocked(warp: Any) -> None:
    sun = (0.3, 0.2, 1.0)
    given = {"direction": sun, "ambient": 0.2, "diffuse": 0.8, "specular": 0.0}
    light, shaded = Light(**given), Light(**given, shadow=sun_shadow(sun, (0, 0, 0), 3))
    shots, stage = [Shot(HERE, 0)] * 3, stage_of()
    lit, dark = (
        warp.render(stage, shots, WORLDS, Style((one,))).color[0].astype(int)
        for one in (light, shaded)
    )
    assert 0.005 < np.mean(np.abs(lit - dark).max(axis=-1) > 30) < 0.4


@pytest.mark.parametrize(
    ("shots", "style"),
    [
        ([Shot(Camera(8, 8, VIEW, parallel(2.0, 2.0, 0.1, 9.0)))], Style()),
        ([Shot(HERE)], Style(projector=np.eye(4))),
        ([Shot(HERE)], Style(wireframe=True)),
        ([Shot(HERE)], Style(translucent=True)),
    ],
)
def test_what_cannot_be_traced_is_refused(warp: Any, shots: Any, style: Style) -> None:
    with pytest.raises(NotSupportedError):
        warp.render(stage_of(opacity=0.5), shots, WORLDS, style)


@pytest.mark.parametrize(
    "shots",
    [
        [],
        [Shot(HERE, 2)],
        [Shot(HERE, -1)],
        [Shot(HERE), Shot(Camera(8, 8, VIEW, PROJECTION))],
        [Shot(HERE), Shot(Camera(96, 64, VIEW, perspective(1.0, 1.5, 0.1, 9.0)))],
    ],
)
def test_shots_that_do_not_belong_together_are_refused(warp: Any, shots: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="shots"):
        warp.render(stage_of(), shots, WORLDS)


def test_an_empty_stage_is_an_empty_picture(warp: Any) -> None:
    picture = warp.render(Stage(), [Shot(HERE)], WORLDS, Style(background=(1, 2, 3)))
    assert (picture.color == (1, 2, 3, 255)).all()
    assert (picture.segmentation == -1).all()
    assert (picture.depth == 1.0).all()


def test_worlds_are_drawn_on_the_gpu_only_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backends, "has_cuda", lambda: False)
    renderer = make_batch_renderer()
    assert isinstance(renderer, BatchRenderer)
    renderer.close()
    assert type(make_batch_renderer("warp")).__name__ == "WarpBatchRenderer"
    with pytest.raises(InvalidArgumentError, match=r"backend.*gl"):
        make_batch_renderer("gl")


def test_worlds_of_one_stage_have_colours_and_textures_of_their_own(warp: Any) -> None:
    """Grey, which mujoco-warp takes for the colour of the material, is grey."""
    stage = stage_of()
    plain = stage.instances.colors
    other = Texture(np.full((4, 4, 3), (0, 90, 200), np.uint8))
    stages = [stage]
    for red, texture in ((1.0, None), (0.5, other), (0.2, QUARTERS)):
        colors = plain.copy()
        colors[1, :3] = (0.5, 0.5, 0.5) if red == 0.5 else (red, 1.0, 0.3)
        stages.append(stage.dressed(colors, [texture, None, None, None, None]))
    style, frames = Style((MATT,)), Frames(WORLDS.positions[0], WORLDS.quats[0])
    pictures: list[list[Any]] = []
    for renderer in (warp, BatchRenderer(1)):
        made = [blank(HERE, EVERYTHING) for _ in stages]
        jobs = [Job(p, one, HERE, frames) for p, one in zip(made, stages, strict=True)]
        renderer.draw(jobs, style)
        pictures.append(made)
    for ours, theirs in zip(*pictures, strict=True):
        assert np.mean(ours.segmentation != theirs.segmentation) < EDGES
        assert np.mean(np.abs(ours.color.astype(int) - theirs.color)) < 4.0
    assert np.mean(np.abs(pictures[0][1].color.astype(int) - pictures[0][2].color)) > 8.0


def test_pictures_of_several_sizes_and_stages_are_drawn_in_one_call(warp: Any) -> None:
    small = Camera(48, 32, VIEW, PROJECTION)
    frames = Frames(WORLDS.positions[1], WORLDS.quats[1])
    jobs = [
        Job(blank(camera, EVERYTHING), stage, camera, frames)
        for stage in (stage_of(), Stage(), stage_of())
        for camera in (HERE, small)
    ]
    warp.draw(jobs, Style((MATT,)))
    for picture, stage, camera, _ in jobs:
        alone = BatchRenderer(1).render(stage, [Shot(camera, 1)], WORLDS, Style((MATT,)))
        assert np.mean(picture.segmentation != alone.segmentation[0]) < EDGES
    assert (jobs[2].picture.segmentation == -1).all()
