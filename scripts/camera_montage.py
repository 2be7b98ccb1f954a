"""Draw docs/images/cameras.png: the scenes of the camera tests, PyBullet's picture beside ours.

Prints how far the two are apart: share of pixels with the same segmentation, share with a distance
that agrees to a centimetre, and mean difference of the colours (of 255).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pybullet
from numpy.typing import NDArray
from PIL import Image, ImageDraw

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

import unibody.bullet  # noqa: E402
from tests.bullet.camera_scenes import PICTURES, PictureOf  # noqa: E402

FILE = ROOT / "docs" / "images" / "cameras.png"
COLUMNS, TILE, LINE = 4, (200, 150), 16  # tiles side by side; pixels of one, of its caption
BACKGROUND, INK = (32, 34, 40), (235, 235, 235)


def taken(picture: PictureOf, module: Any) -> Any:
    """The picture as one of the two modules takes it."""
    client = module.connect(module.DIRECT)
    try:
        return picture.take(module)
    finally:
        module.disconnect(client)


def distances(picture: PictureOf, depth: NDArray[np.float32]) -> NDArray[np.float64]:
    """Metres from the camera."""
    near, far = picture.near, picture.far
    return far * near / (far - (far - near) * depth.astype(np.float64))


def main() -> None:
    """Take all pictures, print the table, write the image."""
    width, height = 2 * TILE[0] + 8, TILE[1] + LINE + 4
    rows = -(-len(PICTURES) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * width, rows * height), BACKGROUND)
    draw = ImageDraw.Draw(sheet)
    print("| scene | size | segmentation | distance | colour |\n|---|---|---:|---:|---:|")
    for number, (name, picture) in enumerate(PICTURES.items()):
        theirs, ours = taken(picture, pybullet), taken(picture, unibody.bullet)
        same = np.mean(theirs[4] == ours[4])
        apart = np.abs(distances(picture, theirs[3]) - distances(picture, ours[3]))
        color = np.mean(np.abs(theirs[2].astype(int) - ours[2]))
        size = f"{picture.size[0]}x{picture.size[1]}"
        print(f"| {name} | {size} | {same:.2%} | {np.mean(apart < 0.01):.2%} | {color:.3f} |")
        x, y = number % COLUMNS * width, number // COLUMNS * height
        draw.text((x + 4, y + 2), f"{name}, {size}: PyBullet | unibody", fill=INK)
        for side, image in enumerate((theirs[2], ours[2])):
            tile = Image.fromarray(np.ascontiguousarray(image[..., :3]))
            tile.thumbnail(TILE)
            sheet.paste(tile, (x + 4 + side * TILE[0], y + LINE))
    FILE.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(FILE, optimize=True)


if __name__ == "__main__":
    main()
