"""Names that PyBullet gives to joints of MJCF files that have none.

It numbers them with one counter for the life of the process, so that a file has other names each
time it is loaded. Here a file is read once, and its joints are named when its bodies are used.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping

from unibody.core.assets.description import Asset

Numbering = dict[int, tuple[str, int, str]]
"""By link: what stands before the number in the name of its joint, the number, and what after."""


@dataclasses.dataclass(frozen=True, slots=True)
class NumberedAssets:
    """The bodies of a file, some joints of which have yet to be named.

    Attributes:
        assets: The bodies.
        joints: For each body the joints with such names.
        count: How many numbers the file takes.
    """

    assets: tuple[Asset, ...]
    joints: tuple[Numbering, ...]
    count: int

    def named(self) -> list[Asset]:
        """The bodies with names that no joint has had yet."""
        return [
            with_joint_names(asset, names)
            for asset, names in zip(self.assets, self.new_names(), strict=True)
        ]

    def new_names(self) -> list[dict[int, str]]:
        """For each body names that no joint has had yet, by link."""
        first = take_numbers(self.count)
        return [
            {link: f"{before}{first + n}{after}" for link, (before, n, after) in joints.items()}
            for joints in self.joints
        ]


def with_joint_names(asset: Asset, names: Mapping[int, str]) -> Asset:
    """A copy with other names of joints, by link."""
    links = list(asset.links)
    for link, name in names.items():
        joint = dataclasses.replace(links[link].joint, name=name)
        links[link] = dataclasses.replace(links[link], joint=joint)
    return dataclasses.replace(asset, links=links)


_numbers = itertools.count()


def take_numbers(count: int) -> int:
    """Use up numbers of the process; returns the first of them."""
    taken = [*itertools.islice(_numbers, count)]
    return taken[0] if taken else 0
