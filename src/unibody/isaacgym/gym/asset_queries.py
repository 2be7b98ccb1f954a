"""Methods of ``Gym``: bodies, joints, degrees of freedom and shapes of an asset."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, TypeVar

from unibody.errors import InvalidArgumentError
from unibody.isaacgym import handles
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.gym.asset_loading import asset_of
from unibody.isaacgym.gym.checks import index_of, text_of
from unibody.isaacgym.types.enums import DofType, JointType
from unibody.isaacgym.types.poses import IndexRange
from unibody.isaacgym.types.properties import RigidShapeProperties

T = TypeVar("T")
_NOT_FOUND = -1


def index_in(names: Sequence[str], name: Any) -> int:
    """Return the first index of a name, -1 where there is none."""
    wanted = text_of("name", name)
    return next((index for index, found in enumerate(names) if found == wanted), _NOT_FOUND)


def copies_of(name: str, values: Any, kind: type[T], count: int) -> list[T]:
    """Return copies of ``count`` structures.

    Raises:
        ArgumentTypeError: It is no sequence of that kind of structure.
        InvalidArgumentError: There are more or fewer.
    """
    try:
        found = list(values)
    except TypeError:
        found = [values]
    if not isinstance(values, (list, tuple)) or not all(isinstance(v, kind) for v in found):
        raise ArgumentTypeError(name, values, f"a list of {kind.__name__}")
    if len(found) != count:
        raise InvalidArgumentError(name, f"{len(found)} of them", f"{count}, one for each")
    return [deepcopy(value) for value in found]


class AssetQueryCalls:
    """What an asset consists of."""

    # --- rigid bodies --------------------------------------------------------------------------

    def get_asset_rigid_body_count(self, arg0: handles.Asset) -> int:
        """Return the number of rigid bodies."""
        return len(asset_of(arg0).body_names)

    def get_asset_rigid_body_names(self, arg0: handles.Asset) -> list[str]:
        """Return the names of the rigid bodies, depth first."""
        return list(asset_of(arg0).body_names)

    def get_asset_rigid_body_name(self, arg0: handles.Asset, arg1: int) -> str:
        """Return the name of the rigid body ``arg1``."""
        names = asset_of(arg0).body_names
        return names[index_of("rigid body index", arg1, len(names))]

    def get_asset_rigid_body_dict(self, arg0: handles.Asset) -> dict[str, int]:
        """Return the indices of the rigid bodies by name."""
        return _by_name(asset_of(arg0).body_names)

    def find_asset_rigid_body_index(self, arg0: handles.Asset, arg1: str) -> int:
        """Return the index of a rigid body, -1 where none has that name."""
        return index_in(asset_of(arg0).body_names, arg1)

    # --- joints --------------------------------------------------------------------------------

    def get_asset_joint_count(self, arg0: handles.Asset) -> int:
        """Return the number of joints, fixed ones included."""
        return len(asset_of(arg0).joints)

    def get_asset_joint_names(self, arg0: handles.Asset) -> list[str]:
        """Return the names of the joints, depth first."""
        return [joint.name for joint in asset_of(arg0).joints]

    def get_asset_joint_name(self, arg0: handles.Asset, arg1: int) -> str:
        """Return the name of the joint ``arg1``."""
        joints = asset_of(arg0).joints
        return joints[index_of("joint index", arg1, len(joints))].name

    def get_asset_joint_type(self, arg0: handles.Asset, arg1: int) -> JointType:
        """Return the kind of the joint ``arg1``."""
        joints = asset_of(arg0).joints
        return joints[index_of("joint index", arg1, len(joints))].type

    def get_asset_joint_dict(self, arg0: handles.Asset) -> dict[str, int]:
        """Return the indices of the joints by name."""
        return _by_name(self.get_asset_joint_names(arg0))

    def find_asset_joint_index(self, arg0: handles.Asset, arg1: str) -> int:
        """Return the index of a joint, -1 where none has that name."""
        return index_in(self.get_asset_joint_names(arg0), arg1)

    def get_joint_type_string(self, arg0: JointType) -> str:
        """Return the kind of a joint as a word: "Revolute"."""
        return _word("joint type", arg0, JointType)

    # --- degrees of freedom --------------------------------------------------------------------

    def get_asset_dof_count(self, arg0: handles.Asset) -> int:
        """Return the number of degrees of freedom."""
        return len(asset_of(arg0).dofs)

    def get_asset_dof_names(self, arg0: handles.Asset) -> list[str]:
        """Return the names of the degrees of freedom, depth first."""
        return [dof.name for dof in asset_of(arg0).dofs]

    def get_asset_dof_name(self, arg0: handles.Asset, arg1: int) -> str:
        """Return the name of the degree of freedom ``arg1``."""
        dofs = asset_of(arg0).dofs
        return dofs[index_of("DOF index", arg1, len(dofs))].name

    def get_asset_dof_type(self, arg0: handles.Asset, arg1: int) -> DofType:
        """Return how the degree of freedom ``arg1`` moves."""
        dofs = asset_of(arg0).dofs
        return dofs[index_of("DOF index", arg1, len(dofs))].type

    def get_asset_dof_dict(self, arg0: handles.Asset) -> dict[str, int]:
        """Return the indices of the degrees of freedom by name."""
        return _by_name(self.get_asset_dof_names(arg0))

    def find_asset_dof_index(self, arg0: handles.Asset, arg1: str) -> int:
        """Return the index of a degree of freedom, -1 where none has that name."""
        return index_in(self.get_asset_dof_names(arg0), arg1)

    def get_asset_dof_properties(self, arg0: handles.Asset) -> Any:
        """Return a copy of what the degrees of freedom of new actors are like.

        Returns:
            Records with hasLimits, lower, upper [m, rad], driveMode, velocity [m/s, rad/s],
            effort [N, Nm], stiffness, damping, friction (a share) and armature [kg, kg m^2]. What
            the file does not limit is limited at the largest number of single precision.
        """
        return asset_of(arg0).dof_properties.copy()

    def get_dof_type_string(self, arg0: DofType) -> str:
        """Return how a degree of freedom moves as a word: "Rotation"."""
        return _word("DOF type", arg0, DofType)

    # --- shapes --------------------------------------------------------------------------------

    def get_asset_rigid_shape_count(self, arg0: handles.Asset) -> int:
        """Return the number of collision shapes."""
        return len(asset_of(arg0).shapes)

    def get_asset_rigid_body_shape_indices(self, arg0: handles.Asset) -> list[IndexRange]:
        """Return which of the collision shapes belong to each rigid body."""
        model = asset_of(arg0)
        counts = [0] * len(model.body_names)
        for shape in model.shapes:
            counts[shape.body] += 1
        ranges: list[IndexRange] = []
        start = 0
        for count in counts:
            found = IndexRange()
            found.start, found.count = start, count
            ranges.append(found)
            start += count
        return ranges

    def get_asset_rigid_shape_properties(self, arg0: handles.Asset) -> list[RigidShapeProperties]:
        """Return copies of what the collision shapes of new actors are like."""
        return deepcopy(asset_of(arg0).shape_properties)

    def set_asset_rigid_shape_properties(
        self, arg0: handles.Asset, arg1: list[RigidShapeProperties]
    ) -> bool:
        """Change what the collision shapes of new actors are like; actors there are stay.

        Raises:
            ArgumentTypeError: They are no ``RigidShapeProperties``.
            InvalidArgumentError: There are more or fewer than collision shapes.
        """
        model = asset_of(arg0)
        count = len(model.shape_properties)
        model.shape_properties = copies_of("shape properties", arg1, RigidShapeProperties, count)
        return True


def _by_name(names: Sequence[str]) -> dict[str, int]:
    return {name: index for index, name in enumerate(names)}


def _word(name: str, value: Any, kind: type[JointType] | type[DofType]) -> str:
    if not isinstance(value, kind):
        raise ArgumentTypeError(name, value, f"a gymapi.{kind.__name__}")
    return value.name.split("_", 1)[1].capitalize()
