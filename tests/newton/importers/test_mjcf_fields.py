"""Height fields of MJCF files that are not what they state."""

from __future__ import annotations

import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest

from unibody import newton
from unibody.errors import AssetError


def _picture(width: int, height: int, rows: bytes) -> bytes:
    """A grey PNG file."""
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    ]
    found = b"\x89PNG\r\n\x1a\n"
    for kind, data in parts:
        found += struct.pack(">I", len(data)) + kind + data
        found += struct.pack(">I", zlib.crc32(kind + data))
    return found


def _add(folder: Path, stated: str) -> newton.ModelBuilder:
    file = folder / "ground.xml"
    file.write_text(
        f'<mujoco><asset><hfield name="h" {stated}/></asset>'
        '<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>'
    )
    builder = newton.ModelBuilder()
    builder.add_mjcf(str(file))
    return builder


def test_the_first_row_of_a_picture_has_the_largest_y(tmp_path: Path) -> None:
    (tmp_path / "h.png").write_bytes(_picture(2, 3, b"\0\xff\xff" + b"\0\0\0" * 2))
    field = _add(tmp_path, 'file="h.png" size="1 1 1 0"').shape_source[0]
    np.testing.assert_array_equal(field.data, [[0, 0], [0, 0], [1, 1]])


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (_picture(4097, 4096, b""), "4097 x 4096 pixels, at most 16777216 in all"),
        (_picture(60000, 60000, b""), "not a readable picture"),
        (_picture(4, 4, b"\0"), "not a readable picture"),
        (b"no picture", "not a readable picture"),
        (_picture(1, 1, b"\0\0"), "nrow, ncol"),
    ],
)
def test_a_picture_that_cannot_be_a_height_field_is_refused(
    tmp_path: Path, data: bytes, problem: str
) -> None:
    (tmp_path / "h.png").write_bytes(data)
    with pytest.raises(AssetError, match=rf"h\.png.*{problem}"):
        _add(tmp_path, 'file="h.png" size="1 1 1 0"')


@pytest.mark.parametrize(
    ("sizes", "elevations", "problem"),
    [
        ((-2, -2), (1.0,) * 4, "24 bytes, which are not two sizes"),
        ((2, 2), (1.0,) * 3, "20 bytes, which are not two sizes"),
        ((2, 2), (1.0, 2.0, float("nan"), 4.0), "not finite"),
    ],
)
def test_a_binary_file_that_is_no_height_field_is_refused(
    tmp_path: Path, sizes: tuple[int, ...], elevations: tuple[float, ...], problem: str
) -> None:
    (tmp_path / "h.bin").write_bytes(struct.pack(f"<2i{len(elevations)}f", *sizes, *elevations))
    with pytest.raises(AssetError, match=rf"h\.bin.*{problem}"):
        _add(tmp_path, 'file="h.bin" size="1 1 1 0"')


@pytest.mark.parametrize(
    ("stated", "problem"),
    [
        ('nrow="2" ncol="2" elevation="0 1 high 3"', "elevation: could not convert"),
        ('nrow="-2" ncol="-2"', "nrow=-2, ncol=-2"),
        ('nrow="-2" ncol="-2" elevation="0 1 2 3"', "nrow=-2, ncol=-2"),
        ('nrow="100000" ncol="100000"', "nrow=100000, ncol=100000"),
        ('nrow="two" ncol="2"', "nrow, ncol: invalid literal"),
        ('nrow="2" ncol="2" size="1 1 wide 0"', "size: could not convert"),
    ],
)
def test_a_height_field_is_refused_by_the_names_of_its_file_and_its_own(
    tmp_path: Path, stated: str, problem: str
) -> None:
    with pytest.raises(AssetError, match=rf"ground\.xml: hfield 'h'.*{re.escape(problem)}"):
        _add(tmp_path, stated)
