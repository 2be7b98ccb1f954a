"""Keys that change the page by themselves, as in PyBullet's window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from unibody.bullet import constants as c

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client
    from unibody.viewer.controls import Controls

_FLAGS: Final = {"w": (c.COV_ENABLE_WIREFRAME, 0), "s": (c.COV_ENABLE_SHADOWS, 1),
                 "g": (c.COV_ENABLE_GUI, 1)}  # fmt: skip
_LAYERS: Final = {"v": "Collision shapes", "c": "Contacts", "j": "Frames", "k": "Joint axes"}
_BUTTONS: Final = {"i": "Pause", "o": "Step"}

KEYS: Final = (
    ("w", "wireframe"),
    ("s", "shadows"),
    ("g", "this panel and the grid"),
    ("v", "collision shapes"),
    ("c", "contacts"),
    ("j", "frames of links"),
    ("k", "axes of joints"),
    ("i", "pause"),
    ("o", "a single step"),
)
"""What they do, in words."""


def take_key(client: Client, controls: Controls, key: str) -> None:
    """Do what a key stands for, unless the script has switched shortcuts off.

    Args:
        client: Whose page it was pressed on.
        controls: The panel of that page.
        key: Its name in the browser.
    """
    flags = client.visualizer
    if not flags.get(c.COV_ENABLE_KEYBOARD_SHORTCUTS, 1):
        return
    if key in _FLAGS:
        flag, usual = _FLAGS[key]
        flags[flag] = 0 if flags.get(flag, usual) else 1
    elif key in _LAYERS:
        controls.toggle_layer(_LAYERS[key])
    elif key in _BUTTONS:
        controls.press(_BUTTONS[key])
