"""The SDF reader with SDFormat's rules: frames, included and nested models, all joint types."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace

from unibody.core.assets.description import Asset, Inertial, Joint, JointType, Link, Pose, Shape
from unibody.core.assets.sdf.frames import ROOT, Frames
from unibody.core.assets.sdf.joint import read_joint
from unibody.core.assets.sdf.link import read_link, value_of
from unibody.core.assets.transforms import (
    pose_inverse,
    pose_multiply,
    quat_conjugate,
    quat_multiply,
    quat_rotate,
)
from unibody.core.assets.urdf.joint import JointEntry
from unibody.core.assets.urdf.node import Node
from unibody.core.assets.urdf.tree import order_links
from unibody.core.assets.xml import read_xml

_MODEL = "__model__"
_WORLD = "world"
_DEEPEST = 20  # models in models, by nesting or by inclusion


@dataclass(slots=True)
class _Model:
    """One top-level model with everything nested in it; names inside are "inner::name"."""

    frames: Frames
    links: dict[str, Link] = field(default_factory=dict[str, Link])
    joints: list[tuple[Node, str]] = field(default_factory=list[tuple[Node, str]])


def read_native(root: Node) -> list[Asset]:
    """Reads an ``<sdf>`` element as SDFormat defines it.

    A model whose links are not all connected gives one asset for each connected group, named
    "model::link" after its first link. A joint whose frame is not its child's link, and each axis
    of a universal joint beyond the first, is a link without mass of its own.

    Args:
        root: The element.

    Raises:
        AssetError: The file breaks SDFormat's rules, or says what an ``Asset`` cannot hold.
    """
    assets: list[Asset] = []
    for scope in (*root.children("world"), root):
        frames = Frames(_WORLD)
        models: list[tuple[Node, str]] = []
        for node, name in _models(scope, 0):
            frames.add(name, node)
            models.append((node, name))
        for node in scope.children("frame"):
            frames.add(node.name(), node, node.get("attached_to") or ROOT)
        for node, name in models:
            assets += _assets(node, name, frames.pose(name, node))
    return assets


def _models(scope: Node, depth: int) -> list[tuple[Node, str]]:
    """The models that stand directly in a scope, with included files opened, and their names."""
    if depth > _DEEPEST:
        raise scope.error(f"models nested deeper than {_DEEPEST}")
    models: list[tuple[Node, str]] = []
    for child in scope.element:
        node = replace(scope, element=child)  # pyright: ignore[reportArgumentType]
        if child.tag == "model":
            models.append((node, node.name()))
        elif child.tag == "include":
            models.append(_open(node))
    return models


def _open(include: Node) -> tuple[Node, str]:
    """The model of an included file, with the name, pose and ``static`` of the inclusion."""
    uri = value_of(include, "uri")
    if uri is None:
        raise include.error("has no <uri>")
    context = include.context
    found = _find(uri, uri.require("text").strip())
    root = Node(read_xml(found, context.limits, root="sdf"), "", replace(context, referrer=found))
    model = root.child("model")
    if model is None:
        raise include.error(f"{found} has no <model>")
    element = type(model.element)(model.element.tag, dict(model.element.attrib))
    element.line = model.element.line
    for tag in ("pose", "static"):
        over = include.element.find(tag)
        own = over if over is not None else model.element.find(tag)
        if own is not None:
            element.append(own)
    element.extend(child for child in model.element if child.tag not in ("pose", "static"))
    name = value_of(include, "name")
    model = replace(model, element=element)
    return model, name.require("text").strip() if name is not None else model.name()


def _find(uri: Node, text: str) -> str:
    """The file that a URI means: itself, or the one that its folder's model.config names."""
    context = uri.context

    def resolve(name: str) -> str | None:
        return context.search_path.resolve(name, referrer=context.referrer, element=uri.label())

    found = resolve(text) if text.endswith((".sdf", ".xml", ".world")) else None
    if found is None:
        config = resolve(f"{text}/model.config")
        if config is not None:
            root = Node(read_xml(config, context.limits, root="model"), "", context)
            named = value_of(root, "sdf")
            if named is not None:
                found = resolve(
                    os.path.join(os.path.dirname(config), named.require("text").strip())
                )
    found = found or resolve(f"{text}/model.sdf")
    if found is None:
        raise uri.error(f"model {text!r} not found")
    return found


def _assets(node: Node, name: str, placed: Pose) -> list[Asset]:
    node = node.at(f"model {name!r}")
    model = _Model(Frames())
    _collect(node, model, "", Pose(), 0)
    if not model.links:
        raise node.error("has no <link>")
    static = _is_true(node, "static")
    entries = [entry for joint, prefix in model.joints for entry in _entries(joint, prefix, model)]
    grounded = {entry.child: entry for entry in entries if entry.parent not in model.links}
    inner = [entry for entry in entries if entry.parent in model.links]
    groups = _groups(model.links, inner)
    assets: list[Asset] = []
    for number, group in enumerate(groups):
        links = {key: model.links[key] for key in model.links if key in group}
        joints = [entry for entry in inner if entry.child in group or entry.parent in group]
        ordered = order_links(node, links, joints, maintain_order=False)
        asset = Asset(name if number == 0 else f"{name}::{ordered[0].name}", ordered)
        base = model.frames.pose(ordered[0].name, node)
        asset.pose = pose_multiply(placed, base)
        asset.static = static
        asset.fixed_base = static or ordered[0].name in grounded
        asset.self_collision = _is_true(node, "self_collide")
        entry = grounded.get(ordered[0].name)
        if entry is not None and entry.joint.type is not JointType.FIXED:
            _ground(asset, entry.joint)
        assets.append(asset)
    return assets


def _is_true(node: Node, tag: str) -> bool:
    value = value_of(node, tag)
    return value is not None and value.require("text").strip() in ("1", "true")


def _ground(asset: Asset, joint: Joint) -> None:
    """Puts a fixed link without mass under a base that moves relative to the world."""
    joint.origin = Pose()
    for link in asset.links:
        link.parent += 1
    asset.links[0].joint = joint
    asset.links.insert(0, Link(f"{asset.links[0].name}/root", inertial=Inertial(stated=False)))


def _collect(node: Node, model: _Model, prefix: str, placed: Pose, depth: int) -> None:
    """Enters links, joints and frames of a model and of the models in it.

    Args:
        node: The model.
        model: Where they are entered.
        prefix: Put in front of the names inside ("inner::").
        placed: Pose of the model in the top-level model.
        depth: How many models this one is in.
    """
    scope = Frames()
    scope.place(_MODEL, Pose(), ROOT, node)
    links = [(child, read_link(child, strict=False)) for child in node.children("link")]
    if len(model.links) + len(links) > node.context.limits.links:
        raise node.error(f"more than {node.context.limits.links} links")
    for child, link in links:
        scope.add(link.name, child, _MODEL)
    later = [child for child in node.children("joint") if not _add_joint(child, scope)]
    frames = node.children("frame")
    for child in frames:
        scope.add(child.name(), child, child.get("attached_to") or _MODEL)
    inner = _models(node, depth)
    for child, name in inner:
        scope.add(name, child, _MODEL)
    for child, link in links:
        _place_shapes(child, link, scope)
        own = scope.pose(link.name, child)
        link.name = prefix + link.name
        model.links[link.name] = link
        model.frames.place(link.name, pose_multiply(placed, own), ROOT, child)
    for child, name in inner:
        own = pose_multiply(placed, scope.pose(name, child))
        _collect(child, model, f"{prefix}{name}::", own, depth + 1)
    for child in later:
        _add_nested_joint(child, scope, model, prefix, placed)
    for child in node.children("joint"):
        model.joints.append((child, prefix))
        own = scope.pose(child.name(), child)
        model.frames.place(f"{prefix}{child.name()}/joint", pose_multiply(placed, own), ROOT, child)
    for name, child in ((_MODEL, node), *((child.name(), child) for child in frames)):
        own = pose_multiply(placed, scope.pose(name, child))
        model.frames.place(prefix + name, own, ROOT, child)


def _add_joint(node: Node, scope: Frames) -> bool:
    """Enters the frame of a joint unless it belongs to a link of a model further in."""
    entry = read_joint(node, strict=False)
    if "::" in entry.child:
        return False
    scope.add(entry.joint.name, node, entry.child if entry.child != _WORLD else _MODEL)
    return True


def _add_nested_joint(node: Node, scope: Frames, model: _Model, prefix: str, placed: Pose) -> None:
    entry = read_joint(node, strict=False)
    inner = model.frames.pose(prefix + entry.child, node)
    key = f"{entry.joint.name}/child"
    scope.place(key, pose_multiply(pose_inverse(placed), inner), ROOT, node)
    scope.add(entry.joint.name, node, key)


def _place_shapes(node: Node, link: Link, scope: Frames) -> None:
    """Turns poses of shapes that are relative to another frame into poses in the link."""
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        found = [child for child in node.children(tag) if not _is_empty(child)]
        for child, shape in zip(found, shapes, strict=True):
            _place_shape(child, shape, link.name, scope)


def _is_empty(node: Node) -> bool:
    geometry = node.child("geometry")
    first = None if geometry is None else geometry.first()
    return first is not None and first.element.tag == "empty"


def _place_shape(node: Node, shape: Shape, link: str, scope: Frames) -> None:
    pose = node.child("pose")
    relative = None if pose is None else pose.get("relative_to")
    if relative and relative != link:
        here = pose_inverse(scope.pose(link, node))
        shape.pose = pose_multiply(pose_multiply(here, scope.pose(relative, node)), shape.pose)


def _entries(node: Node, prefix: str, model: _Model) -> list[JointEntry]:
    """A joint as links and joints of a tree, its frames worked out."""
    entry = read_joint(node, strict=False)
    grounded = entry.parent == _WORLD and prefix + _WORLD not in model.links
    parent = _WORLD if grounded else _link_of(entry.parent, prefix, model, node)
    child = _link_of(entry.child, prefix, model, node)
    name = prefix + entry.joint.name
    entry.joint.name = name
    own = model.frames.pose(f"{name}/joint", node)
    _turn_axis(node.child("axis") or node, entry.joint, prefix, model)
    above = Pose() if grounded else model.frames.pose(parent, node)
    below = model.frames.pose(child, node)
    chain = [entry.joint]
    if node.get("type") in ("universal", "revolute2"):
        second = read_joint(node, strict=False, axis="axis2").joint
        second.name = f"{name}/axis2"
        _turn_axis(node.child("axis2") or node, second, prefix, model)
        chain.append(second)
    offset = pose_multiply(pose_inverse(own), below)
    if not _is_identity(offset) and entry.joint.type is not JointType.FIXED:
        chain.append(Joint(f"{name}/fixed", JointType.FIXED, offset))
    elif entry.joint.type is JointType.FIXED:
        own = below
    return _chain(chain, (parent, child), pose_multiply(pose_inverse(above), own), node, model)


def _chain(
    joints: list[Joint], ends: tuple[str, str], first: Pose, node: Node, model: _Model
) -> list[JointEntry]:
    """Joints one after another with links without mass between them."""
    entries: list[JointEntry] = []
    parent, here = ends[0], model.frames
    for number, joint in enumerate(joints):
        last = number == len(joints) - 1
        if number == 0:
            joint.origin = first
        child = ends[1] if last else f"{joint.name}/link"
        if not last:
            model.links[child] = Link(child, inertial=Inertial(stated=False))
            here.place(child, here.pose(f"{joints[0].name}/joint", node), ROOT, node)
        entries.append(JointEntry(joint, parent, child, node))
        parent = child
    return entries


def _link_of(name: str, prefix: str, model: _Model, node: Node) -> str:
    full = prefix + name
    if full not in model.links:
        raise node.error(f"link {name!r} does not exist in its model")
    return full


def _turn_axis(node: Node, joint: Joint, prefix: str, model: _Model) -> None:
    """Expresses the axis in the joint's frame.

    Args:
        node: The ``<axis>`` or ``<axis2>``, or the ``<joint>`` where it has none.
        joint: The joint.
        prefix: Prefix of the names of the model that the joint is in.
        model: The model with its frames.
    """
    if node.element.tag == "joint" or joint.type in (JointType.FIXED, JointType.SPHERICAL):
        return
    xyz = node.child("xyz")
    if xyz is None:
        joint.axis = (0.0, 0.0, 1.0)  # SDFormat's default
        return
    expressed = xyz.get("expressed_in")
    if expressed is None and _is_true(node, "use_parent_model_frame"):
        expressed = _MODEL
    if expressed:
        own = model.frames.pose(f"{joint.name.removesuffix('/axis2')}/joint", node)
        frame = model.frames.pose(prefix + expressed, node)
        joint.axis = quat_rotate(quat_multiply(quat_conjugate(own.quat), frame.quat), joint.axis)


def _is_identity(pose: Pose) -> bool:
    return max(map(abs, (*pose.pos, *pose.quat[1:]))) < 1e-12


def _groups(links: dict[str, Link], joints: list[JointEntry]) -> list[set[str]]:
    """Connected groups of links in the order of their first links."""
    near: dict[str, list[str]] = {name: [] for name in links}
    for entry in joints:
        near[entry.parent].append(entry.child)
        near[entry.child].append(entry.parent)
    groups: list[set[str]] = []
    seen: set[str] = set()
    for name in links:
        if name in seen:
            continue
        group, pending = {name}, [name]
        while pending:
            fresh = [other for other in near[pending.pop()] if other not in group]
            group.update(fresh)
            pending += fresh
        seen |= group
        groups.append(group)
    return groups
