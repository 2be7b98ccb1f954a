"""What prims of a stage say of bodies, shapes and joints beyond an asset's description."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import AssetError, InvalidArgumentError
from unibody.newton import usd, usd_looks, usd_meshes
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import JointType
from unibody.newton.exceptions import NewtonDeprecationWarning, warn
from unibody.newton.importers import mimics, usd_joints, usd_masses
from unibody.newton.mesh import Mesh

_FRICTION = {"torsionalFriction": "torsional_friction", "rollingFriction": "rolling_friction"}
_RESPONSES = {
    "contactStiffness": "ke",
    "contactDamping": "kd",
    "contactFrictionGain": "kf",
    "contactAdhesion": "ka",
}


class CompositionError(AssetError, RuntimeError):
    """A stage refers to what is not there."""


class Prims:
    """Reads prims of a stage by their paths.

    Args:
        stage: A ``Usd.Stage``.
    """

    def __init__(self, stage: Any) -> None:
        self._stage = stage
        self._order: dict[str, int] = {}

    def check(self, name: str) -> None:
        """Check that all that the stage refers to was found.

        Raises:
            CompositionError: Something was not.
        """
        errors = [str(error) for error in self._stage.GetCompositionErrors()]
        if errors:
            problem = f"the stage has composition errors: {'; '.join(errors)}"
            raise CompositionError(name, "", problem)

    def place_of(self, path: str) -> int:
        """Where a prim comes in the stage."""
        if not self._order:
            paths = [str(prim.GetPath()) for prim in self._stage.Traverse()]
            self._order = {path: number for number, path in enumerate(paths)}
        return self._order.get(path, len(self._order))

    def has_articulations(self) -> bool:
        """Whether the stage says of any bodies that they are an articulation."""
        from pxr import UsdPhysics

        return any(prim.HasAPI(UsdPhysics.ArticulationRootAPI) for prim in self._stage.Traverse())

    def states_mass(self, path: str) -> bool:
        """Whether a body has UsdPhysics' schema of masses; else shapes say what it weighs."""
        from pxr import UsdPhysics

        prim = self._stage.GetPrimAtPath(path)
        return bool(prim) and prim.HasAPI(UsdPhysics.MassAPI)

    def is_kinematic(self, path: str) -> bool:
        """Whether a body moves as it is told."""
        prim = self._stage.GetPrimAtPath(path)
        return bool(prim) and bool(usd.get_attribute(prim, "physics:kinematicEnabled", False))

    def warn_of_mirror(self, path: str) -> None:
        """Warn of a body whose prim is mirrored: no rotation is its pose."""
        from pxr import UsdGeom

        prim = self._stage.GetPrimAtPath(path)
        if prim and UsdGeom.XformCache().GetLocalToWorldTransform(prim).GetDeterminant() < 0.0:
            warn(
                f"Rigid body prim {path} has a mirrored (negative-determinant) world transform."
                " Mirror its meshes instead, or frames of bodies and joints may be turned"
            )

    def pose_of(self, path: str) -> Any:
        """Pose of a prim in the stage, or None."""
        from pxr import UsdGeom

        prim = self._stage.GetPrimAtPath(path) if path.startswith("/") else None
        if not prim or not prim.IsA(UsdGeom.Xformable):
            return None
        return usd.get_transform(prim, local=False)

    def scale_of(self, path: str) -> wp.vec3:
        """Factors on a prim's axes in the stage: negative where operations of scale are."""
        from pxr import UsdGeom

        prim = self._stage.GetPrimAtPath(path)
        if not prim or not prim.IsA(UsdGeom.Xformable):
            return wp.vec3(1.0, 1.0, 1.0)
        axes = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(prim))[:3, :3]
        signs = np.ones(3)
        while prim and prim.IsA(UsdGeom.Xformable):
            xformable = UsdGeom.Xformable(prim)
            for operation in xformable.GetOrderedXformOps():
                value = operation.Get()
                if operation.GetOpType() == UsdGeom.XformOp.TypeScale and value is not None:
                    signs *= np.sign(np.array(value, float))
            if xformable.GetResetXformStack():
                break
            prim = prim.GetParent()
        if signs.prod() * np.linalg.det(axes) < 0.0:  # a matrix mirrors, along no one axis
            signs = -signs
        return wp.vec3(*(np.linalg.norm(axes, axis=1) * signs).tolist())

    def plane_of(self, path: str) -> wp.vec3 | None:
        """Width and length of a plane that is drawn, as scales of a shape; None: of no plane."""
        from pxr import UsdGeom

        plane = UsdGeom.Plane(self._stage.GetPrimAtPath(path))
        if not plane:
            return None
        x, y, z = (abs(factor) for factor in self.scale_of(path))
        # a plane across X has its width along Z, one across Y its length
        wide, long = {"X": (z, y), "Y": (x, z)}.get(str(plane.GetAxisAttr().Get()), (x, y))
        return wp.vec3(wide * plane.GetWidthAttr().Get(), long * plane.GetLengthAttr().Get(), 0.0)

    def held_at(self, joint: str, body: str) -> Any:
        """Pose in the stage that a fixed joint gives a body, if its other end is no body's prim.

        Returns:
            None where the joint names no other prim: the body stays where it is.
        """
        prim = self._stage.GetPrimAtPath(joint) if joint else None
        if not prim:
            return None
        ends: list[str | None] = []
        for name in ("physics:body0", "physics:body1"):
            relation = prim.GetRelationship(name)
            targets = relation.GetTargets() if relation else []
            ends.append(str(targets[0]) if targets else None)
        if body not in ends or None in ends:
            return None
        own = ends.index(body)
        other = self.pose_of(str(ends[1 - own]))
        if other is None:
            return None
        frames = [self._frame(prim, end) for end in (1 - own, own)]
        return other * frames[0] * wp.transform_inverse(frames[1])

    def frame_on(self, joint: str, body: str) -> Any:
        """Frame of a joint on one of its bodies."""
        prim = self._stage.GetPrimAtPath(joint)
        relation = prim.GetRelationship("physics:body0") if prim else None
        first = bool(relation) and body in {str(path) for path in relation.GetTargets()}
        return self._frame(prim, 0 if first else 1)

    @staticmethod
    def _frame(prim: Any, end: int) -> Any:
        position = usd.get_attribute(prim, f"physics:localPos{end}", (0.0, 0.0, 0.0))
        turn = usd.get_quat(prim, f"physics:localRot{end}", wp.quat_identity())
        return wp.transform(wp.vec3(*(float(v) for v in position)), wp.normalize(turn))

    def is_reversed(self, joint: str, parent: str) -> bool:
        """Whether the second body that a joint names is the parent of the first."""
        prim = self._stage.GetPrimAtPath(joint)
        relation = prim.GetRelationship("physics:body1") if prim else None
        return bool(relation) and parent in {str(path) for path in relation.GetTargets()}

    def is_cone(self, path: str) -> bool:
        """Whether a prim is a cone."""
        prim = self._stage.GetPrimAtPath(path) if path.startswith("/") else None
        return bool(prim) and prim.GetTypeName() == "Cone"

    def is_generic(self, joint: str) -> bool:
        """Whether a joint is one that names its axes one by one."""
        prim = self._stage.GetPrimAtPath(joint) if joint else None
        return bool(prim) and prim.GetTypeName() == "PhysicsJoint"

    def moves(self, joint: str, axis: str) -> bool:
        """Whether a joint states a limit of an axis, "transX" to "rotZ", that leaves it room."""
        prim = self._stage.GetPrimAtPath(joint)
        low, high = (usd.get_attribute(prim, f"limit:{axis}:physics:{e}") for e in ("low", "high"))
        if low is None and high is None:
            return False
        return (-math.inf if low is None else low) < (math.inf if high is None else high)

    def configure(self, config: Any, path: str) -> int | None:
        """Write what a shape's prim and its material say of contacts.

        Args:
            config: A `ShapeConfig`.
            path: Of the prim.

        Returns:
            Most vertices of its hull, if it says so.
        """
        from pxr import UsdShade

        prim = self._stage.GetPrimAtPath(path) if path else None
        if not prim:
            return None
        for name, field in (("contactMargin", "thickness"), ("contactGap", "gap")):
            value = usd.get_float(prim, f"newton:{name}")
            if value is not None:
                setattr(config, field, value)
        for name, field in _RESPONSES.items() if is_after_first_of_1() else ():
            value = usd.get_float(prim, f"newton:contact_{field}")
            if value is not None:
                setattr(config, field, value)
                warn(
                    f"'newton:contact_{field}' on shape prim is deprecated; author"
                    f" 'newton:{name}' on the bound NewtonMaterialAPI material instead.",
                    NewtonDeprecationWarning,
                )
        stiffness = usd.get_attribute(prim, "newton:hydroelasticStiffness")
        if stiffness is not None and not math.isfinite(stiffness):
            warn(f"{path}: newton:hydroelasticStiffness must be finite: it is ignored")
            stiffness = None
        if stiffness is not None and stiffness > 0.0:
            config.k_hydro = stiffness
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        density = usd.get_attribute(material.GetPrim(), "physics:density") if material else None
        if density is not None and not math.isfinite(density):
            warn(f"{material.GetPath()}: material density must be finite: it is ignored")
        for name, field in {**_FRICTION, **_RESPONSES}.items() if material else ():
            value = usd.get_float(material.GetPrim(), f"newton:{name}")
            if value is not None:
                setattr(config, field, value)
        most = usd.get_attribute(prim, "newton:maxHullVertices")
        return int(most) if most is not None and most > 0 else None

    def draw(self, builder: Any, shapes: Iterable[int], path: str) -> None:
        """Let shapes of a prim, and their meshes, be drawn as its material says."""
        prim = self._stage.GetPrimAtPath(path)
        look = usd_looks.look_of(prim) if prim else usd_looks.Look()
        if look == usd_looks.Look():
            return
        for number in shapes:
            if look.color is not None:
                builder.shape_color[number] = look.color
            if look.opacity is not None:
                builder.shape_opacity[number] = look.opacity
            mesh = builder.shape_source[number]
            if isinstance(mesh, Mesh):  # which shapes with other looks may share
                builder.shape_source[number] = mesh = mesh.copy()
                usd_meshes.set_look(mesh, look)
                if look.texture is not None and mesh.uvs is None:
                    whole = prim if prim.GetTypeName() == "Mesh" else prim.GetParent()
                    usd_meshes.tell_of_no_places(whole, look.places)

    def wall_of(self, path: str, margin: float) -> tuple[bool, float]:
        """Whether a collider is solid, and how thick its wall is; see `usd_masses.wall_of`."""
        prim = self._stage.GetPrimAtPath(path) if path else None
        return usd_masses.wall_of(prim, margin) if prim else (True, margin)

    def add_mimics(
        self,
        builder: Any,
        followers: dict[str, int],
        merged: Collection[str],
        joints: dict[str, int],
    ) -> None:
        """Let joints follow others where ``NewtonMimicAPI`` says so.

        Args:
            builder: The builder.
            followers: Path of a prim -> joint that may follow another one.
            merged: Prims that are one axis of several.
            joints: Path of a prim -> joint that may be followed.

        Raises:
            InvalidArgumentError: A joint follows one that was not read.
        """
        for path, joint in followers.items():
            prim = self._stage.GetPrimAtPath(path)
            relation = prim.GetRelationship("newton:mimicJoint") if prim else None
            targets = [str(target) for target in relation.GetTargets()] if relation else []
            if not targets:
                continue
            if targets[0] not in joints:
                raise InvalidArgumentError(
                    f"newton:mimicJoint of {path}", targets[0], f"one of {[*joints]}"
                )
            enabled = usd.get_attribute(prim, "newton:mimicEnabled", True)
            offset = usd.get_float(prim, "newton:mimicCoef0", 0.0)
            if is_after_first_of_1() and builder.joint_type[joint] == JointType.REVOLUTE:
                offset = math.radians(offset)
            coefficients = (offset, usd.get_float(prim, "newton:mimicCoef1", 1.0))
            leader = joints[targets[0]]
            if path in merged:
                warn(
                    f"NewtonMimicAPI on {path}: follower was merged into a multi-DOF joint, all of"
                    " whose axes follow"
                )
            elif is_after_first_of_1():
                usd_joints.warn_of_mixed_mimic(builder, joint, path, offset)
            mimics.follow(builder, joint, leader, coefficients, enabled=bool(enabled), key=path)
