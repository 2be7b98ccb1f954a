"""Lights."""

from __future__ import annotations

from typing import Any

from pxr import Gf, Sdf, Usd, UsdLux

from unibody.isaac_core.experimental.arguments import Array, column, one_each, table, warp
from unibody.isaac_core.experimental.colors import rgb
from unibody.isaac_core.experimental.prim_functions import get_prim_at_path
from unibody.isaac_core.experimental.shapes import made_or_found
from unibody.isaac_core.experimental.xform_prim import XformPrim


class Light(XformPrim):
    """Lights of one kind: those that are there, or those that are made at free paths.

    Args:
        paths: Of the prims, which are all there or all free.
        **options: What the setters of the kind set, by their names, and what `XformPrim` takes.
    """

    _KIND: Any = None
    _SETTERS: dict[str, str] = {}  # noqa: RUF012 - each kind has its own

    def __init__(self, paths: str | list[str], **options: Any) -> None:
        given = {name: options.pop(name) for name in self._SETTERS if name in options}
        options.setdefault("reset_xform_op_properties", True)
        found, self._lights = made_or_found(paths, self._KIND)
        super().__init__(found, resolve_paths=False, **options)
        for name, values in given.items():
            if values is not None:
                getattr(self, self._SETTERS[name])(values)

    @property
    def lights(self) -> list[Any]:
        """The lights of USD."""
        return self._lights

    @classmethod
    def are_of_type(cls, paths: str | Usd.Prim | list[str | Usd.Prim]) -> Any:
        """(N,) whether prims are lights of this kind."""
        several = paths if isinstance(paths, list) else [paths]
        return warp([get_prim_at_path(one).IsA(cls._KIND) for one in several], "bool")

    @staticmethod
    def fetch_instances(paths: str | Usd.Prim | list[str | Usd.Prim]) -> list[Any]:
        """Each prim as a light of its kind; None for one that is none."""
        several = paths if isinstance(paths, list) else [paths]
        return [_light_of(get_prim_at_path(one)) for one in several]

    def get_intensities(self, *, indices: Array | None = None) -> Any:
        """(N, 1) intensities."""
        return self._get("intensity", indices)

    def set_intensities(self, intensities: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) intensities."""
        self._set("intensity", "intensities", intensities, indices)

    def get_exposures(self, *, indices: Array | None = None) -> Any:
        """(N, 1) exposures, by powers of two of which intensities are scaled."""
        return self._get("exposure", indices)

    def set_exposures(self, exposures: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) exposures."""
        self._set("exposure", "exposures", exposures, indices)

    def get_multipliers(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 1) factors of diffuse and of specular light."""
        return self._get("diffuse", indices), self._get("specular", indices)

    def set_multipliers(
        self,
        diffuse_multipliers: Array | None = None,
        specular_multipliers: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 1) factors of diffuse and of specular light; what is None stays."""
        if diffuse_multipliers is not None:
            self._set("diffuse", "diffuse_multipliers", diffuse_multipliers, indices)
        if specular_multipliers is not None:
            self._set("specular", "specular_multipliers", specular_multipliers, indices)

    def get_enabled_normalizations(self, *, indices: Array | None = None) -> Any:
        """(N, 1) whether the power does not grow with the size."""
        return self._get("normalize", indices, "bool")

    def set_enabled_normalizations(self, enabled: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) whether the power does not grow with the size."""
        self._set("normalize", "enabled", enabled, indices, bool)

    def get_enabled_color_temperatures(self, *, indices: Array | None = None) -> Any:
        """(N, 1) whether temperatures color the light."""
        return self._get("enableColorTemperature", indices, "bool")

    def set_enabled_color_temperatures(
        self, enabled: Array, *, indices: Array | None = None
    ) -> None:
        """Set (N, 1) whether temperatures color the light."""
        self._set("enableColorTemperature", "enabled", enabled, indices, bool)

    def get_color_temperatures(self, *, indices: Array | None = None) -> Any:
        """(N, 1) temperatures [K]."""
        return self._get("colorTemperature", indices)

    def set_color_temperatures(
        self, color_temperatures: Array, *, indices: Array | None = None
    ) -> None:
        """Set (N, 1) temperatures [K]."""
        self._set("colorTemperature", "color_temperatures", color_temperatures, indices)

    def get_colors(self, *, indices: Array | None = None) -> Any:
        """(N, 3) red, green, blue."""
        return warp([self._lights[i].GetColorAttr().Get() for i in self._rows(indices)])

    def set_colors(self, colors: Any, *, indices: Array | None = None) -> None:
        """Set (N, 3) red, green, blue, or names of colors."""
        which = self._rows(indices)
        for i, color in zip(which, rgb("colors", colors, len(which)), strict=True):
            self._lights[i].CreateColorAttr(Gf.Vec3f(*map(float, color)))

    def _get(self, name: str, indices: Any, kind: str = "float32") -> Any:
        attributes = [self.prims[i].GetAttribute(_input(name)) for i in self._rows(indices)]
        return column([attribute.Get() for attribute in attributes], kind)

    def _set(self, name: str, argument: str, values: Any, indices: Any, kind: Any = float) -> None:
        which = self._rows(indices)
        rows = table(argument, values, (len(which), 1), kind)
        for i, value in zip(which, rows[:, 0], strict=True):
            self.prims[i].GetAttribute(_input(name)).Set(kind(value))

    def _set_files(self, files: str | list[str], indices: Any) -> None:
        which = self._rows(indices)
        for i, file in zip(which, one_each("texture_files", files, len(which)), strict=True):
            self._lights[i].CreateTextureFileAttr(Sdf.AssetPath(file))

    def _get_files(self, indices: Any) -> list[str | None]:
        found = [self._lights[i].GetTextureFileAttr().Get() for i in self._rows(indices)]
        return [one.path if one else None for one in found]


class DistantLight(Light):
    """Suns; ``angles`` are (N, 1) how large they are seen [degrees]."""

    _KIND, _SETTERS = UsdLux.DistantLight, {"angles": "set_angles"}

    def get_angles(self, *, indices: Array | None = None) -> Any:
        """(N, 1) angles under which they are seen [degrees]."""
        return self._get("angle", indices)

    def set_angles(self, angles: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) angles under which they are seen [degrees]."""
        self._set("angle", "angles", angles, indices)


class _WithRadius(Light):
    """What has a radius."""

    _SETTERS = {"radii": "set_radii"}  # noqa: RUF012 - each kind has its own

    def get_radii(self, *, indices: Array | None = None) -> Any:
        """(N, 1) radii."""
        return self._get("radius", indices)

    def set_radii(self, radii: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) radii."""
        self._set("radius", "radii", radii, indices)


class SphereLight(_WithRadius):
    """Lamps with ``radii``."""

    _KIND = UsdLux.SphereLight

    def get_enabled_treat_as_points(self, *, indices: Array | None = None) -> Any:
        """(N, 1) whether they are points."""
        return self._get("treatAsPoint", indices, "bool")

    def set_enabled_treat_as_points(self, enabled: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) whether they are points."""
        self._set("treatAsPoint", "enabled", enabled, indices, bool)


class DiskLight(_WithRadius):
    """Disks with ``radii``."""

    _KIND = UsdLux.DiskLight


class CylinderLight(_WithRadius):
    """Tubes with ``radii`` and ``lengths``."""

    _KIND = UsdLux.CylinderLight
    _SETTERS = {"radii": "set_radii", "lengths": "set_lengths"}  # noqa: RUF012 - see above

    def get_lengths(self, *, indices: Array | None = None) -> Any:
        """(N, 1) lengths."""
        return self._get("length", indices)

    def set_lengths(self, lengths: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) lengths."""
        self._set("length", "lengths", lengths, indices)

    def get_enabled_treat_as_lines(self, *, indices: Array | None = None) -> Any:
        """(N, 1) whether they are lines."""
        return self._get("treatAsLine", indices, "bool")

    def set_enabled_treat_as_lines(self, enabled: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) whether they are lines."""
        self._set("treatAsLine", "enabled", enabled, indices, bool)


class RectLight(Light):
    """Panels with ``widths``, ``heights`` and ``texture_files``."""

    _KIND = UsdLux.RectLight
    _SETTERS = {  # noqa: RUF012 - each kind has its own
        "widths": "set_widths", "heights": "set_heights", "texture_files": "set_texture_files",
    }  # fmt: skip

    def get_widths(self, *, indices: Array | None = None) -> Any:
        """(N, 1) widths."""
        return self._get("width", indices)

    def set_widths(self, widths: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) widths."""
        self._set("width", "widths", widths, indices)

    def get_heights(self, *, indices: Array | None = None) -> Any:
        """(N, 1) heights."""
        return self._get("height", indices)

    def set_heights(self, heights: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) heights."""
        self._set("height", "heights", heights, indices)

    def get_texture_files(self, *, indices: Array | None = None) -> list[str | None]:
        """Files of the textures; None where there is none."""
        return self._get_files(indices)

    def set_texture_files(
        self, texture_files: str | list[str], *, indices: Array | None = None
    ) -> None:
        """Set files of the textures."""
        self._set_files(texture_files, indices)


class DomeLight(Light):
    """Skies with ``radii``, ``texture_files`` and ``texture_formats``."""

    _KIND = UsdLux.DomeLight
    _SETTERS = {  # noqa: RUF012 - each kind has its own
        "radii": "set_guide_radii", "texture_files": "set_texture_files",
        "texture_formats": "set_texture_formats",
    }  # fmt: skip

    def get_guide_radii(self, *, indices: Array | None = None) -> Any:
        """(N, 1) radii of what is drawn in their place."""
        return column([self._lights[i].GetGuideRadiusAttr().Get() for i in self._rows(indices)])

    def set_guide_radii(self, radii: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) radii of what is drawn in their place."""
        which = self._rows(indices)
        for i, radius in zip(which, table("radii", radii, (len(which), 1))[:, 0], strict=True):
            self._lights[i].CreateGuideRadiusAttr(float(radius))

    def get_texture_files(self, *, indices: Array | None = None) -> list[str | None]:
        """Files of the textures; None where there is none."""
        return self._get_files(indices)

    def set_texture_files(
        self, texture_files: str | list[str], *, indices: Array | None = None
    ) -> None:
        """Set files of the textures."""
        self._set_files(texture_files, indices)

    def get_texture_formats(self, *, indices: Array | None = None) -> list[str]:
        """How the textures show the sky."""
        return [str(self._lights[i].GetTextureFormatAttr().Get()) for i in self._rows(indices)]

    def set_texture_formats(
        self, texture_formats: str | list[str], *, indices: Array | None = None
    ) -> None:
        """Set how the textures show the sky."""
        which = self._rows(indices)
        formats = one_each("texture_formats", texture_formats, len(which))
        for i, one in zip(which, formats, strict=True):
            self._lights[i].CreateTextureFormatAttr(one)


_KINDS = (DistantLight, SphereLight, DiskLight, CylinderLight, RectLight, DomeLight)


def _input(name: str) -> str:
    return name if name.startswith("treatAs") else f"inputs:{name}"


def _light_of(prim: Usd.Prim) -> Light | None:
    for kind in _KINDS:
        if prim.IsA(kind._KIND):
            return kind(prim.GetPath().pathString, reset_xform_op_properties=False)
    return None
