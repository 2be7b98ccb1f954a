"""Upper bounds on what a file may contain, so that a hostile or broken file fails early."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds that every reader of ``core.assets`` respects.

    Exceeding one of them raises ``AssetError`` with the bound and the value found.

    Attributes:
        file_bytes: Largest text file (URDF, SDF, MJCF, YAML) that is read [bytes].
        xml_depth: Deepest nesting of elements; the reader PyBullet uses stops at 100 too.
        xml_elements: Most elements in one document.
        yaml_depth: Deepest nesting of lists and mappings, aliases written out.
        yaml_values: Most values in one YAML file, aliases written out.
        links: Most links of one model.
        shapes: Most visual or collision shapes of one link.
        name_length: Longest name of a link, joint, material or model [characters].
        mesh_bytes: Largest mesh file that is read [bytes].
        mesh_vertices: Most vertices of one mesh.
        mesh_faces: Most triangles of one mesh.
        heights: Most heights of one height field.
        texture_bytes: Largest image file that is read [bytes].
        texture_pixels: Most pixels of one image.
    """

    file_bytes: int = 32 * 1024 * 1024
    xml_depth: int = 100
    xml_elements: int = 500_000
    yaml_depth: int = 64
    yaml_values: int = 1_000_000
    links: int = 20_000
    shapes: int = 20_000
    name_length: int = 1024
    mesh_bytes: int = 512 * 1024 * 1024
    mesh_vertices: int = 10_000_000
    mesh_faces: int = 20_000_000
    heights: int = 2048 * 2048
    texture_bytes: int = 256 * 1024 * 1024
    texture_pixels: int = 16_384 * 16_384


DEFAULT_LIMITS = Limits()
