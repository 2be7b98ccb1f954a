"""A viewer's page in the browser."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.isaacgym.cameras import optics
from unibody.isaacgym.cameras.contacts import contact_lines
from unibody.isaacgym.cameras.parts import soft_mesh, visuals
from unibody.isaacgym.window.events import events_of
from unibody.viewer.closing import Closing
from unibody.viewer.display import Display
from unibody.viewer.groups import Group
from unibody.viewer.inputs import MouseEvent

if TYPE_CHECKING:
    from unibody.core.render.camera import Frames
    from unibody.core.render.mesh import Mesh
    from unibody.core.render.visual_shapes import VisualShape
    from unibody.isaacgym.batch.environment import Environment
    from unibody.isaacgym.batch.soft import SoftPart
    from unibody.isaacgym.cameras.events import Event
    from unibody.isaacgym.cameras.studio import Studio
    from unibody.isaacgym.cameras.viewer import GymViewer

_PERIOD = 1.0 / 30.0  # s between two frames
_LINES = "lines"
_LAYERS = ("Collision shapes", "Contacts", "Frames")
_CONTACT_COLOR = (1.0, 0.2, 0.1)
_METRES_PER_NEWTON = 0.005


class Page:
    """Shows the environments of a viewer.

    Attributes:
        url: Of the page.
    """

    def __init__(self, viewer: GymViewer) -> None:
        self._viewer = viewer
        self._display = Display(title="Isaac Gym")
        self.url: str = self._display.url
        self._display.viewer.controls.offer(_LAYERS)
        self._display.viewer.set_fov(optics.vertical_fov(viewer.camera.properties))
        if viewer.up[1]:
            self._display.viewer.set_up("y")
        self._groups: list[tuple[Group, int]] = []
        self._state: Any = None
        self._drawn = -np.inf
        self._framed = False
        self._closing = Closing()
        self._events: list[Event] = []
        self._mouse: MouseEvent | None = None

    @property
    def closed(self) -> bool:
        """True once all pages that were open have been closed for a while."""
        return self._closing.is_over(closed=self._display.closed)

    def close(self) -> None:
        """End the server."""
        self._display.close()

    # --- camera --------------------------------------------------------------------------------

    def look(self, position: Any, target: Any) -> None:
        """Move the camera of all pages."""
        (a, b, c), (d, e, f) = (tuple(float(v) for v in point) for point in (position, target))
        self._display.look_at((a, b, c), (d, e, f))

    def view(self) -> tuple[Any, Any] | None:
        """Position and target of the camera of the first page; None without one."""
        found = self._display.view()
        return None if found is None else (found.position, found.target)

    def size(self) -> tuple[int, int] | None:
        """Width and height of the first page [pixels]; None without one."""
        found = self._display.view()
        return None if found is None else (found.width, found.height)

    # --- what is shown -------------------------------------------------------------------------

    def draw(self) -> None:
        """Show the state there is, thirty times a second at most and only to somebody."""
        page = self._display.viewer
        page.controls.wait_while_paused(lambda: page.watched)
        now = time.monotonic()
        if not page.busy or now - self._drawn < _PERIOD:
            return
        self._drawn = now
        envs = self._viewer.shown()
        self._viewer.sim.build()
        studio, layers = self._viewer.studio, page.controls.layers()
        self._show(envs, studio, "Collision shapes" in layers)
        frames = studio.frames_of(envs)
        first = 0
        for group, count in self._groups:
            rows = slice(first, first + count)
            self._display.update(group, frames.positions[rows], frames.quats[rows])
            first += count
        self._display.deform(deformed_of(envs))
        self._display.clear_lines(_LINES)
        for ends, colors in self._viewer.lines:
            self._display.draw_lines(ends[:, 0], ends[:, 1], colors, owner=_LINES)
        self._draw_layers(envs, studio, frames, layers)
        camera = self._viewer.camera
        if camera.follow is not None:
            position, rotation = camera.pose()
            self.look(position, position + rotation[:, 0])
        self._display.draw()

    def _draw_layers(
        self, envs: list[Environment], studio: Studio, frames: Frames, layers: set[str]
    ) -> None:
        """Draw what somebody has ticked on the page."""
        if "Contacts" in layers:
            for env in envs:
                ends = contact_lines(env, _METRES_PER_NEWTON, root=False)
                if len(ends):
                    ends += np.array([env.origin.x, env.origin.y, env.origin.z])
                    self._display.draw_lines(
                        ends[:, 0], ends[:, 1], _CONTACT_COLOR, width=3.0, owner=_LINES
                    )
        shows = "Frames" in layers
        if shows or self._framed:
            rows = studio.body_rows(envs) if shows else np.zeros(0, np.int64)
            self._display.viewer.draw_frames(frames.positions[rows], frames.quats[rows])
        self._framed = shows

    def _show(self, envs: list[Environment], studio: Studio, collision: bool) -> None:
        collision |= self._viewer.camera.properties.use_collision_geometry
        state = studio.shown(envs, collision)
        if state == self._state:
            return
        self._state = state
        for group, _ in self._groups:
            self._display.remove(group)
        self._groups = []
        for env in envs:
            parts = parts_of(env, studio, collision, ground=env is envs[0])
            count = studio.frame_count(env)
            self._groups.append((self._display.add_parts(parts, count), count))

    # --- inputs --------------------------------------------------------------------------------

    def collect(self) -> None:
        """Take in what was pressed since the last call."""
        inputs = self._display.viewer.inputs
        moves = inputs.mouse()
        self._events += events_of(
            inputs.keys(), moves, self._mouse, self._viewer.keys, self._viewer.mouse
        )
        if moves:
            self._mouse = moves[-1]

    def take_events(self) -> list[Event]:
        """All events since the last call."""
        self.collect()
        found, self._events = self._events, []
        return found

    def mouse_position(self) -> tuple[float, float]:
        """Where the mouse was last, as shares of the page; (0, 0) is its upper left corner."""
        self.collect()
        last = self._mouse
        if last is None:
            return 0.0, 0.0
        return last.x / max(last.width, 1.0), last.y / max(last.height, 1.0)


def parts_of(
    env: Environment, studio: Studio, collision: bool, *, ground: bool
) -> list[VisualShape]:
    """The parts of an environment in its colours, on its own frames.

    Args:
        env: The environment.
        studio: Of the simulation.
        collision: Collision shapes in place of visual ones.
        ground: With the ground.
    """
    found = visuals(*studio.dressed_pieces(env, collision))
    return [_owned(part, env) for part in found if part.owner[0] >= 0 or ground]


def _owned(part: VisualShape, env: Environment) -> VisualShape:
    """A part that deforms, with an owner that no other environment has."""
    if not part.deforms:
        return part
    soft = env.actors[part.owner[0]].soft[-1 - part.owner[1]]
    return replace(part, owner=_owner(soft))


def _owner(soft: SoftPart) -> tuple[int, int]:
    return soft.start, -1


def deformed_of(envs: list[Environment]) -> dict[tuple[int, int], Mesh]:
    """The surfaces of all soft bodies now, by owner."""
    every = [soft for env in envs for actor in env.actors for soft in actor.soft]
    return {_owner(soft): soft_mesh(soft) for soft in every}
