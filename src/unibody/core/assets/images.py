"""Size of an image file from its header; the pixels are read by whoever draws them."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from unibody.core.assets.files import read_regular
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.errors import AssetError

Size = tuple[int, int]

_PNG = b"\x89PNG\r\n\x1a\n"
_PNM = re.compile(rb"P[56](?:\s+#[^\n]*\n)*\s+(\d+)(?:\s+#[^\n]*\n)*\s+(\d+)\s")
_TGA_TYPES = frozenset({1, 2, 3, 9, 10, 11})
_JPEG_NO_LENGTH = frozenset({0x01, *range(0xD0, 0xD8)})
_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def image_size(file: str, limits: Limits = DEFAULT_LIMITS) -> Size:
    """Width and height of a PNG, JPEG, BMP, GIF, TGA, PPM or PGM file [pixels].

    Args:
        file: Path of the file.
        limits: Bounds on its bytes and pixels.

    Raises:
        AssetError: It cannot be opened, is no such image, or exceeds a bound.
    """
    data = read_regular(file, limits.texture_bytes)
    try:
        found = _size(data, file)
    except (struct.error, IndexError):
        found = None
    if found is None or min(found) < 1:
        raise AssetError(file, "", "is not a PNG, JPEG, BMP, GIF, TGA, PPM or PGM image")
    width, height = found
    if width * height > limits.texture_pixels:
        problem = f"{width} x {height} pixels, the limit is {limits.texture_pixels} in all"
        raise AssetError(file, "", problem)
    return found


def _size(data: bytes, file: str) -> Size | None:
    for magic, reader in _READERS.items():
        if data.startswith(magic):
            return reader(data)
    # TGA has no magic number: the name has to say so too
    return _tga(data) if file.lower().endswith(".tga") else None


def _png(data: bytes) -> Size:
    return struct.unpack_from(">II", data, 16)


def _gif(data: bytes) -> Size:
    return struct.unpack_from("<HH", data, 6)


def _bmp(data: bytes) -> Size:
    if struct.unpack_from("<I", data, 14)[0] == 12:  # the header of OS/2
        return struct.unpack_from("<HH", data, 18)
    width, height = struct.unpack_from("<ii", data, 18)
    return width, abs(height)  # negative: rows from the top


def _pnm(data: bytes) -> Size | None:
    found = _PNM.match(data)
    return (int(found[1]), int(found[2])) if found else None


def _tga(data: bytes) -> Size | None:
    width, height = struct.unpack_from("<HH", data, 12)
    known = data[1] <= 1 and data[2] in _TGA_TYPES and data[16] in (8, 15, 16, 24, 32)
    return (width, height) if known else None


def _jpeg(data: bytes) -> Size | None:
    at = 2
    while at < len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:  # filling
            at += 1
        elif marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        elif marker in _JPEG_NO_LENGTH:
            at += 2
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


_READERS: dict[bytes, Callable[[bytes], Size | None]] = {
    _PNG: _png,
    b"\xff\xd8": _jpeg,
    b"BM": _bmp,
    b"GIF87a": _gif,
    b"GIF89a": _gif,
    b"P5": _pnm,
    b"P6": _pnm,
}
