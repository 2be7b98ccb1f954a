"""Packages that not every installation has, and the extra of unibody that brings each."""

from __future__ import annotations

EXTRAS = {
    "torch": "isaacgym",
    "mujoco_warp": "gpu",
    "warp": "newton",
    "newton_usd_schemas": "newton",
    "pxr": "isaac-core",
    "pyarrow": "fleet",
    "viser": "viewer",
    "av": "viewer",
    "zmq": "serve",
    "msgpack": "serve",
    "gymnasium": "envs",
    "stable_baselines3": "train",
    "rsl_rl": "train",
    "tensorboard": "train",
    "tqdm": "train",
    "ray": "scale",
    "mcap": "data",
}
"""By the name that is imported."""


def advice(module: str | None) -> str | None:
    """How to get a module that was not found.

    Args:
        module: Its dotted name.

    Returns:
        A line, or None if no extra brings it.
    """
    name = (module or "").partition(".")[0]
    extra = EXTRAS.get(name)
    return None if extra is None else f"{name} is not installed: pip install 'unibody[{extra}]'"
