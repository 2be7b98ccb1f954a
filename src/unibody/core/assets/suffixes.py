"""Suffixes of files, in lower case."""

from __future__ import annotations

import os

MESH = (".obj", ".stl", ".dae", ".ply", ".gltf", ".glb", ".msh")
USD = (".usd", ".usda", ".usdc", ".usdz")


def suffix_of(file: str | os.PathLike[str]) -> str:
    """The suffix of a file with its dot, in lower case; "": it has none."""
    name = str(os.fspath(file))
    return os.path.splitext(name)[1].lower()
