"""What is recorded of environments that are stepped together: the first one of each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from unibody.cli.films.base import Source, source_of
from unibody.cli.readings.base import F64, plain
from unibody.cli.readings.records import Columns
from unibody.core.batch.batch import Batch
from unibody.core.render.camera import Frames
from unibody.errors import NotSupportedError

if TYPE_CHECKING:
    from unibody.core.render.visual_shapes import VisualShape


def make(batch: Batch) -> BatchReadings:
    """Readings of a batch."""
    return BatchReadings(batch)


class BatchReadings:
    """The first world of each group of a batch; what is seen is that of its first environment.

    Raises:
        NotSupportedError: Its worlds are on another device than the CPU.
    """

    def __init__(self, batch: Batch) -> None:
        if batch.device != "cpu":
            raise NotSupportedError(f"--dataset of worlds on {batch.device!r}", "worlds on the CPU")
        self._groups = batch.groups
        self._batch = batch
        self._columns = [Columns(group.worlds.records) for group in self._groups]
        several = len(self._columns) > 1
        prefix = [f"group_{k}" if several else "" for k in range(len(self._columns))]
        pairs = list(zip(prefix, self._columns, strict=True))
        self.state: list[str] = [
            plain(first, name) for first, found in pairs for name in found.state
        ]
        self.action: list[str] = [
            plain(first, name) for first, found in pairs for name in found.action
        ]
        self._last = np.zeros(len(self.action))
        source = source_of(batch, 1)
        assert source is not None  # batches have one
        self._source: Source = source
        self._frames, _ = source.read(batch)
        self.parts: list[VisualShape] = list(source.parts)
        self._names = source.names

    def follow(self, stepped: Batch) -> None:
        """Notice worlds that were built anew."""
        self._batch = stepped
        if stepped.groups is not self._groups:
            self._groups = stepped.groups
            for columns, group in zip(self._columns, self._groups, strict=False):
                columns.find(group.worlds.records)

    def read_state(self) -> F64:
        """Coordinates and velocities."""
        pairs = zip(self._columns, self._groups, strict=False)
        return np.concatenate([c.read_state(g.worlds.qpos[0], g.worlds.qvel[0]) for c, g in pairs])

    def read_action(self) -> F64:
        """Targets of drives and efforts; the last ones, once the script has closed its worlds."""
        if all(hasattr(group, "worlds") for group in self._groups):
            pairs = zip(self._columns, self._groups, strict=False)
            self._last = np.concatenate(
                [c.read_action(g.worlds.drives[0], g.worlds.qfrc_applied[0]) for c, g in pairs]
            )
        return self._last

    def read_poses(self) -> tuple[F64, F64]:
        """Where things are that were there at the first moment; what is gone stays where it was."""
        frames, _ = self._source.read(self._batch)
        positions, quats = self._frames.positions, self._frames.quats
        if self._source.names == self._names and len(frames.positions) == len(positions):
            positions, quats = frames.positions, frames.quats
        else:
            now = {name: row for row, name in enumerate(self._source.names or ())}
            for row, name in enumerate(self._names or ()):
                if name in now:
                    positions[row] = frames.positions[now[name]]
                    quats[row] = frames.quats[now[name]]
        self._frames = Frames(positions, quats)
        return positions, quats
