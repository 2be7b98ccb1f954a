"""Loggers whose messages are only put together if somebody reads them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from unibody.errors import InvalidArgumentError

Message = str | Callable[[], str]


class LazyLogger:
    """A logger that also takes a function of the message's text.

    Args:
        name: Name of the logger behind it.
        logger: The logger itself, instead of a name.

    Raises:
        ValueError: Neither is given.
    """

    def __init__(self, name: str | None = None, logger: logging.Logger | None = None) -> None:
        if logger is None and name is None:
            raise ValueError("Either 'name' or 'logger' must be provided")
        if logger is None and not isinstance(name, str):
            raise InvalidArgumentError("name", name, "a text")
        self._logger = logger if logger is not None else logging.getLogger(name)

    def _text(self, message: Message) -> str:
        return message() if callable(message) else message

    def _log_lazy(self, level: int, message: Message, *args: Any, **kwargs: Any) -> None:
        if self._logger.isEnabledFor(level):
            self._logger.log(level, self._text(message), *args, **kwargs)

    def debug(self, msg_func: Message, *args: Any, **kwargs: Any) -> None:
        """Log at level DEBUG."""
        self._log_lazy(logging.DEBUG, msg_func, *args, **kwargs)

    def info(self, msg_func: Message, *args: Any, **kwargs: Any) -> None:
        """Log at level INFO."""
        self._log_lazy(logging.INFO, msg_func, *args, **kwargs)

    def warning(self, msg_func: Message, *args: Any, **kwargs: Any) -> None:
        """Log at level WARNING."""
        self._log_lazy(logging.WARNING, msg_func, *args, **kwargs)

    def error(self, msg_func: Message, *args: Any, **kwargs: Any) -> None:
        """Log at level ERROR."""
        self._log_lazy(logging.ERROR, msg_func, *args, **kwargs)

    def critical(self, msg_func: Message, *args: Any, **kwargs: Any) -> None:
        """Log at level CRITICAL."""
        self._log_lazy(logging.CRITICAL, msg_func, *args, **kwargs)

    @property
    def logger(self) -> logging.Logger:
        """The logger behind it."""
        return self._logger

    def isEnabledFor(self, level: int) -> bool:
        """Whether anybody reads messages of a level."""
        return self._logger.isEnabledFor(level)


class NamedLazyLogger(LazyLogger):
    """A `LazyLogger` that says who speaks in front of every message."""

    def __init__(
        self, name: str | None = None, logger: logging.Logger | None = None, prefix: str = ""
    ) -> None:
        super().__init__(name=name, logger=logger)
        self._prefix = prefix

    def set_prefix(self, prefix: str) -> None:
        """Change what stands in front."""
        self._prefix = prefix

    @property
    def prefix(self) -> str:
        """What stands in front."""
        return self._prefix

    def _text(self, message: Message) -> str:
        return f"{self._prefix}{super()._text(message)}"


def get_named_lazy_logger(name: str, prefix: str = "") -> NamedLazyLogger:
    """A logger with a prefix."""
    return NamedLazyLogger(name=name, prefix=prefix)


def get_lazy_logger(name: str) -> LazyLogger:
    """A logger without one."""
    return LazyLogger(name=name)


def wrap_existing_logger(logger: logging.Logger) -> LazyLogger:
    """A `LazyLogger` in front of a logger."""
    return LazyLogger(logger=logger)


class LogLevelManager:
    """How much is logged."""

    @staticmethod
    def set_log_level(level: str | int) -> None:
        """Set the level of all loggers.

        Args:
            level: Name of a level in any case ("debug", "info", "warn", "warning", "error",
                "critical"), or its number.

        Raises:
            ValueError: There is no such level.
        """
        number = level if isinstance(level, int) else logging.getLevelName(str(level).upper())
        if not isinstance(number, int):
            allowed = "debug, info, warn, warning, error, critical"
            raise ValueError(f"log_level={level!r} is not allowed: expected one of {allowed}")
        logging.getLogger().setLevel(number)
