"""A viewer as scripts hold it: with a page in the browser, or without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from unibody.isaacgym import handles
from unibody.isaacgym.cameras import optics
from unibody.isaacgym.cameras.events import Event
from unibody.isaacgym.cameras.poses import Pose
from unibody.isaacgym.cameras.sensor import CameraSensor
from unibody.isaacgym.types.enums import UpAxis
from unibody.isaacgym.types.viewing import CameraProperties
from unibody.notices import tell

if TYPE_CHECKING:
    from unibody.isaacgym.batch.environment import Environment
    from unibody.isaacgym.batch.simulation import Simulation
    from unibody.isaacgym.cameras.studio import Studio

Array = npt.NDArray[np.float64]
MOST_ENVS = 256


class Page(Protocol):
    """What a viewer asks of its page, and scripts of both."""

    @property
    def closed(self) -> bool:
        """True once all pages that were open have been closed for a while."""
        ...

    def look(self, position: Any, target: Any) -> None:
        """Move the camera of all pages."""
        ...

    def view(self) -> tuple[Any, Any] | None:
        """Position and target of the camera of the first page; None without one."""
        ...

    def size(self) -> tuple[int, int] | None:
        """Width and height of the first page; None without one."""
        ...

    def draw(self) -> None:
        """Show the present state."""
        ...

    def collect(self) -> None:
        """Take in what was pressed."""
        ...

    def take_events(self) -> list[Event]:
        """What happened since the last call, of what was subscribed to."""
        ...

    def mouse_position(self) -> tuple[float, float]:
        """Where the mouse was last, as shares of the page."""
        ...

    def close(self) -> None:
        """End the page."""
        ...


class ViewerCamera(CameraSensor):
    """The camera of a viewer: it sees all environments, and is placed in the simulation's frame."""

    def __init__(self, sim: Simulation, studio: Studio, properties: CameraProperties) -> None:
        nowhere: Any = None
        super().__init__(nowhere, properties)
        self._sim = sim
        self._studio = studio

    @property
    def sim(self) -> Simulation:
        """The simulation."""
        return self._sim

    def origin(self) -> Array:
        """Of the simulation's frame."""
        return np.zeros(3)

    def pose(self) -> Pose:
        """Where it is now, in the simulation's frame."""
        if self.follow is not None and self._sim.built:
            env = self.follow.actor.env
            frames = self._studio.frames_of([env])
            row = self.follow.row
            self.placed: Pose = self.follow.place(
                self.offset, frames.positions[row], frames.quats[row]
            )
        return self.placed


class GymViewer(handles.Viewer):
    """A viewer.

    Attributes:
        sim: What it shows.
        studio: What takes its pictures.
        camera: Where it is seen from.
        target: What it was told to look at, in the simulation's frame [m].
        lines: Ends (n, 2, 3) in the simulation's frame [m] and colours (n, 3).
        keys: Actions by ``KeyboardInput``.
        mouse: Actions by ``MouseInput``.
        page: Its page in the browser, or None.
        open: It has not been destroyed.
    """

    def __init__(self, sim: Simulation, studio: Studio, properties: CameraProperties) -> None:
        super().__init__()
        self.sim = sim
        self.studio = studio
        self.camera: ViewerCamera = ViewerCamera(sim, studio, properties)
        self.target: Array = np.zeros(3)
        self.lines: list[tuple[Array, Array]] = []
        self.keys: dict[int, list[str]] = {}
        self.mouse: dict[int, list[str]] = {}
        self.page: Page | None = None
        self.open = True
        self._shown: tuple[Any, list[Environment]] | None = None
        self.look(np.array([6.0, 6.0, 6.0]), self.target)

    @property
    def up(self) -> Array:
        """The direction up, (3,)."""
        return np.eye(3)[1 if self.sim.params.up_axis == UpAxis.UP_AXIS_Y else 2]

    def look(self, position: Array, target: Array) -> None:
        """Place the camera and let it look at a target, in the simulation's frame [m]."""
        self.camera.follow = None
        self.camera.placed = Pose(position, optics.looking(position, target, self.up))
        self.target = target
        if self.page is not None:
            self.page.look(position, target)

    def follow_page(self) -> None:
        """Bring the camera to where somebody has moved that of the page."""
        view = None if self.page is None else self.page.view()
        if view is not None and self.camera.follow is None:
            position, target = (np.array(point, float) for point in view)
            self.camera.placed = Pose(position, optics.looking(position, target, self.up))

    def shown(self) -> list[Environment]:
        """The environments it shows: if there are too many, those nearest to the target."""
        envs = self.sim.envs
        if len(envs) <= MOST_ENVS:
            return envs
        state = (len(envs), *self.target.tolist())
        if self._shown is None or self._shown[0] != state:
            if self._shown is None:
                tell(f"the viewer shows {MOST_ENVS} of {len(envs)} environments")
            origins = np.array([[env.origin.x, env.origin.y, env.origin.z] for env in envs])
            gaps = np.linalg.norm(origins - self.target, axis=1)
            nearest = np.sort(np.argsort(gaps, kind="stable")[:MOST_ENVS])
            self._shown = state, [envs[number] for number in nearest.tolist()]
        return self._shown[1]

    def take(self) -> None:
        """Note what there is to see now."""
        self.follow_page()
        self.sim.build()
        self.studio.look(self.camera, self.shown())

    def close(self) -> None:
        """End the page."""
        self.open: bool = False
        page, self.page = self.page, None
        if page is not None:
            page.close()
        if self.sim.viewer is self:
            self.sim.viewer = None
