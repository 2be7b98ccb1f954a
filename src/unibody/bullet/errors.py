"""The exception of the surface, under the name scripts catch it by."""

from __future__ import annotations

from unibody.errors import UnibodyError


class error(UnibodyError):  # noqa: N801, N818 - scripts write ``except pybullet.error``
    """What PyBullet raises as ``pybullet.error``, with PyBullet's message."""


def naming(file: object, problem: object) -> str:
    """What is wrong, with the name of the file in front unless it is in the text."""
    text = str(problem)
    return text if str(file) in text else f"{file}: {text}"


def naming_model(file: object, problem: object) -> str:
    """`naming` for a model; how to get it, if it is one that PyBullet brings and not there."""
    from unibody.sample_assets import originals

    text = naming(file, problem)
    return text + originals.hint(str(file)) if "no such file" in text else text
