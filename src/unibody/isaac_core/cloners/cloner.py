"""Cloner: copies of a prim, and copies that do not touch one another."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, Vt

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core import convert, handles, transforms
from unibody.isaac_core.simulation import seam

_OPS = ("xformOp:translate", "xformOp:orient", "xformOp:scale")


class Cloner:
    """Makes environments of a prim.

    Args:
        stage: Where; None: the stage of the app.
    """

    def __init__(self, stage: Usd.Stage | None = None) -> None:
        self._given = stage
        self._base_env_path = self._root_path = ""

    @property
    def _stage(self) -> Usd.Stage:
        return self._given or handles.current_stage()

    def define_base_env(self, base_env_path: str) -> None:
        """Make the prim below which environments lie."""
        UsdGeom.Scope.Define(self._stage, base_env_path)
        self._base_env_path = base_env_path

    def generate_paths(self, root_path: str, num_paths: int) -> list[str]:
        """Paths with the numbers from 0 behind a root, which `clone` remembers."""
        self._root_path = f"{root_path}_"
        return [f"{root_path}_{number}" for number in range(num_paths)]

    def clone(
        self,
        source_prim_path: str,
        prim_paths: list[str],
        positions: Any = None,
        orientations: Any = None,
        replicate_physics: bool = False,
        base_env_path: str | None = None,
        root_path: str | None = None,
        copy_from_source: bool = False,
        unregister_physics_replication: bool = False,
        enable_env_ids: bool = False,
        clone_in_fabric: bool = False,
    ) -> None:
        """Make clones of a prim, each an environment of its own.

        Args:
            source_prim_path: What is cloned.
            prim_paths: Where clones are; the source among them stays what it is.
            positions: (N, 3) of the clones to their parents; None: that of the source.
            orientations: (N, 4) w, x, y, z; None: that of the source.
            replicate_physics: Whether clones are read once: they are, in any case; this needs
                the two paths that follow.
            base_env_path: Above the clones; None: that of `define_base_env`.
            root_path: Beginning of their paths; None: that of `generate_paths`.
            copy_from_source: Whether they are copies, else they refer to the source.
            unregister_physics_replication: Nothing is registered.
            enable_env_ids: Whether clones do not touch one another: they do not, in any case.
            clone_in_fabric: Whether they are made beside the stage: only False.

        Raises:
            InvalidArgumentError: There is no source, there are not as many poses as clones, or
                physics is replicated between paths that nobody gave.
            NotSupportedError: Clones were to be made beside the stage.
        """
        if clone_in_fabric:
            raise NotSupportedError(
                "clone_in_fabric=True", "clone_in_fabric=False makes the clones on the stage"
            )
        if replicate_physics and set(prim_paths) - {source_prim_path}:
            self._check_replication(base_env_path, root_path)
        source = handles.prim_at(source_prim_path, "source_prim_path")
        if not source.GetTypeName():  # a parent that a path made: its pose would be that of nothing
            source.SetTypeName("Xform")
        places = _checked("positions", positions, 3, len(prim_paths))
        turns = _checked("orientations", orientations, 4, len(prim_paths))
        found = [op.Get() for op in transforms.ops(source)]
        layer = self._stage.GetEditTarget().GetLayer()
        with Sdf.ChangeBlock():
            for row, path in enumerate(prim_paths):
                place = found[0] if places is None else Gf.Vec3d(*places[row].tolist())
                turn = found[1] if turns is None else convert.gf_quat(turns[row])
                if path != source_prim_path:
                    _make(
                        layer, str(source.GetPath()), source.GetTypeName(), path, copy_from_source
                    )
                _place(layer, source, path, (place, turn, found[2]))
        seam.declare_environments(self._stage, list(prim_paths))

    def _check_replication(self, base_env_path: str | None, root_path: str | None) -> None:
        """Refuse what physics cannot be replicated between.

        Raises:
            InvalidArgumentError: A path was neither given nor remembered.
        """
        above = self._base_env_path if base_env_path is None else base_env_path
        if not above:
            allowed = "a path, here or of define_base_env, where physics is replicated"
            raise InvalidArgumentError("base_env_path", base_env_path, allowed)
        beginning = self._root_path if root_path is None else root_path
        if not beginning:
            allowed = "a path, here or of generate_paths, where physics is replicated"
            raise InvalidArgumentError("root_path", root_path, allowed)

    def filter_collisions(
        self,
        physicsscene_path: str,
        collision_root_path: str,
        prim_paths: list[str],
        global_paths: list[str] = [],  # noqa: B006
    ) -> None:
        """Let clones not touch one another, by collision groups.

        Args:
            physicsscene_path: Of the physics scene.
            collision_root_path: Below which the groups are made.
            prim_paths: Of the clones.
            global_paths: Of what touches all of them.
        """
        stage = self._stage
        handles.prim_at(physicsscene_path, "physicsscene_path").CreateAttribute(
            "physxScene:invertCollisionGroupFilter", Sdf.ValueTypeNames.Bool
        ).Set(True)
        UsdGeom.Scope.Define(stage, collision_root_path)
        common = f"{collision_root_path}/global_group"
        groups = [f"{collision_root_path}/group{number}" for number in range(len(prim_paths))]
        if global_paths:
            _group(stage, common, list(global_paths), [common, *groups])
        with_all = [common] if global_paths else []
        for group, path in zip(groups, prim_paths, strict=True):
            _group(stage, group, [path], [group, *with_all])
        seam.declare_environments(stage, list(prim_paths))


def _checked(argument: str, values: Any, width: int, count: int) -> np.ndarray | None:
    if values is None:
        return None
    found = np.asarray(convert.plain(values), dtype=np.float64)
    if found.shape != (count, width):
        raise InvalidArgumentError(argument, found.shape, f"an array of shape {(count, width)}")
    return found


def _make(layer: Sdf.Layer, source: str, kind: str, path: str, copy: bool) -> None:
    spec = Sdf.CreatePrimInLayer(layer, path)
    if copy:
        Sdf.CopySpec(layer, source, layer, path)
        return
    spec.specifier = Sdf.SpecifierDef
    if kind:  # OpenUSD refuses to be told of no type
        spec.typeName = kind
    spec.referenceList.Prepend(Sdf.Reference(primPath=source))


def _place(layer: Sdf.Layer, source: Usd.Prim, path: str, values: tuple[Any, ...]) -> None:
    """Write translate, orient and scale, in the types that the source has."""
    spec = Sdf.CreatePrimInLayer(layer, path)
    for name, value in zip(_OPS, values, strict=True):
        kind = source.GetAttribute(name).GetTypeName()
        attribute = layer.GetAttributeAtPath(f"{path}.{name}")
        attribute = attribute or Sdf.AttributeSpec(spec, name, kind)
        attribute.default = kind.type.pythonClass(value)
    order = layer.GetAttributeAtPath(f"{path}.xformOpOrder") or Sdf.AttributeSpec(
        spec, "xformOpOrder", Sdf.ValueTypeNames.TokenArray, Sdf.VariabilityUniform
    )
    order.default = Vt.TokenArray(_OPS)


def _group(stage: Usd.Stage, path: str, members: list[str], touched: list[str]) -> None:
    group = UsdPhysics.CollisionGroup.Define(stage, path)
    collection = Usd.CollectionAPI.Apply(group.GetPrim(), "colliders")
    collection.CreateIncludesRel().SetTargets(members)
    group.CreateFilteredGroupsRel().SetTargets(touched)
