"""Extensions: a record of which are on. What they would do is here, or it is not."""

from __future__ import annotations

from unibody.errors import NotSupportedError
from unibody.isaac_core import names

UNITS = "omni.usd.metrics.assembler.ui"
"""The extension that scales what is referred to and has other units of length."""


class ExtensionManager:
    """Remembers what a script enabled."""

    def __init__(self) -> None:
        self._enabled: dict[str, bool] = {}

    def set_extension_enabled_immediate(self, extension_id: str, enabled: bool) -> bool:
        """Turn an extension on or off.

        Returns:
            True if the modules of the extension are here, all or some of them. An extension of
            which nothing is here is not enabled.
        """
        name = extension_id.split("-", maxsplit=1)[0]
        if name != UNITS and not names.is_known(name):
            return False
        self._enabled[name] = bool(enabled)
        return True

    set_extension_enabled = set_extension_enabled_immediate

    def is_extension_enabled(self, extension_id: str) -> bool:
        """Whether an extension is on."""
        return self._enabled.get(extension_id.split("-", maxsplit=1)[0], False)

    def get_enabled_extension_id(self, extension_id: str) -> str | None:
        """The identifier of an extension that is on; None for one that is not."""
        name = extension_id.split("-", maxsplit=1)[0]
        return name if self.is_extension_enabled(name) else None

    def get_extension_id_by_module(self, module: str) -> str | None:
        """The identifier of the extension that is on and has a module."""
        return self.get_enabled_extension_id(module)

    def get_extensions(self) -> list[dict[str, object]]:
        """All extensions that were asked for."""
        return [
            {"id": name, "name": name, "enabled": enabled}
            for name, enabled in self._enabled.items()
        ]

    def get_extension_path(self, extension_id: str) -> str:
        """The folder of an extension.

        Raises:
            NotSupportedError: Always: extensions have no folders here.
        """
        raise NotSupportedError(
            f"the folder of extension {extension_id!r}", "give paths of your own files"
        )


_manager = ExtensionManager()


def manager() -> ExtensionManager:
    """The one of the process."""
    return _manager
