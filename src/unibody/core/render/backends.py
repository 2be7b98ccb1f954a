"""Which code draws: the choice between the backends for single pictures.

``software`` works everywhere and is the faster one without a GPU; ``gl`` needs EGL or OSMesa.
``auto`` takes OpenGL where it draws on a GPU. The environment variable ``UNIBODY_RENDERER`` says
what is taken where nobody names a backend.
"""

from __future__ import annotations

import functools
import os
from typing import Protocol

from unibody.core.render.camera import EVERYTHING, PLAIN, Camera, Frames, Picture, Style, Wanted
from unibody.core.render.software import SoftwareRenderer
from unibody.core.render.stage import Stage
from unibody.errors import InvalidArgumentError, NotSupportedError

BACKENDS = ("auto", "software", "gl")
VARIABLE = "UNIBODY_RENDERER"


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
