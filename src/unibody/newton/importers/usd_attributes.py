"""What prims of a USD stage say beyond UsdPhysics: attributes of a builder, and the scene."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from unibody.newton import usd
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import MAXVAL
from unibody.newton.enums import AttributeFrequency as Frequency
from unibody.newton.importers.usd_joints import OF_JOINTS, JointFields

_OF_JOINTS = (
    Frequency.JOINT,
    Frequency.JOINT_DOF,
    Frequency.JOINT_COORD,
    Frequency.JOINT_CONSTRAINT,
)
_OF_SCENES = (Frequency.WORLD, Frequency.ONCE)
_USUAL_STEP = 0.001  # of scenes that state none [s], as in the original


class StageAttributes:
    """Reads values of a builder's own attributes from a stage.

    Args:
        builder: The builder.
        stage: A ``Usd.Stage``.
        root: Path of the prim that is read, with all below it.
    """

    def __init__(self, builder: Any, stage: Any, root: str) -> None:
        self._builder, self._stage, self._root = builder, stage, root
        self._angle = JointFields(builder, stage).angle()

    def read(self, found: dict[str, Any], merged: dict[str, int], *, options: bool) -> None:
        """Write the values of bodies, shapes, joints, of scenes, and of the script's own rows.

        Args:
            found: What the importer returns.
            merged: Path of a prim that is part of a joint -> which of its axes it is.
            options: Whether scenes are read.
        """
        builder = self._builder
        for kind, frequency in (("body", Frequency.BODY), ("shape", Frequency.SHAPE)):
            for path, index in found[f"path_{kind}_map"].items():
                for attribute, value in self._values(path, (frequency,)):
                    attribute.values[index] = value
        self._read_joints(found["path_joint_map"], merged)
        for articulation, path in enumerate(builder.articulation_key):
            for attribute, value in self._values(path or "", (Frequency.ARTICULATION,)):
                attribute.values[articulation] = value
        if options:
            for prim in self._scenes():
                for attribute, value in self._values(str(prim.GetPath()), _OF_SCENES):
                    of_world = attribute.frequency == Frequency.WORLD
                    attribute.values[max(builder.current_world, 0) if of_world else 0] = value
        self._read_rows(found)

    def _read_joints(self, joints: dict[str, int], merged: dict[str, int]) -> None:
        builder = self._builder
        for path, place in merged.items():
            first = builder.joint_qd_start[joints[path]]
            for attribute, value in self._values(path, (Frequency.JOINT_DOF,)):
                attribute.values[first + place] = value
                _count_limits_from(builder, attribute, first + place, value)
        for path, joint in joints.items():
            if path in merged:
                continue
            for attribute, value in self._values(path, _OF_JOINTS):
                builder_values = {attribute.key: value}
                _set_joint_values(builder, joint, builder_values)
                _count_limits_from(builder, attribute, builder.joint_qd_start[joint], value)

    def scene(self) -> dict[str, Any]:
        """What the stage says of time, units and its solver."""
        from pxr import UsdGeom, UsdPhysics

        stage = self._stage
        attributes: dict[str, Any] = {}
        step, most = _USUAL_STEP, -1
        for prim in self._scenes():
            for attribute in prim.GetAttributes():
                if attribute.HasAuthoredValue():
                    attributes[attribute.GetName()] = attribute.Get()
            rate = _stated(prim, "newton:timeStepsPerSecond", "physxScene:timeStepsPerSecond")
            if rate is not None:
                step = 1.0 / rate if rate > 0 else _USUAL_STEP
            stated = _stated(prim, "newton:maxSolverIterations", "mjc:option:iterations")
            most = stated if stated is not None else most
            if _stated(prim, "newton:gravityEnabled") is False and not is_after_first_of_1():
                self._builder.gravity = 0.0
        return {
            "fps": stage.GetFramesPerSecond(),
            "duration": stage.GetEndTimeCode() - stage.GetStartTimeCode(),
            "linear_unit": UsdGeom.GetStageMetersPerUnit(stage),
            "mass_unit": UsdPhysics.GetStageKilogramsPerUnit(stage),
            "scene_attributes": attributes,
            "physics_dt": step,
            "max_solver_iterations": most,
        }

    def _scenes(self) -> Iterator[Any]:
        from pxr import UsdPhysics

        return (prim for prim in self._stage.Traverse() if prim.IsA(UsdPhysics.Scene))

    def _values(self, path: str, frequencies: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
        """The attributes of some frequencies that a prim has values of."""
        prim = self._stage.GetPrimAtPath(path) if path.startswith("/") else None
        if not prim:
            return
        of_joints = OF_JOINTS if is_after_first_of_1() else ()
        for attribute in self._builder.custom_attributes.values():
            if attribute.frequency in frequencies and attribute.key not in of_joints:
                value = self._value(prim, attribute)
                if value is not None:
                    yield attribute, value

    def _value(self, prim: Any, attribute: Any) -> Any:
        name, transform = attribute.usd_attribute_name, attribute.usd_value_transformer
        context = {"prim": prim, "attr": attribute, "builder": self._builder}
        if name == "*":
            return transform(None, context)
        source = prim.GetAttribute(name)
        if not source or not source.HasAuthoredValue():
            return None
        if transform is not None:
            return transform(source.Get(), context)
        if attribute.dtype is str:
            return str(source.Get())
        if attribute.key == "mujoco:dof_ref" and is_after_first_of_1():
            turns = prim.GetTypeName() == "PhysicsRevoluteJoint"
            return float(source.Get()) * (self._angle if turns else 1.0)
        return usd.value_to_warp(source.Get(), attribute.dtype)

    def _read_rows(self, found: dict[str, Any]) -> None:
        """Rows of frequencies of the script's own, each with the prims that it is found by."""
        from pxr import Usd

        builder = self._builder
        top = self._stage.GetPrimAtPath(self._root)
        read = [
            (key, frequency, attributes)
            for key, frequency in builder.custom_frequencies.items()
            if frequency.usd_prim_filter is not None and (attributes := self._of_frequency(key))
        ]
        for prim in Usd.PrimRange(top, Usd.TraverseInstanceProxies()) if read else ():
            context = {"prim": prim, "result": found, "builder": builder}
            for key, frequency, attributes in read:
                try:
                    rows = self._rows(frequency, prim, attributes, context)
                except Exception as error:
                    raise RuntimeError(
                        f"frequency {key!r}: a function of the script failed at {prim.GetPath()}:"
                        f" {error}"
                    ) from error
                builder.add_custom_values_batch(rows)

    def _of_frequency(self, key: str) -> list[Any]:
        return [a for a in self._builder.custom_attributes.values() if a.frequency_key == key]

    def _rows(
        self, frequency: Any, prim: Any, attributes: list[Any], context: dict[str, Any]
    ) -> list[dict[str, Any]]:
        if not frequency.usd_prim_filter(prim, context):
            return []
        if frequency.usd_entry_expander is None:
            return [{a.key: self._row_value(prim, a) for a in attributes}]
        return [
            {a.key: row.get(a.key) for a in attributes}
            for row in frequency.usd_entry_expander(prim, context)
        ]

    def _row_value(self, prim: Any, attribute: Any) -> Any:
        value = self._value(prim, attribute)
        if value is None and attribute.references == "world" and is_after_first_of_1():
            return self._builder.current_world
        return value


def _stated(prim: Any, *names: str) -> Any:
    """The value of the first attribute that is written."""
    for name in names:
        attribute = prim.GetAttribute(name)
        if attribute and attribute.HasAuthoredValue():
            return attribute.Get()
    return None


def _set_joint_values(builder: Any, joint: int, values: dict[str, Any]) -> None:
    from unibody.newton.builder import custom

    custom.set_joint_values(builder, joint, values)


def _count_limits_from(builder: Any, attribute: Any, dof: int, ref: Any) -> None:
    """Let limits count from a joint's reference, as its positions do after newton 1.0.

    A stage's limits are MuJoCo's, which count from where positions are zero there.
    """
    if attribute.key != "mujoco:dof_ref" or not is_after_first_of_1():
        return
    if builder.joint_limit_lower[dof] > -MAXVAL:
        builder.joint_limit_lower[dof] -= ref
    if builder.joint_limit_upper[dof] < MAXVAL:
        builder.joint_limit_upper[dof] -= ref
