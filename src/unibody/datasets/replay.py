"""A recording, shown in the viewer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.visual_shapes import VisualShape
from unibody.datasets import lerobot, looks, mcap_file
from unibody.errors import InvalidArgumentError

MCAP = ".mcap"


class Replay(NamedTuple):
    """What is shown.

    Attributes:
        parts: How things look.
        times: Of the frames [s].
        poses: Of what parts follow, positions [m] and quaternions wxyz, (frames, n, 7).
    """

    parts: list[VisualShape]
    times: list[float]
    poses: NDArray[np.float64]


def is_recording(path: Path) -> bool:
    """Whether a path is that of a data set."""
    return path.suffix.lower() == MCAP or (path / lerobot.INFO).is_file()


def read(path: Path, episode: int = 0) -> Replay:
    """Read a recording.

    Args:
        path: A folder in LeRobot's layout, or an MCAP file.
        episode: Which one of a folder.

    Raises:
        InvalidArgumentError: It has no such episode, or does not say what things look like.
    """
    if path.suffix.lower() == MCAP:
        return Replay(*mcap_file.read(path))
    info = json.loads((path / lerobot.INFO).read_text(encoding="utf-8"))
    there = path / "meta" / lerobot.LOOKS
    if not there.is_file():
        raise InvalidArgumentError("dataset", str(path), "one with meta/looks.json, as ours have")
    if not 0 <= episode < info["total_episodes"]:
        raise InvalidArgumentError("episode", episode, f"0 to {info['total_episodes'] - 1}")
    parts = looks.read(json.loads(there.read_text(encoding="utf-8")))
    times, poses = lerobot.poses_of(path, episode)
    return Replay(parts, list(times), poses)


def play(replay: Replay, port: int, seconds: float, say: Callable[[str], None] = print) -> None:
    """Show a recording over and over.

    Args:
        replay: The recording.
        port: First port to try.
        seconds: End after so many; 0: at Ctrl-C.
        say: Told the address of the page.
    """
    from unibody.viewer.framing import box_of_things, camera_for
    from unibody.viewer.viewer import FOV, Viewer

    viewer = Viewer(port=port, title="unibody view")
    say(viewer.url)
    viewer.controls.offer(())
    viewer.show(replay.parts)
    if len(replay.poses):
        first = replay.poses[0].astype(np.float64)
        viewer.look(*camera_for(box_of_things(replay.parts, first[:, :3], first[:, 3:]), FOV))
    period = replay.times[1] - replay.times[0] if len(replay.times) > 1 else 1.0 / 30.0
    end = time.monotonic() + seconds if seconds else float("inf")
    try:
        while time.monotonic() < end:
            for poses in replay.poses:
                viewer.place(poses[:, :3].copy(), poses[:, 3:].copy())
                time.sleep(period)
                viewer.controls.wait_while_paused(lambda: viewer.watched and time.monotonic() < end)
                if time.monotonic() >= end:
                    break
    except KeyboardInterrupt:
        pass
    viewer.close()
