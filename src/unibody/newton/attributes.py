"""Attributes that scripts define for entities: CustomAttribute, CustomFrequency, namespaces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from unibody.newton.enums import AttributeAssignment, AttributeFrequency
from unibody.newton.exceptions import NewtonDeprecationWarning, warn


class AttributeNamespace:
    """What holds the attributes of one namespace on a model, state, control or contacts."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._aliases: dict[str, tuple[Callable[[], Any], str]] = {}

    def add_deprecated_alias(self, name: str, getter: Callable[[], Any], message: str) -> None:
        """Give something another name, with a warning where it is used.

        Args:
            name: The other name.
            getter: Returns what it stands for.
            message: The warning.

        Raises:
            AttributeError: The name is taken.
        """
        warn(
            "Model.AttributeNamespace.add_deprecated_alias() is deprecated: a property of a class"
            " of one's own does that",
            NewtonDeprecationWarning,
        )
        if name in vars(self) or name in self._aliases:
            raise AttributeError(f"Attribute already exists: {self._name}.{name}")
        self._aliases[name] = (getter, message)

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__.get("_aliases", {}).get(name)
        if found is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        warn(found[1], NewtonDeprecationWarning)
        return found[0]()

    def __setattr__(self, name: str, value: Any) -> None:
        found = self.__dict__.get("_aliases", {}).get(name)
        if found is None:
            object.__setattr__(self, name, value)
            return
        warn(found[1], NewtonDeprecationWarning)
        found[0]().assign(value)

    def __repr__(self) -> str:
        names = [name for name in vars(self) if not name.startswith("_")]
        return f"AttributeNamespace('{self._name}', attributes={names})"


@dataclass
class CustomAttribute:
    """An attribute that a script defines for entities of one kind.

    Attributes:
        name: What it is called on the object it is assigned to.
        dtype: A type of Warp's arrays, or ``str``.
        frequency: What it has one value for, or the name of a frequency of the script's own.
        assignment: The object it becomes part of.
        namespace: What it is grouped under, or None.
        references: The kind of entity whose indices the values are: a frequency, its name, or that
            of one of the script's own; None: they are no indices.
        default: Of entities without a value; None: zero, or the identity.
        values: By entity, or in a row for a frequency of the script's own.
        usd_attribute_name: In USD files; None: by its key.
        mjcf_attribute_name: In MJCF files; None: the name.
        urdf_attribute_name: In URDF files; None: the name.
        usd_value_transformer: Makes a value from that in a file.
        mjcf_value_transformer: Makes a value from that in a file.
        urdf_value_transformer: Makes a value from that in a file.
        reference_value_transformer: Makes the values of a copy of a builder, all at once: called
            with those of the builder and a mapping: ``builder``, ``world``, ``row_indices`` and
            ``entity_offsets``, entity or frequency -> what is added to its indices. In the place of
            ``references``.
    """

    name: str
    dtype: type
    frequency: AttributeFrequency | str
    assignment: AttributeAssignment = AttributeAssignment.MODEL
    namespace: str | None = None
    references: AttributeFrequency | str | None = None
    default: Any = None
    values: dict[int, Any] | list[Any] | None = None
    usd_attribute_name: str | None = None
    mjcf_attribute_name: str | None = None
    urdf_attribute_name: str | None = None
    usd_value_transformer: Callable[..., Any] | None = None
    mjcf_value_transformer: Callable[..., Any] | None = None
    urdf_value_transformer: Callable[..., Any] | None = None
    reference_value_transformer: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        if self.references is not None and self.reference_value_transformer is not None:
            raise ValueError(
                f"Custom attribute {self.name!r} has both references={self.references!r} and a"
                " reference_value_transformer: expected one of them"
            )
        if self.dtype is not str:
            try:
                wp.types.type_size_in_bytes(self.dtype)
            except (TypeError, KeyError) as error:
                raise ValueError(
                    f"Invalid dtype of custom attribute {self.name!r}: {self.dtype!r};"
                    " expected a type of Warp's arrays, or str"
                ) from error
        if self.default is None:
            self.default = _zero(self.dtype)
        if self.values is None:
            self.values = [] if self.is_custom_frequency else {}
        if self.usd_attribute_name is None:
            self.usd_attribute_name = f"newton:{self.key}"
        self.mjcf_attribute_name = self.mjcf_attribute_name or self.name
        self.urdf_attribute_name = self.urdf_attribute_name or self.name

    @property
    def key(self) -> str:
        """The name with its namespace in front."""
        return f"{self.namespace}:{self.name}" if self.namespace else self.name

    @property
    def is_custom_frequency(self) -> bool:
        """Whether the frequency is one of the script's own."""
        return isinstance(self.frequency, str)

    @property
    def frequency_key(self) -> AttributeFrequency | str:
        """The frequency; one of the script's own with the namespace in front of it."""
        if not isinstance(self.frequency, str) or ":" in self.frequency or not self.namespace:
            return self.frequency
        return f"{self.namespace}:{self.frequency}"

    def build_array(self, count: int, device: Any = None, requires_grad: bool = False) -> Any:
        """The values of all entities.

        Returns:
            A Warp array, or a list for strings.
        """
        values = self.values or {}
        if not values and self.dtype is not str and not isinstance(self.default, list | tuple):
            return wp.full(
                count, self.default, dtype=self.dtype, requires_grad=requires_grad, device=device
            )
        rows = enumerate(values) if isinstance(values, list) else values.items()
        given = {i: value for i, value in rows if 0 <= i < count and value is not None}
        if self.dtype is str:
            return [given.get(index, self.default) for index in range(count)]
        table = np.repeat(self._table([self.default]), count, axis=0)
        if given:
            table[list(given)] = self._table(list(given.values()))
        return wp.array(table, dtype=self.dtype, requires_grad=requires_grad, device=device)

    def _table(self, values: list[Any]) -> np.ndarray:
        return wp.array(values, dtype=self.dtype, device="cpu").numpy()


@dataclass(frozen=True)
class AttributeSpec:
    """What the values of an attribute of a model are.

    Attributes:
        frequency: What it has one value for.
        assignment: The object that it is part of; None: the model.
        references: The entities whose indices its values are, or None.
    """

    frequency: AttributeFrequency | str
    assignment: AttributeAssignment | None = None
    references: AttributeFrequency | str | None = None


@dataclass
class CustomFrequency:
    """A frequency of a script's own; 1.x registers it before attributes use it.

    Attributes:
        name: Of the frequency.
        namespace: In front of it, or None.
        usd_prim_filter: Which prims of a USD file have values of it.
        usd_entry_expander: The rows that such a prim stands for.
        articulation_owner_attribute: Key of the attribute that says which articulation a row
            belongs to: that of the frequency with ``_articulation``.
        articulation_owner_resolver: Called with a builder; the values of that attribute.
        label_attribute: Key of the attribute with the names of rows: that of the frequency with
            ``_label``.
    """

    name: str
    namespace: str | None = None
    usd_prim_filter: Callable[..., bool] | None = None
    usd_entry_expander: Callable[..., Any] | None = None
    articulation_owner_attribute: str | None = None
    articulation_owner_resolver: Callable[..., Any] | None = None
    label_attribute: str | None = None

    def __post_init__(self) -> None:
        for field, part in (("articulation_owner", "articulation"), ("label", "label")):
            name, expected = getattr(self, f"{field}_attribute"), f"{self.key}_{part}"
            if name is not None and name != expected:
                raise ValueError(f"{field}_attribute={name!r} is not allowed: it is {expected!r}")
        if self.articulation_owner_resolver and self.articulation_owner_attribute is None:
            raise ValueError("articulation_owner_resolver needs articulation_owner_attribute")
        for field, text in (("name", self.name), ("namespace", self.namespace)):
            if text is not None and (not text or ":" in text):
                raise ValueError(f"{field} must be non-empty and colon-free, got {text!r}")
        if self.usd_entry_expander is not None and self.usd_prim_filter is None:
            raise ValueError("usd_entry_expander requires usd_prim_filter, which is None")

    @property
    def key(self) -> str:
        """The name with its namespace in front."""
        return f"{self.namespace}:{self.name}" if self.namespace else self.name


def _zero(dtype: Any) -> Any:
    if dtype is str:
        return ""
    if wp.types.type_is_quaternion(dtype):
        return dtype(0.0, 0.0, 0.0, 1.0)
    if dtype in {wp.bool, bool}:
        return False
    return dtype(0)
