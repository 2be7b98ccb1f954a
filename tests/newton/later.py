"""Runs a piece of a script in the 1.x dialect, which a process chooses once."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import Any

_START = """
import json, warnings
import numpy as np
import warp as wp
wp.config.quiet = True
from unibody.newton import later_api
later_api.use("1")
from unibody import newton
"""


def found_later(text: str) -> Any:
    """What a script that speaks 1.x puts in its variable ``found``."""
    script = _START + textwrap.dedent(text) + "\nprint('found', json.dumps(found))\n"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    last = [line for line in done.stdout.splitlines() if line.startswith("found ")][-1]
    return json.loads(last.partition(" ")[2])
