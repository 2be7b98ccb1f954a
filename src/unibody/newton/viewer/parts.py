"""What of a model a viewer of a script's own is told: its shapes and its triangles."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton import poses
from unibody.newton.enums import ShapeFlags

_MATERIAL = (0.5, 0.0, 0.0, 0.0)  # roughness, metallic, chequered, textured


class Parts:
    """The visible shapes of a model, alike ones together.

    Args:
        model: The model.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        alike: dict[Any, list[int]] = {}
        kinds, scales = model.shape_type.numpy(), model.shape_scale.numpy()
        visible = model.shape_flags.numpy() & int(ShapeFlags.VISIBLE) != 0
        for shape in np.flatnonzero(visible).tolist():
            source = id(model.shape_source[shape])
            key = (int(kinds[shape]), tuple(scales[shape].tolist()), source)
            alike.setdefault(key, []).append(shape)
        self._groups = [np.array(group) for group in alike.values()]

    def tell_shapes(self, viewer: Any, state: Any) -> None:
        """Call ``log_instances`` for each group of shapes, as they are now."""
        model = self._model
        shown = np.ones(model.shape_count, dtype=bool)
        if viewer.visible_worlds is not None:
            shown = np.isin(model.shape_world.numpy(), [-1, *viewer.visible_worlds])
        places = model.shape_transform.numpy().copy()
        bodies = model.shape_body.numpy()
        carried = bodies >= 0
        if carried.any():
            frames = state.body_q.numpy()[bodies[carried]]
            places[carried] = poses.multiply(frames.astype(float), places[carried].astype(float))
        colors, opacities = model.shape_color.numpy(), model.shape_opacity.numpy()
        scales = model.shape_scale.numpy()
        with wp.ScopedDevice(model.device):
            for number, alike in enumerate(self._groups):
                group = alike[shown[alike]]
                if not len(group):
                    continue
                materials = np.tile(np.array(_MATERIAL, np.float32), (len(group), 1))
                viewer.log_instances(
                    f"/model/shapes/shape_{number}",
                    f"/geometry/geometry_{number}",
                    wp.array(places[group].astype(np.float32), dtype=wp.transform),
                    wp.array(scales[group], dtype=wp.vec3),
                    wp.array(colors[group], dtype=wp.vec3),
                    wp.array(materials, dtype=wp.vec4),
                    opacities=wp.array(opacities[group], dtype=float),
                )

    def tell_triangles(self, viewer: Any, state: Any) -> None:
        """Call ``log_mesh`` for the triangles of each color and opacity."""
        model = self._model
        if not model.tri_count or state.particle_q is None:
            return
        looks = np.column_stack([model.tri_color.numpy(), model.tri_opacity.numpy()])
        kinds, where = np.unique(looks, axis=0, return_inverse=True)
        corners = model.tri_indices.numpy().reshape(-1, 3)
        for number, look in enumerate(kinds):
            chosen = corners[where.reshape(-1) == number].reshape(-1)
            indices = wp.array(chosen, dtype=wp.int32, device=model.device)
            name = "/model/triangles" + (f"_{number}" if number else "")
            color = tuple(float(v) for v in look[:3])
            viewer.log_mesh(name, state.particle_q, indices, color=color, opacity=float(look[3]))
