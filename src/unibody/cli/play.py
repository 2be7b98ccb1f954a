"""`unibody play`: let a trained policy act in its task."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unibody.command_parser import Parser

_ABOUT = """\
Plays episodes of a task with a policy of `unibody train`, and prints what it scored. --video writes
them as MP4.
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
    parser.add_argument("checkpoint", type=Path, help="a .zip, or the folder of a training")
    parser.add_argument("--episodes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--video", type=Path, metavar="FILE.mp4")
    options = parser.parse_args(argv)

    from unibody.envs.registry import full_name
    from unibody.envs.training import Player
    from unibody.errors import InvalidArgumentError

    mode = "rgb_array" if options.video else None
    try:
        player = Player(full_name(options.task), options.checkpoint, render_mode=mode)
    except InvalidArgumentError as problem:
        print(f"unibody play: {problem}", file=sys.stderr)
        return 2
    pictures: list[Any] = []
    note = (lambda: pictures.append(player.worlds.get_images()[0])) if mode else None
    for number, episode in enumerate(player.episodes(options.episodes, options.seed, note)):
        parts = [f"return {episode['return']:.2f}", f"{episode['length']} steps"]
        if "success" in episode:
            parts.append("success" if episode["success"] else "no success")
        print(f"episode {number}: {', '.join(parts)}")
    if options.video:
        _write(pictures, options.video, player.worlds.vector.metadata["render_fps"])
        print(f"wrote {options.video}")
    return 0


def _write(pictures: list[Any], file: Path, rate: int) -> None:
    import av

    with av.open(str(file), "w") as container:
        stream: Any = container.add_stream("libx264", rate=rate)
        stream.height, stream.width = pictures[0].shape[:2]
        stream.pix_fmt = "yuv420p"
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
