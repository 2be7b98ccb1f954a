"""Reading values out of SDF elements."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from typing import Any

from unibody.core.assets.xml import read_xml
from unibody.errors import AssetError
from unibody.fleet.foundation.private_files import private_folder, write_whole

_SHADERS = ("phong", "lambert", "blinn")


def text_of(element: Any) -> str | None:
    """The text of an element without the blanks around it; None without one."""
    if element is None or not element.text or not element.text.strip():
        return None
    return element.text.strip()


def numbers(text: str) -> list[float]:
    """The numbers of a text."""
    return [float(word) for word in text.split()]


def pose_numbers(element: Any) -> list[float]:
    """The six numbers of an element's ``<pose>``; zeros for what is missing."""
    stated = numbers(text_of(element.find("pose")) or "") if element is not None else []
    return (stated + [0.0] * 6)[:6]


def mesh_scale(mesh: Any, default: list[float] | None = None) -> list[float]:
    """The scale of a mesh."""
    stated = numbers(text_of(mesh.find("scale")) or "")
    return stated[:3] if len(stated) >= 3 else list(default or [1.0, 1.0, 1.0])


def model_file(uri: str, folder: str, model: str, fuel: Callable[[str], str | None]) -> str:
    """The file an address in a model means.

    Args:
        uri: The address.
        folder: Of the model.
        model: Its name.
        fuel: Where a Fuel address leads; None for others.
    """
    cached = fuel(uri)
    if cached is not None:
        return cached
    if not uri.startswith("model://"):
        return os.path.join(folder, uri)
    first, _, rest = uri.removeprefix("model://").partition("/")
    if rest and first.lower() == model.lower():
        return os.path.join(folder, rest)
    return os.path.join(os.path.dirname(folder), first, rest)


def material_color(visual: Any) -> str | None:
    """Red, green, blue and opacity of a visual as a text; None if it states none."""
    color = None
    material = visual.find("material")
    for tag in ("diffuse", "ambient", "emissive"):
        parts = (text_of(None if material is None else material.find(tag)) or "").split()
        if len(parts) >= 3:
            color = [*parts[:3], parts[3] if len(parts) > 3 else "1"]
            break
    stated = text_of(visual.find("transparency"))
    with contextlib.suppress(ValueError, TypeError):
        transparency = float(stated)  # type: ignore[arg-type]
        if transparency > 0.0:
            color = [*(color or ["1", "1", "1"])[:3], str(1.0 - transparency)]
    return None if color is None else " ".join(color)


def collada_color(path: str) -> str | None:
    """The first diffuse colour of a Collada file as a text; None if it states none."""
    try:
        root = read_xml(path, root="COLLADA")
    except (OSError, AssetError):
        return None
    for technique in root.iter("technique"):
        for shader in _SHADERS:
            parts = (text_of(technique.find(f"{shader}/diffuse/color")) or "").split()
            if len(parts) >= 3:
                return " ".join([*parts[:3], parts[3] if len(parts) > 3 else "1"])
    return None


def without_materials(path: str) -> str:
    """A copy of an .obj file that names no material; other files stay as they are."""
    if not path.lower().endswith(".obj"):
        return path
    stamp = f"{path};{os.path.getmtime(path)}"
    key = hashlib.sha256(stamp.encode()).hexdigest()[:16]
    copy = os.path.join(private_folder(), f"{os.path.basename(path)[:-4]}_{key}.obj")
    if not os.path.isfile(copy):
        with open(path, encoding="utf-8", errors="replace") as source:
            lines = [line for line in source if not _names_material(line)]
        write_whole(copy, lines)
    return copy


def _names_material(line: str) -> bool:
    return line.lstrip().startswith(("mtllib", "usemtl"))
