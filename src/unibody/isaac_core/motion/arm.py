"""An arm of a file: where its links are for positions of joints, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import JointType, Pose, Quat, Vec3
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import (
    pose_inverse,
    pose_multiply,
    quat_conjugate,
    quat_multiply,
    quat_of_vector,
    rotation_vector,
)
from unibody.core.assets.urdf.reader import UrdfOptions, load_urdf
from unibody.core.assets.writers.trees import limited
from unibody.core.assets.yaml_text import read_yaml
from unibody.core.engine.kinematics.chain import Chain
from unibody.core.engine.records.options import BodyOptions
from unibody.core.engine.spec.writer import make_record
from unibody.errors import InvalidArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from unibody.core.assets.description import Asset

F64 = npt.NDArray[np.float64]
_TURNS = (JointType.REVOLUTE, JointType.CONTINUOUS)
_MOVING = (*_TURNS, JointType.PRISMATIC)
_DAMPING = 0.02
_ITERATIONS = 30
_ROUNDS = 10
_FAR = 1e10  # rad or m: stands for no limit
_EXACT = 1e-6  # m


@dataclass(frozen=True, slots=True)
class Found:
    """What inverse kinematics found.

    Attributes:
        positions: Of the active joints [rad or m].
        distance: Of the frame from its target [m].
        angle: Of its orientation from that of the target [rad].
    """

    positions: F64
    distance: float
    angle: float


class Arm:
    """A tree of links whose active joints move.

    Args:
        urdf_path: The file that describes it.
        description_path: A YAML file with the active joints, ``cspace``, their positions by
            default, ``default_q``, other names of frames, ``frames``, and positions of joints
            that stay, ``cspace_to_urdf_rules``; "": all joints are active.
    """

    def __init__(self, urdf_path: str, description_path: str = "") -> None:
        search = SearchPath((str(Path(urdf_path).parent),), confined=False)
        options = UrdfOptions(pybullet_defaults=False, shapes=False)  # kinematics need no meshes
        self.asset: Asset = load_urdf(urdf_path, search_path=search, options=options)
        said: dict[str, Any] = {}
        if description_path:
            said = dict(read_yaml(description_path))
        links = self.asset.links
        self._dofs = [n for n, link in enumerate(links) if n and link.joint.type in _MOVING]
        self.joint_names: list[str] = [links[n].joint.name for n in self._dofs]
        self.active: list[str] = [str(name) for name in said.get("cspace", self.joint_names)]
        unknown = [name for name in self.active if name not in self.joint_names]
        if unknown:
            raise InvalidArgumentError("cspace", unknown, f"joints of {urdf_path}")
        self._places = [self.joint_names.index(name) for name in self.active]
        self.frames: dict[str, int] = {link.name: number for number, link in enumerate(links)}
        self.frames |= {
            str(name): self.frames[str(own)] for name, own in said.get("frames", {}).items()
        }
        self.lower: F64
        self.upper: F64
        self.lower, self.upper = self._limits()
        self._rest = np.zeros(len(self._dofs))
        for rule in said.get("cspace_to_urdf_rules", []):
            if rule.get("rule") == "fixed" and rule["name"] in self.joint_names:
                self._rest[self.joint_names.index(rule["name"])] = float(rule["value"])
        default = said.get("default_q", np.clip(np.zeros(len(self.active)), self.lower, self.upper))
        self.default: NDArray[Any] = np.array(default, float)
        self._chain: Chain | None = None

    def _limits(self) -> tuple[F64, F64]:
        joints = [self.asset.links[self._dofs[place]].joint for place in self._places]
        return (
            np.array([joint.lower if limited(joint) else -_FAR for joint in joints]),
            np.array([joint.upper if limited(joint) else _FAR for joint in joints]),
        )

    def moving_links(self) -> list[int]:
        """Numbers of the links below the active joints, without the first, which stays in place."""
        return [self._dofs[place] for place in self._places][1:]

    def frame(self, name: str) -> int:
        """The number of a frame's link.

        Raises:
            InvalidArgumentError: There is none of the name.
        """
        if name not in self.frames:
            raise InvalidArgumentError("frame_name", name, f"one of {sorted(self.frames)[:40]}")
        return self.frames[name]

    def pose(self, link: int, positions: Sequence[float] | F64) -> Pose:
        """The pose of a link in the base, for positions of the active joints."""
        values = self._rest.copy()
        values[self._places] = positions
        at = dict(zip(self._dofs, values.tolist(), strict=True))
        path: list[int] = []
        while link > 0:
            path.insert(0, link)
            link = self.asset.links[link].parent
        pose = Pose()
        for number in path:
            joint = self.asset.links[number].joint
            pose = pose_multiply(pose, joint.origin)
            if number in at:
                pose = pose_multiply(pose, _moved(joint.type, joint.axis, at[number]))
        return pose

    def error(self, link: int, positions: F64, target: Vec3, turn: Quat | None) -> Found:
        """How far a link is from a target."""
        pose = self.pose(link, positions)
        distance = float(np.linalg.norm(np.subtract(pose.pos, target)))
        angle = 0.0
        if turn is not None:
            between = quat_multiply(turn, quat_conjugate(pose.quat))
            angle = float(np.linalg.norm(rotation_vector(between)))
        return Found(positions, distance, angle)

    def solve(self, link: int, target: Vec3, turn: Quat | None, start: Sequence[float]) -> Found:
        """Positions of the active joints, within their limits, that bring a link to a target.

        Damped least squares in rounds; after each the joints go back within their limits.

        Args:
            link: Number of the link.
            target: Where its origin should be, in the base [m].
            turn: Its orientation, None: any.
            start: Positions to begin with.
        """
        chain = self._solver()
        to_chain = pose_inverse(self.asset.links[0].inertial.pose)
        goal = pose_multiply(to_chain, Pose(target, turn or (1.0, 0.0, 0.0, 0.0)))
        best = self.error(link, np.clip(start, self.lower, self.upper), target, turn)
        values = self._rest.copy()
        values[self._places] = best.positions
        wanted = None if turn is None else (goal.quat, (1.0, 0.0, 0.0, 0.0))
        for _ in range(_ROUNDS):
            if best.distance < _EXACT and best.angle < _EXACT:
                break
            solved = chain.inverse_kinematics(
                values.tolist(), [link], [goal.pos], turn=wanted,
                damping=[_DAMPING] * len(values), iterations=_ITERATIONS, threshold=0.0,
            )  # fmt: skip
            found = np.array(solved)[self._places]
            values[self._places] = np.clip(found, self.lower, self.upper)
            now = self.error(link, values[self._places], target, turn)
            if now.distance + now.angle < best.distance + best.angle:
                best = now
        return best

    def _solver(self) -> Chain:
        if self._chain is None:
            self._chain = Chain(make_record(0, self.asset, BodyOptions(fixed=True)))
        return self._chain

    def seeds(self, count: int) -> list[F64]:
        """Positions to begin with: those by default, and between the limits."""
        low = np.maximum(self.lower, -np.pi)
        high = np.minimum(self.upper, np.pi)
        rng = np.random.default_rng(0)
        return [self.default, *rng.uniform(low, high, (count, len(low)))]


def _moved(kind: JointType, axis: Vec3, value: float) -> Pose:
    x, y, z = (part * value for part in axis)
    if kind is JointType.PRISMATIC:
        return Pose((x, y, z))
    return Pose(quat=quat_of_vector((x, y, z)))
