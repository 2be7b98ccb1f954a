"""Write data/reference.npz: the scenes of `reference_scenes` on the original.

pip install pybullet-fleet==0.8.0      (in an environment of its own: it wants numpy < 2)
python tests/fleet/make_reference.py
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import reference_scenes as scenes

MODULE = "pybullet_fleet"


def main() -> None:
    """Run all scenes and write the file."""
    arrays = {
        f"{kind}_{number}": np.array(scenes.follow(MODULE, kind, number), dtype=np.float32)
        for kind in scenes.KINDS
        for number in range(scenes.PATHS)
    }
    for kind in scenes.TURNING:
        arrays[f"turn_{kind}"] = np.array(scenes.turn_about(MODULE, kind), dtype=np.float32)
    for name, poses in scenes.carry(MODULE).items():
        arrays[f"carry_{name}"] = np.array(poses, dtype=np.float32)
    for number, margin in enumerate(scenes.CROWD_MARGINS):
        pairs, _ = scenes.crowd(MODULE, margin)
        arrays[f"crowd_{number}"] = np.array(pairs, dtype=np.int16)
    target = Path(__file__).resolve().parent / "data" / "reference.npz"
    target.parent.mkdir(exist_ok=True)
    np.savez_compressed(target, **arrays)


if __name__ == "__main__":
    main()
