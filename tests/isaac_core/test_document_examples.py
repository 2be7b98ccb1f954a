"""The script that runs the examples of a document counts what runs and what gives its output."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.process import run_python

SCRIPT = Path(__file__).parents[2] / "scripts" / "isaac_core_examples.py"
DOCUMENT = """
class Thing(name: str)

A thing.

>>> # given the stage: /World/Cube.
>>> prims_utils.is_prim_path_valid("/World/Cube")
True
>>> numbers = [
...     1.0,
>>>     2.00001,
... ]
>>> numbers
[1.0, 2.0]
>>> prims_utils.get_prim_at_path("/World/Cube").GetName()
Sphere
method(name: str) None

>>> nothing_of_the_name
>>> object()
<elsewhere.object object at 0x12>
>>> type("Thing", (), {"__module__": "here"})()
<elsewhere.Thing object at 0x...>
"""


@pytest.mark.thorough
def test_examples_are_run_in_one_room_and_counted_with_their_outputs(tmp_path: Path) -> None:
    (tmp_path / "document.txt").write_text(DOCUMENT, encoding="utf-8")
    result = run_python([str(SCRIPT), "document.txt", "--verbose"], cwd=tmp_path, timeout=300)
    assert result.returncode == 0, result.stderr
    said = result.stdout.splitlines()
    assert said[-1] == "7 examples, 6 run; 5 of these have an output, 3 give it"
    assert "    NameError: name 'nothing_of_the_name' is not defined" in said
