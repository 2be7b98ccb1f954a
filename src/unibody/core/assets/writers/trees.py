"""Assets in the forms that the formats have in common, before they are written."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

from unibody.core.assets.description import (
    Asset,
    Drive,
    Inertial,
    Joint,
    JointType,
    Link,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.assets.link_order import parents_first
from unibody.core.assets.link_tree import renumbered
from unibody.core.assets.mass.defaults import complete
from unibody.core.assets.transforms import pose_multiply
from unibody.core.assets.writers.losses import Losses
from unibody.errors import AssetError, InvalidArgumentError

DENSITY = 1000.0  # kg/m^3, MuJoCo's
_ONE_AXIS = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


def prepared(asset: Asset) -> Asset:
    """A copy, parents first, with masses in place of densities.

    Raises:
        AssetError: A mass or density is negative.
    """
    copy = deepcopy(asset)
    copy.links = renumbered(copy.links, parents_first(copy.links))
    dense = [link for link in copy.links if link.inertial.density]
    complete(replace(copy, links=dense), DENSITY)
    return copy


def the_one_model(assets: list[Asset], name: str, file: str, losses: Losses) -> Asset:
    """The model that goes into a file that holds one.

    Args:
        assets: Those there are.
        name: Of the one that is asked for, "": the one that is not the world.
        file: Where they are from, for messages.
        losses: The others are noted there.

    Raises:
        InvalidArgumentError: None, or several, are meant.
    """
    names = [asset.name for asset in assets]
    chosen = [asset for asset in assets if asset.name == name]
    if not name:
        chosen = [asset for asset in assets if not asset.static] or assets
    if len(chosen) != 1:
        problem = f"one of the models of {file}: {', '.join(map(repr, names))}"
        raise InvalidArgumentError("model", name, problem)
    for asset in assets:
        if asset is not chosen[0]:
            losses.add(f"a {losses.target} file holds one model, left out", repr(asset.name))
    return chosen[0]


def without_anchors(asset: Asset) -> None:
    """Give joints that do not go through their link's origin a link without mass of their own."""
    links: list[Link] = []
    place: dict[int, int] = {}
    for number, link in enumerate(asset.links):
        if link.parent >= 0:
            link.parent = place[link.parent]
        joint = link.joint
        if number and any(joint.anchor) and joint.type is not JointType.FIXED:
            x, y, z = joint.anchor
            shift = Pose((x, y, z))
            moving = replace(
                joint, anchor=(0.0, 0.0, 0.0), origin=pose_multiply(joint.origin, shift)
            )
            name = f"{link.name}/{joint.name}"
            links.append(Link(name, link.parent, moving, Inertial(stated=False)))
            link.parent = len(links) - 1
            link.joint = Joint(f"{link.name}/fixed", origin=Pose((-x, -y, -z)))
        place[number] = len(links)
        links.append(link)
    asset.links = links


def limited(joint: Joint) -> bool:
    """Whether a joint with one axis has limits."""
    if joint.type not in (JointType.REVOLUTE, JointType.PRISMATIC):
        return False
    unbounded = joint.lower == -float("inf") and joint.upper == float("inf")
    return joint.lower <= joint.upper and not unbounded


def bounded(value: float) -> bool:
    """Whether a largest force or speed is stated: zero and infinity stand for none."""
    return 0.0 < value < float("inf")


def drives_something(drive: Drive) -> bool:
    """Whether a drive is more than the place of a largest force."""
    return bool(drive.stiffness or drive.damping)


def has_one_axis(joint: Joint) -> bool:
    """Whether a joint turns about, or slides along, one axis."""
    return joint.type in _ONE_AXIS


def is_frame(link: Link) -> bool:
    """Whether a link is a frame alone, without mass and shapes."""
    inertial = link.inertial
    empty = not inertial.mass and not any(inertial.inertia)
    return empty and not link.visuals and not link.collisions


def joint_names(asset: Asset) -> list[str]:
    """A name for the joint of each link, all different; the one of the base is ""."""
    taken: set[str] = {""}
    names = [""]
    for link in asset.links[1:]:
        names.append(unique(link.joint.name or f"{link.name}_joint", taken))
    return names


def unique(name: str, taken: set[str]) -> str:
    """A name that is not taken, which is taken then: with a number behind it, if need be."""
    choice, number = name, 1
    while choice in taken:
        choice, number = f"{name}_{number}", number + 1
    taken.add(choice)
    return choice


def check_names(asset: Asset, file: str) -> None:
    """Refuse links of one name.

    Raises:
        AssetError: Two links have the same name, or one has none.
    """
    seen: set[str] = set()
    for link in asset.links:
        if not link.name or link.name in seen:
            raise AssetError(file, f"link {link.name!r}", "has no name of its own")
        seen.add(link.name)


def can_write(shape: Shape, where: str, losses: Losses, refused: tuple[ShapeKind, ...]) -> bool:
    """Whether a format has a kind of shape; one that it does not have is noted as left out."""
    if shape.kind in refused:
        losses.add(f"{losses.target} has no {shape.kind.value}, left out", where)
        return False
    return True


def note_common_losses(asset: Asset, losses: Losses) -> None:
    """Note what none of the text formats of single robots has a place for."""
    for link in asset.links[1:]:
        joint, where = link.joint, f"joint {link.joint.name!r}"
        if any(drives_something(drive) for drive in joint.drives):
            losses.add(f"{losses.target} has no drives, left out", where)
        if joint.armature:
            losses.add(f"{losses.target} has no armature, left out", where)
        if joint.start:
            losses.add("begins at 0 in place of its position in the file", where)
    for what, found in (
        ("actuators", [item.name for item in asset.actuators]),
        ("fixed tendons", [item.name for item in asset.tendons]),
        ("loops", [item.joint.name for item in asset.loops]),
        ("pairs that do not collide", [f"{a}-{b}" for a, b in asset.excluded]),
    ):
        for name in found:
            losses.add(f"{losses.target} has no {what}, left out", repr(name))
