"""Tests open no windows but those they ask for."""

from __future__ import annotations

import os

os.environ.setdefault("UNIBODY_VIEWER", "off")
