"""Pictures of many worlds, taken on all cores."""

from __future__ import annotations

import os
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


class Shot(NamedTuple):
    """A camera and the world it stands in."""

    camera: Camera
    world: int = 0


class BatchRenderer:
    """Takes pictures of many worlds that show the same parts.

    Attributes:
        threads: How many pictures are taken at the same time.
    """

    def __init__(self, threads: int = 0) -> None:
        """Make one with so many threads; 0: one for each core."""
        self.threads = threads or os.cpu_count() or 1
        self._renderers = [SoftwareRenderer() for _ in range(self.threads)]
        self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="camera")

    def render(
        self,
        stage: Stage,
        shots: Sequence[Shot],
        frames: Frames,
        style: Style = PLAIN,
        wanted: Wanted = EVERYTHING,
    ) -> Picture:
        """Take pictures.

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
        sizes = {(shot.camera.width, shot.camera.height) for shot in shots}
        if len(sizes) != 1:
            raise InvalidArgumentError("shots", sorted(sizes), "cameras of one size, at least one")
        worlds = {shot.world for shot in shots}
        if min(worlds) < 0 or max(worlds) >= len(frames.positions):
            allowed = f"worlds from 0 to {len(frames.positions) - 1}"
            raise InvalidArgumentError("shots", sorted(worlds), allowed)
        picture = blank(shots[0].camera, wanted, len(shots))

        def take(renderer: SoftwareRenderer, chosen: range) -> None:
            for i in chosen:
                camera, world = shots[i]
                poses = Frames(frames.positions[world], frames.quats[world])
                renderer.render_into(picture.of(i), stage, camera, poses, style, wanted.label_bits)

        shares = [range(k, len(shots), self.threads) for k in range(self.threads)]
        for _ in self._pool.map(take, self._renderers, shares):
            pass
        return picture

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()
