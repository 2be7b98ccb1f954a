"""What tests of the surface share: an empty stage, and USD."""

from __future__ import annotations

import pytest

pytest.importorskip("pxr")


@pytest.fixture(autouse=True)
def _new_stage() -> None:
    from unibody.isaac_core.kit import context, timeline

    timeline.get_timeline_interface().stop()
    context.get_context().new_stage()
