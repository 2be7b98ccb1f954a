"""Settings: values by paths such as "/app/window/title"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unibody.errors import InvalidArgumentError


class Settings:
    """A tree of values, in memory."""

    def __init__(self) -> None:
        self._tree: dict[str, Any] = {}
        self._listeners: dict[int, tuple[str, Callable[..., Any]]] = {}
        self._last = 0

    def get(self, path: str) -> Any:
        """A value, or a dict of those below a path; None where there is none."""
        found: Any = self._tree
        for part in _parts(path):
            if not isinstance(found, dict) or part not in found:
                return None
            found = found[part]
        return found

    def set(self, path: str, value: Any) -> None:
        """Set a value, or with a dict those below a path.

        Raises:
            InvalidArgumentError: It is neither a truth value, number, text, sequence nor dict.
        """
        if not isinstance(value, bool | int | float | str | list | tuple | dict):
            raise InvalidArgumentError(
                "value", value, "a truth value, number, text, sequence or dict"
            )
        *above, last = _parts(path)
        node = self._tree
        for part in above:
            below = node.get(part)
            if not isinstance(below, dict):
                below = node[part] = {}
            node = below
        node[last] = dict(value) if isinstance(value, dict) else value
        self._tell(path)

    def set_default(self, path: str, value: Any) -> None:
        """Set a value where there is none."""
        if self.get(path) is None:
            self.set(path, value)

    def get_as_bool(self, path: str) -> bool:
        """A value as a truth value; False where there is none."""
        value = self.get(path)
        return value.lower() in {"1", "true", "yes"} if isinstance(value, str) else bool(value)

    def get_as_int(self, path: str) -> int:
        """A value as a whole number; 0 where there is none."""
        return int(self.get(path) or 0)

    def get_as_float(self, path: str) -> float:
        """A value as a number; 0 where there is none."""
        return float(self.get(path) or 0)

    def get_as_string(self, path: str) -> str:
        """A value as text; "" where there is none."""
        value = self.get(path)
        return "" if value is None else str(value)

    def set_bool(self, path: str, value: bool) -> None:
        """Set a truth value."""
        self.set(path, bool(value))

    def set_int(self, path: str, value: int) -> None:
        """Set a whole number."""
        self.set(path, int(value))

    def set_float(self, path: str, value: float) -> None:
        """Set a number."""
        self.set(path, float(value))

    def set_string(self, path: str, value: str) -> None:
        """Set a text."""
        self.set(path, str(value))

    def set_default_bool(self, path: str, value: bool) -> None:
        """Set a truth value where there is none."""
        self.set_default(path, bool(value))

    def set_default_int(self, path: str, value: int) -> None:
        """Set a whole number where there is none."""
        self.set_default(path, int(value))

    def set_default_float(self, path: str, value: float) -> None:
        """Set a number where there is none."""
        self.set_default(path, float(value))

    def set_default_string(self, path: str, value: str) -> None:
        """Set a text where there is none."""
        self.set_default(path, str(value))

    def destroy_item(self, path: str) -> None:
        """Forget a value and those below it."""
        *above, last = _parts(path)
        node: Any = self._tree
        for part in above:
            node = node.get(part) if isinstance(node, dict) else None
        if isinstance(node, dict) and node.pop(last, None) is not None:
            self._tell(path)

    def get_settings_dictionary(self, path: str = "/") -> Any:
        """A dict of all values below a path."""
        return self.get(path)

    def subscribe_to_node_change_events(self, path: str, fn: Callable[..., Any]) -> int:
        """Call a function with (item, kind of event) when a value changes.

        Returns:
            What `unsubscribe_to_change_events` takes.
        """
        self._last += 1
        self._listeners[self._last] = (path, fn)
        return self._last

    def unsubscribe_to_change_events(self, subscription: int) -> None:
        """Call the function no more."""
        self._listeners.pop(subscription, None)

    def _tell(self, path: str) -> None:
        for listened, function in list(self._listeners.values()):
            if _parts(listened) == _parts(path):
                function(self.get(path), 0)


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part]


_settings = Settings()


def get_settings() -> Settings:
    """The settings of the process."""
    return _settings


acquire_settings_interface = get_settings
