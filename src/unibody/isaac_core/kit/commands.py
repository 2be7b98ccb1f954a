"""Commands by name: those that scripts use to make, move, copy and delete prims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pxr import Gf, Kind, Sdf, Usd, UsdGeom, UsdShade

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core import transforms
from unibody.isaac_core.kit import context, meshes, opening, settings
from unibody.isaac_core.nearest import nearest_to_command

_INSTANCES = "/persistent/app/stage/instanceableOnCreatingReference"

_commands: dict[str, Callable[..., Any]] = {}


def execute(name: str, **arguments: Any) -> tuple[bool, Any]:
    """Carry out a command.

    Args:
        name: Of the command, with or without "Command" at its end.
        arguments: Of the command.

    Returns:
        True, and what the command returns.

    Raises:
        NotSupportedError: There is no command of the name.
    """
    short = name.removesuffix("Command")
    if short not in _commands:
        known = ", ".join(sorted(_commands))
        instead = nearest_to_command(short) or f"the commands are {known}"
        raise NotSupportedError(f"command {name!r}", instead)
    return True, _commands[short](**arguments)


def register(command: Any) -> None:
    """Make a class of a script's own, with a method ``do``, a command."""
    _commands[command.__name__.removesuffix("Command")] = lambda **kw: command(**kw).do()


def unregister(command: Any) -> None:
    """Forget a command."""
    _commands.pop(command.__name__.removesuffix("Command"), None)


def get_commands_list() -> list[str]:
    """Names of all commands."""
    return sorted(_commands)


def command(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Name a function as a command of ours."""

    def named(function: Callable[..., Any]) -> Callable[..., Any]:
        _commands[name] = function
        return function

    return named


def _stage(given: Usd.Stage | None = None, context_name: str = "") -> Usd.Stage:
    found = given or context.get_context(context_name or "").get_stage()
    if found is None:
        raise InvalidArgumentError("stage", None, "a stage: make one, new_stage()")
    return found


def _prim(path: Any, argument: str = "prim_path", stage: Usd.Stage | None = None) -> Usd.Prim:
    found = _stage(stage).GetPrimAtPath(str(path))
    if not found:
        raise InvalidArgumentError(argument, str(path), "the path of a prim of the stage")
    return found


@command("CreatePrim")
def _create_prim(
    prim_type: str,
    prim_path: str | None = None,
    select_new_prim: bool = True,
    attributes: dict[str, Any] | None = None,
    create_default_xform: bool = True,
    context_name: str = "",
    stage: Usd.Stage | None = None,
) -> str:
    on = _stage(stage, context_name)
    free = context.get_stage_next_free_path(on, prim_path or f"/{prim_type}", not prim_path)
    prim = on.DefinePrim(free, prim_type)
    for name, value in (attributes or {}).items():
        prim.GetAttribute(name).Set(value)
    if create_default_xform and prim.IsA(UsdGeom.Xformable):
        _default_xform(prim)
    if select_new_prim:
        context.get_context().get_selection().set_selected_prim_paths([free])
    return free


@command("CreatePrimWithDefaultXform")
def _create_prim_with_xform(**arguments: Any) -> str:
    return _create_prim(**{**arguments, "create_default_xform": True})


@command("CreateMeshPrim")
def _create_mesh(
    prim_type: str,
    prim_path: str | None = None,
    select_new_prim: bool = True,
    prepend_default_prim: bool = True,
    stage: Usd.Stage | None = None,
    half_scale: float = 0.5,
) -> str:
    on = _stage(stage)
    wished = prim_path or f"/{prim_type}"
    free = context.get_stage_next_free_path(on, wished, prepend_default_prim and not prim_path)
    mesh = UsdGeom.Mesh.Define(on, free)
    meshes.write(mesh, prim_type, half_scale)
    _default_xform(mesh.GetPrim())
    if select_new_prim:
        context.get_context().get_selection().set_selected_prim_paths([free])
    return free


@command("CreateMeshPrimWithDefaultXform")
def _create_mesh_with_xform(**arguments: Any) -> str:
    return _create_mesh(**arguments)


@command("DeletePrims")
def _delete(
    paths: list[Any],
    destructive: bool = True,
    stage: Usd.Stage | None = None,
    context_name: str | None = None,
) -> list[str]:
    on = _stage(stage, context_name or "")
    layers = on.GetLayerStack() if destructive else [on.GetEditTarget().GetLayer()]
    for path in map(Sdf.Path, map(str, paths)):
        for layer in layers:
            spec = layer.GetPrimAtPath(path)
            if spec and (destructive or spec.specifier == Sdf.SpecifierDef):
                with Usd.EditContext(on, layer):
                    on.RemovePrim(path)
        left = on.GetPrimAtPath(path)
        if left and not destructive:
            left.SetActive(False)
    return [str(path) for path in paths]


@command("MovePrim")
def _move(
    path_from: Any,
    path_to: Any,
    time_code: Usd.TimeCode | None = None,
    keep_world_transform: bool = True,
    on_move_fn: Callable[[Sdf.Path, Sdf.Path], None] | None = None,
    destructive: bool = True,
    stage_or_context: Any = None,
) -> str:
    _only_default(time_code, "MovePrim")
    if not destructive:
        raise NotSupportedError("MovePrim that leaves the layers alone", "destructive=True")
    given = stage_or_context
    on = _stage(given if given is None or isinstance(given, Usd.Stage) else given.get_stage())
    prim = _prim(path_from, "path_from", on)
    at = context.get_world_transform_matrix(prim) if prim.IsA(UsdGeom.Xformable) else None
    target = Sdf.Path(str(path_to))
    if on.GetPrimAtPath(target):
        raise InvalidArgumentError("path_to", str(path_to), "a path where no prim is")
    Sdf.CreatePrimInLayer(on.GetEditTarget().GetLayer(), target.GetParentPath())
    editor = Usd.NamespaceEditor(on)
    editor.MovePrimAtPath(Sdf.Path(str(path_from)), target)
    editor.ApplyEdits()
    moved = on.GetPrimAtPath(target)
    if keep_world_transform and at is not None:
        above = UsdGeom.Xformable(moved.GetParent())
        inverse = (
            above.ComputeLocalToWorldTransform(Usd.TimeCode.Default()).GetInverse()
            if above
            else Gf.Matrix4d(1.0)
        )
        local = at * inverse
        if not Gf.IsClose(local, context.get_local_transform_matrix(moved), 1e-9):
            _write_matrix(moved, local)
    if on_move_fn is not None:
        on_move_fn(Sdf.Path(str(path_from)), target)
    return str(target)


@command("CopyPrim")
def _copy(
    path_from: Any,
    path_to: Any = None,
    duplicate_layers: bool = False,
    combine_layers: bool = False,
    exclusive_select: bool = True,
    usd_context_name: str = "",
    flatten_references: bool = False,
    copy_to_introducing_layer: bool = False,
) -> str:
    asked = {
        "duplicate_layers": duplicate_layers, "combine_layers": combine_layers,
        "flatten_references": flatten_references,
        "copy_to_introducing_layer": copy_to_introducing_layer,
    }  # fmt: skip
    for name, value in asked.items():
        if value:
            raise NotSupportedError(f"CopyPrim with {name}=True", f"{name}=False")
    on = _stage(None, usd_context_name)
    prim = _prim(path_from, "path_from", on)
    free = context.get_stage_next_free_path(on, str(path_to or path_from), False)
    layer = on.GetEditTarget().GetLayer()
    Sdf.CreatePrimInLayer(layer, Sdf.Path(free).GetParentPath())
    for spec in reversed(prim.GetPrimStack()):  # the strongest opinion last
        if spec.layer in on.GetLayerStack() and spec.path == prim.GetPath():
            Sdf.CopySpec(spec.layer, spec.path, layer, Sdf.Path(free))
    selection = context.get_context(usd_context_name).get_selection()
    kept = [] if exclusive_select else selection.get_selected_prim_paths()
    selection.set_selected_prim_paths([*kept, free])
    return free


@command("ChangeProperty")
def _change_property(
    prop_path: Any,
    value: Any,
    prev: Any = None,
    timecode: Any = None,
    type_to_create_if_not_exist: Sdf.ValueTypeName | None = None,
    target_layer: Sdf.Layer | None = None,
    usd_context_name: Any = "",
    is_custom: bool = False,
    variability: Sdf.Variability = Sdf.VariabilityVarying,
) -> None:
    """Set an attribute; ``prev`` is only for taking it back, which no command does here."""
    path = Sdf.Path(str(prop_path))
    given = usd_context_name
    on = _stage(given) if isinstance(given, Usd.Stage) else _stage(None, given)
    time = Usd.TimeCode.Default() if timecode is None else timecode
    session = on.GetSessionLayer()
    in_session = session is not None and session.GetAttributeAtPath(path) is not None
    target = target_layer or (session if in_session else on.GetEditTarget())
    with Usd.EditContext(on, target):
        attribute = on.GetAttributeAtPath(path)
        if not attribute and type_to_create_if_not_exist is not None:
            attribute = _prim(path.GetPrimPath(), "prop_path", on).CreateAttribute(
                path.name, type_to_create_if_not_exist, is_custom, variability
            )
        if not attribute:
            raise InvalidArgumentError("prop_path", str(prop_path), "the path of an attribute")
        attribute.Set(value, time)


@command("TransformPrim")
def _transform(
    path: Any,
    new_transform_matrix: Gf.Matrix4d,
    old_transform_matrix: Gf.Matrix4d | None = None,
    time_code: Usd.TimeCode | None = None,
    had_transform_at_key: bool = False,
    usd_context_name: str = "",
) -> None:
    """Set a prim's transform to its parent; the old one is only for taking it back."""
    _only_default(time_code, "TransformPrim", had_transform_at_key)
    prim = _prim(path, "path", _stage(None, usd_context_name))
    _write_matrix(prim, new_transform_matrix)


@command("TransformPrimSRT")
def _transform_srt(
    path: Any,
    new_translation: Any = None,
    new_rotation_euler: Any = None,
    new_scale: Any = None,
    new_rotation_order: Any = None,
    old_translation: Any = None,
    old_rotation_euler: Any = None,
    old_rotation_order: Any = None,
    old_scale: Any = None,
    time_code: Usd.TimeCode | None = None,
    had_transform_at_key: bool = False,
    usd_context_name: str = "",
) -> None:
    """Set parts of a prim's transform to its parent; old ones are only for taking it back."""
    _only_default(time_code, "TransformPrimSRT", had_transform_at_key)
    if new_rotation_order is not None and tuple(new_rotation_order) != (0, 1, 2):
        raise NotSupportedError(
            f"new_rotation_order={new_rotation_order!r}", "give angles about x, y, z: (0, 1, 2)"
        )
    prim = _prim(path, "path", _stage(None, usd_context_name))
    now = Gf.Transform(context.get_local_transform_matrix(prim))
    rotation = now.GetRotation().GetQuat()
    if new_rotation_euler is not None:
        x, y, z = (
            Gf.Rotation(axis, float(angle))
            for axis, angle in zip(
                (Gf.Vec3d.XAxis(), Gf.Vec3d.YAxis(), Gf.Vec3d.ZAxis()),
                new_rotation_euler,
                strict=True,
            )
        )
        rotation = (x * y * z).GetQuat()
    translation = now.GetTranslation() if new_translation is None else new_translation
    scale = now.GetScale() if new_scale is None else new_scale
    _write_srt(prim, translation, rotation, scale)


def _only_default(time_code: Usd.TimeCode | None, name: str, keyed: bool = False) -> None:
    """Refuse times: transforms of commands hold at all of them."""
    if keyed or not (time_code is None or Usd.TimeCode(time_code).IsDefault()):
        raise NotSupportedError(f"{name} at a time", "time_code=Usd.TimeCode.Default()")


@command("CreateReference")
def _reference(
    path_to: Any,
    asset_path: str | None = None,
    prim_path: Any = None,
    usd_context: Any = None,
    instanceable: bool = True,
    select_prim: bool = True,
) -> str:
    """Refer to a file or a prim; an instance is made only where the settings say so, too."""
    holder = context.get_context() if usd_context is None else usd_context
    on = _stage(holder.get_stage())
    free = context.get_stage_next_free_path(on, str(path_to), False)
    if asset_path is not None:
        opening.check(str(asset_path), on.GetEditTarget().GetLayer())
    prim = on.DefinePrim(free, "Xform")
    if asset_path is None:
        prim.GetReferences().AddInternalReference(Sdf.Path(str(prim_path)))
    elif prim_path is None:
        prim.GetReferences().AddReference(str(asset_path))
    else:
        prim.GetReferences().AddReference(str(asset_path), Sdf.Path(str(prim_path)))
    if instanceable and settings.get_settings().get_as_bool(_INSTANCES):
        prim.SetInstanceable(True)
    if select_prim:
        holder.get_selection().set_selected_prim_paths([free])
    return free


@command("BindMaterial")
def _bind(
    prim_path: Any,
    material_path: Any,
    strength: Any = None,
    stage: Usd.Stage | None = None,
    context_name: str = "",
    material_purpose: str = "",
) -> None:
    on = _stage(stage, context_name)
    paths = prim_path if isinstance(prim_path, list | tuple) else [prim_path]
    material = UsdShade.Material(_prim(material_path, "material_path", on))
    weaker = strength or UsdShade.Tokens.weakerThanDescendants
    for path in paths:
        bound = UsdShade.MaterialBindingAPI.Apply(_prim(path, stage=on))
        bound.Bind(material, weaker, material_purpose)


@command("ToggleVisibilitySelectedPrims")
def _toggle(selected_paths: list[Any], stage: Usd.Stage | None = None) -> None:
    for path in selected_paths:
        shown = UsdGeom.Imageable(_prim(path, "selected_paths", stage))
        hidden = shown.ComputeVisibility() == UsdGeom.Tokens.invisible
        shown.MakeVisible() if hidden else shown.MakeInvisible()


def _default_xform(prim: Usd.Prim) -> None:
    _write_srt(prim, Gf.Vec3d(0.0), Gf.Quatd(1.0), Gf.Vec3d(1.0))
    if prim.IsA(UsdGeom.Xform):
        Usd.ModelAPI(prim).SetKind(Kind.Tokens.component)


def _write_matrix(prim: Usd.Prim, matrix: Gf.Matrix4d) -> None:
    found = Gf.Transform(Gf.Matrix4d(matrix))
    turn = found.GetRotation().GetQuat()
    _write_srt(prim, found.GetTranslation(), turn, found.GetScale())


def _write_srt(prim: Usd.Prim, translation: Any, rotation: Gf.Quatd, scale: Any) -> None:
    transforms.write(prim, translation, rotation, scale)
