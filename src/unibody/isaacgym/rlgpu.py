"""Tasks that the original had compiled: scripts import this module and seldom call it."""

from __future__ import annotations

from typing import Any, NoReturn

from unibody.errors import NotSupportedError

__all__ = ["create_task_cpu", "create_task_gpu"]

_INSTEAD = "tasks written in Python on gymapi (--task_type Python)"


def create_task_cpu(name: str, config: str, *more: Any) -> NoReturn:
    """Refuse: the compiled tasks do not exist here.

    Raises:
        NotSupportedError: Always.
    """
    raise NotSupportedError(f"the compiled task {name!r}", _INSTEAD)


def create_task_gpu(name: str, config: str, *more: Any) -> NoReturn:
    """Refuse: the compiled tasks do not exist here.

    Raises:
        NotSupportedError: Always.
    """
    raise NotSupportedError(f"the compiled task {name!r}", _INSTEAD)
