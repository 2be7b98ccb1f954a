"""YAML of strangers: what aliases stand for is bounded, and errors name file and line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from unibody.core.assets.limits import Limits
from unibody.core.assets.yaml_text import compose_yaml, read_yaml
from unibody.errors import AssetError


def _written(folder: Path, text: str) -> Path:
    file = folder / "config.yaml"
    file.write_text(text)
    return file


# Each level repeats the one before ten times: 10 ** 12 values in 600 bytes.
_ALIASES = "a0: &a0 [1]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 13)
)
_MERGES = "a0: &a0 {k: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}\n" for n in range(1, 13)
)


@pytest.mark.parametrize("text", [_ALIASES, _MERGES])
def test_aliases_that_stand_for_billions_of_values_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(AssetError, match=r"config\.yaml: line \d+: more than 1000000 values"):
        read_yaml(_written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 65 + "]" * 65, "line 1: nested deeper than 64"),
        ("[" * 100_000, "line 1: nested deeper than 64"),
        ("a: &a\n  b: *a", r"line 2: \*a stands inside of itself"),
        ("a: *b", r"line 1: there is no &b before \*b"),
        ("x: 1\na: !!python/object:os.system 1", "line 2: the tag .*os.system' is not known"),
        ("a: " + "9" * 401, "line 1: a number of 401 characters"),
        ("a: 2020-13-45", "line 1: '2020-13-45' is not a timestamp: month must be in 1..12"),
        ("a: !!int no", "line 1: 'no' is not a int"),
        ("? [1]\n: 2", "line 1: a list or a mapping cannot be a key"),
        ("a: [1", "line 2: this is not YAML: did not find expected"),
        ("a: \x07", "this is not YAML: unacceptable character"),
        ("<<: 3", "line 1: this is not YAML: expected a mapping"),
    ],
)
def test_what_cannot_be_read_is_refused_with_file_and_line(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(AssetError, match=rf"config\.yaml: {message}"):
        read_yaml(_written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("a: &a {x: 1, y: [2.5, ~]}\nb: *a", {k: {"x": 1, "y": [2.5, None]} for k in "ab"}),
        ("a: &a {x: 1}\nb: {<<: *a, y: 2}", {"a": {"x": 1}, "b": {"x": 1, "y": 2}}),
        ("- &n 3\n- *n", [3, 3]),
        ("[" * 64 + "]" * 64, None),
    ],
)
def test_aliases_and_merge_keys_give_what_they_stand_for(
    tmp_path: Path, text: str, value: Any
) -> None:
    found = read_yaml(_written(tmp_path, text))
    if value is None and text:
        value = []
        for _ in range(63):
            value = [value]
    assert found == value


def test_a_chain_of_aliases_is_as_deep_as_what_it_stands_for(tmp_path: Path) -> None:
    text = "- &a0 [1]\n" + "".join(f"- &a{n} [*a{n - 1}]\n" for n in range(1, 5000))
    with pytest.raises(AssetError, match="nested deeper than 64"):
        compose_yaml(_written(tmp_path, text))


def test_a_file_above_the_limit_of_bytes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="4 bytes, larger than the limit of 3 bytes"):
        read_yaml(_written(tmp_path, "a: 1"), Limits(file_bytes=3))
