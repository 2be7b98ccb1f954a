"""Values that readers tend to forget."""

from __future__ import annotations

import re
from random import Random

NUMBERS = (
    "0", "-0.0", "1", "-1", "2", "0.5", "1e-12", "1e-30", "1e-320", "-1e-6", "1e6", "1e12", "1e30",
    "1e100", "1e308", "1e309", "-1e308", "nan", "-nan", "inf", "-inf", "NaN", "Infinity", "65535",
    "65536", "2147483647", "2147483648", "-2147483649", "4294967296", "9223372036854775808", "0x10",
    "1e", "1.2.3", "", "x", "1,5", "1_000", "9" * 400, "3.14159265358979",
)  # fmt: skip
TEXTS = (
    "", " ", "a", "world", "..", "../../etc/passwd", "/dev/zero", "/dev/null", "~", "\t", "\u00e9",
    "\U0001f916", "a" * 5000, "%s%n", "{}", "${x}", "null", "true", "package://x/y.stl", "\x7f",
)  # fmt: skip
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def changed_text(text: str, random: Random) -> str:
    """A text with one of its numbers, or all of it, replaced."""
    numbers = list(_NUMBER.finditer(text))
    if numbers and random.random() < 0.8:
        found = random.choice(numbers)
        return text[: found.start()] + random.choice(NUMBERS) + text[found.end() :]
    return random.choice((*NUMBERS, *TEXTS))


def changed_number(value: float, random: Random) -> float | str | None:
    """Another number, or what is none."""
    text = random.choice(NUMBERS)
    try:
        return random.choice((float(text), -value, value * 1e9, value / 1e9, 0, None, text))
    except ValueError:
        return text
