"""Packages that not every installation has, and the extra of unibody that brings each."""

from __future__ import annotations

import json
import sys
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

EXTRAS = {
    "torch": "isaacgym",
    "mujoco_warp": "gpu",
    "warp": "newton",
    "newton_usd_schemas": "newton",
    "pxr": "isaac-core",
    "isaacsim": "isaac-core",
    "omni": "isaac-core",
    "pyarrow": "fleet",
    "viser": "viewer",
    "av": "viewer",
    "zmq": "serve",
    "msgpack": "serve",
    "gymnasium": "envs",
    "pettingzoo": "pettingzoo",
    "stable_baselines3": "train",
    "rsl_rl": "train",
    "tensorboard": "train",
    "tqdm": "train",
    "ray": "scale",
    "mcap": "data",
}
"""By the name that is imported."""


def install_command(extra: str) -> str:
    """The line that adds an extra to this installation, from where it was installed.

    unibody is installed from a checkout, a repository or a wheel as well as from an index, and an
    index need not have it. Installers note the place as
    https://packaging.python.org/en/latest/specifications/direct-url says.

    Args:
        extra: Its name.
    """
    return f"pip install {_source(extra, _direct_url())}"


def _direct_url() -> dict[str, Any]:
    """Where this installation came from; empty if that was an index, or nobody noted it."""
    import importlib.metadata  # 20 ms that only a missing package costs

    try:
        text = importlib.metadata.distribution("unibody").read_text("direct_url.json")
        found = json.loads(text or "{}")
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _source(extra: str, origin: dict[str, Any]) -> str:
    """What stands behind ``pip install``."""
    url = str(origin.get("url", ""))
    if "dir_info" in origin and url.startswith("file:"):
        folder = url2pathname(urlsplit(url).path)
        editable = "-e " if origin["dir_info"].get("editable") else ""
        return f'{editable}"{folder}[{extra}]"'
    if "vcs_info" in origin:
        info = origin["vcs_info"]
        asked = info.get("requested_revision")
        return f'"unibody[{extra}] @ {info.get("vcs", "git")}+{url}{f"@{asked}" if asked else ""}"'
    return f'"unibody[{extra}] @ {url}"' if url else f'"unibody[{extra}]"'


def advice(module: str | None) -> str | None:
    """How to get a module that was not found.

    Args:
        module: Its dotted name.

    Returns:
        A line, or None if no extra brings it: the package itself is here, and lacks the module.
    """
    name, part, _ = (module or "").partition(".")
    if part and sys.modules.get(name) is not None:
        return None
    extra = EXTRAS.get(name)
    return None if extra is None else f"{name} is not installed: {install_command(extra)}"
