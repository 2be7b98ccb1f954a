"""The USD writer: bodies and joints of UsdPhysics, with attributes of PhysX, MuJoCo and Isaac Sim.

A model is a prim whose children are its links, each at its pose in the model's frame, and the
scopes "joints", "looks" and "physics_materials". Lengths are metres, masses kilograms, z is up.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from unibody.core.assets.description import Asset, JointType, Link, Pose
from unibody.core.assets.suffixes import suffix_of
from unibody.core.assets.transforms import pose_multiply, quat_of_vector, quat_rotate
from unibody.core.assets.usd.library import pxr
from unibody.core.assets.writers.folder import OutputFolder
from unibody.core.assets.writers.losses import Losses
from unibody.core.assets.writers.trees import check_names, prepared, the_one_model
from unibody.core.assets.writers.usd_joints import JointWriter
from unibody.core.assets.writers.usd_masses import write_mass
from unibody.core.assets.writers.usd_names import Names, apply_schema, place
from unibody.core.assets.writers.usd_shapes import ShapeWriter
from unibody.errors import AssetError

_SCOPES = ("joints", "looks", "physics_materials")
# Where the source stage had it: a stage that is written has places of its own.
_OLD_PLACES = ("prim_path", "joint_prim_path", "physics:collisionEnabled")


def write_usd(assets: list[Asset], folder: OutputFolder, model: str = "") -> Losses:
    """Write assets as a stage, each as a prim; text where the file ends in .usda.

    Args:
        assets: What a file held.
        folder: The file.
        model: The name of the one that is written, "": all.

    Returns:
        What the file does not say.

    Raises:
        AssetError: Links of a model share a name, or a mesh cannot be read.
        InvalidArgumentError: ``model`` is none of the names.
        NotSupportedError: ``usd-core`` is not installed.
        OSError: A file cannot be written.
    """
    pxr()
    losses = Losses("USD")
    chosen = [the_one_model(assets, model, folder.file, losses)] if model else assets
    if suffix_of(folder.file) == ".usdz":
        _write_package(chosen, folder, losses)
    else:
        stage = _stage_of(chosen, folder, losses)
        folder.write_bytes(_exported(stage, suffix_of(folder.file)))
    return losses


def _write_package(assets: list[Asset], folder: OutputFolder, losses: Losses) -> None:
    """Write a stage and its images, without compression, as one file."""
    stem = Path(folder.file).stem
    with tempfile.TemporaryDirectory() as place_of_parts:
        inner = OutputFolder(os.path.join(place_of_parts, f"{stem}.usdc"), folder.limits)
        inner.write_bytes(_exported(_stage_of(assets, inner, losses), ".usdc"))
        package = os.path.join(place_of_parts, f"{stem}.usdz")
        modules = pxr()
        if not modules.UsdUtils.CreateNewUsdzPackage(modules.Sdf.AssetPath(inner.file), package):
            raise AssetError(folder.file, "", "OpenUSD does not make the package")
        folder.write_bytes(Path(package).read_bytes())


def _exported(stage: Any, suffix: str) -> bytes:
    """The bytes of a file of a stage."""
    with tempfile.TemporaryDirectory() as place_of_file:
        file = os.path.join(place_of_file, f"stage{suffix}")
        stage.GetRootLayer().Export(file)
        return Path(file).read_bytes()


def _stage_of(assets: list[Asset], folder: OutputFolder, losses: Losses) -> Any:
    modules = pxr()
    stage = modules.Usd.Stage.CreateInMemory()
    modules.UsdGeom.SetStageUpAxis(stage, modules.UsdGeom.Tokens.z)
    modules.UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    modules.UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    sources = dict.fromkeys(os.path.basename(asset.file) for asset in assets if asset.file)
    if sources:
        stage.GetRootLayer().comment = f"Converted by unibody from {', '.join(sources)}"
    above, names = "", Names()
    if len(assets) > 1:
        above = "/World"
        stage.SetDefaultPrim(modules.UsdGeom.Xform.Define(stage, above).GetPrim())
    for asset in assets:
        path = f"{above}/{names.free(asset.name or 'robot')}"
        prim = modules.UsdGeom.Xform.Define(stage, path).GetPrim()
        if not above:
            stage.SetDefaultPrim(prim)
        _Model(stage, path, prepared(asset), folder, losses).write()
    return stage


class _Model:
    """One asset becoming one prim."""

    def __init__(
        self, stage: Any, path: str, asset: Asset, folder: OutputFolder, losses: Losses
    ) -> None:
        self.stage = stage
        self.path = path
        self.asset = asset
        self.losses = losses
        self.names = Names(_SCOPES)
        self.links: dict[str, str] = {}  # paths by the names of links
        self.shapes = ShapeWriter(stage, path, folder, losses)
        check_names(asset, folder.file)

    def write(self) -> None:
        """Fill the prim of the model."""
        asset, modules = self.asset, pxr()
        root = self.stage.GetPrimAtPath(self.path)
        place(root, asset.pose)
        self._root(root)
        poses: list[Pose] = []
        for number, link in enumerate(asset.links):
            above = poses[link.parent] if number else Pose()
            poses.append(pose_multiply(above, _moved(link)) if number else Pose())
            path = f"{self.path}/{self.names.free(link.name)}"
            self.links[link.name] = path
            prim = modules.UsdGeom.Xform.Define(self.stage, path).GetPrim()
            self.names.note(prim, link.name, "isaac:nameOverride", "IsaacLinkAPI")
            place(prim, poses[-1])
            if not asset.static:
                modules.UsdPhysics.RigidBodyAPI.Apply(prim)
                write_mass(prim, link, self.losses)
            self.shapes.write(path, link)
        joints = JointWriter(self.stage, self.path, asset, self.links, self.losses)
        if asset.static and len(asset.links) > 1:
            self.losses.add("joints of a model that never moves, left out", repr(asset.name))
        elif not asset.static:
            joints.write()
        for first, second in dict.fromkeys(joints.apart):
            if first in self.links and second in self.links:
                prim = self.stage.GetPrimAtPath(self.links[first])
                pairs = modules.UsdPhysics.FilteredPairsAPI.Apply(prim)
                pairs.CreateFilteredPairsRel().AddTarget(self.links[second])
        self._note()

    def _root(self, prim: Any) -> None:
        """Say that the links are an articulation, and whether they collide with each other."""
        asset, modules = self.asset, pxr()
        if not asset.static and (len(asset.links) > 1 or asset.articulation):
            modules.UsdPhysics.ArticulationRootAPI.Apply(prim)
        if asset.self_collision is not None:
            apply_schema(prim, "PhysxArticulationAPI")
            name, kind = "physxArticulation:enabledSelfCollisions", modules.Sdf.ValueTypeNames.Bool
            prim.CreateAttribute(name, kind, custom=False).Set(asset.self_collision)

    def _note(self) -> None:
        """Note what the stage has no place for."""
        asset, losses = self.asset, self.losses
        where = f"model {asset.name!r}"
        notes = [*asset.notes, *(note for link in asset.links for note in link.notes)]
        if any(key not in _OLD_PLACES for key, _ in notes):
            losses.add("USD has no notes, left out", where)
        if asset.deformable is not None:
            losses.add("USD bodies that deform are not written", where)
        for what, found in (
            ("actuators", [item.name for item in asset.actuators]),
            ("fixed tendons", [item.name for item in asset.tendons]),
        ):
            for name in found:
                losses.add(f"{what} are not written", repr(name))


def _moved(link: Link) -> Pose:
    """The pose of a link in its parent where its joint begins."""
    joint, at = link.joint, link.joint.origin
    x, y, z = (part * joint.start for part in joint.axis)
    if joint.type is JointType.PRISMATIC:
        return pose_multiply(at, Pose((x, y, z)))
    if joint.start and joint.type in (JointType.REVOLUTE, JointType.CONTINUOUS):
        turn = quat_of_vector((x, y, z))
        a, b, c = joint.anchor
        d, e, f = quat_rotate(turn, joint.anchor)
        return pose_multiply(at, Pose((a - d, b - e, c - f), turn))
    return at
