"""Messages of scripts to the log, which is Python's."""

from __future__ import annotations

import logging

_logger = logging.getLogger("unibody.isaac_core")


def log_error(message: str) -> None:
    """Log an error."""
    _logger.error(message)


def log_warn(message: str) -> None:
    """Log a warning."""
    _logger.warning(message)


def log_info(message: str) -> None:
    """Log a remark."""
    _logger.info(message)


def log_verbose(message: str) -> None:
    """Log a remark for who looks closely."""
    _logger.debug(message)
