"""Methods of ``Gym``: viewers, what people do in them, and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError
from unibody.isaacgym import handles
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.gym.cameras import VIEWER_CAMERA, origin_of, studio_of, transform_from
from unibody.isaacgym.gym.checks import env_of, sim_of, text_of, vector_of
from unibody.isaacgym.types.fields import to_choice, to_flag, to_float, to_int
from unibody.isaacgym.types.inputs import KeyboardInput, MouseInput
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.vectors import Int2, Vec2, Vec3
from unibody.isaacgym.types.viewing import ActionEvent, CameraProperties

if TYPE_CHECKING:
    from unibody.isaacgym.cameras.viewer import GymViewer

Array = npt.NDArray[np.float64]


class ViewerCalls:
    """Viewers."""

    def create_viewer(self, arg0: handles.Sim, arg1: CameraProperties) -> GymViewer:
        """Show a simulation in a browser; the address is printed.

        Without viser, or with ``UNIBODY_VIEWER=off``, there is no page: everything else works, and
        ``write_viewer_image_to_file`` draws what there would be to see.

        Args:
            arg0: The simulation; a viewer that it has is closed.
            arg1: Size of the picture, field of view, and which geometry is shown.
        """
        from unibody.isaacgym.cameras.optics import checked
        from unibody.isaacgym.cameras.viewer import GymViewer
        from unibody.isaacgym.window.opening import open_page

        sim = sim_of(arg0)
        properties = checked(arg1)
        if sim.viewer is not None:
            sim.viewer.close()
        viewer = GymViewer(sim, studio_of(sim), properties)
        open_page(viewer)
        sim.viewer = viewer
        return viewer

    def destroy_viewer(self, arg0: handles.Viewer) -> None:
        """Close a viewer: its handle is good for nothing any more."""
        viewer_of(arg0).close()

    def draw_viewer(
        self, viewer: handles.Viewer, sim: handles.Sim, render_collision: bool = True
    ) -> None:
        """Show the state there is: thirty times a second at most, and only to an open page.

        Args:
            viewer: The viewer.
            sim: Its simulation.
            render_collision: Changes nothing, as in Isaac Gym: what is shown is said by
                ``use_collision_geometry`` of the viewer's properties.
        """
        found = viewer_of(viewer)
        to_flag("render_collision", render_collision)
        if sim_of(sim) is not found.sim:
            raise InvalidArgumentError("sim", sim, "the simulation the viewer was made for")
        if found.page is not None:
            with found.sim.clock.measure("graphics_viewer_rendering"):
                found.page.draw()

    # --- inputs --------------------------------------------------------------------------------

    def poll_viewer_events(self, arg0: handles.Viewer) -> None:
        """Take in what was pressed, without drawing."""
        page = viewer_of(arg0).page
        if page is not None:
            page.collect()

    def query_viewer_action_events(self, arg0: handles.Viewer) -> list[ActionEvent]:
        """Return what happened since the last call, of what was subscribed to.

        The value is 1 for a key or button that went down and 0 for one that came up; notches for
        the wheel, and shares of the page's width or height for movements.
        """
        page = viewer_of(arg0).page
        return [] if page is None else [_event(*event) for event in page.take_events()]

    def query_viewer_has_closed(self, arg0: handles.Viewer) -> bool:
        """Return True some seconds after the last open page was closed; never without a page."""
        page = viewer_of(arg0).page
        return page is not None and page.closed

    def subscribe_viewer_keyboard_event(
        self, arg0: handles.Viewer, arg1: KeyboardInput, arg2: str
    ) -> None:
        """Have ``query_viewer_action_events`` tell of a key, under a name."""
        viewer = viewer_of(arg0)
        key = _input("key", KeyboardInput, arg1)
        viewer.keys.setdefault(key, []).append(text_of("action", arg2))

    def subscribe_viewer_mouse_event(
        self, arg0: handles.Viewer, arg1: MouseInput, arg2: str
    ) -> None:
        """Have ``query_viewer_action_events`` tell of a mouse input, under a name."""
        viewer = viewer_of(arg0)
        what = _input("mouse input", MouseInput, arg1)
        viewer.mouse.setdefault(what, []).append(text_of("action", arg2))

    def get_viewer_mouse_position(self, arg0: handles.Viewer) -> Vec2:
        """Return where the mouse was last, as shares of the page; (0, 0) is its upper left."""
        page = viewer_of(arg0).page
        return Vec2(*((0.0, 0.0) if page is None else page.mouse_position()))

    def get_viewer_size(self, arg0: handles.Viewer) -> Int2:
        """Return width and height of the page; without one, those of its properties [pixels]."""
        viewer = viewer_of(arg0)
        properties = viewer.camera.properties
        size = None if viewer.page is None else viewer.page.size()
        return Int2(*(size or (properties.width, properties.height)))

    # --- camera --------------------------------------------------------------------------------

    def viewer_camera_look_at(
        self, arg0: handles.Viewer | None, arg1: handles.Env | None, arg2: Vec3, arg3: Vec3
    ) -> None:
        """Place the camera and let it look at a target, in an environment's frame [m].

        Without an environment, in the simulation's. Without a viewer it does nothing: scripts that
        run headless call it, too.
        """
        if arg0 is None:
            return
        viewer = viewer_of(arg0)
        origin = _origin(viewer, arg1)
        viewer.look(_point("position", arg2) + origin, _point("target", arg3) + origin)

    def get_viewer_camera_handle(self, arg0: handles.Viewer) -> int:
        """Return a handle for the methods of cameras; it is good with every environment."""
        viewer_of(arg0)
        return VIEWER_CAMERA

    def get_viewer_camera_transform(
        self, arg0: handles.Viewer, arg1: handles.Env | None
    ) -> Transform:
        """Return the camera's pose in an environment's frame: z forward, y up, x left.

        Without an environment, in the simulation's.
        """
        viewer = viewer_of(arg0)
        origin = _origin(viewer, arg1)
        viewer.follow_page()
        position, rotation = viewer.camera.pose()
        return transform_from(position - origin, rotation[:, [1, 2, 0]])

    def write_viewer_image_to_file(self, arg0: handles.Viewer, arg1: str) -> None:
        """Write what the viewer shows to an image file, drawn here: it needs no page.

        Raises:
            InvalidArgumentError: The file cannot be written, or the format is not known.
        """
        from unibody.isaacgym.cameras.files import save
        from unibody.isaacgym.window.picture import picture_of

        viewer = viewer_of(arg0)
        file = text_of("filename", arg1)
        save(file, picture_of(viewer))

    # --- lines ---------------------------------------------------------------------------------

    def add_lines(
        self, arg0: handles.Viewer, arg1: handles.Env | None, arg2: int, arg3: Any, arg4: Any
    ) -> None:
        """Add lines, which stay until ``clear_lines``.

        Args:
            arg0: The viewer.
            arg1: The environment whose frame they are in, or None for the simulation's.
            arg2: How many.
            arg3: Start and end of each [m]: 6 numbers, or 2 ``Vec3``; there may be more of them.
            arg4: Red, green and blue of each, 0 to 1; there may be more of them.
        """
        viewer = viewer_of(arg0)
        count = to_int("num_lines", arg2)
        if count < 0:
            raise InvalidArgumentError("num_lines", arg2, "0 or more")
        ends = _plain("vertices", arg3, 6 * count).reshape(count, 2, 3)
        colors = _plain("colors", arg4, 3 * count).reshape(count, 3)
        if count:
            viewer.lines.append((ends + _origin(viewer, arg1), colors))

    def clear_lines(self, arg0: handles.Viewer) -> None:
        """Remove all lines."""
        viewer_of(arg0).lines.clear()

    def draw_env_rigid_contacts(
        self, arg0: handles.Viewer, arg1: handles.Env, arg2: Vec3, arg3: float, arg4: bool
    ) -> None:
        """Add a line for the sum of the contact forces on each body of an environment.

        Args:
            arg0: The viewer.
            arg1: The environment.
            arg2: Colour.
            arg3: Metres for a newton.
            arg4: Take the square root of the force before.
        """
        from unibody.isaacgym.cameras.contacts import contact_lines

        viewer, env = viewer_of(arg0), env_of(arg1)
        color = _point("color", arg2)
        scale = to_float("scale", arg3)
        ends = contact_lines(env, scale, root=to_flag("sqrt", arg4))
        if len(ends):
            viewer.lines.append((ends + origin_of(env), np.tile(color, (len(ends), 1))))


def viewer_of(value: Any) -> GymViewer:
    """Return a viewer that is still open.

    Raises:
        ArgumentTypeError: It is no viewer.
        InvalidArgumentError: It has been destroyed.
    """
    from unibody.isaacgym.cameras.viewer import GymViewer

    if not isinstance(value, GymViewer):
        raise ArgumentTypeError("viewer", value, "a Viewer that create_viewer returned")
    if not value.open:
        raise InvalidArgumentError("viewer", value, "a Viewer that has not been destroyed")
    sim_of(value.sim, "viewer")
    return value


def _event(action: str, value: float) -> ActionEvent:
    event = ActionEvent()
    event._action, event._value = action, value
    return event


def _input(name: str, kind: type[KeyboardInput] | type[MouseInput], value: Any) -> int:
    return int(to_choice(name, value, kind, f"a gymapi.{kind.__name__}"))


def _origin(viewer: GymViewer, env: Any) -> Array:
    """Of an environment's frame, or of the simulation's for None."""
    if env is None:
        return np.zeros(3)
    if env_of(env).sim is not viewer.sim:
        raise InvalidArgumentError("env", env, "an environment of the viewer's simulation")
    return origin_of(env)


def _point(name: str, value: Any) -> Array:
    vector = vector_of(name, value)
    numbers = np.array([vector.x, vector.y, vector.z])
    if not np.isfinite(numbers).all():
        raise InvalidArgumentError(name, value, "finite numbers")
    return numbers


def _plain(name: str, value: Any, count: int) -> Array:
    """The first numbers of an array of numbers or of records of them."""
    try:
        array = np.asarray(value)
        if array.dtype.names is not None:
            array = np.ascontiguousarray(array).view(np.float32)
        numbers = array.astype(np.float64).ravel()
    except (TypeError, ValueError):
        raise ArgumentTypeError(name, value, "an array of numbers") from None
    if numbers.size < count:
        raise InvalidArgumentError(name, f"{numbers.size} numbers", f"at least {count} numbers")
    return numbers[:count]
