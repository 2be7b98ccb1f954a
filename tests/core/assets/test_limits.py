"""The bounds on file contents."""

from __future__ import annotations

import dataclasses

import pytest

from tests.core.assets.urdf_texts import link, robot
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import parse_urdf_text
from unibody.errors import AssetError


def test_limits_cannot_be_changed_after_they_are_made() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        DEFAULT_LIMITS.links = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("limits", "text", "message"),
    [
        (Limits(file_bytes=10), robot(link("a")), "limit of 10"),
        (Limits(xml_depth=2), robot(link("a")), "nested deeper than 2"),
        (Limits(xml_elements=3), robot(link("a"), link("b")), "more than 3 elements"),
        (Limits(links=1), robot(link("a"), link("b")), "2 links, the limit is 1"),
        (Limits(name_length=3), robot(link("long")), "name of 4 characters, the limit is 3"),
        (
            Limits(shapes=1),
            robot(link("a", '<visual><geometry><sphere radius="1"/></geometry></visual>' * 2)),
            "2 <visual> elements, the limit is 1",
        ),
    ],
)
def test_a_robot_beyond_a_limit_is_refused_with_the_limit(
    limits: Limits, text: str, message: str
) -> None:
    with pytest.raises(AssetError, match=message):
        parse_urdf_text(text, search_path=SearchPath(), limits=limits)
