"""Opening the page of an app."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from unibody.errors import NotSupportedError
from unibody.notices import tell

if TYPE_CHECKING:
    from unibody.isaac_core.window.page import Page

SWITCH = "UNIBODY_VIEWER"  # "off": no page is opened; "browser": it opens in the browser
_OFF = {"off", "0", "no", "false"}


def open_page() -> Page | None:
    """The page; None if the environment says no, or viser is missing."""
    wanted = os.environ.get(SWITCH, "").lower()
    if wanted in _OFF:
        return None
    from unibody.isaac_core.window.page import Page  # not needed where there is no page

    try:
        page = Page("Isaac core")
    except NotSupportedError as problem:
        tell(f"no page: {problem}")
        return None
    tell(f"the simulation is shown at {page.url}")
    if wanted == "browser":
        import webbrowser

        webbrowser.open(page.url)
    return page
