"""Materials of a stage that say how shapes look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unibody.core.assets.description import Vec3
from unibody.core.assets.usd.library import pxr
from unibody.core.assets.writers.folder import OutputFolder
from unibody.core.assets.writers.usd_names import Names


@dataclass(frozen=True, slots=True)
class Look:
    """How a shape looks.

    Attributes:
        name: Of its material, "": it has none.
        rgba: Its colour, None: not stated.
        specular: Colour of its highlights, None: not stated.
        texture: Path of an image, "": it has none.
    """

    name: str = ""
    rgba: tuple[float, float, float, float] | None = None
    specular: Vec3 | None = None
    texture: str = ""


class LookWriter:
    """Writes the materials of a model, each once.

    Args:
        stage: The stage.
        path: Of the model's prim.
        folder: Where images lie.
    """

    def __init__(self, stage: Any, path: str, folder: OutputFolder) -> None:
        self.stage = stage
        self.scope: str = f"{path}/looks"
        self.folder = folder
        self.names: Names = Names()
        self.materials: dict[Look, Any] = {}

    def bind(self, prim: Any, look: Look) -> None:
        """Give a shape its look: a colour of its own where there is no more to it."""
        modules = pxr()
        if look.rgba is not None:
            *colour, alpha = look.rgba
            form = modules.UsdGeom.Gprim(prim)
            form.CreateDisplayColorAttr([modules.Gf.Vec3f(*colour)])
            if alpha != 1.0:
                form.CreateDisplayOpacityAttr([alpha])
        if look.name or look.texture or look.specular:
            modules.UsdShade.MaterialBindingAPI.Apply(prim).Bind(self._material(look))

    def _material(self, look: Look) -> Any:
        if look not in self.materials:
            modules = pxr()
            modules.UsdGeom.Scope.Define(self.stage, self.scope)
            path = f"{self.scope}/{self.names.free(look.name or 'material')}"
            material = modules.UsdShade.Material.Define(self.stage, path)
            shader = modules.UsdShade.Shader.Define(self.stage, f"{path}/surface")
            shader.CreateIdAttr("UsdPreviewSurface")
            material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
            types, vector = modules.Sdf.ValueTypeNames, modules.Gf.Vec3f
            if look.rgba is not None:
                *colour, alpha = look.rgba
                shader.CreateInput("diffuseColor", types.Color3f).Set(vector(*colour))
                shader.CreateInput("opacity", types.Float).Set(float(alpha))
            if look.specular is not None:
                shader.CreateInput("useSpecularWorkflow", types.Int).Set(1)
                shader.CreateInput("specularColor", types.Color3f).Set(vector(*look.specular))
            if look.texture:
                self._texture(path, shader, look)
            self.materials[look] = material
        return self.materials[look]

    def _texture(self, path: str, shader: Any, look: Look) -> None:
        """An image in place of the colour, which it is multiplied with."""
        modules = pxr()
        shade, types = modules.UsdShade, modules.Sdf.ValueTypeNames
        reader = shade.Shader.Define(self.stage, f"{path}/coordinates")
        reader.CreateIdAttr("UsdPrimvarReader_float2")
        reader.CreateInput("varname", types.String).Set("st")
        image = shade.Shader.Define(self.stage, f"{path}/texture")
        image.CreateIdAttr("UsdUVTexture")
        file = self.folder.write_image(look.texture)
        image.CreateInput("file", types.Asset).Set(modules.Sdf.AssetPath(f"./{file}"))
        image.CreateInput("st", types.Float2).ConnectToSource(reader.ConnectableAPI(), "result")
        for name in ("wrapS", "wrapT"):
            image.CreateInput(name, types.Token).Set("repeat")
        if look.rgba is not None:
            image.CreateInput("scale", types.Float4).Set(modules.Gf.Vec4f(*look.rgba))
        shader.CreateInput("diffuseColor", types.Color3f).ConnectToSource(
            image.ConnectableAPI(), "rgb"
        )
