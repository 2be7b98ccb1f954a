"""Meshes of a stage as files, for shapes that are stated by a file."""

from __future__ import annotations

import hashlib
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.mesh.types import TriMesh

_Color = tuple[float, float, float, float]
_kept: list[Any] = []


@cache
def _folder() -> Path:
    """A folder of this process; it goes when the process ends."""
    made = tempfile.TemporaryDirectory(prefix="unibody_usd_")
    _kept.append(made)
    return Path(made.name)


def write_mesh(mesh: TriMesh, color: _Color, texture: str, brightness: float) -> str:
    """Write a mesh as an .obj file, once for equal contents.

    Args:
        mesh: The triangles; with texture coordinates if the texture is to be seen.
        color: Red, green, blue, opacity.
        texture: Absolute path of an image, "" for none.
        brightness: Factor on the image.

    Returns:
        The path of the file.
    """
    image = _brightened(texture, brightness) if texture and mesh.uv is not None else ""
    digest = hashlib.sha256(f"{mesh.key}{color}{image}".encode()).hexdigest()[:32]
    path = _folder() / f"{digest}.obj"
    if path.is_file():
        return str(path)
    lines = [f"mtllib {digest}.mtl", "usemtl surface"]
    lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in mesh.vertices.tolist()]
    if mesh.uv is None:
        lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.faces.tolist()]
    else:
        lines += [f"vt {u:.9g} {v:.9g}" for u, v in mesh.uv.tolist()]
        lines += [
            f"f {a + 1}/{a + 1} {b + 1}/{b + 1} {c + 1}/{c + 1}" for a, b, c in mesh.faces.tolist()
        ]
    red, green, blue, opacity = color
    material = ["newmtl surface", f"Kd {red:.6g} {green:.6g} {blue:.6g}", f"d {opacity:.6g}"]
    if image:
        material.append(f"map_Kd {image}")
    path.with_suffix(".mtl").write_text("\n".join(material) + "\n")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


@cache
def _brightened(texture: str, brightness: float) -> str:
    """A copy of an image in the folder, brighter or darker; its name. "": it cannot be read."""
    image: Any = import_module("PIL.Image")
    enhance: Any = import_module("PIL.ImageEnhance")
    name = hashlib.sha256(f"{texture}{brightness}".encode()).hexdigest()[:32] + ".png"
    try:
        with image.open(texture) as source:
            if source.width * source.height > DEFAULT_LIMITS.texture_pixels:
                return ""
            whole = source.convert("RGBA")
    except (OSError, ValueError, SyntaxError):  # what PIL raises for damaged images
        return ""
    alpha = whole.getchannel("A")
    colors = enhance.Brightness(whole.convert("RGB")).enhance(brightness)
    colors.putalpha(alpha)
    colors.save(_folder() / name)
    return name
