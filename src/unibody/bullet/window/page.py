"""The window of a ``GUI`` client: a page of the viewer that follows the client's world.

A thread of its own looks at the world thirty times a second while a page is open or a recording is
made; else it only looks for pages, twice a second. The script pays for one test a step.
"""

from __future__ import annotations

import functools
import logging
import threading
import time
from typing import Any

import numpy as np

from unibody.bullet import constants as c
from unibody.bullet.cameras.soft import soft_meshes
from unibody.bullet.clients.client import Client
from unibody.bullet.debug.visualizer import FOV, visualizer_angles, y_is_up
from unibody.bullet.state.debug_items import DebugParameter
from unibody.bullet.window.camera import angles_of, eye_of
from unibody.bullet.window.initial_states import Beginning
from unibody.bullet.window.layers import Pace, contact_lines, layer_items
from unibody.bullet.window.light import sun_of
from unibody.bullet.window.options import WindowOptions
from unibody.bullet.window.previews import Previews
from unibody.bullet.window.rays import Rays
from unibody.bullet.window.scene import Placed, Shown, debug_items, shown_bodies
from unibody.bullet.window.shortcuts import KEYS, take_key
from unibody.core.engine.world.pose_reader import PoseReader
from unibody.core.render.visual_shapes import VisualShape
from unibody.errors import UnibodyError
from unibody.notices import tell
from unibody.viewer.items import Line
from unibody.viewer.painter import BACKGROUND
from unibody.viewer.viewer import HELP, Grip, Viewer

_MOUSE = (("drag a body", "pull at it with a spring"),)
_PERIOD, _IDLE_PERIOD = 1.0 / 30.0, 0.5  # s
_GRIP_RATE = 10.0  # 1/s: natural frequency of the spring between mouse and body
_RAYS = -3_000_000  # first id of a ray; a script's own are positive
_LOOKS_EVERY = 10  # frames between two looks at colours


class Window:
    """The page of one client."""

    def __init__(self, client: Client, options: WindowOptions) -> None:
        self.viewer: Viewer = Viewer(port=options.port, title=options.title)
        self.viewer.set_fov(FOV)
        self.viewer.on_grip = self._take_grip
        self.viewer.inputs.on_press = functools.partial(take_key, client, self.viewer.controls)
        self._client = client
        self._pose_reader: PoseReader | None = None
        self._seen = (-1, -1)  # generation of the world and number of its poses
        self._shown = Shown()
        self._parts: list[VisualShape] = []
        self._frame = 0
        self._grip: Grip | None = None
        self._held_at: tuple[float, ...] = ()  # in the frame of the held link [m]
        self._sliders: dict[int, Any] = {}
        self._contacts: list[Line] = []
        self._wants_contacts = False
        self._framed = False
        self._next_contacts = 0.0
        self._pace = Pace()
        self._beginning = Beginning(client)
        self._wants_reset = False
        self.viewer.controls.offer_reset(self._ask_for_reset)
        self.viewer.controls.offer_help(HELP, _MOUSE, KEYS)
        self.previews: Previews = Previews()
        self.rays: Rays = Rays()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._paint, name="unibody window", daemon=True)
        self._thread.start()

    # --- the script's side ----------------------------------------------------------------------

    def before_step(self) -> None:
        """Wait while the page says pause; pull at what the mouse holds."""
        self._beginning.note()
        self.viewer.controls.wait_while_paused(lambda: self.viewer.watched, self._reset)
        self._reset()
        grip = self._grip
        if grip is not None:
            self._pull(grip)
        self._pace.step(self._client.parameters.fixedTimeStep)
        if self._wants_contacts and time.monotonic() > self._next_contacts:
            self._next_contacts = time.monotonic() + _PERIOD
            self._contacts = list(contact_lines(self._client.id))

    def _ask_for_reset(self) -> None:
        self._wants_reset = True

    def _reset(self) -> None:
        """Put bodies back where they began, if somebody asked for it."""
        if self._wants_reset:
            self._wants_reset, self._grip = False, None
            self._beginning.restore()

    def close(self) -> None:
        """End the thread and the server."""
        self._closed.set()
        self._thread.join(timeout=2.0)
        self.viewer.close()

    def look(self, distance: float, yaw: float, pitch: float, target: tuple[float, ...]) -> None:
        """Place the camera: distance [m], yaw and pitch [deg], target [m]."""
        eye = eye_of(distance, yaw, pitch, target, y_up=y_is_up(self._client))
        self.viewer.look(eye, (target[0], target[1], target[2]))

    def camera(self) -> dict[str, Any]:
        """The camera as the page has it: distance, yaw, pitch, target; {} without a page."""
        view = self.viewer.view()
        if view is None:
            return {}
        distance, yaw, pitch = angles_of(view.position, view.target, y_up=y_is_up(self._client))
        found = {"distance": distance, "yaw": yaw, "pitch": pitch, "target": view.target}
        return {**found, "width": view.width, "height": view.height}

    def add_parameter(self, unique_id: int, parameter: DebugParameter) -> None:
        """Put a slider or button on the page."""
        if parameter.is_button:

            def count() -> None:
                parameter.value += 1.0

            self._sliders[unique_id] = self.viewer.controls.add_button(parameter.name, count)
            return
        slider = self.viewer.controls.add_slider(
            parameter.name, parameter.low, parameter.high, parameter.value
        )

        @slider.on_update
        def _(_event: Any) -> None:
            parameter.value = float(slider.value)

        self._sliders[unique_id] = slider

    def remove_parameters(self) -> None:
        """Take all sliders and buttons off the page."""
        for handle in self._sliders.values():
            self.viewer.controls.remove(handle)
        self._sliders.clear()

    # --- the page's side ------------------------------------------------------------------------

    def _paint(self) -> None:
        log = logging.getLogger("unibody.viewer")
        due = time.monotonic()
        while not self._closed.wait(max(0.0, due - time.monotonic())):
            # by the clock, however long a frame took; a late one is not made up for
            due = max(due, time.monotonic() - _PERIOD)
            if not self.viewer.busy:
                due += _IDLE_PERIOD
                continue
            due += _PERIOD
            try:
                self._paint_frame()
            except (ArithmeticError, LookupError, RuntimeError, ValueError) as problem:
                # bodies came or went meanwhile: the next frame has them
                log.debug("a frame was left out: %s", problem)
            except UnibodyError as problem:  # such as an image that is no longer there
                if self._client.say_once(str(problem)):
                    tell(f"viewer: {problem}")

    def _paint_frame(self) -> None:
        self._apply_settings()
        if not self._client.visualizer.get(c.COV_ENABLE_RENDERING, 1):
            return
        generation, positions, quats = self._poses()
        self._frame += 1
        if (generation, len(positions)) != self._seen or self._frame % _LOOKS_EVERY == 0:
            self._show_bodies(len(positions))
            self._seen = generation, len(positions)
        shown = self._shown
        positions, quats = shown.places.all(positions, quats)
        layers = self.viewer.controls.layers()
        self._wants_contacts = "Contacts" in layers
        items = debug_items(self._client, shown, positions, quats)
        links = shown.link_rows
        items.update(layer_items(self._client, layers, links, positions, quats))
        self.rays.wanted = "Rays" in layers
        if self.rays.wanted:
            items.update({_RAYS - n: line for n, line in enumerate(self.rays.lines())})
        if self._wants_contacts:
            items.update({-1 - number: line for number, line in enumerate(self._contacts)})
        self.viewer.draw(items)
        rows = links if "Frames" in layers else links[:0]
        if len(rows) or self._framed:
            self.viewer.draw_frames(positions[rows], quats[rows])
        self._framed = bool(len(rows))
        deformed = soft_meshes(self._client)
        self.viewer.place(positions[shown.rows], quats[shown.rows], deformed=deformed)
        self.viewer.controls.say(self._pace.text())

    def _poses(self) -> tuple[int, Any, Any]:
        """Generation and poses of the running world, which only the script brings up to date."""
        world = self._client.scene.running
        if world is None:
            return -1, np.zeros((0, 3)), np.zeros((0, 4))
        if self._pose_reader is None or self._pose_reader.world is not world:
            self._pose_reader, self._seen = PoseReader(world), (-1, -1)
        return self._pose_reader.poses()

    def _apply_settings(self) -> None:
        """Follow configureDebugVisualizer."""
        flags, viewer = self._client.visualizer, self.viewer
        has_panel = bool(flags.get(c.COV_ENABLE_GUI, 1))
        viewer.controls.show(has_panel)
        viewer.set_grid(has_panel)
        viewer.lights.show(sun_of(self._client))
        up = "y" if y_is_up(self._client) else "z"
        if viewer.up != up:
            viewer.set_up(up)
            self.look(*visualizer_angles(self._client))
        viewer.set_background(self._client.camera.get("rgbBackground", BACKGROUND))
        self.previews.show(viewer, flags, frustum="Cameras" in viewer.controls.layers())

    def _show_bodies(self, count: int) -> None:
        collisions = "Collision shapes" in self.viewer.controls.layers()
        self._shown = shown_bodies(self._client, count, collisions=collisions)
        if self._shown.parts != self._parts:
            self._parts = self._shown.parts
            self.viewer.show(self._parts)

    # --- dragging -------------------------------------------------------------------------------

    def _take_grip(self, grip: Grip) -> None:
        if grip.phase == "end" or not self._client.visualizer.get(c.COV_ENABLE_MOUSE_PICKING, 1):
            self._grip = None
        elif grip.phase == "start" or self._grip is None:
            self._held_at = ()
            self._grip = grip
        else:
            self._grip = Grip(grip.phase, self._grip.owner, grip.point, grip.target)

    def _pull(self, grip: Grip) -> None:
        """A damped spring from the held point to the mouse, in proportion to the body's mass."""
        from unibody.bullet.bodies.states import applyExternalForce

        body_id, link = grip.owner
        body = self._client.bodies.get(body_id)
        if body is None:
            self._grip = None
            return
        state = body.record.links[link + 1]
        world = self._client.world
        world.velocities()
        place = Placed(world.data.xpos[state.body], world.data.xquat[state.body])
        if not self._held_at:
            self._held_at = place.inverse(grip.point)
        point = place(self._held_at)
        linear, angular = body.link_velocity(link)
        com = world.data.xipos[state.body]
        speed = np.asarray(linear) + np.cross(angular, np.asarray(point) - com)
        mass = sum(other.mass for other in body.record.links)
        gap = np.asarray(grip.target) - np.asarray(point)
        force = mass * (_GRIP_RATE**2 * gap - 2.0 * _GRIP_RATE * speed)
        applyExternalForce(
            body_id, link, force.tolist(), point, c.WORLD_FRAME, physicsClientId=self._client.id
        )
