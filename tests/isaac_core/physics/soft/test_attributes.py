"""Attributes of soft bodies that are not allowed are refused by file, prim and name."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from pxr import Usd

from unibody.errors import AssetError
from unibody.isaac_core.physics.soft.reading import Found, read
from unibody.isaac_core.schemas import plugin

_STAGE = """#usda 1.0
def PhysxParticleSystem "System" {
    SYSTEM
}
def Mesh "Cloth" (prepend apiSchemas = ["PhysxParticleClothAPI"]) {
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    point3f[] points = [(0, 0, 1), (1, 0, 1), (1, 1, 1)]
    rel physxParticle:particleSystem = </System>
    CLOTH
}
def Mesh "Body" (prepend apiSchemas = ["PhysxDeformableBodyAPI", "MaterialBindingAPI"]) {
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    uint physxDeformable:simulationHexahedralResolution = 3
    rel material:binding:physics = </Jelly>
    BODY
}
def Material "Jelly" (prepend apiSchemas = ["PhysxDeformableBodyMaterialAPI"]) {
    MATERIAL
}
"""
_PLACES = ("SYSTEM", "CLOTH", "BODY", "MATERIAL")


def _filled(place: str = "", line: str = "") -> str:
    text = _STAGE
    for one in _PLACES:
        text = text.replace(one, line if one == place else "")
    return text


def _read(folder: Path, name: str, place: str = "", line: str = "") -> Found:
    file = folder / "soft.usda"
    file.write_text(_filled(place, line))
    plugin.register()
    stage = Usd.Stage.Open(str(file))
    return read(stage.GetPrimAtPath(f"/{name}"))


@pytest.mark.parametrize(
    ("mesh", "place", "line", "wrong"),
    [
        ("Cloth", "SYSTEM", "float particleContactOffset = nan", "nan"),
        ("Cloth", "SYSTEM", "float particleContactOffset = -1", "-1"),
        ("Cloth", "SYSTEM", "strange restOffset = (1, 2)", "2"),
        ("Cloth", "CLOTH", "float physics:mass = nan", "nan"),
        ("Cloth", "CLOTH", "token physxParticle:selfCollision = 'x'", "x"),
        ("Cloth", "CLOTH", "int[] physxParticle:springIndices = [0, 1, 2]", "2"),
        ("Cloth", "CLOTH", "float[] physxParticle:springRestLengths = [nan]", "nan"),
        ("Body", "MATERIAL", "strange physxDeformableBodyMaterial:poissonsRatio = [0.4]", "0.4"),
        ("Body", "MATERIAL", "float physxDeformableBodyMaterial:youngsModulus = nan", "nan"),
        ("Body", "BODY", "string physxDeformable:vertexVelocityDamping = 'fast'", "fast"),
        ("Body", "BODY", "float physxCollision:restOffset = nan", "nan"),
    ],
)
def test_what_is_not_allowed_is_named_with_file_prim_and_attribute(
    tmp_path: Path, mesh: str, place: str, line: str, wrong: str
) -> None:
    with pytest.raises(AssetError) as found:
        _read(tmp_path, mesh, place, line)
    told = str(found.value)
    assert "soft.usda" in told
    assert f".{line.split()[1]}: is " in told
    assert wrong in told


def test_infinite_offsets_ask_for_what_physx_takes_by_itself(tmp_path: Path) -> None:
    line = "float particleContactOffset = -inf\nfloat restOffset = -inf"
    # 0.99 of PhysX's offset of 0.05.
    radius = _read(tmp_path, "Cloth", "SYSTEM", line).soft.radius
    assert math.isclose(radius, 0.99 * 0.05)


def test_cloth_whose_particles_have_no_size_does_not_touch_itself(tmp_path: Path) -> None:
    found = _read(tmp_path, "Cloth", "SYSTEM", "float restOffset = 0").soft
    assert found.radius == 0.0
    assert found.rest is None


def test_points_of_a_type_that_is_unknown_are_named(tmp_path: Path) -> None:
    file = tmp_path / "points.usda"
    file.write_text(_filled().replace("point3f[] points", "strange[] points"))
    plugin.register()
    stage = Usd.Stage.Open(str(file))
    with pytest.raises(AssetError, match=r"points\.usda: /Cloth\.points: is .*expected numbers"):
        read(stage.GetPrimAtPath("/Cloth"))
