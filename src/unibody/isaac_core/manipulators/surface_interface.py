"""What holds and lets go of bodies for the prims of surface grippers."""

from __future__ import annotations

import enum
import importlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pxr import Gf, Usd

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core import handles
from unibody.isaac_core.convert import gf_rotation
from unibody.isaac_core.simulation.manager import IsaacEvents, simulation

_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_NEAR = 0.01  # in the unit of length: of grippers that state no distance
_LIMITS = ("isaac:coaxialForceLimit", "isaac:shearForceLimit")


class GripperStatus(enum.IntEnum):
    """Whether a gripper holds something."""

    Open = 0
    Closed = 1
    Closing = 2


@dataclass
class _Gripper:
    """What is known of a gripper: the physics it belongs to, what it holds, how long it tries."""

    scene: Any
    grips: list[tuple[str, str, Any]] = field(default_factory=list[tuple[str, str, Any]])
    tries_left: float = -1.0  # s; negative: it does not try


class SurfaceGripperInterface:
    """Opens and closes surface grippers by the paths of their prims."""

    def __init__(self) -> None:
        self._grippers: dict[str, _Gripper] = {}
        self._listener: int | None = None

    def close_gripper(self, prim_path: str) -> bool:
        """Hold what is before the attachment points, or try to for the retry interval.

        Returns:
            Whether something is held.

        Raises:
            InvalidArgumentError: There is no prim of a surface gripper.
            NotSupportedError: It limits the forces that it holds with.
        """
        prim = _prim(prim_path)
        gripper = self._gripper(prim_path)
        if gripper is None:
            return False
        if not gripper.grips and not self._grip(prim, gripper):
            gripper.tries_left = _number(prim, "isaac:retryInterval", 0.0)
            self._listen()
        return bool(gripper.grips)

    def open_gripper(self, prim_path: str) -> bool:
        """Let go of all that is held."""
        _prim(prim_path)
        gripper = self._gripper(prim_path)
        if gripper is not None:
            for holder, _, grip in gripper.grips:
                _grips().let_go(gripper.scene, holder, grip)
            gripper.grips.clear()
            gripper.tries_left = -1.0
        return True

    def set_gripper_action(self, prim_path: str, action: float) -> bool:
        """Open below -0.3, close above 0.3, and leave it as it is between."""
        if action < -0.3:
            return self.open_gripper(prim_path)
        if action > 0.3:
            return self.close_gripper(prim_path)
        return True

    def get_gripper_status(self, prim_path: str) -> GripperStatus:
        """Whether it holds something, or tries to."""
        _prim(prim_path)
        gripper = self._gripper(prim_path)
        if gripper is not None and gripper.grips:
            return GripperStatus.Closed
        tries = gripper is not None and gripper.tries_left >= 0.0
        return GripperStatus.Closing if tries else GripperStatus.Open

    def get_gripped_objects(self, prim_path: str) -> list[str]:
        """Paths of the bodies that are held."""
        _prim(prim_path)
        gripper = self._gripper(prim_path)
        return [] if gripper is None else [held for _, held, _ in gripper.grips]

    def get_gripper_status_batch(self, prim_paths: Sequence[str]) -> list[int]:
        """`get_gripper_status` of several, as numbers."""
        return [int(self.get_gripper_status(path)) for path in prim_paths]

    def open_gripper_batch(self, prim_paths: Sequence[str]) -> list[bool]:
        """`open_gripper` of several."""
        return [self.open_gripper(path) for path in prim_paths]

    def close_gripper_batch(self, prim_paths: Sequence[str]) -> list[bool]:
        """`close_gripper` of several."""
        return [self.close_gripper(path) for path in prim_paths]

    def get_gripped_objects_batch(self, prim_paths: Sequence[str]) -> list[list[str]]:
        """`get_gripped_objects` of several."""
        return [self.get_gripped_objects(path) for path in prim_paths]

    def _gripper(self, path: str) -> _Gripper | None:
        """What is known of a gripper in the present physics; None while nothing is simulated."""
        scene = importlib.import_module("unibody.isaac_core.physics").current()
        known = self._grippers.get(path)
        if scene is None:
            return None
        if known is None or known.scene is not scene:  # a stop lets go of all
            known = self._grippers[path] = _Gripper(scene)
        return known

    def _grip(self, prim: Usd.Prim, gripper: _Gripper) -> bool:
        distance = _number(prim, "isaac:maxGripDistance", _NEAR)
        rays = importlib.import_module("unibody.isaac_core.physics.rays")
        for joint in _attachments(prim):
            holder, start, along = _placed(gripper.scene, joint)
            begin = start + along * _number(joint, "isaac:clearanceOffset", 0.0)
            hits = rays.cast(gripper.scene, begin[None], (start + along * distance)[None], holder)
            held = hits.paths[0]
            own = gripper.scene.body_of(holder)
            other = gripper.scene.body_of(held) if held else None
            known = {path for _, path, _ in gripper.grips}
            if other is None or held in known or other[0] is own[0]:
                continue
            gripper.grips.append((holder, held, _grips().take(gripper.scene, holder, held)))
        return bool(gripper.grips)

    def _listen(self) -> None:
        if self._listener is None:
            event = IsaacEvents.POST_PHYSICS_STEP
            self._listener = simulation.add_listener(event, self._try_again)

    def _try_again(self, dt: float) -> None:
        for path, gripper in self._grippers.items():
            prim = handles.current_stage().GetPrimAtPath(path)
            if gripper.tries_left < 0.0 or not prim or self._gripper(path) is not gripper:
                continue
            gripper.tries_left -= dt
            if self._grip(prim, gripper):
                gripper.tries_left = -1.0


def _grips() -> Any:
    return importlib.import_module("unibody.isaac_core.physics.grips")


def _prim(path: str) -> Usd.Prim:
    prim = handles.current_stage().GetPrimAtPath(str(path))
    if not prim or not prim.GetRelationship("isaac:attachmentPoints"):
        raise InvalidArgumentError("prim_path", path, "a prim with isaac:attachmentPoints")
    for name in _LIMITS:
        if _number(prim, name, -1.0) >= 0.0:
            raise NotSupportedError(f"{name} of {path}", "grippers without limits of force (-1)")
    return prim


def _number(prim: Usd.Prim, name: str, default: float) -> float:
    attribute = prim.GetAttribute(name)
    value = attribute.Get() if attribute else None
    return default if value is None else float(value)


def _attachments(prim: Usd.Prim) -> list[Usd.Prim]:
    targets = prim.GetRelationship("isaac:attachmentPoints").GetTargets()
    joints = [handles.current_stage().GetPrimAtPath(target) for target in targets]
    if not joints or not all(joints):
        raise InvalidArgumentError("isaac:attachmentPoints", targets, "joints of the gripper")
    return joints


def _placed(scene: Any, joint: Usd.Prim) -> tuple[str, np.ndarray, np.ndarray]:
    """The body of an attachment point, where the point is, and where it looks, in the world."""
    targets = joint.GetRelationship("physics:body0").GetTargets()
    holder = str(targets[0]) if targets else ""
    pose = scene.body_transform(holder)
    place = joint.GetAttribute("physics:localPos0").Get() or Gf.Vec3f(0.0)
    turn = joint.GetAttribute("physics:localRot0").Get() or Gf.Quatf(1.0)
    stated = joint.GetAttribute("isaac:forwardAxis")
    axis = Gf.Vec3d(*_AXES[str((stated.Get() if stated else None) or "X")])
    along = pose.TransformDir(gf_rotation(turn).TransformDir(axis)).GetNormalized()
    return holder, np.array(pose.Transform(Gf.Vec3d(place))), np.array(along)


_interface = SurfaceGripperInterface()


def acquire_surface_gripper_interface(
    plugin_name: str | None = None, library_path: str | None = None
) -> SurfaceGripperInterface:
    """What opens and closes surface grippers; there is one, whatever plugin is named."""
    if plugin_name or library_path:
        raise NotSupportedError("a plugin of surface grippers", "no arguments")
    return _interface


def release_surface_gripper_interface(interface: SurfaceGripperInterface) -> None:
    """Nothing is to be released: it stays the one there is."""
    if interface is not _interface:
        raise InvalidArgumentError("interface", interface, "what was acquired")
