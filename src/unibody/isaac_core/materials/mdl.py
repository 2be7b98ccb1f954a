"""Materials whose shaders are functions of MDL files."""

from __future__ import annotations

from pxr import Sdf, UsdShade

from unibody.isaac_core.materials.visual_material import VisualMaterial, material_at


class MdlMaterial(VisualMaterial):
    """A material that names an MDL file and sets inputs of its function."""

    _function = ""

    def __init__(self, prim_path: str, name: str, shader: UsdShade.Shader | None) -> None:
        material, found, is_new = material_at(prim_path, shader)
        super().__init__(name, prim_path, material.GetPrim(), [found], material)
        if is_new:
            found.CreateImplementationSourceAttr(UsdShade.Tokens.sourceAsset)
            found.SetSourceAsset(Sdf.AssetPath(f"{self._function}.mdl"), "mdl")
            found.SetSourceAssetSubIdentifier(self._function, "mdl")
            made = found.CreateOutput("out", Sdf.ValueTypeNames.Token)
            for output in (
                material.CreateSurfaceOutput("mdl"),
                material.CreateVolumeOutput("mdl"),
                material.CreateDisplacementOutput("mdl"),
            ):
                output.ConnectToSource(made)
