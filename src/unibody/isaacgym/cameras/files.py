"""Images of cameras in files."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.whole_file import whole_file
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaacgym.types.enums import ImageType

_FARTHEST = 65535  # mm


def write_image(file: str, kind: ImageType, image: npt.NDArray[Any]) -> None:
    """Write an image; see ``Gym.write_camera_image_to_file``.

    Raises:
        InvalidArgumentError: The file cannot be written, or the format is not known.
        NotSupportedError: It is an optical flow.
    """
    if kind is ImageType.IMAGE_OPTICAL_FLOW:
        raise NotSupportedError("an optical flow in a file", "get_camera_image returns it")
    if kind is ImageType.IMAGE_DEPTH:
        image = np.minimum(np.rint(-1000.0 * image), _FARTHEST).astype(np.uint16)
    elif kind is ImageType.IMAGE_SEGMENTATION:
        image = image.astype(np.uint16)
    save(file, image)


def save(file: str, image: npt.NDArray[Any]) -> None:
    """Write pixels: (height, width, 4) uint8, or (height, width) uint16."""
    from PIL import Image

    path = os.path.expanduser(file)
    picture = Image.fromarray(image)
    if os.path.splitext(path)[1].lower() in {".jpg", ".jpeg"} and image.ndim == 3:
        picture = picture.convert("RGB")  # the format knows no opacity
    kind = Image.registered_extensions().get(os.path.splitext(path)[1].lower())
    try:
        with whole_file(path) as stream:
            picture.save(stream, kind)
    except (OSError, ValueError, KeyError) as problem:
        allowed = f"a file that can be written, such as image.png ({problem})"
        raise InvalidArgumentError("filename", file, allowed) from problem
