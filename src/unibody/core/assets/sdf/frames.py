"""The frames of SDFormat: where things stand that may be placed relative to one another."""

from __future__ import annotations

from dataclasses import dataclass

from unibody.core.assets.description import Pose
from unibody.core.assets.sdf.link import read_pose
from unibody.core.assets.transforms import pose_multiply
from unibody.core.assets.urdf.node import Node

ROOT = "__root__"  # the frame everything in a scope is finally placed in


@dataclass(frozen=True, slots=True)
class _Frame:
    """A pose relative to another frame of the same scope."""

    pose: Pose
    parent: str
    node: Node


class Frames:
    """Named frames of one model or world."""

    def __init__(self, *roots: str) -> None:
        self.frames: dict[str, _Frame] = {}
        self.solved: dict[str, Pose] = {name: Pose() for name in (ROOT, *roots)}

    def add(self, name: str, node: Node, default: str = ROOT) -> None:
        """Enters the frame of an element with a ``<pose>``.

        Args:
            name: Name of the frame in the scope.
            node: The element.
            default: What the pose is relative to where it does not say so.

        Raises:
            AssetError: The name is taken.
        """
        pose = node.child("pose")
        relative = "" if pose is None else pose.get("relative_to") or pose.get("frame") or ""
        self.place(name, read_pose(node), relative or default, node)

    def place(self, name: str, pose: Pose, parent: str, node: Node) -> None:
        """Enters a frame by its pose in another one."""
        if name in self.frames or name in self.solved:
            raise node.error(f"the name {name!r} is used twice")
        self.frames[name] = _Frame(pose, parent, node)

    def pose(self, name: str, node: Node) -> Pose:
        """Pose of a frame in the root of the scope.

        Args:
            name: Name of the frame.
            node: The element that refers to it, for messages.

        Raises:
            AssetError: There is no such frame, or it is placed relative to itself.
        """
        chain: list[str] = []
        while name not in self.solved:
            frame = self.frames.get(name)
            if frame is None:
                raise node.error(f"frame {name!r} does not exist")
            if name in chain:
                raise node.error(f"frame {name!r} is placed relative to itself")
            chain.append(name)
            name, node = frame.parent, frame.node
        for inner in reversed(chain):
            frame = self.frames[inner]
            self.solved[inner] = pose_multiply(self.solved[frame.parent], frame.pose)
        return self.solved[chain[0]] if chain else self.solved[name]
