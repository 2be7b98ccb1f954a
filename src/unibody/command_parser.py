"""A parser of arguments that says what was probably meant."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Iterable
from typing import NoReturn

_CHOICE = re.compile(r"invalid choice: '([^']*)'")


def meant(word: str, known: Iterable[str]) -> str:
    """The question whether another word was meant, to be put behind a message; else "".

    Args:
        word: What was written.
        known: What is allowed.
    """
    (found,) = difflib.get_close_matches(word, list(known), 1) or ("",)
    return f" - did you mean {found}?" if found else ""


class Parser(argparse.ArgumentParser):
    """``argparse.ArgumentParser`` whose messages about words it does not know name the nearest.

    Subcommands get parsers of the same kind.
    """

    def error(self, message: str) -> NoReturn:
        """End the process with a message."""
        choice = _CHOICE.search(message)
        if choice:
            message += meant(choice[1], self._choices())
        elif message.startswith("unrecognized arguments:"):
            words = message.partition(": ")[2].split()
            options = list(self._options())
            message += "".join(
                meant(word.partition("=")[0], options) for word in words if word.startswith("-")
            )
        elif message.startswith("the following arguments are required") and self._has_commands():
            self.print_help(sys.stderr)
            self.exit(2, f"{self.prog}: error: {message}\n")
        super().error(message)

    def _has_commands(self) -> bool:
        return any(isinstance(action, argparse._SubParsersAction) for action in self._actions)

    def _choices(self) -> Iterable[str]:
        for action in self._actions:
            yield from map(str, action.choices or ())

    def _options(self) -> Iterable[str]:
        """Options of this parser and of its subcommands."""
        for action in self._actions:
            yield from action.option_strings
            if isinstance(action, argparse._SubParsersAction):
                for parser in action.choices.values():
                    if isinstance(parser, Parser):
                        yield from parser._options()
