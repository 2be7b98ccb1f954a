"""Camera: prims that are cameras, and their lenses."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Usd, UsdGeom

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert
from unibody.isaac_core.experimental.arguments import Array, column, one_each, table, warp
from unibody.isaac_core.experimental.prim_functions import get_prim_at_path
from unibody.isaac_core.experimental.shapes import made_or_found
from unibody.isaac_core.experimental.xform_prim import XformPrim

_TENTHS = 10.0  # USD's lenses are in tenths of the stage's unit, those of the original are not


class Camera(XformPrim):
    """Cameras: those that are there, or those that are made at free paths.

    They look along -z, y is up. Lengths are the stage's.

    Args:
        paths: Of the prims, which are all there or all free.
        **placed: What `XformPrim` takes.

    Raises:
        InvalidArgumentError: A prim is no camera.
    """

    def __init__(self, paths: str | list[str], **placed: Any) -> None:
        found, self._geoms = made_or_found(paths, UsdGeom.Camera)
        placed.setdefault("reset_xform_op_properties", True)
        super().__init__(found, resolve_paths=False, **placed)

    @staticmethod
    def are_of_type(paths: str | Usd.Prim | list[str | Usd.Prim]) -> Any:
        """(N,) whether prims are cameras."""
        several = paths if isinstance(paths, list) else [paths]
        return warp([get_prim_at_path(one).IsA(UsdGeom.Camera) for one in several], "bool", "cpu")

    def get_focal_lengths(self, *, indices: Array | None = None) -> Any:
        """(N, 1) focal lengths."""
        return self._get("focalLength", indices, _TENTHS)

    def set_focal_lengths(self, focal_lengths: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) focal lengths."""
        self._set("focalLength", "focal_lengths", focal_lengths, indices, _TENTHS)

    def get_focus_distances(self, *, indices: Array | None = None) -> Any:
        """(N, 1) distances at which all is sharp."""
        return self._get("focusDistance", indices)

    def set_focus_distances(self, focus_distances: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) distances at which all is sharp."""
        self._set("focusDistance", "focus_distances", focus_distances, indices)

    def get_fstops(self, *, indices: Array | None = None) -> Any:
        """(N, 1) openings of the lenses; 0: all is sharp."""
        return self._get("fStop", indices)

    def set_fstops(self, fstops: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) openings of the lenses; 0: all is sharp."""
        self._set("fStop", "fstops", fstops, indices)

    def get_stereo_roles(self, *, indices: Array | None = None) -> list[str]:
        """What each is for: "mono", "left" or "right"."""
        return self._words("stereoRole", indices)

    def set_stereo_roles(self, roles: str | list[str], *, indices: Array | None = None) -> None:
        """Set what each is for: "mono", "left" or "right"."""
        self._set_words("stereoRole", "roles", roles, indices)

    def get_projections(self, *, indices: Array | None = None) -> list[str]:
        """How each sees: "perspective" or "orthographic"."""
        return self._words("projection", indices)

    def set_projections(
        self, projections: str | list[str], *, indices: Array | None = None
    ) -> None:
        """Set how each sees: "perspective" or "orthographic"."""
        self._set_words("projection", "projections", projections, indices)

    def get_apertures(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 1) widths and (N, 1) heights of what the lenses throw their pictures on."""
        return tuple(self._get(name, indices, _TENTHS) for name in _APERTURES)  # type: ignore[return-value]

    def set_apertures(
        self,
        horizontal_apertures: Array | None = None,
        vertical_apertures: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 1) widths and heights of what lenses throw pictures on; what is None stays."""
        given = {
            "horizontal_apertures": horizontal_apertures, "vertical_apertures": vertical_apertures,
        }  # fmt: skip
        self._set_pair(_APERTURES, given, indices, _TENTHS)

    def get_aperture_offsets(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 1) by how much the pictures are moved to the right, and up."""
        return tuple(self._get(name, indices, _TENTHS) for name in _OFFSETS)  # type: ignore[return-value]

    def set_aperture_offsets(
        self,
        horizontal_offsets: Array | None = None,
        vertical_offsets: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 1) by how much pictures are moved to the right, and up; what is None stays."""
        given = {"horizontal_offsets": horizontal_offsets, "vertical_offsets": vertical_offsets}
        self._set_pair(_OFFSETS, given, indices, _TENTHS)

    def get_shutter_times(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 1) when shutters open and (N, 1) when they close, in frames."""
        return tuple(self._get(name, indices) for name in _SHUTTER)  # type: ignore[return-value]

    def set_shutter_times(
        self,
        open_times: Array | None = None,
        close_times: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 1) when shutters open and close, in frames; what is None stays."""
        self._set_pair(
            _SHUTTER, {"open_times": open_times, "close_times": close_times}, indices, 1.0
        )

    def get_clipping_ranges(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 1) nearest and (N, 1) farthest distances that are seen."""
        ranges = [self.prims[i].GetAttribute("clippingRange").Get() for i in self._rows(indices)]
        return column([one[0] for one in ranges]), column([one[1] for one in ranges])

    def set_clipping_ranges(
        self,
        near_distances: Array | None = None,
        far_distances: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 1) nearest and farthest distances that are seen; what is None stays."""
        which = self._rows(indices)
        given = {"near_distances": near_distances, "far_distances": far_distances}
        _one_given(given)
        rows = [
            None if values is None else table(name, values, (len(which), 1))[:, 0]
            for name, values in given.items()
        ]
        for number, i in enumerate(which):
            attribute = self.prims[i].GetAttribute("clippingRange")
            stays = attribute.Get()
            ends = [stays[k] if row is None else float(row[number]) for k, row in enumerate(rows)]
            attribute.Set(Gf.Vec2f(*ends))

    def enforce_square_pixels(
        self,
        resolutions: Array,
        *,
        modes: str | list[str] = "horizontal",
        indices: Array | None = None,
    ) -> None:
        """Change apertures until pixels are square.

        Args:
            resolutions: (N, 2) heights and widths of pictures [pixels].
            modes: What stays: the "horizontal" aperture, or the "vertical" one.
            indices: Which cameras; None: all.

        Raises:
            InvalidArgumentError: There is no such mode.
        """
        which = self._rows(indices)
        sizes = table("resolutions", resolutions, (len(which), 2))
        wide, high = (convert.plain(one)[:, 0] for one in self.get_apertures(indices=indices))
        for number, (i, mode) in enumerate(
            zip(which, one_each("modes", modes, len(which)), strict=True)
        ):
            if mode not in ("horizontal", "vertical"):
                raise InvalidArgumentError("modes", mode, "'horizontal' or 'vertical'")
            ratio = sizes[number, 1] / sizes[number, 0]
            if mode == "horizontal":
                name, now, wanted = _APERTURES[1], high[number], wide[number] / ratio
            else:
                name, now, wanted = _APERTURES[0], wide[number], high[number] * ratio
            if not np.isclose(now, wanted):
                self.prims[i].GetAttribute(name).Set(float(wanted) * _TENTHS)

    def _get(self, name: str, indices: Any, unit: float = 1.0) -> Any:
        found = [self.prims[i].GetAttribute(name).Get() for i in self._rows(indices)]
        return column(np.asarray(found, float) / unit)

    def _set(
        self, name: str, argument: str, values: Array, indices: Any, unit: float = 1.0
    ) -> None:
        which = self._rows(indices)
        rows = table(argument, values, (len(which), 1))[:, 0]
        for i, value in zip(which, rows, strict=True):
            self.prims[i].GetAttribute(name).Set(float(value) * unit)

    def _set_pair(
        self, names: tuple[str, str], given: dict[str, Any], indices: Any, unit: float
    ) -> None:
        _one_given(given)
        for name, (argument, values) in zip(names, given.items(), strict=True):
            if values is not None:
                self._set(name, argument, values, indices, unit)

    def _words(self, name: str, indices: Any) -> list[str]:
        return [str(self.prims[i].GetAttribute(name).Get()) for i in self._rows(indices)]

    def _set_words(self, name: str, argument: str, words: str | list[str], indices: Any) -> None:
        which = self._rows(indices)
        stated = self.prims[0].GetAttribute(name).GetMetadata("allowedTokens")
        allowed = [str(one) for one in stated]
        for i, word in zip(which, one_each(argument, words, len(which)), strict=True):
            if word not in allowed:
                raise InvalidArgumentError(argument, word, f"one of {', '.join(allowed)}")
            self.prims[i].GetAttribute(name).Set(str(word))


_APERTURES = ("horizontalAperture", "verticalAperture")
_OFFSETS = ("horizontalApertureOffset", "verticalApertureOffset")
_SHUTTER = ("shutter:open", "shutter:close")


def _one_given(given: dict[str, Any]) -> None:
    if all(values is None for values in given.values()):
        raise InvalidArgumentError(next(iter(given)), None, f"one of {', '.join(given)}")
