"""Many shapes whose poses and colours are arrays, and which can be clicked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Shape, ShapeKind
from unibody.core.render.mesh import Mesh
from unibody.core.render.parts import parts_of
from unibody.core.render.visual_shapes import VisualShape
from unibody.viewer.colors import linear_bytes
from unibody.viewer.stage import offsets, product, turned

Array = NDArray[np.float64]
_ONE = (1.0, 1.0, 1.0)


class Crowd:
    """Shapes on frames; boxes, spheres and cylinders of all sizes are one mesh each.

    Args:
        server: Of viser.
        name: In its scene.
        parts: The shapes; textures are not drawn.
        on_click: Called with ``VisualShape.owner`` of what was clicked, in a thread of the server.
    """

    def __init__(
        self,
        server: Any,
        name: str,
        parts: Sequence[VisualShape],
        on_click: Callable[[tuple[int, int]], None],
    ) -> None:
        self._server = server
        found: dict[str, tuple[Mesh, list[int], list[tuple[float, float, float]]]] = {}
        for number, part in enumerate(parts):
            unit, scale = _unit(part.shape)
            plain = VisualShape(part.frame, unit)
            for drawn in parts_of(plain) if part.rgba[3] > 0.0 else ():
                _, members, scales = found.setdefault(drawn.mesh.key, (drawn.mesh, [], []))
                members.append(number)
                scales.append(scale)
        self._groups = [
            _Alike((server, f"{name}/{k}", mesh), [parts[m] for m in members], members, scales)
            for k, (mesh, members, scales) in enumerate(found.values())
        ]
        for group in self._groups:
            group.on_click = on_click

    def place(self, positions: Array, quats: Array, colors: Array) -> None:
        """Put every part where its frame is, and colour it; only what changed is sent.

        Args:
            positions: Of the frames, (n, 3) [m].
            quats: Orientations wxyz, (n, 4).
            colors: Of the parts, (parts, 3), 0 to 1.
        """
        with self._server.atomic():
            for group in self._groups:
                group.place(positions, quats, colors)

    def remove(self) -> None:
        """Take it off the page."""
        for group in self._groups:
            group.remove()
        self._groups = []


class _Alike:
    """All parts of one mesh."""

    def __init__(
        self,
        made_of: tuple[Any, str, Mesh],
        parts: list[VisualShape],
        members: list[int],
        scales: list[tuple[float, float, float]],
    ) -> None:
        self._server, self._name, self._mesh = made_of
        self._members = np.array(members)
        self._frames = np.array([part.frame for part in parts])
        self._offset = offsets([part.shape.pose for part in parts])
        self._owners = [part.owner for part in parts]
        self._scales = np.array(scales, dtype=np.float32)
        self.on_click: Callable[[tuple[int, int]], None] = lambda _owner: None
        self._handle: Any = None
        self._sent: list[NDArray[Any]] = []

    def place(self, positions: Array, quats: Array, colors: Array) -> None:
        frame_quats = quats[self._frames]
        at = positions[self._frames] + turned(frame_quats, self._offset[0])
        spun = product(frame_quats, self._offset[1])
        shades = linear_bytes(colors[self._members])
        wanted = [at.astype(np.float32), spun.astype(np.float32), shades]
        if self._handle is None:
            self._add(*wanted)
        else:
            names = ("batched_positions", "batched_wxyzs", "batched_colors")
            for name, new, old in zip(names, wanted, self._sent, strict=True):
                if not np.array_equal(new, old):
                    setattr(self._handle, name, new)
        self._sent = wanted

    def _add(self, at: NDArray[Any], spun: NDArray[Any], shades: NDArray[Any]) -> None:
        self._handle = self._server.scene.add_batched_meshes_simple(
            self._name,
            self._mesh.vertices,
            self._mesh.faces,
            spun,
            at,
            batched_scales=self._scales,
            batched_colors=shades,
            lod="off",
            flat_shading=True,
        )

        @self._handle.on_click
        def _(event: Any) -> None:
            number = event.instance_index
            if number is not None and 0 <= number < len(self._owners):
                self.on_click(self._owners[number])

    def remove(self) -> None:
        if self._handle is not None:
            self._handle.remove()
            self._handle = None


def _unit(shape: Shape) -> tuple[Shape, tuple[float, float, float]]:
    """A shape as another one of its kind, of unit size and stretched."""
    size = shape.size
    if shape.kind is ShapeKind.BOX:
        return Shape(ShapeKind.BOX, _ONE), (size[0], size[1], size[2])
    if shape.kind is ShapeKind.SPHERE:
        return Shape(ShapeKind.SPHERE, (1.0,)), (size[0], size[0], size[0])
    if shape.kind is ShapeKind.CYLINDER:
        return Shape(ShapeKind.CYLINDER, (1.0, 1.0)), (size[0], size[0], size[1])
    return shape, _ONE
