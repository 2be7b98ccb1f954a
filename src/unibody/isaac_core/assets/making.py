"""Assets made by their recipes: read, changed as the recipe says, and written as a stage."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from unibody.core.assets.description import Asset, Drive, Joint
from unibody.core.assets.link_tree import renumbered
from unibody.core.assets.load import load_assets
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.suffixes import USD
from unibody.core.assets.writers.folder import OutputFolder
from unibody.core.assets.writers.usd_writer import write_usd
from unibody.isaac_core.assets.table import Recipe, Source

_PHYSX = "PhysxArticulationAPI"


def make(recipe: Recipe, source: Source, file: Path, target: Path) -> None:
    """Make an asset.

    Args:
        recipe: How.
        source: What it is made from.
        file: Where that is.
        target: The file that is written; images lie in a folder beside it.

    Raises:
        AssetError: The source cannot be read.
        OSError: The target cannot be written.
    """
    from pxr import Sdf

    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as place:
        made = Path(place) / target.name
        if file.suffix in USD:
            layer = Sdf.Layer.OpenAsAnonymous(str(file))
        else:
            _convert(recipe, file, made)
            layer = Sdf.Layer.OpenAsAnonymous(str(made))
            _move_joints(layer, recipe.joints)
            _move_links(layer, recipe.scopes)
            _mark_articulations(layer)
            _add(layer, recipe)
        layer.comment = f"Made by unibody from {source.name}; it stands for {recipe.paths[0]}"
        layer.Export(str(made))
        images = made.with_name(f"{target.stem}_files")
        if images.is_dir():
            shutil.copytree(images, target.with_name(images.name), dirs_exist_ok=True)
        os.replace(made, target)


def _convert(recipe: Recipe, file: Path, made: Path) -> None:
    assets = load_assets(file, SearchPath((str(file.parent),), confined=False))
    robot = next((asset for asset in assets if not asset.static), assets[0])
    robot.name = made.stem
    if recipe.fixed is not None:
        robot.fixed_base = recipe.fixed
    if recipe.self_collision is not None:
        robot.self_collision = recipe.self_collision
    _leave_out(robot, recipe.without)
    start = dict(recipe.start)
    for link in robot.links[1:]:
        link.joint.start = start.get(link.joint.name, link.joint.start)
    for drive in recipe.drives:
        for link in robot.links[1:]:
            if re.fullmatch(drive.pattern, link.joint.name):
                joint = link.joint
                joint.drives = (_drive(joint, drive.max_force, drive),)
                joint.damping = joint.friction = 0.0  # the drive has it
    write_usd([robot], OutputFolder(str(made)))


def _drive(joint: Joint, max_force: float, drive: Any) -> Drive:
    limit = max_force or joint.effort or float("inf")
    return Drive(drive.stiffness, drive.damping, limit, joint.start, 0.0, drive.acceleration)


def _leave_out(robot: Asset, names: tuple[str, ...]) -> None:
    kept = [number for number, link in enumerate(robot.links) if link.name not in names]
    robot.links = renumbered(robot.links, kept)


def _move_joints(layer: Any, where: str) -> None:
    """Put the joints of a model below their first or second body, as the original has them."""
    root = layer.GetPrimAtPath(f"/{layer.defaultPrim}")
    scope = layer.GetPrimAtPath(root.path.AppendChild("joints"))
    if not where or not scope:
        return
    moved: dict[Any, Any] = {}
    for joint in list(scope.nameChildren):
        bodies = [_target(joint, f"physics:body{number}") for number in (0, 1)]
        owner = bodies[0] if where == "parents" else bodies[1]
        if bodies[0] == root.path:
            continue
        moved[joint.path] = owner.AppendChild(joint.name)
    _move(layer, root.path, moved)


def _move_links(layer: Any, scopes: tuple[tuple[str, str], ...]) -> None:
    """Put links below prims between them and the root."""
    from pxr import Sdf

    if not scopes:
        return
    root = layer.GetPrimAtPath(f"/{layer.defaultPrim}")
    moved: dict[Any, Any] = {}
    for name, pattern in scopes:
        scope = Sdf.PrimSpec(root, name, Sdf.SpecifierDef, "Xform")
        for link in list(root.nameChildren):
            if link != scope and re.fullmatch(pattern, link.name):
                moved[link.path] = scope.path.AppendChild(link.name)
    _move(layer, root.path, moved)


def _mark_articulations(layer: Any) -> None:
    """Apply PhysX's schema to articulations, as the originals do: scripts set its attributes."""
    from pxr import Sdf

    def mark(path: Any) -> None:
        prim = layer.GetPrimAtPath(path) if path.IsPrimPath() else None
        if prim is None or not prim.HasInfo("apiSchemas"):
            return
        names = list(prim.GetInfo("apiSchemas").GetAppliedItems())
        if "PhysicsArticulationRootAPI" in names and _PHYSX not in names:
            prim.SetInfo("apiSchemas", Sdf.TokenListOp.Create(prependedItems=[*names, _PHYSX]))

    layer.Traverse(Sdf.Path.absoluteRootPath, mark)


def _add(layer: Any, recipe: Recipe) -> None:
    """Add the prims of another file."""
    from pxr import Sdf, UsdUtils

    if recipe.more:
        UsdUtils.StitchLayers(layer, Sdf.Layer.OpenAsAnonymous(str(recipe.more_file())))


def _move(layer: Any, root: Any, moved: dict[Any, Any]) -> None:
    """Give prims other paths, and let relationships follow them."""
    from pxr import Sdf

    edits = Sdf.BatchNamespaceEdit()
    for old, new in moved.items():
        edits.Add(old, new)
    layer.Apply(edits)

    def renamed(path: Any) -> Any:
        for old, new in moved.items():
            if path.HasPrefix(old):
                return path.ReplacePrefix(old, new)
        return path

    def follow(path: Any) -> None:
        spec = layer.GetRelationshipAtPath(path) if path.IsPrimPropertyPath() else None
        if spec is not None:
            items = list(spec.targetPathList.explicitItems)
            spec.targetPathList.explicitItems = [renamed(target) for target in items]

    layer.Traverse(root, follow)


def _target(joint: Any, name: str) -> Any:
    from pxr import Sdf

    relation = joint.relationships.get(name)
    targets = list(relation.targetPathList.explicitItems) if relation else []
    return targets[0] if targets else Sdf.Path.absoluteRootPath
