"""The page inside a notebook."""

from __future__ import annotations

import html
import sys
from typing import Any

HEIGHT = 520  # pixels


def inline_html(url: str, height: int = HEIGHT) -> str:
    """A frame that shows a page in the output of a cell.

    Args:
        url: ``Viewer.inline_url``.
        height: [pixels].
    """
    address = html.escape(url, quote=True)
    return (
        f'<iframe src="{address}" width="100%" height="{int(height)}" style="border: 0" '
        'allow="fullscreen"></iframe>'
    )


def show_inline(url: str, height: int = HEIGHT) -> bool:
    """Show a page in the output of the cell that runs; False outside a notebook."""
    interactive: Any = sys.modules.get("IPython")
    if interactive is None:
        return False
    shell = interactive.get_ipython()
    if shell is None or getattr(shell, "kernel", None) is None:  # a terminal shows no frames
        return False
    frame = f"<div>{inline_html(url, height)}</div>"  # IPython warns of a frame that stands alone
    interactive.display.display(interactive.display.HTML(frame))
    return True
