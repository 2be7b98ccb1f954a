"""From bodies and joints to trees of links."""

from __future__ import annotations

from dataclasses import replace

from unibody.core.assets.description import (
    Asset,
    ContactParameters,
    Inertial,
    Joint,
    JointType,
    Link,
    LoopJoint,
    Pose,
)
from unibody.core.assets.transforms import pose_inverse, pose_multiply
from unibody.core.assets.usd.joints import UsdJoint
from unibody.core.assets.usd.stage import Articulation, Contents, UsdBody
from unibody.core.assets.usd.tendons import build_tendons
from unibody.core.assets.usd.units import Units
from unibody.errors import AssetError

_PRIM = "prim_path"  # a note of links that are bodies of the stage


def build_assets(contents: Contents, units: Units) -> list[Asset]:
    """One asset for each group of joined bodies; what belongs to none comes first, as "world".

    Raises:
        AssetError: A joint names a body that is none, or more than one body of a group is fixed.
    """
    assets: list[Asset] = []
    world = contents.world
    if world.visuals or world.collisions:
        link = _link(world, "world", -1, Joint())
        link.inertial = Inertial(stated=False)
        pose = units.upright(Pose())
        assets.append(Asset("world", [link], pose=pose, fixed_base=True, static=True))
    near: dict[str, list[UsdJoint]] = {path: [] for path in contents.bodies}
    for joint in contents.joints:
        for path in (joint.first, joint.second):
            if path and path not in near:
                raise AssetError(units.file, joint.path, f"{path} is not a rigid body")
            if path:
                near[path].append(joint)
    done: set[str] = set()
    for path in contents.bodies:
        if path not in done:
            group = _group(path, near)
            done |= group
            assets.append(_Tree(contents, units, near, group).build())
    return assets


def _group(start: str, near: dict[str, list[UsdJoint]]) -> set[str]:
    """The bodies that joints connect with one, itself included."""
    found, stack = {start}, [start]
    while stack:
        for joint in near[stack.pop()]:
            for path in (joint.first, joint.second):
                if path and path not in found:
                    found.add(path)
                    stack.append(path)
    return found


def _link(body: UsdBody, name: str, parent: int, joint: Joint) -> Link:
    link = Link(name, parent, joint, body.inertial, body.visuals, body.collisions)
    link.notes = body.notes
    surface = next((s.surface for s in body.collisions if s.surface is not None), None)
    if surface is not None:
        link.contact = ContactParameters(
            lateral_friction=surface.dynamic_friction, restitution=surface.restitution
        )
    return link


class _Tree:
    """One group of joined bodies becoming one asset."""

    def __init__(
        self,
        contents: Contents,
        units: Units,
        near: dict[str, list[UsdJoint]],
        group: set[str],
    ) -> None:
        self.contents = contents
        self.units = units
        self.near = near
        self.order = [path for path in contents.bodies if path in group]
        self.articulation = self._articulation(group)
        self.links: list[Link] = []
        self.names: dict[str, str] = {}  # body -> link
        self.places: dict[str, int] = {}  # body -> index of the link
        self.taken: set[str] = set()
        self.used: set[str] = set()  # paths of joints

    def build(self) -> Asset:
        """The asset."""
        units, bodies = self.units, self.contents.bodies
        root, anchor = self._root()
        fixed, pose = True, Pose()
        if anchor is None or not anchor.freedoms:
            self._add(bodies[root], -1, Joint())
            fixed = anchor is not None or bodies[root].fixed
            pose = Pose(self._metres(bodies[root].pose).pos, bodies[root].pose.quat)
        else:  # the world, which the body moves against
            name = self._name(f"{_tail(root)}/root")
            self.links.append(Link(name, inertial=Inertial(stated=False)))
            self._join(anchor, 0, Pose())
        if anchor is not None:
            self.used.add(anchor.path)
            if not anchor.freedoms:
                held = self.links[0]
                held.notes = (*held.notes, ("joint_prim_path", anchor.path))
        self._grow(root)
        self._hold_others()
        asset = Asset(self._asset_name(root), self.links, pose=units.upright(pose))
        asset.fixed_base = fixed
        asset.articulation = self.articulation is not None
        if self.articulation is not None:
            asset.self_collision = self.articulation.self_collision
            asset.notes = (("prim_path", self.articulation.path),)
        self._close_loops(asset)
        axes = [axis for axis in self.contents.tendon_axes if axis.path in self.used]
        asset.tendons = build_tendons(axes, asset.links, units)
        pairs = {(a, b) for a, b in self.contents.filtered if a in self.names and b in self.names}
        asset.excluded += sorted((self.names[a], self.names[b]) for a, b in pairs)
        return asset

    def _articulation(self, group: set[str]) -> Articulation | None:
        return next((a for a in self.contents.articulations if a.bodies & group), None)

    def _asset_name(self, root: str) -> str:
        path = root if self.articulation is None else self.articulation.path
        parts = [part for part in path.split("/") if part]
        return parts[-1] if parts else "robot"

    def _root(self) -> tuple[str, UsdJoint | None]:
        """The body the tree begins with, and the joint that holds it to the world."""
        bodies = self.contents.bodies
        still = [path for path in self.order if bodies[path].fixed]
        if len(still) > 1:
            problem = f"is joined with {still[1]}, and neither moves by itself"
            raise AssetError(self.units.file, still[0], problem)
        anchors = [
            joint if not joint.first else joint.reversed()
            for path in self.order
            for joint in self.near[path]
            if not (joint.first and joint.second) and joint.in_tree
        ]
        if still:
            return still[0], None
        stated = "" if self.articulation is None else self.articulation.path
        for anchor in anchors:
            if stated in (anchor.path, anchor.second):
                return anchor.second, anchor
        if stated in self.order and not anchors:
            return stated, None
        if anchors:
            anchor = next((a for a in anchors if not a.freedoms), anchors[0])
            return anchor.second, anchor
        seconds = {joint.second for path in self.order for joint in self.near[path]}
        return next((path for path in self.order if path not in seconds), self.order[0]), None

    def _grow(self, root: str) -> None:
        """Adds all bodies that can be reached, depth first."""
        stack = self._joints_from(root)
        while stack:
            joint = stack.pop()
            if joint.path in self.used or joint.second in self.names:
                continue
            self.used.add(joint.path)
            self._join(joint, self.places[joint.first], self.contents.bodies[joint.first].pose)
            stack += self._joints_from(joint.second)

    def _hold_others(self) -> None:
        """Adds bodies that only loops connect with the root and that the world holds, too."""
        if _PRIM in dict(self.links[0].notes):
            return  # the root is a body, and has no place for the world
        for path in self.order:
            for joint in self.near[path]:
                anchor = joint if not joint.first else joint.reversed()
                free = joint.in_tree and joint.path not in self.used and path not in self.names
                if not anchor.first and free:
                    self.used.add(anchor.path)
                    self._join(anchor, 0, Pose())
                    self._grow(path)

    def _joints_from(self, path: str) -> list[UsdJoint]:
        """Joints of the tree that lead away from a body; the last one comes first in the stage."""
        found = [
            joint if joint.first == path else joint.reversed()
            for joint in self.near[path]
            if joint.first and joint.second and joint.in_tree
        ]
        return found[::-1]

    def _join(self, joint: UsdJoint, parent: int, above: Pose) -> None:
        """Adds the second body of a joint, and a link more for each axis beyond the first."""
        body = self.contents.bodies[joint.second]
        relative = pose_multiply(pose_inverse(self._metres(above)), self._metres(body.pose))
        if joint.simple:
            plain = joint.tree_joint()
            plain.start = joint.start_of(relative)
            self._add(body, parent, plain)
        else:
            origin = joint.first_frame
            for freedom in joint.freedoms:
                suffix = f":{freedom.suffix}" if len(joint.freedoms) > 1 else ""
                part = replace(freedom.joint, name=joint.name + suffix, origin=origin)
                if len(joint.freedoms) == 1:
                    part.start = joint.start_of(relative)
                name = self._name(f"{_tail(joint.second)}/{part.name}")
                self.links.append(Link(name, parent, part, Inertial(stated=False)))
                parent, origin = len(self.links) - 1, Pose()
            rest = pose_inverse(joint.second_frame)
            fixed = Joint(f"{joint.name}/fixed", JointType.FIXED, rest)
            self._add(body, parent, fixed)
        link = self.links[-1]
        link.notes = (*link.notes, ("joint_prim_path", joint.path))
        if joint.collide:
            link.notes = (*link.notes, ("physics:collisionEnabled", "True"))

    def _add(self, body: UsdBody, parent: int, joint: Joint) -> None:
        name = self._name(body.name or _tail(body.path), body.path)
        self.names[body.path] = name
        self.places[body.path] = len(self.links)
        self.links.append(_link(body, name, parent, joint))

    def _name(self, wanted: str, path: str = "") -> str:
        """A name that no other link has: longer pieces of the path, then numbers."""
        parts = path.split("/")
        choices = ["/".join(parts[-count:]) for count in range(2, len(parts))]
        choices += [f"{wanted}_{number}" for number in range(1, len(self.links) + 2)]
        name = next(item for item in (wanted, *choices) if item not in self.taken)
        self.taken.add(name)
        return name

    def _metres(self, pose: Pose) -> Pose:
        x, y, z = pose.pos
        factor = self.units.length
        return Pose((x * factor, y * factor, z * factor), pose.quat)

    def _close_loops(self, asset: Asset) -> None:
        """Joints that the tree has no place for."""
        for path in self.order:
            for joint in self.near[path]:
                if joint.path in self.used:
                    continue
                self.used.add(joint.path)
                if len(joint.freedoms) > 1:
                    problem = "closes a loop with more than one axis, which nothing here can hold"
                    raise AssetError(self.units.file, joint.path, problem)
                inner = joint.freedoms[0].joint if joint.freedoms else Joint()
                asset.loops.append(
                    LoopJoint(
                        replace(inner, name=joint.name),
                        self.names.get(joint.first, ""),
                        joint.first_frame,
                        self.names.get(joint.second, ""),
                        joint.second_frame,
                        joint.path,
                    )
                )
                if not joint.collide and joint.first and joint.second:
                    asset.excluded.append((self.names[joint.first], self.names[joint.second]))


def _tail(path: str) -> str:
    return path.rsplit("/", maxsplit=1)[-1]
