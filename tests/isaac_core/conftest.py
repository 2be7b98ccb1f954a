"""What tests of the surface share: an empty stage, and USD."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("pxr")


@pytest.fixture(autouse=True)
def _new_stage() -> Iterator[None]:
    """Begin with an empty stage, and leave one to what comes next, in whatever folder."""
    from unibody.isaac_core.kit import context, timeline

    context.get_context().new_stage()
    yield
    timeline.get_timeline_interface().stop()
    context.get_context().new_stage()
