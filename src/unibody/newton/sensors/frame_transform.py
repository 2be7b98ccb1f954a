"""SensorFrameTransform: poses of shapes in the frames of sites."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.newton.enums import ShapeFlags
from unibody.newton.labels import Pattern, matched


class SensorFrameTransform:
    """Measures poses of shapes, or sites, in the frames of reference sites.

    Args:
        model: The model.
        shapes: Indices of shapes, or patterns of their labels.
        reference_sites: Those of sites: one for all shapes, or as many as shapes.
        verbose: Whether to print what it measures; None: as Warp does.

    Attributes:
        transforms: One pose a shape.
    """

    def __init__(
        self,
        model: Any,
        shapes: Pattern,
        reference_sites: Pattern,
        *,
        verbose: bool | None = None,
    ) -> None:
        self.model = model
        self.verbose: bool = getattr(wp.config, "verbose", False) if verbose is None else verbose
        found = matched("shapes", model.shape_label, shapes)
        references = matched("reference_sites", model.shape_label, reference_sites)
        flags = model.shape_flags.numpy()
        for site in references:
            if not flags[site] & ShapeFlags.SITE:
                label = model.shape_label[site]
                raise ValueError(f"Reference index {site} (label: {label}) is not a site")
        if len(references) == 1:
            references = references * len(found)
        if len(references) != len(found):
            raise ValueError(
                f"Number of reference sites ({len(references)}) must match"
                f" number of shapes ({len(found)}) or be 1"
            )
        with wp.ScopedDevice(model.device):
            self._shapes = wp.array(found, dtype=wp.int32)
            self._references = wp.array(references, dtype=wp.int32)
            self.transforms: wp.array[Any] = wp.zeros(len(found), dtype=wp.transform)
        if self.verbose:
            print(f"SensorFrameTransform of {len(found)} shapes")  # noqa: T201

    def update(self, state: Any) -> None:
        """Measure a state."""
        from unibody.newton.sensors.sensor_kernels import relative_poses

        model = self.model
        wp.launch(
            relative_poses,
            dim=len(self._shapes),
            inputs=[
                self._shapes,
                self._references,
                model.shape_body,
                model.shape_transform,
                state.body_q,
            ],
            outputs=[self.transforms],
            device=model.device,
        )
