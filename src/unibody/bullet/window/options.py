"""The option string of ``connect(GUI, options=...)``."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, field
from typing import Any

SWITCH = "UNIBODY_VIEWER"  # "off": windows are not opened; "browser": they open in the browser


@dataclass(slots=True)
class WindowOptions:
    """What a window is opened with.

    Attributes:
        background: Colour, each 0 to 1, or None.
        width, height: Size the script asked for [pixels], 0 if it did not; that of videos. A page
            has the size of its window.
        mp4: File a video is written to, or "".
        mp4fps: Its frames a second.
        browser: Open the page in the default browser.
        ignored: Options that have nothing to act on here.
    """

    background: tuple[float, float, float] | None = None
    width: int = 0
    height: int = 0
    mp4: str = ""
    mp4fps: int = 60
    browser: bool = False
    port: int = 8080
    title: str = "unibody"
    ignored: list[str] = field(default_factory=list[str])

    def camera(self) -> dict[str, Any]:
        """What the visualizer's camera begins with."""
        found: dict[str, Any] = {"mp4fps": self.mp4fps}
        if self.background is not None:
            found["rgbBackground"] = self.background
        if self.width > 0:
            found["width"] = self.width
        if self.height > 0:
            found["height"] = self.height
        return found


def viewer_wanted() -> bool:
    """False if the environment says that windows stay closed."""
    return os.environ.get(SWITCH, "").lower() not in {"off", "0", "no", "false"}


def parse_options(text: str) -> WindowOptions:
    """Read PyBullet's options: ``--width=640 --background_color_red=0.5 --mp4=file.mp4`` ..."""
    options = WindowOptions(browser=os.environ.get(SWITCH, "").lower() == "browser")
    colors = [0.7, 0.7, 0.8]
    for word in _words(text):
        name, _, value = word.lstrip("-").partition("=")
        name = name.lower()
        try:
            if name.startswith("background_color_"):
                channel = ["red", "green", "blue"].index(name.removeprefix("background_color_"))
                colors[channel] = float(value)
                options.background = (colors[0], colors[1], colors[2])
            elif name in {"width", "height", "mp4fps"}:
                setattr(options, name, int(float(value)))
            elif name == "mp4":
                options.mp4 = value.strip("\"'")
            elif name == "browser":
                options.browser = True
            else:
                options.ignored.append(word)
        except ValueError:
            options.ignored.append(word)
    return options


def _words(text: str) -> list[str]:
    """The options one by one; a file name in quotes may have spaces."""
    try:
        return shlex.split(text)
    except ValueError:  # a quote that is not closed
        return text.split()
