"""What is written to a stage while it is in motion, and its way into the running worlds."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdPhysics

from unibody import notices
from unibody.isaac_core.physics.arrivals import admit, is_new
from unibody.isaac_core.physics.fixed import is_fixed_collider

_SIZES = ("size", "radius", "height", "points")
_SCALE = "xformOp:scale"
_VELOCITIES = ("physics:velocity", "physics:angularVelocity")
_PLACES = ("xformOp", *_VELOCITIES)
_GRAVITY = ("physics:gravityDirection", "physics:gravityMagnitude")
_FLAGS = ("physics:rigidBodyEnabled", "physics:kinematicEnabled")
# Setter and getter of articulation views, and the power of an angle [degrees] in the unit.
_DRIVES = {
    "targetPosition": ("set_dof_position_targets", "get_dof_position_targets", 1),
    "targetVelocity": ("set_dof_velocity_targets", "get_dof_velocity_targets", 1),
    "stiffness": ("set_dof_stiffnesses", "get_dof_stiffnesses", -1),
    "damping": ("set_dof_dampings", "get_dof_dampings", -1),
    "maxForce": ("set_dof_max_forces", "get_dof_max_forces", 0),
}


_view_makers: list[Callable[[], Any]] = []


def take_views_from(make: Callable[[], Any]) -> None:
    """Say what makes a simulation view of NumPy: views stand on scenes, and scenes on listeners."""
    _view_makers[:] = [make]


class StageListener:
    """Collects paths that change on the stage of a scene, and applies them before a step.

    Args:
        scene: A ``PhysicsScene``, whose stage has been read.
    """

    def __init__(self, scene: Any) -> None:
        self.scene = scene
        self.applied: int = 0  # attributes and prims that were looked at
        self._muted = False
        self._changed: dict[Sdf.Path, None] = {}
        self._joints: dict[str, tuple[Any, Any]] = {}
        self._know(scene.bodies)
        self._new_joints: dict[str, None] = {}
        self._arrived = False  # bodies or fixed colliders that have not been read
        self._key: Any = Tf.Notice.Register(Usd.Notice.ObjectsChanged, self._on_change, scene.stage)

    @contextmanager
    def muted(self) -> Generator[None, None, None]:
        """Do not listen in a ``with`` block."""
        before, self._muted = self._muted, True
        try:
            yield
        finally:
            self._muted = before

    def _know(self, bodies: Iterable[Any]) -> None:
        for body in bodies:
            for joint in body.model.joints:
                if joint.path:
                    self._joints[body.whole(joint.path)] = (body, joint)

    def admit(self) -> None:
        """Let what has come to the stage take part from now on."""
        if self._arrived:
            self._arrived = False
            with self.muted():
                self._know(admit(self.scene))
        joints, self._new_joints = self._new_joints, {}
        for path in joints:
            if path not in self._joints:
                _tell(f"the joint {path}")

    def close(self) -> None:
        """Listen no more."""
        if self._key is not None:
            self._key.Revoke()
            self._key = None

    def _on_change(self, notice: Any, _: Any) -> None:
        if not self._muted:
            for paths in (notice.GetResyncedPaths(), notice.GetChangedInfoOnlyPaths()):
                self._changed.update(dict.fromkeys(paths))

    def apply(self) -> None:
        """Let the worlds have what was written since the last time."""
        if not self._changed:
            return
        paths, self._changed = list(self._changed), {}
        if any(not path.IsPropertyPath() or path.name.startswith(_PLACES) for path in paths):
            self.scene.writer.forget()
        written: dict[str, list[str]] = {}
        for path in paths:
            self.applied += 1
            if path.IsPropertyPath():
                written.setdefault(str(path.GetPrimPath()), []).append(path.name)
            else:
                self._check_structure(path)
        with self.muted():
            for path, names in written.items():
                prim = self.scene.stage.GetPrimAtPath(path)
                if prim and Sdf.Path(path) not in paths:
                    self._check_sizes(prim, path, names)
                if prim:
                    self._apply_prim(prim, path, names)

    def _apply_prim(self, prim: Usd.Prim, path: str, names: list[str]) -> None:
        if self.scene.prim and path == str(self.scene.prim.GetPath()):
            if any(name in _GRAVITY for name in names):
                self.scene.set_gravity(self.scene.stated_gravity())
        elif path in self._joints:
            self._apply_drives(prim, path, names)
        elif self.scene.body_of(path) is not None:
            self._apply_body(prim, path, names)
        elif path in self.scene.soft.by_path:
            if not self.scene.soft.changed(path, names):
                _tell(f"{names[0]} of {path}, which is soft,")
        elif any(name.startswith("xformOp") for name in names):
            self._apply_place(prim, path, names)

    def _apply_place(self, prim: Usd.Prim, path: str, names: list[str]) -> None:
        """Let fixed colliders at a prim or below it be where that is now."""
        fixed = self.scene.fixed
        for one in fixed.follow(path):
            _tell(f"the size of {one}")
        if not _is_moved(names):
            return
        if any(p.startswith(f"{path}/") for p in self.scene.body_paths()):
            _tell(f"the pose of {path}, which is above bodies and is none,")
        others = [p for p in Usd.PrimRange(prim) if is_fixed_collider(p)]
        unknown = [str(p.GetPath()) for p in others if self._in_environment(str(p.GetPath()))]
        if unknown:
            _tell(f"the pose of {unknown[0]}, a fixed collider of an environment,")

    def _check_sizes(self, prim: Usd.Prim, path: str, names: list[str]) -> None:
        if prim.HasAPI(UsdPhysics.CollisionAPI):
            for name in names:
                if name in _SIZES:
                    _tell(f"{name} of {path}")

    def _apply_body(self, prim: Usd.Prim, path: str, names: list[str]) -> None:
        number = self.scene.body_of(path)[1]
        moved = _is_moved(names)
        pushed = any(name in _VELOCITIES for name in names)
        if (moved or pushed) and number > 0:
            _tell(f"the pose or velocity of {path}, a link that is not the root,")
            moved = pushed = False
        flags = [name for name in names if name in _FLAGS]
        if flags and not self._hold(prim, path):
            _tell(f"{flags[0]} of {path}")
        weighed = "physics:mass" in names and (prim.GetAttribute("physics:mass").Get() or 0.0) > 0.0
        if not (moved or pushed or weighed):
            return
        view = _view_makers[0]().create_rigid_body_view(path)
        rows = np.arange(1)
        if moved:
            pose = self._pose(prim, path, names, view.get_transforms()[0])
            view.set_transforms(pose[None], rows)
        if pushed:
            velocity = self._velocity(prim, path, names, view.get_velocities()[0])
            view.set_velocities(velocity[None], rows)
        if weighed:
            view.set_masses(np.array([[prim.GetAttribute("physics:mass").Get()]]), rows)

    def _hold(self, prim: Usd.Prim, path: str) -> bool:
        """Let a body move by itself or not, as the stage says; whether that can be."""
        enabled, kinematic = (prim.GetAttribute(name).Get() for name in _FLAGS)
        body, _ = self.scene.body_of(path)
        return bool(self.scene.hold(body, held=enabled is False or bool(kinematic)))

    def _pose(self, prim: Usd.Prim, path: str, names: list[str], now: Any) -> Any:
        """The pose that was written; what was not written stays as it is in the worlds."""
        local = UsdGeom.Xformable(prim).GetLocalTransformation()
        above = self.scene.transform_above(path)
        whole = Gf.Transform(local * above)
        pose = np.array(now, np.float64)
        places = {name for name in names if name.startswith("xformOp:translate")}
        turns = {name for name in names if name.startswith(("xformOp:orient", "xformOp:rotate"))}
        if places or not turns:
            pose[:3] = whole.GetTranslation()
        if turns or not places:
            quat = whole.GetRotation().GetQuat()
            pose[3:] = (*quat.GetImaginary(), quat.GetReal())
        return pose

    def _velocity(self, prim: Usd.Prim, path: str, names: list[str], now: Any) -> Any:
        turn = self.scene.transform_above(path).RemoveScaleShear().ExtractRotationMatrix()
        velocity = np.array(now, np.float64)
        for first, name, factor in zip((0, 3), _VELOCITIES, (1.0, math.radians(1.0)), strict=True):
            if name in names:
                stated = Gf.Vec3d(prim.GetAttribute(name).Get() or Gf.Vec3f(0.0))
                velocity[first : first + 3] = np.array(stated * turn) * factor
        return velocity

    def _apply_drives(self, prim: Usd.Prim, path: str, names: list[str]) -> None:
        body, joint = self._joints[path]
        wanted = [name for name in names if name.startswith("drive:")]
        if not wanted:
            return
        if joint.count != 1 or not body.model.path:
            _tell(f"the drive of {path}")
            return
        view = _view_makers[0]().create_articulation_view(body.articulation)
        for name in wanted:
            axis, what = name.split(":")[1], name.rsplit(":", 1)[-1]
            value = prim.GetAttribute(name).Get()
            if what not in _DRIVES or value is None:
                _tell(f"{name} of {path}")
                continue
            setter, getter, power = _DRIVES[what]
            factor = math.radians(1.0) ** power if axis == "angular" else 1.0
            values = np.array(getattr(view, getter)(), np.float64)
            values[0, joint.first] = value * factor
            getattr(view, setter)(values, np.arange(1))

    def _check_structure(self, path: Sdf.Path) -> None:
        stage = self.scene.stage
        known = [one for one in self.scene.body_paths() if Sdf.Path(one).HasPrefix(path)]
        for one in known:
            prim = stage.GetPrimAtPath(one)
            if not prim or not prim.HasAPI(UsdPhysics.RigidBodyAPI):
                _tell(f"the removal of the body {one}")
        for one in list(self.scene.fixed.below(str(path))):
            prim = stage.GetPrimAtPath(one)
            if not prim or not is_fixed_collider(prim):
                self.scene.fixed.remove(one)
        top = stage.GetPrimAtPath(path)
        for prim in Usd.PrimRange(top) if top else ():
            name = str(prim.GetPath())
            if is_new(self.scene, prim):
                if self._in_environment(name):
                    _tell(f"the new body {name}, in an environment,")
                else:
                    self._arrived = True
            if prim.IsA(UsdPhysics.Joint) and name not in self._joints:
                self._new_joints[name] = None

    def _in_environment(self, path: str) -> bool:
        names = [env.name for env in self.scene.batch.envs if env.name]
        return any(f"{path}/".startswith(f"{name}/") for name in names)


def _is_moved(names: list[str]) -> bool:
    return any(name.startswith("xformOp") and name != _SCALE for name in names)


def _tell(what: str) -> None:
    notices.tell_once(f"{what} was written while the stage plays: it acts after the next play")
