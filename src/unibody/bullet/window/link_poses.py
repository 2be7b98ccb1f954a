"""Where the links of a client are, those of bodies that are not in its running world yet, too.

A script that loads bodies and then waits has no world that is up to date, and nothing but the
script's own thread may make one. Until then bodies that are new stand as they were loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.link_order import parents_first
from unibody.core.assets.transforms import pose_multiply

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client
    from unibody.core.assets.description import Pose
    from unibody.core.engine.records.body import BodyRecord

F64 = NDArray[np.float64]


@dataclass(slots=True)
class Places:
    """Rows of all links in the poses of the running world, followed by those of new bodies.

    Attributes:
        count: How many poses the running world has.
        rows: Row of each link, base first, by body id.
        positions: Of the links of new bodies, (n, 3) [m].
        quats: Their orientations wxyz, (n, 4).
    """

    count: int = 0
    rows: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    positions: F64 = field(default_factory=lambda: np.zeros((0, 3)))
    quats: F64 = field(default_factory=lambda: np.zeros((0, 4)))

    def all(self, positions: F64, quats: F64) -> tuple[F64, F64]:
        """The poses of the running world and those of new bodies."""
        if not len(self.positions):
            return positions, quats
        return np.concatenate([positions, self.positions]), np.concatenate([quats, self.quats])


def places_of(client: Client, count: int) -> Places:
    """Where to find the links of all bodies.

    Args:
        client: Whose bodies.
        count: How many poses its running world has; 0 without one.
    """
    rows: dict[int, list[int]] = {}
    new: list[Pose] = []
    for body_id, body in list(client.bodies.items()):
        record = body.record
        found = [state.body for state in record.links]
        if min(found) < 0 or max(found) >= count:
            found = list(range(count + len(new), count + len(new) + len(found)))
            new += _as_loaded(record)
        rows[body_id] = found
    positions = np.array([pose.pos for pose in new], dtype=np.float64).reshape(-1, 3)
    quats = np.array([pose.quat for pose in new], dtype=np.float64).reshape(-1, 4)
    return Places(count, rows, positions, quats)


def _as_loaded(record: BodyRecord) -> list[Pose]:
    """T_world_link of all links with every joint at zero."""
    links = record.asset.links
    poses = [record.home] * len(links)
    for index in parents_first(links)[1:]:
        link = links[index]
        poses[index] = pose_multiply(poses[link.parent], link.joint.origin)
    return poses
