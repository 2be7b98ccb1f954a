"""ViewerBase: what scripts call on a viewer, whatever it shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError


class ViewerBase:
    """A viewer that shows nothing. What it is told is kept as far as others show it.

    Attributes:
        model: What is shown, or None.
        time: Of the present frame [s].
        world_offsets: Where each world is shown, or None.
        show_contacts, show_joints, show_com, ...: What a script wants to be seen.
    """

    def __init__(self) -> None:
        self.model: Any = None
        self.max_worlds: int | None = None
        self.visible_worlds: frozenset[int] | None = None
        self.time = 0.0
        self.world_offsets: wp.array[Any] | None = None
        self.show_joints = self.show_com = self.show_particles = False
        self.show_contacts = self.show_springs = self.show_triangles = False
        self.show_collision = self.show_static = False
        self.show_visual = True
        self.show_inertia_boxes = self.show_hydro_contact_surface = False

    def is_running(self) -> bool:
        """Whether the script is to go on."""
        return True

    def is_paused(self) -> bool:
        """Whether the simulation is to wait."""
        return False

    def should_step(self) -> bool:
        """Whether the simulation is to make a step: it is not to wait."""
        return not self.is_paused()

    def is_rendering_paused(self) -> bool:
        """Whether what is shown is held: never."""
        return False

    def set_visible_worlds(self, worlds: Sequence[int] | None) -> None:
        """Tell viewers of a script's own of some worlds only, and of what belongs to none.

        Args:
            worlds: Their numbers; None: all.

        Raises:
            InvalidArgumentError: Nothing is shown yet.
        """
        if self.model is None:
            raise InvalidArgumentError("worlds", worlds, "a call behind set_model")
        self.visible_worlds = None if worlds is None else frozenset(int(w) for w in worlds)

    def is_key_down(self, key: str | int) -> bool:
        """Whether a key is held down."""
        return False

    def set_model(self, model: Any, max_worlds: int | None = None) -> None:
        """Say what is shown.

        Args:
            model: A `Model`, or None.
            max_worlds: Most worlds that are shown; None: all.

        Raises:
            InvalidArgumentError: A model is shown already.
        """
        if self.model is not None:
            raise InvalidArgumentError("model", "a second model", "one model a viewer")
        self.model, self.max_worlds = model, max_worlds

    def set_camera(self, pos: Any, pitch: float, yaw: float) -> None:
        """Put the camera somewhere; angles in degrees."""

    def set_world_offsets(self, spacing: Any) -> None:
        """Show worlds side by side in a grid.

        Args:
            spacing: Between worlds along each axis [m].
        """
        if self.model is None:
            raise InvalidArgumentError("spacing", spacing, "a call behind set_model")
        count = self.model.num_worlds
        offsets = grid_offsets(count, [float(v) for v in spacing], int(self.model.up_axis))
        self.world_offsets = wp.array(offsets, dtype=wp.vec3, device=self.model.device)

    def begin_frame(self, time: float) -> None:
        """Begin a frame of a time [s]."""
        self.time: float = time

    def end_frame(self) -> None:
        """End a frame."""

    def log_state(self, state: Any) -> None:
        """Show a state."""

    def log_contacts(self, contacts: Any, state: Any, observables: Any = None) -> None:
        """Show contacts."""

    def log_hydro_contact_surface(
        self, contact_surface_data: Any, penetrating_only: bool = True
    ) -> None:
        """Show a surface of contact."""

    def log_shapes(
        self,
        name: str,
        geo_type: int,
        geo_scale: Any,
        xforms: Any,
        colors: Any = None,
        materials: Any = None,
        geo_thickness: float = 0.0,
        geo_is_solid: bool = True,
        geo_src: Any = None,
        hidden: bool = False,
        opacities: Any = None,
    ) -> None:
        """Show shapes that belong to no model."""

    def log_geo(
        self,
        name: str,
        geo_type: int,
        geo_scale: Any,
        geo_thickness: float,
        geo_is_solid: bool,
        geo_src: Any = None,
        hidden: bool = False,
    ) -> None:
        """Prepare a shape."""

    def log_mesh(
        self,
        name: str,
        points: Any,
        indices: Any,
        normals: Any = None,
        uvs: Any = None,
        texture: Any = None,
        hidden: bool = False,
        backface_culling: bool = True,
        color: Any = None,
        roughness: float | None = None,
        metallic: float | None = None,
        dynamic: bool = False,
        opacity: float | None = None,
    ) -> None:
        """Show a mesh."""

    def log_instances(
        self,
        name: str,
        mesh: str,
        xforms: Any,
        scales: Any,
        colors: Any,
        materials: Any,
        hidden: bool = False,
        opacities: Any = None,
    ) -> None:
        """Show copies of a mesh."""

    def log_capsules(
        self,
        name: str,
        mesh: str,
        xforms: Any,
        scales: Any,
        colors: Any,
        materials: Any,
        hidden: bool = False,
        opacities: Any = None,
    ) -> None:
        """Show capsules."""

    def log_lines(
        self,
        name: str,
        starts: Any,
        ends: Any,
        colors: Any,
        width: float = 0.01,
        hidden: bool = False,
    ) -> None:
        """Show lines."""

    def log_arrows(
        self,
        name: str,
        starts: Any,
        ends: Any,
        colors: Any,
        width: float = 0.01,
        hidden: bool = False,
    ) -> None:
        """Show arrows."""

    def log_points(
        self, name: str, points: Any, radii: Any = None, colors: Any = None, hidden: bool = False
    ) -> None:
        """Show points."""

    def log_array(self, name: str, array: Any) -> None:
        """Show numbers."""

    def log_scalar(self, name: str, value: Any, *, clear: bool = False, smoothing: int = 1) -> None:
        """Show a number over time, from now on alone, or the mean of several."""

    def log_image(self, name: str, image: Any, *, fullscreen: bool = False) -> None:
        """Show a picture."""

    def log_gizmo(
        self,
        name: str,
        transform: Any,
        *,
        translate: Any = None,
        rotate: Any = None,
        snap_to: Any = None,
    ) -> None:
        """Show a frame that can be moved along and about axes, and where it goes when let go."""

    def update_shape_colors(self, shape_colors: dict[int, Any]) -> None:
        """Give shapes other colours."""

    def apply_forces(self, state: Any) -> None:
        """Add the forces of who pulls at bodies with the mouse."""

    def close(self) -> None:
        """End."""


def grid_offsets(count: int, spacing: list[float], up_axis: int) -> np.ndarray:
    """Places of worlds in a grid about the origin, along the axes with a spacing, (count, 3)."""
    axes = [i for i in range(3) if spacing[i] != 0.0]
    offsets = np.zeros((count, 3), dtype=np.float32)
    if not axes or count < 1:
        return offsets
    side = int(np.ceil(count ** (1.0 / len(axes))))
    rest = np.arange(count)
    for axis in reversed(axes):
        offsets[:, axis] = (rest % side) * spacing[axis]
        rest = rest // side
    centre = 0.5 * (offsets.min(axis=0) + offsets.max(axis=0))
    centre[up_axis] = 0.0  # nothing goes below the ground
    return offsets - centre
