"""Classes that do not exist here: scripts import them beside others, and cannot make them."""

from __future__ import annotations

from typing import Any

from unibody.errors import NotSupportedError


def absent_class(
    module: str, name: str, instead: str, base: type = object, nested: tuple[str, ...] = ()
) -> type:
    """A class that says that it does not exist when it is made, or something of it is used.

    Args:
        module: Where scripts find it.
        name: Of the class.
        instead: The nearest thing that works.
        base: What it is a subclass of.
        nested: Classes in it, which annotations name: these refuse to be made, too.
    """

    def refuse(self: object, *args: object, **kwargs: object) -> None:
        given = ", ".join([*(type(value).__name__ for value in args), *kwargs])
        raise NotSupportedError(f"{module}.{name}({given})", instead)

    class Meta(type):
        def __getattr__(cls, attribute: str) -> Any:
            if attribute.startswith("_"):
                raise AttributeError(attribute)
            raise NotSupportedError(f"{module}.{name}.{attribute}", instead)

    inner = {each: absent_class(f"{module}.{name}", each, instead) for each in nested}
    return Meta(name, (base,), {"__init__": refuse, "__doc__": f"{instead}.", **inner})
