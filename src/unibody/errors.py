"""The one exception family of the library."""

from __future__ import annotations

import copyreg
from typing import Any


class UnibodyError(Exception):
    """Base class of every error the library raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Exception's own calls the class with the message alone, which those with more arguments
        # refuse: such an error would not reach the process that asked for the work.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class InvalidArgumentError(UnibodyError, ValueError):
    """An argument has a value that is not allowed.

    Args:
        argument: Name of the argument.
        value: The value that was received.
        allowed: What would have been accepted, as a phrase ("a positive number").
    """

    def __init__(self, argument: str, value: object, allowed: str) -> None:
        self.argument = argument
        self.value = value
        self.allowed = allowed
        super().__init__(f"{argument}={value!r} is not allowed: expected {allowed}")


class AssetError(UnibodyError):
    """A file cannot be read as what it claims to be.

    Args:
        file: Path of the file, as the user gave it.
        element: The element at fault ("link 'arm'", "joint 'elbow' <limit>"), or "" for the file.
        problem: What is wrong, with the value received and what is allowed.
    """

    def __init__(self, file: object, element: str, problem: str) -> None:
        self.file: str = str(file)
        self.element = element
        self.problem = problem
        where = f"{self.file}: {element}" if element else self.file
        super().__init__(f"{where}: {problem}")


class EngineError(UnibodyError):
    """The engine cannot do what was asked, or does not behave as the library relies on."""


class NotSupportedError(UnibodyError, NotImplementedError):
    """A feature of the original API that does not exist here yet.

    Args:
        feature: The feature, by the name the user wrote.
        instead: The nearest thing that works.
    """

    def __init__(self, feature: str, instead: str) -> None:
        self.feature = feature
        self.instead = instead
        super().__init__(f"{feature} is not supported; {instead}")
