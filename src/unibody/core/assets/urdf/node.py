"""Reading values of URDF elements the way PyBullet reads them, with errors that say where.

PyBullet takes the longest leading number of a text (C's ``atof``) and 0 where there is none, and
splits vectors at spaces. The same is done here, with a warning for a text that is not just a
number. Values without a meaning (NaN, and outside limits infinity or beyond 1e100) are refused.
"""

from __future__ import annotations

import logging
import math
import re
from dataclasses import dataclass, replace

from unibody.core.assets.description import Pose, Vec3
from unibody.core.assets.limits import Limits
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import IDENTITY, quat_from_rpy
from unibody.core.assets.xml import Element
from unibody.errors import AssetError

_LOG = logging.getLogger(__name__)
_NUMBER = re.compile(
    r"\s*([+-]?(?:0[xX][0-9A-Fa-f]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan))",
    re.IGNORECASE | re.ASCII,
)
_LARGEST = 1e100  # larger ones overflow when they are multiplied; no length or mass comes near
_LONGEST_VALUE = 4096  # characters; no vector of numbers is longer


@dataclass(frozen=True, slots=True)
class UrdfContext:
    """What is the same for every element of one file.

    Attributes:
        file: The file as the user named it, for messages.
        referrer: Its absolute path; references are resolved relative to it.
        search_path: Where references are looked for.
        limits: Bounds on the contents.
        scale: Factor on every length (positions, sizes, prismatic limits).
        pybullet_defaults: See ``UrdfOptions``.
        skip_missing_visuals: See ``UrdfOptions``.
        shapes: See ``UrdfOptions``.
        soft_links: See ``UrdfOptions``.
    """

    file: str
    referrer: str
    search_path: SearchPath
    limits: Limits
    scale: float
    pybullet_defaults: bool = True
    skip_missing_visuals: bool = False
    shapes: bool = True
    soft_links: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """An element together with the part of the robot it belongs to ("link 'arm'")."""

    element: Element
    where: str
    context: UrdfContext

    def child(self, tag: str) -> Node | None:
        """The first child with this tag."""
        found = self.element.find(tag)
        return None if found is None else replace(self, element=found)

    def first(self) -> Node | None:
        """The first child, whatever its tag."""
        return replace(self, element=self.element[0]) if len(self.element) else None

    def at(self, where: str) -> Node:
        """The same element, named as a part of ``where`` in messages."""
        return replace(self, where=where)

    def children(self, tag: str) -> list[Node]:
        """All children with this tag, in file order."""
        return [replace(self, element=found) for found in self.element.findall(tag)]

    def get(self, attribute: str) -> str | None:
        """The attribute's text, or ``None``."""
        return self.element.get(attribute)

    def require(self, attribute: str) -> str:
        """The attribute's text.

        Raises:
            AssetError: The element does not have it.
        """
        value = self.element.get(attribute)
        if value is None:
            raise self.error(f"has no attribute {attribute!r}")
        return value

    def name(self) -> str:
        """The attribute ``name``.

        Raises:
            AssetError: The element has none, or it is longer than the limit.
        """
        name = self.require("name")
        if len(name) > self.context.limits.name_length:
            limit = self.context.limits.name_length
            raise self.error(f"name of {len(name)} characters, the limit is {limit}")
        return name

    def number(self, attribute: str, default: float | None = None, *, finite: bool = True) -> float:
        """The attribute as a number; ``default`` where it is absent and a default is given.

        Raises:
            AssetError: It is NaN, not finite although it has to be, or absent without a default.
        """
        if default is not None and self.element.get(attribute) is None:
            return default
        return self._parse(attribute, self.require(attribute), finite=finite)

    def numbers(self, attribute: str) -> list[float]:
        """The attribute as numbers separated by spaces.

        Raises:
            AssetError: A number is not finite, or the text is absurdly long.
        """
        text = self.require(attribute)
        self._check_length(attribute, text)
        return [self._parse(attribute, piece, finite=True) for piece in text.split(" ") if piece]

    def vector(self, attribute: str, default: Vec3 = (0.0, 0.0, 0.0)) -> Vec3:
        """The attribute's first three numbers, zeros where it has fewer; ``default``: absent."""
        if self.element.get(attribute) is None:
            return default
        values = self.numbers(attribute)
        if len(values) < 3:
            self.warn(f"{attribute}={self.get(attribute)!r} has fewer than 3 numbers, zeros taken")
            return (0.0, 0.0, 0.0)
        return (values[0], values[1], values[2])

    def pose(self) -> Pose:
        """The pose of the child ``<origin>``, its position scaled; identity where there is none."""
        origin = self.child("origin")
        if origin is None:
            return Pose()
        x, y, z = origin.vector("xyz")
        scale = self.context.scale
        quat = quat_from_rpy(*origin.vector("rpy")) if origin.get("rpy") is not None else IDENTITY
        return Pose((x * scale, y * scale, z * scale), quat)

    def error(self, problem: str) -> AssetError:
        """An error that names the file and this element."""
        return AssetError(self.context.file, self.label(), problem)

    def warn(self, problem: str) -> None:
        """Logs a warning that names the file and this element."""
        _LOG.warning("%s: %s: %s", self.context.file, self.label(), problem)

    def label(self) -> str:
        """The element in words, with its line."""
        part = f"{self.where} <{self.element.tag}>" if self.where else f"<{self.element.tag}>"
        return f"{part} line {self.element.line}"

    def _check_length(self, attribute: str, text: str) -> None:
        if len(text) > _LONGEST_VALUE:
            raise self.error(
                f"{attribute} of {len(text)} characters, at most {_LONGEST_VALUE} are read"
            )

    def _parse(self, attribute: str, text: str, *, finite: bool) -> float:
        self._check_length(attribute, text)
        match = _NUMBER.match(text)
        if match is None:
            self.warn(f"{attribute}={text!r} is not a number, 0 taken as PyBullet does")
            return 0.0
        if text[match.end() :].strip():
            self.warn(f"{attribute}={text!r} is not just a number, {match[1]} taken")
        value = _to_float(match[1])
        if math.isnan(value) or (finite and abs(value) > _LARGEST):
            raise self.error(f"{attribute}={text!r} is not a number up to {_LARGEST:g}")
        return value


def _to_float(text: str) -> float:
    if "x" not in text and "X" not in text:
        return float(text)
    try:
        return float.fromhex(text)
    except OverflowError:
        return math.inf
