"""Viewports: records of windows, each with a camera and a resolution. Nothing is shown."""

from __future__ import annotations

import itertools

from pxr import Sdf, Usd

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.kit import context, render_products
from unibody.isaac_core.kit.cameras import PERSPECTIVE

_numbers = itertools.count()


class ViewportApi:
    """What a viewport looks through.

    Attributes:
        id: Its number, as text.
        camera_path: Path of its camera.
        resolution: Width and height [px].
    """

    def __init__(self, camera_path: str, resolution: tuple[int, int]) -> None:
        self.id: str = str(next(_numbers))
        self.camera_path: Sdf.Path = Sdf.Path(str(camera_path))
        self.resolution = resolution
        self.aovs: list[str] = ["LdrColor"]

    @property
    def stage(self) -> Usd.Stage | None:
        """The stage that is looked at."""
        return context.get_context().get_stage()

    @property
    def usd_context_name(self) -> str:
        """Name of the context of the stage."""
        return ""

    @property
    def render_product_path(self) -> str:
        """Path of what the pictures are described by."""
        return self.get_render_product_path()

    def get_active_camera(self) -> Sdf.Path:
        """Path of the camera."""
        return self.camera_path

    def set_active_camera(self, path: str) -> None:
        """Look through another camera."""
        self.camera_path = Sdf.Path(str(path))

    def get_texture_resolution(self) -> tuple[int, int]:
        """Width and height [px]."""
        return self.resolution

    def set_texture_resolution(self, resolution: tuple[int, int]) -> None:
        """Set width and height [px].

        Raises:
            InvalidArgumentError: They are not two positive whole numbers.
        """
        sides = tuple(resolution)
        if len(sides) != 2 or not all(int(side) == side and side > 0 for side in sides):
            raise InvalidArgumentError("resolution", resolution, "two positive whole numbers")
        self.resolution: tuple[int, int] = (int(sides[0]), int(sides[1]))

    def get_render_product_path(self) -> str:
        """Path of what the pictures are described by; it is written if it is not there."""
        path = f"{render_products.FOLDER}/omni_kit_widget_viewport_ViewportTexture_{self.id}"
        if self.stage is not None and not self.stage.GetPrimAtPath(path):
            render_products.define(path, str(self.camera_path), self.resolution)
        return path


class ViewportWindow:
    """A window that would show a viewport."""

    def __init__(
        self, title: str, size: tuple[int, int], place: tuple[int, int], camera_path: str
    ) -> None:
        self.title: str = title
        self.name: str = title
        self.width: int
        self.height: int
        self.width, self.height = size
        self.position_x: int
        self.position_y: int
        self.position_x, self.position_y = place
        self.visible = True
        self.viewport_api: ViewportApi = ViewportApi(camera_path, size)
        _windows.append(self)

    def destroy(self) -> None:
        """Forget the window."""
        if self in _windows:
            _windows.remove(self)


_windows: list[ViewportWindow] = []


def windows() -> list[ViewportWindow]:
    """All windows; the first is made when it is first asked for."""
    if not _windows:
        ViewportWindow("Viewport", (1280, 720), (0, 0), PERSPECTIVE)
    return list(_windows)


def create_viewport_window(
    name: str | None = None,
    usd_context_name: str = "",
    width: int = 1280,
    height: int = 720,
    position_x: int = 0,
    position_y: int = 0,
    camera_path: str | None = None,
) -> ViewportWindow:
    """Record one more window.

    Args:
        name: Its title; None: "Viewport" and a number.
        usd_context_name: "", the one context there is.
        width: Of the window [px].
        height: Of the window [px].
        position_x: On the screen [px].
        position_y: On the screen [px].
        camera_path: Path of its camera; None: the perspective.
    """
    context.get_context(usd_context_name)
    title = name or f"Viewport {len(windows())}"
    return ViewportWindow(
        title, (width, height), (position_x, position_y), camera_path or PERSPECTIVE
    )


def get_active_viewport_window(name: str | None = None) -> ViewportWindow | None:
    """The first window; or the one of a title, None if there is none."""
    return next((one for one in windows() if name in {None, one.title}), None)


def get_active_viewport(usd_context_name: str = "") -> ViewportApi | None:
    """What the first window looks through."""
    context.get_context(usd_context_name)
    found = get_active_viewport_window()
    return found.viewport_api if found else None


def get_viewport_from_window_name(window_name: str | None = None) -> ViewportApi | None:
    """What the window of a title looks through; None if there is none."""
    found = get_active_viewport_window(window_name)
    return found.viewport_api if found else None


def get_active_viewport_camera_path(usd_context_name: str = "") -> str:
    """Path of the camera of the first window."""
    found = get_active_viewport(usd_context_name)
    return str(found.camera_path) if found else ""


def get_num_viewports(usd_context_name: str = "") -> int:
    """How many windows there are.

    Raises:
        InvalidArgumentError: A context was named that there is not.
    """
    context.get_context(usd_context_name)
    return len(windows())
