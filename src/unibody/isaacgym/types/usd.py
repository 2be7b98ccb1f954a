"""Options of the export to USD."""

from __future__ import annotations

from unibody.isaacgym.types.enums import UsdMaterialMode
from unibody.isaacgym.types.fields import Bool, Choice, Float, Struct, Text


class UsdExportOptions(Struct):
    """What is written, and how."""

    __slots__ = ()
    export_physics: Bool = Bool(True)
    material_mode: Choice[UsdMaterialMode] = Choice(UsdMaterialMode.USD_MATERIAL_PREVIEW_SURFACE)
    scale: Float = Float(1.0)
    single_file: Bool = Bool(True)
    use_geom_subsets: Bool = Bool(False)
    use_physics_visuals: Bool = Bool(False)


class OmniConnectionParams(Struct):
    """Where an Omniverse server is."""

    __slots__ = ()
    server: Text = Text("")
    username: Text = Text("")
    password: Text = Text("")
    enable_cache: Bool = Bool(True)
    enable_debug_output: Bool = Bool(False)

    def __repr__(self) -> str:
        return f"OmniConnectionParams(server={self.server!r}, username={self.username!r})"
