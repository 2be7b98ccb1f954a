"""Opening the page of a viewer."""

from __future__ import annotations

import os

from unibody.errors import NotSupportedError
from unibody.isaacgym.cameras.viewer import GymViewer
from unibody.notices import tell

SWITCH = "UNIBODY_VIEWER"  # "off": no page is opened; "browser": it opens in the browser
_OFF = {"off", "0", "no", "false"}


def open_page(viewer: GymViewer) -> None:
    """Show a viewer in the browser, unless the environment says no or viser is missing."""
    wanted = os.environ.get(SWITCH, "").lower()
    if wanted in _OFF:
        return
    from unibody.isaacgym.window.page import Page  # not needed where there is no page

    try:
        page = Page(viewer)
    except NotSupportedError as problem:
        tell(f"no page: {problem}")
        return
    viewer.page = page
    tell(f"viewer: {page.url}")
    if wanted == "browser":
        import webbrowser

        webbrowser.open(page.url)
