"""PhysX's schemas, known to USD and wrapped."""

from __future__ import annotations

import math

import pytest
from pxr import Sdf, Usd, UsdGeom, UsdPhysics

from unibody.isaac_core.kit import context
from unibody.isaac_core.schemas import physx_schema
from unibody.isaac_core.schemas.semantics import SemanticsAPI
from unibody.isaac_core.schemas.table import INSTANCE, schemas


def _prim(kind: str = "Cube") -> Usd.Prim:
    stage = context.get_context().get_stage()
    assert stage is not None
    return stage.DefinePrim("/World/prim", kind)


def test_the_table_has_the_classes_and_properties_of_the_publication() -> None:
    assert len(schemas()) == 82
    assert sum(len(row.properties) for row in schemas()) == 484


def test_an_applied_schema_gives_a_prim_its_fallbacks() -> None:
    prim = _prim()
    wrapped = physx_schema.PhysxRigidBodyAPI
    assert not wrapped(prim)
    made = wrapped.Apply(prim)
    assert made
    assert prim.HasAPI("PhysxRigidBodyAPI")
    assert made.GetMaxAngularVelocityAttr().Get() == pytest.approx(5729.58)
    assert math.isinf(made.GetMaxLinearVelocityAttr().Get())
    made.CreateLinearDampingAttr(0.25)
    assert prim.GetAttribute("physxRigidBody:linearDamping").Get() == 0.25


def test_a_schema_of_several_instances_tells_them_apart() -> None:
    prim = _prim()
    one, other = (physx_schema.PhysxLimitAPI.Apply(prim, name) for name in ("rotX", "rotY"))
    one.CreateStiffnessAttr(3.0)
    assert other.GetStiffnessAttr().Get() == 0.0
    assert [found.GetName() for found in physx_schema.PhysxLimitAPI.GetAll(prim)] == [
        "rotX", "rotY",
    ]  # fmt: skip
    assert prim.GetAttribute("physxLimit:rotX:stiffness").Get() == 3.0
    with pytest.raises(ValueError, match="name="):
        physx_schema.PhysxLimitAPI.Apply(prim)


@pytest.mark.parametrize("row", schemas(), ids=lambda row: row.name)
def test_usd_knows_every_schema_with_types_and_fallbacks(row) -> None:
    registry = Usd.SchemaRegistry()
    if row.kind in {"concrete", "abstract"}:
        found = registry.FindConcretePrimDefinition(row.name)
        if row.kind == "abstract":
            return
    else:
        found = registry.FindAppliedAPIPrimDefinition(row.name)
    assert found
    for entry in row.properties:
        assert entry.name in found.GetPropertyNames()
        if entry.type != "rel":
            assert found.GetSchemaAttributeSpec(entry.name).typeName == Sdf.ValueTypeNames.Find(
                entry.type
            )
    wrapper = getattr(physx_schema, row.python)
    attributes = [entry for entry in row.properties if entry.type != "rel"]
    assert len(wrapper.GetSchemaAttributeNames(name=INSTANCE)) == len(attributes)


def test_a_saved_stage_names_the_schemas_it_has(tmp_path) -> None:
    prim = _prim()
    physx_schema.PhysxSceneAPI.Apply(prim).CreateEnableCCDAttr(True)
    prim.GetStage().GetRootLayer().Export(str(tmp_path / "stage.usda"))
    text = (tmp_path / "stage.usda").read_text(encoding="utf-8")
    assert 'apiSchemas = ["PhysxSceneAPI"]' in text
    assert "bool physxScene:enableCCD = 1" in text


def test_the_earlier_labels_are_kept_by_instance() -> None:
    prim = _prim()
    label = SemanticsAPI.Apply(prim, "Semantics_a")
    label.CreateSemanticTypeAttr("class")
    label.CreateSemanticDataAttr("cube")
    assert SemanticsAPI.Get(prim, "Semantics_a").GetSemanticDataAttr().Get() == "cube"
    assert not SemanticsAPI.Get(prim, "Semantics_b")


def test_a_prim_is_asked_for_schemas_by_their_classes() -> None:
    prim = _prim()
    body, limit = physx_schema.PhysxRigidBodyAPI, physx_schema.PhysxLimitAPI
    assert not prim.HasAPI(body)
    assert prim.CanApplyAPI(body)
    assert prim.ApplyAPI(body)
    assert prim.HasAPI(body)
    assert prim.RemoveAPI(body)
    assert not prim.HasAPI(body)
    limit.Apply(prim, "rotX")
    assert prim.HasAPI(limit)
    assert prim.HasAPI(limit, "rotX")
    assert not prim.HasAPI(limit, "rotY")
    assert not prim.HasAPI(SemanticsAPI)
    SemanticsAPI.Apply(prim, "Semantics")
    assert prim.HasAPI(SemanticsAPI)
    assert not prim.IsA(physx_schema.PhysxParticleSystem)
    assert (
        prim.GetStage()
        .DefinePrim("/World/system", "PhysxParticleSystem")
        .IsA(physx_schema.PhysxParticleSystem)
    )


def test_a_prim_is_asked_for_schemas_of_usd_as_before() -> None:
    prim = _prim()
    UsdPhysics.RigidBodyAPI.Apply(prim)
    assert prim.HasAPI(UsdPhysics.RigidBodyAPI)
    assert not prim.HasAPI(UsdPhysics.CollisionAPI)
    assert prim.IsA(UsdGeom.Cube)
    with pytest.raises(TypeError):
        prim.HasAPI(int)
