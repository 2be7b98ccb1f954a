"""`unibody play`: let a trained policy act in its task."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unibody.command_parser import Parser

_ABOUT = """\
Plays episodes of a task with a policy of `unibody train`, and prints what it scored. --view shows
them on a page in the browser, as fast as they would be; --video writes them as MP4.
"""


def main(argv: Sequence[str]) -> int:
    """Play episodes.

    Args:
        argv: The arguments behind `play`.

    Returns:
        The exit status of the process.
    """
    parser = Parser(prog="unibody play", description=_ABOUT)
    parser.add_argument("task", help="such as CartPole or unibody/CartPole-v0")
    parser.add_argument("checkpoint", type=Path, help="a .zip or .pt, or the folder of a training")
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--video", type=Path, metavar="FILE.mp4")
    parser.add_argument("--view", action="store_true", help="show them on a page in the browser")
    parser.add_argument("--port", type=int, default=8080, help="first port to try (default 8080)")
    options = parser.parse_args(argv)

    from unibody.envs.playing import Player
    from unibody.envs.registry import full_name
    from unibody.errors import InvalidArgumentError, NotSupportedError

    mode = "rgb_array" if options.video else None
    try:
        player = Player(full_name(options.task), options.checkpoint, render_mode=mode)
        film = Film(player.vector, options.video) if options.video else None
    except (InvalidArgumentError, NotSupportedError) as problem:
        print(f"unibody play: {problem}", file=sys.stderr)
        return 2
    page = _Page(player.vector, options.port) if options.view else None

    def note() -> None:
        if film is not None:
            film.add()
        if page is not None:
            page.show()

    for number, episode in enumerate(player.episodes(options.episodes, options.seed, note)):
        parts = [f"return {episode['return']:.2f}", f"{episode['length']} steps"]
        if "success" in episode:
            parts.append("success" if episode["success"] else "no success")
        print(f"episode {number}: {', '.join(parts)}")
    if page is not None:
        page.viewer.close()
    if film is not None:
        film.close()
        print(f"wrote {options.video}")
    player.vector.close()
    return 0


class Film:
    """The first world as an MP4 file."""

    def __init__(self, vector: Any, file: Path) -> None:
        """Begin a file.

        Raises:
            NotSupportedError: PyAV is not installed.
        """
        from unibody.viewer.video import Video

        self._vector, view = vector, vector.task.view
        self._video = Video(file, view.width, view.height, vector.metadata["render_fps"])

    def add(self) -> None:
        """Add a picture of the present step."""
        self._video.add(self._vector.render()[0])

    def close(self) -> None:
        """Complete the file."""
        self._video.close()


class _Page:
    """The first world on a page in the browser.

    Attributes:
        viewer: The page.
    """

    def __init__(self, vector: Any, port: int) -> None:
        from unibody.core.assets.description import ShapeKind
        from unibody.core.render.visual_shapes import visuals_of_scene
        from unibody.viewer.painter import BACKGROUND
        from unibody.viewer.viewer import Viewer

        self._sim, view = vector.sim, vector.task.view
        self._followed = self._sim.link(view.follow) if view.follow else None
        self.viewer = Viewer(port=port, title="unibody play")
        shapes = visuals_of_scene(vector.scene.scene)
        # planes would flicker through the sheets that tasks lay on them
        self.viewer.show([each for each in shapes if each.shape.kind is not ShapeKind.PLANE])
        self.viewer.set_background(BACKGROUND)
        self.viewer.controls.offer(())
        self.viewer.look(view.eye, view.target)
        print(self.viewer.url, flush=True)
        self._next = time.monotonic()

    def show(self) -> None:
        """Show the present step for as long as it takes; then wait while the page says pause."""
        places = self._sim.xpos[0].copy()
        if self._followed is not None:
            # the world passes the camera, which stays where the user turns it
            places[:, :2] -= places[self._followed, :2]
        self.viewer.place(places, self._sim.xquat[0])
        self._next = max(self._next + self._sim.timestep, time.monotonic())
        time.sleep(self._next - time.monotonic() if self._next > time.monotonic() else 0.0)
        self.viewer.controls.wait_while_paused(lambda: self.viewer.watched)
