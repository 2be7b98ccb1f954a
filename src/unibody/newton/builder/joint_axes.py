"""Which axes joints of each kind have."""

from __future__ import annotations

from unibody.errors import InvalidArgumentError
from unibody.newton.configs import JointDofConfig
from unibody.newton.enums import ActuatorMode, JointType

_AXES = {  # linear, angular: how many axes a kind has; None: any number up to three
    JointType.PRISMATIC: (1, 0),
    JointType.REVOLUTE: (0, 1),
    JointType.BALL: (0, 3),
    JointType.FIXED: (0, 0),
    JointType.FREE: (3, 3),
    JointType.DISTANCE: (3, 3),
    JointType.CABLE: (1, 1),
    JointType.ROD: (3, 3),
}
_SAME_AXIS = 1e-6


def check_axes(
    kind: JointType, linear: list[JointDofConfig], angular: list[JointDofConfig]
) -> None:
    """Check the axes of a joint.

    Args:
        kind: Of the joint.
        linear: Its translations.
        angular: Its rotations.

    Raises:
        ValueError: The kind has others.
    """
    expected, present = _AXES.get(kind), (len(linear), len(angular))
    if expected is None:
        if max(present) > 3:
            raise InvalidArgumentError("axes", present, "three linear and three angular")
        return
    if kind is JointType.ROD:
        if present != expected:
            wanted = "exactly three linear and three angular axes, as add_joint_rod() has"
            raise InvalidArgumentError("axes", present, wanted)
        _check_rod(linear, angular)
    elif sum(present) and present != expected and kind is not JointType.FREE:
        wanted = f"{expected[0]} linear and {expected[1]} angular for {kind.name}"
        raise InvalidArgumentError("axes", present, wanted)


def _check_rod(linear: list[JointDofConfig], angular: list[JointDofConfig]) -> None:
    """Refuse axes that are not x, y, z, and what a rod has for itself: drives, and its rest."""
    for number, dof in enumerate((*linear, *angular)):
        place = [float(i == number % 3) for i in range(3)]
        if not all(abs(a - b) <= _SAME_AXIS for a, b in zip(dof.axis, place, strict=True)):
            wanted = "the canonical XYZ axes, of translations and of rotations"
            raise InvalidArgumentError("axis", list(dof.axis), f"{wanted}, for ROD")
        if dof.target_q != 0.0:
            raise ValueError(
                f"joints of kind ROD have zero target_q values, not {dof.target_q}: state"
                " add_joint_rod(rest_rotation=...)"
            )
        if dof.actuator_mode not in (None, ActuatorMode.NONE):
            raise ValueError(
                "joints of kind ROD have actuator_mode=JointTargetMode.NONE, not"
                f" {dof.actuator_mode!r}"
            )
    if any(dof.rest_q for dof in linear):
        raise ValueError("joints of kind ROD have zero linear rest_q values: anchors coincide")
