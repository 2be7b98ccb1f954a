"""Pictures of many worlds, taken on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from unibody.core.render.camera import (
    EVERYTHING,
    PLAIN,
    Camera,
    Frames,
    Picture,
    Style,
    Wanted,
)
from unibody.core.render.software import SoftwareRenderer, blank
from unibody.core.render.stage import Stage
from unibody.errors import InvalidArgumentError
from unibody.mechanisms import cores, is_plain


class Shot(NamedTuple):
    """A camera and the world it stands in."""

    camera: Camera
    world: int = 0


class Job(NamedTuple):
    """A picture to be drawn into arrays that are there.

    Attributes:
        picture: The arrays, depth of any precision; no rows: not wanted.
        stage: What there is to see.
        camera: What it is seen with.
        frames: Where the frames are that parts follow, of one world.
    """

    picture: Picture
    stage: Stage
    camera: Camera
    frames: Frames


def jobs_of(picture: Picture, stage: Stage, shots: Sequence[Shot], frames: Frames) -> list[Job]:
    """The pictures of shots of one stage, in the arrays of all of them."""
    return [
        Job(
            picture.of(number),
            stage,
            camera,
            Frames(frames.positions[world], frames.quats[world]),
        )
        for number, (camera, world) in enumerate(shots)
    ]


def check_shots(stage: Stage, shots: Sequence[Shot], frames: Frames) -> None:
    """Refuse shots that cannot be taken together.

    Raises:
        InvalidArgumentError: No shot, cameras of several sizes, or no such world.
    """
    sizes = {(shot.camera.width, shot.camera.height) for shot in shots}
    if len(sizes) != 1:
        raise InvalidArgumentError("shots", sorted(sizes), "cameras of one size, at least one")
    worlds = {shot.world for shot in shots}
    if min(worlds) < 0 or max(worlds) >= len(frames.positions):
        allowed = f"worlds from 0 to {len(frames.positions) - 1}"
        raise InvalidArgumentError("shots", sorted(worlds), allowed)


class BatchRenderer:
    """Takes pictures of many worlds on the cores of the processor.

    Attributes:
        threads: How many pictures are taken at the same time at most.
    """

    def __init__(self, threads: int = 0) -> None:
        """Make one with so many threads; 0: one for each core."""
        self.threads: int = cores() if is_plain("threads") else threads or cores()
        self._renderers: list[SoftwareRenderer] = []
        self._pool: ThreadPoolExecutor | None = None

    def render(
        self,
        stage: Stage,
        shots: Sequence[Shot],
        frames: Frames,
        style: Style = PLAIN,
        wanted: Wanted = EVERYTHING,
    ) -> Picture:
        """Take pictures of worlds that show the same parts.

        Args:
            stage: What there is to see, the same in all worlds.
            shots: Cameras of one size, and the world each stands in.
            frames: Where the frames are that parts follow, in each world.
            style: Lights, and how it is drawn.
            wanted: Which images.

        Returns:
            New arrays with the shot as the first axis.

        Raises:
            InvalidArgumentError: No shot, cameras of several sizes, no such world, or a part
                follows a frame that has no pose.
        """
        check_shots(stage, shots, frames)
        picture = blank(shots[0].camera, wanted, len(shots))
        self.draw(jobs_of(picture, stage, shots, frames), style, wanted.label_bits)
        return picture

    def draw(
        self, jobs: Sequence[Job], style: Style = PLAIN, label_bits: int = EVERYTHING.label_bits
    ) -> None:
        """Draw pictures of any sizes and stages into their arrays.

        Raises:
            InvalidArgumentError: A part follows a frame that has no pose.
        """
        count = min(len(jobs), self.threads)
        while len(self._renderers) < count:
            self._renderers.append(SoftwareRenderer())

        def take(renderer: SoftwareRenderer, chosen: range) -> None:
            for number in chosen:
                picture, stage, camera, poses = jobs[number]
                renderer.render_into(picture, stage, camera, poses, style, label_bits)

        shares = [range(k, len(jobs), count) for k in range(count)]
        if count <= 1:
            for renderer, share in zip(self._renderers, shares, strict=False):
                take(renderer, share)
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="camera")
        for _ in self._pool.map(take, self._renderers[:count], shares):
            pass

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
