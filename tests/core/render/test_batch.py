"""Pictures of many worlds."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.render.test_software import ABOVE, SQUARE, stage_of
from unibody.core.render.batch import BatchRenderer, Shot
from unibody.core.render.camera import Camera, Frames, Wanted, look_at, perspective
from unibody.core.render.mesh import Part
from unibody.core.render.software import SoftwareRenderer
from unibody.errors import InvalidArgumentError

RNG = np.random.default_rng(5)
WORLDS = 5
FRAMES = Frames(RNG.normal(0.0, 0.5, (WORLDS, 2, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (WORLDS, 2, 1)))
STAGE = stage_of(*(Part(SQUARE, frame=k, label=k, rgba=(k, 0.5, 1, 1)) for k in range(2)))


def shots() -> list[Shot]:
    projection = perspective(1.0, 1.5, 0.1, 20.0)
    eyes = RNG.normal(0.0, 1.0, (9, 2))
    cameras = [Camera(30, 20, look_at((x, y, 4.0), (0, 0, 0)), projection) for x, y in eyes]
    return [Shot(camera, k % WORLDS) for k, camera in enumerate(cameras)]


@pytest.mark.parametrize("threads", [1, 3, 20])
def test_a_batch_is_the_pictures_taken_one_by_one(threads: int) -> None:
    batch, taken = BatchRenderer(threads), shots()
    try:
        together = batch.render(STAGE, taken, FRAMES)
    finally:
        batch.close()
    for k, (camera, world) in enumerate(taken):
        frames = Frames(FRAMES.positions[world], FRAMES.quats[world])
        alone = SoftwareRenderer().render(STAGE, camera, frames)
        for one, other in zip(together.of(k), alone, strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_batch_makes_only_the_images_that_are_wanted() -> None:
    batch = BatchRenderer(2)
    picture = batch.render(STAGE, shots(), FRAMES, wanted=Wanted(False, True, False))
    batch.close()
    assert picture.depth.shape == (9, 20, 30)
    assert len(picture.color) == len(picture.segmentation) == 0


@pytest.mark.parametrize(
    "bad", [[], [Shot(ABOVE), shots()[0]], [Shot(ABOVE, WORLDS)], [Shot(ABOVE, -1)]]
)
def test_shots_that_do_not_fit_are_an_error(bad: list[Shot]) -> None:
    batch = BatchRenderer(1)
    with pytest.raises(InvalidArgumentError, match="shots"):
        batch.render(STAGE, bad, FRAMES)
    batch.close()
