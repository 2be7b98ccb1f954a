"""The exception of the surface, under the name scripts catch it by."""

from __future__ import annotations

from unibody.core.assets.paths import NO_SEARCH_PATH
from unibody.errors import UnibodyError


class error(UnibodyError):  # noqa: N801, N818 - scripts write ``except pybullet.error``
    """What PyBullet raises as ``pybullet.error``, with PyBullet's message."""


def naming(file: object, problem: object) -> str:
    """What is wrong, with the name of the file in front unless it is in the text."""
    text = str(problem)
    return text if str(file) in text else f"{file}: {text}"


def naming_model(file: object, problem: object) -> str:
    """`naming` for a model; how to get it, if it is not there, or how to say where it is."""
    from unibody.sample_assets import originals

    text = naming(file, problem)
    if "no such file" not in text:
        return text
    hint = originals.hint(str(file))
    if not hint and text.endswith(NO_SEARCH_PATH):
        hint = ": setAdditionalSearchPath(folder) sets one"
    return text + hint
