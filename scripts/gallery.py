"""Draw the pictures of docs/gallery.md: python scripts/gallery.py [FILE ...].

Each is what its command writes, as WebP in docs/images/gallery. Nothing but the command of the
project is run; no display and no GPU are needed.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import av
from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "images" / "gallery"
LARGEST = 150_000  # bytes of a file
_WIDTH, _FILM_WIDTH = 960, 400  # pixels
_QUALITY, _FILM_QUALITY = 82, 45
_EVERY = 8  # frames of a film
_SHOWN = 133  # ms that a frame of it is shown

PICTURES: dict[str, str] = {
    "kuka_moving.mp4": "run --max-steps 960 --record {} examples/bullet/kuka_table.py",
    "kuka.png": "run examples/gallery/kuka.py {}",
    "cloth.png": "run examples/gallery/cloth.py {}",
    "ants.png": "run examples/gallery/ants.py {}",
    "franka.png": "run examples/gallery/franka.py {}",
    "cartpoles.png": "run examples/gallery/cartpoles.py {}",
    "newton_cloth.png": "run examples/gallery/newton_cloth.py {}",
    "newton_rope.png": "run --newton-api 1 examples/gallery/newton_rope.py {}",
    "warehouse.png": "fleet run warehouse --duration 20 --look 12 -14 13 28 14 0 --picture {}",
    "hospital.png": "fleet run hospital --duration 20 --look 24 -8 11 20 6 0 --picture {}",
    "work_cell.png": "fleet run work_cell --duration 20 --look 0.9 -1.9 1.3 -1 0.9 0 --picture {}",
    "crowd.png": "fleet run crowd --duration 2 --look -6 -9 2.6 5 8 0 --picture {}",
    "tasks.png": "run examples/gallery/tasks.py {}",
}
"""Arguments of `unibody` by the file that they write, whose name stands where the braces are."""


def draw(name: str) -> int:
    """Draw one picture; its size [bytes]."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = (FOLDER / name).with_suffix(".webp")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        words = [str(file) if word == "{}" else word for word in PICTURES[name].split()]
        subprocess.run([sys.executable, "-m", "unibody", *words], cwd=ROOT, check=True)
        if file.suffix == ".mp4":
            first, *others = _frames(file)
            moving = {"save_all": True, "append_images": others, "duration": _SHOWN, "loop": 0}
            first.save(found, quality=_FILM_QUALITY, method=6, **moving)
        else:
            picture = Image.open(file).convert("RGB")
            picture.thumbnail((_WIDTH, _WIDTH))
            picture.save(found, quality=_QUALITY, method=6)
    return found.stat().st_size


def _frames(film: Path) -> list[Image.Image]:
    """Some frames of a film, small."""
    with av.open(film) as found:
        shown = enumerate(found.decode(video=0))
        taken = [frame.to_image() for number, frame in shown if number % _EVERY == 0]
    for image in taken:
        image.thumbnail((_FILM_WIDTH, _FILM_WIDTH))
    return taken


def main(names: Sequence[str]) -> int:
    """Draw those that are named, or all; 1 if one is larger than a page should load."""
    worst = 0
    for name in names or PICTURES:
        size = draw(name)
        worst |= size > LARGEST
        print(f"{name}: {size / 1000:.0f} kB")
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
