"""Which code draws: the choice between the backends.

``software`` works everywhere and is the fastest one without a GPU. ``gl`` draws single pictures and
needs EGL or OSMesa; ``warp`` draws those of many worlds and needs mujoco-warp. ``auto`` takes them
where there is a GPU. The environment variables ``UNIBODY_RENDERER`` and ``UNIBODY_BATCH_RENDERER``
say what is taken for single pictures and for those of many worlds where nobody names a backend.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
from collections.abc import Sequence
from typing import Any, Protocol

from unibody.core.render.batch import BatchRenderer, Job, Shot
from unibody.core.render.camera import EVERYTHING, PLAIN, Camera, Frames, Picture, Style, Wanted
from unibody.core.render.software import SoftwareRenderer
from unibody.core.render.stage import Stage
from unibody.errors import InvalidArgumentError, NotSupportedError

BACKENDS = ("auto", "software", "gl")
BATCH_BACKENDS = ("auto", "software", "warp")
VARIABLE = "UNIBODY_RENDERER"
BATCH_VARIABLE = "UNIBODY_BATCH_RENDERER"


class Renderer(Protocol):
    """What takes pictures of a stage; see ``SoftwareRenderer``."""

    def render(
        self,
        stage: Stage,
        camera: Camera,
        frames: Frames,
        style: Style = PLAIN,
        wanted: Wanted = EVERYTHING,
    ) -> Picture:
        """Take a picture."""
        ...


class ManyRenderer(Protocol):
    """What takes pictures of many worlds; see ``BatchRenderer``."""

    def render(
        self,
        stage: Stage,
        shots: Sequence[Shot],
        frames: Frames,
        style: Style = PLAIN,
        wanted: Wanted = EVERYTHING,
    ) -> Picture:
        """Take the pictures."""
        ...

    def draw(
        self, jobs: Sequence[Job], style: Style = PLAIN, label_bits: int = EVERYTHING.label_bits
    ) -> None:
        """Draw pictures into arrays that are there."""
        ...

    def close(self) -> None:
        """Give back what is held for pictures to come."""
        ...


def make_renderer(backend: str = "") -> Renderer:
    """A renderer.

    Args:
        backend: One of ``BACKENDS``; empty: what ``UNIBODY_RENDERER`` says, else "auto".

    Raises:
        InvalidArgumentError: No backend is called so.
        NotSupportedError: OpenGL was asked for, and there is none.
    """
    name = backend or os.environ.get(VARIABLE, "") or "auto"
    if name not in BACKENDS:
        raise InvalidArgumentError("backend" if backend else VARIABLE, name, ", ".join(BACKENDS))
    if name == "gl" or (name == "auto" and has_gpu()):
        from unibody.core.render.gl import GLRenderer

        return GLRenderer()
    return SoftwareRenderer()


@functools.cache
def has_gpu() -> bool:
    """Whether OpenGL draws on a GPU here, without a display."""
    from unibody.core.render.gl import GLRenderer

    try:
        renderer = GLRenderer()
    except NotSupportedError:
        return False
    on_gpu = renderer.on_gpu
    renderer.close()
    return on_gpu


def make_batch_renderer(backend: str = "", device: str = "") -> ManyRenderer:
    """A renderer for many worlds.

    Args:
        backend: One of ``BATCH_BACKENDS``; empty: what ``UNIBODY_BATCH_RENDERER`` says, else
            "auto". "warp" without a GPU draws on Warp's CPU device.
        device: That of the worlds, such as "cpu", "warp-cpu" or "cuda:1"; "auto" draws where they
            are. Empty: on a GPU if there is one.

    Raises:
        InvalidArgumentError: No backend is called so.
        NotSupportedError: mujoco-warp was asked for, and is not installed.
    """
    name = backend or os.environ.get(BATCH_VARIABLE, "") or "auto"
    if name not in BATCH_BACKENDS:
        argument = "backend" if backend else BATCH_VARIABLE
        raise InvalidArgumentError(argument, name, ", ".join(BATCH_BACKENDS))
    on_warp = device != "cpu" if device else has_cuda()
    if name == "warp" or (name == "auto" and on_warp):
        from unibody.core.render.warp_batch import WarpBatchRenderer

        if device.startswith("cuda"):
            return WarpBatchRenderer(device)
        return WarpBatchRenderer("cuda:0" if not device and has_cuda() else "cpu")
    return BatchRenderer()


@functools.cache
def has_cuda() -> bool:
    """Whether mujoco-warp is installed and has a GPU."""
    if importlib.util.find_spec("mujoco_warp") is None:
        return False
    warp: Any = importlib.import_module("warp")
    return bool(warp.get_cuda_device_count())
