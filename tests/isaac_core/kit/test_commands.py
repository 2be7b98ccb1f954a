"""Commands of Kit: every argument that they take has an effect, or is refused."""

from __future__ import annotations

from typing import Any

import pytest
from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaac_core.kit import commands, context, settings


@pytest.fixture
def stage() -> Usd.Stage:
    context.get_context().new_stage()
    found = context.get_context().get_stage()
    assert found is not None
    UsdGeom.Xform.Define(found, "/World/a")
    return found


def selected() -> list[str]:
    return context.get_context().get_selection().get_selected_prim_paths()


def in_session(stage: Usd.Stage) -> None:
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        stage.OverridePrim("/World/a").SetDocumentation("session")


def test_prims_are_deleted_in_all_layers_or_in_the_target_alone(stage: Usd.Stage) -> None:
    in_session(stage)
    commands.execute("DeletePrims", paths=["/World/a"], destructive=False)
    assert not stage.GetPrimAtPath("/World/a").IsActive()
    assert stage.GetSessionLayer().GetPrimAtPath("/World/a")
    commands.execute("DeletePrims", paths=["/World/a"])
    assert not stage.GetPrimAtPath("/World/a")
    assert not stage.GetSessionLayer().GetPrimAtPath("/World/a")


def test_a_move_tells_where_from_and_where_to(stage: Usd.Stage) -> None:
    told: list[Any] = []
    commands.execute(
        "MovePrim", path_from="/World/a", path_to="/World/b", on_move_fn=lambda *a: told.append(a)
    )
    assert told == [("/World/a", "/World/b")]
    with pytest.raises(NotSupportedError, match="destructive"):
        commands.execute("MovePrim", path_from="/World/b", path_to="/World/c", destructive=False)


def test_a_copy_is_selected_alone_or_with_what_was(stage: Usd.Stage) -> None:
    commands.execute("CopyPrim", path_from="/World/a", path_to="/World/b")
    assert selected() == ["/World/b"]
    commands.execute("CopyPrim", path_from="/World/a", path_to="/World/c", exclusive_select=False)
    assert selected() == ["/World/b", "/World/c"]


@pytest.mark.parametrize(
    "option",
    ["duplicate_layers", "combine_layers", "flatten_references", "copy_to_introducing_layer"],
)
def test_copies_of_another_kind_are_refused(stage: Usd.Stage, option: str) -> None:
    with pytest.raises(NotSupportedError, match=option):
        commands.execute("CopyPrim", path_from="/World/a", **{option: True})


def test_a_property_is_made_where_a_type_is_given_and_in_the_layer_that_is_named(
    stage: Usd.Stage,
) -> None:
    where = {"prop_path": "/World/a.mine", "value": 2.0, "prev": None}
    with pytest.raises(InvalidArgumentError, match="prop_path"):
        commands.execute("ChangeProperty", **where)
    layer = stage.GetSessionLayer()
    kind = Sdf.ValueTypeNames.Float
    commands.execute(
        "ChangeProperty", **where, type_to_create_if_not_exist=kind, target_layer=layer
    )
    assert stage.GetAttributeAtPath("/World/a.mine").Get() == 2.0
    assert layer.GetAttributeAtPath("/World/a.mine")
    assert not stage.GetRootLayer().GetAttributeAtPath("/World/a.mine")


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("TransformPrim", {"new_transform_matrix": Gf.Matrix4d(1.0)}),
        ("TransformPrimSRT", {"new_scale": (1.0, 1.0, 1.0)}),
    ],
)
def test_transforms_at_a_time_and_unknown_arguments_are_refused(
    stage: Usd.Stage, name: str, what: dict[str, Any]
) -> None:
    commands.execute(name, path="/World/a", **what, time_code=Usd.TimeCode.Default())
    with pytest.raises(NotSupportedError, match="time"):
        commands.execute(name, path="/World/a", **what, time_code=Usd.TimeCode(3.0))
    with pytest.raises(TypeError, match="colour"):
        commands.execute(name, path="/World/a", **what, colour="red")


def test_a_reference_is_selected_and_is_an_instance_where_the_settings_say_so(
    stage: Usd.Stage,
) -> None:
    given = {"usd_context": context.get_context(), "prim_path": "/World/a"}
    commands.execute("CreateReference", path_to="/World/plain", **given)
    assert selected() == ["/World/plain"]
    assert not stage.GetPrimAtPath("/World/plain").IsInstanceable()
    own = settings.get_settings()
    key = "/persistent/app/stage/instanceableOnCreatingReference"
    own.set(key, True)
    try:
        commands.execute("CreateReference", path_to="/World/own", **given, select_prim=False)
    finally:
        own.set(key, False)
    assert stage.GetPrimAtPath("/World/own").IsInstanceable()
    assert selected() == ["/World/plain"]


def test_a_material_is_bound_for_a_purpose(stage: Usd.Stage) -> None:
    UsdShade.Material.Define(stage, "/World/material")
    commands.execute(
        "BindMaterial", prim_path="/World/a", material_path="/World/material",
        material_purpose="physics",
    )  # fmt: skip
    assert stage.GetPrimAtPath("/World/a").HasRelationship("material:binding:physics")
