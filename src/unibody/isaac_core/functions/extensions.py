"""Extensions, turned on and off: a record of what a script asked for."""

from __future__ import annotations

from unibody.isaac_core.kit.extensions import manager


def enable_extension(extension_name: str) -> bool:
    """Turn an extension on.

    Returns:
        True if modules of it are here, all or some of them.
    """
    return manager().set_extension_enabled_immediate(extension_name, True)


def disable_extension(extension_name: str) -> bool:
    """Turn an extension off."""
    return manager().set_extension_enabled_immediate(extension_name, False)


def get_extension_id(extension_name: str) -> str:
    """The identifier of an extension that is on; None for one that is not."""
    return manager().get_enabled_extension_id(extension_name)  # type: ignore[return-value]


def get_extension_path(ext_id: str) -> str:
    """The folder of an extension.

    Raises:
        NotSupportedError: Always: extensions have no folders here.
    """
    return manager().get_extension_path(ext_id)


def get_extension_path_from_name(extension_name: str) -> str:
    """The folder of an extension, by its name.

    Raises:
        NotSupportedError: Always: extensions have no folders here.
    """
    return manager().get_extension_path(extension_name)
