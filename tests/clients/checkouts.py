"""Checkouts of public repositories, some folders each, outside of this one."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def checkout(repository: str, folders: list[str], source: Path | None) -> Iterator[Path]:
    """A checkout: the one that is there, else a new one, which is deleted afterwards.

    Args:
        repository: Address.
        folders: What is wanted of it. Contents that are kept in Git LFS are left out.
        source: A checkout that is there; None: none is.
    """
    if source is not None:
        yield source
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "checkout"
        clone = ["git", "clone", "--quiet", "--depth", "1", "--filter=blob:none", "--sparse"]
        environment = {**os.environ, "GIT_LFS_SKIP_SMUDGE": "1"}
        for command in (
            [*clone, repository, str(folder)],
            ["git", "-C", str(folder), "sparse-checkout", "set", *folders],
        ):
            if subprocess.run(command, check=False, env=environment).returncode:
                raise SystemExit(f"{repository} could not be cloned; --source takes a checkout")
        yield folder
