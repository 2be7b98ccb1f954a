"""What tests of the surface share: an empty stage, and USD."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("pxr")


@pytest.fixture(autouse=True)
def _new_stage() -> Iterator[None]:
    """Leave an empty stage to what comes next, in whatever folder."""
    yield
    from unibody.isaac_core.kit import context, timeline

    timeline.get_timeline_interface().stop()
    context.get_context().new_stage()
