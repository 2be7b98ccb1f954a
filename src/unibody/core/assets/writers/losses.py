"""What a file that is written cannot say of the assets in it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Losses:
    """A report of what was left out or said otherwise.

    Attributes:
        target: The format that was written, as its users call it.
        found: By what is lost: the names of the links, joints or shapes it is lost of.
    """

    target: str
    found: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, what: str, where: str = "") -> None:
        """Note a loss.

        Args:
            what: What is lost, and what stands there instead, if anything.
            where: What it is lost of: "link 'arm'".
        """
        places = self.found.setdefault(what, [])
        if where and where not in places:
            places.append(where)

    def lines(self) -> list[str]:
        """One line for each kind of loss, with all places it concerns."""
        return [
            f"{what}: {', '.join(places)}" if places else what
            for what, places in self.found.items()
        ]
