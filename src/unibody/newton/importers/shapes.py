"""Shapes of asset descriptions as shapes of a builder."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.assets.description import Pose, Shape, ShapeKind
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.mesh.load import load_mesh
from unibody.errors import NotSupportedError
from unibody.newton.enums import Axis
from unibody.newton.exceptions import warn
from unibody.newton.mesh import Mesh


def transform(pose: Pose, scale: float = 1.0) -> wp.transform:
    """A pose of a description."""
    w, x, y, z = pose.quat
    return wp.transform(wp.vec3(*(scale * v for v in pose.pos)), wp.quat(x, y, z, w))


class ShapeAdder:
    """Adds shapes to bodies of a builder.

    Args:
        builder: The builder.
        scale: Factor on all lengths.
        most_hull_vertices: Of the hulls of meshes; None: 64.
        round_axis: Along which cylinders and capsules of the file lie.
    """

    def __init__(
        self,
        builder: Any,
        scale: float,
        most_hull_vertices: int | None,
        round_axis: Any = Axis.Z,
    ) -> None:
        self._builder, self._scale = builder, scale
        turn = Axis.Z.quat_between_axes(Axis.from_any(round_axis))
        self._round = wp.transform(wp.vec3(), turn)
        self._most = most_hull_vertices
        self._meshes: dict[Any, list[Mesh]] = {}

    def add(
        self,
        shape: Shape,
        body: int,
        *,
        config: Any,
        key: str | None,
        frame: Any = None,
        most: int | None = None,
        is_cone: bool = False,
    ) -> list[int]:
        """Add a shape.

        Args:
            shape: Its description.
            body: Body, or -1 for the world.
            config: A `ShapeConfig`.
            key: Name.
            frame: Of the link in the body; None: that of the body.
            most: Most vertices of its hull; None: as for all.
            is_cone: Whether its mesh is a cone along z, and a cone is added instead.

        Returns:
            The indices of the shapes.
        """
        if is_cone:
            added = [self._add_cone(shape, body, config, key, frame)]
        else:
            added = self._add(shape, body, config, key, frame, most)
        if shape.rgba is not None:
            opacity = min(max(shape.rgba[3], 0.0), 1.0)
            if opacity != shape.rgba[3]:
                text = f"Clamping opacity {shape.rgba[3]} of {key or shape.kind.value} to {opacity}"
                warn(text)
            for number in added:
                self._builder.shape_color[number] = tuple(shape.rgba[:3])
                self._builder.shape_opacity[number] = opacity
        return added

    def _add_cone(self, shape: Shape, body: int, config: Any, key: str | None, frame: Any) -> int:
        source: Any = shape.mesh
        points = np.array(source.vertices) * self._scale
        pose = transform(shape.pose, self._scale)
        return self._builder.add_shape_cone(
            body,
            pose if frame is None else frame * pose,
            radius=float(np.linalg.norm(points[:, :2], axis=1).max()),
            half_height=float(points[:, 2].max()),
            cfg=config,
            key=key,
        )

    def _add(
        self, shape: Shape, body: int, config: Any, key: str | None, frame: Any, most: int | None
    ) -> list[int]:
        pose = transform(shape.pose, self._scale)
        if shape.kind in {ShapeKind.CYLINDER, ShapeKind.CAPSULE}:
            pose = pose * self._round
        if frame is not None:
            pose = frame * pose
        given = {"body": body, "xform": pose, "cfg": config, "key": key}
        builder, size = self._builder, [self._scale * v for v in shape.size]
        if shape.kind == ShapeKind.BOX:
            half = [0.5 * v for v in size]
            return [builder.add_shape_box(hx=half[0], hy=half[1], hz=half[2], **given)]
        if shape.kind == ShapeKind.SPHERE:
            return [builder.add_shape_sphere(radius=size[0], **given)]
        if shape.kind in {ShapeKind.CYLINDER, ShapeKind.CAPSULE}:
            name = f"add_shape_{shape.kind.value}"
            return [getattr(builder, name)(radius=size[0], half_height=0.5 * size[1], **given)]
        if shape.kind == ShapeKind.ELLIPSOID:
            return [builder.add_shape_ellipsoid(a=size[0], b=size[1], c=size[2], **given)]
        if shape.kind == ShapeKind.PLANE:
            return [builder.add_shape_plane(width=0.0, length=0.0, **given)]
        if shape.kind == ShapeKind.MESH and shape.mesh is not None:
            return [builder.add_shape_mesh(mesh=mesh, **given) for mesh in self._parts(shape, most)]
        raise NotSupportedError(
            f"a {shape.kind.value} of a file", "a mesh of triangles shows the same surface"
        )

    def _parts(self, shape: Shape, most: int | None) -> list[Mesh]:
        source: Any = shape.mesh
        most = self._most if most is None else most
        if (source, most) not in self._meshes:
            factor = np.array(source.scale) * self._scale
            places = [None]
            if source.vertices:
                parts = [(np.array(source.vertices), np.array(source.faces))]
                places = [source.uvs or None]
            else:
                found = load_mesh(source, DEFAULT_LIMITS)
                # the reader has applied the scale of the file
                factor = np.full(3, self._scale)
                parts = [(part.vertices, part.faces) for part in found]
                places = [None] * len(parts)
            self._meshes[source, most] = [
                Mesh(points * factor, faces, uvs=uvs, maxhullvert=most)
                for (points, faces), uvs in zip(parts, places, strict=True)
            ]
        return self._meshes[source, most]


def config_of(builder: Any, *, collides: bool, visible: bool, density: float) -> Any:
    """The builder's default, for a shape that collides or is only seen."""
    config = builder.default_shape_cfg.copy()
    config.density = density
    config.is_visible = visible
    config.has_shape_collision = config.has_particle_collision = collides
    return config
