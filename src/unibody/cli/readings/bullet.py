"""What is recorded of a client of PyBullet's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from unibody.bullet.clients.client import Client
from unibody.cli.readings.base import F64
from unibody.cli.readings.records import Columns
from unibody.core.engine.records.rule_table import DRIVE_SIZE, N_DRIVES
from unibody.core.engine.world.pose_reader import PoseReader


def make(client: Client) -> BulletReadings:
    """Readings of a client."""
    return BulletReadings(client)


class BulletReadings:
    """The bodies of a client, as they are at the first moment."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._columns = Columns(client.scene.bodies)
        self.state: list[str] = self._columns.state
        self.action: list[str] = self._columns.action
        self._poses = PoseReader(client.scene.world)
        self._seen = (-1, -1)
        self._shown: Any = None
        self._positions, self._quats = np.zeros((0, 3)), np.zeros((0, 4))
        self._look()
        self.parts: list[Any] = [replace(part, wireframe=False) for part in self._shown.parts]
        self._owners = sorted(self._shown.row_of, key=self._shown.row_of.__getitem__)
        self._positions = np.zeros((len(self._owners), 3))
        self._quats = np.tile((1.0, 0.0, 0.0, 0.0), (len(self._owners), 1))

    def follow(self, stepped: Client) -> None:
        """Notice bodies that moved in the model."""
        self._client = stepped
        self._look()

    def _look(self) -> None:
        from unibody.bullet.window.scene import shown_bodies

        world = self._client.scene.world
        if self._poses.world is not world:
            self._poses = PoseReader(world)
        now = (world.generation, len(self._client.bodies))
        if now != self._seen:
            self._seen = now
            self._columns.find(self._client.scene.bodies)
            self._shown = shown_bodies(self._client, world.model.nbody)

    def read_state(self) -> F64:
        """Coordinates and velocities."""
        data = self._client.scene.world.data
        return self._columns.read_state(data.qpos, data.qvel)

    def read_action(self) -> F64:
        """Targets of motors and efforts."""
        world = self._client.scene.world
        count = int(world.model.numeric_data[N_DRIVES])
        drives = world.data.userdata[: count * DRIVE_SIZE].reshape(-1, DRIVE_SIZE)
        return self._columns.read_action(drives, world.data.qfrc_applied)

    def read_poses(self) -> tuple[F64, F64]:
        """Where links are; those of bodies that are gone stay where they were."""
        _, positions, quats = self._poses.poses()
        positions, quats = self._shown.places.all(positions, quats)
        for place, owner in enumerate(self._owners):
            frame = self._shown.row_of.get(owner)
            if frame is not None:
                row = self._shown.rows[frame]
                self._positions[place], self._quats[place] = positions[row], quats[row]
        return self._positions, self._quats
