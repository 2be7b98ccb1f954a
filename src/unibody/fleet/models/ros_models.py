"""Models in installed ROS packages."""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

from unibody.fleet.foundation.private_files import private_folder, write_whole

_PACKAGE = re.compile(r"package://([^/\s\"']+)/([^\s\"']*)")
_TIMEOUT = 30.0  # s
_MOST_CHARACTERS = 64 * 1024 * 1024


def resolve_ros(name: str, rel_path: str, hint: str, xacro_args: str) -> str:
    """The file of a model in a ROS package, made with xacro if it needs that.

    Args:
        name: Of the model, for messages.
        rel_path: Package, and path in it; without a path the first URDF file.
        hint: How to install the package.
        xacro_args: ``key:=value`` pairs.

    Raises:
        FileNotFoundError: The package is not installed, or xacro does not work.
    """
    source = _find(rel_path)
    if source is None:
        raise FileNotFoundError(f"Robot '{name}' requires a ROS package. Install with: {hint}")
    if source.endswith(".xacro"):
        return _written(name, source, xacro_args, lambda: _xacro(source, xacro_args))
    with open(source, encoding="utf-8") as stream:
        text = stream.read(_MOST_CHARACTERS)
    if "package://" not in text:
        return source
    return _written(name, source, "", lambda: text)


def _folders() -> Iterator[Callable[[str], str]]:
    try:
        packages: Any = importlib.import_module("ament_index_python.packages")
        yield packages.get_package_share_directory
    except ImportError:
        pass
    try:
        rospkg: Any = importlib.import_module("rospkg")
        yield rospkg.RosPack().get_path
    except ImportError:
        pass


def _folder(package: str) -> str | None:
    for find in _folders():
        try:
            return find(package)
        except Exception:
            continue
    return None


def _find(rel_path: str) -> str | None:
    package, _, inside = rel_path.partition("/")
    folder = _folder(package)
    if folder is None:
        return None
    path = os.path.join(folder, inside)
    if inside and os.path.isfile(path):
        return path
    for root, _, files in os.walk(folder):
        for name in sorted(files):
            if name.endswith(".urdf"):
                return os.path.join(root, name)
    return None


def _written(name: str, source: str, args: str, make: Callable[[], str]) -> str:
    """A file with package references resolved, made anew if its source is newer."""
    key = hashlib.sha256(f"{source};{args}".encode()).hexdigest()[:12]
    path = os.path.join(private_folder(), f"{os.path.basename(name)}_{key}.urdf")
    if os.path.isfile(path) and os.path.getmtime(path) >= os.path.getmtime(source):
        return path
    write_whole(path, [_PACKAGE.sub(_resolved, make())])
    return path


def _resolved(match: re.Match[str]) -> str:
    folder = _folder(match.group(1))
    return match.group(0) if folder is None else os.path.join(folder, match.group(2))


def _xacro(source: str, args: str) -> str:
    pairs = [token for token in args.split() if ":=" in token]
    try:
        xacro: Any = importlib.import_module("xacro")
        mappings = dict(pair.split(":=", 1) for pair in pairs)
        return xacro.process_file(source, mappings=mappings).toxml()
    except ImportError:
        pass
    program = shutil.which("xacro")
    if program is not None:
        done = subprocess.run(
            [program, source, *pairs], capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
        if done.returncode == 0:
            return done.stdout
    raise FileNotFoundError(f"Failed to process xacro file: {source}")
