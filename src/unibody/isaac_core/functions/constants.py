"""Axes by their letters."""

from __future__ import annotations

AXES_INDICES = {"X": 0, "x": 0, "Y": 1, "y": 1, "Z": 2, "z": 2}
AXES_TOKEN = {"X": "X", "x": "X", "Y": "Y", "y": "Y", "Z": "Z", "z": "Z"}
