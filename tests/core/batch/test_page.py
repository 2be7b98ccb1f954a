"""The page about batches."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from unibody.core.batch.fields import FIELDS

PAGE = Path(__file__).parents[3] / "docs" / "batch.md"


def test_the_example_of_the_page_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    scope: dict[str, object] = {}
    exec(compile(code, str(PAGE), "exec"), scope)
    assert capsys.readouterr().out == "['cart_to_pole'] (64, 1)\n"
    positions = scope["poles"].read("positions")[:, 0]  # pyright: ignore[reportAttributeAccessIssue]
    # 0.01 s at rest: they tip by less than 1e-3 rad.
    assert np.allclose(positions[[0, 5]], 0.2, atol=5e-3)
    assert np.allclose(np.delete(positions, [0, 5]), 0.1, atol=5e-3)


def test_the_page_names_every_quantity():
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", text))
    assert {name for fields in FIELDS.values() for name in fields} <= named
