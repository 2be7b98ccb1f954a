"""GridCloner: copies of a prim in a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Usd

from unibody.isaac_core import convert
from unibody.isaac_core.cloners.cloner import Cloner


class GridCloner(Cloner):
    """Makes environments in rows.

    Args:
        spacing: From one to the next.
        num_per_row: How many are in a row; -1: as many as there are rows.
        stage: Where; None: the stage of the app.
    """

    def __init__(
        self, spacing: float, num_per_row: int = -1, stage: Usd.Stage | None = None
    ) -> None:
        super().__init__(stage)
        self._spacing, self._num_per_row = float(spacing), int(num_per_row)

    def get_clone_transforms(
        self, num_clones: int, position_offsets: Any = None, orientation_offsets: Any = None
    ) -> tuple[list[Any], list[Any]]:
        """Where clones are, around the origin.

        Args:
            num_clones: How many.
            position_offsets: (N, 3) that are added.
            orientation_offsets: (N, 4) w, x, y, z of the clones.

        Returns:
            Positions, and orientations w, x, y, z.
        """
        width = self._num_per_row if self._num_per_row > 0 else int(np.sqrt(num_clones))
        count = int(np.ceil(num_clones / width))
        columns = int(np.ceil(num_clones / count))
        numbers = np.arange(num_clones)
        lines, places = numbers // columns, numbers % columns
        x = 0.5 * self._spacing * (count - 1) - lines * self._spacing
        y = places * self._spacing - 0.5 * self._spacing * (columns - 1)
        positions = np.stack([x, y, np.zeros(num_clones)], axis=-1)
        if position_offsets is not None:
            positions = positions + convert.plain(position_offsets)
        turns = np.tile([1.0, 0.0, 0.0, 0.0], (num_clones, 1))
        if orientation_offsets is not None:
            given = np.asarray(convert.plain(orientation_offsets)).reshape(num_clones, 4)
            turns = np.array([convert.quat_wxyz(_unit(one)) for one in given])
        return positions.tolist(), turns.tolist()

    def clone(  # type: ignore[override]
        self,
        source_prim_path: str,
        prim_paths: list[str],
        position_offsets: Any = None,
        orientation_offsets: Any = None,
        replicate_physics: bool = False,
        base_env_path: str | None = None,
        root_path: str | None = None,
        copy_from_source: bool = False,
        enable_env_ids: bool = False,
        clone_in_fabric: bool = False,
    ) -> list[Any]:
        """Make clones of a prim in a grid; the arguments are those of `Cloner.clone`.

        Returns:
            Their positions.
        """
        positions, orientations = self.get_clone_transforms(
            len(prim_paths), position_offsets, orientation_offsets
        )
        Cloner.clone(
            self, source_prim_path, prim_paths, np.array(positions), np.array(orientations),
            replicate_physics, base_env_path, root_path, copy_from_source,
            enable_env_ids=enable_env_ids, clone_in_fabric=clone_in_fabric,
        )  # fmt: skip
        return positions


def _unit(quat_wxyz: np.ndarray) -> Gf.Quatd:
    return convert.gf_quat(quat_wxyz)
