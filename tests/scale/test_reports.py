"""What the last lines of a script say."""

from __future__ import annotations

import math
from typing import Any

import pytest

from unibody.scale.reports import last_line, reported, value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("steps\nheight=0.5\n", {"height": 0.5}),
        ("noise=1\nloaded\nheight=0.5 steps=3\nname=kuka ok=True\n\n",
         {"height": 0.5, "steps": 3, "name": "kuka", "ok": True}),
        ('a=1\n{"b": [1, 2], "c": null}\n', {"b": [1, 2], "c": None}),
        ("a=1\n(0.0, 0.0, 0.5)\n", {}),
        ("the height = 0.5\n", {}),
        ("{not json}\n", {}),
        ("", {}),
    ],
)  # fmt: skip
def test_words_with_an_equals_sign_or_json_at_the_end_are_reported(
    text: str, expected: dict[str, Any]
) -> None:
    assert reported(text) == expected


def test_values_are_numbers_where_they_can_be() -> None:
    assert [value(text) for text in ("3", "-0.1", "1e3", "1_0", "info", "false", "3a", "")] == [
        3, -0.1, 1000.0, "1_0", "info", False, "3a", "",
    ]  # fmt: skip
    assert math.isnan(float(value("nan"))) and value("-inf") == -math.inf


def test_the_last_line_that_is_not_empty_is_kept() -> None:
    assert (last_line("a\n b \n\n"), last_line("\n")) == ("b", "")
